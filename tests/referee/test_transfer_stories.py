"""Transfer at the table, told as pictures: what the referee says, in order, and nothing else."""

from __future__ import annotations

import json
import random

import pytest
from pretend import brief
from pretend_transfer import P0, TransferTable, picture

from controller.referee import reducer
from controller.referee.events import Event
from controller.referee.reading import left_their_places
from controller.referee.timing import Timing
from controller.rules.api import Placement
from controller.rules.transfer import TRANSFER
from controller.sloppy.transfer.sampling import random_start, random_turn

# P0 after South's LA1 UI1
P0_AFTER = "sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/obvp"
P1 = "osgyb/vposg/ybvpo/sgybv/posgy/bvpos/gybvp/-/-"
P6 = "-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb"


def rows_of(table: TransferTable) -> list[dict[str, object]]:
    told = [{**event.as_json(), "internal": event.internal} for event in table.events]
    return [json.loads(json.dumps(row)) for row in told]


def only(table: TransferTable, name: str) -> Event:
    (event,) = table.told(name)
    return event


def test_a_turn_with_a_push_through_is_told_as_it_was_seen() -> None:
    table = TransferTable()
    table.show("osgyb/vpos/gybvp/osg/ybvpo/sgyb/vposg/ybvp/-")
    table.show("osgyb/os/gybvp/osg/ybvpo/sgyb/vposg/ybvp/-", south="pv")
    table.show("osgyb/os/vpgyb/osg/ybvpo/sgyb/vposg/ybvp/-", north="vp")
    table.show("osgyb/os/vpgyb/osgvp/ybvpo/sgyb/vposg/ybvp/-")
    table.show("osgyb/os/vpgyb/osgvp/ybvp/sgyb/vposg/ybvp/-", north="o")
    table.show("osgyb/os/vpgyb/osgvp/ybvp/sgyb/vposg/ybvp/o")
    assert brief(table.told()) == [
        "board_found",
        "setup_complete start",
        "obligation South unload",
        "obligation South clear",
        "turn 1 LB2 UC2^2 OD2",
        "obligation North unload",
        "turn 2 LE1 UI1",
    ]
    begun = only(table, "setup_complete")
    assert begun.data["position"].endswith(" ? 0-0")
    first, second = table.told("turn")
    assert first.data["position"].endswith(" N 0-0")
    assert second.data["position"].endswith(" S 0-0")


def test_an_obligation_names_piece_place_and_ways() -> None:
    table = TransferTable.at(f"{P1} S 0-0")
    table.show("sgyb/ovpos/ybvpo/sgybv/posgy/bvpos/gybvp/-/-", north="g")
    owed = only(table, "obligation").data
    assert (owed["player"], owed["act"], owed["piece"], owed["sites"]) == ("South", "clear", "green", ["north.1"])
    assert owed["to"] == ["A5", "H5", "I5"]


def test_gaps_and_shifts_along_a_row_are_no_change() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    table.show("o.sgy/.bvpo/sgyb/v.pos/gybv/posg/.ybvp/osgy/b.v.p".replace("..", "."))
    assert table.told() == []
    table.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/.bvp", south="o")
    table.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/obv.p")
    assert brief(table.told()) == ["obligation South unload", "turn 1 LA1 UI1"]


def test_the_text_tells_the_strokes_that_were_seen() -> None:
    """Two pieces from one row to another, in one block or one after the other: the same board."""
    for first, second, text in (
        ("gy/bvpo", "so", "LA2 UI2"),
        ("sgy/bvpo", "o", "LA1 LA1 UI2"),
    ):
        table = TransferTable.at(f"{P0} S 0-0")
        rest = "sgyb/vpos/gybv/posg/ybvp/osgy"
        table.show(f"{first}/{rest}/bvp", south=second)
        if second == "o":
            table.show(f"gy/bvpo/{rest}/bvp", south="so")
        table.show(f"gy/bvpo/{rest}/osbvp")
        assert table.texts() == [text]


def test_strokes_may_be_taken_back() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    table.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", south="o")
    table.show("sgy/vpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", south="bo")
    table.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", south="o")
    table.show(P0_AFTER)
    # To put a piece back and to unload it there is the same to see: the text tells it.
    assert brief(table.told())[-1] == "turn 1 LA1 LB1 UB1 UI1"
    assert not table.told("illegal", "question")


