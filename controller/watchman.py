"""Looks after a running table from outside: tells the log once when something goes wrong and when it is well again."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from controller.canary import Canary, visit
from controller.health import LEVELS, Check, TableState, live_checks, storage_check, table_checks
from controller.wallclock import WallClock
from controller.web.ports import TableLike

_log = logging.getLogger(__name__)

EVERY_S = 10.0
START_EVERY_S = 1.0
"""While camera and lights are looked for at the start, what becomes of them is told soon."""
VISIT_S = 3600.0
LOOKED_FOR = ("camera", "lights")
ONCE = ("power", "heat")
"""Told once for each level until the machine is started again."""
_LOUD = {"ok": logging.INFO, "warning": logging.WARNING, "problem": logging.ERROR}


class Watchman:
    """`checks`: the machine's, as they were at the last round. `folder`: that of the records.

    Until `every_s` after the start, camera and lights that are still looked for are nothing to warn of.
    """

    def __init__(self, table: TableLike, folder: Path, every_s: float = EVERY_S) -> None:
        self._table, self._folder, self._every_s = table, folder, every_s
        self._levels: dict[str, str] = {}
        self._machine: tuple[tuple[Check, float], ...] = ()  # and since when (monotonic) each has its level
        self._clock = WallClock()
        self._canary = Canary("kept")
        self._visited_s = float("-inf")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watchman", daemon=True)

    def start(self) -> None:
        """Begin the rounds, with one at once."""
        self._thread.start()

    def stop(self) -> None:
        """End them."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=3.0)

    def checks(self) -> tuple[Check, ...]:
        """The machine's checks, with since when each level holds."""
        return tuple(replace(check, since=self._clock.at(since_s)) for check, since_s in self._machine)

    def _run(self) -> None:
        began_s = time.monotonic()
        while True:
            starting = time.monotonic() - began_s < self._every_s
            try:
                self.round(starting=starting)
            except Exception:  # a fault in looking must not end the looking
                _log.exception("the checks could not be made")
            if self._stop.wait(START_EVERY_S if starting else self._every_s):
                return

    def round(self, *, starting: bool = False) -> None:
        """Look at everything once. `starting`: of what is still looked for only problems are told."""
        now_s = time.monotonic()
        if now_s - self._visited_s >= VISIT_S:
            self._canary, self._visited_s = visit(self._folder, self._folder / "boardref.db"), now_s
        found = (*live_checks(self._folder), storage_check(self._canary))
        before = {(check.name, check.level): since_s for check, since_s in self._machine}
        self._machine = tuple((check, before.get((check.name, check.level), now_s)) for check in found)
        state: TableState = self._table.snapshot()
        told = (*table_checks(state), *found)
        self._tell(check for check in told if not (starting and check.name in LOOKED_FOR and check.level == "warning"))

    def _tell(self, checks: Iterable[Check]) -> None:
        """Edges only: what stays as it is has been said."""
        for check in checks:
            before = self._levels.get(check.name, "ok")
            if check.name in ONCE and LEVELS.index(before) >= LEVELS.index(check.level):
                continue  # it will come and go, and nobody can do anything about it during a game
            if before != check.level:
                _log.log(_LOUD[check.level], "%s: %s", check.name, check.said.rstrip("."))
            self._levels[check.name] = check.level
