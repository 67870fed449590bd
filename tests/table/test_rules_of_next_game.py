"""Rules that an operator chooses at the table: from the next game on, for that game only, and after a restart."""

from __future__ import annotations

from controller.referee.events import Command, Tick
from controller.telling import journal_row
from controller.watcher import Watcher
from vision.boardset import installed_sets

CHOSEN = {"option.swop_wins": "false", "option.repetition_draw": "3"}
START = "rbkbr/5/5/5/RBKBR S"


def watcher(rows=(), options=None, games=("transet", "taasen")):
    sets = [board for board in installed_sets().values() if board.game in games]
    return Watcher(sorted(sets, key=lambda board: board.game != games[0]), options=options, rows=rows)


class Said:
    """A watcher and the rows that it leaves."""

    def __init__(self, watcher):
        self.watcher, self.rows = watcher, []
        self.give(Tick(0.0))

    def give(self, given):
        step = self.watcher.take(given)
        self.rows += [journal_row(event, self.watcher.game.name, self.watcher.board.name) for event in step.events]
        return step

    def say(self, name, **arguments):
        return self.give(Command(1.0, name, arguments))


def test_rules_are_chosen_for_the_next_game_and_stay():
    said = Said(watcher())
    said.say("set_position", position=START)
    assert said.watcher.game.chosen["swop_wins"] == "true"
    step = said.say("new_game", **CHOSEN)
    assert step.view.options == said.watcher.game.chosen == said.watcher.state.game.chosen
    assert said.watcher.game.chosen["swop_wins"] == "false"
    assert [row["options"] for row in said.rows if row["event"] == "ruling" and "options" in row] == [
        {"swop_wins": "false", "repetition_draw": "3"}
    ]
    said.say("set_position", position=START)
    said.say("new_game")
    assert said.watcher.game.chosen["swop_wins"] == "false"


def test_rules_of_one_game_are_not_asked_of_another():
    said = Said(watcher())
    said.say("new_game", **CHOSEN)
    taasen = next(board for board in said.watcher.sets.values() if board.game == "taasen")
    assert said.watcher._game_of(taasen).chosen["push_mandatory"] == "true"


def test_rules_come_back_after_a_restart_whatever_the_settings_say():
    said = Said(watcher(options={"swop_wins": "true"}, games=("transet",)))
    said.say("new_game", **CHOSEN)
    said.say("set_position", position=START)
    again = watcher(said.rows, options={"swop_wins": "true"}, games=("transet",))
    assert again.warning is None
    assert again.game.chosen["swop_wins"] == "false"
    assert again.state.lines
    assert again.game.chosen == again.state.game.chosen


def test_what_is_no_rule_changes_nothing():
    said = Said(watcher())
    said.say("set_position", position=START)
    for wrong in ({"option.flying": "true"}, {"option.swop_wins": "maybe"}):
        before = said.watcher.game.chosen
        said.say("new_game", **wrong)
        assert said.watcher.game.chosen == before
        said.say("set_position", position=START)


def test_rows_that_were_tampered_with_do_not_stop_a_table():
    said = Said(watcher())
    said.say("new_game", **CHOSEN)
    said.say("set_position", position=START)
    for options in ("flying", ["swop_wins"], {"flying": "x"}, {"swop_wins": None}, 7):
        rows = [row | ({"options": options} if row["event"] == "ruling" else {}) for row in said.rows]
        assert watcher(rows).game.chosen["swop_wins"] in ("true", "false")
