"""`mode = teach`: a piece held in the air for a second shows where it may go, what goes with it, why not elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from random import Random

import pytest
from pretend import Table
from pretend_taasen import TaasenTable
from pretend_transfer import TransferTable, picture
from test_guiding import positions
from test_words_at_random import Showing

from controller.referee import reducer
from controller.referee.signals import signals
from controller.referee.teaching import where_to
from controller.referee.view import Lifted
from controller.rules.api import Game, Placement
from controller.rules.registry import game_named, game_names
from controller.rules.transet import TRANSET
from controller.web.message import message
from firmware_bridge.scene import Hue

LANGUAGES = ("en", "nl", "de", "fr")


def table(mode: str = "teach") -> Table:
    made = Table(state=reducer.initial(TRANSET, set_name="transet", mode=mode))  # type: ignore[arg-type]
    made.begin()
    return made


def lift(made: Table, site: str, seconds: float = 1.5, hidden: Sequence[str] = ()) -> Lifted | None:
    """A hand takes a piece up and holds it over the board."""
    made.wait(0.2, hand=True, moving=True, hidden=frozenset({site}))
    made.on.pop(site)
    made.wait(seconds, hand=True, moving=True, hidden=frozenset(hidden))
    assert made.view is not None
    return made.view.lifted


def test_it_shows_where_the_piece_may_go() -> None:
    made = table()
    lifted = lift(made, "c1")
    assert lifted is not None
    assert (lifted.player, lifted.piece, lifted.site) == ("South", "dark-PIAS", "c1")
    assert lifted.to == ("b2", "c2", "d2")
    assert made.view is not None
    scene = signals(made.view)
    assert scene.state == "lifted"
    assert {site for site, light in scene.sites.items() if light.hue == Hue.BLUE} == {"b2", "c2", "d2"}
    for language in LANGUAGES:
        told = message(made.view, language)
        assert "b2, c2, d2" in told.lead
        assert told.targets == ("b2", "c2", "d2")
        assert told.more  # why not elsewhere


def test_not_before_a_second_and_not_when_it_is_down_again() -> None:
    made = table()
    assert lift(made, "c1", 0.7) is None
    assert lift(table(), "c1", 1.4) is not None
    made.on["c2"] = "dark-PIAS"
    made.wait(3)
    assert made.view is not None
    assert made.view.lifted is None
    assert made.texts() == ["c1-c2"]


def test_nothing_is_shown_of_the_other_sides_piece_nor_to_who_plays_without_help() -> None:
    assert lift(table(), "c5") is None
    assert lift(table("referee"), "c1") is None


def test_two_pieces_gone_show_nothing() -> None:
    made = table()
    lift(made, "a1", 0.3)
    assert lift(made, "c1") is None


def test_a_hand_that_comes_over_the_place_it_was_taken_from_changes_nothing() -> None:
    made = table()
    assert lift(made, "c1") == lift_again(made)


def lift_again(made: Table) -> Lifted | None:
    made.wait(1, hand=True, moving=True, hidden=frozenset({"c1", "d1"}))
    assert made.view is not None
    return made.view.lifted


def test_a_swap_shows_both_halves() -> None:
    made = table()
    made.command("set_position", position="rbkbr/5/2B2/2R2/RBK2 S")
    made.put("rbkbr/5/2B2/2R2/RBK2")
    made.wait(1)
    found = where_to(TRANSET, made.state.line.position, Lifted("South", "dark-PINET", "c2"))
    swaps = [
        TRANSET.turn_shifts(made.state.line.position, turn) for turn in TRANSET.legal_turns(made.state.line.position)
    ]
    halves = [shifts for shifts in swaps if len(shifts) == 2 and "c2" in {s.origin for s in shifts}]
    assert halves
    for shifts in halves:
        for shift in shifts:
            assert {shift.origin, shift.to} - {"c2"} <= {*found.to, *found.along}


def test_taasen_shows_whom_it_would_press() -> None:
    game = game_named("taasen")
    made = TaasenTable(state=reducer.initial(game, set_name="taasen", mode="teach"))
    made.lay()
    made.wait(1.5)
    made.wait(0.2, hand=True, moving=True)
    made.move("RT=")
    made.wait(1.5, hand=True, moving=True)
    assert made.view is not None
    assert made.view.lifted is not None
    assert made.view.lifted.to == ("10",)
    presses = 0
    _, found = positions("taasen")
    for position in found:
        for turn in game.legal_turns(position):
            shifts = game.turn_shifts(position, turn)
            if len(shifts) == 2:
                mover = game.to_move(position)
                assert mover is not None
                first, second = shifts
                lifted = where_to(game, position, Lifted(mover, first.piece, first.origin or ""))
                assert second.origin in lifted.along
                presses += 1
    assert presses


@pytest.mark.parametrize("side", ["S", "N"])
def test_transfer_shows_what_may_be_loaded_and_why_not(side: str) -> None:
    game = game_named("transfer")
    rows = "oosgy/bvp/sgybb/vpos/gybv/posg/ybvp/osgy/bvp"
    made = TransferTable(f"{rows} {side}", game=game)
    made.state = reducer.initial(game, set_name="transfer", start_mode=f"{rows} {side}", mode="teach")
    made.on = picture(rows)
    made.wait(1.5)
    end = "A1" if side == "S" else "C5"
    made.wait(0.2, hand=True, moving=True)
    made.on.pop(end)
    made.wait(1.5, hand=True, moving=True)
    assert made.view is not None
    assert made.view.lifted is not None
    assert made.view.lifted.along == (("A1", "A2") if side == "S" else ("C5", "C4"))
    for language in LANGUAGES:
        assert all(site in message(made.view, language).lead for site in made.view.lifted.along)
    middle = where_to(game, made.state.line.position, Lifted(made.view.lifted.player, "green", "E1"))
    assert bool(middle.along) == (side == "S")
    assert bool(middle.why) == (side == "N")


@pytest.mark.parametrize("name", game_names())
def test_whatever_is_lifted_is_what_the_rules_let_go(name: str) -> None:
    """Every piece of every position: shown are exactly the sites to which a legal turn carries it."""
    game, found = positions(name)
    rng = Random(1)
    for position in rng.sample(found, min(5, len(found))):
        mover = game.to_move(position)
        if mover is None:
            continue
        before = game.picture(position)
        for site, kinds in sorted(before.on.items()):
            for kind in kinds:
                lifted = where_to(game, position, Lifted(mover, kind, site))
                if game.tries_two_turns:
                    assert {*lifted.to} == destinations(game, position, kind, site)
                    assert not {*lifted.why} & {*lifted.to}
                else:
                    assert not lifted.along or site in lifted.along


def destinations(game: Game, position: object, kind: str, site: str) -> set[str]:
    return {
        shift.to
        for turn in game.legal_turns(position)
        for shift in game.turn_shifts(position, turn)
        if (shift.piece, shift.origin) == (kind, site) and shift.to
    }


@pytest.mark.parametrize("name", game_names())
def test_at_the_table_the_same_turns_are_accepted_as_without_help(name: str) -> None:
    game = game_named(name)
    texts = []
    for mode in ("referee", "teach"):
        rng = Random(5)
        made = Showing(game=game, state=reducer.initial(game, set_name=name, mode=mode))  # type: ignore[arg-type]
        made.shown = game.picture(game.start())
        made.wait(2)
        for _ in range(4):
            position = made.state.line.position
            if game.to_move(position) is None:
                position = game.with_mover(position, game.players[0])
            turns = list(islice(game.legal_turns(position), 50))
            turn = rng.choice(turns)
            on = dict(game.picture(position).on)
            first = game.turn_shifts(position, turn)[:1]
            for shift in first:
                kinds = [*on[shift.origin or ""]]
                kinds.remove(shift.piece)
                made.shown = Placement({**on, shift.origin or "": tuple(kinds)})
                made.wait(1.5, hand=True, moving=True)
            made.shown = game.picture(game.after(position, turn))
            made.wait(0.3, hand=True, moving=True)
            made.wait(2.5)
        texts.append([(event.event, event.data.get("text")) for event in made.told()])
    assert texts[0] == texts[1]
