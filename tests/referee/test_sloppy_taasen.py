"""Taasen at the sloppy table: honest play is never accused, every offence is named by its code.

BOARDREF_SLOPPY_TURNS=20000 makes the evening longer.
"""

from __future__ import annotations

import os

import pytest

from controller.rules.api import Placement
from controller.rules.taasen import TAASEN
from controller.sloppy import play, play_table
from controller.sloppy.taasen.offences import MAKERS
from controller.sloppy.twin import plant

TURNS = int(os.environ.get("BOARDREF_SLOPPY_TURNS", "2000"))

HABITS = {
    "adjusted", "answer changed", "attack withdrawn", "carried slowly", "changed directly", "cleared",
    "cleared and restored", "crushed piece left standing", "crushed, beside", "crushed, lifted first", "crushed, plain",
    "crushed, two hands", "done before the answer", "done without a side", "laid beside the board",
    "left standing for two turns", "lifted 1", "lifted 2", "lifted 3", "misread", "moved on, or fled elsewhere",
    "near a line", "piece in hand early", "pressed, beside", "pressed, lifted first", "pressed, plain",
    "pressed, two hands", "put back", "put back and taken again", "put back in haste", "said done", "slipped",
    "taken off late", "two at once",
}  # fmt: skip

# Every reason code that Taasen can give. A placement shows all of them but one: a piece that is missing is never an
# offence by itself. NOT_CRUSHED shows only when somebody says that it was all (a "done", or the other side's next
# turn): until then the piece is in a hand. PUSHED_BACK stands on the table exactly as the attack did before the answer,
# so that it shows only by a "done" (or where a game is taken up with the ban in its text). BOTH_PRESSED shows where the
# second piece could not have gone there as the next turn; otherwise it was that.
CODES = {
    "OPPONENT_PIECE", "WHITE_JUST_MOVED", "PUSHED_BACK", "PUSH_PENDING", "NOT_CRUSHED", "BOTH_PRESSED", "NOT_PRESSED",
    "ESCAPE_NOT_ADJACENT", "SEA_REST", "SEA_BLOCKED", "OCCUPIED", "NOT_ADJACENT",
    "OUT_OF_TURN", "WRONG_PIECE", "EXTRA_PIECE", "TWO_ON_A_SITE", "MISSING_PIECE", "NOT_A_TURN",
}  # fmt: skip
NEVER_AN_OFFENCE = {"MISSING_PIECE"}

# Tables that once showed a fault, of the players or of the referee, each with what it was.
HONEST = {
    3: "a crushed piece left standing, and the attacker moved back: the attack taken back?",
    8: "a turn put back in haste and another made: what had stood settled was forgotten",
    14: "a turn put back, and half of another that looked like two quick turns",
    24: "a crushed piece left standing, and the last turn's piece moved back",
    33: "two quick turns that led back to the position before the last one",
    98: "two quick turns, and glare over the turn before them: believed taken back unseen",
    159: "a changed turn that the eyes could see believed before two quick ones that glare hid",
    179: "the same; the side that had moved rightly was accused when the glare had gone",
    289: "two quick turns, and glare over the turn before them",
    1012: "an answer put down wrongly for half a second, believed to be two quick turns; glare over the last turn",
    1024: "a piece that leans towards where it came from: the last turn changed?",
    5170: "the mover says done, and the other side's hand slips: accused at once",
    5188: "the same, of a crushed piece",
    5284: "glare where the last turn came from, believed taken back though nobody had seen it",
}
OFFENCES = {
    (11, "PUSHED_BACK"): "with two victims a piece put back may be a choice still open",
    (20, "NOT_CRUSHED"): "of two victims one was crushed: then the other may be in a hand",
    (43, "NOT_CRUSHED"): "the next turn went to the site the attacker came from: read as the attacker's fault",
    (66, "NOT_CRUSHED"): "the next turn, of a White piece, would also have been an attack of the attacker's",
    (3, "ESCAPE_NOT_ADJACENT"): "a crushed piece carried to another site: named as a spare",
}


def test_honest_play_is_never_accused_and_recorded_as_it_was() -> None:
    report = play(seed=1, turns=TURNS, game=TAASEN)
    assert report.clean, report.summary()
    assert report.turns >= TURNS
    assert set(report.habits) == HABITS, "the players have other habits than this test thinks"
    assert report.questions == report.habits["moved on, or fled elsewhere"], "asked about what nobody doubts"
    assert report.rewritten
    assert report.withdrawn


def test_the_same_seed_is_the_same_table() -> None:
    one, two = play_table(7, 20, TAASEN), play_table(7, 20, TAASEN)
    assert (one.frames, one.events, one.turns, one.habits) == (two.frames, two.events, two.turns, two.habits)


def test_every_code_that_a_placement_can_show_is_planted() -> None:
    assert set(MAKERS) == CODES - NEVER_AN_OFFENCE


@pytest.mark.parametrize("code", MAKERS)
def test_an_offence_is_named_once_by_its_code_and_put_right(code: str) -> None:
    for seed in range(1, 5):
        report = plant(seed, code, TAASEN)
        assert report.clean, report.summary()
        assert report.offences == 1


@pytest.mark.parametrize("seed", HONEST)
def test_tables_that_once_went_wrong(seed: int) -> None:
    report = play_table(seed, 60, TAASEN)
    assert report.clean, report.summary()


@pytest.mark.parametrize(("seed", "code"), OFFENCES)
def test_offences_that_once_went_wrong(seed: int, code: str) -> None:
    report = plant(seed, code, TAASEN)
    assert report.clean, report.summary()


def test_missing_pieces_alone_are_no_offence() -> None:
    position = TAASEN.start()
    on = dict(TAASEN.picture(position).on)
    for site, kinds in on.items():
        for fewer in (kinds[1:], kinds[2:], ()):
            assert TAASEN.judge(position, Placement({**on, site: fewer})).answer == "partial"
