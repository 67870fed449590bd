"""Where the sheet is: tags -> Pose, and how sure.

Sheet frame: kit millimetres, x right, y down, z *away* from the camera (a token's top lies at z = -height). Pixels:
x right, y down, a pixel's centre at whole numbers. The lens is a pinhole with one radial coefficient; what four tags
can't tell about it is held by priors, so two tags are enough for a rougher pose.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.artwork import tag_bits
from vision.boardset import BoardSet

Array = npt.NDArray[Any]
Image = npt.NDArray[Any]

FOCAL_PER_WIDTH = 0.83  # a webcam of 62 degrees
FOCAL_SPREAD = 0.18  # of the logarithm
K1_MEAN, K1_SPREAD = -0.08, 0.1
INSET_MM, INSET_SPREAD_MM = 0.3, 0.2  # white blooms into black: printed squares look smaller
CORNER_SIGMA_PX = 0.35
NO_MAP: Any = None  # remap takes one map of pairs; its stubs ask for two
SEEN_CORRELATION = 0.7  # a tag's cells against its bits; tags that are seen give 0.93 and more
WORST_RESIDUAL_PX = 4.0


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
        camera = points_mm @ rotation[:, :2].T + (rotation[:, 2] * z_mm + np.asarray(self.tvec))
        flat = camera[:, :2] / np.maximum(camera[:, 2:], 1e-6)
        bend = 1 + self.k1 * np.sum(flat * flat, axis=1, keepdims=True)
        return np.asarray(flat * bend * self.focal_px + np.asarray(self.centre_px))

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
        bent = (points_px - np.asarray(self.centre_px)) / self.focal_px
        flat = bent.copy()
        for _ in range(6):
            flat = bent / np.maximum(1 + self.k1 * np.sum(flat * flat, axis=1, keepdims=True), 0.3)
        rotation = self._matrix()
        plane = np.column_stack([rotation[:, :2], rotation[:, 2] * z_mm + np.asarray(self.tvec)])
        on_plane = np.column_stack([flat, np.ones(len(flat))]) @ np.linalg.inv(plane).T
        return np.asarray(on_plane[:, :2] / on_plane[:, 2:])

    def slopes(self, points_mm: Array, z_mm: float = 0.0) -> Array:
        """Pixels per mm at sheet points (n, 2): (n, 2, 2), last axis x and y of the sheet."""
        middle = self.project(points_mm, z_mm)
        along_x = self.project(points_mm + np.array([1.0, 0.0]), z_mm) - middle
        along_y = self.project(points_mm + np.array([0.0, 1.0]), z_mm) - middle
        return np.stack([along_x, along_y], axis=2)


@dataclass(frozen=True)
class Registration:
    """One set found in a picture. `residual_px`: rms of the tags' corners; `tags`: ids used; `quality` 0 to 1."""

    board_set: BoardSet
    pose: Pose
    residual_px: float
    tags: tuple[int, ...]
    size_px: tuple[int, int]

    @property
    def quality(self) -> float:
        """1 with every tag in its place; less for missing tags and for residuals."""
        share = len(self.tags) / len(self.board_set.fiducials.ids)
        return share / (1 + (self.residual_px / 1.5) ** 2)

    def px_per_mm(self) -> float:
        """Mean scale at the sheet's middle."""
        width, height = self.board_set.sheet_mm
        return float(np.sqrt(abs(np.linalg.det(self.pose.slopes(np.array([[width / 2, height / 2]]))[0]))))


def tag_corners_mm(board_set: BoardSet, tag: int, inset_mm: float = 0.0) -> Array:
    """(4, 2): the black square's corners, clockwise from top left."""
    fiducials = board_set.fiducials
    half = fiducials.side_mm / 2 - inset_mm
    offsets = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    return np.asarray(np.asarray(fiducials.centres_mm[fiducials.ids.index(tag)]) + offsets)


