"""What people say: done, yes and no, and the operator's words."""

from __future__ import annotations

from typing import Any

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


def test_done_accepts_a_complete_turn_at_once() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.play("a1-a2", hold=0.4)
    assert brief(table.press("South")) == ["turn 3 a1-a2"]


def test_done_under_a_hand_waits_for_it_to_leave() -> None:
    table = playing()
    table.hand("c1-c2")
    assert table.press("South") == []
    table.wait(0.3)
    assert brief(table.events) == ["turn 1 c1-c2"]


def test_done_with_something_owed_is_illegal() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.play("c2-b2")
    assert brief(table.press("South")) == ["illegal South SIDEWAYS_ALONE"]
    table.play("b1-c1")
    assert brief(table.events)[-1] == "turn 3 c2-b2&b1-c1"


def test_done_after_a_capture_without_return() -> None:
    table = playing(("c1-c2",), ("c5-c4",), ("c2-c3",), ("b5-a4",))
    table.play("c4-", "c3-c4")
    assert brief(table.press("South")) == ["illegal South NO_REPLACEMENT"]
    table.play("-c5:k")
    assert brief(table.events)[-1] == "turn 5 c3xc4@c5"


def test_done_of_the_other_side_or_of_nobody_accuses_nobody() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.play("c2-b2")
    assert table.press("North") == []
    assert table.press(None) == []
    table.play("a1-b3", hold=0.4)
    assert table.press(None) == []


def test_done_on_an_unchanged_board_means_nothing_in_transet() -> None:
    table = playing(("c1-c2",))
    assert table.press("North") == []
    assert table.press("South") == []


def test_pause_and_resume() -> None:
    table = playing()
    table.command("pause")
    table.play("a1-b3", hold=4)
    assert brief(table.told()) == ["ruling paused"]
    table.play("b3-a1")
    table.command("resume")
    table.command("resume")
    table.play("c1-c2")
    assert brief(table.told()) == ["ruling paused", "ruling resumed", "turn 1 c1-c2"]


def test_what_happened_in_a_pause_is_asked_about_and_accuses_nobody() -> None:
    table = playing(("c1-c2",))
    table.command("pause")
    table.play("a1-b3", hold=4)
    table.command("resume")
    table.wait(4)
    assert brief(table.told()) == ["ruling paused", "ruling resumed", "question"]
    table.play("b3-a1")
    assert brief(table.told())[-1] == "answered seen"
    table.play("c5-c3")
    assert brief(table.told())[-1] == "illegal North TOO_FAR"


def test_a_turn_made_in_a_pause_counts() -> None:
    table = playing()
    table.command("pause")
    table.play("c1-c2")
    table.command("resume")
    table.wait(2)
    assert brief(table.told())[-1] == "turn 1 c1-c2"


def test_accept_as_played() -> None:
    table = playing(("c1-c2",))
    table.play("a5-b4")
    events = table.command("accept_as_played")
    assert brief(events) == ["ruling accepted", "turn 2 a5-b4"]
    assert events[1].data["legal"] is False
    assert events[1].data["position"].endswith(" S")
    assert events[0].data == {"what": "accepted", "by": "operator", "position": events[1].data["position"]}
    table.play("c2-c3")
    assert brief(table.told())[-1] == "turn 3 c2-c3"


def test_take_back_is_not_accepted_again_by_itself() -> None:
    table = playing(("c1-c2",))
    assert brief(table.command("take_back")) == ["ruling taken_back", "withdrawn 1"]
    table.wait(5)
    assert brief(table.told()) == ["ruling taken_back", "withdrawn 1"]
    table.play("c2-c1")
    table.play("d1-c2")
    assert brief(table.told())[2:] == ["turn 1 d1-c2 revised"]


def test_set_position_answers_and_goes_on() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.command("set_position", position="rb1br/2k2/5/2K2/RB1BR N")
    table.play("c4-c3")
    assert brief(table.told()) == ["ruling position", "turn 3 c4-c3"]
    assert table.told()[0].data["position"] == "rb1br/2k2/5/2K2/RB1BR N"
    assert table.told()[1].data["player"] == "North"