def test_a_split_group_is_named_and_ends_when_it_is_put_back_or_mended() -> None:
    position = "oosgy/bvsoo/gybvp/sgyb/vpos/gybv/pybp/gvp/s"
    rest = "bvsoo/gybvp/sgyb/vpos/gybv/pybp/gvp/s"
    table = TransferTable.at(f"{position} S 0-0")
    table.show(f"osgy/{rest}", south="o")
    assert brief(table.told()) == ["illegal South GROUP_SPLIT_LOAD"]
    table.show(position)
    table.show(f"osgy/{rest}", south="o")
    table.show(f"sgy/{rest}", south="oo")
    table.show("sgy/bvsoo/gybvp/sgyb/vpos/gybv/pybp/gvp/oos")
    assert brief(table.told()) == [
        "illegal South GROUP_SPLIT_LOAD",
        "restored put_back",
        "illegal South GROUP_SPLIT_LOAD",
        "restored going_on",
        "obligation South unload",
        "turn 1 LA2 UI2",
    ]


def test_a_split_by_pushing_is_named_for_the_side_whose_turn_it_is() -> None:
    rows = "ooooo/sgy/ssgyv/bvp/ybvp/pgsb/vypg/bps/gyvb"
    table = TransferTable.at(f"{rows} N ?-?")
    table.show("ooooo/sg/ssgyv/bvp/ybvp/pgsb/vypg/bps/gyvb", north="y")
    table.show("ooooo/sg/sgyvy/bvp/ybvp/pgsb/vypg/bps/gyvb", south="s")
    assert brief(table.told()) == ["obligation North unload", "illegal North GROUP_SPLIT_PUSH"]
    table.show("ooooo/sg/ssgyv/bvp/ybvp/pgsb/vypg/bps/gyvb", north="y")
    assert brief(table.told())[2:] == ["restored going_on"]


def test_a_dead_end_is_an_offence() -> None:
    rows = "sgooo/ybvp/sgyb/vpsg/ybvp/sgyb/vpso/ybv/pog"
    table = TransferTable.at(f"{rows} S 0-0")
    table.show("sgooo/bvp/gyb/psg/ybvp/sgyb/vpso/ybv/pog", south="vsy")
    table.show("ysvsg/bvp/gyb/psg/ybvp/sgyb/vpso/ybv/pog", north="ooo")
    assert brief(table.told()) == ["obligation South unload", "illegal South DEAD_END"]
    table.show("sgooo/bvp/gyb/psg/ybvp/sgyb/vpso/ybv/pog", south="vsy")
    assert brief(table.told())[2:] == ["restored going_on"]


def test_done_with_a_loaded_platform() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    table.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", south="o")
    assert table.press("North") == []
    assert table.press(None) == []
    assert brief(table.press("South")) == ["illegal South OWN_PLATFORM_NOT_EMPTY"]
    table.wait(4)
    table.show(P0_AFTER)
    assert brief(table.told()) == [
        "obligation South unload",
        "illegal South OWN_PLATFORM_NOT_EMPTY",
        "turn 1 LA1 UI1",
    ]


def test_done_with_something_on_the_other_platform() -> None:
    table = TransferTable.at(f"{P1} S 0-0")
    table.show("sgyb/ovpos/ybvpo/sgybv/posgy/bvpos/gybvp/-/-", north="g")
    assert brief(table.press("South")) == ["illegal South OPP_PLATFORM_NOT_EMPTY"]


def test_the_other_side_begins_before_the_platform_is_empty() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    table.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", south="o")
    table.show("sgy/bvpo/sgyb/vpo/gybv/posg/ybvp/osgy/bvp", south="o", north="s")
    assert brief(table.told()) == ["obligation South unload", "illegal South OWN_PLATFORM_NOT_EMPTY"]


def test_several_strokes_without_a_seam_are_asked_about_not_accused() -> None:
    """The far end's piece of row A, somehow in row I: that may have been two quick turns."""
    table = TransferTable.at(f"{P0} S 0-0")
    table.show("osg/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvyp", hold=5)
    assert brief(table.told()) == ["question"]
    asked = only(table, "question")
    assert asked.reasons
    assert {one["position"].split()[0] for one in asked.data["candidates"]} == {
        P0,
        "osg/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvyp",
    }
    table.show(P0)
    assert brief(table.told()) == ["question", "answered seen"]
    assert table.view is not None
    assert table.view.to_move == "South"


