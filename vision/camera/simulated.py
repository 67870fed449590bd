"""A camera over the pretend table, with the interface of a live one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from vision.camera import saying
from vision.camera.controls import NoControls, Why
from vision.camera.frame import CameraStatus, Frame, Image
from vision.camera.newest import Newest
from vision.camera.painter import Painter
from vision.camera.saying import Said
from vision.camera.shine import Spot, shine
from vision.camera.world import Snapshot, World


class SimulatedCamera:
    """Shows a World at `fps`. Its thread starts with the first `latest`; `render` paints one picture without it.

    `glow`: the LEDs that shine on the table at this moment.
    """

    def __init__(
        self,
        world: World,
        fps: float = 12.0,
        seed: int = 1,
        epoch: Callable[[], int] = lambda: 0,
        glow: Callable[[], Sequence[Spot]] = tuple,
    ) -> None:
        self.name, self.fps = "simulated", fps
        self.controls = NoControls(Why("pretend"))
        self._world, self._step_s, self._epoch = world, 1 / fps, epoch
        self._glow = glow
        self._painter = Painter(world.board_set, seed)
        self._painting = threading.Lock()
        self._newest = Newest(saying.device("simulated"))
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="simulated camera", daemon=True)
        self._starting = threading.Lock()

    def render(self) -> Image:
        """The world as the camera sees it now, BGR (height, width, 3)."""
        with self._painting:
            return self._paint(self._world.snapshot())

    def _paint(self, now: Snapshot) -> Image:
        return shine(self._painter.paint(now), self._painter.optics, self._glow(), now.lamp.gain)

    def latest(self, after_index: int = -1, timeout_s: float = 1.0) -> Frame | None:
        """The newest frame whose index is above `after_index`, or None when none came within `timeout_s`."""
        with self._starting:
            if not self._thread.is_alive() and not self._stop.is_set():
                self._thread.start()
        return self._newest.latest(after_index, timeout_s)

    def status(self) -> CameraStatus:
        """How the camera is now."""
        return replace(self._newest.status(), lock=self.controls.held())

    def close(self) -> None:
        """Stop the thread."""
        self._stop.set()
        self._newest.close()
        if self._thread.is_alive():
            self._thread.join(timeout=4.0)

    def _run(self) -> None:
        due_s = time.monotonic()
        last: Image | None = None
        while not self._stop.is_set():
            epoch, now_s = self._epoch(), time.monotonic()
            now = self._world.snapshot()
            if now.lost:
                self._newest.lost(Said("gone", saying.device("simulated")))
            else:
                if last is None or not now.frozen:
                    with self._painting:
                        last = self._paint(now)
                self._newest.publish(last, now_s, epoch, now.frozen)
            due_s = max(due_s + self._step_s, time.monotonic() - self._step_s)
            self._stop.wait(max(0.0, due_s - time.monotonic()))
