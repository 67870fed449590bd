"""Taasen told as placements: what the referee says, in order, and nothing else."""

from __future__ import annotations

import pytest
from pretend import brief
from pretend_taasen import START, TaasenTable, playing

from controller.referee.reducer import resume
from controller.referee.signals import signals
from controller.referee.timing import Timing
from controller.rules.taasen import TAASEN

A10 = "RT=7 RS=10 RP=9 GT=15 GP=12 GS=8 WT=2 WS=0 WP=0 R - -"  # RS=11 presses GP: to 5 over the sea, or to 13
CRUSH = "RT=0 RS=10 RP=9 GT=5 GS=11 GP=15 G - -"  # GT=4 crushes RS
BOTH = "RT=11 GS=9 WS=4 RP=8 GP=15 R - -"  # RT=10 presses GS, crushed, and WS, which can flee to 5


def test_any_colour_may_stand_on_any_corner() -> None:
    table = TaasenTable()
    table.lay("RT=0 RS=0 RP=0 GT=9 GS=9 GP=9 WT=15 WS=15 WP=15")
    assert brief(table.wait(1.5)) == ["board_found", "setup_complete start"]
    table.play("WT=14")
    table.play("GS=10")
    assert table.texts() == ["WT=14", "GS=10"]


def test_an_attack_is_answered_and_the_turn_is_the_attackers() -> None:
    table = playing(A10)
    table.play("RS=11")
    owed = table.told("obligation")[0].data
    assert (owed["player"], owed["act"], owed["piece"]) == ("Green", "reply", "green-PAUPIL")
    assert (owed["sites"], owed["to"]) == (["12"], ["13", "5"])
    assert table.view is not None
    assert set(signals(table.view).bars) == {"Green"}
    table.press("Red")
    table.wait(1)
    table.play("GP=5")
    assert brief(table.events) == ["obligation Green reply", "turn 1 RS=11>GP=5"]
    assert table.told("turn")[0].data["player"] == "Red"


def test_a_victim_in_a_hand_is_no_offence_until_its_owner_says_done() -> None:
    table = playing(A10)
    table.play("RS=11")
    table.play("GP=", hold=8)
    table.press("Red")
    table.wait(2)
    table.press(None)
    table.wait(2)
    assert not table.told("illegal")
    table.press("Green")
    table.wait(1)
    illegal = table.told("illegal")[0].data
    assert (illegal["code"], illegal["player"]) == ("NOT_CRUSHED", "Green")
    table.play("GP=13")
    assert brief(table.events)[-2:] == ["illegal Green NOT_CRUSHED", "turn 1 RS=11>GP=13"]


def test_a_next_turn_without_the_victim_shows_that_it_was_taken_off() -> None:
    table = playing(A10)
    table.play("RS=11")
    table.play("GP=x")
    table.play("GS=14")
    illegal = table.told("illegal")[0].data
    assert (illegal["code"], illegal["player"]) == ("NOT_CRUSHED", "Green")
    assert "owner" not in illegal


def test_anything_else_before_the_answer_is_an_offence_of_the_side_that_owes_it() -> None:
    table = playing(A10)
    table.play("RS=11")
    table.play("GS=14")
    table.play("GS=8")
    table.play("WT=1")
    table.play("WT=2")
    table.play("GP=5")
    assert brief(table.events) == [
        "obligation Green reply",
        "illegal Green PUSH_PENDING",
        "restored going_on",
        "illegal Green PUSH_PENDING",
        "restored going_on",
        "turn 1 RS=11>GP=5",
    ]
    way_back = table.told("illegal")[0].data["way_back"]
    assert {"piece": "green-SCIANE", "from": "14", "to": "8"} in way_back


def test_the_attacker_moving_on_before_the_answer_is_read_as_the_attacker() -> None:
    table = playing(A10)
    table.play("RS=11")
    table.play("RT=8")
    assert table.told("illegal")[0].data["player"] == "Red"


def test_a_crushed_piece_may_stand_while_the_game_goes_on() -> None:
    table = playing(CRUSH)
    table.play("GT=4", hold=6)
    assert table.view is not None
    assert table.view.hint
    table.play("RT=2", hold=6)
    table.play("GP=14", hold=6)
    assert table.view.hint
    assert {event.event for event in table.told()} == {"obligation"}
    assert all(event.data["act"] == "remove" for event in table.told("obligation"))
    table.events.clear()
    table.play("RS=x")
    assert brief(table.events) == ["turn 1 GT=4>RSx", "turn 2 RT=2", "turn 3 GP=14"]
    assert [event.data["player"] for event in table.told("turn")] == ["Green", "Red", "Green"]


