"""Kill -9 at random moments of a running game: a script, for the suite (a few kills) and by hand (200).

The world goes on through power cuts, so it lives in this process: the sloppy players, their board, and a referee on
paper that says what the table must show. The table itself (`controller.table.Table` with its own thread, its journal
on the disk, lights that only report) runs in a child, forked from here so that a start costs milliseconds; all that is
pretended is the pictures: a Frame holds a Sighting. After each kill:

- the journal opens, undamaged; its rows are exactly those of all that was shown, once each, in order, and at most one
  more step that was committed when the power went, whole;
- every turn that was shown is in the fold, and the record follows by the rules;
- the table comes back with the same lines, and checks the board: what stood there is known again without a question,
  and what was moved without power is never believed, nor accused.

    python tests/power/kills.py --kills 200 [--game transet] [--seed N]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

from controller.journal.fold import fold
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.recording import open_recording
from controller.referee.events import Input, Press, Tick
from controller.referee.playclock import ClockRules
from controller.referee.reducer import State, Step, reduce
from controller.referee.view import View
from controller.rules.api import Game
from controller.rules.registry import game_named
from controller.sloppy import Report
from controller.sloppy.evening import evening
from controller.sloppy.games import manners_at
from controller.sloppy.sitting import Sitting, Wrong
from controller.table import Table
from controller.telling import journal_row
from controller.watcher import Watcher, chosen_sets
from vision.camera.controls import NoControls, Why
from vision.camera.frame import CameraStatus, Frame
from vision.sighting import Sighting

BUSY_SHARE = 0.5  # kills aimed at the moment in which something is written; the others come at any moment
MEDDLED_SHARE = 0.3  # cuts in which somebody moves a piece while there is no power

ENOUGH = 10**9  # turns
CLOCK = ClockRules("fischer", main_s=300, increment_s=2)


class Lost(AssertionError):
    """A power cut has cost something."""


# The table, in the child


class Pictures(Watcher):
    """A watcher whose pictures are Sightings already."""

    def see(self, frame: Frame, glow: Sequence[Any] = ()) -> tuple[Sighting, Step]:
        sighting: Any = frame.image
        return sighting, self.take(sighting)


class Line:
    """The child's camera: frames come through a pipe, and what the table shows after each goes back through it."""

    name = "pipe"

    def __init__(self, pipe: Connection) -> None:
        self.pipe = pipe
        self.controls = NoControls(Why("pretend"))
        self.table: Table | None = None
        self.asked = False

    def latest(self, after_index: int = -1, timeout_s: float = 1.0) -> Frame | None:
        self.answer()
        while not self.pipe.poll(timeout_s):
            pass  # however slow this machine is: the world's time is what counts
        given: Any = self.pipe.recv()
        self.asked = True
        if isinstance(given, Press):
            # as the table does with its inputs, but without a Tick when there is no frame for once
            table: Any = self.table
            table._publish(table._watcher.take(replace(given, t_s=table._looking.t_s)), judged=False)
            return self.latest(after_index, timeout_s)
        return Frame(given, given.t_s, given.frame)

    def answer(self) -> None:
        """What was given has been taken in and shown."""
        if self.asked and self.table is not None:
            self.asked = False
            told = self.table.snapshot()
            self.pipe.send((told.view, told.journal))

    def status(self) -> CameraStatus:
        return CameraStatus("ok", "", 0.0)

    def close(self) -> None:
        pass


class Unlit:
    """No lights: what is shown is reported by the table's snapshot."""

    def follow(self, board: Any) -> None:
        pass

    def show(self, scene: Any) -> int:
        return 0

    def glow(self, epoch: int) -> Sequence[Any]:
        return ()

    def player_at(self, button: int) -> str | None:
        return None

    def status(self) -> None:
        return None

    def close(self) -> None:
        pass


def run_table(game: str, path: Path, pipe: Connection) -> None:
    """The child: come back from the journal and referee until killed."""
    line = Line(pipe)
    sets = chosen_sets(game, None)
    journal, watcher, warning = open_recording(path, lambda rows: Pictures(sets, rows=rows, clock=CLOCK))
    table: Any = Table(watcher, line, lights=Unlit(), journal=journal, journal_warning=warning)  # type: ignore[arg-type]
    line.table = table
    pipe.send((table.snapshot().view, table.snapshot().journal))
    table.start()
    threading.Event().wait()


