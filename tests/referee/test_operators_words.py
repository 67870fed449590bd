"""An operator answers a question by one of its candidates, names the players, and says why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pretend import START, Table, brief

from controller.referee import reducer
from controller.referee.naming import LONGEST_NAME, tidy


def playing(*turns: tuple[str, ...]) -> Table:
    table = Table()
    table.begin()
    for turn in turns:
        table.play(*turn)
    table.events.clear()
    return table


def rulings(table: Table) -> list[dict[str, object]]:
    return [dict(event.data) for event in table.told("ruling")]


def asked() -> Table:
    """After a pause nobody knows what happened, and it is asked."""
    table = playing(("c1-c2",))
    table.command("pause")
    table.play("a1-b3", hold=1)
    table.command("resume")
    table.wait(4)
    assert table.state.question_about == "thread"
    table.events.clear()
    return table


@pytest.mark.parametrize("which", [0, 1, 2])
def test_each_candidate_can_be_chosen(which: int) -> None:
    table = asked()
    wanted = table.state.question[which]
    table.command("choose", position=str(wanted["position"]), reason="I saw it")
    assert not table.state.question
    assert table.view is not None
    assert table.view.position == wanted["position"]
    assert table.view.to_move == wanted["player"]
    assert rulings(table) == [
        {"what": "answered", "by": "operator", "reason": "I saw it", "position": wanted["position"]}
    ]
    table.wait(6)
    assert not table.state.question
    assert table.state.offence is None
    assert table.view.position == wanted["position"]
    assert (table.state.guiding is not None) == (which == 0)  # the record's position does not stand: led there


SITES = [frozenset({site}) for site in sorted(playing().game.sites)]


@pytest.mark.parametrize("hidden", [*SITES, frozenset().union(*SITES)], ids=lambda sites: min(sites) + str(len(sites)))
@pytest.mark.parametrize("which", [0, 1, 2])
def test_an_answer_with_a_hand_over_the_board_holds_and_leads_when_it_is_seen(
    hidden: frozenset[str], which: int
) -> None:
    table = asked()
    table.wait(1, hidden=hidden, hand=True)
    table.command("choose", position=str(table.state.question[which]["position"]))
    ruled = table.state.line.position
    table.wait(1, hidden=hidden, hand=True)
    table.wait(6)
    assert table.state.line.position == ruled
    assert (table.state.guiding is not None) is (which == 0)  # as the record has it, which does not stand
    assert not table.told("question")
    assert not table.told("illegal")
    if which == 0:
        table.put(table.game.position_text(ruled).split()[0])
        table.wait(3)
        assert table.state.guiding is None


def test_what_was_not_asked_answers_nothing() -> None:
    table = asked()
    before = table.state.question
    for position in ("", "none", START, "nonsense"):
        table.command("choose", position=position)
    assert table.state.question == before
    assert rulings(table) == []


def test_names_are_told_at_once_and_belong_to_one_game() -> None:
    table = playing()
    table.command("name_players", South="Ann", North="")
    assert table.view is not None
    assert table.view.names == {"South": "Ann"}
    assert [event.event for event in table.told()] == ["ruling", "players"]
    assert table.told("players")[0].data == {"names": {"South": "Ann", "North": ""}, "by": "operator"}
    table.command("name_players", South="Ann")
    assert len(table.told()) == 2  # nothing new
    table.command("name_players", North="Ben")
    assert table.view.names == {"South": "Ann", "North": "Ben"}
    table.command("name_players", South="")
    assert table.view.names == {"North": "Ben"}
    table.command("resign", player="South")
    assert table.view.names == {"North": "Ben"}
    table.wait(4)
    assert table.state.game_no == 2
    assert table.view.names == {}
    assert "Ann" not in str(rulings(table))


def test_names_typed_during_the_set_up_are_the_next_games() -> None:
    table = Table()
    table.command("name_players", South="Ann")
    table.begin()
    assert table.view is not None
    assert table.view.names == {"South": "Ann"}
    order = [event.event for event in table.told() if event.event in ("setup_complete", "players")]
    assert order == ["setup_complete", "players"]


def test_names_come_back_after_a_restart() -> None:
    table = playing()
    table.events.clear()
    table = Table()
    table.begin()
    table.command("name_players", South="Ann", North="Ben")
    rows = [{**event.as_json(), "internal": event.internal} for event in table.events]
    again = reducer.resume(table.state.game, "transet", table.state.timing, rows)
    assert dict(again.names) == {"South": "Ann", "North": "Ben"}
    forgotten = [row | ({"names": {}} if row["event"] == "players" else {}) for row in rows]
    assert reducer.resume(table.state.game, "transet", table.state.timing, forgotten).names == ()


@given(st.text(max_size=200))
def test_a_name_is_one_short_line(text: str) -> None:
    name = tidy(text)
    assert len(name) <= LONGEST_NAME
    assert name == name.strip()
    assert name.isprintable()
    assert tidy(name) == name


def test_a_key_is_named_in_every_ruling() -> None:
    table = playing(("c1-c2",))
    table.command("take_back", key="door", reason="x" * 900)
    (ruling,) = rulings(table)
    assert ruling["key"] == "door"
    assert ruling["reason"] == "x" * 500


def test_the_first_turn_can_be_taken_back_though_it_can_change_no_more() -> None:
    table = playing()
    table.play("a1-b3", hold=3)
    table.command("accept_as_played")
    assert brief(table.told())[-1].startswith("turn 1")
    table.command("take_back")
    assert table.view is not None
    assert table.view.turns == ()
    assert table.view.position == f"{START} S"


@pytest.mark.parametrize("paused", [True, False])
def test_a_guide_that_begins_anew_follows_from_a_ruling_too(paused: bool) -> None:
    table = playing(("c1-c2",))
    table.move("a1-a4")
    if paused:
        table.command("pause")
    for _ in range(3):
        table.events.clear()
        table.command("guide", reason="look there")
        assert brief(table.events) == ["ruling resumed" if paused else "ruling guide", "guide"]
        assert rulings(table)[0]["reason"] == "look there"
        paused = False
