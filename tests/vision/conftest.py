"""Recorded pictures, and a brush that puts a token into one of them."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

import vision  # noqa: F401  (sets the thread counts before numpy comes)
from vision.artwork import token_raster
from vision.boardset import BoardSet
from vision.registration import Registration

sys.path.insert(0, str(Path(__file__).parent))  # for what tests of this folder share

DATA = Path(__file__).parents[1] / "data"
Picture = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Shot:
    """One recorded picture and what is true of it."""

    sequence: str
    truth: dict[str, Any]

    @property
    def path(self) -> Path:
        return DATA / "frames" / self.sequence / str(self.truth["file"])

    @property
    def standing(self) -> dict[str, tuple[str, ...]]:
        return {site: tuple(sorted(kinds)) for site, kinds in self.truth["placement"].items()}

    def picture(self) -> Picture:
        image = cv2.imread(str(self.path))
        assert image is not None
        return np.asarray(image, np.uint8)


@pytest.fixture(scope="session")
def transet() -> BoardSet:
    return BoardSet.load(DATA / "sets" / "transet.toml")


@pytest.fixture(scope="session")
def shots() -> list[Shot]:
    found = []
    for sequence in ("transet-a", "transet-b", "transet-e"):
        truth = json.loads((DATA / "frames" / sequence / "truth.json").read_text())
        found += [Shot(sequence, frame) for frame in truth["frames"]]
    return found


@pytest.fixture(scope="session")
def stills(shots: list[Shot]) -> list[Shot]:
    return [shot for shot in shots if not shot.truth["hand"]]


@pytest.fixture(scope="session")
def paint() -> Callable[..., Picture]:
    """A function that puts a token into a picture: its top, at its height, in about the light of the place."""

    def put(
        image: Picture, registration: Registration, kind: str, at_mm: tuple[float, float], turn: float = 0.3
    ) -> Picture:
        board_set = registration.board_set
        size_mm, scale = board_set.tokens.size_mm, 8.0
        top = token_raster(board_set, kind, scale)
        side = top.shape[0]
        angle = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * size_mm / 2 @ angle.T + at_mm
        seen = registration.pose.project(corners, -board_set.tokens.height_mm).astype(np.float32)
        square = np.array([[0, 0], [side, 0], [side, side], [0, side]], np.float32) - np.float32(0.5)
        warp = cv2.getPerspectiveTransform(square, seen)
        size = (image.shape[1], image.shape[0])
        disc = np.zeros((side, side), np.float32)
        cv2.circle(disc, (side // 2, side // 2), side // 2 - 2, 1, -1)
        cover = cv2.GaussianBlur(cv2.warpPerspective(disc, warp, size, flags=cv2.INTER_AREA), (0, 0), 0.7)[:, :, None]
        soft = cv2.GaussianBlur(top, (0, 0), scale / 2)
        drawn = cv2.warpPerspective(soft, warp, size, flags=cv2.INTER_LINEAR)
        middle = seen.mean(axis=0).astype(int)
        around = image[middle[1] - 70 : middle[1] + 70, middle[0] - 70 : middle[0] + 70]
        light = np.percentile(around.reshape(-1, 3), 90, axis=0) / 235
        return np.clip(image * (1 - cover) + drawn * light * cover, 0, 255).astype(np.uint8)

    return put
