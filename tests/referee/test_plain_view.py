"""The plain-view guard: nothing moves through a site that lay in plain view."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from controller.referee.lines import Line
from controller.referee.reading import differing
from controller.referee.search import explain
from controller.rules.api import Game, Placement
from controller.rules.registry import game_named, game_names

GAMES = [name for name in game_names() if game_named(name).tries_two_turns]


def random_lines(game: Game, seed: int, games: int) -> Iterator[Line]:
    """Lines of random games, with their last two turns open."""
    rng = random.Random(seed)
    for _ in range(games):
        line = Line(game.start())
        for _ in range(rng.randrange(1, 40)):
            turns = list(game.legal_turns(line.position))
            if not turns:
                break
            line = line.then(game, rng.choice(turns))
        if game.outcome(line.position) is None:
            yield line


def relocations(game: Game, placement: Placement) -> Iterator[Placement]:
    """Every placement with one piece somewhere else."""
    for origin, kinds in placement.on.items():
        for kind in kinds:
            for site in sorted(game.sites - {origin}):
                on = {**placement.on, site: tuple(sorted((*placement.on.get(site, ()), kind)))}
                on[origin] = tuple(other for other in kinds if other != kind)
                yield Placement({site: stack for site, stack in on.items() if stack})


@pytest.mark.parametrize("name", GAMES)
def test_no_illegal_relocation_is_explained_by_two_turns(name: str) -> None:
    game = game_named(name)
    tried = refused = 0
    for line in random_lines(game, 1, 35):
        before = game.picture(line.position)
        for after in relocations(game, before):
            tried += 1
            found = explain(game, (line,), (), after, differing(before, after), frozenset())
            assert not found.quick
            refused += found.answer == "illegal"
    assert tried > 3_000
    assert refused > tried / 2


@pytest.mark.parametrize("name", GAMES)
def test_two_turns_are_found_where_their_sites_changed_or_were_hidden(name: str) -> None:
    game = game_named(name)
    for seed, line in enumerate(random_lines(game, 2, 60)):
        rng = random.Random(seed)
        first = rng.choice(list(game.legal_turns(line.position)))
        middle = line.then(game, first)
        if game.outcome(middle.position) is not None:
            continue
        second = rng.choice(list(game.legal_turns(middle.position)))
        last = middle.then(game, second)
        touched = game.turn_sites(line.position, first) | game.turn_sites(middle.position, second)
        found = explain(game, (line,), (), game.picture(last.position), touched, frozenset())
        assert found.answer in ("complete", "unchanged"), (seed, found)
        if found.quick:
            assert last.position in {one.position for one in found.lines}
