"""Where a camera hangs over a sheet: from the corners of tags, and from printed lines where there are few tags.

Sheet frame: kit millimetres, x right, y down, z *away* from the camera (a token's top lies at z = -height). Pixels:
x right, y down, a pixel's centre at whole numbers. The lens is a pinhole with one radial coefficient; what four tags
can't tell about it is held by priors, so two tags are enough for a rougher pose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.boardset import BoardSet

Array = npt.NDArray[Any]
Image = npt.NDArray[Any]
NO_MAP: Any = None  # remap takes one map of pairs; its stubs ask for two

FOCAL_PER_WIDTH = 0.83  # a webcam of 62 degrees
FOCAL_SPREAD = 0.18  # of the logarithm
K1_MEAN, K1_SPREAD = -0.08, 0.1
INSET_MM, INSET_SPREAD_MM = 0.3, 0.2  # white blooms into black: printed squares look smaller
CORNER_SIGMA_PX = 0.35
LINE_SIGMA_PX = 1.0
ENOUGH = 1e-3  # less is not worth another step: of the sum of squares, told or gained
MOST_STEPS = 40  # a camera straight above leaves its tilt and focal length to each other: a long, bent valley


@dataclass(frozen=True)
class Lens:
    """What is known of the camera: focal length and k1 for a picture `width_px` wide, and how sure."""

    focal_px: float
    k1: float
    focal_spread: float = 0.01
    k1_spread: float = 0.01


@lru_cache(maxsize=64)
def _rotation(rvec: tuple[float, float, float]) -> Array:
    return np.asarray(cv2.Rodrigues(np.asarray(rvec))[0], np.float64)


@dataclass(frozen=True)
class Pose:
    """Sheet -> picture. `rvec`, `tvec` (3,), `centre_px`: principal point."""

    rvec: tuple[float, float, float]
    tvec: tuple[float, float, float]
    focal_px: float
    k1: float
    centre_px: tuple[float, float]
    inset_mm: float = INSET_MM

    def _matrix(self) -> Array:
        return _rotation(self.rvec)

    def project(self, points_mm: Array, z_mm: float = 0.0) -> Array:
        """Sheet points (n, 2) at height `z_mm` -> pixels (n, 2)."""
        rotation = self._matrix()
        # axis by axis: numpy is slow along an axis of two
        x, y, away = rotation[:, :2] @ points_mm.T + (rotation[:, 2] * z_mm + np.asarray(self.tvec))[:, None]
        away = np.maximum(away, 1e-6)
        x, y = x / away, y / away
        bend = (1 + self.k1 * (x * x + y * y)) * self.focal_px
        pixels = np.empty((len(points_mm), 2))
        pixels[:, 0], pixels[:, 1] = x * bend + self.centre_px[0], y * bend + self.centre_px[1]
        return pixels

    def project_grid(self, xs_mm: Array, ys_mm: Array, z_mm: float = 0.0) -> npt.NDArray[np.float32]:
        """Pixels (len(ys), len(xs), 2) of a grid at height `z_mm`; quicker than `project` for many points."""
        turn = self._matrix().astype(np.float32)
        x, y = xs_mm.astype(np.float32)[None, :], ys_mm.astype(np.float32)[:, None]
        away = [np.float32(self.tvec[row] + turn[row, 2] * z_mm) for row in range(3)]
        axes = [turn[row, 0] * x + turn[row, 1] * y + away[row] for row in range(3)]
        flat_x, flat_y = axes[0] / axes[2], axes[1] / axes[2]
        bend = (1 + np.float32(self.k1) * (flat_x * flat_x + flat_y * flat_y)) * np.float32(self.focal_px)
        centre_x, centre_y = self.centre_px
        return np.asarray(cv2.merge([flat_x * bend + np.float32(centre_x), flat_y * bend + np.float32(centre_y)]))

    def unproject(self, points_px: Array, z_mm: float = 0.0) -> Array:
        """Pixels (n, 2) -> the sheet points (n, 2) seen there if they lie at height `z_mm`."""
        bent_x, bent_y = (np.asarray(points_px).T - np.array(self.centre_px)[:, None]) / self.focal_px
        x, y = bent_x, bent_y
        for _ in range(6):
            bend = np.maximum(1 + self.k1 * (x * x + y * y), 0.3)
            x, y = bent_x / bend, bent_y / bend
        rotation = self._matrix()
        plane = np.column_stack([rotation[:, :2], rotation[:, 2] * z_mm + np.asarray(self.tvec)])
        across, down, away = np.linalg.inv(plane) @ np.stack([x, y, np.ones(len(x))])
        points = np.empty((len(x), 2))
        points[:, 0], points[:, 1] = across / away, down / away
        return points

    def slopes(self, points_mm: Array, z_mm: float = 0.0) -> Array:
        """Pixels per mm at sheet points (n, 2): (n, 2, 2), last axis x and y of the sheet."""
        middle = self.project(points_mm, z_mm)
        along_x = self.project(points_mm + np.array([1.0, 0.0]), z_mm) - middle
        along_y = self.project(points_mm + np.array([0.0, 1.0]), z_mm) - middle
        return np.stack([along_x, along_y], axis=2)


@dataclass(frozen=True)
class Lines:
    """Printed lines found in a picture: `at_mm` (n, 2) a point of each as printed, `seen_px` (n, 2) one of it as seen,
    `normal_px` (n, 2) the unit vector across it, `weight` (n,) how far it is believed."""

    at_mm: Array
    seen_px: Array
    normal_px: Array
    weight: Array


def tag_corners_mm(board_set: BoardSet, tag: int, inset_mm: float = 0.0) -> Array:
    """(4, 2): the black square's corners, clockwise from top left."""
    fiducials = board_set.fiducials
    half = fiducials.side_mm / 2 - inset_mm
    offsets = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    return np.asarray(np.asarray(fiducials.centres_mm[fiducials.ids.index(tag)]) + offsets)


