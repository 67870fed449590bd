"""Adalight: "Ada", the number of LEDs, their colours. Nothing guards the colours, and no frame is answered.

The original firmware says "Ada" when it starts and every second in which it hears nothing, and darkens after 15 s of
silence. WLED speaks this format too, says "Ada" once at its start if at all, and shows its own look after 2.5 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from firmware_bridge.wire.pixels import RESERVED, Answer, Rgb, counted, harmless, packed

MAGIC = b"Ada"
BANNER = b"Ada"


def encode(colours: Sequence[Rgb]) -> bytes:
    """One frame of exactly these colours, 6 + 3 N bytes. Raises ValueError for none or more than 65 536."""
    return counted(MAGIC, len(colours)) + packed(colours)


def safe_count(leds: int) -> int:
    """The smallest count from `leds` on whose header, too, holds no reserved byte."""
    while any(byte in RESERVED for byte in counted(b"", leds)):
        leds += 1
    return leds


class Adalight:
    """The format as a pixel wire. Colours beyond the last LED are black."""

    name: ClassVar[str] = "adalight"
    baud: ClassVar[int] = 115200
    must_answer: ClassVar[bool] = False
    lease_s: ClassVar[float | None] = 2.5  # the shortest of its receivers'
    idle_s: ClassVar[float] = 1.0
    probe: ClassVar[bytes] = b""
    ping: ClassVar[bytes] = b""
    unanswered: ClassVar[str] = "no_ada"

    def frame(self, colours: Sequence[Rgb]) -> bytes:
        """One frame without reserved bytes."""
        black = [(0, 0, 0)] * (safe_count(len(colours)) - len(colours))
        return encode([*harmless(colours), *black])

    def flush(self, leds: int) -> bytes:
        """Black for every LED: ends a half frame."""
        return bytes(3 * safe_count(leds))

    def answer(self, heard: bytes) -> Answer | None:
        """The banner, whole: its end of line tells it from a frame's beginning that somebody echoes."""
        return Answer("Adalight") if any(BANNER + end in heard for end in (b"\n", b"\r\n")) else None

    def is_alive(self, heard: bytes) -> bool:
        """The banner again."""
        return BANNER in heard
