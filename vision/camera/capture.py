"""USB cameras and the streams that OpenCV reads: V4L2, RTSP, video over http."""

from __future__ import annotations

import os
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

_SIZE = (1280, 720)


class CaptureFeed:
    """One `cv2.VideoCapture`. It never recovers after a failed read, and goes on calling itself open."""

    def __init__(self, capture: cv2.VideoCapture, who: Mapping[str, str], frozen_s: float) -> None:
        self.who = who
        self.damaged = 0
        self.frozen_s = frozen_s
        self._capture = capture
        self._wholeness = Wholeness()

    def read(self) -> Image | None:
        """The next picture; None for a damaged one."""
        try:
            ok, image = self._capture.read()
        except cv2.error:
            ok, image = False, None
        if not ok or image is None:
            raise FeedError("silent", **self.who)
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


def usb_device() -> str:
    """The first USB camera's lasting path: after replugging it may have another number."""
    lasting = Path("/dev/v4l/by-id")
    found = sorted(lasting.glob("*-video-index0")) if lasting.is_dir() else []
    found = found or sorted(Path("/dev").glob("video[0-9]*"), key=lambda path: int(path.name[5:]))
    if not found:
        raise FeedError("no_usb", **saying.device("usb"))
    return str(found[0])
