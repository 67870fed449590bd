"""Tables that once showed a fault, of the players or of the referee, each with what it was."""

from __future__ import annotations

import pytest

from controller.rules.transet import TRANSET
from controller.sloppy import play_table
from controller.sloppy.twin import plant

HONEST = {
    111: "a swap finished late, then that pawn moved straight back: a new turn, or a second thought?",
    119: "the same, seen as a question",
    5320: "a slip of half a second, believed to be a capture and a recapture through sites that hands had hidden",
    20031: "a slip of half a second, believed to be a turn after a half-swap that had long been finished",
    30010: "the same slip, believed in the second frame in which it stood",
    20036: "half a swap that could be the captured pawn put elsewhere, while glare hid where it had been",
    40080: "a captured pawn put back first, which also finished a swap of the other side: same board, other record",
    5121: "a swap of which one half ends the game and the other would finish the turn before: done at once",
    162: "the second half of a swap, which the reply's capture could have returned: same boards, other record",
    199: "the same",
    255: "the same",
    282: "a slip of half a second after somebody's done, believed at once to be a capture and a reply",
    5142: "a piece that leans towards a site where it would be a legal reply: nobody can know",
}
OFFENCES = {
    (28, "BACKWARD_ALONE"): "half a swap and done, after other turns: explained away as the last turn and a stage",
    (20, "NO_REPLACEMENT"): "a capture without return and done: named, and taken back in the very next frame",
    (154, "BACKWARD_ALONE"): "the half also finished the turn before the reply: then nobody can know which",
    (339, "WRONG_PIECE"): "a piece of the last turn replaced by a spare: named as that turn changed",
}


@pytest.mark.parametrize("seed", HONEST)
def test_honest_tables(seed: int) -> None:
    report = play_table(seed, 60, TRANSET)
    assert report.clean, report.summary()


@pytest.mark.parametrize(("seed", "code"), OFFENCES)
def test_offences(seed: int, code: str) -> None:
    report = plant(seed, code, TRANSET)
    assert report.clean, report.summary()