def test_what_follows_answers_the_question() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    rows = "osg/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvyp"
    table.show(rows)
    table.show("osg/bvpo/sgyb/vpos/gyb/posg/ybvp/osgy/bvyp", north="v")
    table.show("osgv/bvpo/sgyb/vpos/gyb/posg/ybvp/osgy/bvyp")
    assert brief(table.told()) == ["question", "obligation North unload", "turn 1 LE1 UA1", "answered seen"]


def test_one_wrong_stroke_is_accused() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    table.show("osg/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", south="y")
    assert brief(table.told()) == ["illegal South FAR_END"]
    assert only(table, "illegal").data["way_back"] == [{"piece": "yellow", "from": "south.1", "to": "A4"}]


def test_most_boards_after_a_first_turn_are_set_ups_and_no_new_game() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    table.show(P0_AFTER, hold=5)
    assert brief(table.told()) == ["turn 1 LA1 UI1"]
    table.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvpo", hold=5)  # itself a set-up
    assert not table.told("setup_complete", "rearranging")


def test_cleared_and_set_up_anew_begins_a_new_game() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    table.show(P0_AFTER)
    table.show("sgy/bvpo/sgyb/-/-/-/ybvp/osgy/obvp", off="vposgybvposg")
    table.show("-/-/-/-/-/-/-/-/-", off="osgybvp" * 5)
    table.show(P1, hold=1.8)
    assert brief(table.told()) == ["turn 1 LA1 UI1", "rearranging"]
    table.wait(0.5)
    assert brief(table.told())[2:] == ["setup_complete start"]
    assert table.told()[-1].game_no == 2


def test_cleared_and_put_back_goes_on() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    table.show("-/-/-/-/-/-/-/-/-", off="osgybvp" * 5)
    table.show(P0, hold=5)
    table.show(P0_AFTER)
    assert brief(table.told()) == ["rearranging", "turn 1 LA1 UI1"]


def test_a_null_turn_that_was_seen_counts_when_the_other_side_begins() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    loaded = "sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp"
    table.show(loaded, south="o")
    table.show(P0, hold=5)
    assert brief(table.told()) == ["obligation South unload"]
    table.show("osg/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", north="y")
    table.show("osg/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvpy")
    assert brief(table.told()) == [
        "obligation South unload",
        "turn 1 LA1 UA1",
        "obligation North unload",
        "turn 2 LA1 UI1",
    ]


def test_a_null_turn_is_likelier_than_the_last_turn_half_taken_back() -> None:
    """South put G's piece back; North takes up the very piece that it has just moved."""
    table = TransferTable.at("ooooo/sgy/ssgyv/bvp/ybvp/pgsb/vypg/bps/gyvb N 1-0")
    table.show("ooooo/sg/ssgyv/bvp/ybvp/pgsb/vypg/bps/gyvb", north="y")
    table.show("ooooo/sg/ssgyv/bvp/ybvpy/pgsb/vypg/bps/gyvb")
    table.show("ooooo/sg/ssgyv/bvp/ybvpy/pgsb/ypg/bps/gyvb", south="v")
    table.show("ooooo/sg/ssgyv/bvp/ybvpy/pgsb/vypg/bps/gyvb")
    table.show("ooooo/sg/ssgyv/bvp/ybvp/pgsb/vypg/bps/gyvb", north="y")
    table.show("ooooo/sg/ssgyv/bvp/ybvp/pgsb/vypg/bps/gyvby")
    assert table.texts() == ["LB1 UE1", "LG1 UG1", "LE1 UI1"]
    assert not table.told("illegal", "question", "withdrawn")


def test_put_back_and_another_turn_is_no_null_turn() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    table.show("osgy/vpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", south="b")
    table.show(P0)
    table.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", south="o")
    table.show(P0_AFTER)
    assert table.texts() == ["LA1 UI1"]
    assert not table.told("illegal", "question", "withdrawn")


def test_done_on_an_unchanged_board_is_a_null_turn_where_it_is_allowed() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    assert table.press("North") == []
    assert brief(table.press("South")) == ["turn 1 LA1 UA1"]
    strict = TRANSFER.with_options({"null_turn": "forbid"})
    table = TransferTable.at(f"{P0} S 0-0", strict)
    assert not [event for event in table.press("South") if event.event == "turn"]


def test_a_turn_may_be_changed_until_the_next_is_complete() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    table.show(P0_AFTER)
    table.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", south="o")
    table.show("sgy/obvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp")
    assert brief(table.told()) == [
        "turn 1 LA1 UI1",
        "withdrawn 1",
        "obligation South unload",
        "turn 1 LA1 UB1 revised",
    ]


