"""A camera that sends pictures of another size in mid-game: the same game goes on, and nothing is said of it."""

from __future__ import annotations

import cv2

from controller.watcher import Watcher, chosen_sets
from vision.camera.frame import Frame
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World


def test_the_game_goes_on_at_any_size_that_shows_the_board() -> None:
    watcher = Watcher(chosen_sets("transet", None))
    world = World(watcher.board, watcher.game.picture(watcher.game.start()).on)
    camera = SimulatedCamera(world)
    index, said = 0, []
    try:
        for size in ((1280, 720), (1920, 1080), (960, 540), (64, 48), (1280, 720)):
            for _ in range(15):
                image = cv2.resize(camera.render(), size, interpolation=cv2.INTER_AREA)
                sighting, step = watcher.see(Frame(image, index / 10, index))
                said += [event.event for event in step.events if not event.internal]
                index += 1
            assert step.view.phase == "play"
            if size[1] > 500:
                assert sighting.game == "transet"
                assert len(sighting.on()) == 10
            else:
                assert sighting.trouble is not None
    finally:
        camera.close()
    assert said[:2] == ["board_found", "setup_complete"]
    assert sorted(said[2:]) == ["board_found", "cannot_see", "sees_again"]  # of the one that shows nothing
