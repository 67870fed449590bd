"""What stands in for a table that can't start: its page answers, says why, and the lights call the operator."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from controller.config import TableConfig
from controller.errors import Fault, StartError
from controller.lighting import TableLights, link_json, map_source
from controller.referee.events import Command, Event, Press
from controller.referee.signals import corner_sites, signals
from controller.referee.view import View
from controller.rules.registry import game_named
from controller.table import Snapshot
from controller.wallclock import WallClock
from controller.watcher import chosen_sets
from controller.words import fault_sentence
from firmware_bridge.errors import LightsError
from firmware_bridge.lightmap import LightMap
from firmware_bridge.link import Link
from vision.boardset import BoardSet, installed_sets
from vision.errors import VisionError

_log = logging.getLogger(__name__)


class StandIn:
    """A table that does nothing but say why there is none. `settings`: what can be read of them, for the lights."""

    world = None

    def __init__(self, error: StartError, settings: TableConfig) -> None:
        self._fault, self._since_s, self._rev = error.fault, time.monotonic(), 0
        self._clock = WallClock()
        self._changed = threading.Condition()
        board = _board(settings)
        game = game_named(board.game)
        self._view = View(t_s=0.0, phase="setup", players=game.players, operator=True)
        corners = corner_sites({site.id: board.centre(site) for site in board.sites})
        self._scene = signals(self._view, corners)
        self._lights = _lights(settings, board)
        if self._lights is not None:
            self._lights.show(self._scene)

    def tell(self, error: StartError) -> None:
        """Something else is wrong now."""
        with self._changed:
            if error.fault != self._fault:
                self._fault, self._since_s = error.fault, time.monotonic()
                self._rev += 1
                self._changed.notify_all()

    @property
    def fault(self) -> Fault:
        """Why there is no table."""
        return self._fault

    def snapshot(self) -> Snapshot:
        """What is true now: nothing is seen, and why."""
        with self._changed:
            rev, fault, since_s = self._rev, self._fault, self._since_s
        return Snapshot(
            rev=rev,
            age_s=float("inf"),
            view=self._view,
            scene=self._scene,
            lights=self._lights.shown() if self._lights else {"connected": False},
            camera={"state": "starting", "sentence": ""},
            link=link_json(self._lights.status()) if self._lights else {"state": "off", "sentence": ""},
            journal={"state": "ok", "sentence": ""},
            fault={"code": fault.code, "facts": dict(fault.facts), "since": self._clock.at(since_s)},
        )

    def wait(self, rev: int, timeout_s: float) -> Snapshot:
        """Block until something else is wrong, or the time is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._rev != rev, timeout=timeout_s)
        return self.snapshot()

    def send(self, given: Press | Command) -> None:
        """Nobody is there to hear it."""

    def order(self, given: Command, timeout_s: float = 5.0) -> tuple[Event, ...] | None:
        """Nor to do it."""
        return None

    def ready(self) -> bool:
        """Not before it is mended."""
        return False

    def idle_s(self) -> float:
        """Waiting for a person is no hanging."""
        return 0.0

    def status(self) -> str:
        """For the supervisor."""
        return fault_sentence(self._fault.code, self._fault.facts)

    def start(self) -> None:
        """There is nothing to start."""

    def stop(self) -> None:
        """Let go of the lights."""
        if self._lights is not None:
            self._lights.close()


def _board(settings: TableConfig) -> BoardSet:
    """The set whose lights are meant, as far as that can be told."""
    try:
        return chosen_sets(settings.game, settings.set)[0]
    except Exception:  # a set of one's own that is not in order: any other has the same bars and the same lamp
        return next(iter(installed_sets().values()))


def _lights(settings: TableConfig, board: BoardSet) -> TableLights | None:
    """The lights, where they are named and can be spoken to."""
    if settings.lights in (None, "none"):
        return None
    map_of: Callable[[BoardSet], LightMap] = map_source(None)
    try:
        if settings.light_map is not None:
            map_of = map_source(settings.light_map)
        lightmap = map_of(board)
    except (LightsError, VisionError):
        map_of = map_source(None)
        lightmap = map_of(board)
    try:
        link = Link(settings.lights, lightmap)
    except LightsError as error:
        _log.warning("the lights can't call the operator (%s)", error)
        return None
    return TableLights(link, lightmap, map_of, board=board, calm_only=settings.calm_lights)
