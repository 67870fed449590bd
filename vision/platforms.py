"""Find the loose cards that slide on the rails: two dark lines a card's width apart, lighter outside, along a rail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.boardset import BoardSet, Point, SetKey, Site
from vision.flat import Flat, lay_flat
from vision.registration import Array
from vision.tokens import Look

STEP_MM, DOWN_MM = 1.0, 3.0
BEYOND_MM = 16.0
"""How far a card's middle may lie beyond a rail's ends, less half a card."""
OUTSIDE_MM = 3.0
CONTRAST = 0.22
"""Logarithm by which a card's outline is darker than the paper beside it, at full marks."""
SLOPES = tuple(float(slope) for slope in np.linspace(-0.06, 0.06, 7))
FINE_SLOPES = tuple(float(slope) for slope in np.linspace(-0.09, 0.09, 19))
SEEN = 0.72
"""Share of a card's length along which its outline must be seen; shadows and sleeves reach 0.6, cards 0.95."""
ROW_MM = 6.0
"""A platform stands before a row if its middle is so near to the row's."""
RIM_MM = 3.5
"""Ground so near a card's outline says nothing."""
WHOLE_LINE, INNER_MM, HALF_LINE, FILLED = 0.9, 1.5, 0.4, 0.05
"""A card over the sheet's edge shows one line: so much of it must be seen from outside, and from so near inside, where
tokens may lie; and by such a logarithm what it encloses is darker than the paper."""


@dataclass(frozen=True)
class Card:
    """A platform found. `x_mm`: its middle; `slope`: x per y, by which it lies askew; `score`: 0 to 1."""

    rail: str
    x_mm: float
    slope: float
    score: float


def find_cards(look: Look) -> dict[str, Card | None]:
    """The card on each rail, None where none is seen."""
    board_set = look.registration.board_set
    return {rail: _find(look, board_set, rail) for rail in board_set.rails}


def _find(look: Look, board_set: BoardSet, rail: str) -> Card | None:
    platforms = board_set.platforms
    assert platforms is not None
    (left, top), (right, bottom) = board_set.rails[rail]
    pad = BEYOND_MM + OUTSIDE_MM + 4
    flat = lay_flat(look, (left - pad, top + 2, right + pad, bottom - 2), 0.0, STEP_MM, DOWN_MM)
    level = np.asarray(cv2.transform(flat.norm, np.full((1, 3), 1 / 3, np.float32)), np.float32)
    apart = round(OUTSIDE_MM / STEP_MM)
    line = platforms.outline.width_mm if platforms.outline is not None else 0.0
    half = (platforms.width_mm - line) / 2
    votes = np.zeros((2, *level.shape), np.float32)  # for the line at the left, and for that at the right
    steps = (level[:, apart:] - level[:, :-apart]) / np.float32(CONTRAST)
    votes[0, :, apart:], votes[1, :, :-apart] = -steps, steps
    votes = np.minimum(np.maximum(votes, 0), 1) * flat.seen
    middle = (top + bottom) / 2
    rows = flat.top_mm + np.arange(level.shape[0]) * DOWN_MM - middle
    xs = np.arange(left + platforms.width_mm / 2 - BEYOND_MM, right - platforms.width_mm / 2 + BEYOND_MM, 0.5)
    low, high = _slanted([*votes], rows, SLOPES)
    scores = (_between(low, xs - half - flat.left_mm) + _between(high, xs + half - flat.left_mm)) / 2
    places = scores.argmax(axis=1).tolist()
    best, score, slope = 0, -1.0, 0.0
    for row, (place, leaning) in enumerate(zip(places, SLOPES, strict=True)):
        if scores[row, place] > score + 1e-6:
            best, score, slope = row, float(scores[row, place]), leaning
    if score < SEEN:
        return _over_the_edge(flat, level, board_set, rail)
    place = places[best]
    x = float(xs[place])
    if 0 < place < len(xs) - 1:
        before, here, after = scores[best, place - 1 : place + 2].tolist()
        bend = before + after - 2 * here
        x += 0.5 * min(1.0, max(-1.0, (before - after) / (2 * bend))) if bend < -1e-9 else 0.0
    return Card(rail, x, slope, score)


def _between(sums: Array, at_mm: Array) -> Array:
    """Values (slopes, n) at places along the columns of `sums` (slopes, w), STEP_MM apart."""
    steps = np.clip(at_mm / STEP_MM, 0, sums.shape[1] - 1.001)
    low = steps.astype(np.intp)
    further = steps - low
    return np.asarray(sums[:, low] * (1 - further) + sums[:, low + 1] * further)


