"""A table for one game, with the board of another one laid under its camera."""

from __future__ import annotations

from controller.supervision import Supervision, camera_said
from controller.watcher import STRANGER_EVERY, Watcher, chosen_sets
from controller.words import LANGUAGES
from vision.camera.frame import CameraStatus, Frame
from vision.camera.saying import Said, device
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


def test_it_is_a_state_with_a_sentence() -> None:
    (transet,), (taasen,) = chosen_sets("transet", None), chosen_sets("taasen", None)
    well = CameraStatus("ok", "The camera works.", 0.0)
    supervision = Supervision([transet])
    supervision.saw("no_board", None, 1.0)
    assert supervision.told(well)["state"] == "ok"  # that no board is there is no fault of the camera
    supervision.saw("no_board", taasen, 2.0)
    told = supervision.told(well)
    assert told["state"] == told["code"] == "wrong_board"
    assert told["sentence"] == camera_said(told, "en") == "The board of Taasen lies there; this table is for Transet."
    assert len({camera_said(told, language) for language in LANGUAGES}) == len(LANGUAGES)
    # a camera that fails says so first
    lost = CameraStatus("lost", Said("gone", device("0")).sentence, 3.0, said=Said("gone", device("0")))
    assert supervision.told(lost)["state"] == "lost"
    supervision.saw("blurred", None, 4.0)
    assert supervision.told(well)["state"] == "blurred"
    supervision.saw(None, None, 5.0)
    assert supervision.told(well)["state"] == "ok"