def test_a_pass_is_written_after_the_turn_that_forces_it() -> None:
    table = TransferTable.at("g/ooooo/vvvvv/yyyy/ppppp/-/sssss/ygggg/bbbbb S 3-2")
    table.show("-/ooooo/vvvvv/yyyy/ppppp/-/sssss/ygggg/bbbbb", south="g")
    table.show("-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb")
    assert brief(table.told()) == ["obligation South unload", "turn 1 LA1 UD1", "pass"]
    passed = only(table, "pass")
    assert passed.data["n"] == 2
    assert passed.data["player"] == "North"
    assert passed.data["text"] == "--"
    assert passed.data["position"].endswith(" S 3-2")
    assert table.view is not None
    assert table.view.to_move == "South"
    # what the operator takes back is the turn, and the pass goes with it
    assert brief(table.command("take_back")) == ["ruling taken_back", "withdrawn 2", "withdrawn 1"]


@pytest.mark.parametrize("mover", ["N", "?"])
def test_a_pass_straight_at_the_beginning(mover: str) -> None:
    table = TransferTable(f"{P6} {mover} 3-2")
    table.on = picture(P6)
    table.wait(1.5)
    expected = ["board_found", "setup_complete midgame"] + (["pass"] if mover == "N" else [])
    assert brief(table.told()) == expected
    assert table.view is not None
    assert table.view.to_move == "South"


def test_after_a_power_cut_passes_and_null_turns_are_remembered() -> None:
    table = TransferTable("g/ooooo/vvvvv/yyyy/ppppp/-/sssss/ygggg/bbbbb S 3-2")
    table.on = picture("g/ooooo/vvvvv/yyyy/ppppp/-/sssss/ygggg/bbbbb")
    table.wait(1.5)
    table.show("-/ooooo/vvvvv/yyyy/ppppp/-/sssss/ygggg/bbbbb", south="g")
    table.show("-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb")
    table.show("-/ooooo/vvvvv/yyyy/ppppp/-/sssss/ygggg/bbbbb", south="g")
    table.show("-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb")
    again = reducer.resume(TRANSFER, "transfer", Timing(), rows_of(table))
    assert again.lines == table.state.lines
    assert again.played == table.state.played
    later = TransferTable(state=again)
    later.on = dict(table.on)
    later.wait(1)
    assert brief(later.told()) == ["board_found"]


def test_a_null_turn_begun_before_a_power_cut_is_no_offence_of_the_other_side() -> None:
    table = TransferTable(f"{P0} S 0-0")
    table.on = picture(P0)
    table.wait(1.5)
    table.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", south="o")
    later = TransferTable(state=reducer.resume(TRANSFER, "transfer", Timing(), rows_of(table)))
    later.on = picture(P0)  # put back while there was no power
    later.wait(2)
    later.show("osg/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", north="y")
    later.show("osg/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvpy")
    assert later.texts() == ["LA1 UA1", "LA1 UI1"]
    assert not later.told("illegal", "question")


def test_points_are_counted_and_the_seventh_row_ends_the_game() -> None:
    rows = "ooooo/sssss/ggggg/yyyyy/bbbbb/vvvv/ppppp/v/-"
    table = TransferTable.at(f"{rows} S 3-3")
    table.show("ooooo/sssss/ggggg/yyyyy/bbbbb/vvvv/ppppp/-/-", south="v")
    table.show("ooooo/sssss/ggggg/yyyyy/bbbbb/vvvvv/ppppp/-/-")
    assert brief(table.told()) == ["obligation South unload", "turn 1 LH1 UF1*", "game_over South wins"]
    over = only(table, "game_over")
    assert (over.data["winner"], over.data["score"]) == ("South", [4, 3])
    assert table.view is not None
    assert table.view.score == (4, 3)
    assert table.view.winner == "South"
    table.wait(10)
    assert len(table.told()) == 3


def test_several_points_in_one_turn() -> None:
    table = TransferTable.at("oooo/ssss/ggggg/yyyyy/bbbbb/vvvvv/ppppp/os/- S 2-3")
    table.show("oooo/ssss/ggggg/yyyyy/bbbbb/vvvvv/ppppp/-/-", south="so")
    table.show("oooo/sssss/ggggg/yyyyy/bbbbb/vvvvv/ppppp/-/-", south="o")
    table.show("ooooo/sssss/ggggg/yyyyy/bbbbb/vvvvv/ppppp/-/-")
    assert brief(table.told())[2:] == ["obligation South unload", "turn 1 LH2 UB1* UA1*", "game_over South wins"][1:]
    assert only(table, "game_over").data["score"] == [4, 3]


