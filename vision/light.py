"""The light on the sheet, read from its own paper: by how much the picture is brighter than the drawing, and where.

A plane for each channel, in logarithms, so that a lamp at one side and a window at the other are two slopes; and what
the paper near a place says beyond it, so that soft shadows are followed. Things on the sheet pull at neither: what
doesn't fit is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.paper import CELL_MM, LOGS, Drawing, Mask
from vision.ranks import median_rows, percentile_rows
from vision.registration import NO_MAP, Array

COARSE = 5
"""Cells of the paper's grid to one of the grid that holds what is local."""
NEAR_MM = 22.0
TENTH = 10
"""Points of a fine grid to one at which the field of light is worked out."""
LEAST_SPREAD = 0.03
WHITENED, MOST_GLARE = 225, 0.15
"""What should be darker than this level and is blown out lies in glare; where more of the paper is, it is exposure."""
MOSTLY, FADES = 0.4, 0.05
"""But glare, if so much of that white is beyond the light, and round it paper is brighter by so much, a logarithm, too:
where the sun falls white has an edge."""
COLOURLESS, MOST_CURVE = 0.03, 0.5
"""Tints, logarithms, that say little about a tone curve; and by how much its exponent may differ from the drawing's."""


@dataclass(frozen=True)
class Light:
    """`plane` (3, 3): 1, x, y -> BGR logarithms, x and y in units of the sheet; `local` (h, w, 3): beyond the plane.

    `uneven` (h, w): how much light and shadow differ near a place; `spread`: how well paper agrees with all that, both
    logarithms; `sheet_mm`: width and height; `guessed`: share of the paper that is blown out;
    `curve`: by how much the exponent of the picture's tone curve differs from the drawing's.
    """

    plane: Array
    local: npt.NDArray[np.float32]
    uneven: npt.NDArray[np.float32]
    spread: float
    sheet_mm: tuple[float, float]
    guessed: float = 0.0
    curve: float = 0.0

    def at(self, points_mm: Array) -> Array:
        """Logarithm of picture over drawing (n, 3), BGR, at sheet points (n, 2); beyond the sheet as at its edge."""
        plane, local = self.parts_at(points_mm)
        return np.asarray(plane + local)

    def parts_at(self, points_mm: Array) -> tuple[Array, Array]:
        """The two of which that is the sum: the plane, and what the paper near each point says beyond it."""
        held = np.clip(np.asarray(points_mm, np.float64), 0, self.sheet_mm)
        terms = np.column_stack([np.ones(len(held)), held / self.sheet_mm - 0.5])
        places = (held / (CELL_MM * COARSE) - 0.5).astype(np.float32)
        local = cv2.remap(self.local, places[None], NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)[0]
        return np.asarray(terms @ self.plane), np.asarray(local)

    def tint(self, channel: int, xs_mm: Array, ys_mm: Array) -> npt.NDArray[np.float32]:
        """A channel against green on a grid, by the plane alone: what is near lies under things, too."""
        slope = (self.plane[:, channel] - self.plane[:, 1]).astype(np.float32)
        x, y = xs_mm / self.sheet_mm[0] - 0.5, ys_mm / self.sheet_mm[1] - 0.5
        return np.asarray(slope[0] + x[None, :] * slope[1] + y[:, None] * slope[2], np.float32)

    def uneven_at(self, points_mm: Array) -> Array:
        """How much the brightness of paper near each of the points (n, 2) differs: (n,)."""
        held = np.clip(np.asarray(points_mm, np.float64), 0, self.sheet_mm)
        places = (held / (CELL_MM * COARSE) - 0.5).astype(np.float32)
        return np.asarray(cv2.remap(self.uneven, places[None], NO_MAP, cv2.INTER_LINEAR)[0], np.float64)

    def field(self, xs_mm: Array, ys_mm: Array) -> npt.NDArray[np.float32]:
        """The same as `at` on an even grid: (len(ys), len(xs), 3). Found on every tenth point and drawn out."""
        grid = _grid(np.asarray(xs_mm, np.float64).tobytes(), np.asarray(ys_mm, np.float64).tobytes(), self.sheet_mm)
        plane = self.plane.astype(np.float32)
        local = cv2.remap(self.local, grid.places, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        coarse = np.asarray(local + (grid.x * plane[1] + grid.y * plane[2]) + plane[0])
        size = (coarse.shape[1] * TENTH, coarse.shape[0] * TENTH)
        return np.asarray(cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR)[grid.wanted], np.float32)


