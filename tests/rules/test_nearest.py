"""The legal turn beside the way back: one piece away, right, and found wherever there is one."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from test_every_game import changed, changes
from walks import GAMES, Scene, key_of, pieces, scenes

from controller.rules.api import Kind, Placement, Site
from controller.rules.nearest import nearest_turn
from controller.rules.registry import game_named

POSITION = "r1kbr/5/3b1/3K1/RBB1R S"


def made(scene: Scene, placement: Placement, kind: Kind, origin: Site | None, to: Site | None) -> Placement:
    """The placement with one piece carried; in a row of Transfer the others make room for it."""
    game = scene.game
    standing = pieces(placement)
    if origin is not None:
        standing.remove((kind, origin))
    if to is not None and game.tries_two_turns:
        standing.append((kind, to))
    elif to is not None:
        cells = sorted(site for site in game.sites if game.lane(site) == game.lane(to))
        order = [other for other, site in standing if site in cells]
        order.insert(cells.index(to), kind)
        standing = [piece for piece in standing if piece[1] not in cells] + list(zip(order, cells, strict=False))
    on: dict[Site, tuple[Kind, ...]] = {}
    for other, site in standing:
        on[site] = (*on.get(site, ()), other)  # a row that holds too many keeps its order
    return game.normal(Placement(on))


def one_piece_away(scene: Scene, placement: Placement) -> bool:
    """Whether some end of a turn differs in one piece, by comparing them all."""
    stands = Counter(pieces(placement))
    for end in scene.ends.values():
        wanted = Counter(pieces(end))
        extra, lacking = list((stands - wanted).elements()), list((wanted - stands).elements())
        if len(extra) < 2 and len(lacking) < 2 and len({kind for kind, _ in extra + lacking}) == 1:
            return True
    return False


@pytest.mark.parametrize("name", GAMES)
def test_the_nearest_turn_is_complete_once_that_piece_is_carried(name: str) -> None:
    rng = random.Random(5)
    found = none = missed = 0
    for scene in scenes(name):
        game, position = scene.game, scene.position
        ends = [end for end in scene.ends.values() if end.on != scene.before.on]
        for base in (scene.before, rng.choice(ends)) if ends else (scene.before,):
            # One piece put wrong before a turn, and one in a turn that would have been right.
            wrongly = replace(scene, before=base)
            for change in rng.sample([one for one in changes(wrongly) if one[0] != "swapped"], 3):
                placement = changed(wrongly, change)
                if scene.expected(placement) != "illegal":
                    continue
                near = nearest_turn(game, position, placement)
                if game.tries_two_turns:
                    assert (near is not None) == one_piece_away(scene, placement)
                elif base is not scene.before:  # by trying the likely pieces only
                    missed += near is None
                if near is None:
                    none += 1
                    continue
                found += 1
                mended = made(scene, placement, near.shift.piece, near.shift.origin, near.shift.to)
                after = game.after(position, near.turn)
                assert key_of(game, mended) == key_of(game, game.picture(after)), (position, placement, near)
                assert scene.expected(mended) == "complete"
    assert found > 200
    assert none > 20
    assert missed * 100 < found


def test_of_several_turns_the_nearest_one_is_named() -> None:
    game = game_named("transet")
    position = game.start()
    on = {site: kinds for site, kinds in game.picture(position).on.items() if site != "c1"}
    near = nearest_turn(game, position, Placement({**on, "c3": ("dark-PIAS",)}))
    assert near is not None
    assert game.turn_text(position, near.turn) == "c1-c2"
    assert (near.shift.piece, near.shift.origin, near.shift.to) == ("dark-PIAS", "c3", "c2")


def test_a_piece_owed_is_the_one_that_is_missing() -> None:
    game = game_named("transet")
    position = game.parse_position(POSITION)
    on = {site: kinds for site, kinds in game.picture(position).on.items() if site != "d2"}
    near = nearest_turn(game, position, Placement({**on, "d3": ("dark-PIAS",)}))
    assert near is not None
    assert (near.shift.piece, near.shift.origin, near.shift.to) == ("light-PIOKER", None, "b5")


def test_what_is_hidden_is_not_advised() -> None:
    game = game_named("transet")
    position = game.start()
    on = {site: kinds for site, kinds in game.picture(position).on.items() if site != "c1"}
    seen = Placement({**on, "c3": ("dark-PIAS",)}, hidden=frozenset({"c2", "b2", "d2"}))
    assert nearest_turn(game, position, seen) is None
