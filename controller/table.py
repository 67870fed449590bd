"""One running table: camera, eye, referee, journal and lights wired together, one frame at a time.

Order within a frame: vision, referee, journal commit, and only then the View is shown. Nothing here may end the game:
a lost camera, a pulled cable or a full card becomes a sentence in the Snapshot, and the table goes on.
"""

from __future__ import annotations

import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from controller.correction import corrected_at
from controller.counting import Counts
from controller.holding import Holding
from controller.journal.errors import JournalError
from controller.journal.store import Journal
from controller.lighting import link_json
from controller.looking import Looking
from controller.preview import Preview
from controller.recording import Recorder
from controller.referee import reducer
from controller.referee.events import Button, Command, Event, Input, Press, Tick
from controller.referee.signals import corner_sites, signals
from controller.referee.view import View
from controller.referee.withholding import withheld
from controller.sightings.ring import SightingLog
from controller.steadiness import Steadiness
from controller.supervision import Supervision
from controller.telling import journal_row
from controller.trial import Trial
from controller.watcher import Watcher
from firmware_bridge.linkstate import LinkStatus
from firmware_bridge.scene import Scene
from vision.boardset import BoardSet
from vision.camera.frame import Camera, Frame
from vision.camera.world import World
from vision.glow import Area
from vision.sighting import Sighting

_log = logging.getLogger(__name__)

TICK_S = 0.25
FRESH_S = 2.0
"""A table whose newest judged picture is older does not referee now."""
REREAD_S = 1.0
"""How often the record of a game that is over is looked at: it may have been corrected, on a page or a command line."""


class Lights(Protocol):
    """What the table needs of the lights: show a Scene of the set that lies there, and how the link is doing."""

    def follow(self, board: BoardSet) -> None: ...
    def show(self, scene: Scene) -> int: ...
    def glow(self, epoch: int) -> Sequence[Area]: ...
    def player_at(self, button: int) -> str | None: ...
    def status(self) -> LinkStatus: ...
    def close(self) -> None: ...


@dataclass(frozen=True)
class Snapshot:
    """All that a page may know at one moment. `age_s`: since the newest judged frame (inf before the first).

    `fault`: why there is no table yet (code, facts, since). `preview`: the operator sees the camera's picture.
    `set`, and the view's game and players: none while it isn't known which of several boards lies there.
    """

    rev: int
    age_s: float
    view: View
    scene: Scene
    lights: Mapping[str, Any] = field(default_factory=dict)
    camera: Mapping[str, Any] = field(default_factory=dict)
    link: Mapping[str, Any] = field(default_factory=dict)
    set: BoardSet | None = None
    journal: Mapping[str, Any] = field(default_factory=dict)
    fault: Mapping[str, Any] | None = None
    preview: bool = False


