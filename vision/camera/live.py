"""A live camera, supervised for ever: whatever its source does, it is opened again and its state has a sentence.

One thread reads and keeps the newest frame only, for the libraries queue: after a pause of 3 s a reader would stay
3 s behind.
"""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from vision.camera.feed import Again, Feed, FeedError, Patience
from vision.camera.feeds import opener_of
from vision.camera.frame import CameraStatus, Frame, Image
from vision.camera.newest import Newest
from vision.camera.saying import Said
from vision.errors import VisionError

_log = logging.getLogger(__name__)


class LiveCamera:
    """A supervised camera. The constructor returns at once; losing the device is a state, never an exception."""

    def __init__(
        self,
        source: str,
        epoch: Callable[[], int] = lambda: 0,
        patience: Patience = Patience(),  # noqa: B008
        mains_hz: int = 50,
    ) -> None:
        self._opener = opener_of(source, mains_hz)
        self.name = self._opener.who["name"]
        self.controls = self._opener.controls
        self._epoch = epoch
        self._patience = patience
        self._newest = Newest(self._opener.who, patience.open_s)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"camera {self.name}", daemon=True)
        self._thread.start()

    def latest(self, after_index: int = -1, timeout_s: float = 1.0) -> Frame | None:
        """The newest frame whose index is above `after_index`, or None when none came within `timeout_s`."""
        return self._newest.latest(after_index, timeout_s)

    def status(self) -> CameraStatus:
        """How the camera is now."""
        return replace(self._newest.status(), lock=self.controls.held())

    def close(self) -> None:
        """Stop the thread and let the device go."""
        self._stop.set()
        self._newest.close()
        self._thread.join(timeout=2.0)  # one that is just calling a dead host ends by itself

    def _run(self) -> None:
        least_s, most_s = self._patience.back_off_s
        wait_s = least_s
        while not self._stop.is_set():
            lasted_s = 0.0
            try:
                lasted_s = self._once()
            except Again:
                continue
            except FeedError as error:
                self._newest.lost(error.said)
            except Exception as error:
                # a fault in a driver or a library must not end the only eye of a table that nobody watches
                _log.exception("the camera %s failed", self.name)
                self._newest.lost(Said("failed", {**self._opener.who, "reason": str(error)}))
            # one that comes and goes at once is not asked again ever more often
            wait_s = least_s if lasted_s > most_s else min(most_s, wait_s * 2)
            self._stop.wait(wait_s)

    def _once(self) -> float:
        """Open the source and publish its frames until it fails or the camera is closed; how long that went well."""
        feed = self._opener.open(self._patience)
        try:
            began_s = time.monotonic()
            try:
                self._follow(feed)
            except FeedError as error:
                self._newest.lost(error.said)
            return time.monotonic() - began_s
        finally:
            feed.close()

    def _follow(self, feed: Feed) -> None:
        sameness = Sameness()
        counted = 0
        while not self._stop.is_set():
            epoch = self._epoch()
            image = feed.read()
            if feed.damaged > counted:
                self._newest.damaged(feed.damaged - counted)
                counted = feed.damaged
            if image is None:
                continue
            now_s = time.monotonic()
            frozen = sameness.lasts_s(image, now_s) > feed.frozen_s
            self._newest.publish(image, now_s, epoch, frozen)


class Sameness:
    """For how long a camera has shown nothing but pictures that it had shown a moment ago, to the last bit.

    A living sensor's noise never leaves a picture the same, however still the scene. A driver that hangs repeats one
    picture, or the few in its buffers in turn.
    """

    _REMEMBERED = 8

    def __init__(self) -> None:
        self._prints: deque[bytes] = deque(maxlen=self._REMEMBERED)
        self._new_s: float | None = None  # when a picture was last a new one

    def lasts_s(self, image: Image, now_s: float) -> float:
        """Take the next picture (h, w, 3); how long there was none that differed."""
        print_now = fingerprint(image)
        if print_now is None or print_now not in self._prints or self._new_s is None:
            self._new_s = now_s
            if print_now is not None:
                self._prints.append(print_now)
        return now_s - self._new_s


def fingerprint(image: Image) -> bytes | None:
    """A digest of a picture: one point of each 8 x 8, so that every block of a JPEG counts.

    None where the light is beyond the sensor's range: a covered lens gives the same black again and again.
    """
    sample = np.ascontiguousarray(image[4::8, 4::8])
    if np.all((sample == 0) | (sample == 255)):
        return None
    return hashlib.blake2b(sample.data, digest_size=16).digest()


def open_live(
    source: str,
    epoch: Callable[[], int] = lambda: 0,
    wait_s: float = 8.0,
    patience: Patience = Patience(),  # noqa: B008
    mains_hz: int = 50,
) -> LiveCamera:
    """A live camera that has shown a first picture. Raises VisionError with the reason when there is none in time."""
    camera = LiveCamera(source, epoch, patience, mains_hz)
    deadline_s = time.monotonic() + wait_s
    while time.monotonic() < deadline_s:
        if camera.latest(-1, 0.1) is not None:
            return camera
        if camera.status().state == "lost":
            break
    said = camera.status().sentence.removesuffix(Said("again").sentence).rstrip(" .")
    camera.close()
    raise VisionError(said[:1].lower() + said[1:])