def fit_pose(
    tags: Sequence[int],
    corners_px: Array,
    board_set: BoardSet,
    size_px: tuple[int, int],
    lens: Lens | None,
    start: Pose | None,
    lines: Lines | None = None,
    most_steps: int = MOST_STEPS,
) -> tuple[Pose, Array] | None:
    """Pose from the corners (n * 4, 2) of `tags` and the corners' residuals (n * 4, 2); None where nothing fits."""
    width, height = size_px
    centre = ((width - 1) / 2, (height - 1) / 2)
    focal_0 = lens.focal_px if lens else FOCAL_PER_WIDTH * max(width, height)
    k1_0 = lens.k1 if lens else K1_MEAN
    outer = np.concatenate([tag_corners_mm(board_set, tag) for tag in tags])
    signs = np.tile([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]], (len(tags), 1))
    if start is None:
        camera = np.array([[focal_0, 0, centre[0]], [0, focal_0, centre[1]], [0, 0, 1.0]])
        flat = np.column_stack([outer + signs * INSET_MM, np.zeros(len(outer))])
        ok, rvec, tvec = cv2.solvePnP(flat, corners_px, camera, np.array([k1_0, 0, 0, 0.0]), flags=cv2.SOLVEPNP_IPPE)
        if not ok or tvec[2, 0] <= 0:
            return None
        state = np.array([*rvec[:, 0], *tvec[:, 0], np.log(focal_0), k1_0, INSET_MM])
    else:
        state = np.array([*start.rvec, *start.tvec, np.log(start.focal_px), start.k1, start.inset_mm])
    prior = np.array([np.log(focal_0), k1_0, INSET_MM])
    weight = 1 / np.array(
        [lens.focal_spread if lens else FOCAL_SPREAD, lens.k1_spread if lens else K1_SPREAD, INSET_SPREAD_MM]
    )

    at_mm, inward = (outer, signs) if lines is None else (
        np.concatenate([outer, lines.at_mm]), np.concatenate([signs, np.zeros_like(lines.at_mm)])
    )  # fmt: skip
    share = None if lines is None else lines.normal_px.T * (lines.weight / LINE_SIGMA_PX)
    count = len(outer)

    def misses(at: Array) -> tuple[Array, Array]:
        """What corners, x and y apart, and lines miss, in their spreads (n,), and the slopes (9, n) of what is told."""
        seen, slopes = _seen(at, at_mm, inward, centre)
        error = (corners_px.T - seen[:, :count]).ravel() / CORNER_SIGMA_PX
        told = slopes[:, :, :count].reshape(9, -1) / CORNER_SIGMA_PX
        if lines is None or share is None:
            return error, told
        across = ((lines.seen_px.T - seen[:, count:]) * share).sum(axis=0)
        along = slopes[:, 0, count:] * share[0] + slopes[:, 1, count:] * share[1]
        return np.concatenate([error, across]), np.hstack([told, along])

    def cost(at: Array, error: Array) -> float:
        beyond = (prior - at[6:]) * weight
        return float(error @ error + beyond @ beyond)

    damping, hold = 1e-3, np.concatenate([np.zeros(6), weight**2])
    error, slopes = misses(state)
    for _ in range(most_steps):
        normal, pull = slopes @ slopes.T, slopes @ error
        normal.flat[::10] += hold
        pull[6:] += hold[6:] * (prior - state[6:])
        step = _step(normal, pull, damping)
        if pull @ step < ENOUGH and pull @ _step(normal, pull, 1e-9) < ENOUGH:  # the second is never less
            break
        trial = state + step
        new_error, new_slopes = misses(trial)
        gain = cost(state, error) - cost(trial, new_error)
        if gain > 0:
            state, error, slopes, damping = trial, new_error, new_slopes, damping * 0.2
            if gain < ENOUGH:
                break
        else:
            damping *= 10
            if damping > 1e6:
                break
    if state[5] <= 0 or not np.all(np.isfinite(state)):
        return None
    values = [float(value) for value in state]
    pose = Pose(
        (values[0], values[1], values[2]),
        (values[3], values[4], values[5]),
        float(np.exp(values[6])),
        values[7],
        centre,
        values[8],
    )
    return pose, error[: 2 * count].reshape(2, -1).T * CORNER_SIGMA_PX


