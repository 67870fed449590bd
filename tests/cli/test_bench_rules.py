"""What `boardref bench` measures of the rules is what it says; how fast it is depends on the machine."""

from __future__ import annotations

import pytest

from controller.cli.bench_rules import leaves, pictures
from controller.rules.perft import perft
from controller.rules.registry import game_named, game_names


@pytest.mark.parametrize(("depth", "nodes"), [(0, 1), (1, 9), (2, 81), (3, 855)])
def test_every_leaf_is_made_and_counted_once(depth: int, nodes: int) -> None:
    game = game_named("transet")
    assert leaves(game, game.start(), depth) == perft(game, game.start(), depth) == nodes


@pytest.mark.parametrize("name", game_names())
def test_the_pictures_of_a_game_are_of_every_sort(name: str) -> None:
    game = game_named(name)
    shown = list(pictures(game, 100))
    answers = {game.judge(line.position, placement).answer for line, placement in shown}
    assert answers >= {"complete", "partial", "illegal", "unclear"}
    assert len({line.position for line, _ in shown}) > 50
