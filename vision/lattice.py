"""Whether the sheet's printed lines are where a pose says: what two tags alone can't prove.

Across every border of a site the picture's profile is compared with the drawing's. Tokens, hands and shadows hide some
borders; the rest must agree, on every side of the board, for a board that is shifted by one cell looks right inside.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from vision.artwork import raster
from vision.boardset import BoardSet, SetKey
from vision.pose import NO_MAP, Array, Image, Lines, Pose

ALIKE = 0.75
"""Correlation of a seen profile with the drawn one from which on it is that line."""
NEAR_MM = 1.5
_LEAST_SHARE = 0.2
"""Of a side's profiles must be seen in place. True poses have 0.28 and more, tokens and all; a cell off, 0.16."""
_PLAIN_SHARE = 0.65
"""Of a side's profiles in place show a board beyond doubt; inside a board at most half of them look like its rim."""
_STEP_MM, _END_MM = 5.0, 4.0
"""Along a border: between profiles, and from its ends, where other borders meet it."""
_FINE_MM = 0.5
_ACROSS_MM = np.arange(-9.0, 9.01, _FINE_MM)
_HALF = 10
"""Steps to each side that a profile spans: 5 mm. The rest is room for looking where a line really is."""
_RASTER = 4.0  # pixels per mm of the drawing
_EVEN = 0.05
"""Length of a profile, in grey levels, that shows nothing: less than one level in one place."""


@dataclass(frozen=True)
class Borders:
    """Profiles across a set's borders. `at_mm` (n, across, 2); `drawn` (n, 2 * _HALF + 1), unit length, no mean.

    `side` (n,): -1 between two sites; at the rim of the board the quarter it faces (0 right, 1 down, 2 left, 3 up).
    """

    at_mm: Array
    drawn: Array
    side: Array


def borders(board_set: BoardSet) -> Borders:
    """The borders of a set, made once."""
    return _borders(SetKey(board_set))