def _fit(
    tags: Sequence[int],
    corners_px: Array,
    board_set: BoardSet,
    size_px: tuple[int, int],
    lens: Lens | None,
    start: Pose | None,
) -> tuple[Pose, Array] | None:
    """Pose from the corners (n * 4, 2) of `tags` and the residuals (n * 4, 2), or None where nothing fits."""
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

    def residuals(at: Array) -> tuple[Array, Array]:
        focal = float(np.exp(at[6]))
        camera = np.array([[focal, 0, centre[0]], [0, focal, centre[1]], [0, 0, 1.0]])
        points = np.column_stack([outer + signs * at[8], np.zeros(len(outer))])
        seen, slope = cv2.projectPoints(points, at[:3], at[3:6], camera, np.array([at[7], 0, 0, 0.0]))
        slope = np.asarray(slope)
        scale = (
            np.abs(seen.reshape(-1, 4, 2)[:, 1] - seen.reshape(-1, 4, 2)[:, 0]).max(axis=1)
            / board_set.fiducials.side_mm
        )
        turned = seen.reshape(-1, 4, 2)
        towards = (turned.mean(axis=1, keepdims=True) - turned).reshape(-1, 2)
        length = np.linalg.norm(towards, axis=1, keepdims=True)
        inward = towards / np.maximum(length, 1e-6) * np.repeat(scale, 4)[:, None] * np.sqrt(2)
        jacobian = np.column_stack(
            [slope[:, :6], (slope[:, 6] + slope[:, 7]) * focal, slope[:, 10], inward.reshape(-1)]
        )
        error = corners_px.reshape(-1) - seen.reshape(-1)
        full = np.concatenate([error / CORNER_SIGMA_PX, (prior - at[6:]) * weight])
        held = np.zeros((3, 9))
        held[:, 6:] = np.diag(weight)
        return full, np.vstack([jacobian / CORNER_SIGMA_PX, held])

    damping = 1e-3
    error, jacobian = residuals(state)
    for _ in range(12):
        normal = jacobian.T @ jacobian
        step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), jacobian.T @ error)
        trial = state + step
        new_error, new_jacobian = residuals(trial)
        if new_error @ new_error < error @ error:
            done = error @ error - new_error @ new_error < 1e-3
            state, error, jacobian, damping = trial, new_error, new_jacobian, damping * 0.2
            if done:
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
    return pose, error[:-3].reshape(-1, 2) * CORNER_SIGMA_PX


def _rms(residuals: Array) -> float:
    return float(np.sqrt(np.mean(np.sum(residuals**2, axis=1))))


def solve(
    corners: dict[int, Array],
    board_set: BoardSet,
    size_px: tuple[int, int],
    lens: Lens | None = None,
    start: Pose | None = None,
) -> Registration | None:
    """Pose from corners (4, 2) by tag id. A tag that disagrees with three others is left out."""
    tags = [tag for tag in board_set.fiducials.ids if tag in corners]
    while len(tags) >= 2:
        points = np.concatenate([corners[tag] for tag in tags])
        fit = _fit(tags, points, board_set, size_px, lens, start)
        if fit is not None:
            pose, residuals = fit
            rms = _rms(residuals)
            if rms <= 1.5 or len(tags) == 2:
                return Registration(board_set, pose, rms, tuple(tags), size_px) if rms <= WORST_RESIDUAL_PX else None
        if len(tags) == 2:
            return None
        best: tuple[float, int] | None = None
        for out in tags:
            rest = [tag for tag in tags if tag != out]
            without = _fit(rest, np.concatenate([corners[tag] for tag in rest]), board_set, size_px, lens, None)
            if without is not None and (best is None or _rms(without[1]) < best[0]):
                best = (_rms(without[1]), out)
        if fit is not None and (best is None or (best[0] > 0.5 * rms and rms <= WORST_RESIDUAL_PX)):
            return Registration(board_set, pose, rms, tuple(tags), size_px)
        if best is None:
            return None
        tags.remove(best[1])
    return None


@lru_cache(maxsize=16)
def _detector(dictionary: str, thorough: bool) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_NONE
    parameters.perspectiveRemovePixelPerCell = 8
    parameters.perspectiveRemoveIgnoredMarginPerCell = 0.25  # rough corners spoil the cells' rims
    if not thorough:  # one adaptive window is a third of the work and finds nearly every tag
        parameters.adaptiveThreshWinSizeMin = parameters.adaptiveThreshWinSizeMax = 13
        parameters.minMarkerPerimeterRate = 0.05
    book = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    return cv2.aruco.ArucoDetector(book, parameters)