def test_set_position_where_no_game_is_played_takes_one_up() -> None:
    text = "rb1br/2k2/5/2K2/RB1BR N"
    for over in (False, True):
        table = playing(("c1-c2",)) if over else Table()
        table.command("draw")
        table.put(text.split()[0])
        events = table.command("set_position", position=text)
        assert brief(events) == ["ruling position", "setup_complete midgame"]
        assert events[1].game_no == 1 + over
        table.wait(2)
        table.play("c4-c3")
        assert brief(table.told())[-1] == "turn 1 c4-c3"


def test_set_position_to_a_position_that_is_over_ends_the_game() -> None:
    table = playing(("c1-c2",))
    events = table.command("set_position", position="rbKbr/5/5/3k1/RB1BR N")
    assert brief(events) == ["ruling position", "game_over South wins"]


def test_words_that_cannot_be_done_change_nothing() -> None:
    table = playing(("c1-c2",))
    before = table.state
    for name, arguments in (
        ("set_position", {"position": "rbkbr"}),
        ("set_position", {}),
        ("resign", {"player": "Red"}),
        ("accept_draw", {"player": "South"}),
        ("decline_draw", {"player": "South"}),
        ("offer_draw", {}),
        ("resume", {}),
        ("nonsense", {}),
    ):
        assert table.command(name, **arguments) == []
        assert table.state == before
    for button in ("resign", "offer_draw", "accept_draw", "decline_draw", "yes"):
        assert table.press(None, button) == []
        assert table.state == before
    waiting = Table()
    waiting.wait(1)
    for name in ("take_back", "accept_as_played", "resign", "draw", "new_game"):
        assert waiting.command(name) == []
    assert waiting.press("South", "resign") == []


def test_resign() -> None:
    for said in (lambda t: t.command("resign", player="North"), lambda t: t.press("North", "resign")):
        table = playing(("c1-c2",))
        events = said(table)
        assert brief(events) == ["ruling resigned", "game_over South wins"]
        assert events[0].data["player"] == "North"
        assert events[1].data["why"] == "resigned"
        table.play("a1-b3", hold=4)
        assert len(table.told()) == 2


def test_a_draw_that_the_operator_says_both_have_agreed_on() -> None:
    table = playing(("c1-c2",))
    assert brief(table.command("draw")) == ["ruling draw", "game_over draw"]
    assert table.view is not None
    assert table.view.phase == "over"


def test_a_draw_is_offered_by_one_side_and_accepted_by_the_other() -> None:
    table = playing(("c1-c2",))
    assert brief(table.press("South", "offer_draw")) == ["draw_offer South made"]
    assert table.press("South", "offer_draw") == []
    assert table.press("South", "accept_draw") == []
    assert table.view is not None
    assert table.view.offer == "South"
    events = table.press("North", "accept_draw")
    assert brief(events) == ["draw_offer South accepted", "ruling draw", "game_over draw"]
    assert events[1].data == {"what": "draw", "by": "player", "offered": "South", "accepted": "North"}
    assert events[2].data == {"winner": None, "result": "draw", "why": "agreed"}
    assert table.view.offer is None


def test_two_offers_are_an_agreement() -> None:
    table = playing()
    table.press("North", "offer_draw")
    events = table.command("offer_draw", player="South")
    assert brief(events)[-1] == "game_over draw"
    assert events[1].data == {"what": "draw", "by": "operator", "offered": "North", "accepted": "South"}