def _step(normal: Array, pull: Array, damping: float) -> Array:
    """What a damped step changes (9,): normal equations (9, 9) whose diagonal grows by a share of itself."""
    damped = normal.copy()
    damped.flat[::10] *= 1 + damping
    return np.asarray(np.linalg.solve(damped, pull))


def _seen(state: Array, at_mm: Array, inward: Array, centre_px: tuple[float, float]) -> tuple[Array, Array]:
    """Pixels (2, n) of sheet points (n, 2), each moved `inward` (n, 2) by the inset, and their slopes (9, 2, n).

    `state` (9,): rotation vector, translation, logarithm of the focal length, k1, inset.
    """
    turn, by_turn = cv2.Rodrigues(state[:3])
    points = (at_mm + inward * state[8]).T
    ways = np.empty((7, 3, len(at_mm)))  # where each of the first six, and the inset, move the points before the camera
    ways[:3] = np.asarray(by_turn).reshape(3, 3, 3)[:, :, :2] @ points
    ways[3:6] = np.eye(3)[:, :, None]
    ways[6] = turn[:, :2] @ inward.T
    x, y, away = turn[:, :2] @ points + state[3:6, None]
    away = np.where(np.abs(away) < 1e-6, 1e-6, away)
    x, y = x / away, y / away
    right, down = (ways[:, 0] - x * ways[:, 2]) / away, (ways[:, 1] - y * ways[:, 2]) / away
    focal, k1 = float(np.exp(state[6])), float(state[7])
    out2, steep = x * x + y * y, 2 * focal * k1
    bend, mixed = focal * (1 + k1 * out2), steep * x * y
    moved = np.stack([(bend + steep * x * x) * right + mixed * down, mixed * right + (bend + steep * y * y) * down], 1)
    flat = np.stack([x, y])
    slopes = np.concatenate([moved[:6], (flat * bend)[None], (flat * (focal * out2))[None], moved[6:]])
    return flat * bend + np.array(centre_px)[:, None], slopes