def test_after_a_mid_game_start_the_score_stays_unknown() -> None:
    rows = "ooooo/sssss/ggggg/yyyyy/bbbbb/vvvv/ppppp/v/-"
    table = TransferTable("auto")
    table.on = picture(rows)
    table.wait(2)
    table.show("ooooo/sssss/ggggg/yyyyy/bbbbb/vvvv/ppppp/-/-", south="v")
    table.show("ooooo/sssss/ggggg/yyyyy/bbbbb/vvvvv/ppppp/-/-")
    over = only(table, "game_over")
    assert (over.data["winner"], over.data["result"]) == (None, "score unknown")
    assert over.data["score"] is None
    assert table.view is not None
    assert table.view.score is None


def test_the_score_is_told_however_the_game_ends() -> None:
    table = TransferTable.at(f"{P0} S 2-1")
    table.press("South", "resign")
    over = only(table, "game_over")
    assert (over.data["winner"], over.data["score"]) == ("North", [2, 1])


def test_early_end_is_an_option() -> None:
    game = TRANSFER.with_options({"early_end": "true"})
    rows = "ooooo/sssss/ggggg/yyyy/bbbb/vvvv/ppppp/ybv/-"
    table = TransferTable.at(f"{rows} S 3-1", game)
    table.show("ooooo/sssss/ggggg/yyyyy/bbbb/vvvv/ppppp/bv/-")
    assert brief(table.told()) == ["turn 1 LH1 UD1*", "game_over South wins"]


def test_missing_pieces_are_a_hint_after_ten_seconds() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    table.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", hold=9)
    assert table.view is not None
    assert table.view.missing == ()
    table.wait(2)
    assert table.view.missing == ("orange",)
    assert table.told() == []
    table.show(P0)
    assert table.view.missing == ()


def test_a_piece_pushed_out_where_no_platform_stands_is_missing_until_it_is_cleared() -> None:
    table = TransferTable.at(f"{P1} S 0-0")
    table.show("sgyb/vposg/ybvpo/sgybv/posgy/bvpos/gybvp/-/-", south="o")
    table.show("sgyb/ovpos/ybvpo/sgybv/posgy/bvpos/gybvp/-/-", off="g")
    table.show("sgyb/ovpos/ybvpo/sgybv/posgy/bvpos/gybvp/g/-")
    assert table.texts() == ["LA1 UB1^1 OH1"]
    assert not table.told("illegal", "question")


def test_a_game_taken_up_in_the_middle_finds_out_who_moves() -> None:
    table = TransferTable("auto")
    rows = "oosg/vpysg/bbyv/pso/gyvpo/sb/vypo/gbsvp/ygb"
    table.on = picture(rows)
    table.wait(2)
    table.show("oosg/vpysg/bbyv/pso/gyvp/sb/vypo/gbsvp/ygb", north="o")
    table.show("oosg/vpysg/bbyv/psoo/gyvp/sb/vypo/gbsvp/ygb")
    assert brief(table.told()) == [
        "board_found",
        "setup_complete midgame",
        "obligation North unload",
        "turn 1 LE1 UD1",
    ]


def test_what_is_accepted_as_played_keeps_the_score() -> None:
    table = TransferTable.at("oooo/sgybo/ssssg/ggg/yyyb/bbb/vvvp/pppv/yvp S 1-2")
    table.show("oooo/gsybo/ssssg/ggg/yyyb/bbb/vvvp/pppv/yvp")
    assert only(table, "illegal").data["player"] == "South"
    events = table.command("accept_as_played")
    assert brief(events)[0] == "ruling accepted"
    assert events[1].data["legal"] is False
    assert events[1].data["position"] == "oooo/gsybo/ssssg/ggg/yyyb/bbb/vvvp/pppv/yvp N 1-2"


