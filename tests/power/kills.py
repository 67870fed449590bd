"""Kill -9 at random moments of a running game: a script, for the suite (a few kills) and by hand (200).

The table itself (`controller.table.Table` with its own thread, its journal on the disk, lights that only report) runs
in a child, forked from here so that a start costs milliseconds; all that is pretended is the pictures: a Frame holds a
Sighting. Beside what `outages.py` asks for, after each kill the journal opens, undamaged; its rows are exactly those of
all that was shown, once each, in order, and at most one more step that was committed when the power went, whole.

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

from outages import CLOCK, Lost, Outages, play

from controller.journal.fold import Record, fold
from controller.journal.store import Journal
from controller.recording import open_recording
from controller.referee.events import Command, Input, Press, Tick
from controller.referee.reducer import State, Step
from controller.referee.view import View
from controller.rules.api import Game
from controller.rules.registry import game_named
from controller.sloppy.sitting import Wrong
from controller.table import Table
from controller.telling import journal_row
from controller.watcher import Watcher, chosen_sets
from vision.camera.controls import NoControls, Why
from vision.camera.frame import CameraStatus, Frame
from vision.sighting import Sighting

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
        if isinstance(given, Press | Command):
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


class Kills(Outages):
    """A table in a process of its own, which is killed, and a journal on the disk."""

    def __init__(self, game: Game, seed: int, folder: Path, most: int) -> None:
        self.folder, self.path = folder, folder / "boardref.db"
        self.life: Life | None = None
        super().__init__(game, seed, most)

    def come_back(self) -> State:
        with Journal.open(self.path) as journal:
            watcher = Watcher(self.sets, rows=journal.last_session(), clock=CLOCK)
        self.life = Life(self.game.name, self.path)
        if self.life.first is None or self.life.first[1]["sentence"]:
            raise Lost(f"the table came back with {self.life.first and self.life.first[1]}")
        begun = watcher.take(Tick(0.0))  # as a table does when it is made
        self.written += [journal_row(event, self.game.name, watcher.board.name) for event in begun.events]
        return begun.state

    def shows(self, item: Input, step: Step, rows: Sequence[Mapping[str, Any]], due: bool) -> bool:
        assert self.life is not None
        if due and not self.life.doomed:
            self.busy += bool(rows)
            self.life.kill_in(self.chance.random() * (0.005 if rows else 0.001))
        shown = self.life.show(item)
        if shown is None:
            return False
        if replace(shown[0], t_s=0.0) != replace(step.view, t_s=0.0) or shown[1]["sentence"]:
            raise Lost(f"the table shows {shown[0]}, on paper it is {step.view}; its journal: {shown[1]}")
        return True

    def found(self, rows: Sequence[Mapping[str, Any]]) -> bool:
        with Journal.open(self.path) as journal:
            if journal.warning or list(self.folder.glob("*damaged*")):
                raise Lost(f"kill {self.kills}: {journal.warning}")
            found = journal.events()
        if found == [*self.written, *rows]:
            return True
        if found != self.written:
            other = [pair for pair in zip(found, [*self.written, *rows], strict=False) if pair[0] != pair[1]]
            told = f"{len(self.written)} rows were shown, {len(found)} are there"
            raise Lost(f"kill {self.kills}: {told}; found and expected: {other[:1]}")
        return False

    def games_written(self) -> Sequence[Record]:
        with Journal.open(self.path) as journal:
            return [fold(journal.rows(number)) for number in journal.games()]


def cut(name: str, seed: int, kills: int) -> Kills:
    """One table that loses its power so many times, and then plays its game to a clean end."""
    with tempfile.TemporaryDirectory(prefix="boardref-kills-") as folder:
        table = Kills(game_named(name), seed, Path(folder), kills)
        try:
            play(table)
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
        f"{table.nested} while the board was looked at after one, {table.dark} after which play went on unseen, "
        f"{table.meddled} with a piece moved in the dark), "
        f"{table.report.turns} turns, {table.report.games} games, "
        f"{len(table.written)} rows, {table.report.questions} questions: nothing lost, nothing twice; "
        f"{time.monotonic() - began:.1f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
