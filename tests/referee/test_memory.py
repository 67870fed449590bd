"""The same inputs give the same verdicts for ever; after a power cut the lines are the same."""

from __future__ import annotations

import json

import pytest
from pretend import Table, brief
from pretend_taasen import TaasenTable

from controller.referee import reducer
from controller.referee.timing import Timing
from controller.rules.taasen import TAASEN
from controller.rules.transet import TRANSET


def test_a_repeated_position_is_still_remembered_after_a_power_cut() -> None:
    game = TRANSET.with_options({"repetition_draw": "3"})
    table = Table(game=game)
    table.begin()
    table.play("c1-c2")
    table.play("c5-c4")
    table.play("a1-a2", "c2-c1")
    table.play("a5-a4", "c4-c5")
    state = reducer.resume(game, "transet", Timing(), rows(table))
    assert state.line.position == table.state.line.position
    assert state.line.position.past


def story(table: Table) -> None:
    table.begin()
    for turn in (("c1-c2",), ("c5-c4",), ("a1-a2",), ("b5-a4",), ("c2-c1",), ("a2-b3",), ("b3-a2",), ("b1-c2",)):
        table.play(*turn)
    table.play("e5-e4", hold=0.2)
    table.play("c2-d3")


def rows(table: Table) -> list[dict[str, object]]:
    told = [{**event.as_json(), "internal": event.internal} for event in table.events]
    return [json.loads(json.dumps(row)) for row in told]


def test_the_same_inputs_give_the_same_events() -> None:
    one = Table()
    story(one)
    state = reducer.initial(TRANSET, set_name="transet")
    events = []
    for given in one.inputs:
        step = reducer.reduce(state, given)
        state = step.state
        events += step.events
    assert events == one.events
    assert json.dumps([event.as_json() for event in events])


def test_after_a_power_cut_at_any_moment_the_lines_are_the_same() -> None:
    table = Table()
    story(table)
    state = reducer.initial(TRANSET, set_name="transet")
    journal: list[dict[str, object]] = []
    for given in table.inputs:
        step = reducer.reduce(state, given)
        state = step.state
        journal += [json.loads(json.dumps(event.as_json())) for event in step.events]
        if not step.events:
            continue
        again = reducer.resume(TRANSET, "transet", Timing(), journal)
        assert again.lines == state.lines or not state.lines
        assert again.game_no == state.game_no
        assert [(p.n, p.text, p.legal) for p in again.played] == [(p.n, p.text, p.legal) for p in state.played]
        assert again.written == state.written


def test_a_resumed_table_checks_the_board_and_goes_on() -> None:
    table = Table()
    table.begin()
    table.play("c1-c2")
    table.play("c5-c4")
    later = Table(state=reducer.resume(TRANSET, "transet", Timing(), rows(table)))
    later.on = dict(table.on)
    later.wait(1)
    later.play("c4-c5")  # the last turn can still be taken back
    later.play("d5-e4")
    assert brief(later.events) == ["board_found", "withdrawn 2", "turn 2 d5-e4 revised"]


def test_a_resumed_table_does_not_accuse_of_what_it_did_not_see() -> None:
    table = Table()
    table.begin()
    table.play("c1-c2")
    later = Table(state=reducer.resume(TRANSET, "transet", Timing(), rows(table)))
    later.on = dict(table.on)
    later.move("e1-e2")
    later.wait(3)
    assert brief(later.events) == ["board_found", "question"]


def test_what_was_asked_is_still_asked_after_another_power_cut() -> None:
    """A piece was moved in the dark, and before anybody answered the power went again: put back, nothing is wrong."""
    table = Table()
    table.begin()
    table.play("c1-c2")
    journal = rows(table)
    later = Table(state=reducer.resume(TRANSET, "transet", Timing(), journal))
    later.on = dict(table.on)
    later.move("e1-d2")
    later.wait(3)
    assert later.view.question
    journal += rows(later)
    again = Table(state=reducer.resume(TRANSET, "transet", Timing(), journal))
    again.on = dict(later.on)
    again.wait(2)
    assert again.view.question
    again.hand("d2-e1")
    again.wait(2)
    assert brief(again.events) == ["board_found", "answered seen"]
    journal += rows(again)
    last = Table(state=reducer.resume(TRANSET, "transet", Timing(), journal))
    assert not last.state.question
    assert last.state.line.position == table.state.line.position


def test_what_was_moved_in_the_dark_and_put_back_is_no_turn_though_it_could_be_one() -> None:
    """White stones may be moved by both: back from where it lay in the dark is a legal way."""
    position = "RT=0 RS=0 RP=0 GT=15 GS=15 GP=15 WT=9 WS=9 WP=9 R - -"
    table = TaasenTable(position)
    table.lay(position)
    table.wait(1.5)
    table.play("WT=10")
    journal = rows(table)
    later = TaasenTable(state=reducer.resume(TAASEN, "taasen", Timing(), journal))
    later.at = dict(table.at)
    later.move("WT=4")
    later.wait(3)
    assert brief(later.events) == ["board_found", "question"]
    later.play("WT=10")
    assert brief(later.events) == ["board_found", "question", "answered seen"]
    assert [done.played.text for done in later.state.published] == ["WT=10"]
    later.play("GT=14")
    assert brief(later.events)[-1] == "turn 2 GT=14"


@pytest.mark.parametrize("cut_again", [False, True])
@pytest.mark.parametrize("moved", [f"{site}-{to}1" for site in ("b3", "d3") for to in "abcd"])
def test_what_was_moved_in_the_dark_and_looks_like_two_turns_can_be_put_back(moved: str, cut_again: bool) -> None:
    """It may be a capture and the answer to it, played without power; put back, it was none, and nobody is accused."""
    position = "2r2/b2br/1B1K1/BR1k1/4R S"
    table = Table(position)
    table.put(position[:-2])
    table.wait(2)
    journal = rows(table)
    later = Table(state=reducer.resume(TRANSET, "transet", Timing(), journal))
    later.on = dict(table.on)
    later.move(moved)
    later.wait(3)
    assert [done.n for done in later.state.published] == [1, 2]
    if cut_again:
        journal += rows(later)
        again = Table(state=reducer.resume(TRANSET, "transet", Timing(), journal))
        again.on = dict(later.on)
        again.wait(2)
        assert again.state.line == later.state.line
        later = again
    later.hand("-".join(reversed(moved.split("-"))))
    later.wait(2)
    assert brief(later.events)[-2:] == ["withdrawn 2", "withdrawn 1"]
    assert later.state.line.position == table.state.line.position


def test_who_says_done_after_a_power_cut_is_not_accused_of_what_was_moved_in_it() -> None:
    table = Table()
    table.begin()
    table.play("c1-c2")
    later = Table(state=reducer.resume(TRANSET, "transet", Timing(), rows(table)))
    later.on = dict(table.on)
    later.move("d5-d2")
    later.wait(0.6)
    later.press("North")
    later.wait(3)
    assert brief(later.events) == ["board_found", "question"]


def test_a_finished_game_stays_finished() -> None:
    table = Table("rbk1r/2K2/3b1/B4/R2BR S")
    table.put("rbk1r/2K2/3b1/B4/R2BR")
    table.wait(2)
    table.play("c4-d5")
    state = reducer.resume(TRANSET, "transet", Timing(), rows(table))
    assert state.phase == "over"
    assert state.winner == "South"
    assert state.result == "South wins"
