"""Find tokens by their marks and name them.

A token is looked for by its mark's own middle, at the height of its top: marks are balanced, while side walls and dark
ground pull a body's middle by millimetres. Whatever looks like a mark in size is compared with all of them; what agrees
with none well enough is no token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

from vision.blobs import label_blobs
from vision.boardset import BoardSet
from vision.light import Light
from vision.marks import (
    ANGLES,
    RADII,
    Templates,
    colours_needed,
    marks_are_pale,
    pale_polarities,
    sample,
    templates,
    thin_templates,
)
from vision.outline import outlined
from vision.palette import fit_palette
from vision.ranks import median_rows, percentile_rows
from vision.registration import Array, Image, Registration

SURE, CLEAR = 0.80, 0.93
"""Correlation from which something is a token; true marks reach 0.88, anything else 0.63 at most. CLEAR: evenly lit."""
EDGELESS = 0.5
"""What a mark alone is worth, without a token's edge round it."""
SAMPLES = 24.0
"""A top's picture has about as many independent details; what a mark leaves unexplained counts for each of them."""
UNEXPLAINED = 0.01
FLOOR_NATS = -25.0
STEP_MM = 1.2
CLIMB_FROM, CLIMB_STILL, CLIMB_FAR = 0.35, 0.5, 0.7
"""Correlations: below the second a place is given up. Where tokens stand close on strong colours their marks' middles
are less sure: there below the first; below the third the first step is a long one, after which the second counts."""
MANY, ROUGHLY = 60, 0.4
"""From so many places beside the sheet on, a few samples of each are compared first, and agree at least so much."""
NOISE = 3
"""Grey levels by which a mark differs at least from what is round it; in the dark noise makes steps of logarithms."""
LEVELS = (9, 20)
"""Steps of logarithmic grey by which a mark stands out: all need the first, for glare makes even black marks faint;
pale marks on strong colours, where tokens stand close together, the second as well."""
UNEVEN = 0.3
"""From this spread of its rim's brightness on, a logarithm, a shadow's edge or a thing crosses a top."""
OTHER_TINT = 0.6
"""Logarithm of tint: where marks tell all colours apart, only a body of quite another colour is none of the set's."""
BODY_RADII = (0.38, 0.41, 0.435)
"""Between mark and rim, as fractions of the token's size, a token shows its body's colour."""


@dataclass(frozen=True)
class Found:
    """A token found. `score`: correlation of its best kind, below SURE where no edge runs round it.

    `centre_mm`: of its base; `contrast`: logarithm of mark over body; `evenness`: spread of its rim's brightness, a
    logarithm.
    """

    kind: str
    centre_mm: tuple[float, float]
    score: float
    likelihoods: dict[str, float]
    contrast: float
    evenness: float


LOGS = (46.0 * np.log((np.arange(256) + 4.0) / 4.0)).astype(np.float32)
LOGS *= 255 / LOGS[-1]
LOG_TABLE = np.round(LOGS).astype(np.uint8)
_PLUS_4, _PLUS_6 = (np.log(np.arange(256) + add) for add in (4.0, 6.0))


def logarithmic(grey: Image) -> Image:
    """Grey levels on a logarithmic scale, so that one threshold serves light and shadow."""
    return np.asarray(cv2.LUT(grey, LOG_TABLE))


def _mark_lengths_mm(board_set: BoardSet) -> tuple[float, float]:
    """How long the smallest and the largest mark of a set are."""
    marks = board_set.tokens.marks.values()
    lengths = [board_set.tokens.size_mm * max(m.length, m.ring, m.dot, 1.73 * m.triangle) for m in marks]
    return min(lengths), max(lengths)


