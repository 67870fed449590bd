"""The record behind a running table changes: the game on it is corrected, or can be read only after a while."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from controller.cli import main
from controller.journal import hold, opening
from controller.journal.fold import fold
from controller.journal.hold import Hold
from controller.journal.store import Journal
from controller.recording import open_recording
from controller.referee.events import Command
from controller.referee.reducer import resume
from controller.referee.timing import Timing
from controller.rules.registry import game_named
from controller.table import Snapshot, Table
from controller.telling import journal_row
from controller.watcher import Watcher, chosen_sets
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World

sys.path.insert(0, str(Path(__file__).parents[1] / "referee"))

from pretend import Table as Pretend

GAME = game_named("transet")
RESIGNED = ("c1-c2", "c5-c4", "c2-c3", "a5-a4", "c3xc4@c5")
WON = ("c1-c2", "a5-a4", "c2-c3", "a4-a3", "c3-c4", "a3-a2", "c4xc5#")
"""South's pawn reaches the other side."""


def played(turns: tuple[str, ...], path: Path, *, end: bool = True) -> None:
    """A journal with this game, refereed to its `end`."""
    table = Pretend()
    table.begin()
    position = GAME.start()
    for text in turns:
        position = GAME.judge_turn(position, text).position
        table.wait(0.3, hand=True)
        stands = GAME.picture(position).on
        table.on = {site: kinds[0] for site, kinds in stands.items()}
        table.wait(3)
    if end and table.state.phase != "over":
        table.press("South", "resign")
    with Journal.open(path) as journal:
        journal.append([journal_row(event, "transet", "transet") for event in table.events])
        assert [turn.text for turn in fold(journal.rows(1)).turns] == list(turns)


def until(table: Table, holds: Callable[[Snapshot], bool]) -> Snapshot:
    ends = time.monotonic() + 30
    while not holds(seen := table.snapshot()):
        assert time.monotonic() < ends, seen.view
        time.sleep(0.05)
    return seen


@pytest.mark.parametrize(
    ("turns", "wrong", "text", "drop", "phase", "result"),
    [
        (RESIGNED, 4, "e5-e4", 0, "over", "North wins"),  # by word it is over all the same
        (WON, 2, "e5-e4", 4, "play", None),  # what fell had won it
        (WON, 7, "e1-e2", 0, "play", None),
    ],
)
def test_the_table_shows_the_corrected_record_and_so_does_its_next_start(
    tmp_path: Path, turns: tuple[str, ...], wrong: int, text: str, drop: int, phase: str, result: str | None
) -> None:
    path = tmp_path / "boardref.db"
    played(turns, path)
    journal = Journal.open(path)
    watcher = Watcher(chosen_sets("transet", None), rows=journal.last_session())
    stands = GAME.picture(GAME.parse_position(str(fold(journal.rows(1)).position))).on
    table = Table(watcher, SimulatedCamera(World(watcher.board, stands)), journal=journal)
    table.start()
    try:
        before = until(table, lambda seen: seen.view.phase == "over" and seen.age_s < 5)
        assert [turn.text for turn in before.view.turns] == list(turns)
        words = ("--turn", str(wrong), "--text", text, "--reason", "Seen again.", "--journal", str(path))
        assert main(["games", "correct", "1", *words, *(("--drop", str(drop)) if drop else ())]) == 0
        seen = until(table, lambda seen: any(turn.text == text for turn in seen.view.turns))
        record = fold(journal.rows(1))
        assert [turn.text for turn in seen.view.turns] == [turn.text for turn in record.turns]
        assert (seen.view.position, seen.view.phase) == (record.position, phase)
        assert seen.view.result == (record.result or {}).get("result") == result
        again = resume(GAME, "transet", Timing(), journal.last_session())
        assert (again.phase, again.result, again.line.record) == (phase, result, table._watcher.state.line.record)
        assert not [row for row in journal.events(1) if row["event"] == "illegal"]
    finally:
        table.stop()


