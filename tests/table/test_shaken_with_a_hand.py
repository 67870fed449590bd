"""A camera that is shaken while a hand lies beside the sheet: once the hand has gone, nothing is taken for one."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from controller.watcher import Watcher, chosen_sets
from vision.camera.frame import Frame, Image
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World


def with_hand(picture: Image, reach_px: int) -> Image:
    """A fist that comes from the picture's lower edge, left of the sheet's middle."""
    image = picture.copy()
    bottom = image.shape[0]
    cv2.ellipse(image, (520, bottom), (55, reach_px), 0, 0, 360, (96, 128, 190), -1, cv2.LINE_AA)
    cv2.ellipse(image, (535, bottom), (40, max(1, reach_px - 12)), 0, 0, 360, (80, 108, 165), 3, cv2.LINE_AA)
    return image


def shifted(picture: Image, by_px: float) -> Image:
    move = np.array([[1, 0, by_px], [0, 1, by_px / 2]], np.float64)
    size = picture.shape[1], picture.shape[0]
    return np.asarray(cv2.warpAffine(picture, move, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.mark.parametrize("fps", [10, 30])
@pytest.mark.parametrize("shake_px", [0.4, 0.8])
def test_no_hand_is_left_behind(fps: int, shake_px: float) -> None:
    watcher = Watcher(chosen_sets("transet", None))
    camera = SimulatedCamera(World(watcher.board, watcher.game.picture(watcher.game.start()).on))
    index = 0

    def show(seconds: float, hand_px: int = 0, shake: float = 0.0) -> list[bool]:
        nonlocal index
        hands = []
        for number in range(max(1, round(seconds * fps))):
            picture = camera.render()
            picture = with_hand(picture, hand_px) if hand_px else picture
            picture = shifted(picture, shake * (-1) ** number) if shake else picture
            sighting, _ = watcher.see(Frame(picture, index / fps, index))
            hands.append(sighting.hand)
            index += 1
        return hands

    try:
        show(2.0)
        for reach in (20, 30, 38):
            assert any(show(0.2, reach))
        show(0.3, 38, shake_px)
        show(0.5, 38)
        show(0.3, 20)
        gone = show(1.5)
        assert not any(gone[fps:])
    finally:
        camera.close()


@pytest.mark.parametrize("shake_px", [0.0, 0.4])
def test_waiting_times_begin_when_the_hand_has_gone(shake_px: float) -> None:
    """However the camera shakes, a hand over the sheet is movement: neither accepted nor accused before its time."""
    fps = 10
    watcher = Watcher(chosen_sets("transet", None))
    world = World(watcher.board, watcher.game.picture(watcher.game.start()).on)
    camera = SimulatedCamera(world)
    index = 0
    told: dict[str, float] = {}

    def show(seconds: float, hand_px: int = 0) -> None:
        nonlocal index
        for number in range(round(seconds * fps)):
            picture = camera.render()
            picture = with_hand(picture, hand_px + 6 * (number % 3)) if hand_px else picture
            picture = shifted(picture, shake_px * (-1) ** number) if shake_px else picture
            _, step = watcher.see(Frame(picture, index / fps, index))
            told.update({event.event: index / fps for event in step.events if not event.internal})
            index += 1

    def carry(origin: str, to: str) -> float:
        """With a hand over the sheet; when that has gone."""
        show(0.4, 200)
        here, there = watcher.board.centre(origin), watcher.board.centre(to)
        away = {t["id"]: abs(t["x_mm"] - here[0]) + abs(t["y_mm"] - here[1]) for t in world.as_json()["tokens"]}
        token = min(away, key=away.__getitem__)
        world.lift(token)
        world.move(token, float(there[0]), float(there[1]))
        world.drop(token)
        show(0.6, 240)
        return index / fps

    try:
        show(2.0)
        gone_s = carry("e1", "e2")
        show(1.0)
        assert told["turn"] - gone_s == pytest.approx(0.5)
        gone_s = carry("a5", "b4")
        show(2.0)
        assert told["illegal"] - gone_s == pytest.approx(1.5)
    finally:
        camera.close()