def candidates_mm(grey: Image, registration: Registration, region: tuple[int, int, int, int] | None = None) -> Array:
    """Middles (n, 2) in mm, at the tokens' tops, of everything as large as a mark, dark or light.

    `region`: x0, y0, x1, y1 in pixels; the whole picture if left out.
    """
    board_set = registration.board_set
    x0, y0, x1, y1 = region or (0, 0, grey.shape[1], grey.shape[0])
    part = grey[y0:y1, x0:x1]
    scale = registration.px_per_mm()
    shrink = 2 if scale > 1.1 else 1
    if shrink == 2:
        part = cv2.resize(part, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    part = cv2.blur(part, (3, 3)) if shrink == 1 else part
    levels = logarithmic(part)
    small = scale / shrink
    shortest_mm, longest_mm = _mark_lengths_mm(board_set)
    length_px, least = longest_mm * small, shortest_mm / longest_mm
    window = int(length_px * 0.9) | 1
    mean = cv2.blur(levels, (window, window))
    _, noise = cv2.threshold(cv2.absdiff(part, cv2.blur(part, (window, window))), NOISE, 255, cv2.THRESH_BINARY_INV)
    light = cv2.subtract(cv2.subtract(levels, mean), noise)
    dark = cv2.subtract(cv2.subtract(mean, levels), noise)
    crowded = pale_polarities(board_set)
    masks = [
        cv2.threshold(over, level, 255, cv2.THRESH_BINARY)[1]
        for over, polarity in ((dark, -1), (light, 1))
        for level in (LEVELS if polarity in crowded else LEVELS[:1])
    ]
    middles = [_as_large_as_marks(np.asarray(mask, np.uint8), length_px, least) for mask in masks]
    points = np.concatenate(middles) * shrink + (shrink - 1) / 2 + [x0, y0]
    if len(points) == 0:
        return np.zeros((0, 2))
    return registration.pose.unproject(points.astype(np.float64), -board_set.tokens.height_mm)


def _as_large_as_marks(mask: Image, length_px: float, least: float) -> Array:
    """Centroids (n, 2) of those blobs of a mask (h, w) that are between the smallest mark and the largest in size.

    `length_px`: of the largest, and `least`: of the smallest, a share of that.
    """
    _, stats, centroids = label_blobs(mask)
    stats, centroids = stats[1:], centroids[1:]
    long = np.maximum(stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT])
    area = stats[:, cv2.CC_STAT_AREA] / length_px**2
    good = (long > min(0.5, 0.7 * least) * length_px) & (long < 1.5 * length_px)
    good &= (area > min(0.05, 0.055 * least)) & (area < 0.8)
    return np.asarray(centroids[good])


def evaluate(grey: Image, registration: Registration, centres_mm: Array, rounds: int = 2) -> tuple[Array, Array]:
    """Climb from the promising centres, one of each heap, to where some mark agrees best.

    Returns centres (m, 2) and correlations (m, marks), signed.
    """
    board_set = registration.board_set
    book = templates(board_set)
    if book is None or len(centres_mm) == 0:
        return centres_mm, np.zeros((len(centres_mm), len(board_set.tokens.marks)))
    offsets = book.offsets_mm
    z_mm = -board_set.tokens.height_mm
    centres_mm = _promising(grey, registration, centres_mm)
    scores = book.correlate(cv2.LUT(sample(grey, registration.pose, centres_mm, offsets, z_mm), LOGS))
    best = np.abs(scores).max(axis=1, initial=0)
    crowded = marks_are_pale(board_set)
    enough = np.count_nonzero(best >= (CLIMB_FROM if crowded else CLIMB_STILL))
    order = np.argsort(-best, kind="stable")[:enough].tolist()
    worth = _apart(centres_mm, order, board_set.tokens.size_mm / 4)
    centres_mm, scores = centres_mm[worth], scores[worth]
    far = np.flatnonzero(np.abs(scores).max(axis=1, initial=0) < CLIMB_FAR)
    if crowded and len(far):
        centres_mm[far], scores[far], _ = _climb(grey, registration, book, centres_mm[far], offsets, 2 * STEP_MM)
    going = np.flatnonzero(np.abs(scores).max(axis=1, initial=0) > CLIMB_STILL)
    for attempt in range(rounds):
        if len(going) == 0:
            break
        climbed = _climb(grey, registration, book, centres_mm[going], offsets, STEP_MM / (attempt + 1))
        centres_mm[going], scores[going], arrived = climbed
        going = going[~arrived]
    return centres_mm, scores


def _promising(grey: Image, registration: Registration, centres_mm: Array) -> Array:
    """The centres (n, 2) without most of the table's grain: where many lie beside the sheet, a few samples of each of
    those tell which are like no mark. What counts as a token there is far more alike.
    """
    board_set = registration.board_set
    rough = thin_templates(board_set)
    reach_mm = board_set.tokens.size_mm
    far = np.array(board_set.sheet_mm) + reach_mm
    beside = np.flatnonzero(np.any((centres_mm < -reach_mm) | (centres_mm > far), axis=1))
    if rough is None or len(beside) < MANY:
        return centres_mm
    patches = sample(grey, registration.pose, centres_mm[beside], rough.offsets_mm, -board_set.tokens.height_mm)
    alike = np.abs(rough.correlate(cv2.LUT(patches, LOGS))).max(axis=1)
    return np.asarray(np.delete(centres_mm, beside[alike < ROUGHLY], axis=0))


