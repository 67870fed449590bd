"""Tokens that show no mark, on paper of nearly their colour: upside down, or on their edge.

No cell of such a top or wall says much; all of them together do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.blobs import label_blobs
from vision.boardset import Point, SetKey
from vision.paper import CELL_MM, Mask, PaperView, drawing, logs_of
from vision.ranks import median_rows
from vision.registration import Array, Image

FAINTEST, PLAIN = 0.05, 0.3
"""Logarithms of tint: bodies less unlike the ground can't be told, of those more unlike it each cell tells."""
TOP, BESIDE = 0.40, (0.62, 0.80)
"""Radii in tokens' sizes: of what shows the body, and of the ring beside a token."""
MUCH = 0.65
"""Share of a body's tint by which a top differs from the ring: tops 0.77 to 0.95, paper and print 0.4 at most."""
TOLD = 0.7
"""Share of a top on whose ground it can be told."""
UNTOLD, ROUNDING = 5e-4, 1e-4
PART, LEAST_CELLS, MOST_BESIDE = 0.2, 12, 0.35
"""Of each site with so large a share of a top so much is to be seen beside it, with no more of the body's tint."""

WALL_CELL, WALL, ASIDE, AROUND = 0.5, 0.6, 0.12, 0.25
"""Shares of a body's tint: of each cell of a wall; of all of it, 0.64 to 1.0; of a tint across it, 0.04 at most, while
shadows have 0.15 to 0.3; and of the paper beside a wall, 0.13 at most. (Where gloss washes paper out walls have 0.5,
but so has noise in warm light.)"""
WALL_MM2, LONGEST, WIDEST = 150.0, 1.8, 1.1
"""Least area of a token on its edge, as the camera sees it; and its sides, in tokens' sizes."""
RING = 4
"""In cells, how far round a wall its paper is looked at; from half as far on."""
CLEAR_NOISE = 14.0
"""By so many times its noise a body's tint must be told."""


@dataclass(frozen=True)
class Blank:
    """`tops`: where, in mm, tokens lie upside down; `walls` (h, w): cells where one stands on its edge, if any does."""

    tops: list[Point]
    walls: Mask | None


