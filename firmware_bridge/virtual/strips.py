"""The virtual device as a strip: receivers of Adalight, AWA and TPM2 with their known habits and weaknesses."""

from __future__ import annotations

from firmware_bridge.rhythm import Rgb
from firmware_bridge.virtual.core import Faults
from firmware_bridge.virtual.look import StripState

BLACK: Rgb = (0, 0, 0)
UART_BYTES = 256  # what a busy receiver can keep


class StripBrain:
    """What all strips share: starting, being busy, and what is shown. `lease_s`: after so much silence it darkens."""

    frame_start = b""
    boot_s = 0.0
    lease_s: float | None = None

    def __init__(self, leds: int, faults: Faults) -> None:
        self.leds, self.faults = leds, faults
        self.power_up(0.0)

    def power_up(self, now_s: float) -> None:
        """Start anew, dark; deaf until it has started."""
        self._pixels: tuple[Rgb, ...] = (BLACK,) * self.count
        self._frames = self._damaged = 0
        self._out: list[bytes] = []
        self._kept = b""
        self._up_s, self._up = now_s + self.boot_s, False
        self._busy_until_s = now_s
        self._heard_s = self._shown_s = float("-inf")
        self.restart()

    @property
    def count(self) -> int:
        """How many LEDs there really are."""
        return self.leds if self.faults.claimed_sites is None else self.faults.claimed_sites

    def strip(self, now_s: float) -> StripState:
        """What it shows now."""
        lost = self.is_lost(now_s)
        dark = lost and self.lease_s is not None
        pixels = (BLACK,) * self.count if dark else self._pixels
        return StripState(pixels, lost, self._frames, self._damaged)

    def is_lost(self, now_s: float) -> bool:
        """Whether it knows that nobody speaks to it, or never heard anybody."""
        return now_s - self._shown_s >= (float("inf") if self.lease_s is None else self.lease_s) or not self._frames

    def hear(self, data: bytes, now_s: float) -> None:
        """Bytes from the host."""
        self._wake(now_s)
        if not self._up:
            return
        if now_s < self._busy_until_s:
            self._kept = (self._kept + data)[:UART_BYTES]
            return
        for index, byte in enumerate(data):
            self.byte(byte, now_s)
            self._heard_s = now_s
            if now_s < self._busy_until_s:
                self._kept = data[index + 1 :][:UART_BYTES]
                return

    def speak(self, now_s: float) -> list[bytes]:
        """Answers, and what it says by itself."""
        self._wake(now_s)
        if self._kept and now_s >= self._busy_until_s:
            kept, self._kept = self._kept, b""
            self.hear(kept, now_s)
        if self._up:
            self.idle(now_s)
        out, self._out = self._out, []
        return out

    def _wake(self, now_s: float) -> None:
        if not self._up and now_s >= self._up_s:
            self._up = True
            self._heard_s = now_s
            self.started()

    def say(self, data: bytes) -> None:
        """One message to the host."""
        self._out.append(data)

    def show(self, payload: bytes, now_s: float) -> None:
        """A whole frame; what the strip has no LEDs for falls off its end, what a frame lacks stays as it was."""
        sent = list(zip(payload[0::3], payload[1::3], payload[2::3], strict=False))[: self.count]
        self._pixels = (*sent, *self._pixels[len(sent) :])
        self._frames += 1
        self._shown_s = now_s
        self._busy_until_s = now_s + self.faults.slow_ms / 1000

    def restart(self) -> None:
        """Look for a frame's beginning."""
        raise NotImplementedError

    def byte(self, byte: int, now_s: float) -> None:
        """The next byte."""
        raise NotImplementedError

    def started(self) -> None:
        """What it says when it has started."""

    def idle(self, now_s: float) -> None:
        """What it does while nothing comes."""


