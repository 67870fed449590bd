"""What people say: done, yes and no, and the operator's words."""

from __future__ import annotations

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
    assert not table.told()
    table.play("b3-a1")
    table.command("resume")
    table.play("c1-c2")
    assert brief(table.told()) == ["turn 1 c1-c2"]


def test_accept_as_played() -> None:
    table = playing(("c1-c2",))
    table.play("a5-b4")
    events = table.command("accept_as_played")
    assert brief(events) == ["turn 2 a5-b4"]
    assert events[0].data["legal"] is False
    assert events[0].data["position"].endswith(" S")
    table.play("c2-c3")
    assert brief(table.told())[-1] == "turn 3 c2-c3"


def test_take_back_is_not_accepted_again_by_itself() -> None:
    table = playing(("c1-c2",))
    assert brief(table.command("take_back")) == ["withdrawn 1"]
    table.wait(5)
    assert brief(table.told()) == ["withdrawn 1"]
    table.play("c2-c1")
    table.play("d1-c2")
    assert brief(table.told()) == ["withdrawn 1", "turn 1 d1-c2 revised"]


def test_set_position_answers_and_goes_on() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.command("set_position", position="rb1br/2k2/5/2K2/RB1BR N")
    table.play("c4-c3")
    assert brief(table.told()) == ["turn 3 c4-c3"]
    assert table.told()[0].data["player"] == "North"


def test_resign_and_draw() -> None:
    table = playing(("c1-c2",))
    assert brief(table.command("resign", player="North")) == ["game_over South wins"]
    table.play("a1-b3", hold=4)
    assert len(table.told()) == 1
    table = playing(("c1-c2",))
    assert brief(table.command("draw")) == ["game_over draw"]
    assert table.view is not None
    assert table.view.phase == "over"


def test_new_game_by_the_operator() -> None:
    table = playing(("c1-c2",))
    table.command("new_game")
    table.wait(2)
    assert not table.told()
    table.play("c2-c1")
    assert brief(table.told()) == ["setup_complete start"]
    assert table.told()[0].game_no == 2


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
