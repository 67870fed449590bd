"""Whether the sheet's printed lines are where a pose says: what two tags alone can't prove.

Across every border of a site the picture's profile is compared with the drawing's. Tokens, hands and shadows hide some
borders; the rest must agree, on every side of the board, for a board that is shifted by one cell looks right inside.
"""

from __future__ import annotations

from collections.abc import Iterator
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
_LESS_SHARE = 0.95
"""A cell away from a true pose at most 0.81 as many profiles are in place; from one a cell off, 1.1 and more."""
_STEP_MM, _END_MM = 5.0, 4.0
"""Along a border: between profiles, and from its ends, where other borders meet it."""
_FINE_MM = 0.5
_ACROSS_MM = np.arange(-9.0, 9.01, _FINE_MM)
_HALF = 10
"""Steps to each side that a profile spans: 5 mm. The rest is room for looking where a line really is."""
_RASTER = 4.0  # pixels per mm of the drawing
_PARTS = _ACROSS_MM[:, None] / _ACROSS_MM[-1]
_BENT = np.hstack([1 - _PARTS**2, (_PARTS**2 - _PARTS) / 2, (_PARTS**2 + _PARTS) / 2]).astype(np.float32)
"""What a profile's middle and its ends give to its places: seen in perspective it is a parabola, to 0.001 px."""
_EVEN = 0.05
"""Length of a profile, in grey levels, that shows nothing: less than one level in one place."""


