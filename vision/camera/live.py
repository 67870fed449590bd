"""A live camera: USB, V4L2 or a network stream, supervised for ever.

One thread reads and keeps the newest frame only, for the libraries queue: after a pause of
3 s a reader would stay 3 s behind.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from vision.camera.frame import CameraStatus, Frame, Image
from vision.camera.newest import Newest
from vision.errors import VisionError

# V4L2's own wait is 10 s and can only be shortened from outside
os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "2")

_SIZE = (1280, 720)
_OPEN_MS, _READ_MS = 1500, 1000
_FROZEN_S = 2.0
"""A real sensor never sends the same picture for so long: its noise differs from frame to frame."""
_BACK_OFF_S = (0.2, 2.0)


def open_capture(source: str) -> cv2.VideoCapture:
    """A fresh capture object for a device number, a device path or a URL; may be closed: ask `isOpened()`."""
    try:
        if "://" in source:
            # the time-outs count only when given at opening
            limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, _OPEN_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, _READ_MS]
            return cv2.VideoCapture(source, cv2.CAP_FFMPEG, limits)
        backend = cv2.CAP_V4L2 if os.path.exists("/sys/class") else cv2.CAP_ANY
        capture = cv2.VideoCapture(int(source) if source.isdigit() else source, backend)
        if capture.isOpened():
            capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
            capture.set(cv2.CAP_PROP_FRAME_WIDTH, _SIZE[0])
            capture.set(cv2.CAP_PROP_FRAME_HEIGHT, _SIZE[1])
        return capture
    except cv2.error:
        return cv2.VideoCapture()


class LiveCamera:
    """A supervised camera. The constructor returns at once; losing the device is a state, never an exception."""

    def __init__(self, source: str, epoch: Callable[[], int] = lambda: 0) -> None:
        self.name = source
        self._epoch = epoch
        self._newest = Newest(source)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"camera {source}", daemon=True)
        self._thread.start()

    def latest(self, after_index: int = -1, timeout_s: float = 1.0) -> Frame | None:
        """The newest frame whose index is above `after_index`, or None when none came within `timeout_s`."""
        return self._newest.latest(after_index, timeout_s)

    def status(self) -> CameraStatus:
        """How the camera is now."""
        return self._newest.status()

    def close(self) -> None:
        """Stop the thread and let the device go."""
        self._stop.set()
        self._newest.close()
        self._thread.join(timeout=4.0)

    def _run(self) -> None:
        wait_s = _BACK_OFF_S[0]
        while not self._stop.is_set():
            capture = open_capture(self.name)
            try:
                if capture.isOpened() and self._read_until_lost(capture):
                    wait_s = _BACK_OFF_S[0]
            finally:
                capture.release()
            if self._stop.is_set():
                return
            had = self._newest.any
            self._newest.state(
                "lost",
                f"The camera {self.name} {'is gone' if had else 'does not answer'}; check its cable. "
                "It is taken up again by itself.",
            )
            self._stop.wait(wait_s)
            wait_s = min(_BACK_OFF_S[1], wait_s * 2)

    def _read_until_lost(self, capture: cv2.VideoCapture) -> bool:
        """Publish frames until the device fails; whether any came."""
        came = False
        print_of_last: bytes | None = None
        same_since_s = time.monotonic()
        while not self._stop.is_set():
            epoch = self._epoch()
            try:
                ok, image = capture.read()
            except cv2.error:
                return came
            if not ok or image is None:
                return came  # the object never recovers after a failed read: a new one must be opened
            now_s = time.monotonic()
            came = True
            picture = np.asarray(image, np.uint8)
            print_now = fingerprint(picture)
            if print_now != print_of_last:
                print_of_last, same_since_s = print_now, now_s
            self._newest.publish(picture, now_s, epoch)
            if now_s - same_since_s > _FROZEN_S:
                self._newest.state(
                    "frozen",
                    f"The camera {self.name} sends the same picture again and again; unplug it and plug it in.",
                )
            else:
                self._newest.state("ok", "The camera works.")
        return came


def fingerprint(image: Image) -> bytes:
    """A sparse sample of the picture that a living sensor's noise never leaves the same."""
    return image[::24, ::24].tobytes()


def open_live(source: str, epoch: Callable[[], int] = lambda: 0, wait_s: float = 6.0) -> LiveCamera:
    """A live camera that has shown a first picture. Raises VisionError when there is none within `wait_s`."""
    device = f"/dev/video{source}" if source.isdigit() else source
    if "://" not in source and os.path.exists("/dev") and not Path(device).exists():
        raise VisionError(f"there is no camera {device}; plug it in, or give another number or device")
    camera = LiveCamera(source, epoch)
    deadline_s = time.monotonic() + wait_s
    while time.monotonic() < deadline_s:
        if camera.latest(-1, 0.1) is not None:
            return camera
        if camera.status().state == "lost":
            break
    camera.close()
    what = "stream" if "://" in source else "camera"
    raise VisionError(f"the {what} {source} sends no picture; check that it is on and that nothing else uses it")
