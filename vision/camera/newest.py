"""The one place between a camera's thread and its readers: the newest frame and the camera's state."""

from __future__ import annotations

import threading
import time

from vision.camera.frame import CameraStatus, Frame, Image, State

_STALE_S = 1.5
"""Age of the newest frame at which a camera counts as lost."""


class Newest:
    """Holds the newest frame only; readers wait for one they have not had."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._changed = threading.Condition()
        self._frame: Frame | None = None
        self._first_s = self._newest_s = 0.0
        self._closed = False
        self._status = CameraStatus("starting", f"Opening the camera {name}.", time.monotonic())

    @property
    def any(self) -> bool:
        """Whether there ever was a frame."""
        return self._frame is not None

    def publish(self, image: Image, now_s: float, epoch: int) -> None:
        """A new picture, taken at `now_s` (monotonic)."""
        with self._changed:
            if self._frame is None:
                self._first_s = now_s
            index = 0 if self._frame is None else self._frame.index + 1
            self._frame = Frame(image, now_s - self._first_s, index, epoch)
            self._newest_s = now_s
            self._changed.notify_all()

    def state(self, state: State, sentence: str) -> None:
        """The camera is in this state from now on."""
        with self._changed:
            if (state, sentence) != (self._status.state, self._status.sentence):
                since_s = self._status.since_s if state == self._status.state else time.monotonic()
                self._status = CameraStatus(state, sentence, since_s)
                self._changed.notify_all()

    def latest(self, after_index: int, timeout_s: float) -> Frame | None:
        """The newest frame whose index is above `after_index`, or None when none came within `timeout_s`."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._newer(after_index), timeout_s)
            return self._frame if self._newer(after_index) else None

    def status(self) -> CameraStatus:
        """The state, or *lost* when the newest frame has grown old."""
        with self._changed:
            status, newest_s = self._status, self._newest_s
        age_s = time.monotonic() - newest_s
        if status.state in ("ok", "frozen") and age_s > _STALE_S:
            return CameraStatus("lost", f"The camera {self.name} has sent no picture for {age_s:.0f} s.", newest_s)
        return status

    def close(self) -> None:
        """Wake every reader; there will be no more frames."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _newer(self, after_index: int) -> bool:
        return self._frame is not None and self._frame.index > after_index
