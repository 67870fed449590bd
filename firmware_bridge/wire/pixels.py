"""What the wires that carry a colour for each LED have in common, and the bytes none of their colours may be.

WLED reads bytes that arrive outside a frame as commands: one switches its baud rate, another starts its JSON parser. A
frame cut short on the way leaves its colours outside, so no colour takes one of those values: then a stream out of step
can do nothing worse than show a wrong colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from firmware_bridge.saying import NOTHING, Reason

Rgb = tuple[int, int, int]
"""Linear drive of one LED's red, green and blue, each 0..255."""

RESERVED = frozenset(b"AILOlov{" + bytes(range(0xB0, 0xB8)) + b"\xc9")
"""The commands of WLED's idle state."""

_NUDGED = bytes(max(kept for kept in range(byte + 1) if kept not in RESERVED) for byte in range(256))


@dataclass(frozen=True)
class Answer:
    """What a device said of itself. `leds`: how many it has, None where it doesn't say. `note`: what is not well."""

    name: str
    version: str = ""
    leds: int | None = None
    uid: str = ""
    note: Reason = NOTHING


class PixelWire(Protocol):
    """One wire format that carries colours. All bytes and no state: who talks when is not decided here.

    `must_answer`: lights that say nothing when asked `probe` are not there; elsewhere silence may be their way.
    `ping`: asks a device that has answered once whether it still lives, and `is_alive` knows its answer. Without a ping
    (`b""`) a device may say so by itself whenever it hears nothing for `idle_s` (0 = it never does).
    `lease_s`: after so much silence the device darkens, or shows its own look; None: it shows the last frame for ever.
    """

    name: ClassVar[str]
    baud: ClassVar[int]
    must_answer: ClassVar[bool]
    lease_s: ClassVar[float | None]
    idle_s: ClassVar[float]
    probe: ClassVar[bytes]
    ping: ClassVar[bytes]
    unanswered: ClassVar[str]
    """The code of the sentence that says what to do about lights that never answered."""

    def frame(self, colours: Sequence[Rgb]) -> bytes:
        """All colours, ready to be sent to any receiver of this format: see `harmless`."""
        ...

    def flush(self, leds: int) -> bytes:
        """Bytes that end whatever half frame of `leds` colours the device still waits for, and are else ignored."""
        ...

    def answer(self, heard: bytes) -> Answer | None:
        """The device's answer, if it is in what was heard since the question."""
        ...

    def is_alive(self, heard: bytes) -> bool:
        """Whether these bytes hold a sign of life."""
        ...


def packed(colours: Sequence[Rgb]) -> bytes:
    """Colours as bytes, LED by LED."""
    return bytes(channel for colour in colours for channel in colour)


def harmless(colours: Sequence[Rgb]) -> list[Rgb]:
    """`colours` without a reserved byte: each such channel is a little darker, never brighter."""
    return [(_NUDGED[red], _NUDGED[green], _NUDGED[blue]) for red, green, blue in colours]


def counted(magic: bytes, leds: int) -> bytes:
    """Header of Adalight and its kin: `magic`, LEDs - 1 big endian, and a check byte over the count."""
    if not 1 <= leds <= 0x10000:
        raise ValueError(f"a frame can't say {leds} LEDs")
    high, low = divmod(leds - 1, 0x100)
    return magic + bytes((high, low, high ^ low ^ 0x55))
