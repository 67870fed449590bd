"""Find square tokens without marks, by their colours, and name them.

The picture is laid flat at the height of the tokens' tops, the light is taken out, and every point gets the colour of
the palette it looks like, or none. A patch of one colour with a token's shape is a token; a larger one may be several
that touch. Skin, sleeves and cups have other colours or other shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import starmap
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.boardset import BoardSet, SetKey
from vision.flat import Flat, lay_flat
from vision.gloss import nats_in_halo, support, without_gloss
from vision.palette import FLOOR_NATS, Palette, rough_palette
from vision.ranks import median_rows, percentile_rows
from vision.registration import Array
from vision.tokens import Found, Look

STEP_MM = 1.0
MARGIN_MM = 20.0
"""How far beside the sheet the fine grid reaches."""
TINTED = 0.14
"""Logarithm of a ratio of channels from which a point may be a token's."""
CORE_MM = 7.0
"""Half the side of a token's middle, from which its colour is taken."""
PITCH = 1.06
"""Tokens that touch lie this many sizes apart, on average: side walls and gaps are part of the patch."""
ONE_TINT = 0.2
"""Logarithm of tint within which colours count as one while patches are looked for."""
MOST_TOGETHER, LEAST_EACH = 10, 0.96
"""So many at most in a patch (two colours of about one tint, five of each); in a row each takes so much of its size."""
LEAST_FULL, LEAST_SIDES, MOST_SIDES = 0.85, (0.88, 0.92), (1.16, 1.2)
"""Share of its own rectangle that a token's patch fills; its short and long side, in tokens' sizes."""
ROUND = 0.82
"""A disc fills less of its square."""
CORNERLESS = 1.15
"""A disc reaches no further from its middle, in radii of its area; a square with a piece missing has corners left."""
UNLIKE = 2.5
"""What it costs to be beyond these, where no other tokens crowd round."""
EVEN = 0.1
"""A top in even light varies so little, a logarithm."""
STRANGE = 0.16
"""Logarithm of tint: no token misses its colour by so much, tinted shadows do."""
USUAL_TINT, MOST_STRONGER = 0.65, 1.35
"""Mean tint of the colours, a logarithm, from which on a steep tone curve makes misses larger, too; and by how much."""
STRANGE_UNTOLD = 0.1
"""It may miss by so much more where no neighbours tell how gloss and light lie."""
SAME = 0.25
"""Logarithms: ground so like a token that it may go on in it."""
CROWDED = 0.13
"""The brightness of paper among tokens varies so much by their own shadows alone."""
HALO, IN_HALO = 0.1, 0.02
"""Where paper is somewhere brighter than the light all over by the first, a logarithm, a reflection may pale the tokens
round it; those at which it is so by the second."""
_TINT_STEP, _LEVEL_STEP = 0.06, 0.15
_TINT_LEAST, _LEVEL_LEAST = -1.3, 3.6
_TINTS, _LEVELS = 40, 16
_CORE = np.stack(np.meshgrid(*2 * [np.arange(-CORE_MM, CORE_MM + 0.1, 2.0)]), axis=2).reshape(-1, 2)
_MOST = (_TINTS - 1, _LEVELS - 1, _TINTS - 1)


@lru_cache(maxsize=8)
def _extent(key: SetKey) -> Array:
    """The corners (2, 2) of what the sites cover."""
    corners = np.concatenate([np.asarray(site.polygon_mm) for site in key.board_set.sites])
    return np.array([corners.min(axis=0), corners.max(axis=0)])


def _sampled_palette(board_set: BoardSet, flat: Flat) -> Palette:
    """The palette from points all over the board."""
    (top, bottom), (left, right) = flat.cells(_extent(SetKey(board_set)))
    points = flat.norm[top:bottom:6, left:right:5].reshape(-1, 3)
    tint = np.maximum(np.abs(points[:, 0] - points[:, 1]), np.abs(points[:, 2] - points[:, 1]))
    return rough_palette(board_set, points[tint > TINTED].astype(np.float64), 0.06)


