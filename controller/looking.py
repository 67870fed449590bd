"""From a live camera to the referee's inputs: frames while there are any, otherwise time, or that nothing is seen."""

from __future__ import annotations

from controller.referee.events import Input, Tick
from vision.camera.frame import Camera, Frame
from vision.sighting import Sighting


class Looking:
    """The frames of one live camera. `t_s`: camera time of the newest input."""

    def __init__(self, camera: Camera) -> None:
        self.t_s = 0.0
        self._camera = camera
        self._index = -1

    def next(self, wait_s: float) -> Frame | Input:
        """The newest frame not had before; without one within `wait_s`, or from a frozen camera, what to say of it."""
        frame = self._camera.latest(self._index, wait_s)
        state = self._camera.status().state
        if frame is None:
            self.t_s += wait_s
            return Sighting(self.t_s, -1, trouble=state) if state in ("lost", "frozen") else Tick(self.t_s)
        self._index = frame.index
        self.t_s = frame.t_s
        if state == "frozen":  # what it shows need not be what stands there
            return Sighting(self.t_s, frame.index, trouble=state)
        return frame
