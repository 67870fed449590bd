"""A table for one game, with the board of another one laid under its camera."""

from __future__ import annotations

from controller.watcher import STRANGER_EVERY, Watcher, chosen_sets
from vision.camera.frame import Frame
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World


def test_the_board_of_another_game_is_named_until_it_is_gone() -> None:
    watcher = Watcher(chosen_sets("transet", None))
    (taasen,) = chosen_sets("taasen", None)
    index = 0

    def show(world: World, frames: int) -> None:
        nonlocal index
        camera = SimulatedCamera(world)
        for _ in range(frames):
            watcher.see(Frame(camera.render(), index / 10, index))
            index += 1
        camera.close()

    show(World(taasen), STRANGER_EVERY + 1)
    assert watcher.stranger is not None
    assert watcher.stranger.game == "taasen"
    assert watcher.eye.registration is None
    show(World(watcher.board), 2)
    assert watcher.stranger is None
    assert watcher.eye.registration is not None
