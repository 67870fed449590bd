"""USB cameras and the streams that OpenCV reads: V4L2, RTSP, video over http."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np

from vision.camera import saying
from vision.camera.feed import FeedError, Patience
from vision.camera.frame import Image
from vision.camera.http_stream import masked
from vision.camera.jpeg import Wholeness

# V4L2's own wait is 10 s and can only be shortened from outside
os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "2")

# whoever imported cv2 before us has it warn of each time-out on stderr
if os.environ.get("OPENCV_LOG_LEVEL") == "ERROR":
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)

_SIZE = (1280, 720)
_MOST_DELAY_S = 2.0


class Delay:
    """How much later than at best the pictures of a stream come, by its own time stamps.

    Pictures that wait to be decoded wait ever longer where the computer is too slow. Clocks differ: the best is
    forgotten at a thousandth of the time.
    """

    def __init__(self) -> None:
        self._best_s: float | None = None
        self._before: tuple[float, float] = (0.0, 0.0)

    def grown_s(self, stamp_s: float, now_s: float) -> float:
        """Take a picture's own time and the time at which it came (seconds of any two clocks)."""
        last_stamp_s, last_now_s = self._before
        self._before = stamp_s, now_s
        late_s = now_s - stamp_s
        if self._best_s is None or not 0 < stamp_s - last_stamp_s < 10:  # no time stamps, or they begin anew
            self._best_s = late_s
        self._best_s = min(late_s, self._best_s + (now_s - last_now_s) / 1000)
        return late_s - self._best_s


class CaptureFeed:
    """One `cv2.VideoCapture`. It never recovers after a failed read, and goes on calling itself open."""

    def __init__(self, capture: cv2.VideoCapture, who: Mapping[str, str], frozen_s: float) -> None:
        self.who = who
        self.damaged = 0
        self.frozen_s = frozen_s
        self._capture = capture
        self._wholeness = Wholeness()
        self._delay = Delay()

    def read(self) -> Image | None:
        """The next picture; None for a damaged one."""
        try:
            ok, image = self._capture.read()
        except cv2.error:
            ok, image = False, None
        if not ok or image is None:
            raise FeedError("silent", **self.who)
        if self._delay.grown_s(self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000, time.monotonic()) > _MOST_DELAY_S:
            raise FeedError("behind", **self.who)  # what is queued is the past; opened again it shows the present
        picture = np.asarray(image, np.uint8)
        if not self._wholeness.fits(picture):
            self.damaged += 1
            return None
        return picture

    def close(self) -> None:
        """Let the device or the connection go."""
        self._capture.release()


def open_stream(url: str, patience: Patience) -> CaptureFeed:
    """RTSP and other video that FFmpeg reads. Its time-outs count only when given at opening."""
    limits = [
        cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, int(patience.open_s * 1000),
        cv2.CAP_PROP_READ_TIMEOUT_MSEC, int(patience.picture_s * 1000),
    ]  # fmt: skip
    who = saying.stream(masked(url))
    try:
        capture = cv2.VideoCapture(url, cv2.CAP_FFMPEG, limits)
    except cv2.error:
        capture = cv2.VideoCapture()
    if not capture.isOpened():
        capture.release()
        raise FeedError("no_video", **who)
    # where nothing moves, a stream may repeat a picture exactly until its next key frame
    return CaptureFeed(capture, who, frozen_s=15.0)


def open_device(device: str) -> CaptureFeed:
    """A V4L2 device by its path."""
    who = saying.device(device)
    if not Path(device).exists():
        raise FeedError("no_device", **who)
    try:
        capture = cv2.VideoCapture(device, cv2.CAP_V4L2 if os.path.exists("/sys/class") else cv2.CAP_ANY)
    except cv2.error:
        capture = cv2.VideoCapture()
    if not capture.isOpened():
        capture.release()
        raise FeedError("not_opened", **who)
    capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))  # uncompressed, USB carries 5 frames a second
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, _SIZE[0])
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, _SIZE[1])
    return CaptureFeed(capture, who, frozen_s=2.0)