def test_a_crushed_piece_is_taken_off_in_the_middle_of_the_next_turn() -> None:
    table = playing(CRUSH)
    table.play("GT=4")
    table.play("RT=", hold=1)
    table.play("RS=x", "RT=2")
    assert table.texts() == ["GT=4>RSx", "RT=2"]
    assert not table.told("illegal", "question")


def test_the_turn_after_a_crush_is_judged_though_the_crushed_piece_stands() -> None:
    table = playing(CRUSH)
    table.play("GT=4")
    table.play("RT=3")
    illegal = table.told("illegal")[0].data
    assert (illegal["code"], illegal["player"], illegal["sites"]) == ("NOT_ADJACENT", "Red", ["0", "3"])
    assert illegal["way_back"] == [{"piece": "red-THAUM", "from": "3", "to": "0"}]
    table.play("RT=2")
    table.play("RS=x")
    assert table.texts() == ["GT=4>RSx", "RT=2"]
    assert len(table.told("illegal")) == 1


def test_a_crushed_piece_carried_to_another_site_has_not_fled() -> None:
    table = playing(CRUSH)
    table.play("GT=4")
    table.play("RS=13")
    illegal = table.told("illegal")[0].data
    assert (illegal["code"], illegal["player"]) == ("ESCAPE_NOT_ADJACENT", "Red")
    assert not table.told("turn")


def test_a_crushed_piece_whose_site_is_hidden_is_not_gone() -> None:
    table = playing(CRUSH)
    table.play("GT=4")
    table.wait(2, hidden=frozenset({"10"}))
    assert not table.told("turn")
    table.wait(2)
    assert not table.told("turn", "illegal")
    table.play("RS=x")
    assert table.texts() == ["GT=4>RSx"]


def test_a_win_is_complete_when_the_victim_is_gone() -> None:
    table = playing("RT=1 GS=0 RS=9 WP=15 R - -")
    table.play("RT=2", hold=4)
    assert brief(table.events) == ["obligation Green remove"]
    table.play("GS=x")
    assert brief(table.events)[1:] == ["turn 1 RT=2>GSx", "game_over Red wins"]


def test_the_answer_shows_which_of_two_victims_was_meant() -> None:
    table = playing(BOTH)
    table.play("RT=10")
    assert brief(table.events) == ["obligation Red choose"]
    table.press("Green")
    table.wait(1)
    table.play("WS=5")
    assert brief(table.events)[1:] == ["turn 1 RT=10>WS=5"]


def test_where_the_mover_is_to_be_asked_the_page_confirms_the_victim() -> None:
    game = TAASEN.with_options({"announce": "ask"})
    table = playing(BOTH, game=game)
    table.play("RT=10")
    table.play("WS=5")
    assert brief(table.events)[1:] == ["turn 1 RT=10>WS=5", "question"]
    table.press("Red", "no")
    table.wait(1)
    assert brief(table.events)[3:] == ["withdrawn 1", "answered player"]
    table.play("WS=4", "GS=x")
    assert brief(table.events)[-2:] == ["turn 1 RT=10>GSx revised", "question"]
    table.press("Red", "yes")
    table.wait(2)
    assert brief(table.events)[-1] == "answered player"
    table.play("WS=5")
    assert brief(table.events)[-1] == "turn 2 WS=5"


def test_going_on_answers_which_victim_was_meant() -> None:
    table = playing(BOTH, game=TAASEN.with_options({"announce": "ask"}))
    table.play("RT=10")
    table.play("WS=5")
    table.play("GP=14")
    assert brief(table.events)[-2:] == ["turn 2 GP=14", "answered seen"]


def test_both_victims_moved_is_two_turns_where_that_is_legal() -> None:
    position = "RT=11 GS=12 WS=4 RP=8 GP=15 R - -"
    table = playing(position)
    table.hand("RT=10")
    table.play("WS=5", "GS=13")
    assert not table.told("illegal")


def test_two_quick_turns_are_both_recorded() -> None:
    table = playing(A10)
    table.hand("RS=11", seconds=0.3)
    table.hand("GP=13", seconds=0.3)
    table.play("GS=14")
    assert brief(table.events) == ["turn 1 RS=11>GP=13", "turn 2 GS=14"]


