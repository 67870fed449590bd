"""Whole stories, told as placements: what the referee says, in order, and nothing else."""

from __future__ import annotations

import pytest
from pretend import START, Table, brief


def playing(*turns: tuple[str, ...]) -> Table:
    """A table on which these turns have been played, its events forgotten."""
    table = Table()
    table.begin()
    for turn in turns:
        table.play(*turn)
    table.events.clear()
    return table


def test_a_game_begins_when_the_setup_stands_still() -> None:
    table = Table()
    assert brief(table.begin()) == ["board_found", "setup_complete start"]
    begun = table.told("setup_complete")[0]
    assert begun.t_s == 1.0
    assert {event.game_no for event in table.told()} == {1}
    assert begun.data["position"] == f"{START} S"


def test_transet_a() -> None:
    table = playing()
    table.play("c1-c2")
    table.play("c5-c4")
    table.play("c2-b2")
    table.play("b1-c1")
    table.play("c4-b3")
    table.play("b3-")
    table.play("b2-b3")
    table.play("-c5:k")
    table.play("a5-a4")
    assert brief(table.events) == [
        "turn 1 c1-c2",
        "turn 2 c5-c4",
        "obligation South second_half",
        "turn 3 c2-b2&b1-c1",
        "turn 4 c4-b3",
        "obligation South return",
        "turn 5 b2xb3@c5",
        "turn 6 a5-a4",
    ]


def test_transet_b() -> None:
    table = playing(("d1-c2",), ("a5-a4",))
    table.play("e1-d2")
    table.play("d2-e1")
    table.play("e1-e2")
    table.play("b5-c4")
    assert brief(table.events) == ["illegal South WRONG_STEP", "restored put_back", "turn 3 e1-e2", "turn 4 b5-c4"]
    illegal = table.told("illegal")[0]
    assert illegal.data["way_back"] == [{"piece": "dark-PINET", "from": "d2", "to": "e1"}]
    assert illegal.data["sites"]
    assert "owner" not in illegal.data
    assert illegal.reasons[0].code == "WRONG_STEP"


def test_transet_e() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.play("a1-a2")
    table.play("c2-c1")
    table.hand("d5-", seconds=0.2)
    table.play("-d5:b")
    table.play("b5-a4")
    table.play("d1-e2")
    table.play("e2-d1")
    table.play("b1-c2")
    table.play("e5-e4")
    assert brief(table.events) == [
        "turn 3 a1-a2",
        "turn 3 a1-a2&c2-c1 revised",
        "turn 4 b5-a4",
        "turn 5 d1-e2",
        "withdrawn 5",
        "turn 5 b1-c2 revised",
        "turn 6 e5-e4",
    ]


def test_a_plain_step_is_accepted_when_settled_an_extendable_one_later() -> None:
    table = playing()
    table.hand("d1-c2")
    left_s = table.t_s
    table.wait(2)
    assert table.told("turn")[0].t_s == pytest.approx(left_s + 0.5)
    table = playing(("c1-c2",), ("c5-c4",))
    table.hand("a1-a2")
    left_s = table.t_s
    table.wait(2)
    assert table.told("turn")[0].t_s == pytest.approx(left_s + 1.5)


def test_nothing_is_judged_under_a_hand() -> None:
    table = playing()
    table.move("a1-b2")
    table.wait(5, hand=True, moving=True)
    assert not table.told("illegal", "turn")
    table.wait(1.4)
    assert not table.told("illegal")
    table.wait(0.2)
    assert brief(table.told("illegal")) == ["illegal South WRONG_STEP"]


def test_an_illegal_placement_is_named_once_and_again_only_when_it_differs() -> None:
    table = playing()
    table.play("a1-b2", hold=4)
    table.wait(1, hand=True)
    table.wait(4)
    assert brief(table.events) == ["illegal South WRONG_STEP"]
    table.hand("b2-b3")
    left_s = table.t_s
    table.wait(3)
    assert [e.t_s for e in table.told("illegal")][1] == pytest.approx(left_s + 0.8)
    table.play("b3-b2", hold=4)
    assert len(table.told("illegal")) == 2
    table.play("b2-a1")
    assert brief(table.events)[-1] == "restored put_back"
    table.play("a1-b2")
    assert len(table.told("illegal")) == 3


def test_an_illegal_turn_ended_by_a_legal_one_writes_the_turn_only() -> None:
    table = playing()
    table.play("a1-b2")
    table.play("b2-a2")
    assert brief(table.events) == ["illegal South WRONG_STEP", "turn 1 a1-a2"]


