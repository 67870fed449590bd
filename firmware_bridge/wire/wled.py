"""WLED on a serial line: JSON objects, one a line, ask who it is; frames in Adalight's format light its LEDs.

In frames it is a lamp with a lease of its own: 2.5 s without one and it shows its preset again. Colours can be set by
JSON as well, but then a dead host leaves the last ones burning for ever.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

from firmware_bridge.saying import NOTHING, Reason
from firmware_bridge.wire.adalight import Adalight
from firmware_bridge.wire.pixels import Answer, Rgb

ASK = b'{"v":true}\n'
ASK_VERSION = b"v"
MOST_IN_ONE = 64  # runs of one JSON object: 1.3 KiB, far below the smallest board's memory for one
DIM = 64


def runs(colours: Sequence[Rgb]) -> list[tuple[int, int, str]]:
    """Neighbours of one colour together: (first, last + 1, RRGGBB)."""
    found: list[tuple[int, int, str]] = []
    for index, colour in enumerate(colours):
        text = "{:02X}{:02X}{:02X}".format(*colour)
        if found and found[-1][2] == text:
            found[-1] = (found[-1][0], index + 1, text)
        else:
            found.append((index, index + 1, text))
    return found


def set_leds(entries: Sequence[tuple[int, int, str]]) -> bytes:
    """One line that sets these runs of LEDs in the first segment; a single LED is named without its end."""
    items: list[int | str] = []
    for first, end, colour in entries:
        items += [first, colour] if end == first + 1 else [first, end, colour]
    return json.dumps({"seg": {"id": 0, "i": items}}, separators=(",", ":")).encode() + b"\n"


def read_info(line: bytes) -> Answer | None:
    """What WLED answers to ASK, from one line with or without noise before it."""
    try:
        told: Any = json.loads(line[line.index(b'{"state"') :])
        state, info = told["state"], told["info"]
        count = int(info["leds"]["count"])
        note = NOTHING
        if not state.get("on", True):
            note = Reason("wled_off")
        elif int(state.get("bri", 255)) < DIM:
            note = Reason("wled_dim", brightness=int(state["bri"]))
        return Answer(f"WLED {info.get('name', '')}".strip(), str(info["ver"]), count, str(info.get("mac", "")), note)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


class Wled(Adalight):
    """WLED with its LEDs in frames."""

    name: ClassVar[str] = "wled"
    must_answer: ClassVar[bool] = True
    idle_s: ClassVar[float] = 0.0
    probe: ClassVar[bytes] = ASK
    ping: ClassVar[bytes] = ASK_VERSION
    unanswered: ClassVar[str] = "try_adalight"

    def answer(self, heard: bytes) -> Answer | None:
        """The first whole line that tells state and info."""
        return next((found for line in heard.split(b"\n")[:-1] if (found := read_info(line))), None)

    def is_alive(self, heard: bytes) -> bool:
        """Its version, or any JSON."""
        return b"WLED " in heard or b'{"' in heard


class WledJson(Wled):
    """WLED with its LEDs set by JSON: for boards that don't take frames."""

    name: ClassVar[str] = "wled-json"
    lease_s: ClassVar[float | None] = None

    def frame(self, colours: Sequence[Rgb]) -> bytes:
        """All colours as one or more lines."""
        entries = runs(colours)
        return b"".join(set_leds(entries[i : i + MOST_IN_ONE]) for i in range(0, len(entries), MOST_IN_ONE))
