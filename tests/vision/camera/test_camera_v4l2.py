"""A USB camera's settings: against a stand-in for the kernel that obeys, and disobeys, as UVC cameras do."""

from __future__ import annotations

import errno
import struct
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from vision.camera import v4l2
from vision.camera.feed import FeedError
from vision.camera.v4l2 import GET, QUERY, SET, V4l2Controls

MANUAL, APERTURE = 1, 3


def request(direction: int, number: int, size: int) -> int:
    """How the kernel's headers make an ioctl's number (_IOC with type 'V')."""
    return direction << 30 | size << 16 | ord("V") << 8 | number


def test_the_calls_are_those_of_the_kernels_headers() -> None:
    assert [request(3, 36, 68), request(3, 27, 8), request(3, 28, 8)] == [QUERY, GET, SET]
    assert struct.calcsize(v4l2._QUERY_LAYOUT) == 68


@dataclass
class Uvc:
    """A webcam. While an automatic is on, its value wanders and can't be set, as on most UVC cameras."""

    values: dict[int, int] = field(
        default_factory=lambda: {
            v4l2.EXPOSURE_AUTO: APERTURE,
            v4l2.EXPOSURE_ABSOLUTE: 250,
            v4l2.EXPOSURE_AUTO_PRIORITY: 1,
            v4l2.GAIN: 64,
            v4l2.AUTO_WHITE_BALANCE: 1,
            v4l2.WHITE_BALANCE_TEMPERATURE: 4600,
            v4l2.POWER_LINE_FREQUENCY: 2,
            v4l2.FOCUS_AUTO: 1,
            v4l2.FOCUS_ABSOLUTE: 30,
        }
    )
    deaf: set[int] = field(default_factory=set)
    gone: bool = False

    AUTOMATIC = {  # noqa: RUF012
        v4l2.EXPOSURE_ABSOLUTE: (v4l2.EXPOSURE_AUTO, APERTURE),
        v4l2.WHITE_BALANCE_TEMPERATURE: (v4l2.AUTO_WHITE_BALANCE, 1),
        v4l2.FOCUS_ABSOLUTE: (v4l2.FOCUS_AUTO, 1),
    }
    USUAL = {v4l2.EXPOSURE_AUTO: APERTURE, v4l2.AUTO_WHITE_BALANCE: 1, v4l2.FOCUS_AUTO: 1}  # noqa: RUF012

    def call(self, _descriptor: int, request: int, data: bytes) -> bytes:
        if self.gone:
            raise OSError(errno.ENODEV, "No such device")
        control = struct.unpack_from("<I", data)[0]
        if control not in self.values:
            raise OSError(errno.EINVAL, "Invalid argument")
        if request == QUERY:
            usual = self.USUAL.get(control, 0)
            return struct.pack(v4l2._QUERY_LAYOUT, control, 1, b"name", 0, 10_000, 1, usual, 0)
        if request == GET:
            return struct.pack("<Ii", control, self.values[control])
        automatic, on = self.AUTOMATIC.get(control, (None, None))
        if automatic is not None and self.values[automatic] == on:
            raise OSError(errno.EIO, "Input/output error")
        if control not in self.deaf:
            self.values[control] = struct.unpack("<Ii", data)[1]
        return data


@pytest.fixture
def device(tmp_path: Path) -> Path:
    path = tmp_path / "video0"
    path.touch()
    return path


def controls_of(uvc: Uvc, device: Path, mains_hz: int = 50) -> V4l2Controls:
    return V4l2Controls(lambda: str(device), mains_hz, uvc.call)


def test_everything_is_held_where_it_was_and_read_back(device: Path) -> None:
    uvc = Uvc()
    controls = controls_of(uvc, device)
    assert controls.held() is None
    lock = controls.lock()
    assert lock.locked == {
        "exposure": "250", "gain": "64", "white_balance": "4600", "focus": "30", "mains": "50 Hz"
    }  # fmt: skip
    assert not lock.loose
    assert controls.held() == lock
    assert uvc.values[v4l2.EXPOSURE_AUTO] == MANUAL
    assert uvc.values[v4l2.POWER_LINE_FREQUENCY] == 1
    controls.release()
    assert controls.held() is None
    assert uvc.values[v4l2.EXPOSURE_AUTO] == APERTURE
    assert uvc.values[v4l2.AUTO_WHITE_BALANCE] == uvc.values[v4l2.FOCUS_AUTO] == 1


