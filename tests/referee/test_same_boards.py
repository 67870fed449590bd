"""Two histories with the same boards throughout: which one is recorded is decided by how long each board stood."""

from __future__ import annotations

import pytest
from pretend import Table, brief

from controller.rules.transet import TRANSET
from controller.sloppy.record import Report
from controller.sloppy.sitting import Sitting
from controller.sloppy.transet.acts import takes_half_of_a_swap

# South makes half a swap that is a turn by itself, d1-d2, and later the other half, b2-b1; then North steps b3-b2.
# Or North returned the pawn first that b3-b2 captures.
BEFORE = "rb2r/3bR/Rk3/1B3/3KB S"


@pytest.mark.parametrize(
    ("hold_s", "record"),
    [
        (2.0, ["d1-d2&b2-b1", "b3-b2"]),  # the swap stood long enough to be believed
        (0.9, ["d1-d2", "b3xb2@b1"]),  # it went straight on: one turn each
    ],
)
def test_the_other_half_of_a_swap_or_a_captured_pawn_returned_first(hold_s: float, record: list[str]) -> None:
    table = Table(BEFORE)
    table.put(BEFORE.split()[0])
    table.wait(2)
    table.play("d1-d2")
    table.play("b2-b1", hold=hold_s)
    table.play("b3-b2")
    assert table.texts() == record
    assert table.record()[2]["position"] == "rb2r/3bR/R4/1k1K1/1B2B S"
    assert not {"illegal", "question"} & {line.split()[0] for line in brief(table.events)}


def test_the_players_of_the_sloppy_table_avoid_it() -> None:
    table = Sitting(TRANSET, 1, Report())
    table.begin(TRANSET.parse_position(BEFORE))
    table.played(TRANSET.parse_turn(table.position, "d1-d2&b2-b1"))
    told = {
        TRANSET.turn_text(table.position, t)
        for t in TRANSET.legal_turns(table.position)
        if takes_half_of_a_swap(table, t)
    }
    assert told == {"b3-b2"}