class AdalightBrain(StripBrain):
    """The original firmware: says "Ada" at its start and in each second of silence, darkens after fifteen."""

    frame_start = b"Ada"
    boot_s = 0.5
    lease_s: float | None = 15.0
    most_leds = 65536
    trailer = 0

    def restart(self) -> None:
        """Look for the magic word."""
        self._buffer = bytearray()

    def started(self) -> None:
        """The banner."""
        if not self.faults.old_firmware:
            self.say(b"Ada\n")

    def idle(self, now_s: float) -> None:
        """The banner once more."""
        if now_s - self._heard_s >= 1.0:
            self._heard_s = now_s
            self.started()

    def byte(self, byte: int, now_s: float) -> None:
        """Magic, count, check byte, colours, and what a kin of it sends after them."""
        held = self._buffer
        held.append(byte)
        magic = self.frame_start
        while held and not magic.startswith(held[: len(magic)]):
            del held[0]
        if len(held) < 6:
            return
        if len(held) == 6 and held[5] != held[3] ^ held[4] ^ 0x55:
            self.odd(bytes(held))
            held.clear()
            return
        leds = int.from_bytes(held[3:5], "big") + 1
        if leds > self.most_leds:
            held.clear()
            return
        length = 3 * leds
        if len(held) == 6 + length + self.trailer:
            self.whole(bytes(held[6:]), now_s)
            held.clear()

    def odd(self, header: bytes) -> None:
        """A header whose check byte is wrong."""

    def whole(self, payload: bytes, now_s: float) -> None:
        """All that a header announced."""
        self.show(payload, now_s)


class AwaBrain(AdalightBrain):
    """HyperSerial: shows no frame whose sums are wrong, says hello and tells statistics when asked."""

    frame_start = b"Awa"
    boot_s = 0.3
    lease_s = None
    most_leds = 4096
    trailer = 3

    def started(self) -> None:
        """Nothing: it waits to be asked."""

    def idle(self, now_s: float) -> None:
        """Nothing."""

    def odd(self, header: bytes) -> None:
        """A count that is none is a question."""
        if header[3:5] != b"\x2a\xa2" or self.faults.old_firmware:
            return
        if header[5] in (0x15, 0x35):
            good, bad = self._frames % 65536, self._damaged % 65536
            counts = f"{good} (FPS), receiv.: {good + bad}, good: {good}, incompl.: {bad}"
            self.say(f"HyperHDR frames: {counts}\r\n".encode())
        if header[5] == 0x15:
            self.say(b"\r\nWelcome!\r\nAwa driver 8.\r\n")

    def whole(self, payload: bytes, now_s: float) -> None:
        """Colours and sums."""
        one = two = placed = 0
        for place, byte in enumerate(payload[:-3]):
            one = (one + byte) % 255
            two = (two + one) % 255
            placed = (placed + (byte ^ place % 256)) % 255
        if payload[-3:] == bytes((one, two, 0xAA if placed == 0x41 else placed)):
            self.show(payload[:-3], now_s)
        else:
            self._damaged += 1


class Tpm2Brain(StripBrain):
    """A receiver that takes whole blocks only, begins anew after a pause, and answers when it is asked to."""

    frame_start = b"\xc9\xda"
    pause_s = 0.1

    def restart(self) -> None:
        """Look for a block's start."""
        self._buffer = bytearray()

    def byte(self, byte: int, now_s: float) -> None:
        """Start, type, length, payload, end."""
        held = self._buffer
        if held and now_s - self._heard_s >= self.pause_s:
            held.clear()
        held.append(byte)
        if held[0] != 0xC9 or (len(held) > 1 and held[1] not in (0xDA, 0xAA, 0xC0)):
            del held[:]
            return
        length = int.from_bytes(held[2:4], "big") if len(held) >= 4 else 0
        if len(held) < 5 + length or len(held) < 5:
            return
        kind, payload, end = held[1], bytes(held[4:-1]), held[-1]
        held.clear()
        if end != 0x36:
            self._damaged += 1
        elif kind == 0xDA:
            self.show(payload, now_s)
        elif kind == 0xAA and not self.faults.old_firmware:
            self.say(b"\xac")
