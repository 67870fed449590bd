"""Squares of one tint all round one another, as every game of Transfer ends: each is seen, none is invented."""

from __future__ import annotations

import random
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.boardset import installed_sets
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World
from vision.eye import Eye

FRAMES = Path(__file__).parents[1] / "data" / "frames"
BOARD = installed_sets()["transfer"]
COLOURS = ("orange", "sky", "green", "yellow", "blue", "vermilion", "purple")
ROWS = "ABCDEFGHI"


def check(on: dict[str, tuple[str, ...]]) -> None:
    sighting = Eye([BOARD]).look(SimulatedCamera(World(BOARD, on)).render())
    assert sighting.on() == on
    assert not sighting.hidden
    assert not sighting.off()


@pytest.mark.parametrize("seed", range(6))
def test_whole_rows_of_every_colour_side_by_side(seed: int) -> None:
    rows = random.Random(seed).sample([*COLOURS, None, None], 9)
    check({f"{row}{cell}": (colour,) for row, colour in zip(ROWS, rows, strict=True) if colour for cell in range(1, 6)})


def test_the_two_colours_of_nearly_one_tint_side_by_side() -> None:
    """The order that a whole game ended with when this was found."""
    rows = ["orange", "yellow", "green", "vermilion", None, None, "purple", "sky", "blue"]
    check({f"{row}{cell}": (colour,) for row, colour in zip(ROWS, rows, strict=True) if colour for cell in range(1, 6)})


@pytest.mark.parametrize("seed", range(6))
def test_ten_of_two_like_colours_crowded_anyhow(seed: int) -> None:
    rng = random.Random(seed)
    first = rng.randrange(7)
    cells = rng.sample([f"{row}{cell}" for row in ROWS[first : first + 3] for cell in range(1, 6)], 10)
    kinds = rng.sample(["orange"] * 5 + ["yellow"] * 5, 10)
    check({cell: (kind,) for cell, kind in zip(cells, kinds, strict=True)})


@pytest.mark.parametrize("colour", COLOURS)
def test_a_tablecloth_of_a_tokens_colour_all_round_the_sheet(colour: str) -> None:
    """It is one patch with the sheet in its middle: what lies there is no part of it."""
    image = np.asarray(cv2.imread(str(FRAMES / "transfer-a" / "frame_000000.jpg")), np.uint8)
    eye = Eye([BOARD])
    before = eye.look(image)
    assert eye.registration is not None
    width, height = BOARD.sheet_mm
    edge = eye.registration.pose.project(np.array([[0.0, 0.0], [width, 0], [width, height], [0, height]]))
    sheet = cv2.fillPoly(np.zeros(image.shape[:2], np.float32), [np.round(edge).astype(np.int32)], 1.0)
    token = next(token for token in before.tokens if token.kind == colour)
    x, y = eye.registration.pose.project(np.array([token.centre_mm]), -BOARD.tokens.height_mm)[0].astype(int)
    body = np.median(image[y - 5 : y + 6, x - 5 : x + 6].reshape(-1, 3), axis=0)
    cloth = body + np.random.default_rng(3).normal(0, 3, image.shape)
    here = cv2.GaussianBlur(sheet, (0, 0), 0.8)[:, :, None]
    picture = np.clip(image * here + cloth * (1 - here), 0, 255).astype(np.uint8)
    seen = Eye([BOARD]).look(picture)
    assert seen.on() == before.on()
    assert not seen.hidden
