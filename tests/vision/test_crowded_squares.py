"""Squares of one tint all round one another, as every game of Transfer ends: each is seen, none is invented."""

from __future__ import annotations

import random

import pytest

from vision.boardset import installed_sets
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World
from vision.eye import Eye

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
