"""Never accuse without seeing: hidden sites, doubtful names, lines on the board, bumps, a lost thread."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pretend import START, Table, brief

from vision.sighting import Sighting, Token


def playing(*turns: tuple[str, ...]) -> Table:
    """A table on which these turns have been played, its events forgotten."""
    table = Table()
    table.begin()
    for turn in turns:
        table.play(*turn)
    table.events.clear()
    return table


def with_token(sighting: Sighting, site: str, **changes: object) -> Sighting:
    tokens = tuple(replace(token, **changes) if token.site == site else token for token in sighting.tokens)
    return replace(sighting, tokens=tokens)


def show(table: Table, seconds: float, site: str, **changes: object) -> None:
    for _ in range(round(seconds * 10)):
        table.frame += 1
        table.t_s = table.frame / 10
        table.give(with_token(table.sighting(), site, **changes))


def test_needed_sites_out_of_sight_are_never_accused() -> None:
    table = playing()
    table.hand("a1-b2")
    table.wait(10, hidden=frozenset({"a2", "b2", "b1"}))
    assert not table.told("illegal", "turn")
    table.wait(2)
    assert brief(table.told("illegal")) == ["illegal South WRONG_STEP"]


def test_a_hand_that_stays_is_named_after_three_seconds() -> None:
    table = playing()
    hidden = frozenset({"a1", "a2", "b1", "b2"})
    table.wait(2.9, hand=True, hidden=hidden)
    assert not table.told()
    table.wait(2, hand=True, hidden=hidden)
    assert brief(table.told()) == ["cannot_see hand"]
    assert table.told()[0].data["sites"] == sorted(hidden)
    assert table.told()[0].data["why"]
    table.wait(1)
    assert brief(table.told()) == ["cannot_see hand", "sees_again hand"]


def test_something_that_hides_needed_sites_without_a_hand_is_glare() -> None:
    table = playing()
    table.hand("a1-")
    table.off.clear()
    table.wait(6, hidden=frozenset({"a2", "b2"}))
    assert brief(table.told()) == ["cannot_see glare"]
    table.wait(0.5)
    assert brief(table.told()) == ["cannot_see glare", "sees_again glare"]


def test_a_hand_over_nothing_needed_is_not_named() -> None:
    table = playing()
    table.wait(8, hand=True)
    assert not table.told()


@pytest.mark.parametrize("trouble", ["too_dark", "too_bright", "blurred"])
def test_a_picture_that_goes_is_no_bump(trouble: str) -> None:
    """The eyes lose the board with the light, and find it with the light: nobody moved it, and the game goes on."""
    table = playing()
    unseen = {"game": None, "set_name": None, "tokens": (), "trouble": trouble}
    table.wait(0.1, board_moved=True, **unseen)
    table.wait(2, **unseen)
    table.wait(2)
    assert brief(table.told()) == [f"cannot_see {trouble}", f"sees_again {trouble}"]
    table.play("d1-c2")
    assert brief(table.told("turn")) == ["turn 1 d1-c2"]


def test_troubles_begin_and_end() -> None:
    table = playing()
    table.wait(2, trouble="too_dark")
    table.wait(2)
    assert brief(table.told()) == ["cannot_see too_dark", "sees_again too_dark"]
    table.events.clear()
    table.wait(2, game=None, set_name=None, tokens=(), trouble="no_board")
    table.wait(2)
    assert brief(table.told()) == ["cannot_see no_board", "board_found", "sees_again no_board"]
    table.play("c1-c2")
    assert brief(table.told())[-1] == "turn 1 c1-c2"


HALF = {"trouble": "markers"}
UNSEEN = {"game": None, "set_name": None, "tokens": ()}
NEXT = [HALF, *({**UNSEEN, "trouble": code} for code in ("too_dark", "blurred", "no_board"))]


def why(table: Table) -> list[str]:
    return [str(event.data["why"]) for event in table.told("cannot_see", "sees_again")]


@pytest.mark.parametrize("second", NEXT, ids=lambda shown: str(shown["trouble"]))
@pytest.mark.parametrize("first", NEXT, ids=lambda shown: str(shown["trouble"]))
def test_nobody_is_told_that_all_is_well_when_something_else_hinders(
    first: dict[str, object], second: dict[str, object]
) -> None:
    if first == second:
        return
    table = playing()
    table.wait(2, **first)
    table.wait(2, **second)
    table.wait(2)
    one, other = first["trouble"], second["trouble"]
    assert why(table) == [
        f"cannot_see.{one}", "sees_again.not_yet", f"cannot_see.{other}", f"sees_again.{other}"
    ]  # fmt: skip
    ends, begins = table.told("cannot_see", "sees_again")[1:3]
    assert (ends.data["code"], ends.frame) == (one, begins.frame)
    table.play("d1-c2")
    assert brief(table.told("turn")) == ["turn 1 d1-c2"]


def test_another_trouble_of_a_moment_is_none() -> None:
    table = playing()
    table.wait(2, **UNSEEN, trouble="too_dark")
    table.wait(0.3, **UNSEEN, trouble="blurred")
    table.wait(1, **UNSEEN, trouble="too_dark")
    table.wait(0.3, **HALF)
    table.wait(2)
    assert why(table) == ["cannot_see.too_dark", "sees_again.too_dark"]


def test_a_hand_that_goes_with_the_light_leaves_a_board_that_cannot_be_seen() -> None:
    table = playing()
    table.wait(4, hand=True, hidden=frozenset({"a1", "a2", "b1", "b2"}))
    table.wait(2, **UNSEEN, trouble="too_dark")
    table.wait(2)
    assert why(table) == ["cannot_see.hand", "sees_again.not_yet", "cannot_see.too_dark", "sees_again.too_dark"]


def test_light_that_comes_back_over_a_board_pushed_away_is_not_all_well() -> None:
    table = playing()
    table.wait(2, **UNSEEN, trouble="too_dark")
    table.wait(1, **UNSEEN, board_moved=True)
    assert why(table) == ["cannot_see.too_dark", "sees_again.not_yet"]
    table.wait(2)
    assert brief(table.told())[-1] == "board_found"


def test_a_bump_pauses_judging_and_keeps_the_game() -> None:
    table = playing(("c1-c2",))
    table.see(board_moved=True, game=None, tokens=())
    table.wait(1, game=None, tokens=())
    assert brief(table.told()) == ["board_moved"]
    assert table.view is not None
    assert table.view.board_moved
    table.wait(3)
    table.play("c5-c4")
    assert brief(table.told()) == ["board_moved", "board_found", "turn 2 c5-c4"]
    assert not table.view.board_moved


def test_a_clear_wrong_name_is_noticed() -> None:
    table = playing()
    table.wait(1, hand=True)
    show(table, 3, "a1", kind="dark-PIOKER", likelihoods={"dark-PIOKER": 0.0, "dark-PINET": -20.0})
    assert brief(table.told("illegal")) == ["illegal South WRONG_PIECE"]


def test_a_near_tie_is_broken_by_the_rules() -> None:
    table = playing()
    show(table, 3, "a1", kind="dark-PIOKER", likelihoods={"dark-PIOKER": 0.0, "dark-PINET": -2.5})
    assert not table.told()


def test_a_grey_reading_is_asked_about_not_accused_not_absorbed() -> None:
    table = playing()
    show(table, 3, "a1", kind="dark-PIOKER", likelihoods={"dark-PIOKER": 0.0, "dark-PINET": -5.0})
    assert brief(table.told()) == ["question"]
    table.wait(2)
    assert brief(table.told()) == ["question", "answered seen"]


def test_two_ties_at_once_are_still_within_six_nats() -> None:
    table = playing()
    for _ in range(30):
        table.frame += 1
        table.t_s = table.frame / 10
        tie = {"dark-PIOKER": 0.0, "dark-PINET": -2.5}
        sighting = with_token(table.sighting(), "a1", kind="dark-PIOKER", likelihoods=tie)
        table.give(with_token(sighting, "e1", kind="dark-PIOKER", likelihoods=tie))
    assert not table.told()


def test_a_token_across_a_line_where_one_side_is_legal() -> None:
    table = playing()
    table.hand("c1-b3")
    show(table, 3, "b3", near=("c2",))
    assert not table.told("illegal")


def test_a_token_across_a_line_between_two_legal_turns_is_asked_about() -> None:
    table = playing()
    table.hand("c1-c2")
    show(table, 3, "c2", near=("d2",))
    assert "question" in brief(table.told())
    assert not table.told("illegal")
    table.hand()
    table.wait(3)
    assert brief(table.told())[-1] == "answered seen"
    assert table.texts() == ["c1-c2"]


def test_a_token_nudged_across_a_line_is_no_turn() -> None:
    table = playing()
    table.hand("c1-c2")
    show(table, 3, "c2", near=("c1",))
    assert table.texts() in ([], ["c1-c2"])
    assert not table.told("illegal")


def test_the_thread_is_lost_when_the_board_was_not_seen_for_long() -> None:
    table = playing()
    table.wait(1, hand=True)
    table.wait(25, hand=True, hidden=frozenset(table.game.sites), tokens=())
    table.move("a1-b2")
    table.wait(3)
    assert not table.told("illegal")
    question = table.told("question")[0]
    assert {candidate["player"] for candidate in question.data["candidates"]} == {"South", "North"}
    # North goes on from what stands: now it is clear
    table.play("a5-a4")
    assert "answered seen" in brief(table.told())
    assert table.texts() == ["a5-a4"]


def test_a_gap_in_the_frames_is_not_plain_view() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.frame += 50  # five seconds without a frame; c2 stepped to c3 and was taken from c4
    table.move("c2-", "c4-c3", "-c1:K")
    table.wait(3)
    assert not table.told("illegal")
    assert table.texts() == ["c2-c3", "c4xc3@c1"]


def test_a_game_taken_up_in_the_middle() -> None:
    for first, mover in (("c1-c2", "South"), ("c4-c3", "North")):
        table = Table("auto")
        table.put("rb1br/2k2/5/5/RBKBR")
        table.wait(3)
        assert brief(table.told()) == ["board_found", "setup_complete midgame"]
        assert table.view is not None
        assert table.view.to_move is None
        table.play(first)
        assert table.told("turn")[0].data["player"] == mover
        assert not table.told("question", "illegal")
        assert table.view.to_move == ("North" if mover == "South" else "South")


def test_setup_mode_waits_for_a_setup() -> None:
    table = Table("setup")
    table.put("rb1br/2k2/5/5/RBKBR")
    table.wait(3)
    assert brief(table.told()) == ["board_found"]
    assert table.view is not None
    assert table.view.phase == "setup"
    assert table.view.right == 9
    assert table.view.total == 10
    assert [(shift.origin, shift.to) for shift in table.view.wrong] == [("c4", "c5")]
    table.play("c4-c5")
    assert brief(table.told()) == ["board_found", "setup_complete start"]


def test_a_hint_comes_after_five_seconds_and_again_every_three() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.hand("c2-b2")
    begun_s = table.t_s
    hints = []
    for _ in range(150):
        table.see()
        assert table.view is not None
        if table.view.hint and (not hints or table.t_s - hints[-1][1] > 0.15):
            hints.append([table.t_s, table.t_s])
        elif table.view.hint:
            hints[-1][1] = table.t_s
    assert [first - begun_s for first, _ in hints][:4] == pytest.approx([5, 8, 11, 14])


def test_something_foreign_on_the_board_is_not_a_crash() -> None:
    table = playing()
    extra = Token("dark-PINET", "c3", (0.0, 0.0))
    for _ in range(30):
        table.frame += 1
        table.t_s = table.frame / 10
        plain = table.sighting()
        table.give(replace(plain, tokens=(*plain.tokens, extra)))
    assert brief(table.told("illegal")) == ["illegal South EXTRA_PIECE"]
    table.put(START)
    table.wait(2)
    assert brief(table.told())[-1] == "restored put_back"