def _classes(palette: Palette) -> npt.NDArray[np.uint8]:
    """A table from quantised tints and level to 1 + the index of the first colour of that tint, 0 for none."""
    tints = (_TINT_LEAST + (np.arange(_TINTS) + 0.5) * _TINT_STEP).astype(np.float32)
    levels = (_LEVEL_LEAST + (np.arange(_LEVELS) + 0.5) * _LEVEL_STEP).astype(np.float32)
    means = palette.means.astype(np.float32)
    blue_of, red_of = means[:, 0] - means[:, 1], means[:, 2] - means[:, 1]
    # colours of about one tint are told apart token by token: point by point noise and shadows would mix them
    apart = np.hypot(blue_of[:, None] - blue_of, red_of[:, None] - red_of)
    number = (np.argmax(apart < ONE_TINT, axis=1) + 1).astype(np.uint8)
    least = np.full((_TINTS, _LEVELS, _TINTS), np.inf, np.float32)
    best = np.zeros(least.shape, np.uint8)
    reach2 = 0.25 * (blue_of**2 + red_of**2)  # nearer than half-way to grey
    reach = np.sqrt(reach2)
    blues, reds = (np.searchsorted(tints, (of - reach, of + reach)).T for of in (blue_of, red_of))
    shades = np.searchsorted(levels, (means[:, 1] - np.float32(0.8), means[:, 1] + np.float32(0.5))).T
    boxes = zip(*(starmap(slice, of) for of in (blues, shades, reds)), strict=True)
    for colour, (blue, level, red) in enumerate(boxes):
        away2 = ((tints[blue] - blue_of[colour]) ** 2)[:, None] + (tints[red] - red_of[colour]) ** 2
        tint_cost = np.where(away2 < reach2[colour], away2 / 0.05**2, np.float32(np.inf))
        dark_cost = (np.minimum(np.abs(levels[level] - means[colour, 1]), np.float32(0.6)) / 0.12) ** 2
        cost = tint_cost[:, None] + dark_cost[:, None]
        box = (blue, level, red)  # beyond it the colour is no candidate
        np.copyto(best[box], number[colour], where=cost < least[box])
        np.minimum(least[box], cost, out=least[box])
    return best.ravel()


def _labels(flat: Flat, palette: Palette) -> npt.NDArray[np.uint8]:
    scale = np.array([1 / _TINT_STEP, 1 / _LEVEL_STEP, 1 / _TINT_STEP], np.float32)
    least = np.array([_TINT_LEAST, _LEVEL_LEAST, _TINT_LEAST], np.float32)
    mix = np.array([[1, -1, 0], [0, 1, 0], [0, -1, 1]], np.float32) * scale[:, None]
    # rounded down, and held from nought to the most: a byte ends at 255, and differences of bytes at nought
    room = 255 - np.array(_MOST, np.float32)
    steps = cv2.transform(flat.norm, np.column_stack([mix, room - least * scale - 0.5]))
    less: Any = (*room.tolist(), 0.0)  # the stubs ask for a picture
    blue, level, red = cv2.split(cv2.subtract(cv2.convertScaleAbs(steps), less))
    index = np.multiply(blue, _LEVELS * _TINTS, dtype=np.uint16)
    index += np.multiply(level, _TINTS, dtype=np.uint16)
    index += red
    labels = _classes(palette).take(index)
    labels[~flat.seen] = 0
    return np.asarray(cv2.medianBlur(labels, 5), np.uint8)


@dataclass(frozen=True)
class _Patch:
    centre_mm: tuple[float, float]
    score: float
    misfit: float
    round: bool


def _reach(contour: Array, x: float, y: float) -> float:
    """How far the furthest point of a contour lies from a point."""
    return float(np.hypot(contour[:, 0, 0] - x, contour[:, 0, 1] - y).max())


def _patches(flat: Flat, labels: npt.NDArray[np.uint8], size_mm: float, middles: Array) -> list[_Patch]:
    """Token-shaped patches of one colour. `middles` (n, 2): of the sites, on the fine grid: x, y."""
    around = np.ones((3, 3), np.uint8)
    before = labels - np.uint8(1)  # of none the highest
    alone = (labels > 0) & (cv2.dilate(labels, around) - np.uint8(1) == cv2.erode(before, around))  # not beside another
    mask = np.asarray(cv2.morphologyEx(alone.astype(np.uint8), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)), np.uint8)
    contours, nested = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    size = size_mm / flat.step_mm
    patches = []
    for number, contour in enumerate(contours):  # the table's colour may lie round all of them
        if len(contour) < 2 * size or nested[0, number, 3] >= 0:
            continue
        (x, y), sides, _ = cv2.minAreaRect(contour)
        short, long = min(sides) + 1, max(sides) + 1
        area = cv2.contourArea(contour) + len(contour) / 2 + 1
        if short < 0.7 * size or long < 0.75 * size or long > 9 * size:
            continue
        if long < 1.35 * size:
            moments = cv2.moments(contour)
            x, y = moments["m10"] / moments["m00"], moments["m01"] / moments["m00"]
            places = [(x, y, area / (short * long), short, long)]
        else:
            places = _split(mask, np.asarray(contour, np.int32), size, area, middles)
        for x, y, full, short, long in places:
            shape = 1 - 0.5 * max(abs(short / size - 1.0) - 0.08, abs(long / size - 1.04) - 0.1, 0)
            fit = min(1.0, full / 0.93) * shape
            score = 1 - 0.5 * (1 - fit)
            at_mm = (float(flat.left_mm + x * flat.step_mm), float(flat.top_mm + y * flat.step_mm))
            misfit = _misfit(full, short / size, long / size)
            round_ = len(places) == 1 and full < ROUND and _reach(contour, x, y) < CORNERLESS * np.sqrt(area / np.pi)
            patches.append(_Patch(at_mm, float(score), misfit, bool(round_)))
    return patches