def refine(grey: Image, corners: Array) -> Array:
    """Corners (n * 4, 2) of tags to sub-pixel; the window follows each tag's size."""
    refined = np.asarray(corners, np.float32).copy()
    for index in range(0, len(refined), 4):
        quad = refined[index : index + 4]
        cell = float(np.min(np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1))) / 8
        window = int(np.clip(round(cell * 0.75), 2, 8))
        inside = np.all((quad > window + 2) & (quad < [grey.shape[1] - window - 3, grey.shape[0] - window - 3]))
        if inside:
            spot = quad.reshape(-1, 1, 2).copy()
            cv2.cornerSubPix(
                grey, spot, (window, window), (-1, -1), (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 12, 0.02)
            )
            refined[index : index + 4] = spot.reshape(4, 2)
    return refined.astype(np.float64)


def detect(grey: Image, dictionary: str, thorough: bool) -> dict[int, list[Array]]:
    """Tags of a dictionary: id -> quads (4, 2), all of them, refined."""
    corners, ids, _ = _detector(dictionary, thorough).detectMarkers(grey)
    found: dict[int, list[Array]] = {}
    if ids is not None:
        for quad, tag in zip(corners, np.asarray(ids).reshape(-1), strict=True):
            found.setdefault(int(tag), []).append(refine(grey, np.asarray(quad).reshape(4, 2)))
    return found


def _choices(found: dict[int, list[Array]], board_set: BoardSet) -> Iterable[dict[int, Array]]:
    """Every way to take one quad for each id, wrong sizes and crossed quads left out; 16 at most."""
    usable = {
        tag: [quad for quad in found[tag] if cv2.isContourConvex(quad.astype(np.float32).reshape(-1, 1, 2))]
        for tag in board_set.fiducials.ids
        if tag in found
    }
    sizes = [np.sqrt(abs(cv2.contourArea(quad.astype(np.float32)))) for quads in usable.values() for quad in quads]
    if not sizes:
        return
    middle = float(np.median(sizes))
    kept: dict[int, list[Array]] = {}
    for tag, quads in usable.items():
        good = [quad for quad in quads if 0.5 < np.sqrt(abs(cv2.contourArea(quad.astype(np.float32)))) / middle < 2]
        if good:
            kept[tag] = good
    for count, combination in enumerate(product(*kept.values())):
        if count >= 16:
            return
        yield dict(zip(kept, combination, strict=True))


def cell_points_mm(board_set: BoardSet, tag: int) -> Array:
    """Middles of a tag's cells, border included, (n * n, 2), row by row."""
    cells = len(tag_bits(board_set.fiducials.dictionary, tag))
    step = (np.arange(cells) + 0.5) / cells - 0.5
    x, y = np.meshgrid(step, step)
    centre = np.asarray(board_set.fiducials.centres_mm[board_set.fiducials.ids.index(tag)])
    return np.asarray(np.column_stack([x.ravel(), y.ravel()]) * board_set.fiducials.side_mm + centre)


def tag_correlations(picture: Image, registration: Registration) -> Array:
    """How well each tag's cells, where the pose predicts them, agree with its bits.

    (tags,), -1 to 1; -1 off the picture.
    """
    board_set = registration.board_set
    ids = board_set.fiducials.ids
    points = registration.pose.project(np.concatenate([cell_points_mm(board_set, tag) for tag in ids])).astype(
        np.float32
    )
    return correlate_cells(picture, points, board_set)


def correlate_cells(picture: Image, points_px: npt.NDArray[np.float32], board_set: BoardSet) -> Array:
    """The same, for cell middles (tags * n * n, 2) projected before."""
    tags = board_set.fiducials
    bits = np.stack([tag_bits(tags.dictionary, tag).ravel() for tag in tags.ids])
    return _correlations(picture, points_px.reshape(len(tags.ids), -1, 2), bits)


