"""The timeline: every board that stood, with what was said of it; whole for what a sloppy table wrote."""

import json
import random
import sys
from pathlib import Path

import pytest

from controller.journal.store import Row
from controller.journal.timeline import timeline
from controller.referee.reducer import reduce
from controller.rules.registry import game_named
from controller.sloppy import Report
from controller.sloppy.evening import evening
from controller.sloppy.games import manners_at
from controller.sloppy.sitting import Sitting

sys.path.insert(0, str(Path(__file__).parents[1] / "referee"))

from pretend import Table


def rows_of(events, game_no=1):
    told = [json.loads(json.dumps({**event.as_json(), "internal": event.internal})) for event in events]
    return [
        Row(i, 1, row["game_no"], row["event"], row["internal"], "2026-11-30T12:00:00+00:00", row)
        for i, row in enumerate(told)
        if row["game_no"] == game_no or row["event"] == "board_found"
    ]


def shown(found):
    """Each entry as `verdict n texts`."""
    return [" ".join([e.verdict, str(e.n), *(turn["text"] for turn in e.turns)]) for e in found.entries]


def story():
    table = Table()
    table.begin()
    table.play("c1-c2")
    table.play("c5-c3")  # too far
    table.play("c3-c5")
    table.play("c5-c3")
    table.play("c3-c4")
    return table


def test_each_board_has_its_verdict():
    table = story()
    found = timeline(rows_of(table.events), table.game)
    assert shown(found) == ["setup 1", "turn 1 c1-c2", "illegal 2", "back 2", "illegal 2", "turn 2 c5-c4"]
    assert found.entries[2].said["code"] == found.entries[4].said["code"] == "TOO_FAR"
    assert found.entries[2].placement["c3"] == ("light-PIAS",)
    assert "c5" not in found.entries[2].placement
    assert found.entries[2].changed == ("c3", "c5")
    assert [line["turns"] for line in found.lines] == [["c1-c2", "c5-c4"]]


def test_a_correction_stands_in_it_and_what_it_replaced_is_told_apart():
    table = story()
    table.command("correct", n="1", text="c1-d2", reason="it stood on d2")
    found = timeline(rows_of(table.events), table.game)
    assert shown(found)[-1] == "ruling 1 c1-d2 c5-c4"
    assert found.entries[-1].said["reason"] == "it stood on d2"
    assert found.entries[1].standing == []
    assert found.entries[-1].standing == [1]
    assert found.entries[5].standing == [2]  # that turn was played on this board, and still is
    table = story()
    table.command("take_back", to="0")
    found = timeline(rows_of(table.events), table.game)
    assert found.entries[1].standing == []
    assert found.record.turns == ()


def test_a_file_from_before_has_its_turns_as_they_were_believed():
    table = story()
    rows = [row for row in rows_of(table.events) if row.event != "standing"]
    found = timeline(rows, table.game)
    assert shown(found) == ["setup 1", "turn 1 c1-c2", "illegal 2", "illegal 2", "turn 2 c5-c4"]
    assert found.entries[1].placement["c2"] == ("dark-PIAS",)


class Kept(Sitting):
    def __init__(self, game, seed):
        self.every = []
        super().__init__(game, seed, Report())

    def take(self, item):
        self.every += reduce(self.state, item).events
        super().take(item)


@pytest.mark.parametrize("name", ["transet", "taasen", "transfer"])
def test_every_turn_of_a_sloppy_table_stands_on_its_board(name):
    game = game_named(name)
    table = Kept(game, 900 + random.Random(name).randrange(50))
    evening(manners_at(table), 14)
    number = table.state.game_no
    found = timeline(rows_of(table.every, number), game)
    stand = {n: entry for entry in found.entries for n in entry.standing}
    assert sorted(stand) == [turn.n for turn in found.record.turns]
    last = [entry for entry in found.entries if entry.standing][-1]
    assert last.placement == dict(game.picture(table.position).on) or last is not found.entries[-1]
    assert not any(entry.verdict == "illegal" for entry in found.entries)
    text = json.dumps([row.data for row in rows_of(table.every, number) if row.event == "standing"])
    assert len(text) < 400 * len(found.entries)
