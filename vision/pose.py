"""Where a camera hangs over a sheet: from the corners of tags, and from printed lines where there are few tags.

Sheet frame: kit millimetres, x right, y down, z *away* from the camera (a token's top lies at z = -height). Pixels:
x right, y down, a pixel's centre at whole numbers. The lens is a pinhole with one radial coefficient; what four tags
can't tell about it is held by priors, so two tags are enough for a rougher pose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import atan2, exp, hypot, sqrt
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.boardset import BoardSet, SetKey

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
MOST_STEPS = 40
NO_DAMPING, LEAST_DAMPING = 1e-6, 1e-3  # until a step leads astray, and from then on
FARTHEST = 1.0  # logarithm of what depth and focal length may grow by in one step
NEAREST_MM, SLIMMEST = 1.0, 0.05  # a sheet at the camera, or seen from its edge or from behind


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


@lru_cache(maxsize=64)
def _outer_mm(key: SetKey, tags: tuple[int, ...]) -> tuple[Array, Array]:
    """The corners (n * 4, 2) of tags as printed, and which way is inward at each. Made once, not to be written to."""
    inward = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]
    return np.concatenate([tag_corners_mm(key.board_set, tag) for tag in tags]), np.tile(inward, (len(tags), 1))


def fit_pose(
    tags: Sequence[int],
    corners_px: Array,
    board_set: BoardSet,
    size_px: tuple[int, int],
    lens: Lens | None,
    start: Pose | None,
    lines: Lines | None = None,
) -> tuple[Pose, Array] | None:
    """Pose from the corners (n * 4, 2) of `tags` and the corners' residuals (n * 4, 2); None where nothing fits."""
    width, height = size_px
    centre = ((width - 1) / 2, (height - 1) / 2)
    focal_0 = lens.focal_px if lens else FOCAL_PER_WIDTH * max(width, height)
    k1_0 = lens.k1 if lens else K1_MEAN
    outer, signs = _outer_mm(SetKey(board_set), tuple(tags))
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

    told = _Told.of(outer, signs, corners_px, lines, centre)

    def cost(at: Array, error: Array) -> float:
        beyond = (prior - at[6:]) * weight
        return float(error @ error + beyond @ beyond)

    damping, hold, middle = NO_DAMPING, np.concatenate([np.zeros(6), weight**2]), told.middle_mm
    error, slopes = told.misses(state)
    for _ in range(MOST_STEPS):
        normal, pull = slopes @ slopes.T, slopes @ error
        normal.flat[::10] += hold
        pull[6:] += hold[6:] * (prior - state[6:])
        step = _step(normal, pull, damping)
        if pull @ step < ENOUGH and pull @ _step(normal, pull, 1e-9) < ENOUGH:  # the second is never less
            break
        trial = _moved(state, step, middle)
        new_error, new_slopes = told.misses(trial)
        gain = cost(state, error) - cost(trial, new_error)
        if gain > 0:
            state, error, slopes, damping = trial, new_error, new_slopes, damping * 0.1
            if gain < ENOUGH:
                break
        else:
            damping = max(10 * damping, LEAST_DAMPING)
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
    return pose, error[: 2 * len(outer)].reshape(2, -1).T * CORNER_SIGMA_PX


def _moved(state: Array, step: Array, middle_mm: tuple[float, float]) -> Array:
    """A state (9,) after a step (9,) that holds for small ones only, taken so that it holds for long ones, too.

    A camera nearly straight above leaves tilt, distance and focal length to each other, along a bent valley. What the
    picture tells is plain: where the sheet's middle is seen, how large, and how much larger its near side. These change
    by as much as a small step says, and tilt and distance follow.
    """
    turn, by_turn = cv2.Rodrigues(state[:3])
    (_, _, normal_x), (_, _, normal_y), (_, _, normal_z) = turn.tolist()
    x, y, z = (turn[:, :2] @ middle_mm + state[3:6]).tolist()
    if z < NEAREST_MM or normal_z < SLIMMEST:
        return np.asarray(state + step)
    d_turn = (step[:3] @ by_turn).reshape(3, 3)
    (_, _, d_normal_x), (_, _, d_normal_y), (_, _, d_normal_z) = d_turn.tolist()
    d_x, d_y, d_z = (d_turn[:, :2] @ middle_mm + step[3:6]).tolist()
    d_log = float(step[6])
    share = FARTHEST / max(FARTHEST, abs(d_log), abs(d_z / z))
    longer = exp(d_log * share)  # a longer lens sees the same from farther away, and under more of a slope
    slopes, places = [], []
    for normal, d_normal, at, d_at in ((normal_x, d_normal_x, x, d_x), (normal_y, d_normal_y, y, d_y)):
        slope, place = normal / normal_z, at / z
        d_slope, d_place = (d_normal - slope * d_normal_z) / normal_z, (d_at - place * d_z) / z
        slopes.append((slope + (d_slope - slope * d_log) * share) * longer)
        places.append((place + (d_place + place * d_log) * share) / longer)
    moved = state + step * share
    turned = cv2.Rodrigues(moved[:3])[0]
    # the shortest turn that gives the sheet that slope
    (_, _, from_x), (_, _, from_y), (_, _, from_z) = turned.tolist()
    size = sqrt(1 + slopes[0] ** 2 + slopes[1] ** 2)
    to_x, to_y, to_z = slopes[0] / size, slopes[1] / size, 1 / size
    axis = from_y * to_z - from_z * to_y, from_z * to_x - from_x * to_z, from_x * to_y - from_y * to_x
    sine = hypot(*axis)
    if sine > 1e-12:
        angle = atan2(sine, from_x * to_x + from_y * to_y + from_z * to_z) / sine
        turned = cv2.Rodrigues(np.array(axis) * angle)[0] @ turned
    depth = z * exp(d_z / z * share)
    moved[:3] = cv2.Rodrigues(turned)[0][:, 0]
    moved[3:6] = (places[0] * depth, places[1] * depth, depth) - turned[:, :2] @ middle_mm
    return np.asarray(moved)


