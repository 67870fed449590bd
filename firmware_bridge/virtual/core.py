"""A device without its port: bytes in, bytes out, on a clock that is given. Its faults can be set at any moment."""

from __future__ import annotations

from typing import Protocol

FAULTS = ("drop", "silent", "corrupt", "slow", "reset", "wrong-count", "old-firmware")


class Faults:
    """How a device misbehaves.

    silent: hears and says nothing. corrupt_every: damages every n-th frame both ways (0 = none). slow_ms: takes so long
    for each answer, or for each frame, while more than 256 bytes that come meanwhile are lost. reset_mid_frame:
    restarts in the middle of the next frame, once. claimed_sites: a wrong number of lights. old_firmware: speaks an
    older version of the wire only, or does not answer where older versions can't.
    """

    def __init__(self) -> None:
        self.silent = False
        self.corrupt_every = 0
        self.slow_ms = 0
        self.reset_mid_frame = False
        self.claimed_sites: int | None = None
        self.old_firmware = False


class Brain(Protocol):
    """The device proper, without the line's faults."""

    @property
    def frame_start(self) -> bytes:
        """The bytes after which a frame can be told to begin."""
        ...

    def power_up(self, now_s: float) -> None:
        """Start anew; nothing is remembered."""
        ...

    def hear(self, data: bytes, now_s: float) -> None:
        """Bytes that came in."""
        ...

    def speak(self, now_s: float) -> list[bytes]:
        """What it says now, message by message: answers, and what is due by itself."""
        ...


class DeviceCore:
    """A device and its line: `faults` may be changed at any moment."""

    def __init__(self, brain: Brain, faults: Faults, now_s: float = 0.0) -> None:
        self._brain, self._faults = brain, faults
        self.said = 0
        self._damage = Damage(brain.frame_start)
        self._waiting: list[tuple[float, bytes]] = []
        brain.power_up(now_s)

    def power_up(self, now_s: float) -> None:
        """Start anew: nothing that came or was to be said is remembered."""
        self._waiting.clear()
        self._brain.power_up(now_s)

    def hear(self, data: bytes, now_s: float) -> bytes:
        """Bytes that came in; returns what the device says."""
        if self._faults.silent:
            return b""
        data = self._damage.through(data, self._faults.corrupt_every)
        if self._faults.reset_mid_frame and len(data) > 1:
            self._faults.reset_mid_frame = False
            self._brain.hear(data[: len(data) // 2], now_s)
            self.power_up(now_s)
            data = data[len(data) // 2 :]
        self._brain.hear(data, now_s)
        return self.due(now_s)

    def due(self, now_s: float) -> bytes:
        """What the device says now without having been spoken to."""
        for message in self._brain.speak(now_s):
            self.said += 1
            out = bytearray(message)
            if self._faults.corrupt_every and self.said % self._faults.corrupt_every == 0 and len(out) > 1:
                out[1] ^= 0x20
            self._waiting.append((now_s + self._faults.slow_ms / 1000, bytes(out)))
        if self._faults.silent:
            self._waiting.clear()
        ready = [message for at_s, message in self._waiting if at_s <= now_s]
        self._waiting = [(at_s, message) for at_s, message in self._waiting if at_s > now_s]
        return b"".join(ready)


class Damage:
    """Damages every n-th frame that passes, in turn by a bit of its beginning, a bit of its inside, and a lost byte."""

    INSIDE = 7  # bytes after a frame has begun

    def __init__(self, frame_start: bytes) -> None:
        self._start = frame_start
        self._tail = b""
        self._frames = 0
        self._countdown: int | None = None  # bytes until the damage
        self._kind = 0

    def through(self, data: bytes, every: int) -> bytes:
        """What of `data` gets through, and how."""
        if not every:
            return data
        out = bytearray()
        for byte in data:
            self._tail = (self._tail + bytes((byte,)))[-len(self._start) :]
            if self._tail == self._start:
                self._frames += 1
                if self._frames % every == 0:
                    self._kind = self._frames // every % 3
                    self._countdown = self.INSIDE if self._kind else 0
            if self._countdown == 0:
                self._countdown = None
                if self._kind == 2:
                    continue
                byte ^= 0x20
            elif self._countdown is not None:
                self._countdown -= 1
            out.append(byte)
        return bytes(out)