class Life:
    """One life of the table, from a start to its kill."""

    def __init__(self, game: str, path: Path) -> None:
        ours, theirs = Pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                ours.close()
                run_table(game, path, theirs)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)
        theirs.close()
        self.pipe = ours
        self._timer: threading.Thread | None = None
        self.first = self._shown()

    def kill_in(self, seconds: float) -> None:
        """The power will go in so many seconds."""
        self._timer = threading.Thread(target=self._kill, args=(seconds,))
        self._timer.start()

    def _kill(self, seconds: float) -> None:
        time.sleep(seconds)
        os.kill(self.pid, signal.SIGKILL)

    @property
    def doomed(self) -> bool:
        return self._timer is not None

    def show(self, item: Input) -> tuple[View, Mapping[str, Any]] | None:
        """Give the table one input; what it shows then, or None if the power has gone."""
        with contextlib.suppress(BrokenPipeError):  # what it said before may still be in the line
            self.pipe.send(item)
        return self._shown()

    def _shown(self) -> tuple[View, Mapping[str, Any]] | None:
        try:
            return self.pipe.recv()  # type: ignore[no-any-return]
        except (EOFError, ConnectionResetError):
            self.end()
            return None

    def end(self) -> None:
        """Reap it."""
        if self._timer is not None:
            self._timer.join()
        elif self.pid:
            os.kill(self.pid, signal.SIGKILL)
        if self.pid:
            os.waitpid(self.pid, 0)
            self.pipe.close()
        self.pid = 0


# The world, in this process


class Outside(Sitting):
    """A sloppy table whose referee loses its power again and again. `kills`: how many cuts there were."""

    def __init__(self, game: Game, seed: int, folder: Path, most: int) -> None:
        self.folder, self.path = folder, folder / "boardref.db"
        self.chance = random.Random(seed * 7919 + 1)
        self.most, self.kills, self.busy, self.meddled, self.late = most, 0, 0, 0, 0
        self.written: list[dict[str, Any]] = []
        self.began_s = 0.0  # a table's time begins with its life
        self.life: Life | None = None
        self.left, self.aimed = 0, False
        self.resting = False
        super().__init__(game, seed, Report())
        self.set = next(board.name for board in chosen_sets(game.name, None))
        self.state, self.life = self._start()
        self._doom()

    def _start(self) -> tuple[State, Life]:
        """A new life of the table, and the state it must be in."""
        with Journal.open(self.path) as journal:
            watcher = Watcher(chosen_sets(self.game.name, None), rows=journal.last_session(), clock=CLOCK)
        life = Life(self.game.name, self.path)
        if life.first is None or life.first[1]["sentence"]:
            raise Lost(f"the table came back with {life.first and life.first[1]}")
        begun = watcher.take(Tick(0.0))  # as a table does when it is made
        self.written += [journal_row(event, self.game.name, watcher.board.name) for event in begun.events]
        return begun.state, life

    def _doom(self) -> None:
        """After how many inputs the power will go, and whether then at any moment or while rows are being written."""
        self.left = self.chance.randrange(1, 150) if self.kills < self.most else 10**9
        self.aimed = self.chance.random() < BUSY_SHARE

    def take(self, item: Input) -> None:
        assert self.life is not None
        if isinstance(item, Press):
            item = replace(item, t_s=self.state.t_s)
        else:
            item = replace(item, t_s=round(item.t_s - self.began_s, 3))
        step = reduce(self.state, item)
        rows = [journal_row(event, self.game.name, self.set) for event in step.events]
        self.left -= not self.resting  # the look at the board is finished first: it is what is tested then
        if self.left <= 0 and not self.life.doomed and (rows or not self.aimed):
            self.busy += bool(rows)
            self.life.kill_in(self.chance.random() * (0.005 if rows else 0.001))
        shown = self.life.show(item)
        if shown is not None:
            self.written += rows
            if replace(shown[0], t_s=0.0) != replace(step.view, t_s=0.0) or shown[1]["sentence"]:
                raise Lost(f"the table shows {shown[0]}, on paper it is {step.view}; its journal: {shown[1]}")
            super().take(item)
            return
        self.kills += 1
        if self.kills == self.most:
            self.report.turns += ENOUGH  # the evening ends with this turn
        self._power_is_back(item, step, rows)

    def _power_is_back(self, item: Input, step: Step, rows: list[dict[str, Any]]) -> None:
        before = self.state
        with Journal.open(self.path) as journal:
            if journal.warning or list(self.folder.glob("*damaged*")):
                raise Lost(f"kill {self.kills}: {journal.warning}")
            found = journal.events()
            if found == self.written + rows:  # committed, and the power went before it could be shown
                self.late += bool(rows)
                self.written += rows
                super().take(item)
                before = self.state
            elif found != self.written:
                other = [pair for pair in zip(found, [*self.written, *rows], strict=False) if pair[0] != pair[1]]
                told = f"{len(self.written)} rows were shown, {len(found)} are there"
                raise Lost(f"kill {self.kills}: {told}; found and expected: {other[:1]}")
            for number in journal.games():
                record = fold(journal.rows(number))
                fault = verify(record, self.game)
                if fault is not None or [turn.n for turn in record.turns] != list(range(1, len(record.turns) + 1)):
                    raise Lost(f"kill {self.kills}, game {number}: {fault}, {record.turns}")
            shown = [(row.n, row.player, row.text) for row in before.played]
            if before.lines and [(turn.n, turn.player, turn.text) for turn in record.turns] != shown:
                raise Lost(f"kill {self.kills}: shown {shown}, recorded {record.turns}")
        self.began_s = self.mat.t_s
        self.state, self.life = self._start()
        if _believed(self.state) != _believed(before):
            pairs = zip(_believed(before), _believed(self.state), strict=True)
            raise Lost(f"kill {self.kills}: before and now: {[pair for pair in pairs if pair[0] != pair[1]]}")
        self._doom()
        if not self.resting:
            self.resting = True
            if isinstance(item, Sighting) and item.hand:  # people wait until the lights are back
                self.mat.film(2.0, hand=True, under=item.hidden)
            else:
                self._look_at_the_board()
            self.resting = False

    def stay(self, seconds: float) -> None:
        kills = self.kills
        super().stay(seconds)
        while self.kills > kills:  # the table has not seen it lie still for that long
            kills = self.kills
            super().stay(seconds)

    def _look_at_the_board(self) -> None:
        """Right after a cut: a board at rest is known again; a piece that was moved without power is asked about."""
        state = self.state
        calm = not self.mat.held and not self.mat.off and len(state.lines) == 1 and state.phase == "play"
        if not calm or self.seen() != self.game.picture(state.line.position):
            self.mat.still(2.0)
            return
        blot, self.mat.blot = self.mat.blot, frozenset()
        kills = self.kills
        if self.chance.random() < MEDDLED_SHARE:
            self._meddle()
        else:
            self.mat.still(2.0)
            self._must_believe(state, kills)
        self.mat.blot = blot

    def _meddle(self) -> None:
        """A piece was moved in the dark, as no turn moves it. It is asked about; put back, nothing remains of it."""
        state, kills, mat = self.state, self.kills, self.mat
        free = [site for site in mat.sites if site not in mat.on]
        for _ in range(20):
            origin, to = self.chance.choice(sorted(mat.on)), self.chance.choice(free)
            kind = mat.on[origin][-1]
            mat.lift(kind, origin)
            mat.put(kind, to)
            if self.game.judge(state.line.position, self.seen()).answer == "illegal":
                break
            mat.lift(kind, to)
            mat.put(kind, origin)
        else:
            mat.still(2.0)
            return
        self.meddled += 1
        mat.still(3.0)
        noticed = self.state.question or self.state.owed or self.state.rearranging
        explained = self.state.published != state.published  # as another last turn, or as two
        if self.kills == kills and not noticed and not explained:
            raise Lost(f"kill {kills}: {kind} went from {origin} to {to} in the dark; nobody noticed")
        self.reach(origin, to)
        mat.lift(kind, to)
        mat.put(kind, origin)
        self.reach(origin, to)
        mat.still(3.0)
        self._must_believe(state, kills)

    def _must_believe(self, state: State, kills: int) -> None:
        if self.kills > kills:
            return  # the power went again
        now = self.state
        if now.line.position != state.line.position or now.question or now.offence or not now.eyes.found:
            raise Lost(f"kill {kills}: the board stood as believed, and the table says {now.question or now.offence}")


