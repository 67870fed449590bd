"""A USB camera's settings through the kernel's own calls: the same for every make, and no program to install.

Values are read while the camera adjusts itself, the automatics are switched off, the values written and read back.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from vision.camera.controls import Lock, Why
from vision.camera.feed import FeedError

if sys.platform == "linux":
    from fcntl import ioctl as kernel_call
else:  # pragma: no cover

    def kernel_call(descriptor: int, request: int, data: bytes) -> bytes:
        """There is no V4L2 here."""
        raise OSError(errno.ENOTTY, "this system has no V4L2")


Call = Callable[[int, int, bytes], bytes]

QUERY, GET, SET = 0xC0445624, 0xC008561B, 0xC008561C  # VIDIOC_QUERYCTRL, _G_CTRL, _S_CTRL
_QUERY_LAYOUT = "<II32siiiiI8x"
_DISABLED, _READ_ONLY = 0x01, 0x04

# linux/v4l2-controls.h
AUTO_WHITE_BALANCE, AUTOGAIN, GAIN = 0x0098090C, 0x00980912, 0x00980913
POWER_LINE_FREQUENCY, WHITE_BALANCE_TEMPERATURE = 0x00980918, 0x0098091A
RED_BALANCE, BLUE_BALANCE = 0x0098090E, 0x0098090F
EXPOSURE_AUTO, EXPOSURE_ABSOLUTE, EXPOSURE_AUTO_PRIORITY = 0x009A0901, 0x009A0902, 0x009A0903
FOCUS_ABSOLUTE, FOCUS_AUTO = 0x009A090A, 0x009A090C
_EXPOSURE_MANUAL = 1

_SETTINGS: tuple[tuple[str, int | None, int, tuple[int, ...]], ...] = (
    # name, its automatic, the automatic's "off", its values
    ("exposure", EXPOSURE_AUTO, _EXPOSURE_MANUAL, (EXPOSURE_ABSOLUTE,)),
    ("gain", AUTOGAIN, 0, (GAIN,)),
    ("white_balance", AUTO_WHITE_BALANCE, 0, (WHITE_BALANCE_TEMPERATURE, RED_BALANCE, BLUE_BALANCE)),
    ("focus", FOCUS_AUTO, 0, (FOCUS_ABSOLUTE,)),
)


@dataclass(frozen=True)
class _Control:
    lowest: int
    highest: int
    usual: int
    flags: int


class V4l2Controls:
    """The settings of the device that `path` names at the time of each call; `mains_hz`: 50 or 60."""

    def __init__(self, path: Callable[[], str], mains_hz: int, call: Call = kernel_call) -> None:
        self._path = path
        self._mains = {50: 1, 60: 2}[mains_hz]
        self._mains_hz = mains_hz
        self._call = call
        self._guard = threading.Lock()
        self._wanted: dict[int, int] | None = None  # control -> value, automatics first
        self._held: Lock | None = None

    def prepare(self) -> None:
        """After opening: what was held is held again; otherwise only the lamps' frequency is set."""
        with self._guard:
            try:
                with self._device() as device:
                    _write(device, EXPOSURE_AUTO_PRIORITY, 0)  # the dark must not slow the camera down
                    _write(device, POWER_LINE_FREQUENCY, self._mains)
                    if self._wanted is not None:
                        self._held = self._hold(device, self._wanted)
            except OSError as error:
                self._held = self._unreachable(error) if self._wanted is not None else None

    def lock(self) -> Lock:
        """Hold everything as it is now; what is held was read back."""
        with self._guard:
            try:
                with self._device() as device:
                    self._wanted = _present(device)
                    self._held = self._hold(device, self._wanted)
            except OSError as error:
                self._held = self._unreachable(error)
            return self._held

    def release(self) -> None:
        """Let the camera adjust itself again, as it was made to."""
        with self._guard:
            self._wanted = self._held = None
            try:
                with self._device() as device:
                    for _, automatic, _, _ in _SETTINGS:
                        control = None if automatic is None else _ask(device, automatic)
                        if automatic is not None and control is not None:
                            _write(device, automatic, control.usual)
            except OSError:
                pass  # gone: when it comes back it adjusts itself

    def held(self) -> Lock | None:
        """What was held when last read back; None while nothing is to be."""
        return self._held

    def _hold(self, device: _Device, wanted: dict[int, int]) -> Lock:
        for control, value in wanted.items():
            _write(device, control, value)
        locked: dict[str, str] = {}
        loose: dict[str, Why] = {}
        for name, automatic, off, values in _SETTINGS:
            has = [control for control in values if _ask(device, control) is not None]
            has_automatic = automatic is not None and _ask(device, automatic) is not None
            if not has and not has_automatic:
                continue
            if has_automatic and automatic is not None and _read(device, automatic) != off:
                loose[name] = Why("automatic")
                continue
            now = {control: _read(device, control) for control in has}
            if any(now[control] != wanted.get(control, now[control]) for control in has):
                loose[name] = Why("strays")
            else:
                locked[name] = " ".join(str(value) for value in now.values()) or "off"
        if _ask(device, POWER_LINE_FREQUENCY) is not None:
            _write(device, POWER_LINE_FREQUENCY, self._mains)
            if _read(device, POWER_LINE_FREQUENCY) == self._mains:
                locked["mains"] = f"{self._mains_hz} Hz"
            else:
                loose["mains"] = Why("strays")
        return Lock(locked, loose)

    def _unreachable(self, error: OSError) -> Lock:
        why = Why("unreachable", reason=str(error.strerror or error))
        return Lock(loose={name: why for name, *_ in _SETTINGS})

    @contextmanager
    def _device(self) -> Iterator[_Device]:
        try:
            path = self._path()
        except FeedError as error:
            raise OSError(errno.ENODEV, str(error)) from None
        descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        try:
            yield _Device(descriptor, self._call)
        finally:
            os.close(descriptor)


@dataclass(frozen=True)
class _Device:
    descriptor: int
    call: Call


def _ask(device: _Device, control: int) -> _Control | None:
    """What the camera says of a control; None where it has none that can be set."""
    try:
        answer = device.call(device.descriptor, QUERY, struct.pack(_QUERY_LAYOUT, control, 0, b"", 0, 0, 0, 0, 0))
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOTTY):
            return None
        raise
    _, _, _, lowest, highest, _, usual, flags = struct.unpack(_QUERY_LAYOUT, answer)
    return None if flags & (_DISABLED | _READ_ONLY) else _Control(lowest, highest, usual, flags)


def _read(device: _Device, control: int) -> int | None:
    try:
        return int(struct.unpack("<Ii", device.call(device.descriptor, GET, struct.pack("<Ii", control, 0)))[1])
    except OSError as error:
        if error.errno == errno.ENODEV:
            raise
        return None


def _write(device: _Device, control: int, value: int) -> None:
    """Set a control where there is one; whether the camera obeyed is for reading back to say."""
    try:
        device.call(device.descriptor, SET, struct.pack("<Ii", control, value))
    except OSError as error:
        if error.errno == errno.ENODEV:
            raise


def _present(device: _Device) -> dict[int, int]:
    """Everything that must be written to keep the camera as it is, in the order of writing."""
    wanted: dict[int, int] = {}
    for _, automatic, off, values in _SETTINGS:
        now = {control: _read(device, control) for control in values if _ask(device, control) is not None}
        if automatic is not None and _ask(device, automatic) is not None:
            wanted[automatic] = off
        wanted |= {control: value for control, value in now.items() if value is not None}
    return wanted
