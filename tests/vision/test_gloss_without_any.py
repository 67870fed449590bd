"""A sheet without any gloss, in even light: taking gloss out must not make any."""

from __future__ import annotations

import numpy as np
import pytest

from controller.rules.registry import game_named
from controller.watcher import chosen_sets
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World
from vision.eye import Eye
from vision.gloss import _light, _logs, without_gloss
from vision.palette import first_palette


@pytest.mark.parametrize(("gain", "cast"), [(1.0, (1.0, 1.0, 1.0)), (0.6, (0.9, 1.0, 1.1)), (1.2, (1.1, 1.0, 0.9))])
def test_every_square_of_a_full_board_keeps_its_colour(gain: float, cast: tuple[float, float, float]) -> None:
    (board,) = chosen_sets("transfer", None)
    game = game_named("transfer")
    start = game.picture(game.start()).on
    world = World(board, start)
    world.lamp(gain, cast)
    camera = SimulatedCamera(world)
    try:
        sighting = Eye([board], None).look(camera.render())
    finally:
        camera.close()
    assert {site: tuple(kinds) for site, kinds in sighting.on().items()} == {
        site: tuple(kinds) for site, kinds in start.items()
    }
    assert not sighting.hidden


@pytest.mark.parametrize("game", ["transet", "taasen", "transfer"])
def test_nothing_printed_is_taken_for_a_shadows_edge(game: str) -> None:
    (board,) = chosen_sets(game, None)
    rules = game_named(game)
    camera = SimulatedCamera(World(board, rules.picture(rules.start()).on))
    eye = Eye([board], None)
    try:
        eye.look(camera.render())
    finally:
        camera.close()
    assert eye._things.edges is None  # not even asked


@pytest.mark.parametrize("slope", [0.0, 0.04])
def test_gloss_is_taken_out_where_there_is_some(slope: float) -> None:
    (board,) = chosen_sets("transfer", None)
    palette, rng = first_palette(board), np.random.default_rng(5)
    kinds = np.repeat(np.arange(len(palette.means)), 5)
    at_mm = rng.uniform(20, 280, (len(kinds), 2))
    seen = palette.means[kinds] + rng.normal(0, 0.006, (len(kinds), 3))
    shone = _logs(_light(seen) + slope * (at_mm[:, :1] / board.sheet_mm[0] - 0.5).clip(-0.2))
    evened, found = without_gloss(board, shone, at_mm, np.ones(len(kinds), bool))
    assert (evened is shone) == (slope == 0)
    assert found.nats(evened).argmax(axis=1).tolist() == kinds.tolist()
    if slope:
        away = [np.abs(tokens - seen - (tokens - seen).mean(axis=0)).mean() for tokens in (evened, shone)]
        assert away[0] < away[1]