def _believed(state: State) -> Any:
    if not state.lines:
        return (state.game_no,)
    # what a weak line calls a turn that can't change any more may differ; where it came to may not
    lines = [
        (line.position, [(done.n, done.played.player, done.position) for done in line.record], line.steps, line.weak)
        for line in state.lines
    ]
    asked = state.question_about if state.question_about in ("thread", "victim") else ""
    marks = state.clock and (state.clock.spans, state.clock.turns)
    return lines, asked, marks, state.phase, state.game_no, state.published, state.written, state.winner, state.result


def cut(name: str, seed: int, kills: int) -> Outside:
    """One table that loses its power so many times, and then plays its game to a clean end."""
    with tempfile.TemporaryDirectory(prefix="boardref-kills-") as folder:
        table = Outside(game_named(name), seed, Path(folder), kills)
        try:
            evening(manners_at(table), ENOUGH)
            table.report.turns -= ENOUGH
        finally:
            if table.life is not None:
                table.life.end()
        return table


def main() -> int:
    parser = argparse.ArgumentParser(description="Kill a running table at random moments.")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--game", default="transet")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    args = parser.parse_args()
    began = time.monotonic()
    print(f"{args.game}, seed {args.seed}", flush=True)
    try:
        table = cut(args.game, args.seed, args.kills)
    except (Lost, Wrong) as fault:
        print(f"FAULT: {fault}")
        return 1
    print(
        f"{table.kills} kills ({table.busy} aimed at a commit, {table.late} between commit and light, "
        f"{table.meddled} with a piece moved in the dark), {table.report.turns} turns, {table.report.games} games, "
        f"{len(table.written)} rows, {table.report.questions} questions: nothing lost, nothing twice; "
        f"{time.monotonic() - began:.1f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
