"""Does with a camera's controls what was asked, one after the other, however long the camera takes over it.

A camera on a bad cable takes seconds to answer, and one whose driver hangs never does: the game goes on meanwhile, and
what is asked then waits for it, in order, instead of taking another thread each time.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from controller.steadiness import Act
from vision.camera.controls import Controls

_log = logging.getLogger(__name__)


class Holding:
    """At most one thread, which lives as long as there is something to do. Any thread may ask."""

    def __init__(self, controls: Callable[[], Controls]) -> None:
        self._controls = controls
        self._guard = threading.Lock()
        self._asked: list[Act] = []
        self._busy = False

    def ask(self, act: Act) -> None:
        """Hold the automatics or let them go, as soon as what was begun before is done."""
        with self._guard:
            # letting go undoes whatever has not been begun; so no more than a release and a lock ever wait
            self._asked = [act] if act == "release" else [waiting for waiting in self._asked if waiting != act] + [act]
            if self._busy:
                return
            self._busy = True
        threading.Thread(target=self._work, name="camera settings", daemon=True).start()

    def _work(self) -> None:
        while (act := self._next()) is not None:
            controls = self._controls()
            try:
                (controls.lock if act == "lock" else controls.release)()
            except Exception:  # a fault of ours must not keep the next from being done
                _log.exception("the camera's settings could not be changed")

    def _next(self) -> Act | None:
        with self._guard:
            self._busy = bool(self._asked)
            return self._asked.pop(0) if self._asked else None
