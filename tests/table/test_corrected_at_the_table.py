"""A game that is over and still lies on the table, corrected in its record: the table shows it as it now stands."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.cli import main
from controller.journal.fold import fold
from controller.journal.store import Journal
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


def played(turns: tuple[str, ...], path: Path) -> None:
    """A journal with this game, refereed to its end."""
    table = Pretend()
    table.begin()
    position = GAME.start()
    for text in turns:
        position = GAME.judge_turn(position, text).position
        table.wait(0.3, hand=True)
        stands = GAME.picture(position).on
        table.on = {site: kinds[0] for site, kinds in stands.items()}
        table.wait(3)
    if table.state.phase != "over":
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
