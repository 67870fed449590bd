"""Where on the sheet the ground isn't seen: it has another colour than is printed there, hard edges, or a texture.

Shadows have none of these: they darken paper, softly or with one line, and let its print show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.light import Light
from vision.paper import LOGS, Mask, PaperView
from vision.ranks import median_rows, percentile_rows
from vision.registration import Array

TINT_LIMIT = 0.13  # natural logarithm of a ratio of channels
GUESSED = 0.1  # and so much more where much of the paper is blown out: there the light's tint is a guess
USUAL_CURVE = -0.2  # gloss makes print paler; a steeper tone curve makes every edge harder
EDGE_LIMIT = 0.17  # logarithmic step of brightness within two cells, across which no shadow falls
DARK_LIMIT = 2.0  # darker than the brightest paper by this logarithm: no shadow on paper is
DARK_SLACK = 0.12  # logarithm by which washed-out dark ground may be lighter still
GLOSS_TINT, LIKE_INK = 0.12, 0.1  # gloss may have another tint than the light; so far an ink's places differ
KNOWN_DOUBT = 0.3  # what is left of the doubt about an ink of which most is seen
CLOTH_SHADE, CLOTH_STEP = 0.2, 0.018  # cloth as pale as paper in shade: darker than lit paper, and rough
THIN = (slice(1, None, 4), slice(2, None, 4))
QUIETEST, TO_MIDDLE = 25, 1.6
"""Noise is read where it is least, for tokens and hands may cover most of the paper; the middle is so much more."""


@dataclass(frozen=True)
class Covered:
    """`ground` (h, w): cells where the ground isn't seen; `hard`: those where it isn't for a hard edge alone.

    The rest is for `cloth`.
    """

    ground: Mask
    hard: Mask
    usable: Mask
    step: npt.NDArray[np.float32]
    shade: npt.NDArray[np.float32]
    step_noise: float

    def cloth(self) -> Mask:
        """Further cells (h, w) where it may be cloth that is seen: it is if a thing joins them."""
        rough = cv2.medianBlur(np.asarray(cv2.convertScaleAbs(self.step, None, 1000.0), np.uint8), 5)
        noise = np.maximum(3 * self.step_noise * np.exp(self.shade), CLOTH_STEP)  # the more, the less light there is
        return np.asarray(self.usable & (rough > 1000 * noise) & (self.shade > CLOTH_SHADE), np.bool_)


def _smooth(channels: Sequence[Array], where: Mask) -> npt.NDArray[np.float32]:
    """Means (h, w, channels) of each cell and those round it, of those in `where`, of channels (h, w).

    Compression spreads colours over cells.
    """
    share = where.astype(np.float32)
    total = cv2.blur(cv2.merge([values * share for values in channels]), (3, 3))
    return np.asarray(total / np.maximum(cv2.blur(share, (3, 3)), 0.05)[:, :, None], np.float32)


def _of_own_ink(
    tints: Array, doubt: Array, inks: npt.NDArray[np.int8], free: npt.NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Tints (n, 2) against what most of the same ink shows where it is `free` (n,), and how far they may miss it.

    How much gloss and bloom wash an ink out is one thing for all of it, where most of it is seen.
    """
    tints, doubt = tints.copy(), doubt.copy()
    for ink in np.unique(inks):
        mine, seen = inks == ink, (inks == ink) & free
        most = doubt[mine].max(axis=0) + GLOSS_TINT
        middle = np.clip(median_rows(tints[seen][None])[0], -most, most) if np.count_nonzero(seen) >= 12 else 0.0
        alike = (np.abs(tints[seen] - middle) < LIKE_INK).all(axis=1)
        if np.count_nonzero(alike) >= max(12, 0.6 * len(alike)):
            tints[mine] -= middle
            doubt[mine] *= KNOWN_DOUBT
        else:
            doubt[mine] += GLOSS_TINT / 2
    return tints, doubt


def covered_ground(paper: PaperView, ratio: npt.NDArray[np.float32], light: Light, under: Mask) -> Covered:
    """What hides the ground; `ratio`: `PaperView.ratios`; `under` (h, w): what lies under tokens that were found."""
    drawing = paper.drawing
    usable = drawing.usable & paper.inside
    blues, level, reds = cv2.split(ratio)
    thin = usable[THIN]
    if np.count_nonzero(thin) < 8:
        return Covered(usable.copy(), np.zeros_like(usable), usable, np.zeros_like(level), np.zeros_like(level), 0.0)
    bright = percentile_rows(level[THIN][thin][None], 85)[0][0]
    blue = blues - level - light.tint(0, drawing.xs_mm, drawing.ys_mm)
    red = reds - level - light.tint(2, drawing.xs_mm, drawing.ys_mm)
    off = cv2.max(np.abs(blue), np.abs(red))
    across = np.abs(cv2.Sobel(level, cv2.CV_32F, 1, 0, ksize=3))
    step = cv2.max(across, np.abs(cv2.Sobel(level, cv2.CV_32F, 0, 1, ksize=3))) / 4
    # in the dark noise alone makes colours and edges
    tint_noise, step_noise = (
        TO_MIDDLE * float(percentile_rows(values[THIN][thin][None], QUIETEST)[0][0]) for values in (off, step)
    )
    guess = GUESSED * min(1.0, 4 * light.guessed)
    tint_limit = np.clip(4 * tint_noise, TINT_LIMIT + guess, 0.25)
    steeper = 1 + min(0.5, max(0.0, light.curve - USUAL_CURVE))
    edge_limit = np.clip(7 * step_noise, EDGE_LIMIT * steeper, 0.3)
    strange_cells = usable & ((off > tint_limit) | (level < bright - DARK_LIMIT))
    hard = usable & (step > edge_limit) & ~strange_cells
    wrong = strange_cells | hard
    rows, columns = np.nonzero(drawing.dark & paper.inside)
    if len(rows):
        wash, doubt = drawing.wash[rows, columns], drawing.doubt[rows, columns]
        # the same noise is a larger share of less light
        washed = drawing.logs[rows, columns] + wash
        washed = np.minimum(np.minimum(washed[:, 0], washed[:, 1]), washed[:, 2])
        limit = np.clip(4 * tint_noise * np.exp(LOGS[255] - washed), TINT_LIMIT, 0.35) + guess
        smooth = _smooth([blue, level, red], drawing.dark)[rows, columns]
        tints = smooth[:, ::2] - wash[:, ::2] + wash[:, 1:2]
        tints, room = _of_own_ink(tints, doubt[:, ::2], drawing.inks[rows, columns], ~under[rows, columns])
        strange = (np.abs(tints) > room + limit[:, None]).any(axis=1)
        paler = max(0.0, USUAL_CURVE - light.curve) * (LOGS[255] - drawing.logs[rows, columns, 1])
        strange |= smooth[:, 1] - wash[:, 1] - bright > doubt[:, 1] + DARK_SLACK + paler
        wrong[rows, columns] = strange
    return Covered(
        np.asarray(wrong, np.bool_),
        np.asarray(hard, np.bool_),
        usable, np.asarray(step), np.asarray(bright - level, np.float32), step_noise
    )
