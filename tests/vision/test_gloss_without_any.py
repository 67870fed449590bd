"""A sheet without any gloss, in even light: taking gloss out must not make any."""

from __future__ import annotations

import pytest

from controller.rules.registry import game_named
from controller.watcher import chosen_sets
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World
from vision.eye import Eye


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