def test_an_illegal_turn_ended_by_a_stage_is_going_on() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.play("a1-b2")
    table.play("b2-a1", "c2-b2")
    assert brief(table.events) == [
        "illegal South WRONG_STEP",
        "restored going_on",
        "obligation South second_half",
    ]


def test_lifting_the_wrong_piece_after_an_offence_is_not_yet_putting_right() -> None:
    table = playing()
    table.play("a1-b2")
    table.play("b2-")
    assert brief(table.events) == ["illegal South WRONG_STEP"]
    table.play("-a1:R")
    assert brief(table.events) == ["illegal South WRONG_STEP", "restored put_back"]


def test_a_swap_finished_after_the_reply_keeps_the_reply() -> None:
    table = playing(("c1-c2",), ("c5-c4",), ("a1-a2",), ("b5-a4",))
    table.play("c2-c1")
    assert brief(table.events) == ["turn 3 a1-a2&c2-c1 revised", "turn 4 b5-a4 revised"]
    table.play("b1-c2")
    assert brief(table.events)[-1] == "turn 5 b1-c2"


def test_a_turn_changed_before_the_reply() -> None:
    table = playing(("c1-c2",), ("b5-a4",))
    table.play("a4-b5", "b5-c4")
    assert brief(table.events) == ["turn 2 b5-c4 revised"]


def test_a_turn_changed_into_another_in_two_movements() -> None:
    table = playing(("c1-c2",), ("b5-a4",))
    table.play("a4-b5")
    table.play("d5-e4")
    assert brief(table.events) == ["withdrawn 2", "turn 2 d5-e4 revised"]


def test_a_turn_withdrawn_into_a_stage_of_another() -> None:
    table = playing(("c1-c2",), ("c5-c4",), ("a1-a2",))
    table.play("a2-a1", "c2-b2")
    assert brief(table.events) == ["withdrawn 3", "obligation South second_half"]
    table.play("b1-c1")
    assert brief(table.events)[-1] == "turn 3 c2-b2&b1-c1 revised"


def test_two_quick_turns() -> None:
    table = playing()
    table.play("c1-c2", hold=0.1)
    table.play("c5-c4")
    assert brief(table.events) == ["turn 1 c1-c2", "turn 2 c5-c4"]
    assert {e.frame for e in table.told("turn")} == {table.told("turn")[0].frame}


def test_two_quick_turns_the_second_half_done() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.play("c2-c3", hold=0.1)
    table.play("c4-", hold=0.1)
    table.play("-c4:k", "c4-", "c3-", hold=0.2)
    assert not table.told("illegal")


def test_a_quick_reply_to_an_extendable_turn() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.play("a1-a2", hold=0.8)  # settled, but a swap could go on from here
    table.play("b5-a4")
    assert brief(table.events) == ["turn 3 a1-a2", "turn 4 b5-a4"]


def test_an_illegal_reply_to_a_turn_not_accepted_yet() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.play("a1-a2", hold=0.8)
    table.play("a5-b4")
    assert brief(table.events) == ["turn 3 a1-a2", "illegal North WRONG_STEP"]


def test_the_captured_piece_on_the_table_in_the_hand_or_under_the_capturer() -> None:
    table = playing(("c1-c2",), ("c5-c4",), ("c2-c3",), ("b5-a4",))
    # c3 takes c4; the victim goes straight into the other hand, then to c5
    table.hand("c4-")
    table.off.clear()
    table.play("c3-c4")
    assert brief(table.events) == ["obligation South return"]
    owed = table.told("obligation")[0].data
    assert owed["piece"] == "light-PIAS"
    assert sorted(owed["to"]) == ["b5", "c5"]
    table.play("-c5:k")
    assert brief(table.events) == ["obligation South return", "turn 5 c3xc4@c5"]


def test_a_capture_that_was_not_finished_before_the_other_side_moved() -> None:
    table = playing(("c1-c2",), ("c5-c4",), ("c2-c3",), ("b5-a4",))
    table.play("c4-", "c3-c4")
    table.play("e5-e4")
    assert brief(table.events) == ["obligation South return", "illegal South NO_REPLACEMENT"]


def test_half_a_swap_that_was_not_finished_before_the_other_side_moved() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.play("c2-b2")
    table.play("b5-a4")
    assert brief(table.events) == ["obligation South second_half", "illegal South SIDEWAYS_ALONE"]


def test_moving_again_out_of_turn_names_the_side_that_moved() -> None:
    table = playing(("c1-c2",))
    table.play("e1-e2")
    assert brief(table.events)[0].startswith("illegal South")
    assert table.told("illegal")[0].data.get("owner") is None


def test_the_other_side_moving_first_is_read_as_the_side_to_move() -> None:
    table = playing()
    table.play("a5-a4")
    assert brief(table.events) == ["illegal South NOT_YOUR_PAWN"]
    assert table.told("illegal")[0].data["owner"] == "North"