@dataclass(frozen=True)
class Borders:
    """Profiles across a set's borders. `at_mm` (n, 2): middles; `out_mm` (n, 2): unit vectors across.

    `ends_mm` (3 * n, 2): the middles, the inner ends and the outer ones; `along_mm` (n, 2): a millimetre further along.
    `drawn` (2 * _HALF + 1, n), unit length, no mean.
    `side` (n,): -1 between two sites; at the rim of the board the quarter it faces (0 right, 1 down, 2 left, 3 up).
    """

    at_mm: Array
    out_mm: Array
    ends_mm: Array
    along_mm: Array
    drawn: Array
    side: Array

    @classmethod
    def of(cls, at_mm: Array, out_mm: Array, drawn: Array, side: Array) -> Borders:
        """Profiles with what is made of them once."""
        reach = _ACROSS_MM[-1] * out_mm
        ends_mm = np.concatenate([at_mm, at_mm - reach, at_mm + reach])
        return cls(at_mm, out_mm, ends_mm, at_mm + out_mm[:, ::-1] * [1, -1], np.ascontiguousarray(drawn), side)

    def some(self, which: Array | slice) -> Borders:
        """Of these only some."""
        return Borders.of(self.at_mm[which], self.out_mm[which], self.drawn[:, which], self.side[which])

    def shown(self, pose: Pose) -> Array:
        """Where a pose has their middles and their ends, inner and outer: (3, n, 2) pixels."""
        return pose.project(self.ends_mm).reshape(3, -1, 2)


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
    points, outs, sides = [], [], []
    for a, b, middle, *sites in edges.values():
        length = float(np.linalg.norm(b - a))
        along = (b - a) / length
        out = np.array([along[1], -along[0]])
        if (middle - a) @ out > 0:
            out = -out
        quarter = int(np.round(np.arctan2(out[1], out[0]) / (np.pi / 2))) % 4
        for at in np.arange(_END_MM, length - _END_MM + 1e-6, _STEP_MM):
            points.append(a + along * at)
            outs.append(out)
            sides.append(quarter if len(sites) == 1 else -1)
    at_mm, out_mm = np.asarray(points), np.asarray(outs)
    places = at_mm[:, None] + _ACROSS_MM[:, None] * out_mm[:, None]
    maps = (places * _RASTER - 0.5).astype(np.float32)
    profiles = cv2.remap(drawing, maps, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    middle_part = slice(len(_ACROSS_MM) // 2 - _HALF, len(_ACROSS_MM) // 2 + _HALF + 1)
    drawn, strength = _unit(np.asarray(profiles)[:, middle_part])
    plain = strength > 3.0  # some borders hardly show in print
    return Borders.of(at_mm, out_mm, drawn.T, np.asarray(sides)).some(plain)


@lru_cache(maxsize=16)
def _thinned(key: SetKey, every: int) -> Borders:
    return _borders(key).some(slice(None, None, every))


@lru_cache(maxsize=16)
def _rim(key: SetKey) -> Borders:
    known = _borders(key)
    return known.some(known.side >= 0)


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
    """Of profiles (across, n) each part as long as those drawn (k, n) against these: (across - k + 1, n)."""
    count = len(drawn)
    first, last = count // 2, len(seen) - (count - 1) // 2
    total = cv2.boxFilter(seen, cv2.CV_64F, (1, count), normalize=False)[first:last]
    squares = cv2.sqrBoxFilter(seen, cv2.CV_64F, (1, count), normalize=False)[first:last]
    length = np.sqrt(np.maximum(squares - total * total / count, 0))
    windows = np.lib.stride_tricks.sliding_window_view(seen, count, axis=0)
    # drawn profiles have no mean; what is as even as rounding makes it is like none
    return np.asarray(np.einsum("snk,kn->sn", windows, drawn) / np.maximum(length, _EVEN))


def observe(grey: Image, known: Borders, shown_px: Array) -> tuple[Array, Array]:
    """For each border profile how far its line lies from where a pose has it, in mm, and how alike it is (to 1).

    `shown_px` (3, n, 2): where the pose has the profiles' middles and ends.
    """
    places = (_BENT @ shown_px.reshape(3, -1).astype(np.float32)).reshape(len(_BENT), -1, 2)
    seen = cv2.remap(grey, places, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float32)
    alike = _correlated(cv2.blur(seen, (1, 3)).astype(np.float64), known.drawn)
    everywhere = np.arange(alike.shape[1])
    best = np.argmax(alike, axis=0)
    peak = alike[best, everywhere]
    last = len(alike) - 1
    before, after = alike[np.maximum(best - 1, 0), everywhere], alike[np.minimum(best + 1, last), everywhere]
    bend = np.maximum(2 * peak - before - after, 1e-6)
    between = np.where((best > 0) & (best < last), np.clip((after - before) / (2 * bend), -0.5, 0.5), 0.0)
    return (best + between - last / 2) * _FINE_MM, peak


def _in_place(grey: Image, known: Borders, pose: Pose) -> tuple[Array, Array]:
    """Which profiles are clearly seen, and which of them where a pose says: (n,) each."""
    shift_mm, alike = observe(grey, known, known.shown(pose))
    clear = alike >= ALIKE
    return clear, clear & (np.abs(shift_mm) <= NEAR_MM)


def agrees(grey: Image, board_set: BoardSet, pose: Pose) -> bool:
    """Whether the printed lines agree with a pose: enough of them on each side of the board, and few elsewhere."""
    known = _rim(SetKey(board_set))
    return _on_each_side(known, *_in_place(grey, known, pose))


def _on_each_side(known: Borders, clear: Array, near: Array) -> bool:
    for quarter in range(4):
        here = known.side == quarter
        if not here.any():
            continue
        there = np.count_nonzero(near & here)
        if there < _LEAST_SHARE * np.count_nonzero(here) or there < 0.5 * np.count_nonzero(clear & here):
            return False
    return True


def confirms(grey: Image, board_set: BoardSet, pose: Pose) -> bool:
    """Whether the printed lines prove a pose: they agree, and a cell away fewer of them would be in their places."""
    known = _rim(SetKey(board_set))
    clear, near = _in_place(grey, known, pose)
    if not _on_each_side(known, clear, near):
        return False
    count = int(np.count_nonzero(near))
    return count >= _PLAIN_SHARE * len(near) or all(
        int(np.count_nonzero(_in_place(grey, known, moved)[1])) < _LESS_SHARE * count
        for _, moved in _a_cell_away(board_set, pose)
    )


def _a_cell_away(board_set: BoardSet, pose: Pose) -> Iterator[tuple[Array, Pose]]:
    """The shifts, in mm, that lay sites on others, and the poses of a board so shifted."""
    turn = cv2.Rodrigues(np.asarray(pose.rvec))[0]
    for step in _steps(SetKey(board_set)):
        x, y, z = np.asarray(pose.tvec) + turn @ np.array([*step, 0.0])
        yield step, replace(pose, tvec=(float(x), float(y), float(z)))


def contradicts(grey: Image, board_set: BoardSet, pose: Pose) -> bool:
    """Whether the printed lines show the board a whole cell away from where a pose has it."""
    known = _rim(SetKey(board_set))
    clear, near = _in_place(grey, known, pose)
    if _on_each_side(known, clear, near):
        return False
    least = 1.1 * np.count_nonzero(near)
    for step, moved in _a_cell_away(board_set, pose):
        clear, near = _in_place(grey, known, moved)
        plain = _on_each_side(known, clear, near) or _fills(board_set, near, step)
        if plain and np.count_nonzero(near) > least:
            return True
    return False


def _fills(board_set: BoardSet, near: Array, step: Array) -> bool:
    """Whether a board that was shifted on its sheet by `step` mm is plainly there, but for sides that are cut off.

    `near` (n,): which profiles of its rim are in place.
    """
    known = _rim(SetKey(board_set))
    at_mm = known.at_mm + step
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
    shown = known.shown(pose)
    shift_mm, alike = observe(grey, known, shown)
    clear = np.flatnonzero(alike >= ALIKE)
    at_mm, shift_mm = known.at_mm.take(clear, axis=0), shift_mm.take(clear)
    middle, low, high = shown.take(clear, axis=1)
    part = shift_mm[:, None] / _ACROSS_MM[-1]
    seen_px = middle + part * ((high - low) + part * (low + high - 2 * middle)) / 2
    right, down = (pose.project(known.along_mm.take(clear, axis=0)) - middle).T
    normal_px = np.column_stack([down, -right]) / np.maximum(np.hypot(right, down)[:, None], 1e-6)
    return Lines(at_mm, seen_px, normal_px, 1 / np.sqrt(1 + (shift_mm / trust_mm) ** 2))
