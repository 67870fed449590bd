"""The sloppy table for Transfer: honest play is never accused nor asked about; every offence is named by its code.

BOARDREF_SLOPPY_TURNS=20000 makes the evening longer.
"""

from __future__ import annotations

import os

import pytest

from controller.rules.transfer import TRANSFER
from controller.sloppy import play, play_table
from controller.sloppy.transfer.offences import MAKERS
from controller.sloppy.twin import plant

TURNS = int(os.environ.get("BOARDREF_SLOPPY_TURNS", "2000"))

HABITS = {
    "a block in two goes", "a stroke taken back", "carried by hand", "changed directly", "cleared",
    "cleared and restored", "done without a side", "gaps", "lifted 1", "lifted 2", "lifted 3", "loaded and put back",
    "misread", "near a line", "null turn", "null turn said", "passed", "pushed out, beside", "pushed out, hand",
    "put back", "put back in haste", "said done", "shoved along", "slipped",
}  # fmt: skip

# Every reason code that Transfer can give. A placement in play shows all but three: equal neighbours are forbidden only
# at the set-up; tokens take the cells of a lane in order, one each, so that what is too many in a row is NO_ROOM; and a
# piece that is missing is never an offence. What leaves no trace (two pieces unloaded in the wrong order, when another
# order of loading explains the board) is `judge_turn`'s, in tests/rules.
CODES = {
    "WRONG_PLATFORM", "FAR_END", "OVER_CAPACITY", "GROUP_SPLIT_LOAD", "GROUP_SPLIT_PLATFORM", "GROUP_SPLIT_PUSH",
    "LIFO_ORDER", "OVERPUSH", "ROW_REORDERED", "NO_ROOM", "LOAD_AFTER_UNLOAD", "DEAD_END", "OWN_PLATFORM_NOT_EMPTY",
    "OPP_PLATFORM_NOT_EMPTY", "SETUP_ADJACENT", "PIECE_COUNT", "OUT_OF_TURN", "WRONG_PIECE", "EXTRA_PIECE",
    "TWO_ON_A_SITE", "MISSING_PIECE", "NOT_A_TURN",
}  # fmt: skip
NEVER_SHOWN = {"SETUP_ADJACENT", "TWO_ON_A_SITE", "MISSING_PIECE"}

# Tables that once showed a fault, of the players or of the referee.
HONEST = {
    107: "a turn changed before the reply, explained by the turn before changed instead",
    4300: "a slip before the first turn, taken for a turn of the other side: nobody had begun yet",
}


def test_honest_play_is_never_accused_and_recorded_as_it_was() -> None:
    report = play(seed=1, turns=TURNS, game=TRANSFER)
    assert report.clean, report.summary()
    assert report.turns >= TURNS
    assert set(report.habits) == HABITS, "the players have other habits than this test thinks"
    assert report.rewritten
    assert report.withdrawn
    assert not report.questions


def test_the_same_seed_is_the_same_table() -> None:
    one, two = play_table(7, 20, TRANSFER), play_table(7, 20, TRANSFER)
    assert (one.frames, one.events, one.turns, one.habits) == (two.frames, two.events, two.turns, two.habits)


def test_every_code_that_a_placement_can_show_is_planted() -> None:
    assert set(MAKERS) == CODES - NEVER_SHOWN


@pytest.mark.parametrize("code", MAKERS)
def test_an_offence_is_named_once_by_its_code_and_put_right(code: str) -> None:
    for seed in range(1, 4):
        report = plant(seed, code, TRANSFER)
        assert report.clean, report.summary()
        assert report.offences == 1


@pytest.mark.parametrize("seed", HONEST)
def test_honest_tables(seed: int) -> None:
    report = play_table(seed, 60, TRANSFER)
    assert report.clean, report.summary()
