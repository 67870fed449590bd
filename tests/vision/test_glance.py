"""The quick look for tags: where it believes a board, a full search finds the same one in the same place."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.artwork import raster
from vision.boardset import BoardSet
from vision.glance import glance
from vision.registration import Registration, at_a_glance, register, search


def _apart_px(one: Registration, other: Registration) -> float:
    width, height = one.board_set.sheet_mm
    grid = np.stack(np.meshgrid(np.linspace(0, width, 7), np.linspace(0, height, 7)), axis=2).reshape(-1, 2)
    return float(np.abs(one.pose.project(grid) - other.pose.project(grid)).max())


def test_a_glance_sees_what_a_search_sees(transet: BoardSet, shots: list[Any]) -> None:
    seen = 0
    for shot in shots[::3]:
        grey = cv2.cvtColor(shot.picture(), cv2.COLOR_BGR2GRAY)
        quick, full = at_a_glance(grey, [transet]), search(grey, [transet])
        if quick is None:
            continue
        seen += 1
        assert full is not None
        assert quick.board_set is full.board_set
        assert set(full.tags) <= set(quick.tags)
        assert _apart_px(quick, full) < 1.0, shot.path
        assert register(grey, [transet]) == quick
    assert seen > len(shots[::3]) / 2  # or it would be of no use


def _photograph(board_set: BoardSet, turn: float, tilt: tuple[float, float], scale: float) -> tuple[Any, Any]:
    """The sheet as a camera of 1280 x 720 sees it, grey; and the corners of its tags, by id."""
    px_per_mm = 3.0
    sheet = cv2.GaussianBlur(cv2.cvtColor(raster(board_set, px_per_mm), cv2.COLOR_BGR2GRAY), (0, 0), 1.0)
    width, height = board_set.sheet_mm
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]])
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    flat = (corners - corners.mean(axis=0)) @ spin.T * scale
    flat = flat / (1 + (flat @ np.array(tilt))[:, None] / 2000) + [640, 360]
    warp = cv2.getPerspectiveTransform((corners * px_per_mm - 0.5).astype(np.float32), flat.astype(np.float32))
    seen = cv2.warpPerspective(sheet, warp, (1280, 720), flags=cv2.INTER_AREA, borderValue=(90.0,))
    to_px = cv2.getPerspectiveTransform(corners.astype(np.float32), flat.astype(np.float32))
    tags = board_set.fiducials
    half = tags.side_mm / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    true = {
        tag: cv2.perspectiveTransform((half + centre)[None].astype(np.float32), to_px)[0]
        for tag, centre in zip(tags.ids, np.array(tags.centres_mm), strict=True)
    }
    return seen, true


@settings(max_examples=25, deadline=None)
@given(
    turn=st.floats(-3.14, 3.14),
    tilt=st.tuples(st.floats(-0.6, 0.6), st.floats(-0.6, 0.6)),
    scale=st.floats(1.25, 1.5),
)
def test_tags_are_found_turned_and_tilted(
    transet: BoardSet, turn: float, tilt: tuple[float, float], scale: float
) -> None:
    grey, true = _photograph(transet, turn, tilt, scale)
    found = glance(grey, transet.fiducials.dictionary, transet.fiducials.ids)
    for tag, corners in true.items():
        if corners.min() < 12 or np.any(corners > [1268, 708]):
            continue
        (quad,) = found[tag]
        assert np.abs(quad - corners).max() < 3.0  # the same corner first, and near enough to be made exact


@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_seen_in_noise_and_clutter(transet: BoardSet, seed: int) -> None:
    rng = np.random.default_rng(seed)
    picture = rng.integers(90, 140, (720, 1280), dtype=np.uint8)
    for _ in range(150):
        x, y, wide, high = rng.integers(0, [1200, 660, 80, 80])
        cv2.rectangle(picture, (int(x), int(y)), (int(x + wide), int(y + high)), int(rng.integers(0, 255)), -1)
    assert glance(picture, transet.fiducials.dictionary, transet.fiducials.ids) == {}
    assert at_a_glance(picture, [transet]) is None


def test_a_small_or_empty_picture_is_no_trouble(transet: BoardSet) -> None:
    for shape in ((64, 64), (65, 77), (720, 1280)):
        assert glance(np.zeros(shape, np.uint8), transet.fiducials.dictionary, transet.fiducials.ids) == {}
