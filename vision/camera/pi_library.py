"""The Pi camera through picamera2, where that can be imported (a virtual environment that sees the system's)."""

from __future__ import annotations

import importlib
import logging
import threading
from typing import Any

import numpy as np

from vision.camera import saying
from vision.camera.feed import STEP_S, FeedError, Patience
from vision.camera.frame import Image
from vision.camera.pi_settings import FPS, SIZE, PiControls, PiSettings

_log = logging.getLogger(__name__)


class PiLibrary:
    """Opens the Pi camera with this number through picamera2."""

    def __init__(self, number: int, mains_hz: int) -> None:
        self.who = saying.pi(number)
        self.number = number
        self.controls = PiControls(mains_hz)

    def open(self, patience: Patience) -> LibraryFeed:
        """Start the camera."""
        try:
            library = importlib.import_module("picamera2")
        except ImportError as error:
            raise FeedError("no_library", **self.who, reason=str(error)) from None
        return LibraryFeed(library, self, patience)


class LibraryFeed:
    """One run of the camera. Pictures arrive on the library's thread and only the newest is kept."""

    frozen_s = 2.0

    def __init__(self, library: Any, opener: PiLibrary, patience: Patience) -> None:
        self.damaged = 0
        self._opener = opener
        self._arrived = threading.Condition()
        self._newest: Image | None = None
        self._patience_s = 5 * patience.open_s
        self._picture_s = patience.picture_s
        self._waited_s = 0.0
        self._applied: PiSettings | None = None
        try:
            self._camera = library.Picamera2(opener.number)
        except (RuntimeError, IndexError, OSError) as error:
            raise FeedError("pi_not_opened", **opener.who, reason=str(error)) from None
        try:
            step_us = round(1e6 / FPS)
            controls: dict[str, Any] = {"FrameDurationLimits": (step_us, step_us)}  # the dark must not slow it down
            if "AeFlickerPeriod" in self._camera.camera_controls:
                controls |= {"AeFlickerMode": 1, "AeFlickerPeriod": opener.controls.flicker_us}
            else:
                opener.controls.mains_set = False
            # its RGB888 is blue, green, red in memory, as OpenCV has it
            main = {"size": SIZE, "format": "RGB888"}
            self._camera.configure(self._camera.create_video_configuration(main=main, controls=controls))
            self._camera.post_callback = self._take
            self._camera.start()
        except Exception as error:
            self._camera.close()
            raise FeedError("pi_not_started", **opener.who, reason=str(error)) from None

    def read(self) -> Image | None:
        """The newest picture; None when none came for a moment."""
        self._adjust()
        with self._arrived:
            if self._newest is None:
                self._arrived.wait(STEP_S)
            picture, self._newest = self._newest, None
        if picture is not None:
            self._waited_s, self._patience_s = 0.0, self._picture_s
            return picture
        self._waited_s += STEP_S
        if self._waited_s > self._patience_s:
            raise FeedError("silent", **self._opener.who)
        return None

    def close(self) -> None:
        """Let the camera go."""
        try:
            self._camera.stop()
        finally:
            self._camera.close()

    def _adjust(self) -> None:
        wanted = self._opener.controls.wanted
        if wanted is not self._applied:
            freed: dict[str, Any] = {"AeEnable": True, "AwbEnable": True}
            if self._applied is not None and self._applied.lens is not None:
                freed["AfMode"] = 2
            self._camera.set_controls(wanted.controls() if wanted is not None else freed)
            self._applied = wanted

    def _take(self, request: Any) -> None:
        try:
            picture = np.asarray(request.make_array("main"), np.uint8)
            self._opener.controls.told(request.get_metadata(), self._applied)
        except Exception:
            _log.exception("a picture could not be taken over")
            self.damaged += 1
            return
        with self._arrived:
            self._newest = picture
            self._arrived.notify()