class Table:
    """A table with its own thread. `shown`: what the lights device really shows, as the page draws it.

    `log`: what its referee was given in the last ten minutes.
    """

    def __init__(
        self,
        watcher: Watcher,
        camera: Camera,
        *,
        lights: Lights | None = None,
        journal: Journal | None = None,
        shown: Callable[[], Mapping[str, Any]] | None = None,
        world: World | None = None,
        journal_warning: str | None = None,
        reopen: Callable[[], Journal] | None = None,
    ) -> None:
        self.world = world
        self._watcher = watcher
        self._camera = camera
        self._lights = lights
        self.counts = Counts()
        self._recorder = Recorder(journal, journal_warning, reopen, committed=self.counts.committed)
        self._shown = shown or (lambda: {"connected": False})
        self._inputs: queue.SimpleQueue[tuple[Input, Future[tuple[Event, ...]] | None]] = queue.SimpleQueue()
        self._trial: Trial | None = None
        self._reread_s = 0.0
        self._corrected = self._corrected_at()
        self.preview = Preview()
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._rev = 0
        self._judged_at: float | None = None
        self._turned_at = time.monotonic()
        self._looking = Looking(camera)
        self._steadiness = Steadiness()
        self._holding = Holding(lambda: camera.controls)
        self._supervision = Supervision(watcher.sets.values())
        self.log = watcher.log = SightingLog()
        step = watcher.take(Tick(0.0))
        self._written = step.view
        self._view = self._as_known(step.view)
        self._record(step.events)
        self._corners: tuple[str, tuple[str, ...]] = ("", ())
        self._lit = watcher.board.name
        self._scene = signals(step.view, self._corner_sites())
        self._thread = threading.Thread(target=self._run, name="table", daemon=True)

    def start(self) -> None:
        """Start refereeing."""
        self._thread.start()

    def stop(self) -> None:
        """End the table within a few seconds; the journal is closed last."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=4)
        self._camera.close()
        if self._lights is not None:
            self._lights.close()
        self._recorder.close()

    def snapshot(self) -> Snapshot:
        """What is true now."""
        with self._changed:
            rev, view, scene, judged_at = self._rev, self._view, self._scene, self._judged_at
        status = self._camera.status()
        link = self._lights.status() if self._lights is not None else None
        return Snapshot(
            rev=rev,
            age_s=float("inf") if judged_at is None else time.monotonic() - judged_at,
            view=view,
            scene=scene,
            lights=self._shown(),
            camera=self._supervision.told(status),
            link=link_json(link) if link else {"state": "off", "sentence": ""},
            set=self._watcher.board if view.game is not None else None,
            journal=self._recorder.state,
            preview=self.preview.left_s > 0,
        )

    @property
    def journal(self) -> Journal | None:
        """The open journal; None where none can be had."""
        return self._recorder.journal

    def jot(self, row: Mapping[str, Any]) -> None:
        """Put a row into the journal that the referee has no part in."""
        self._recorder.write([row])

    def wait(self, rev: int, timeout_s: float) -> Snapshot:
        """Block until something newer than `rev` is true, or the time is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._rev != rev, timeout=timeout_s)
        return self.snapshot()

    def send(self, given: Input) -> None:
        """Put a player's press or an operator's command into the referee's queue; its time becomes the table's."""
        self._inputs.put((given, None))

    def order(self, given: Command, timeout_s: float = 5.0) -> tuple[Event, ...] | None:
        """Give an operator's command and wait for what comes of it; None where the table doesn't get round to it."""
        answer: Future[tuple[Event, ...]] = Future()
        self._inputs.put((given, answer))
        try:
            return answer.result(timeout_s)
        except Exception:  # said in the log
            return None

    def button(self, button: int, action: int) -> None:
        """A button of the lights device, 0 and 1 the two players'. Short (action 0): "done"; long (1): the operator.

        A second long press says that nobody is needed any more.
        """
        players = self._watcher.game.players
        if not 0 <= button < len(players):
            return
        seated = self._lights.player_at(button) if self._lights is not None else None
        player = seated if seated in players else players[button]
        if action == 0:
            self.send(Press(self._looking.t_s, player))
        elif action == 1:
            with self._changed:
                called = self._view.operator
            word: Button = "dismiss_operator" if called else "call_operator"
            self.send(Press(self._looking.t_s, player, word))

    def ready(self) -> bool:
        """Whether the table can referee now: frames are fresh and the sheet is seen."""
        with self._changed:
            fresh = self._judged_at is not None and time.monotonic() - self._judged_at < FRESH_S
            return fresh and self._view.phase != "searching" and self._view.trouble is None

    def idle_s(self) -> float:
        """Seconds since the table's loop last came round, with or without a picture: a large number means it hangs.

        Or that each round fails: a fresh start, from the journal, is what may help then.
        """
        return time.monotonic() - self._turned_at

    def status(self) -> str:
        """In a few words, for the supervisor: the game, or what is missing."""
        with self._changed:
            view = self._view
        camera = self._camera.status()
        if camera.state != "ok":
            return camera.sentence
        if view.phase == "searching" or view.trouble is not None:
            return f"Looking for the board ({view.trouble or 'no_board'})."
        return f"{(view.game or 'game').capitalize()}, game {view.game_no}: {view.to_move or 'nobody'} to move."

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._turn()
                self._turned_at = time.monotonic()
            except Exception:
                # A fault in one frame must not end a table that nobody watches: say it, and look at the next frame.
                _log.exception("a frame could not be judged")
                self._stop.wait(0.5)

    def _turn(self) -> None:
        while not self._inputs.empty():
            given, answer = self._inputs.get()
            if isinstance(given, Press | Command):
                given = replace(given, t_s=self._looking.t_s)
            try:
                step = self._watcher.take(given)
                self._try_lights(step.events)
                self._publish(step, judged=False)
            except Exception as error:
                if answer is not None:
                    answer.set_exception(error)
                raise
            if answer is not None:
                answer.set_result(step.events)
        self._take_up()
        self._reread()
        seen = self._looking.next(TICK_S)
        if not isinstance(seen, Frame):
            step = self._watcher.take(seen)
            self.counts.blind(step.view.trouble, time.monotonic())
            self._publish(step, judged=False)
            return
        began_s = time.monotonic()
        sighting, step = self._watcher.see(seen, self._lights.glow(seen.epoch) if self._lights else ())
        now_s = time.monotonic()
        self.counts.frame(now_s - began_s, step.view.trouble, now_s)
        if self._lights is not None and self._watcher.board.name != self._lit:
            self._lights.follow(self._watcher.board)
            self._lit = self._watcher.board.name
        self._supervision.saw(step.view.trouble, self._watcher.stranger, time.monotonic())
        self._publish(step, judged=True)
        if self.preview.wants(step.view):
            self.preview.take(seen.image, self._watcher.eye.registration, sighting, step.view)
        self._steady(sighting)

    def _take_up(self) -> None:
        """The journal could not be opened when the table was started, and can be now: go on with its last game.

        Not where another one has begun meanwhile: that is the next game of the record.
        """
        rows = self._recorder.found()
        if rows and not self._watcher.state.lines:
            warning = self._watcher.read_again(rows)
            if warning is not None:
                self._recorder.not_taken_up(warning)
            else:
                self._show_record()

    def _reread(self) -> None:
        """Show a finished game as it stands in the record, if that was corrected since it was played."""
        now_s = time.monotonic()
        if self._view.phase != "over" or self._recorder.waits or now_s - self._reread_s < REREAD_S:
            return
        self._reread_s = now_s
        found, journal = self._corrected_at(), self._recorder.journal
        if journal is None or found == self._corrected:
            return
        self._corrected = found
        if found[1]:
            with suppress(JournalError, sqlite3.Error):  # said where it is written
                self._watcher.read_again(journal.events(found[0]))
                self._show_record()

    def _show_record(self) -> None:
        """Show what was read again: all of it is in the record."""
        step = self._watcher.take(Tick(self._looking.t_s))
        self._written = step.view
        self._publish(step, judged=False)

    def _corrected_at(self) -> tuple[int, int]:
        """The number of the game on the table, and the row that corrected it last."""
        journal = self._recorder.journal
        number = journal.number_of(self._watcher.state.game_no) if journal is not None else None
        with suppress(sqlite3.Error):
            if journal is not None and number is not None:
                return number, corrected_at(journal, number)
        return 0, 0

    def _try_lights(self, events: tuple[Event, ...]) -> None:
        """An operator wants to see lights: for some seconds they show that, unless the game has news."""
        for event in events:
            if event.event == "ruling" and event.data["what"] == "lights":
                self._trial = Trial(str(event.data["show"]), self._watcher.board, self._scene)

    def _steady(self, sighting: Sighting) -> None:
        """Hold the camera's automatics, or let them go."""
        act = self._steadiness.after(sighting)
        if act is not None:
            self._holding.ask(act)

    def _corner_sites(self) -> tuple[str, ...]:
        """The sites at the corners of the set that lies there, under the game's names."""
        board = self._watcher.board
        if self._corners[0] != board.name:
            centres = {board.names.get(site.id, site.id): board.centre(site) for site in board.sites}
            self._corners = (board.name, corner_sites(centres))
        return self._corners[1]

    def _publish(self, step: reducer.Step, *, judged: bool) -> None:
        self._record(step.events)  # committed before anything is shown
        if not self._recorder.waits:
            self._written = step.view
        view = withheld(step.view, self._written) if self._recorder.waits else step.view
        scene = signals(view, self._corner_sites())
        view = self._as_known(view)
        with self._changed:
            if judged:
                self._judged_at = time.monotonic()
            if replace(view, t_s=self._view.t_s) != self._view or scene != self._scene or step.events:
                self._rev += 1
            self._view, self._scene = view, scene
            self._changed.notify_all()
        if self._lights is not None:
            tried = self._trial.scene(scene) if self._trial is not None else None
            self._trial = self._trial if tried is not None else None
            self._lights.show(tried or scene)

    def _as_known(self, view: View) -> View:
        """The view without the game that is only assumed: nobody has laid its board there."""
        if self._watcher.recognised:
            return view
        return replace(view, game=None, set_name=None, players=("", ""), options={})

    def _record(self, events: tuple[Event, ...]) -> None:
        if events:
            game, board = self._watcher.game.name, self._watcher.board.name
            self._recorder.write([journal_row(event, game, board) for event in events])
            self.counts.happened(event.event for event in events if not event.internal)