def test_mains_are_set_at_once_and_the_dark_does_not_slow_it_down(device: Path) -> None:
    uvc = Uvc()
    controls_of(uvc, device, 60).prepare()
    assert uvc.values[v4l2.POWER_LINE_FREQUENCY] == 2
    assert uvc.values[v4l2.EXPOSURE_AUTO_PRIORITY] == 0
    assert uvc.values[v4l2.EXPOSURE_AUTO] == APERTURE


def test_what_was_held_is_held_again_after_replugging(device: Path) -> None:
    uvc = Uvc()
    controls = controls_of(uvc, device)
    controls.lock()
    fresh = Uvc()
    fresh.values[v4l2.EXPOSURE_ABSOLUTE], fresh.values[v4l2.WHITE_BALANCE_TEMPERATURE] = 5, 2800
    uvc.values = fresh.values
    controls.prepare()
    assert uvc.values[v4l2.EXPOSURE_ABSOLUTE] == 250
    assert uvc.values[v4l2.WHITE_BALANCE_TEMPERATURE] == 4600
    held = controls.held()
    assert held is not None
    assert held.locked["exposure"] == "250"


def test_what_a_camera_does_not_obey_is_said(device: Path) -> None:
    uvc = Uvc(deaf={v4l2.EXPOSURE_AUTO, v4l2.POWER_LINE_FREQUENCY})
    lock = controls_of(uvc, device).lock()
    assert set(lock.loose) == {"exposure", "mains"}
    assert "automatic" in lock.loose["exposure"]
    assert set(lock.locked) == {"gain", "white_balance", "focus"}
    assert "exposure: the camera does not let" in lock.sentence

    uvc = Uvc()
    controls = controls_of(uvc, device)
    controls.lock()
    uvc.deaf.add(v4l2.FOCUS_ABSOLUTE)
    uvc.values[v4l2.FOCUS_ABSOLUTE] = 99
    controls.prepare()
    held = controls.held()
    assert held is not None
    assert held.loose["focus"] == "the camera does not keep the value"


def test_what_a_camera_does_not_have_is_in_neither(device: Path) -> None:
    uvc = Uvc({v4l2.GAIN: 3})
    lock = controls_of(uvc, device).lock()
    assert (lock.locked, lock.loose) == ({"gain": "3"}, {})
    lock = controls_of(Uvc({}), device).lock()
    assert (lock.locked, lock.loose) == ({}, {})
    assert lock.sentence


def test_a_camera_that_is_pulled_meanwhile_is_no_fault(device: Path) -> None:
    uvc = Uvc()
    controls = controls_of(uvc, device)
    controls.lock()
    uvc.gone = True
    controls.prepare()
    held = controls.held()
    assert held is not None
    assert "No such device" in held.loose["exposure"]
    uvc.gone = False
    controls.prepare()  # it is back: what was to be held still is
    held = controls.held()
    assert held is not None
    assert not held.loose
    controls.release()
    uvc.gone = True
    controls.release()
    controls.prepare()
    assert controls.held() is None
    assert "No such device" in controls.lock().loose["focus"]

    def nowhere() -> str:
        raise FeedError("no_usb")

    assert "no USB camera" in V4l2Controls(nowhere, 50, uvc.call).lock().loose["exposure"]
    assert "No such file" in V4l2Controls(lambda: str(device) + "x", 50, uvc.call).lock().loose["exposure"]


def test_a_file_that_is_no_camera_has_no_settings(device: Path) -> None:
    """Through the kernel's real call."""
    lock = V4l2Controls(lambda: str(device), 50).lock()
    assert (lock.locked, lock.loose) == ({}, {})