def _apart(centres_mm: Array, order: Sequence[int], least_mm: float) -> list[int]:
    """Of the centres (n, 2) in this order those that lie `least_mm` or more from all kept before."""
    x, y = centres_mm[order, 0], centres_mm[order, 1]
    near = (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2 < least_mm**2
    left = np.ones(len(x), np.bool_)
    kept: list[int] = []
    for place, index in enumerate(order):
        if left[place]:
            kept.append(index)
            left &= ~near[place]
    return kept


def _climb(
    grey: Image, registration: Registration, book: Templates, centres_mm: Array, offsets: Array, step_mm: float
) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    around = np.array([[x, y] for y in (-1, 0, 1) for x in (-1, 0, 1)], np.float64) * step_mm
    trials = (centres_mm[:, None, :] + around).reshape(-1, 2)
    patches = sample(grey, registration.pose, trials, offsets, -registration.board_set.tokens.height_mm)
    scores = book.correlate(cv2.LUT(patches, LOGS)).reshape(len(centres_mm), 9, -1)
    best = np.abs(scores).max(axis=2)
    rows = np.arange(len(centres_mm))
    pick = np.argmax(best, axis=1)
    # a top inside the grid: between the samples by parabolas
    low, high = best[:, [3, 1]], best[:, [5, 7]]
    bend = low + high - 2 * best[:, 4:5]
    between = np.clip((low - high) / np.minimum(2 * bend, -1e-9), -0.5, 0.5) * step_mm
    shift = np.where((pick == 4)[:, None], np.where(bend < -1e-6, between, 0.0), around[pick])
    return centres_mm + shift, scores[rows, pick], pick == 4


@dataclass(frozen=True)
class Look:
    """One picture (h, w, 3) BGR, its marks in grey, where its sheet lies, and its light; None where not known."""

    image: Image
    grey: Image
    registration: Registration
    light: Light | None = None

    @classmethod
    def of(cls, image: Image, grey: Image, registration: Registration, light: Light | None) -> Look:
        """The picture as this set's marks show best: on strong colours grey shows them poorly, the least channel well.

        That one alone would be coarser and noisier than needed.
        """
        if marks_are_pale(registration.board_set):
            blue, green, red = cv2.split(image)
            least = cv2.min(cv2.min(blue, green, dst=blue), red, dst=blue)
            grey = cv2.addWeighted(grey, 0.5, least, 0.5, 0, dst=least)
        return cls(image, grey, registration, light)


def find(
    look: Look,
    hints_mm: Sequence[tuple[float, float]] = (),
    region: tuple[int, int, int, int] | None = None,
    least: float = SURE,
) -> list[Found]:
    """Every token on and beside the sheet. `hints_mm`: where tokens stood; `region`: where else to look, in pixels."""
    if not look.registration.board_set.tokens.marks:
        return []
    starts = candidates_mm(look.grey, look.registration, region)
    if len(hints_mm):
        starts = np.concatenate([np.asarray(hints_mm, np.float64), starts])
    return name(look, starts, least)


def name(look: Look, starts_mm: Array, least: float) -> list[Found]:
    """Tokens at or near the given places, best first, none overlapping another."""
    grey, registration = look.grey, look.registration
    board_set = registration.board_set
    centres, scores = evaluate(grey, registration, starts_mm)
    book = templates(board_set)
    if book is None or len(centres) == 0:
        return []
    scores = _without_shadow(look, book, centres, scores)
    best = np.abs(scores).max(axis=1, initial=0)
    order = [int(index) for index in np.argsort(-best) if best[index] >= least]
    kept = _apart(centres, order, board_set.tokens.size_mm * 0.9)
    if not kept:
        return []
    contrasts = _contrasts(grey, registration, centres[kept], book)
    found: list[Found] = []
    evenness = _evenness(grey, registration, centres[kept])
    tints, unlike = _tints(look, book, centres[kept])
    colours = list(book.signs)
    every = _likelihoods(book, scores[kept], tints, np.minimum(1.0, UNEVEN / np.maximum(evenness, 1e-6)))
    for index, likelihoods, contrast, even, strange in zip(kept, every, contrasts, evenness, unlike, strict=True):
        kind = max(likelihoods, key=lambda name: likelihoods[name])
        colour = kind.rpartition("-")[0]
        if abs(contrast) < 0.35 or np.sign(contrast) != book.signs[colour] or strange[colours.index(colour)]:
            continue
        found.append(
            Found(
                kind,
                (float(centres[index][0]), float(centres[index][1])),
                float(best[index]),
                likelihoods,
                float(contrast),
                float(even),
            )
        )
    if look.light is None or not found:
        return found
    bodies = [board_set.split(token.kind)[0] for token in found]
    edges = outlined(look.image, registration, np.array([token.centre_mm for token in found]), bodies)
    return [
        token if edge else replace(token, score=min(token.score, EDGELESS))
        for token, edge in zip(found, edges, strict=True)
    ]


def _contrasts(grey: Image, registration: Registration, centres_mm: Array, book: Templates) -> Array:
    """Logarithm of mark over body for each token; the rim tells which of dark and light is the body."""
    board_set = registration.board_set
    offsets = book.offsets_mm
    values = cv2.LUT(sample(grey, registration.pose, centres_mm, offsets, -board_set.tokens.height_mm), _PLUS_4)
    low, high = percentile_rows(values, 6, 94)
    outer = np.asarray(RADII) > 0.40
    rim = median_rows(values.reshape(len(values), -1, len(outer))[:, :, outer].reshape(len(values), -1))
    return np.asarray(np.where(np.abs(rim - low) > np.abs(high - rim), low - rim, high - rim))


def _evenness(grey: Image, registration: Registration, centres_mm: Array) -> Array:
    """Spread of the logarithm of brightness along each top's rim, outside the mark."""
    board_set = registration.board_set
    angles = np.arange(24) * (2 * np.pi / 24)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    tokens = board_set.tokens
    outer = 0.455 if tokens.rim is None else 0.465 - tokens.rim.width_mm / tokens.size_mm
    offsets = np.concatenate([circle * radius * tokens.size_mm for radius in (outer - 0.035, outer)])
    values = cv2.LUT(sample(grey, registration.pose, centres_mm, offsets, -board_set.tokens.height_mm), _PLUS_6)
    low, high = percentile_rows(values, 10, 90)
    return np.asarray(high - low)


def _tints(look: Look, book: Templates, centres_mm: Array) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Nats of each colour for each token, and which colours it can't have, both (n, colours).

    Where light or dark marks alone tell the colours apart, nats are nought.
    """
    none = np.zeros((len(centres_mm), len(book.signs)))
    if look.light is None:
        return none, none > 0
    board_set = look.registration.board_set
    angles = np.arange(16) * (2 * np.pi / 16)
    circle = np.column_stack([np.cos(angles), np.sin(angles)]) * board_set.tokens.size_mm
    offsets = np.concatenate([circle * radius for radius in BODY_RADII])
    seen = sample(look.image, look.registration.pose, centres_mm, offsets, -board_set.tokens.height_mm)
    bodies = median_rows(cv2.LUT(seen, _PLUS_6)) - look.light.at(centres_mm)
    palette = fit_palette(board_set, bodies)
    if colours_needed(board_set):
        return palette.nats(bodies), palette.unlike(bodies)
    return none, palette.unlike(bodies, OTHER_TINT)


def _without_shadow(look: Look, book: Templates, centres_mm: Array, scores: Array) -> Array:
    """Scores where a shadow's edge crosses the top: each direction's own rim is taken for its light, if that helps."""
    best = np.abs(scores).max(axis=1)
    crossed = np.flatnonzero((best > CLIMB_STILL) & (best < CLEAR))
    if len(crossed) == 0:
        return scores
    crossed = crossed[_evenness(look.grey, look.registration, centres_mm[crossed]) > UNEVEN]
    if len(crossed) == 0:
        return scores
    pose, z_mm = look.registration.pose, -look.registration.board_set.tokens.height_mm
    patches = cv2.LUT(sample(look.grey, pose, centres_mm[crossed], book.offsets_mm, z_mm), LOGS)
    rays = patches.reshape(len(crossed), ANGLES, -1)
    rays = rays - rays[:, :, -2:].mean(axis=2, keepdims=True)
    again = book.correlate(rays.reshape(patches.shape))
    better = np.abs(again).max(axis=1) > np.abs(scores[crossed]).max(axis=1)
    scores = scores.copy()
    scores[crossed[better]] = again[better]
    return scores


def _likelihoods(book: Templates, scores: Array, tints: Array, trust: Array) -> list[dict[str, float]]:
    """For each token kind -> nats relative to the best.

    From signed correlations with each mark (n, marks) and nats of each colour (n, colours). `trust` (n,): 1, or less
    where a shadow crosses the top.
    """
    signs = np.array(list(book.signs.values()))
    left = 1 - np.maximum(0.0, signs[:, None] * scores[:, None, :]) ** 2 + UNEXPLAINED
    raw = (-0.5 * SAMPLES * trust**2)[:, None, None] * np.log(left) + tints[:, :, None]
    nats = raw.reshape(len(scores), -1)
    nats = np.maximum(FLOOR_NATS, nats - nats.max(axis=1, keepdims=True))
    kinds = [f"{colour}-{mark}" for colour in book.signs for mark in book.names]
    return [dict(zip(kinds, row, strict=True)) for row in nats.tolist()]