def blank_tokens(paper: PaperView, blue: npt.NDArray[np.float32], red: npt.NDArray[np.float32], free: Mask) -> Blank:
    """Tokens without a mark among paper of nearly their colour.

    `blue`, `red` (h, w): tints, as in `Covered`; `free` (h, w): cells that no token and no thing hides.
    """
    registration = paper.registration
    board_set, drawn = registration.board_set, paper.drawing
    size_mm = board_set.tokens.size_mm
    usable = drawn.usable & paper.inside & free
    top, ring = _disc(TOP * size_mm), _disc(BESIDE[1] * size_mm, BESIDE[0] * size_mm)
    places: list[Point] = []
    walls: Mask | None = None
    for more_blue, more_red, strength, like, possible in _bodies(SetKey(board_set)):
        if not possible.any():
            continue
        told = (usable & like).astype(np.float32)
        agree, full = (blue * more_blue + red * more_red) * told, strength * told
        most_of_it = (cv2.blur(cv2.addWeighted(agree, 1, full, -WALL_CELL, 0), (3, 3)) > 0).view(np.uint8)
        alike = np.asarray(cv2.morphologyEx(most_of_it, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
        if cv2.countNonZero(alike) * CELL_MM**2 >= WALL_MM2:
            found = _walls(alike, red * more_blue - blue * more_red, agree, full, size_mm)
            walls = found if walls is None or found is None else walls | found
        # where a top lies on enough such ground, and shows enough of the tint, this sum is no less than for both limits
        beyond = agree - np.float32(MUCH) * full + np.float32(UNTOLD) * (told - 1)
        most = cv2.filter2D(beyond, -1, top, borderType=cv2.BORDER_CONSTANT)[possible].max()
        if most < -(1 - TOLD) * UNTOLD * top.sum() - ROUNDING:
            continue
        share = _share(agree, full, top) - np.abs(_share(agree, full, ring))
        share[cv2.filter2D(told, -1, top, borderType=cv2.BORDER_CONSTANT) < TOLD * top.sum()] = 0
        highest = cv2.dilate(share, _disc(size_mm / 2).astype(np.uint8))
        rows, columns = np.nonzero((share >= MUCH) & (share >= highest))
        own = [
            _unlike_its_ground(int(row), int(column), agree, full, drawn.labels, size_mm)
            for row, column in zip(rows, columns, strict=True)
        ]
        rows, columns = rows[own], columns[own]
        if len(rows):
            seen = registration.pose.project((np.column_stack([columns, rows]) + 0.5) * CELL_MM)
            bases = registration.pose.unproject(seen, -board_set.tokens.height_mm)
            places += [(float(x), float(y)) for x, y in bases]
    return Blank(places, walls)


def _walls(alike: Image, aside: Array, agree: Array, full: Array, size_mm: float) -> Mask | None:
    """Those of the cells (h, w) `alike` a body that belong to narrow blobs in its tint.

    `agree`, `aside`: along that tint and across it, times `full`.
    """
    labels, stats, _ = label_blobs(alike)
    cells = stats[:, cv2.CC_STAT_AREA] * CELL_MM**2
    sides = np.hypot(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]) * CELL_MM
    fits = (cells >= WALL_MM2) & (sides < 1.2 * LONGEST * size_mm)
    fits[0] = False
    walls = np.zeros(full.shape, np.bool_)
    least: float | None = None
    for label in np.flatnonzero(fits):
        left, top, width, height = stats[label, : cv2.CC_STAT_AREA].tolist()
        part = np.s_[max(0, top - RING) : top + height + RING, max(0, left - RING) : left + width + RING]
        blob, told = labels[part] == label, full[part] > 0
        rows, columns = np.nonzero(blob)
        short, long = sorted(cv2.minAreaRect(np.column_stack([columns, rows]).astype(np.float32))[1])
        ring = told & _near(blob, RING) & ~_near(blob, RING // 2)
        blob &= told
        if long * CELL_MM >= LONGEST * size_mm or short * CELL_MM >= WIDEST * size_mm:
            continue
        if np.count_nonzero(ring) < LEAST_CELLS or np.count_nonzero(blob) < LEAST_CELLS:
            continue
        whole, beside = float(full[part][blob].sum()), float(full[part][ring].sum())
        share, around = float(agree[part][blob].sum()) / whole, float(agree[part][ring].sum()) / beside
        across = abs(float(aside[part][blob].sum())) / whole
        if share <= WALL or across >= ASIDE or abs(around) >= AROUND:
            continue
        least = CLEAR_NOISE * _noise(aside * (full > 0), full) if least is None else least
        if whole > least**2 * np.count_nonzero(blob):
            walls[part] |= blob
    return walls if walls.any() else None


def _noise(aside: Array, full: Array) -> float:
    """The usual tint across a body's own where that can be told, over a few cells: there is none on paper."""
    told = full > 0
    few = cv2.blur(aside, (3, 3), borderType=cv2.BORDER_CONSTANT)[told] / np.sqrt(full[told])
    return float(median_rows(np.abs(few)[None])[0])


def _near(blob: Mask, cells: int) -> Mask:
    return cv2.dilate(blob.astype(np.uint8), np.ones((2 * cells + 1, 2 * cells + 1), np.uint8)) > 0


def _unlike_its_ground(
    row: int, column: int, agree: Array, full: Array, labels: npt.NDArray[np.int16], size_mm: float
) -> bool:
    """Whether the ground round a place is as printed, on each site that the top lies on: an ink can be washed out."""
    reach = int(1.2 * size_mm / CELL_MM)
    low, left = max(0, row - reach), max(0, column - reach)
    part = np.s_[low : row + reach + 1, left : column + reach + 1]
    height, width = full[part].shape
    down, across = np.ogrid[low : low + height, left : left + width]
    away_mm = np.hypot(down - row, across - column) * CELL_MM
    told = full[part] > 0
    under, beside = told & (away_mm < TOP * size_mm), told & (away_mm > BESIDE[0] * size_mm)
    here = labels[part]
    for site in np.unique(here[under]):
        mine = beside & (here == site)
        if np.count_nonzero(under & (here == site)) < PART * np.count_nonzero(under):
            continue
        if np.count_nonzero(mine) < LEAST_CELLS or agree[part][mine].sum() > MOST_BESIDE * full[part][mine].sum():
            return False
    return True


@lru_cache(maxsize=16)
def _disc(radius_mm: float, hole_mm: float = 0.0) -> npt.NDArray[np.float32]:
    reach = int(radius_mm / CELL_MM)
    steps = np.arange(-reach, reach + 1) * CELL_MM
    away = np.hypot(steps[:, None], steps[None, :])
    return np.asarray((away <= radius_mm) & (away >= hole_mm), np.float32)


@lru_cache(maxsize=8)
def _bodies(key: SetKey) -> tuple[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], Array, Mask, Mask], ...]:
    """Of each colour: by how much bluer and redder against green its body is than the ground (h, w), the sum of their
    squares, where that is little, but enough to be told, and where a top lies on enough of such ground.
    """
    drawn, usable = drawing(key.board_set).logs, drawing(key.board_set).usable
    top = _disc(TOP * key.board_set.tokens.size_mm)
    found = []
    for colour in key.board_set.tokens.colours.values():
        red, green, blue = (float(value) for value in logs_of(np.array(colour.body, np.float32)))
        bluer = np.asarray(blue - green - (drawn[:, :, 0] - drawn[:, :, 1]), np.float32)
        redder = np.asarray(red - green - (drawn[:, :, 2] - drawn[:, :, 1]), np.float32)
        strength = np.asarray(bluer * bluer + redder * redder)
        like = (strength > FAINTEST**2) & (strength < PLAIN**2)
        told = cv2.filter2D((usable & like).astype(np.float32), -1, top, borderType=cv2.BORDER_CONSTANT)
        found.append((bluer, redder, strength, like, np.asarray(told > TOLD * top.sum() - ROUNDING, np.bool_)))
    return tuple(found)


def _share(agree: Array, full: Array, kernel: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """How much of a tint is seen within a kernel round each cell, where much of it could be."""
    seen, whole = (cv2.filter2D(part, -1, kernel, borderType=cv2.BORDER_CONSTANT) for part in (agree, full))
    return np.asarray(seen / np.maximum(whole, 1e-3), np.float32)