def test_points_go_on_where_it_can_be_told_whose_they_are() -> None:
    before = TRANSFER.parse_position("oooo/sgybo/ssssg/ggg/yyyb/bbb/vvvp/pppv/yvp S 1-2")
    for now, score in (("N ?-?", "N 2-2"), ("S ?-?", "S 1-3"), ("? ?-?", "? ?-?")):
        after = TRANSFER.parse_position(f"ooooo/sgyb/ssssg/ggg/yyyb/bbb/vvvp/pppv/yvp {now}")
        assert TRANSFER.position_text(TRANSFER.with_points(before, after)).endswith(score)
    same = TRANSFER.parse_position("oooo/gsybo/ssssg/ggg/yyyb/bbb/vvvp/pppv/yvp ? ?-?")
    assert TRANSFER.position_text(TRANSFER.with_points(before, same)).endswith("? 1-2")
    unknown = TRANSFER.parse_position("oooo/sgybo/ssssg/ggg/yyyb/bbb/vvvp/pppv/yvp S ?-?")
    assert TRANSFER.position_text(TRANSFER.with_points(unknown, same)).endswith("? ?-?")


def test_done_said_of_a_turn_that_makes_the_other_side_pass_is_no_null_turn() -> None:
    table = TransferTable.at("g/ooooo/vvvvv/yyyy/ppppp/-/sssss/ygggg/bbbbb S 3-2")
    table.show("-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb")
    assert table.press("South") == []
    table.wait(1)
    assert brief(table.told()) == ["turn 1 LA1 UD1", "pass"]


def test_done_is_judged_by_a_frame_not_older_than_it() -> None:
    table = TransferTable.at(f"{P1} S 0-0")
    table.show("sgyb/ovpos/ybvpo/sgybv/posgy/bvpos/gybvp/-/-", north="g")
    table.on = picture("sgyb/ovpos/ybvpo/sgybv/posgy/bvpos/gybvp/g/-")  # the frames with the hand were lost
    table.t_s += 0.3
    assert table.press("South") == []
    table.frame += 4
    table.wait(1)
    assert brief(table.told()) == ["obligation South clear", "turn 1 LA1 UB1^1 OH1"]


def test_a_whole_turn_put_back_is_a_null_turn_when_the_other_side_begins() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    table.show(P0_AFTER)
    table.show(P0)
    table.show("osg/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", north="y")
    assert brief(table.told()) == [
        "turn 1 LA1 UI1",
        "withdrawn 1",
        "turn 1 LA1 UA1 revised",
        "obligation North unload",
    ]


def test_a_turn_put_back_and_another_begun_does_not_change_the_turn_before() -> None:
    """The first turn brings the board to where the turn before, changed, would have brought it."""
    table = TransferTable.at("poyo/ygv/ggopo/-/ssssp/gbyys/ybbb/vvvpv/pgob N 0-0")
    rest = "yysvp/ybbb/bvvvp/pgob"
    before = f"gpoyo/ygv/ggopo/-/ssss/{rest}"
    table.show(before)
    table.show("gpoyo/ygv/ggopo/-/ssss/yysvp/bybbb/vvvp/pgob")
    table.show(f"gpoyo/ygv/opo/-/ssss/{rest}", south="gg")
    assert brief(table.told()) == [
        "turn 1 LE1 LH1 UF2^2 OH1 OA1",
        "turn 2 LH1 UG1",
        "withdrawn 2",
        "obligation South unload",
    ]


def test_who_begins_is_not_settled_by_what_glare_hides() -> None:
    table = TransferTable()
    rows = "vbyv/vobgo/ygsbo/sg/pypoy/gpysp/bs/vo/svpbg"
    table.show(rows)
    table.on = picture("vbyv/vobgo/ygsb/sg/pypoy/gpysp/bs/vo/svpbg", north="o")
    under = frozenset({"C5", "north.1"})
    table.wait(0.3, hand=True, moving=True, hidden=under)
    table.wait(3, hidden=under)
    table.wait(2)
    assert "obligation North unload" in brief(table.told()), brief(table.told())


def test_a_quick_hand_that_ends_a_turn_and_begins_the_next_is_understood() -> None:
    """South finished and North loaded without anything standing still between: one turn alone can have been made."""
    for seams in (1, 0):
        table = TransferTable.at(f"{P0} S 0-0")
        if seams:
            table.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", south="o")
        table.show("sgy/bvpo/sgyb/vpos/gyb/posg/ybvp/osgy/obvp", north="v")
        table.show("sgyv/bvpo/sgyb/vpos/gyb/posg/ybvp/osgy/obvp")
        assert brief(table.told())[seams:] == ["turn 1 LA1 UI1", "obligation North unload", "turn 2 LE1 UA1"]


