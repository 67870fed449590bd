"""Where the page draws a set: every site, slots of platforms too, and a bar for each player that crosses no other."""

import pytest

from controller.rules.registry import game_named, game_names
from controller.web.geometry import set_json
from vision.boardset import BoardSet, installed_sets


@pytest.fixture(params=game_names())
def board(request: pytest.FixtureRequest) -> BoardSet:
    return next(one for one in installed_sets().values() if one.game == request.param)


def test_every_site_of_the_game_has_a_place_on_the_page(board: BoardSet) -> None:
    sites = set_json(board)["sites"]
    assert game_named(board.game).sites <= set(sites)
    for site in sites.values():
        x, y = site["centre"]
        xs, ys = [p[0] for p in site["polygon"]], [p[1] for p in site["polygon"]]
        assert min(xs) < x < max(xs)
        assert min(ys) < y < max(ys)
    places = [tuple(site["centre"]) for site in sites.values()]
    assert len(places) == len(set(places))


def test_each_player_has_a_bar_of_their_own(board: BoardSet) -> None:
    bars = set_json(board)["bars"]
    assert set(bars) == set(game_named(board.game).players)
    spans = [sorted([bar["from"], bar["to"]]) for bar in bars.values()]
    (one, two) = spans
    assert one[1][1] != two[1][1] or one[1][0] < two[0][0] or two[1][0] < one[0][0]


def test_the_slot_at_the_mouth_is_next_to_the_board() -> None:
    sites = set_json(installed_sets()["transfer"])["sites"]
    heights = [sites[name]["centre"][1] for name in ("north.3", "north.2", "north.1", "E5", "E1")]
    heights += [sites[name]["centre"][1] for name in ("south.1", "south.2", "south.3")]
    assert heights == sorted(heights)
