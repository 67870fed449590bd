"""Where the sheet is: against the truth of path-traced pictures, and against tags that lie."""

import json
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.boardset import BoardSet
from vision.registration import (
    Pose,
    detect,
    drift_px,
    follow,
    register,
    seen_corners,
    solve,
    tag_corners_mm,
    tag_correlations,
)


def _grey(shot: Any) -> Any:
    return cv2.cvtColor(shot.picture(), cv2.COLOR_BGR2GRAY)


def _true_px(shot: Any, board_set: BoardSet, points_mm: Any, height_mm: float) -> Any:
    camera = json.loads((shot.path.parent / "truth.json").read_text())["camera"]
    width, height = board_set.sheet_mm
    world = np.column_stack(
        [points_mm[:, 0] - width / 2, height / 2 - points_mm[:, 1], np.full(len(points_mm), height_mm)]
    )
    lens = np.array([camera["k1"], 0, 0, 0.0])
    turn = cv2.Rodrigues(np.array(camera["R"]))[0]
    return cv2.projectPoints(world, turn, np.array(camera["t"]), np.array(camera["K"]), lens)[0][:, 0]


def test_pose_agrees_with_the_truth(transet: BoardSet, stills: list[Any]) -> None:
    board = np.array([[x, y] for x in (23.5, 148.5, 273.5) for y in (85, 210, 335)], np.float64)
    for shot in stills[::5]:
        found = register(_grey(shot), [transet])
        assert found is not None
        assert len(found.tags) >= 3
        for height_mm in (0.0, 8.0):
            error = found.pose.project(board, -height_mm) - _true_px(shot, transet, board, height_mm)
            assert np.abs(error).max() < 2.0, shot.path
        assert found.residual_px < 1.0
        assert found.quality > 0.6


def test_a_tag_that_lies_is_left_out(transet: BoardSet, stills: list[Any]) -> None:
    grey = _grey(stills[0])
    corners = {tag: quads[0] for tag, quads in detect(grey, transet.fiducials.dictionary, True).items()}
    good = solve(corners, transet, (1280, 720))
    assert good is not None
    corners[2] = corners[2] + [90.0, -40.0]
    found = solve(corners, transet, (1280, 720))
    assert found is not None
    assert found.tags == (0, 1, 3)
    assert (
        np.abs(found.pose.project(np.array([[148.0, 210.0]])) - good.pose.project(np.array([[148.0, 210.0]]))).max() < 2
    )


def test_a_second_tag_with_the_same_id_does_not_mislead(transet: BoardSet, stills: list[Any]) -> None:
    image = _grey(stills[0])
    tag = cv2.aruco.generateImageMarker(
        cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, transet.fiducials.dictionary)), 1, 40
    )
    image[580:660, 150:230] = 255
    image[600:640, 170:210] = tag
    good, found = register(_grey(stills[0]), [transet]), register(image, [transet])
    assert good is not None
    assert found is not None
    middle = np.array([[148.0, 210.0]])
    assert np.abs(found.pose.project(middle) - good.pose.project(middle)).max() < 1


def test_following_finds_a_small_shift(transet: BoardSet, stills: list[Any]) -> None:
    grey = _grey(stills[0])
    last = register(grey, [transet])
    assert last is not None
    shifted = cv2.warpAffine(grey, np.array([[1, 0, 1.2], [0, 1, -0.9]]), (1280, 720))
    drift = drift_px(last, seen_corners(shifted, last, tag_correlations(shifted, last)))
    assert drift is not None
    assert drift == pytest.approx(1.5, abs=0.3)
    now = follow(shifted, last)
    assert now is not None
    middle = np.array([[148.0, 210.0]])
    assert np.allclose(now.pose.project(middle) - last.pose.project(middle), [[1.2, -0.9]], atol=0.3)


@settings(max_examples=40, deadline=None)
@given(st.floats(-0.5, 0.5), st.floats(-0.5, 0.5), st.floats(-3.1, 3.1), st.floats(-0.15, 0.02), st.floats(700, 1400))
def test_pixels_and_millimetres_are_inverse(tilt_x: float, tilt_y: float, turn: float, k1: float, focal: float) -> None:
    spin = cv2.Rodrigues(np.array([0.0, 0.0, turn]))[0]
    lean = cv2.Rodrigues(np.array([tilt_x, tilt_y, 0.0]))[0]
    rotation = lean @ spin
    at = np.array([0.0, 0.0, 900.0]) - rotation @ np.array([148.5, 210.0, 0.0])
    rvec = cv2.Rodrigues(rotation)[0][:, 0]
    pose = Pose((rvec[0], rvec[1], rvec[2]), (at[0], at[1], at[2]), focal, k1, (639.5, 359.5))
    points = np.array([[0.0, 0.0], [297, 420], [148, 30], [26, 394]])
    for z_mm in (0.0, -8.0):
        assert np.allclose(pose.unproject(pose.project(points, z_mm), z_mm), points, atol=0.1)
    xs, ys = np.array([10.0, 200.0]), np.array([5.0, 300.0, 410.0])
    grid = np.array([[x, y] for y in ys for x in xs])
    assert np.allclose(pose.project_grid(xs, ys).reshape(-1, 2), pose.project(grid), atol=0.01)


def test_corners_go_round_from_the_top_left(transet: BoardSet) -> None:
    assert tag_corners_mm(transet, 0).tolist() == [[14, 14], [38, 14], [38, 38], [14, 38]]