def test_moving_an_accepted_piece_on_is_read_as_the_same_turn() -> None:
    table = playing(("c1-c2",))
    table.play("c2-c3")
    assert brief(table.events) == ["illegal South TOO_FAR"]


def test_rearranging_and_a_new_game() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.play("a1-", "b1-", "d1-", "e1-", "c2-")
    assert brief(table.events) == ["rearranging"]
    table.play("a5-", "b5-", "c4-")
    table.put(START)
    table.wait(0.3, hand=True, moving=True)
    left_s = table.t_s
    table.wait(4)
    assert brief(table.events) == ["rearranging", "setup_complete start"]
    begun = table.told("setup_complete")[0]
    assert begun.game_no == 2
    assert begun.t_s == pytest.approx(left_s + 2)


def test_rearranged_and_put_back_goes_on_with_the_same_game() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.play("a1-", "b1-", "d1-", "e1-")
    table.play("-a1:R", "-b1:B", "-d1:B", "-e1:R")
    table.play("c2-c3")
    assert brief(table.events) == ["rearranging", "turn 3 c2-c3"]


def test_a_new_game_after_two_turns_is_no_offence() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.play("c2-c1", "c4-c5", hold=4)
    assert brief(table.events) == ["rearranging", "setup_complete start"]


def test_the_start_position_reached_by_legal_turns_is_no_new_game() -> None:
    table = Table("rbkbr/5/5/2B2/RBK1R S")
    table.put("rbkbr/5/5/2B2/RBK1R")
    table.wait(2)
    assert brief(table.events) == ["board_found", "setup_complete midgame"]
    table = playing(("a1-a2",))
    table.play("a2-a1", hold=4)
    assert brief(table.events) == ["withdrawn 1"]


def test_a_turn_that_ends_the_game_is_final_and_a_setup_begins_the_next() -> None:
    table = Table("rbk1r/2K2/3b1/B4/R2BR S")
    table.put("rbk1r/2K2/3b1/B4/R2BR")
    table.wait(2)
    table.events.clear()
    table.hand("c4-d5")
    left_s = table.t_s
    table.wait(3)
    assert brief(table.events) == ["turn 1 c4-d5#", "game_over South wins"]
    assert table.told("game_over")[0].t_s == pytest.approx(left_s + 0.5)
    assert table.told("game_over")[0].data["winner"] == "South"
    table.play("d5-c4", "a5-a4", "b5-b4", "e5-e4")
    table.put(START)
    table.wait(0.2, hand=True)
    table.wait(3)
    assert brief(table.events)[2:] == ["rearranging", "setup_complete start"]


def test_a_capture_on_the_enemy_line_needs_no_return() -> None:
    table = Table("rbk1r/2K2/3b1/B4/R2BR S")
    table.put("rbk1r/2K2/3b1/B4/R2BR")
    table.wait(2)
    table.events.clear()
    table.play("c5-", "c4-c5")
    assert brief(table.events) == ["turn 1 c4xc5#", "game_over South wins"]
    table.play("-d5:k", hold=4)
    assert len(table.told()) == 2


def test_a_turn_taken_back_for_half_of_another_or_two_quick_turns() -> None:
    """Both look the same: the record follows whatever the players do next, and nobody is accused."""
    position = "2kbb/1r3/1KB1r/5/R1B1R S"

    def so_far() -> Table:
        table = Table(position)
        table.put(position.split()[0])
        table.wait(2)
        table.play("b4-b5", "b3-b4")
        assert table.texts() == ["b3xb4@b5"]
        every = sorted(table.game.sites)
        table.hand("b4-", "b5-b4", "-b1:K", hidden=every)
        table.hand("b1-b2", hidden=every)
        table.wait(2.5)
        return table

    quick = so_far()
    quick.play("e3-e2")
    assert quick.texts() == ["b3xb4@b5", "b5xb4@b1", "b1-b2", "e3-e2"]
    back = so_far()
    back.play("e1-e2")
    assert back.texts() == ["e1-e2&b3-b2"]
    assert not [event for table in (quick, back) for event in table.told("illegal", "question")]


def test_pieces_lifted_after_a_turn_not_accepted_yet_are_no_rearranging() -> None:
    table = Table("r2rb/b1k1K/5/4B/RB2R N")
    table.put("r2rb/b1k1K/5/4B/RB2R")
    table.wait(2)
    table.play("d5-c5", "c4-d4", hold=0.8)
    table.on.pop("e4"), table.on.pop("b1")
    table.wait(0.3, hand=True, moving=True)
    table.wait(2)
    assert not table.told("rearranging", "illegal")