@lru_cache(maxsize=16)
def _borders(key: SetKey) -> Borders:
    board_set = key.board_set
    edges: dict[Any, list[Array]] = {}
    for site in board_set.sites:
        corners = np.asarray(site.polygon_mm)
        middle = np.asarray(board_set.centre(site))
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            ends = tuple(sorted((tuple(np.round(a, 2)), tuple(np.round(b, 2)))))
            edges.setdefault(ends, [a, b, middle]).append(middle)
    drawing = cv2.cvtColor(raster(board_set, _RASTER), cv2.COLOR_BGR2GRAY).astype(np.float32)
    drawing = np.asarray(cv2.GaussianBlur(drawing, (0, 0), 0.5 * _RASTER), np.float32)
    for low, high in board_set.rails.values():  # their outlines are hardly ever covered, and nothing repeats there
        corners = np.array([low, (high[0], low[1]), high, (low[0], high[1])], np.float64)
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            if not any(_along(edge[0], a, b) and _along(edge[1], a, b) for edge in edges.values()):
                middle = corners.mean(axis=0)
                edges[(*a, *b)] = [a, b, middle, middle]
    points, sides = [], []
    for a, b, middle, *sites in edges.values():
        length = float(np.linalg.norm(b - a))
        along = (b - a) / length
        out = np.array([along[1], -along[0]])
        if (middle - a) @ out > 0:
            out = -out
        quarter = int(np.round(np.arctan2(out[1], out[0]) / (np.pi / 2))) % 4
        for at in np.arange(_END_MM, length - _END_MM + 1e-6, _STEP_MM):
            points.append(a + along * at + _ACROSS_MM[:, None] * out)
            sides.append(quarter if len(sites) == 1 else -1)
    at_mm = np.asarray(points)
    maps = (at_mm * _RASTER - 0.5).astype(np.float32)
    profiles = cv2.remap(drawing, maps, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    middle_part = slice(len(_ACROSS_MM) // 2 - _HALF, len(_ACROSS_MM) // 2 + _HALF + 1)
    drawn, strength = _unit(np.asarray(profiles)[:, middle_part])
    plain = strength > 3.0  # some borders hardly show in print
    return Borders(at_mm[plain], drawn[plain], np.asarray(sides)[plain])


@lru_cache(maxsize=16)
def _thinned(key: SetKey, every: int) -> Borders:
    known = _borders(key)
    return Borders(known.at_mm[::every], known.drawn[::every], known.side[::every])


@lru_cache(maxsize=16)
def _rim(key: SetKey) -> Borders:
    known = _borders(key)
    there = known.side >= 0
    return Borders(known.at_mm[there], known.drawn[there], known.side[there])


@lru_cache(maxsize=16)
def _steps(key: SetKey) -> Array:
    """The shortest shifts (n, 2), in mm, that lay sites on others of the same shape, across corners included."""
    shapes = [np.asarray(site.polygon_mm) for site in key.board_set.sites]
    ways = {
        tuple(np.round(other.mean(axis=0) - shape.mean(axis=0), 1) + 0.0)
        for shape in shapes
        for other in shapes
        if len(shape) == len(other) and np.allclose(np.sort(shape - shape.mean(axis=0), axis=0),
                                                    np.sort(other - other.mean(axis=0), axis=0), atol=0.5)
    }  # fmt: skip
    steps = np.array(sorted(ways))
    length = np.linalg.norm(steps, axis=1)
    least = float(length[length > 1].min())
    return np.asarray(steps[(length > 1) & (length < 1.5 * least)])


def _along(point: Array, a: Array, b: Array) -> bool:
    """Whether a point lies on the way from a to b, to a millimetre."""
    return float(np.linalg.norm(point - a) + np.linalg.norm(point - b) - np.linalg.norm(b - a)) < 1.0


def _unit(profiles: Array) -> tuple[Array, Array]:
    level = profiles - profiles.mean(axis=-1, keepdims=True)
    length = np.linalg.norm(level, axis=-1)
    return level / np.maximum(length, 1e-6)[..., None], length


def _correlated(seen: Array, drawn: Array) -> Array:
    """Of profiles (n, across) each part as long as those drawn (n, k) against these: (n, across - k + 1)."""
    count = drawn.shape[1]
    both = np.zeros((2, len(seen), seen.shape[1] + 1))
    np.cumsum([seen, seen * seen], axis=2, out=both[:, :, 1:])
    total, squares = both[:, :, count:] - both[:, :, :-count]
    length = np.sqrt(np.maximum(squares - total * total / count, 0))
    windows = np.lib.stride_tricks.sliding_window_view(seen, count, axis=1)
    # drawn profiles have no mean; what is as even as rounding makes it is like none
    return np.asarray(np.einsum("nsk,nk->ns", windows, drawn) / np.maximum(length, _EVEN))


def observe(grey: Image, known: Borders, pose: Pose) -> tuple[Array, Array]:
    """For each border profile how far its line lies from where the pose says, in mm, and how alike it is (to 1)."""
    places = pose.project(known.at_mm.reshape(-1, 2)).astype(np.float32).reshape(*known.at_mm.shape)
    seen = cv2.remap(grey, places, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    alike = _correlated(cv2.blur(seen, (3, 1)).astype(np.float64), known.drawn)
    everywhere = np.arange(len(alike))
    best = np.argmax(alike, axis=1)
    peak = alike[everywhere, best]
    last = alike.shape[1] - 1
    before, after = alike[everywhere, np.maximum(best - 1, 0)], alike[everywhere, np.minimum(best + 1, last)]
    bend = np.maximum(2 * peak - before - after, 1e-6)
    between = np.where((best > 0) & (best < last), np.clip((after - before) / (2 * bend), -0.5, 0.5), 0.0)
    return (best + between - last / 2) * _FINE_MM, peak


def agrees(grey: Image, board_set: BoardSet, pose: Pose) -> bool:
    """Whether the printed lines confirm a pose: enough of them on each side of the board, and few elsewhere."""
    known = _rim(SetKey(board_set))
    shift_mm, alike = observe(grey, known, pose)
    clear = alike >= ALIKE
    near = clear & (np.abs(shift_mm) <= NEAR_MM)
    for quarter in range(4):
        here = known.side == quarter
        if not here.any():
            continue
        there = np.count_nonzero(near & here)
        if there < _LEAST_SHARE * np.count_nonzero(here) or there < 0.5 * np.count_nonzero(clear & here):
            return False
    return True


def contradicts(grey: Image, board_set: BoardSet, pose: Pose) -> bool:
    """Whether the printed lines show the board a whole cell away from where a pose has it."""
    if agrees(grey, board_set, pose):
        return False
    least = 1.1 * _in_place(grey, board_set, pose)
    turn = cv2.Rodrigues(np.asarray(pose.rvec))[0]
    for step in _steps(SetKey(board_set)):
        x, y, z = np.asarray(pose.tvec) + turn @ np.array([*step, 0.0])
        moved = replace(pose, tvec=(float(x), float(y), float(z)))
        plain = agrees(grey, board_set, moved) or _fills(grey, board_set, moved, step)
        if plain and _in_place(grey, board_set, moved) > least:
            return True
    return False


def _in_place(grey: Image, board_set: BoardSet, pose: Pose) -> int:
    """How many profiles of the rim are where a pose says."""
    shift_mm, alike = observe(grey, _rim(SetKey(board_set)), pose)
    return int(np.count_nonzero((alike >= ALIKE) & (np.abs(shift_mm) <= NEAR_MM)))


def _fills(grey: Image, board_set: BoardSet, pose: Pose, step: Array) -> bool:
    """Whether a board that was shifted on its sheet by `step` mm is plainly there, but for sides that are cut off."""
    known = _rim(SetKey(board_set))
    shift_mm, alike = observe(grey, known, pose)
    near = (alike >= ALIKE) & (np.abs(shift_mm) <= NEAR_MM)
    at_mm = known.at_mm[:, known.at_mm.shape[1] // 2] + step
    printed = np.all((at_mm > NEAR_MM) & (at_mm < np.asarray(board_set.sheet_mm) - NEAR_MM), axis=1)
    sides = 0
    for quarter in range(4):
        here = (known.side == quarter) & printed
        if np.count_nonzero(here) < _LEAST_SHARE * np.count_nonzero(known.side == quarter) or not here.any():
            continue
        if np.count_nonzero(near & here) < _PLAIN_SHARE * np.count_nonzero(here):
            return False
        sides += 1
    return sides >= 2


def lines(grey: Image, board_set: BoardSet, pose: Pose, trust_mm: float, every: int = 1) -> Lines:
    """The borders that are clearly seen, for fitting; one that lies `trust_mm` away is believed half.

    `every`: only so many of their profiles are looked at.
    """
    known = _thinned(SetKey(board_set), every)
    shift_mm, alike = observe(grey, known, pose)
    clear = alike >= ALIKE
    at_mm = known.at_mm[clear, known.at_mm.shape[1] // 2]
    out_mm = known.at_mm[clear, -1] - at_mm
    out_mm /= np.linalg.norm(out_mm, axis=1, keepdims=True)
    seen_px = pose.project(at_mm + out_mm * shift_mm[clear, None])
    along_px = pose.project(at_mm + out_mm[:, ::-1] * [1, -1]) - pose.project(at_mm)
    normal_px = along_px[:, ::-1] * [1, -1] / np.maximum(np.linalg.norm(along_px, axis=1, keepdims=True), 1e-6)
    return Lines(at_mm, seen_px, normal_px, 1 / np.sqrt(1 + (shift_mm[clear] / trust_mm) ** 2))