def _over_the_edge(flat: Flat, level: npt.NDArray[np.float32], board_set: BoardSet, rail: str) -> Card | None:
    """A card pushed to the sheet's edge or beyond, where there is no paper beside its outer line: by its inner line."""
    platforms = board_set.platforms
    assert platforms is not None
    (left, top), (right, bottom) = board_set.rails[rail]
    half = (platforms.width_mm - (platforms.outline.width_mm if platforms.outline is not None else 0.0)) / 2
    rows = flat.top_mm + np.arange(level.shape[0]) * DOWN_MM - (top + bottom) / 2
    best: Card | None = None
    darkest = -np.inf
    brightest = flat.norm.max(axis=2)  # of tokens, too, one channel is brighter than the line
    for side in (-1, 1):  # of the card, on which its line is seen
        outside, inside = OUTSIDE_MM * side, -INNER_MM * side
        beyond, within = _moved(level, outside / STEP_MM), _moved(brightest, inside / STEP_MM)
        votes = [np.clip(step / CONTRAST, 0, 1) * flat.seen for step in (beyond - level, within - brightest)]
        fill = (beyond - _moved(level, 3 * inside / STEP_MM)) * flat.seen
        end = left - BEYOND_MM + platforms.width_mm / 2 if side > 0 else right + BEYOND_MM - platforms.width_mm / 2
        limit = half + OUTSIDE_MM + 1 if side > 0 else board_set.sheet_mm[0] - half - OUTSIDE_MM - 1
        xs = np.arange(min(end, limit), max(end, limit), 0.5)
        if not len(xs):
            continue
        outer, inner, filled, bright = (
            _between(each, xs + side * half - flat.left_mm)
            for each in _slanted((*votes, fill, brightest), rows, FINE_SLOPES)
        )
        here = (outer >= WHOLE_LINE) & (inner >= HALF_LINE) & (filled >= FILLED)
        contrast = np.where(here, -bright, -np.inf)  # the line is darkest in its middle
        row, place = divmod(int(np.argmax(contrast)), len(xs))
        if here[row, place] and contrast[row, place] > darkest:
            darkest = float(contrast[row, place])
            best = Card(rail, float(xs[place]), FINE_SLOPES[row], float(outer[row, place] + inner[row, place]) / 2)
    return best


def _moved(level: npt.NDArray[np.float32], steps: float) -> npt.NDArray[np.float32]:
    """At each place what lies so many columns to its right."""
    warp: Array = np.array([[1, 0, steps], [0, 1, 0]], np.float32)
    size = (level.shape[1], level.shape[0])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(level, warp, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _slanted(votes: Sequence[Array], rows_mm: Array, slopes: Sequence[float]) -> Array:
    """The means of each one's rows (h, w), each row moved left by its `rows_mm` (h,) times a slope: (n, slopes, w).

    Between columns values are interpolated, beyond the ends they are nought. As a product of matrices this is quick:
    of each whole number of columns how much each row takes part in it, for all slopes at once.
    """
    moved = np.multiply.outer(np.asarray(slopes), rows_mm / STEP_MM)
    reach = int(np.ceil(np.abs(moved).max()))
    steps = np.arange(-reach, reach + 1)
    share = np.maximum(0, 1 - np.abs(moved - steps[:, None, None])) / len(rows_mm)
    every = np.hstack([np.asarray(one, np.float32) for one in votes])
    width, count = votes[0].shape[1], len(votes)
    parts = (share.reshape(-1, len(rows_mm)).astype(np.float32) @ every).reshape(len(steps), len(slopes), count, width)
    total = np.zeros((len(slopes), count, width + 2 * reach), np.float32)
    for place, part in enumerate(parts):
        total[:, :, 2 * reach - place : 2 * reach - place + width] += part
    return np.asarray(total[:, :, reach : reach + width].transpose(1, 0, 2))


def slot_sites(board_set: BoardSet, card: Card) -> tuple[Site, ...]:
    """A card's slots as sites, the one next to the board first."""
    return _slot_sites(SetKey(board_set), card)


@lru_cache(maxsize=8)
def _slot_sites(key: SetKey, card: Card) -> tuple[Site, ...]:
    board_set = key.board_set
    platforms = board_set.platforms
    assert platforms is not None
    near, far = board_set.rail_ends(card.rail)
    middle = (near + far) / 2
    depth = (far - near) / platforms.slots
    half = platforms.width_mm / 2
    sites = []
    for number, name in enumerate(board_set.slots[card.rail]):
        ys = (near + number * depth, near + (number + 1) * depth)
        xs = [card.x_mm + card.slope * (y - middle) for y in ys]
        corners: tuple[Point, ...] = (
            (xs[0] - half, ys[0]),
            (xs[0] + half, ys[0]),
            (xs[1] + half, ys[1]),
            (xs[1] - half, ys[1]),
        )
        sites.append(Site(name, None, platforms.fill, corners))
    return tuple(sites)


@lru_cache(maxsize=8)
def _row_middles(key: SetKey) -> dict[str, float]:
    board_set = key.board_set
    return {
        name: float(np.mean([board_set.centre(site)[0] for site in sites])) for name, sites in board_set.tracks.items()
    }


def row_of(board_set: BoardSet, x_mm: float) -> str | None:
    """The row before which a platform at `x_mm` stands."""
    middles = _row_middles(SetKey(board_set))
    if not middles:
        return None
    name = min(middles, key=lambda row: abs(middles[row] - x_mm))
    return name if abs(middles[name] - x_mm) <= ROW_MM else None


def rim_cells(
    board_set: BoardSet, cards: Sequence[Card], shape: tuple[int, int], cell_mm: float
) -> npt.NDArray[np.bool_]:
    """Cells of the sheet's grid (h, w) on or near the cards' outlines."""
    layer = np.zeros(shape, np.uint8)
    for card in cards:
        slots = slot_sites(board_set, card)
        first, last = slots[0].polygon_mm, slots[-1].polygon_mm
        around = np.array([first[0], first[1], last[2], last[3]])
        points = np.round((around / cell_mm - 0.5) * 16).astype(np.int32)
        cv2.polylines(layer, [points], True, 1, max(1, round(2 * RIM_MM / cell_mm)), cv2.LINE_8, 4)
    return layer > 0