def locked(path: Path) -> Callable[[], None]:
    """Another program has the journal; ends when the answer is called."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode=EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    return other.close


def restored(path: Path) -> Callable[[], None]:
    """It is just being restored."""
    return Hold.alone(path).release


def started(path: Path, stands: Mapping[str, tuple[str, ...]]) -> tuple[Table, World]:
    """A table as `serve` starts it."""
    sets = chosen_sets("transet", None)
    journal, watcher, warning = open_recording(path, lambda rows: Watcher(sets, rows=rows))
    assert journal is None
    assert warning is not None
    world = World(watcher.board, stands)
    table = Table(
        watcher, SimulatedCamera(world), world=world, journal_warning=warning, reopen=lambda: Journal.open(path)
    )
    table.start()
    return table, world


def carry(world: World, origin: str, to: str) -> None:
    """Carry a piece from one site to another, as a hand does."""
    sites = {site.id: site for site in world.board_set.sites}
    (x0, y0), (x1, y1) = (world.board_set.centre(sites[name]) for name in (origin, to))
    nearest = min(world.as_json()["tokens"], key=lambda token: (token["x_mm"] - x0) ** 2 + (token["y_mm"] - y0) ** 2)
    world.lift(nearest["id"])
    for step in range(1, 4):
        world.move(nearest["id"], x0 + (x1 - x0) * step / 3, y0 + (y1 - y0) * step / 3)
        time.sleep(0.1)
    world.drop(nearest["id"])


@pytest.mark.parametrize("hindered", [locked, restored])
def test_the_old_game_is_taken_up_when_its_journal_can_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hindered: Callable[[Path], Callable[[], None]]
) -> None:
    monkeypatch.setattr(hold, "WAIT_S", 0.1)
    monkeypatch.setattr(opening, "BUSY_S", 0.1)
    path = tmp_path / "boardref.db"
    played(("c1-c2", "c5-c4"), path, end=False)
    with Journal.open(path) as journal:
        before, stands = journal.events(), GAME.parse_position(str(fold(journal.rows(1)).position))
    free = hindered(path)
    table, world = started(path, GAME.picture(stands).on)
    try:
        seen = until(table, lambda seen: seen.age_s < 1 and seen.view.phase == "setup")
        assert (seen.journal["state"], bool(seen.journal["sentence"])) == ("off", True)
        table.order(Command(0.0, "pause"))  # while nobody knows of the old game
        free()
        seen = until(table, lambda seen: seen.view.phase == "play" and seen.journal["state"] == "ok")
        assert [turn.text for turn in seen.view.turns] == ["c1-c2", "c5-c4"]
        assert seen.view.paused
        table.order(Command(0.0, "resume"))
        until(table, lambda seen: not seen.view.paused and seen.view.question == ())
        carry(world, "a1", "a2")
        until(table, lambda seen: len(seen.view.turns) == 3)
    finally:
        table.stop()
    with Journal.open(path) as journal:
        assert journal.games() == (1,)
        assert [turn.text for turn in fold(journal.rows(1)).turns] == ["c1-c2", "c5-c4", "a1-a2"]
        assert journal.events()[: len(before)] == before
        assert not [row for row in journal.events() if row["event"] in ("illegal", "question")]


def test_a_game_that_began_meanwhile_is_the_next_one_and_the_old_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hold, "WAIT_S", 0.1)
    path = tmp_path / "boardref.db"
    played(("c1-c2", "c5-c4"), path, end=False)
    with Journal.open(path) as journal:
        old = journal.events(1)
    free = restored(path)
    table, world = started(path, GAME.picture(GAME.start()).on)
    try:
        until(table, lambda seen: seen.view.phase == "play")
        carry(world, "a1", "a2")
        until(table, lambda seen: seen.view.unwritten == 1)
        free()
        until(table, lambda seen: seen.journal["state"] == "ok" and len(seen.view.turns) == 1)
        carry(world, "a5", "a4")
        until(table, lambda seen: len(seen.view.turns) == 2)
    finally:
        table.stop()
    with Journal.open(path) as journal:
        assert journal.games() == (1, 2)
        assert journal.events(1) == old
        assert [turn.text for turn in fold(journal.rows(2)).turns] == ["a1-a2", "a5-a4"]