@dataclass(frozen=True)
class _Grid:
    """What `Light.field` needs of a grid: of a coarse one `x` (1, w, 1) and `y` (h, 1, 1), in units of the sheet, and
    `places` (h, w, 2) in `local`; `wanted`: the part of it, drawn out, that is asked for.
    """

    x: npt.NDArray[np.float32]
    y: npt.NDArray[np.float32]
    places: npt.NDArray[np.float32]
    wanted: tuple[slice, slice]


@lru_cache(maxsize=8)
def _grid(xs_mm: bytes, ys_mm: bytes, sheet_mm: tuple[float, float]) -> _Grid:
    held, wanted = [], []
    for values, side in zip((np.frombuffer(xs_mm), np.frombuffer(ys_mm)), sheet_mm, strict=True):
        cells = -(-len(values) // TENTH) + 1
        start = (cells * TENTH - len(values)) // 2  # at least half a cell: middles lie on both sides of every point
        middles = np.arange(cells) * TENTH + (TENTH - 1) / 2 - start
        held.append(np.clip(values[0] + middles * (values[-1] - values[0]) / max(1, len(values) - 1), 0, side))
        wanted.append(slice(start, start + len(values)))
    x, y = ((values / side - 0.5).astype(np.float32) for values, side in zip(held, sheet_mm, strict=True))
    places = np.stack(np.meshgrid(*(values / (CELL_MM * COARSE) - 0.5 for values in held)), axis=2).astype(np.float32)
    return _Grid(x[None, :, None], y[:, None, None], places, (wanted[1], wanted[0]))


@dataclass(frozen=True)
class Lit:
    """`light`; and `ratio` (h, w, 3), logarithm of picture over drawing as it would be with the drawing's tone curve.

    (But on dark ground: gloss and bloom do more there.)
    Where a channel is blown out, `ratio` holds what the light explains, as far as it does. `glare` (h, w): cells that
    are white though this light doesn't make them so.
    """

    light: Light
    ratio: npt.NDArray[np.float32]
    glare: Mask | None = None


def read_light(
    ratio: npt.NDArray[np.float32],
    usable: Mask,
    drawing: Drawing,
    sheet_mm: tuple[float, float],
    blown: Mask | None = None,
    near: bool = True,
) -> Lit:
    """The light from `ratio` (h, w, 3), logarithm of picture over drawing, where `usable` cells may show paper.

    `blown` (h, w, 3): channels that are at their end, and may be brighter by any amount; None where none is.
    `near`: also what is local; without it, the plane alone.
    """
    rows, columns = np.nonzero(usable[1::5, 1::5])
    rows, columns = rows * 5 + 1, columns * 5 + 1
    coarse = (-(-usable.shape[0] // COARSE), -(-usable.shape[1] // COARSE))
    none = np.zeros(coarse, np.float32)
    if len(rows) < 12:
        return Lit(Light(np.zeros((3, 3)), np.dstack([none] * 3), none, 0.3, sheet_mm), ratio)
    values, inks = ratio[rows, columns].T.astype(np.float64), drawing.logs[rows, columns].T.astype(np.float64)
    x, y = ((cells + 0.5) * CELL_MM / side - 0.5 for cells, side in zip((columns, rows), sheet_mm, strict=True))
    ends = np.ascontiguousarray(blown[rows, columns].T) if blown is not None else None
    plane, curve = _fit(values, np.stack([np.ones(len(rows)), x, y]), inks - LOGS[255], ends)
    if abs(curve) > 0.01:
        ratio = ratio - np.float32(curve) * drawing.darker
    guessed = float(blown[usable].any(axis=1).mean()) if blown is not None else 0.0
    glare: Mask | None = None
    if blown is not None:
        told = _spread_out(plane, drawing, sheet_mm)
        blue, green, red = cv2.split(told + drawing.logs)
        darkest = cv2.min(cv2.min(blue, green), red)
        white = np.asarray(blown[:, :, 0] & blown[:, :, 1] & blown[:, :, 2], np.bool_)
        beyond = white & (darkest < LOGS[WHITENED])
        most, much = MOST_GLARE * np.count_nonzero(usable), np.count_nonzero(white & usable)
        if much < most or (
            np.count_nonzero(beyond & usable) > MOSTLY * much
            and _fades(beyond, white, usable, ratio[:, :, 1] - told[:, :, 1])
        ):
            glare = beyond
        ratio = _filled(ratio, blown, told)
    if not near:
        return Lit(Light(plane, np.dstack([none] * 3), none, 0.3, sheet_mm, guessed, curve), ratio, glare)
    local, uneven, spread = _local(ratio, usable, plane, sheet_mm, coarse)
    return Lit(Light(plane, local, uneven, spread, sheet_mm, guessed, curve), ratio, glare)


def _fit(values: Array, terms: Array, inks: Array, ends: npt.NDArray[np.bool_] | None) -> tuple[Array, float]:
    """A plane for each channel (3, 3), and one exponent for all, from cells (3, n), `terms` (3, n), `inks` (3, n)."""
    green = values[1]
    weights = (green > percentile_rows(green[None], 85)[0][0] - 1.0).astype(np.float64)
    if ends is not None:
        return _fit_blown(values, terms, inks, ends, weights)
    plane, curve = np.zeros((3, 3)), 0.0
    both = np.vstack([values, inks]).T
    for _ in range(4):
        weighed = terms * weights
        planes = np.linalg.solve(weighed @ terms.T + 1e-6 * np.eye(3), weighed @ both)
        curve = _curve_of(values, inks - planes[:, 3:].T @ terms, weights)
        plane = planes[:, :3] - curve * planes[:, 3:]
        weights = _weights(values - plane.T @ terms - curve * inks)
    return plane, curve


def _fit_blown(
    values: Array, terms: Array, inks: Array, ends: npt.NDArray[np.bool_], weights: Array
) -> tuple[Array, float]:
    """The same where channels are blown out (3, n): at its end a channel says no more than "at least so much"."""
    plane, curve = np.zeros((3, 3)), 0.0
    plane[0] = np.percentile(values[:, weights > 0], 85, axis=1)
    whole = ~(ends[0] | ends[1] | ends[2])
    for _ in range(6):
        told = plane.T @ terms + curve * inks
        beyond = np.where(ends, np.maximum(values - told, 0), values - told)
        weights = _weights(beyond)
        curve = _curve(values, terms, inks, weights * whole)
        for channel in range(3):
            # what is explained holds the plane lightly, in case nothing else does
            mine = np.where(ends[channel] & (beyond[channel] == 0), 0.02, 1.0) * weights
            wanted = told[channel] + beyond[channel] - curve * inks[channel]
            weighed = terms * mine
            plane[:, channel] = np.linalg.solve(weighed @ terms.T + 1e-6 * np.eye(3), weighed @ wanted)
    return plane, curve


def _weights(beyond: Array) -> Array:
    """How much each cell counts, from what the light doesn't explain of it (3, n)."""
    blue, green, red = beyond
    # a shadow is paper too, though less weight: its tint must fit, its strength may differ
    away = np.maximum(np.maximum(np.abs(blue - green), np.abs(red - green)), 0.4 * np.abs(green))
    scale = max(LEAST_SPREAD, 1.5 * float(median_rows(away[None])[0]))
    away2 = (away / scale) ** 2
    return np.asarray(1 / (1 + away2 * away2))


def _curve(seen: Array, terms: Array, inks: Array, weights: Array) -> float:
    """By which exponent coloured inks look stronger or weaker than drawn, whatever the light; their tints tell."""
    weighed = terms * weights
    planes = np.linalg.solve(weighed @ terms.T + 1e-6 * np.eye(3), weighed @ inks.T)
    return _curve_of(seen, inks - planes.T @ terms, weights)


def _curve_of(seen: Array, bare: Array, weights: Array) -> float:
    """The same from `bare` (3, n): inks beyond the plane that explains them best."""
    hold = COLOURLESS**2 * len(seen[1])  # of few cells little is believed
    agree = own = 0.0
    for channel in (0, 2):
        tint, wanted = bare[channel] - bare[1], seen[channel] - seen[1]
        heavy = weights * tint
        agree += float(heavy @ wanted)
        own += float(heavy @ tint)
    return min(MOST_CURVE, max(-MOST_CURVE, agree / (own + hold)))


def _fades(beyond: Mask, white: Mask, usable: Mask, excess: npt.NDArray[np.float32]) -> bool:
    """Whether paper is brighter than the light makes it round what is white `beyond` it, too, as round a reflection.

    `excess` (h, w): logarithm of green over what the light and the drawing explain.
    """
    spots = cv2.morphologyEx(beyond.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    near, inside = (
        cv2.dilate(mask, np.ones((n, n), np.uint8)) > 0 for mask, n in ((spots, 11), (white.view(np.uint8), 5))
    )
    ring = excess[near & ~inside & usable]
    return len(ring) >= 20 and float(median_rows(ring[None])[0]) > FADES


def _filled(ratio: npt.NDArray[np.float32], blown: Mask, told: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """`ratio` (h, w, 3) with what is blown out as bright as the light, and the channels that aren't, explain."""
    whole = (~blown).astype(np.float32)
    shade = ((ratio - told) * whole).sum(axis=2) / np.maximum(whole.sum(axis=2), 1)
    return np.where(blown, np.maximum(ratio, told + shade[:, :, None]), ratio)


def _spread_out(plane: Array, drawing: Drawing, sheet_mm: tuple[float, float]) -> npt.NDArray[np.float32]:
    """A plane on the drawing's grid: (h, w, 3)."""
    x = (drawing.xs_mm / sheet_mm[0] - 0.5).astype(np.float32)
    y = (drawing.ys_mm / sheet_mm[1] - 0.5).astype(np.float32)
    flat = plane.astype(np.float32)
    return np.asarray(flat[0] + x[None, :, None] * flat[1] + y[:, None, None] * flat[2])


def _local(
    ratio: npt.NDArray[np.float32], usable: Mask, plane: Array, sheet_mm: tuple[float, float], coarse: tuple[int, int]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32], float]:
    """What paper near each place says beyond the plane (h, w, 3), how much it varies there (h, w), and the rest."""
    height, width = usable.shape
    x = (np.arange(width, dtype=np.float32) + 0.5) * CELL_MM / sheet_mm[0] - 0.5
    y = (np.arange(height, dtype=np.float32) + 0.5) * CELL_MM / sheet_mm[1] - 0.5
    flat = plane.astype(np.float32)
    blue, green, red = (
        seen - (flat[0, channel] + x * flat[1, channel] + (y * flat[2, channel])[:, None])
        for channel, seen in enumerate(cv2.split(ratio))
    )
    tint = cv2.max(cv2.absdiff(blue, green), cv2.absdiff(red, green))
    paper = (usable & (tint < 0.1) & (np.abs(green) < 0.8)).astype(np.float32)
    size = (coarse[1], coarse[0])
    share = cv2.resize(paper, size, interpolation=cv2.INTER_AREA)
    total = cv2.resize(cv2.merge([blue * paper, green * paper, red * paper]), size, interpolation=cv2.INTER_AREA)
    sigma = NEAR_MM / (CELL_MM * COARSE)
    share_near = cv2.GaussianBlur(share, (0, 0), sigma, borderType=cv2.BORDER_CONSTANT)
    total_near = cv2.GaussianBlur(total, (0, 0), sigma, borderType=cv2.BORDER_CONSTANT)
    local = total_near / (share_near + 0.05)[:, :, None]  # with little paper near, the plane
    square = cv2.resize(green * green * paper, size, interpolation=cv2.INTER_AREA)
    square_near = cv2.GaussianBlur(square, (0, 0), sigma, borderType=cv2.BORDER_CONSTANT) / (share_near + 1e-3)
    mean_near = total_near[:, :, 1] / (share_near + 1e-3)
    uneven = np.sqrt(np.maximum(square_near - mean_near**2, 0))
    seen = share > 0.3
    if not seen.any():
        return local, uneven, 0.3
    lack = (total[:, :, 1] / np.maximum(share, 1e-3) - local[:, :, 1])[seen]
    return local, uneven, max(LEAST_SPREAD, float(median_rows(np.abs(lack)[None])[0]) * 1.5)
