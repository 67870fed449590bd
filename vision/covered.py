"""Where on the sheet the ground isn't seen: it has another colour than is printed there, hard edges, or a texture.

Shadows have none of these: they darken paper, softly or with one line, and let its print show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import cv2
import numpy as np
import numpy.typing as npt

from vision.light import Light
from vision.paper import CELL_MM, LOGS, Mask, PaperView
from vision.ranks import median_rows, percentile_rows
from vision.registration import Array

TINT_LIMIT = 0.13  # natural logarithm of a ratio of channels
GUESSED = 0.1  # and so much more where much of the paper is blown out: there the light's tint is a guess
USUAL_CURVE = -0.2  # gloss makes print paler; a steeper tone curve makes every edge harder
EDGE_LIMIT, STEEPEST = 0.17, 0.3  # logarithmic step of brightness within two cells, across which no shadow falls
DARK_LIMIT = 2.0  # darker than the brightest paper by this logarithm: no shadow on paper is
DARKER = 1.35  # darker than dark ground should be by this logarithm, times the curve's steepness: no shadow makes it so
DARK_SLACK = 0.12  # logarithm by which washed-out dark ground may be lighter still
GLOSS_TINT, LIKE_INK = 0.12, 0.1  # gloss may have another tint than the light; so far an ink's places differ
LEAST_OWN = 0.28  # share of its washed-out tint that an ink keeps under any gloss: 0.5 has been seen
KNOWN_DOUBT = 0.3  # what is left of the doubt about an ink of which most is seen
CLOTH_SHADE, CLOTH_STEP = 0.2, 0.018  # cloth as pale as paper in shade: darker than lit paper, and rough
WIDE_MM2 = 160.0  # smaller patches of dark ground hold no thing, and their own borders look like edges
THIN = (slice(1, None, 4), slice(2, None, 4))
QUIETEST, TO_MIDDLE = 25, 1.6
"""Noise is read where it is least, for tokens and hands may cover most of the paper; the middle is so much more."""


@dataclass(frozen=True)
class Covered:
    """`ground` (h, w): cells where the ground isn't seen; `hard`: those where it isn't for a hard edge alone.

    `blue`, `red` (h, w): against green, logarithms beyond the drawing's and the light's. The rest is for `cloth`.
    """

    ground: Mask
    hard: Mask
    blue: npt.NDArray[np.float32]
    red: npt.NDArray[np.float32]
    usable: Mask
    step: npt.NDArray[np.float32]
    shade: npt.NDArray[np.float32]
    step_noise: float

    def cloth(self) -> Mask:
        """Further cells (h, w) where it may be cloth that is seen: it is if a thing joins them."""
        rough = cv2.medianBlur(np.asarray(cv2.convertScaleAbs(self.step, None, 1000.0), np.uint8), 5)
        noise = np.maximum(3 * self.step_noise * np.exp(self.shade), CLOTH_STEP)  # the more, the less light there is
        return np.asarray(self.usable & (rough > 1000 * noise) & (self.shade > CLOTH_SHADE), np.bool_)


@dataclass(frozen=True)
class DarkGround:
    """A drawing's dark ground as far as it is in the picture, sorted by inks: n cells, channels apart.

    `cells`: their indices in the flattened grid; `inks`: where each ink's cells begin and end; `wash`, `doubt` (3, n):
    as in `Drawing`; `tint` (2, n): blue and red against green, washed out; `pale` (n,): by how much, a
    factor, noise weighs more there than on white paper, and `depth` (n,): logarithm by which green is darker than that;
    `share` (h, w): 1 where dark ground is drawn; `near` (n,): the share of it round each cell; `wide` (n,): whether
    there is room for a thing.
    """

    cells: npt.NDArray[np.intp]
    inks: tuple[slice, ...]
    wash: npt.NDArray[np.float32]
    tint: npt.NDArray[np.float32]
    doubt: npt.NDArray[np.float32]
    pale: Array
    depth: Array
    share: npt.NDArray[np.float32]
    near: npt.NDArray[np.float32]
    wide: Mask

    @classmethod
    def of(cls, paper: PaperView) -> DarkGround:
        """What of it this pose shows."""
        drawing = paper.drawing
        rows, columns = np.nonzero(drawing.dark & paper.inside)
        order = np.argsort(drawing.inks[rows, columns], kind="stable")
        rows, columns = rows[order], columns[order]
        counts = np.unique(drawing.inks[rows, columns], return_counts=True)[1]
        ends = np.cumsum(counts).tolist()
        wash = drawing.wash[rows, columns]
        shown = drawing.logs[rows, columns] + wash
        washed = shown.min(axis=1)
        share = drawing.dark.astype(np.float32)
        areas = cv2.connectedComponents(drawing.dark.astype(np.uint8), connectivity=8)[1]
        sizes = np.bincount(areas.ravel())
        return cls(
            rows * drawing.dark.shape[1] + columns,
            tuple(map(slice, [0, *ends[:-1]], ends)),
            np.ascontiguousarray(wash.T),
            np.ascontiguousarray((shown[:, ::2] - shown[:, 1:2]).T),
            np.ascontiguousarray(drawing.doubt[rows, columns].T),
            np.exp(LOGS[255] - washed),
            LOGS[255] - drawing.logs[rows, columns, 1],
            share,
            np.maximum(cv2.blur(share, (3, 3)), 0.05)[rows, columns],
            (sizes[areas] >= WIDE_MM2 / CELL_MM**2)[rows, columns],
        )

    def means(self, channels: Sequence[Array]) -> npt.NDArray[np.float32]:
        """Of channels (h, w) each cell's mean with the dark ground round it: compression spreads colours over cells.

        (channels, n).
        """
        return np.stack([cv2.blur(values * self.share, (3, 3)).take(self.cells) for values in channels]) / self.near

    @cached_property
    def _inks_own(self) -> tuple[list[Array], list[Array]]:
        """Of each ink its tint (2,), washed out, and by how much most of it may miss that (2,)."""
        doubt = self.doubt[::2]
        return (
            [self.tint[:, mine].mean(axis=1) for mine in self.inks],
            [doubt[:, mine].max(axis=1) + GLOSS_TINT for mine in self.inks],
        )

    def of_own_ink(self, tints: Array, free: npt.NDArray[np.bool_]) -> tuple[Array, Array]:
        """Tints (2, n) against what most of the same ink shows where it is `free` (n,), and how far they may miss it.

        How much gloss and bloom wash an ink out is one thing for all of it, where most of it is seen.
        """
        tints, doubt = tints.copy(), self.doubt[::2].copy()
        for mine, own, most in zip(self.inks, *self._inks_own, strict=True):
            seen = tints[:, mine][:, free[mine]]
            count = seen.shape[1]
            middle = np.minimum(np.maximum(median_rows(seen), -most), most) if count >= 12 else np.zeros(2, np.float32)
            blue, red = np.abs(seen - middle[:, None]) < LIKE_INK
            most_alike = np.count_nonzero(blue & red) >= max(12, 0.6 * count)
            if most_alike and float((own + middle) @ own) < LEAST_OWN * float(own @ own):
                # so grey is no ink: a thing lies on nearly all of it
                doubt[:, mine] = np.maximum((1 - LEAST_OWN) * np.abs(own) - TINT_LIMIT, 0)[:, None]
            elif most_alike:
                tints[:, mine] -= middle[:, None]
                doubt[:, mine] *= KNOWN_DOUBT
            else:
                doubt[:, mine] += GLOSS_TINT / 2
        return tints, doubt


_dark: WeakKeyDictionary[PaperView, DarkGround] = WeakKeyDictionary()


def dark_ground(paper: PaperView) -> DarkGround:
    """The dark ground of a pose, made once."""
    known = _dark.get(paper)
    if known is None:
        known = _dark[paper] = DarkGround.of(paper)
    return known


def covered_ground(paper: PaperView, ratio: npt.NDArray[np.float32], light: Light, under: Mask) -> Covered:
    """What hides the ground; `ratio`: `PaperView.ratios`; `under` (h, w): what lies under tokens that were found."""
    drawing = paper.drawing
    usable = drawing.usable & paper.inside
    blues, level, reds = cv2.split(ratio)
    blue = blues - level - light.tint(0, drawing.xs_mm, drawing.ys_mm)
    red = reds - level - light.tint(2, drawing.xs_mm, drawing.ys_mm)
    thin = usable[THIN]
    if np.count_nonzero(thin) < 8:
        none = np.zeros(level.shape, np.float32)
        return Covered(usable.copy(), np.zeros_like(usable), blue, red, usable, none, none, 0.0)
    bright = percentile_rows(level[THIN][thin][None], 85)[0][0]
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
    edge_limit = np.clip(7 * step_noise, EDGE_LIMIT * steeper, STEEPEST)
    strange_cells = usable & ((off > tint_limit) | (level < bright - DARK_LIMIT))
    hard = usable & (step > edge_limit) & ~strange_cells
    wrong = strange_cells | hard
    dark = dark_ground(paper)
    if len(dark.cells):
        # the same noise is a larger share of less light
        limit = np.clip(4 * tint_noise * dark.pale, TINT_LIMIT, 0.35) + guess
        smooth = dark.means([blue, level, red])
        tints = smooth[::2] - dark.wash[::2] + dark.wash[1]
        tints, room = dark.of_own_ink(tints, ~under.take(dark.cells))
        away = np.abs(tints) > room + limit
        strange = away[0] | away[1]
        paler = max(0.0, USUAL_CURVE - light.curve) * dark.depth
        beyond = smooth[1] - dark.wash[1] - bright
        strange |= beyond > dark.doubt[1] + DARK_SLACK + paler
        strange |= beyond < -DARKER * steeper
        # a thing of the ground's own colour has an edge; on black ground noise alone makes such
        least = np.maximum(7 * step_noise * dark.pale, EDGE_LIMIT * steeper)
        edge = ~strange & dark.wide & (least < STEEPEST) & (step.take(dark.cells) > least)
        hard.put(dark.cells, edge)
        wrong.put(dark.cells, strange | edge)
    return Covered(
        np.asarray(wrong, np.bool_),
        np.asarray(hard, np.bool_),
        blue,
        red,
        usable,
        np.asarray(step),
        np.asarray(bright - level, np.float32),
        step_noise,
    )