def test_an_answer_is_changed_before_the_next_turn() -> None:
    table = playing(A10)
    table.play("RS=11")
    table.play("GP=5")
    table.play("GP=12")
    assert brief(table.events)[-2:] == ["withdrawn 1", "obligation Green reply"]
    table.play("GP=13")
    assert brief(table.events)[-1] == "turn 1 RS=11>GP=13 revised"
    assert not table.told("illegal", "question")


def test_the_pressed_piece_put_back_is_an_offence_when_somebody_says_done() -> None:
    table = playing(A10)
    table.play("RS=11")
    table.play("GP=5")
    table.play("GP=12", hold=0.8)
    table.press("Green")
    table.wait(1)
    illegal = table.told("illegal")[0].data
    assert (illegal["code"], illegal["player"]) == ("PUSHED_BACK", "Green")
    table.play("GP=5")
    assert brief(table.events)[-1] == "restored put_back"
    table.play("GP=4")
    assert table.texts() == ["RS=11>GP=5", "GP=4"]


def fled_and_moved_on() -> TaasenTable:
    """GP fled from 12 to 5 and then stands on 7, where it could have fled at once."""
    table = playing("RT=9 RS=10 RP=9 GT=15 GP=12 GS=8 WT=2 WS=0 WP=0 R - -")
    table.play("RS=11")
    table.play("GP=5")
    table.play("GP=7")
    assert brief(table.events)[1:] == ["turn 1 RS=11>GP=5", "turn 2 GP=7", "question"]
    candidates = table.told("question")[0].data["candidates"]
    assert [one["text"] for one in candidates] == ["GP=7", "RS=11>GP=7"]
    table.events.clear()
    return table


def test_whether_a_piece_was_moved_on_or_fled_elsewhere_is_shown_by_what_follows() -> None:
    table = fled_and_moved_on()
    table.play("RT=10")
    assert brief(table.events) == ["turn 3 RT=10", "answered seen"]
    table = fled_and_moved_on()
    table.play("GS=14")
    assert brief(table.events) == ["turn 1 RS=11>GP=7 revised", "turn 2 GS=14 revised", "answered seen"]


@pytest.mark.parametrize(
    ("button", "said"), [("yes", ["answered player"]), ("no", ["withdrawn 2", "turn 1 RS=11>GP=7 revised"])]
)
def test_whether_a_piece_was_moved_on_or_fled_elsewhere_is_answered(button: str, said: list[str]) -> None:
    table = fled_and_moved_on()
    table.press("Green", button)
    table.wait(1)
    assert brief(table.events)[: len(said)] == said
    assert brief(table.events)[-1] == "answered player"


def test_nothing_may_rest_on_the_sea() -> None:
    table = playing(A10)
    table.play("RT=6")
    illegal = table.told("illegal")[0].data
    assert (illegal["code"], illegal["player"]) == ("SEA_REST", "Red")
    table.play("RT=5")
    assert brief(table.events)[-1] == "turn 1 RT=5"


def test_a_piece_of_the_other_side_is_named_with_its_owner() -> None:
    table = playing(START + " R - -")
    table.play("RT=10")
    table.play("GT=14")
    table.play("GS=13")
    illegal = table.told("illegal")[0].data
    assert illegal["code"] in ("OPPONENT_PIECE", "NOT_ADJACENT")
    table.play("GS=15")
    table.play("RS=4")
    illegal = table.told("illegal")[-1].data
    assert (illegal["code"], illegal["player"]) == ("NOT_ADJACENT", "Red")


def test_white_belongs_to_the_side_to_move() -> None:
    table = playing(START + " R - -")
    table.play("WT=2")
    table.play("WT=5")
    illegal = table.told("illegal")[0].data
    assert illegal["player"] == "Green"
    assert illegal["code"] == "WHITE_JUST_MOVED"


def test_a_game_is_taken_up_in_the_middle_and_white_leaves_open_whose_turn_it_was() -> None:
    table = TaasenTable("auto")
    table.lay("RT=7 RS=10 RP=9 GT=15 GP=12 GS=8 WT=2 WS=0 WP=0")
    assert brief(table.wait(2)) == ["board_found", "setup_complete midgame"]
    table.play("WT=1")
    assert brief(table.events)[2:] == ["turn 1 WT=1", "question"]
    table.play("GS=14")
    assert brief(table.events)[4:] == ["turn 2 GS=14", "answered seen"]
    assert [turn["player"] for _, turn in sorted(table.record().items())] == ["Red", "Green"]