def _misfit(full: float, short: float, long: float) -> float:
    """How far a patch is from anything a square token makes, sides in tokens' sizes; 0 for every token.

    Side walls make patches longer than tokens; a disc fills its square by 0.79.
    """
    lacks = max(0.0, LEAST_FULL - full) + max(0.0, LEAST_SIDES[0] - short) + max(0.0, LEAST_SIDES[1] - long)
    return lacks + max(0.0, short - MOST_SIDES[0]) + max(0.0, long - MOST_SIDES[1])


def _split(
    mask: npt.NDArray[np.uint8], contour: npt.NDArray[np.int32], size: float, area: float, middles: Array
) -> list[tuple[float, float, float, float, float]]:
    """A patch of several tokens taken apart: x, y, fullness, short and long side of each; none where they don't fit.

    Where it covers the middles of as many sites, tokens are looked for there first: from elsewhere a search may end
    with one too many.
    """
    x0, y0, width, height = cv2.boundingRect(contour)
    own = np.zeros((height, width), np.uint8)
    cv2.drawContours(own, [contour], -1, 1, -1, offset=(-x0, -y0))
    own &= mask[y0 : y0 + height, x0 : x0 + width]
    _, sides, _ = cv2.minAreaRect(contour)
    short, long = min(sides) + 1, max(sides) + 1
    count = max(round(long / (PITCH * size)), 1) if short < 1.4 * size else round(area / (PITCH * size**2))
    if not 2 <= count <= MOST_TOGETHER or (short < 1.4 * size and long < LEAST_EACH * count * size):
        return []
    rows, columns = np.nonzero(own)
    points = np.column_stack([columns, rows]).astype(np.float32)
    near = np.round(middles).astype(np.int64) - (x0, y0)
    near = near[np.all((near >= 0) & (near < (width, height)), axis=1)]
    homes = near[own[near[:, 1], near[:, 0]] > 0].astype(np.float64)
    in_line = short < 1.4 * size
    best: list[tuple[float, float, float, float, float]] = []
    for number in (count, count + 1, count - 1):  # gaps and side walls may make one more or less of them
        if not 2 <= number <= MOST_TOGETHER:
            continue
        starts = [homes] if len(homes) == number else []
        for start in (*starts, _spread(points[::3], number, in_line)):
            parts = _apart(points, size, start)
            if parts and in_line:
                best = parts
                break
            best = min((each for each in (best, parts) if each), key=lambda each: _unlike(each, size), default=[])
        if best and in_line:
            break
    return [(x + x0, y + y0, full, small, large) for x, y, full, small, large in best]


def _unlike(parts: Sequence[tuple[float, float, float, float, float]], size: float) -> float:
    """How far the least likely of the parts is from a token: one too many, or too few, makes strange shapes."""
    return max(abs(small / size - 1) + abs(large / size - PITCH) + 1 - full for _, _, full, small, large in parts)


def _apart(points: Array, size: float, centres: Array) -> list[tuple[float, float, float, float, float]]:
    """The tokens round about these middles of which points (n, 2) may consist, as `_split` gives them; or none."""
    count = len(centres)
    for step, rounds in ((3, 4), (1, 2)):  # first on a third of the points
        few = np.ascontiguousarray(points[::step].T)
        nearest = np.zeros(0, np.intp)
        for _ in range(rounds):
            at = centres.astype(np.float32)
            away = np.maximum(np.abs(few[0] - at[:, :1]), np.abs(few[1] - at[:, 1:]))
            before, nearest = nearest, away.argmin(axis=0)
            if np.array_equal(before, nearest):
                break  # the middles would stay
            number = np.maximum(np.bincount(nearest, minlength=count), 1)
            centres = np.column_stack([np.bincount(nearest, values, count) / number for values in few])
    parts = []
    for n in range(count):
        mine = points[nearest == n]
        if len(mine) < 0.5 * size**2:
            return []
        _, sides, _ = cv2.minAreaRect(mine)
        small, large = min(sides) + 1, max(sides) + 1
        if small < 0.7 * size or large > 1.4 * size:
            return []
        parts.append((centres[n][0], centres[n][1], len(mine) / (small * large), small, large))
    return parts


