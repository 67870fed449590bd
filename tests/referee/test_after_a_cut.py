"""The power goes amid a turn, or while something is asked: what was known then is known afterwards."""

from __future__ import annotations

import json
from typing import TypeVar

import pytest
from pretend import START, Table, board
from pretend_taasen import TaasenTable
from pretend_transfer import P0, TransferTable, picture

from controller.referee import reducer
from controller.referee.timing import Timing

T = TypeVar("T", bound=Table)
LOADED = "sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp"
ANSWERED = "osg/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp"


def after_a_cut(table: T) -> T:
    """The same board in front of a table that knows what had been written; its events go on from the other's."""
    rows = [json.loads(json.dumps({**event.as_json(), "internal": event.internal})) for event in table.events]
    later = type(table)(game=table.game, state=reducer.resume(table.game, table.game.name, Timing(), rows))
    later.on, later.off, later.events = dict(table.on), list(table.off), list(table.events)
    if isinstance(table, TaasenTable) and isinstance(later, TaasenTable):
        later.at = dict(table.at)
    later.wait(2)
    return later


def taasen(position: str) -> TaasenTable:
    table = TaasenTable(position)
    table.lay(position)
    table.wait(1.5)
    return table


def transfer(position: str) -> TransferTable:
    table = TransferTable(position)
    table.on = picture(position.split()[0])
    table.wait(1.5)
    return table


@pytest.mark.parametrize("cuts", [(1,), (2,), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("quick", [False, True])
def test_what_a_crushed_piece_holds_up_waits_on(cuts: tuple[int, ...], quick: bool) -> None:
    """Two turns are made around a piece that was crushed and still stands: nobody is asked when it is taken off."""
    table = taasen("RS=9 RP=10 GT=3 GS=15 GP=15 WT=0 WS=1 WP=5 G - -")
    for i, shift in enumerate(("GT=2", "WP=4", "GP=14", "WS=x")):
        table.play(shift, hold=0.1 if quick and i == 0 else 2.5)
        if i in cuts:
            table = after_a_cut(table)
    assert table.texts() == ["GT=2>WSx", "WP=4", "GP=14"]
    assert not table.told("question", "illegal")


@pytest.mark.parametrize("cut_again", [False, True])
def test_what_takes_the_place_of_a_last_turn_in_the_dark_can_be_put_back(cut_again: bool) -> None:
    """A piece moved without power is taken for another last turn and a reply; put back, the record is as it was."""
    table = taasen("RT=0 RS=2 RP=0 GT=9 GS=11 GP=9 WT=13 WS=15 WP=15 G WT -")
    table.play("WP=14")
    table.play("WT=12", "GS=10")
    table.play("WP=8")
    record = table.texts()
    table.move("GS=4")
    table = after_a_cut(table)
    assert table.texts() != record
    if cut_again:
        table = after_a_cut(table)
    table.play("GS=10")
    assert table.texts() == record == ["WP=14", "WT=12>GS=10", "WP=8"]
    assert not table.told("illegal")


@pytest.mark.parametrize("cut_again", [False, True])
def test_a_captured_piece_may_go_back_to_where_it_came_from_in_the_dark(cut_again: bool) -> None:
    """Put down first it looks as if its turn were taken back; the capture that it belongs to goes on all the same."""
    position = "rbrb1/3k1/2K1B/B4/R2R1 N"
    table = Table(position)
    table.put(position[:-2])
    table.wait(2)
    table.play("e3-e1", "d4-e3")
    table.move("d1-d2")
    table = after_a_cut(table)
    if cut_again:
        table = after_a_cut(table)
    table.play("d2-d1", hold=1.0)
    table.play("e3-d2")
    assert table.texts() == ["d4xe3@e1", "d1-d2", "e3xd2@d1"]
    assert not table.told("question", "illegal")


@pytest.mark.parametrize("cuts", [1, 2, 3])
def test_what_was_asked_about_is_no_position_before_anybody_has_answered(cuts: int) -> None:
    """Or a piece that was moved without power and is put back would have made a turn from there."""
    before, moved = "pbbvv/bbvvv/yyyyy/oooo/ossss/-/ggggg/s/bpppp", "pbbv/bbvvv/yyyyy/oooo/ossss/-/ggggg/sv/bpppp"
    table = transfer(f"{before} S 1-1")
    table.on = picture(moved)
    for _ in range(cuts):
        table = after_a_cut(table)
        assert table.state.question
    table.show(before)
    assert table.texts() == []
    assert not table.state.question
    assert not table.told("illegal")


@pytest.mark.parametrize("cuts", [(0,), (1,), (0, 1), (0, 1, 2)])
def test_a_null_turn_that_was_seen_counts_though_the_power_went(cuts: tuple[int, ...]) -> None:
    table = transfer(f"{P0} S 0-0")
    boards = [(LOADED, "o", ""), (P0, "", ""), (ANSWERED, "", "y"), (ANSWERED + "y", "", "")]
    for i, (rows, south, north) in enumerate(boards):
        table.show(rows, south, north)
        if i in cuts:
            table = after_a_cut(table)
    assert table.texts() == ["LA1 UA1", "LA1 UI1"]
    assert not table.told("question", "illegal")


def test_a_null_turn_is_not_forgotten_when_it_has_shown_whose_turn_it_is() -> None:
    """That South loads says who begins: what changes the lines at that moment must not wipe out what was seen."""
    table = transfer(f"{P0} ? 0-0")
    assert len(table.state.lines) == 2
    table.show(LOADED, "o")
    assert len(table.state.lines) == 1
    table.on = picture(P0)
    table = after_a_cut(table)
    for rows, north in ((ANSWERED, "y"), (ANSWERED + "y", "")):
        table.show(rows, "", north)
    assert table.texts() == ["LA1 UA1", "LA1 UI1"]


@pytest.mark.parametrize("game", ["transet", "transfer"])
def test_a_board_that_was_being_cleared_may_be_set_up_without_power(game: str) -> None:
    """It is a new game, as it would have been with power; nobody has to say so."""
    if game == "transfer":
        table: Table = transfer(f"{P0} S 0-0")
        start = picture("sgyb/vpos/osgy/bvpo/gybv/posg/ybvp/osgy/bvp")
    else:
        table = Table()
        table.begin()
        table.play("c1-c2")
        start = board(START)
    table.off, table.on = list(table.on.values()), {}
    table.wait(2)
    assert table.state.rearranging
    table.off, table.on = [], start
    table = after_a_cut(table)
    table.wait(2)
    assert len(table.told("setup_complete")) == 2
    assert not table.told("question", "illegal")


@pytest.mark.parametrize("cuts", [1, 2])
def test_what_an_operator_took_back_stays_taken_back(cuts: int) -> None:
    """The piece is still where it was when the power went: nobody has made the turn again."""
    table = Table()
    table.begin()
    table.play("c1-c2")
    table.play("c5-c4")
    table.command("take_back")
    table.wait(2)
    for _ in range(cuts):
        table = after_a_cut(table)
    assert table.texts() == ["c1-c2"]
    table.play("c4-c5")
    table = after_a_cut(table)
    assert table.texts() == ["c1-c2"]
    table.play("c5-c4")
    assert table.texts() == ["c1-c2", "c5-c4"]


def test_a_turn_made_again_after_it_was_taken_back_counts_though_the_power_goes_in_it() -> None:
    table = Table()
    table.begin()
    table.play("c1-c2")
    table.command("take_back")
    table.play("c2-c1")
    table.move("c1-c2")
    table = after_a_cut(table)
    assert table.texts() == ["c1-c2"]