def test_a_power_cut_between_attack_and_answer() -> None:
    table = playing(A10)
    table.play("RS=11")
    table.play("GP=5")
    table.play("GS=14")
    table.play("RS=12")
    table.play("GS=", hold=0.2)
    rows = [{**event.as_json(), "internal": event.internal} for event in table.events]
    begun = {"event": "setup_complete", "game_no": 1, "position": A10, "as": "midgame"}
    again = TaasenTable(state=resume(TAASEN, "taasen", Timing(), [begun, *rows]))
    again.at = {**table.at, "GS": "13"}
    again.wait(2)
    assert [done.played.text for done in again.state.line.record] == ["RS=11>GP=5", "GS=14", "RS=12", "GS=13"]
    assert not again.told("illegal", "question")


def test_a_power_cut_while_a_crushed_piece_stands_and_the_game_goes_on() -> None:
    table = playing(CRUSH)
    table.play("GP=14")
    table.play("RT=2")
    table.play("GT=4")
    table.play("RP=", hold=1)
    rows = [{**event.as_json(), "internal": event.internal} for event in table.events]
    begun = {"event": "setup_complete", "game_no": 1, "position": CRUSH, "as": "midgame"}
    again = TaasenTable(state=resume(TAASEN, "taasen", Timing(), [begun, *rows]))
    again.at = {**table.at, "RP": "9", "RT": "3"}
    again.wait(3)
    assert not again.told("turn", "illegal", "question")
    again.play("RS=x")
    assert [done.played.text for done in again.state.line.record] == ["GP=14", "RT=2", "GT=4>RSx", "RT=3"]


def test_a_cleared_board_with_few_pieces_left_is_set_up_again() -> None:
    table = playing("RT=5 RS=9 GT=12 R - -")
    table.play("RT=x", "RS=x", "GT=x")
    assert brief(table.events) == ["rearranging"]
    for piece, site in (word.split("=") for word in START.split()):
        table.play(f"{piece}={site}", hold=2.4)
    assert brief(table.events) == ["rearranging", "setup_complete start"]


@pytest.mark.parametrize("seconds", [0.6, 1.2])
def test_a_moment_on_the_sea_is_no_offence(seconds: float) -> None:
    table = playing(A10)
    table.play("RT=6", hold=seconds)
    table.play("RT=5")
    assert brief(table.events) == ["turn 1 RT=5"]


@pytest.mark.parametrize(("wrong", "player"), [("GS=7", "Green"), ("RS=5", "Red")])
def test_in_a_game_taken_up_the_side_is_read_whose_piece_was_moved(wrong: str, player: str) -> None:
    table = TaasenTable("auto")
    table.lay("RT=4 RS=10 RP=9 GT=15 GP=12 GS=14 WT=2 WS=0 WP=0")
    table.wait(2)
    table.play(wrong)
    illegal = table.told("illegal")[0].data
    assert (illegal["code"], illegal["player"]) == ("NOT_ADJACENT", player)
    assert "owner" not in illegal


def test_done_of_one_side_accuses_nobody_of_what_the_other_side_does() -> None:
    table = playing(A10)
    table.hand("RS=11", seconds=0.4)
    table.press("Red")
    table.hand("GP=3", seconds=0.4)
    table.wait(1)
    assert not table.told("illegal")
    table.wait(1)
    assert brief(table.events) == ["illegal Green ESCAPE_NOT_ADJACENT"]


def test_a_turn_that_nobody_has_seen_taken_back_stands() -> None:
    table = playing("RT=0 RS=0 RP=3 GT=11 GS=15 GP=15 WS=10 WP=9 R - -")
    table.play("RP=7")
    table.hand("RP=", hidden=["3"], seconds=0.4)
    table.wait(2, hidden=frozenset({"3"}))
    assert not table.told("withdrawn")
    table.play("RP=7")
    assert brief(table.events) == ["turn 1 RP=7"]


def test_a_game_taken_up_before_a_crushed_piece_is_taken_off_accuses_nobody() -> None:
    """RS=5 has just crushed GP on 1 (2 and 5 are taken); the referee begins here and knows of no attack."""
    table = TaasenTable("auto")
    table.lay("RT=9 RS=5 RP=4 GT=15 GS=8 GP=1 WT=2 WS=12 WP=13")
    table.wait(2)
    table.play("GP=")  # taken off
    table.play("WT=1")
    assert not table.told("illegal")
    assert table.told("question")
    table.play("RT=10")
    assert not table.told("illegal")