@dataclass(frozen=True)
class _Told:
    """What a picture tells of a pose, one number a row: corners' x, corners' y, and how far lines lie across.

    `points_mm` (3, n): sheet points, the third 1; `inward` (2, k): the first k move by this times the inset; `ways`
    (2, n): the direction in the picture, one over its spread long, along which the point is seen at `seen` (n,).
    """

    points_mm: Array
    inward: Array
    ways: Array
    seen: Array
    middle_mm: tuple[float, float]

    @classmethod
    def of(
        cls, outer_mm: Array, inward: Array, corners_px: Array, lines: Lines | None, centre_px: tuple[float, float]
    ) -> _Told:
        """Corners (m, 2) of tags, those of the set and as seen, and lines, if there are any."""
        count = len(outer_mm)
        size = 2 * count + (0 if lines is None else len(lines.at_mm))
        points, ways, seen = np.ones((3, size)), np.zeros((2, size)), np.empty((2, size))
        points[:2, :count] = points[:2, count : 2 * count] = outer_mm.T
        ways[0, :count] = ways[1, count : 2 * count] = 1 / CORNER_SIGMA_PX
        seen[:, :count] = seen[:, count : 2 * count] = corners_px.T
        if lines is not None:
            points[:2, 2 * count :] = lines.at_mm.T
            ways[:, 2 * count :] = lines.normal_px.T * (lines.weight / LINE_SIGMA_PX)
            seen[:, 2 * count :] = lines.seen_px.T
        across = ((seen - np.array(centre_px)[:, None]) * ways).sum(axis=0)
        middle_x, middle_y, _ = points.mean(axis=1).tolist()
        return cls(points, np.hstack([inward.T, inward.T]), ways, across, (middle_x, middle_y))

    def misses(self, state: Array) -> tuple[Array, Array]:
        """What is missed, in spreads (n,), and the slopes (9, n) of what would be seen.

        `state` (9,): rotation vector, translation, logarithm of the focal length, k1, inset.
        """
        inset = self.inward.shape[1]
        turn, by_turn = cv2.Rodrigues(state[:3])
        points = self.points_mm.copy()
        points[:2, :inset] += self.inward * state[8]
        x, y, away = np.column_stack([turn[:, :2], state[3:6]]) @ points
        near = 1 / np.where(np.abs(away) < 1e-6, 1e-6, away)
        x, y = x * near, y * near
        way_x, way_y = self.ways
        focal, k1 = float(np.exp(state[6])), float(state[7])
        flat, out2 = way_x * x + way_y * y, x * x + y * y
        bend, steep = focal + (focal * k1) * out2, (2 * focal * k1) * flat
        by_x, by_y = bend * way_x + steep * x, bend * way_y + steep * y
        slopes = np.zeros((9, len(flat)))
        by_place = slopes[3:6]  # how it changes as the point moves before the camera
        by_place[0], by_place[1], by_place[2] = by_x * near, by_y * near, (by_x * x + by_y * y) * -near
        both = (by_place[:, None] * points[:2]).reshape(6, -1)
        slopes[:3] = np.asarray(by_turn).reshape(3, 3, 3)[:, :, :2].reshape(3, 6) @ both
        slopes[6], slopes[7] = flat * bend, flat * out2 * focal
        slopes[8, :inset] = (turn[:, :2].T @ by_place[:, :inset] * self.inward).sum(axis=0)
        return self.seen - slopes[6], slopes


def _step(normal: Array, pull: Array, damping: float) -> Array:
    """What a damped step changes (9,): normal equations (9, 9) whose diagonal grows by a share of itself."""
    damped = normal.copy()
    damped.flat[::10] *= 1 + damping
    return np.asarray(cv2.solve(damped, pull[:, None], flags=cv2.DECOMP_CHOLESKY)[1])[:, 0]