def _correlations(picture: Image, quads_px: npt.NDArray[np.float32], bits: Image) -> Array:
    """Cells at (n, cells, 2) against bits (n or 1, cells): (n,), -1 where some lie off the picture."""
    values = cv2.remap(picture, quads_px, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    levels = np.asarray(values, np.float64)
    if levels.ndim == 3:
        levels = levels.sum(axis=2)
    levels = levels - levels.mean(axis=1, keepdims=True)
    wanted = bits - bits.mean(axis=1, keepdims=True)
    spread = np.linalg.norm(levels, axis=1) * np.linalg.norm(wanted, axis=1)
    result = np.sum(levels * wanted, axis=1) / np.maximum(spread, 1e-6)
    inside = np.all((quads_px >= 0) & (quads_px <= [picture.shape[1] - 1, picture.shape[0] - 1]), axis=(1, 2))
    return np.where(inside & (spread > 1e-6), result, -1.0)


def complete(grey: Image, registration: Registration, corners: dict[int, Array], lens: Lens | None) -> Registration:
    """Add the tags that the detector missed but whose cells are about where the pose predicts them."""
    board_set = registration.board_set
    steps = np.array([[x, y] for y in range(-3, 4) for x in range(-3, 4)], np.float64) * 2.5
    for _ in range(2):
        missing = [tag for tag in board_set.fiducials.ids if tag not in registration.tags]
        reach_px = 9.0 if len(registration.tags) < 3 else 5.0  # two tags alone predict the others roughly
        shifts = steps[np.abs(steps).max(axis=1) <= reach_px]
        more = {tag: corners[tag] for tag in registration.tags}
        for tag in missing:
            cells = registration.pose.project(cell_points_mm(board_set, tag))
            bits = tag_bits(board_set.fiducials.dictionary, tag).ravel()
            agree = _correlations(grey, (cells[None] + shifts[:, None]).astype(np.float32), bits[None])
            best = int(np.argmax(agree))
            if agree[best] < SEEN_CORRELATION:
                continue
            predicted = (
                registration.pose.project(tag_corners_mm(board_set, tag, registration.pose.inset_mm)) + shifts[best]
            )
            quad = refine(grey, predicted)
            if np.all(np.linalg.norm(quad - predicted, axis=1) < 4):
                more[tag] = quad
        if len(more) == len(registration.tags):
            break
        better = solve(more, board_set, registration.size_px, lens)
        if better is None or len(better.tags) <= len(registration.tags):
            break
        registration, corners = better, more
    return registration


def register(
    grey: Image, sets: Sequence[BoardSet], lens: Lens | None = None, thorough: bool = True
) -> Registration | None:
    """Find one of the sets in a grey picture, knowing nothing. None when fewer than two of its tags agree.

    `thorough`: search once more with all means if a quick look finds fewer than three.
    """
    size_px = (grey.shape[1], grey.shape[0])
    best: Registration | None = None
    before: dict[str, dict[int, list[Array]]] = {}
    for searching in (False, True) if thorough else (False,):
        for dictionary in dict.fromkeys(board_set.fiducials.dictionary for board_set in sets):
            found = detect(grey, dictionary, searching)
            for tag, quads in before.setdefault(dictionary, {}).items():
                found.setdefault(tag, quads)  # each search misses other tags
            before[dictionary] = found
            for board_set in sets:
                if board_set.fiducials.dictionary != dictionary:
                    continue
                for corners in _choices(found, board_set):
                    if len(corners) < 2:
                        continue
                    registration = solve(corners, board_set, size_px, lens)
                    if registration is None:
                        continue
                    registration = complete(grey, registration, corners, lens)
                    if best is None or registration.quality > best.quality:
                        best = registration
        if best is not None and len(best.tags) > 2:
            break
    return best


def drift_px(grey: Image, last: Registration, agree: Array) -> float | None:
    """How far the tags' corners lie from where the pose predicts them, the median; None when too few tags are seen."""
    board_set = last.board_set
    seen = [tag for tag, value in zip(board_set.fiducials.ids, agree, strict=True) if value >= SEEN_CORRELATION]
    if len(seen) < 2:
        return None
    predicted = last.pose.project(np.concatenate([tag_corners_mm(board_set, tag, last.pose.inset_mm) for tag in seen]))
    return float(np.median(np.linalg.norm(refine(grey, predicted) - predicted, axis=1)))


def follow(grey: Image, last: Registration, lens: Lens | None = None) -> Registration | None:
    """The pose in the next picture, where the sheet lies about where it lay; looks near the corners' old places."""
    board_set = last.board_set
    agree = dict(zip(board_set.fiducials.ids, tag_correlations(grey, last), strict=True))
    known = lens or Lens(last.pose.focal_px, last.pose.k1, 0.02, 0.02)
    corners = {}
    for tag in board_set.fiducials.ids:
        if agree[tag] >= SEEN_CORRELATION:
            corners[tag] = refine(grey, last.pose.project(tag_corners_mm(board_set, tag, last.pose.inset_mm)))
    if len(corners) < 2:
        return None
    return solve(corners, board_set, last.size_px, known, last.pose)