def test_a_block_carried_there_and_back_by_two_quick_turns_is_asked_about() -> None:
    """South puts both sky beside the vermilion, North brings them back to the other end: one row is turned over."""
    table = TransferTable.at("vvvv/sss/-/ppppp/yyyyy/ssv/ooooo/bbbbb/ggggg S 4-1")
    table.show("vvvv/sss/-/ppppp/yyyyy/vss/ooooo/bbbbb/ggggg", hold=4)
    assert brief(table.told()) == ["question"]
    table = TransferTable.at(f"{P0} S 0-0")
    table.show("ogsy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", hold=4)  # that no two turns can do
    assert brief(table.told()) == ["illegal South ROW_REORDERED"]


def test_two_quick_turns_are_asked_about_and_what_follows_is_understood() -> None:
    """Nothing stands still between them: unless one turn explains it the referee asks, and finds its way again."""
    asked = 0
    for seed in range(24):
        rng = random.Random(seed)
        start = random_start(rng, "South")
        middle = TRANSFER.after(start, random_turn(rng, TRANSFER, start))
        end = TRANSFER.after(middle, random_turn(rng, TRANSFER, middle))
        third = random_turn(rng, TRANSFER, end)
        last = TRANSFER.after(end, third)
        if left_their_places(TRANSFER, TRANSFER.picture(start), TRANSFER.picture(end)) > 7:
            continue  # that looks like rearranging
        table = TransferTable.at(TRANSFER.position_text(start))
        stand(table, TRANSFER.picture(end))
        assert not table.told("illegal"), seed
        if not table.told("question"):
            continue
        asked += 1
        for placement in (*TRANSFER.stages(end, third), TRANSFER.picture(last)):
            stand(table, placement)
        assert not table.told("illegal"), seed
        assert len(table.told("question")) == len(table.told("answered")) == 1
        assert table.view is not None
        assert table.view.position is not None
        assert table.view.position.split()[:2] == TRANSFER.position_text(last).split()[:2], seed
    assert asked > 10


def stand(table: TransferTable, placement: Placement) -> None:
    table.wait(0.3, hand=True, moving=True)
    table.on = {site: kinds[0] for site, kinds in placement.on.items()}
    table.wait(2.5)


def test_a_slip_after_a_null_turn_is_not_taken_for_the_other_sides_turn() -> None:
    """North loads and puts back, then puts a piece in at the wrong end for a moment: South could have done that."""
    table = TransferTable.at("ysbys/gpv/pgyog/pvyv/sgo/poby/vo/ovpb/bbgss N 0-0")
    table.show("ysbys/gpv/pgyog/pvyv/sgo/pob/vo/ovpb/bbgss", north="y")
    table.show("ysbys/gpv/pgyog/pvyv/sgo/poby/vo/ovpb/bbgss")
    table.show("ysbys/gpv/pgyog/pvyv/osgo/poby/v/ovpb/bbgss", hold=0.9)
    table.show("ysbys/gpv/pgyog/pvyv/sgoo/poby/v/ovpb/bbgss")
    assert table.texts() == ["LG1 UE1"]
    assert not table.told("illegal", "question", "withdrawn")


def test_who_has_lost_the_thread_accuses_nobody_of_a_done() -> None:
    table = TransferTable.at(f"{P0} S 0-0")
    table.show("osg/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvyp")
    assert brief(table.told()) == ["question"]
    table.press("South")
    table.wait(1)
    assert brief(table.told()) == ["question"]


def test_everything_put_back_after_a_question_takes_the_turn_back() -> None:
    """South plays, a piece is carried from row to row (asked about), then the board stands as before South's turn."""
    before = "-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb"
    table = TransferTable.at(f"{before} S 0-0")
    table.show("-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb")
    table.show("-/ooooo/vvvvv/yyyy/ppppp/-/sssss/ygggg/bbbbb", south="g")
    table.show("g/ooooo/vvvvv/yyyy/ppppp/-/sssss/ygggg/bbbbb")
    assert table.texts() == ["LD1 UA1"]
    table.show("g/ooooo/vvvvv/yyyys/ppppp/-/ssss/ygggg/bbbbb")
    assert [one.event for one in table.told("question", "illegal")] == ["question"]
    table.show(before)
    assert table.texts() == []
    assert not table.told("illegal", "game_over")
    assert table.view is not None
    assert table.view.score == (0, 0)
