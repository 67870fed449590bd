"""A bumped table, from camera to referee: noticed within a second, found again, read anew, and the game goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from controller.watcher import Watcher, chosen_sets
from vision.camera.frame import Frame, Image
from vision.sighting import Sighting

FRAMES = Path(__file__).parents[1] / "data" / "frames"
GAMES = ("transet", "taasen", "transfer")
STEP_S = 0.1


def moved(x_px: float, y_px: float, turn_deg: float, scale: float = 1.0) -> Callable[[Image], Image]:
    """The sheet pushed and turned, or the camera nearer or further."""

    def change(image: Image) -> Image:
        height, width = image.shape[:2]
        warp = cv2.getRotationMatrix2D((width / 2, height / 2), turn_deg, scale)
        warp[:, 2] += (x_px, y_px)
        return np.asarray(cv2.warpAffine(image, warp, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)

    return change


def lifted(by_px: float) -> Callable[[Image], Image]:
    """One corner of the sheet nearer to the camera."""

    def change(image: Image) -> Image:
        height, width = image.shape[:2]
        flat = np.array([[350, 60], [930, 60], [960, 690], [330, 690]], np.float32)
        up = flat + np.array([[0, 0], [by_px, -by_px], [0, 0], [0, 0]], np.float32)
        warp = cv2.getPerspectiveTransform(flat, up)
        return np.asarray(cv2.warpPerspective(image, warp, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)

    return change


BUMPS: dict[str, Callable[[Image], Image]] = {
    "a little": moved(4, 2, 0),
    "a nudge": moved(12, -5, 1),
    "a cell": moved(84, 0, 0, 0.9),
    "turned": moved(0, 0, 20, 0.8),
    "turned by a quarter": moved(0, 0, 90, 0.55),
    "turned round": moved(0, 0, 180),
    "a corner lifted": lifted(20),
    "the camera hangs higher": moved(0, 0, 0, 0.95),
}


class Table:
    """A watcher that is shown one picture after another, with a sensor's noise."""

    def __init__(self, game: str) -> None:
        self.watcher = Watcher(chosen_sets(game, None), start_mode="auto")
        self.events: list[str] = []
        self._index = 0
        noise = np.random.default_rng(1)
        self._grains = [np.round(noise.normal(0, 1.5, (720, 1280, 3))).astype(np.int16) for _ in range(3)]

    def see(self, image: Image, seconds: float) -> list[Sighting]:
        seen = []
        for _ in range(round(seconds / STEP_S)):
            picture = np.clip(image + self._grains[self._index % 3], 0, 255).astype(np.uint8)
            sighting, step = self.watcher.see(Frame(picture, round(self._index * STEP_S, 3), self._index))
            self._index += 1
            seen.append(sighting)
            self.events += [event.event for event in step.events if not event.internal]
        return seen


def standing(truth: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    on = {site: tuple(sorted(kinds)) for site, kinds in truth["placement"].items()}
    for rail, card in truth.get("platforms", {}).items():
        on |= {f"{rail}.{number}": (kind,) for number, kind in enumerate(card["slots"], 1) if kind is not None}
    return on


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", BUMPS)
def test_a_bump_is_noticed_and_the_same_game_goes_on(game: str, name: str) -> None:
    folder = FRAMES / f"{game}-a"
    truth = next(frame for frame in json.loads((folder / "truth.json").read_text())["frames"] if not frame["hand"])
    image = cv2.imread(str(folder / truth["file"]))
    table = Table(game)
    while "setup_complete" not in table.events:
        assert table.see(image, STEP_S)[-1].t_s < 3
    assert table.see(image, 0.3)[-1].on() == standing(truth)
    table.events.clear()
    bumped = BUMPS[name](image)
    after = table.see(bumped, 1.2)
    noticed = [index for index, sighting in enumerate(after) if sighting.board_moved]
    assert len(noticed) == 1
    assert noticed[0] * STEP_S < 1.0
    assert after[-1].on() == standing(truth)
    assert table.events == ["board_moved", "board_found"]
    assert not table.see(bumped, 2.0)[-1].hand  # what the push brought into sight is no hand for long