@pytest.mark.parametrize("by", ["player", "operator"])
@pytest.mark.parametrize("first", ["South", "North"])
@pytest.mark.parametrize("answer", ["accept_draw", "decline_draw", "offer_draw"])
def test_the_record_says_who_offered_a_draw_and_who_answered(by: str, first: str, answer: str) -> None:
    """Whoever said it: the players by their buttons, or the operator for them."""
    table, other = playing(("c1-c2",)), "North" if first == "South" else "South"

    def said(button: str, player: str) -> list[dict[str, Any]]:
        events = table.press(player, button) if by == "player" else table.command(button, player=player)
        return [{"event": event.event, **event.data} for event in events]

    made, then = said("offer_draw", first), said(answer, other)
    assert made[-1] == {"event": "draw_offer", "player": first, "state": "made"}
    rulings = [row for row in (*made, *then) if row["event"] == "ruling"]
    if by == "operator":
        assert rulings[0] == {"event": "ruling", "what": "offer_draw", "by": by, "player": first}
    if answer == "decline_draw":
        assert then[-1] == {"event": "draw_offer", "player": first, "state": "declined"}
        assert all(row["player"] == other for row in rulings[1:])
    else:
        assert (rulings[-1]["offered"], rulings[-1]["accepted"], rulings[-1]["by"]) == (first, other, by)


def test_an_offer_lapses_with_the_next_complete_turn_and_no_sooner() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.play("a1-a2")  # half of a swap perhaps
    table.press("South", "offer_draw")
    table.play("c2-c1")  # that turn extended is no next turn
    assert brief(table.told())[-1] == "turn 3 a1-a2&c2-c1 revised"
    table.play("a5-b3", hold=3)
    table.play("b3-a5")
    assert table.view is not None
    assert table.view.offer == "South"
    table.play("a5-a4")
    assert brief(table.told())[-2:] == ["turn 4 a5-a4", "draw_offer South lapsed"]
    assert table.press("North", "accept_draw") == []


def test_an_offer_is_declined_or_taken_back() -> None:
    table = playing(("c1-c2",))
    table.press("South", "offer_draw")
    assert brief(table.press("North", "decline_draw")) == ["draw_offer South declined"]
    assert table.press("North", "accept_draw") == []
    table.press("South", "offer_draw")
    assert brief(table.press("South", "decline_draw")) == ["draw_offer South withdrawn"]
    table.press("South", "offer_draw")
    table.command("new_game")
    assert table.press("North", "accept_draw") == []
    assert table.view is not None
    assert table.view.offer is None


def test_new_game_by_the_operator() -> None:
    table = playing(("c1-c2",))
    table.command("new_game")
    table.wait(2)
    assert brief(table.told()) == ["ruling new_game"]
    table.play("c2-c1")
    assert brief(table.told())[1:] == ["setup_complete start"]
    assert table.told()[1].game_no == 2


def test_yes_and_no_answer_a_question() -> None:
    for button, text in (("yes", "c1-c2"), ("no", "c1-d2")):
        table = playing()
        table.hand("c1-c2")
        for _ in range(30):
            table.frame += 1
            table.t_s = table.frame / 10
            plain = table.sighting()
            near = tuple(
                type(token)(token.kind, token.site, token.centre_mm, near=("d2",)) if token.site == "c2" else token
                for token in plain.tokens
            )
            table.give(type(plain)(plain.t_s, plain.frame, plain.game, plain.set_name, near))
        assert "question" in brief(table.told())
        table.press("South", button)
        assert brief(table.told())[-1] == "answered player"
        assert table.texts() == [text]
    assert START


def test_the_operator_is_called_and_comes() -> None:
    table = Table()
    table.press("South", "call_operator")  # also before a game has begun
    assert table.view.operator
    table.press("South", "call_operator")  # again: nothing new
    table.begin()
    table.play("c1-c2")  # the game goes on meanwhile
    assert table.texts() == ["c1-c2"]
    assert table.view.operator
    table.command("pause")  # any word of the operator's: somebody has come
    assert not table.view.operator
    table.press(None, "call_operator")  # while it is paused, and by nobody in particular
    assert table.view.operator
    table.press("North", "dismiss_operator")
    assert not table.view.operator
    table.press("Nobody", "call_operator")
    assert not table.view.operator
    assert [(e.data["state"], e.data["player"]) for e in table.told("operator")] == [
        ("called", "South"),
        ("gone", None),
        ("called", None),
        ("gone", "North"),
    ]
