"""The test that decides: honest play, as sloppy as people play, is never accused; every offence is named by its code.

BOARDREF_SLOPPY_TURNS=20000 makes the evening longer (`boardref bench --endurance --turns N` plays the same tables).
"""

from __future__ import annotations

import os

import pytest

from controller.rules.api import Placement
from controller.rules.transet import TRANSET
from controller.sloppy import play, play_table
from controller.sloppy.transet.offences import MAKERS
from controller.sloppy.twin import plant

TURNS = int(os.environ.get("BOARDREF_SLOPPY_TURNS", "2000"))

HABITS = {
    "adjusted", "both hands", "captured, beside", "captured, both on", "captured, held", "captured, return first",
    "captured, under", "carried slowly", "changed directly", "cleared", "cleared and restored", "done without a side",
    "hasty reply to a half-swap", "laid beside the board", "lifted 1", "lifted 2", "lifted 3", "misread",
    "near a line", "piece in hand early", "put back", "put back and taken again", "put back in haste", "said done",
    "slipped", "swap finished late", "two at once",
}  # fmt: skip

# Every reason code that Transet can give. A placement shows all of them but one: a piece that is missing is never an
# offence by itself. Three show only when somebody says that it was all (a "done", or the other side's turn): until then
# half a turn is half a turn. The finer cases of a code that leave no trace on the table (a return to a taken square
# where the pawn was then put elsewhere, a swap onto an enemy that was lifted away) are `judge_turn`'s, in tests/rules.
CODES = {
    "NOT_YOUR_PAWN", "NO_REPLACEMENT", "BAD_REPLACEMENT", "WRONG_PAWN_RETURNED", "NOT_CAPTURED", "SWOP_TARGET_TAKEN",
    "SWOP_SAME_TARGET", "SWOP_NOT_OPPOSITE", "SIDEWAYS_ALONE", "BACKWARD_ALONE", "OWN_PAWN_THERE", "WRONG_STEP",
    "TOO_FAR", "OUT_OF_TURN", "WRONG_PIECE", "EXTRA_PIECE", "TWO_ON_A_SITE", "MISSING_PIECE", "NOT_A_TURN",
}  # fmt: skip
NEVER_AN_OFFENCE = {"MISSING_PIECE"}


def test_honest_play_is_never_accused_and_recorded_as_it_was() -> None:
    report = play(seed=1, turns=TURNS, game=TRANSET)
    assert report.clean, report.summary()
    assert report.turns >= TURNS
    assert set(report.habits) == HABITS, "the players have other habits than this test thinks"
    assert report.rewritten
    assert report.withdrawn


def test_the_same_seed_is_the_same_table() -> None:
    one, two = play_table(7, 20, TRANSET), play_table(7, 20, TRANSET)
    assert (one.frames, one.events, one.turns, one.habits) == (two.frames, two.events, two.turns, two.habits)


def test_every_code_that_a_placement_can_show_is_planted() -> None:
    assert set(MAKERS) == CODES - NEVER_AN_OFFENCE


@pytest.mark.parametrize("code", MAKERS)
def test_an_offence_is_named_once_by_its_code_and_put_right(code: str) -> None:
    for seed in range(1, 5):
        report = plant(seed, code, TRANSET)
        assert report.clean, report.summary()
        assert report.offences == 1


def test_missing_pieces_alone_are_no_offence() -> None:
    position = TRANSET.start()
    on = dict(TRANSET.picture(position).on)
    for site in list(on):
        fewer = {other: kinds for other, kinds in on.items() if other != site}
        assert TRANSET.judge(position, Placement(fewer)).answer == "partial"
