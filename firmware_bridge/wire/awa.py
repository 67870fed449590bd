"""AWA, the Adalight of HyperHDR: three sums guard the colours, and a frame that fails them is not shown.

A count that no frame has makes the device say hello, or its statistics; frames themselves are not answered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from firmware_bridge.wire.pixels import Answer, Rgb, counted, harmless, packed

MAGIC = b"Awa"
_CONTROL = MAGIC + b"\x2a\xa2"  # 0x2AA2 with one of the two below in place of its check byte
HELLO = _CONTROL + b"\x15"
STATISTICS = _CONTROL + b"\x35"
_WELCOME = re.compile(rb"Awa driver (\d+)")


def sums(payload: bytes) -> bytes:
    """The three bytes after the colours: two running sums, and one that knows each byte's place."""
    first = second = placed = 0
    for place, byte in enumerate(payload):
        first = (first + byte) % 255
        second = (second + first) % 255
        placed = (placed + (byte ^ place & 0xFF)) % 255
    return bytes((first, second, 0xAA if placed == 0x41 else placed))


def encode(colours: Sequence[Rgb]) -> bytes:
    """One frame, 9 + 3 N bytes. Raises ValueError for none or more than 65 536."""
    payload = packed(colours)
    return counted(MAGIC, len(colours)) + payload + sums(payload)


class Awa:
    """The format as a pixel wire."""

    name: ClassVar[str] = "awa"
    baud: ClassVar[int] = 2_000_000
    must_answer: ClassVar[bool] = True
    lease_s: ClassVar[float | None] = None
    idle_s: ClassVar[float] = 0.0
    probe: ClassVar[bytes] = HELLO
    ping: ClassVar[bytes] = STATISTICS
    unanswered: ClassVar[str] = "try_speed"

    def frame(self, colours: Sequence[Rgb]) -> bytes:
        """One frame; its colours are no reserved bytes either, for a board may get another firmware one day."""
        return encode(harmless(colours))

    def flush(self, leds: int) -> bytes:
        """Zeros for every colour and sum: ends a half frame, which then fails its sums."""
        return bytes(3 * leds + 3)

    def answer(self, heard: bytes) -> Answer | None:
        """The welcome that HELLO asks for."""
        found = _WELCOME.search(heard)
        return Answer("HyperSerial", found[1].decode()) if found else None

    def is_alive(self, heard: bytes) -> bool:
        """Statistics or welcome."""
        return b"HyperHDR" in heard or b"Awa driver" in heard
