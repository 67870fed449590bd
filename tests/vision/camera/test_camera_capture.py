"""What `cv2.VideoCapture` does when a device fails, in a stand-in: there is no V4L2 where the tests run.

Measured on real drivers: a pulled device ends a read at once and goes on calling itself open; one whose driver stalls
blocks a read for as long as OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT says; neither recovers but by being opened again.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from streams import HURRIED, until

from vision.camera import capture
from vision.camera.feed import Patience
from vision.camera.live import LiveCamera


class Driver:
    """A V4L2 device as OpenCV shows it. `mood` decides how it behaves, from now on."""

    mood: ClassVar = "works"
    opened: ClassVar = 0
    open_now: ClassVar = 0
    asked: ClassVar[dict[int, float]] = {}

    def __init__(self, *_where: object) -> None:
        self._open = Driver.mood != "busy"
        self._dead = False
        self._noise = np.random.default_rng(1)
        Driver.opened += self._open
        Driver.open_now += self._open

    def isOpened(self) -> bool:
        return self._open

    def set(self, what: int, value: float) -> bool:
        Driver.asked[what] = value
        return True

    def get(self, _what: int) -> float:
        return time.monotonic() * 1000

    def read(self) -> tuple[bool, npt.NDArray[np.uint8] | None]:
        if self._dead or Driver.mood in ("pulled", "busy"):
            self._dead = True
            return False, None
        if Driver.mood == "stalled":
            time.sleep(0.3)  # as long as the environment says, in short
            return False, None
        if Driver.mood == "raises":
            raise cv2.error("a fault in the driver")
        if Driver.mood == "crashes":
            raise SystemError("<built-in method read> returned NULL without setting an exception")
        time.sleep(0.01)
        image = self._noise.integers(0, 255, (48, 64, 3)).astype(np.uint8)
        if Driver.mood == "halves" and self._noise.random() < 0.5:
            image[24:] = 128  # what was missing of the JPEG
        return True, image

    def release(self) -> None:
        Driver.open_now -= self._open
        self._open = False


@contextmanager
def a_device(monkeypatch: pytest.MonkeyPatch, patience: Patience = HURRIED) -> Iterator[LiveCamera]:
    monkeypatch.setattr(capture.cv2, "VideoCapture", Driver)
    Driver.mood, Driver.opened, Driver.open_now = "works", 0, 0
    camera = LiveCamera("/dev/null", patience=patience)  # a path that is there, and is no camera
    try:
        yield camera
    finally:
        camera.close()
        until(lambda: Driver.open_now == 0)


@pytest.mark.parametrize(
    ("mood", "code"),
    [("pulled", "silent"), ("stalled", "silent"), ("raises", "silent"), ("busy", "not_opened"), ("crashes", "failed")],
)
def test_a_device_that_fails_is_lost_and_opened_again(monkeypatch: pytest.MonkeyPatch, mood: str, code: str) -> None:
    with a_device(monkeypatch) as camera:
        before = camera.latest(-1, 10)
        assert before is not None
        Driver.mood = mood
        until(lambda: camera.status().state == "lost")
        until(lambda: camera.status().said.code == code)
        Driver.mood = "works"
        until(lambda: camera.status().state == "ok")
        after = camera.latest(before.index, 10)
        assert after is not None
        assert after.t_s > before.t_s
        assert Driver.open_now == 1  # the dead one was let go


def test_half_pictures_of_a_device_are_left_out_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    with a_device(monkeypatch) as camera:
        Driver.mood = "halves"
        until(lambda: camera.status().damaged > 5)
        for _ in range(20):
            frame = camera.latest(-1, 10)
            assert frame is not None
            assert frame.image[-4:, -8:].std() > 0
        assert camera.status().state == "ok"


def test_a_device_is_asked_for_what_usb_can_carry(monkeypatch: pytest.MonkeyPatch) -> None:
    with a_device(monkeypatch) as camera:
        assert camera.latest(-1, 10) is not None
        assert Driver.asked[cv2.CAP_PROP_FRAME_WIDTH] == 1280
        assert Driver.asked[cv2.CAP_PROP_FRAME_HEIGHT] == 720
        assert Driver.asked[cv2.CAP_PROP_FOURCC] == cv2.VideoWriter.fourcc(*"MJPG")


def test_the_drivers_own_wait_is_short() -> None:
    """Without this a stalled device holds a read for ten seconds; it can be said from outside only."""
    assert 1 <= int(os.environ["OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT"]) <= 3


def test_a_thousand_times_pulled_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with a_device(monkeypatch, Patience(0.5, 0.5, (0.0, 0.0))) as camera:
        assert camera.latest(-1, 10) is not None
        threads = threading.active_count()
        Driver.mood = "pulled"
        until(lambda: Driver.opened > 1000)
        assert Driver.open_now <= 1
        assert threading.active_count() <= threads
        Driver.mood = "works"
        until(lambda: camera.status().state == "ok")
        assert camera.status().losses == 1