def _spread(points: Array, count: int, in_line: bool) -> Array:
    """First guesses of `count` middles: evenly along a line, or each far from the others."""
    if in_line:
        middle = np.array([points[:, axis].mean(dtype=np.float64) for axis in (0, 1)])
        few = points[:: max(1, len(points) // 400)] - middle
        axis = np.linalg.eigh(few.T @ few)[1][:, 1]
        along = points @ axis - middle @ axis
        low, high = along.min(), along.max()
        steps = low + (high - low) * (np.arange(count) + 0.5) / count
        return np.asarray(middle + steps[:, None] * axis)
    chosen = [points[np.argmin(points.sum(axis=1))]]
    while len(chosen) < count:
        away = np.min([np.hypot(*(points - one).T) for one in chosen], axis=0)
        chosen.append(points[np.argmax(away)])
    return np.array(chosen)


def find_squares(look: Look) -> list[Found]:
    """Every token on the sheet and close beside it."""
    board_set = look.registration.board_set
    tokens = board_set.tokens
    width, height = board_set.sheet_mm
    box = (-MARGIN_MM, -MARGIN_MM, width + MARGIN_MM, height + MARGIN_MM)
    flat = lay_flat(look, box, -tokens.height_mm, STEP_MM)
    palette = _sampled_palette(board_set, flat)
    rows, columns = flat.cells(np.array([board_set.centre(site) for site in board_set.sites]))
    patches = _patches(flat, _labels(flat, palette), tokens.size_mm, np.column_stack([columns, rows]))
    if not patches:
        return []
    return _name(look, flat, patches)


def _stands_out(
    board_set: BoardSet, flat: Flat, centres: Array, bodies: Array
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which patches are no part of something larger, which lie on the board or a rail, and which on the board: (n,).

    Among the sites tokens touch one another all round, on a platform at two sides.
    """
    size = board_set.tokens.size_mm
    steps = np.linspace(-0.5, 0.5, 9) * size
    ring = np.array([at for x in (-0.68 * size, 0.68 * size) for y in steps for at in ((x, y), (y, x))])
    rows, columns = flat.cells(centres[:, None, :] + ring[None])
    gaps = flat.norm[rows, columns] - bodies[:, None, :]
    alike = np.einsum("nkc,nkc->nk", gaps, gaps) < SAME**2
    low_mm, high_mm = _extent(SetKey(board_set))
    limit = np.full(len(centres), 0.15)
    for low, high in board_set.rails.values():
        limit[np.all((centres > low) & (centres < high), axis=1)] = 0.6
    limit[np.all((centres > low_mm) & (centres < high_mm), axis=1)] = 2.0
    return alike.mean(axis=1) < limit, limit > 0.5, limit > 1.0


def _name(look: Look, flat: Flat, patches: Sequence[_Patch]) -> list[Found]:
    board_set = look.registration.board_set
    centres = np.array([patch.centre_mm for patch in patches])
    rows, columns = flat.cells(centres[:, None, :] + _CORE)
    cores = flat.norm[rows, columns].astype(np.float64)
    bodies = median_rows(cores)
    low, high = percentile_rows(cores[:, :, 1], 10, 90)
    alone, on_board, crowded = _stands_out(board_set, flat, centres, bodies)
    seen = bodies
    bodies, palette = without_gloss(board_set, seen, centres, alone & on_board)
    doubt = 0.5 * np.maximum(high - low - EVEN, 0)
    if look.light is not None:
        doubt = np.hypot(doubt, 2 * np.maximum(look.light.uneven_at(centres) - CROWDED, 0))
    untold = 1 - support(centres, alone & on_board)
    stronger = float(np.clip(palette.tint() / USUAL_TINT, 1.0, MOST_STRONGER))
    nats, limit = palette.nats(bodies, doubt), stronger * (STRANGE + untold * STRANGE_UNTOLD)
    if look.light is not None and float(look.light.local.max()) > HALO:
        plane, excess = look.light.parts_at(centres)
        near = np.flatnonzero(excess.max(axis=1) > IN_HALO)
        nats[near] = nats_in_halo(palette, bodies[near], plane[near], excess[near], doubt[near])
    strange = palette.strange(bodies, limit) & palette.strange(seen, limit)  # gloss may end before a token
    found = []
    every = np.maximum(FLOOR_NATS, nats - nats.max(axis=1, keepdims=True)).tolist()
    best = nats.argmax(axis=1).tolist()
    uneven = (high - low).tolist()
    for place, patch in enumerate(patches):
        if strange[place] or not alone[place]:
            continue
        likelihoods = dict(zip(palette.names, every[place], strict=True))
        score = patch.score - UNLIKE * patch.misfit * (0 if crowded[place] and not patch.round else 1)
        kind = palette.names[best[place]]
        found.append(Found(kind, patch.centre_mm, score, likelihoods, 1.0, uneven[place]))
    return sorted(found, key=lambda token: -token.score)
