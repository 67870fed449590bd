"""The one place between a camera's thread and its readers: the newest frame and the camera's state."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping

from vision.camera.frame import CameraStatus, Frame, Image, State
from vision.camera.saying import Said

_STALE_S = 1.5
"""Age of the newest frame at which a camera counts as lost."""


class Newest:
    """Holds the newest frame only; readers wait for one they have not had."""

    def __init__(self, who: Mapping[str, str], open_s: float = 3.0) -> None:
        self._who = dict(who)
        self._changed = threading.Condition()
        self._frame: Frame | None = None
        self._first_s = self._newest_s = 0.0
        self._closed = False
        self._open_s = open_s
        self._damaged = self._lost = 0
        self._state: State = "starting"
        self._said = Said("opening", self._who)
        self._since_s = time.monotonic()

    def publish(self, image: Image, now_s: float, epoch: int, frozen: bool = False) -> None:
        """A new picture, taken at `now_s` (monotonic)."""
        with self._changed:
            if self._frame is None:
                self._first_s = now_s
            index = 0 if self._frame is None else self._frame.index + 1
            self._frame = Frame(image, now_s - self._first_s, index, epoch)
            self._newest_s = now_s
            if frozen:
                self._become("frozen", Said("frozen", self._who))
            else:
                self._become("ok", Said("ok"))
            self._changed.notify_all()

    def lost(self, said: Said) -> None:
        """The camera is gone, as this says."""
        with self._changed:
            self._lost += self._state != "lost"
            self._become("lost", said)
            self._changed.notify_all()

    def damaged(self, count: int) -> None:
        """So many more pictures were left out."""
        with self._changed:
            self._damaged += count

    def latest(self, after_index: int, timeout_s: float) -> Frame | None:
        """The newest frame whose index is above `after_index`, or None when none came within `timeout_s`."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._newer(after_index), timeout_s)
            return self._frame if self._newer(after_index) else None

    def status(self) -> CameraStatus:
        """The state; *lost* too when the newest frame has grown old, or opening takes for ever."""
        with self._changed:
            state, said, since_s = self._state, self._said, self._since_s
            age_s = time.monotonic() - self._newest_s
            if state in ("ok", "frozen") and age_s > _STALE_S:
                state, since_s = "lost", self._newest_s
                said = Said("stale", {**self._who, "seconds": f"{age_s:.0f}"})
            elif state == "starting" and time.monotonic() - since_s > 2 * self._open_s:
                state, said = "lost", Said("slow", self._who)
            sentence = said.sentence + (f" {Said('again').sentence}" if state == "lost" else "")
            return CameraStatus(state, sentence, since_s, self._damaged, self._lost, said=said)

    def close(self) -> None:
        """Wake every reader; there will be no more frames."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _become(self, state: State, said: Said) -> None:
        if state != self._state:
            # without frames it was lost from the last one on, not from when that was found out
            stale = state == "lost" and self._frame is not None
            self._since_s = self._newest_s if stale else time.monotonic()
        self._state, self._said = state, said

    def _newer(self, after_index: int) -> bool:
        return self._frame is not None and self._frame.index > after_index
