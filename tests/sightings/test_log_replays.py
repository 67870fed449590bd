"""A sighting log of a sloppy table, judged again, says the same: from its beginning, and from the middle of a game."""

import json

import pytest

from controller.cli import main
from controller.referee.events import Tick
from controller.rules.registry import game_named
from controller.sightings.file import LogFile, LogReader
from controller.sightings.ring import SightingLog
from controller.sloppy import Report
from controller.sloppy.evening import evening
from controller.sloppy.games import manners_at
from controller.sloppy.sitting import Sitting
from controller.telling import event_json, event_line


class Logged(Sitting):
    """A sitting whose referee's inputs are kept, and all that it says."""

    def __init__(self, game, seed, log):
        self.log, self.said = log, []
        super().__init__(game, seed, Report())

    def judge(self, item):
        step = self.noted(item)
        self.noted(Tick(item.t_s + 0.01))  # what a sitting never has: the clock without a frame
        return step

    def noted(self, given):
        before = self.state
        step = super().judge(given)
        self.log.note(before, given, self.state)
        self.said += [(given.t_s, event) for event in step.events]
        return step


def lines(said, from_s=0.0):
    return [event_line(event_json(event, "en")) for t_s, event in said if t_s >= from_s and not event.internal]


def replayed(capsys, path, *more):
    capsys.readouterr()
    assert main(["watch", str(path), "--json", *more]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(("name", "turns"), [("transet", 14), ("taasen", 16), ("transfer", 8)])
def test_a_log_says_the_same_again(tmp_path, capsys, name, turns):
    path = tmp_path / "evening.sightings"
    kept = SightingLog(keep_s=15.0)
    with LogFile(path) as whole:

        class Both:
            def note(self, *given):
                whole.note(*given)
                kept.note(*given)

        table = Logged(game_named(name), 5, Both())
        evening(manners_at(table), turns)
    assert sum('"turn"' in line for line in lines(table.said)) >= turns
    assert replayed(capsys, path) == lines(table.said)
    # a log that begins in the middle of a game
    pieces = kept.pieces()
    assert pieces[0].from_s >= 30, "the beginning should be forgotten by now"
    assert pieces[0].begin.lines, "a game should be going on there"
    late = tmp_path / "late.sightings"
    with LogFile(late) as file:
        file.add(pieces)
    told = replayed(capsys, late)
    assert told == lines(table.said, pieces[0].from_s)
    assert any(json.loads(line)["event"] == "turn" for line in told)
    # a log of a log is the same log
    again = tmp_path / "again.sightings"
    assert replayed(capsys, late, "--sightings", str(again)) == told
    assert LogReader(again).fault is None
    assert replayed(capsys, again) == told
