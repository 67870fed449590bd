"""Bump, creep or shake: told by where the sheet is, frame by frame; and one lifted corner by its tag."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.boardset import BoardSet
from vision.footing import STAYS_S, Footing
from vision.registration import Pose, Registration

BOARD = BoardSet.load(Path(__file__).parents[1] / "data" / "sets" / "transet.toml")
STEP_S = 0.1


def lying(x_mm: float, y_mm: float, up_mm: float = 0.0) -> Registration:
    pose = Pose((0.0, 0.0, 0.0), (x_mm - 148.5, y_mm - 210, 750.0 - up_mm), 1000.0, -0.05, (639.5, 359.5))
    return Registration(BOARD, pose, 0.2, BOARD.fiducials.ids, (1280, 720))


def bumps(places: Iterable[tuple[float, float]]) -> list[int]:
    footing = Footing()
    return [index for index, place in enumerate(places) if footing.bumped(lying(*place), index * STEP_S)]


@settings(max_examples=60, deadline=None)
@given(st.floats(1.2, 30), st.floats(0, 6.3))
def test_a_shift_that_stays_is_one_bump_soon(by_mm: float, way: float) -> None:
    there = (by_mm * np.cos(way), by_mm * np.sin(way))
    found = bumps([(0.0, 0.0)] * 5 + [there] * 30)
    assert len(found) == 1
    assert (found[0] - 5) * STEP_S <= STAYS_S + 0.01


@settings(max_examples=60, deadline=None)
@given(st.floats(0.2, 2.5), st.integers(0, 10_000))
def test_a_shaking_camera_bumps_nothing_for_long(reach_mm: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    places = [tuple(rng.uniform(-reach_mm, reach_mm, 2)) for _ in range(100)]
    assert len(bumps(places)) <= 3


@settings(max_examples=30, deadline=None)
@given(st.floats(0.0, 0.3), st.floats(0, 6.3))
def test_a_creep_is_no_bump(mm_per_s: float, way: float) -> None:
    step = mm_per_s * STEP_S
    assert not bumps((step * index * np.cos(way), step * index * np.sin(way)) for index in range(300))


def test_a_shift_that_goes_back_at_once_is_no_bump() -> None:
    assert not bumps([(0, 0)] * 5 + [(2, 1)] * 2 + [(0, 0)] * 30)


def test_a_scale_that_is_read_a_little_differently_is_no_bump() -> None:
    footing = Footing()
    assert not any(footing.bumped(lying(0, 0, up_mm=1.5 * (index % 2)), index * STEP_S) for index in range(50))


SQUARE = np.array([[0.0, 0.0], [24, 0], [24, 24], [0, 24]])
TAGS = {tag: SQUARE + place for tag, place in enumerate(((0, 0), (300, 0), (300, 400), (0, 400)))}


def shifted(x_px: float, y_px: float) -> np.ndarray:
    return SQUARE + np.array([x_px, y_px])


def pulled(third: tuple[float, float], fourth: tuple[float, float]) -> np.ndarray:
    return SQUARE + np.array([(0, 0), (0, 0), third, fourth])


@pytest.mark.parametrize(
    ("corners", "up"),
    [
        (shifted(1.5, 0.5), True),
        (1.08 * shifted(4, -3), True),
        (pulled((3, 0), (3, 0)), False),  # a hand's edge across it
        (pulled((0, 0), (5, 4)), False),
        (shifted(0.2, 0.1), False),
    ],
)
def test_a_tag_that_left_the_others_is_a_lifted_corner(corners: np.ndarray, up: bool) -> None:
    footing = Footing()
    told = [footing.lifted(TAGS, TAGS | {0: corners}, 1.0, index * STEP_S) for index in range(6)]
    assert any(told) is up
    assert not any(told[:2])


def test_a_sheet_that_moved_as_a_whole_has_no_lifted_corner() -> None:
    footing = Footing()
    moved = {tag: corners + np.array([7.0, -3.0]) for tag, corners in TAGS.items()}
    assert not any(footing.lifted(TAGS, moved, 1.0, index * STEP_S) for index in range(6))
    assert footing.shaken(TAGS) is False
    assert footing.shaken(moved)
    assert not footing.shaken(moved)
