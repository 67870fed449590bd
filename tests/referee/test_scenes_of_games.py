"""The Scenes that real games lead to, at all three tables: honest play and offences, as their lights show them."""

from __future__ import annotations

import pytest
from looks import alike, lit
from test_signals import HOST_LOST, flashes

from controller.referee import reducer
from controller.referee.events import Input
from controller.referee.signals import corner_sites, signals
from controller.rules.registry import game_named
from controller.sloppy import play_table, sitting
from controller.sloppy.twin import play_twin
from firmware_bridge.lightmap import LightMap
from firmware_bridge.rhythm import level
from firmware_bridge.scene import Scene
from vision.boardset import installed_sets


@pytest.fixture(scope="module", params=["transet", "taasen", "transfer"])
def evening(request: pytest.FixtureRequest) -> tuple[LightMap, list[Scene]]:
    """The default map of a game's set, and every different Scene of some games of it."""
    board = installed_sets()[request.param]
    game = game_named(request.param)
    sites = {board.names.get(site.id, site.id): board.centre(site) for site in board.sites}
    corners = corner_sites(sites)
    scenes: dict[str, Scene] = {}

    def watched(state: reducer.State, given: Input) -> reducer.Step:
        step = reducer.reduce(state, given)
        scene = signals(step.view, corners)
        scenes[repr(scene)] = scene
        return step

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sitting, "reduce", watched)
        play_table(3, 25, game)
        play_twin(1, 8, game)
    return LightMap.of(list(sites), game.players), list(scenes.values())


def test_every_two_states_differ_on_every_build(evening: tuple[LightMap, list[Scene]]) -> None:
    lightmap, scenes = evening
    states = {scene.state for scene in scenes}
    assert {"setup", "hand", "settling", "accepted", "obligation", "illegal", "to_move"} <= states
    assert not alike([HOST_LOST, *scenes], lightmap, 2)
    assert not alike([HOST_LOST, *scenes], LightMap({}, lightmap.bars), 1)


def test_nothing_flashes_more_than_three_times_a_second(evening: tuple[LightMap, list[Scene]]) -> None:
    lightmap, scenes = evening
    rhythms = set()
    for scene in scenes:
        bars, sites = lit(scene, lightmap)
        rhythms |= {(light.rhythm, led) for (_, led), light in bars.items()}
        rhythms |= {(light.rhythm, 0) for light in sites.values()}
    for rhythm, led in rhythms:
        for since_s in (0.0, 0.3, 0.77):
            assert flashes([level(rhythm, i / 50, since_s, led, 8) for i in range(200)]) <= 3


def test_the_bar_lit_is_that_of_the_side_at_work(evening: tuple[LightMap, list[Scene]]) -> None:
    _, scenes = evening
    for scene in scenes:
        if scene.state in ("accepted", "illegal", "obligation", "win", "passed"):
            assert len(scene.bars) == 1, scene


def test_every_scene_fits_one_frame_and_its_current_the_supply(evening: tuple[LightMap, list[Scene]]) -> None:
    lightmap, scenes = evening
    for scene in scenes:
        message = lightmap.message(scene, 1)
        assert message.lights == lightmap.entries(scene)
        assert 0 < message.brightness <= 64
