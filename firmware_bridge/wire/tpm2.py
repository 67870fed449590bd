"""TPM2 on a serial line: blocks with a start byte, a type, a length in bytes and an end byte; no sum guards them.

WLED reads the two bytes of the length apart, each divided by three, so it may take one LED too few and read the last
one's colours as commands: such frames get black guard LEDs at their end. A receiver that misses bytes of a block's
head may take the next 65 535 for colours, so a WLED board is better spoken to as `wled`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from firmware_bridge.wire.pixels import RESERVED, Answer, Rgb, harmless, packed

START, END = 0xC9, 0x36
DATA, REQUEST = 0xDA, 0xAA
ACKNOWLEDGED = b"\xac"
MOST_BYTES = 0xFFFF


def block(kind: int, payload: bytes) -> bytes:
    """One block of 5 bytes more than `payload`. Raises ValueError where that is empty or longer than 65 535 bytes."""
    if not 1 <= len(payload) <= MOST_BYTES:
        raise ValueError(f"a TPM2 block can't hold {len(payload)} bytes")
    return bytes((START, kind)) + len(payload).to_bytes(2, "big") + payload + bytes((END,))


def encode(colours: Sequence[Rgb]) -> bytes:
    """One data block of exactly these colours."""
    return block(DATA, packed(colours))


def counted_by_wled(leds: int) -> int:
    """How many LEDs WLED takes out of a frame of `leds`."""
    high, low = divmod(3 * leds, 0x100)
    return high * 0x100 // 3 + low // 3


def guarded_count(leds: int) -> int:
    """The smallest count from `leds` on of which every receiver takes `leds`, and whose length is no reserved byte."""
    sent = leds
    while counted_by_wled(sent) < leds or any(byte in RESERVED for byte in (3 * sent).to_bytes(2, "big")):
        sent += 1
    return sent


class Tpm2:
    """The format as a pixel wire."""

    name: ClassVar[str] = "tpm2"
    baud: ClassVar[int] = 115200
    must_answer: ClassVar[bool] = False
    lease_s: ClassVar[float | None] = 2.5
    idle_s: ClassVar[float] = 0.0
    probe: ClassVar[bytes] = block(REQUEST, b"\0")  # WLED answers after two bytes, others wait for a whole block
    ping: ClassVar[bytes] = probe
    unanswered: ClassVar[str] = "never_asked"

    def frame(self, colours: Sequence[Rgb]) -> bytes:
        """One data block with its guard."""
        black = [(0, 0, 0)] * (guarded_count(len(colours)) - len(colours))
        return encode([*harmless(colours), *black])

    def flush(self, leds: int) -> bytes:
        """Zeros for every colour and the end byte: ends a half block."""
        return bytes(3 * guarded_count(leds) + 1)

    def answer(self, heard: bytes) -> Answer | None:
        """The acknowledgement, or an answer with data."""
        return Answer("TPM2") if self.is_alive(heard) else None

    def is_alive(self, heard: bytes) -> bool:
        """The acknowledgement byte."""
        return ACKNOWLEDGED in heard
