"""Our own lights in the picture: where they may shine, nothing that changes is news, and no tint is a thing.

Lights blink by themselves, many times during one Scene. So the places they may reach are left out of the search for
movement, of the reading of the light, and of the search for things that hide the ground; tokens are named there as
anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

import cv2
import numpy as np
import numpy.typing as npt

from vision import motion
from vision.boardset import Point
from vision.motion import Mask
from vision.paper import CELL_MM, PaperView
from vision.registration import Image, Registration
from vision.tokens import Found

Area = tuple[Point, ...]
"""A polygon on the sheet or beside it, in sheet millimetres."""
NEUTRAL = 128
SAME_MM = 6.0
"""A token found so near to where one stood is that one."""
WORSE = 0.05
"""Seen so much less well than a moment ago, it is the light that changed."""
ALIKE = 0.85
"""Between a token in one light and in another the edges correlate by 0.95; with what else may stand there, mostly by
less than 0.7."""
BLOWN = 250
TOLD = 0.4
"""Where less than this share of a token can be compared, nothing is told by it."""


@dataclass(frozen=True)
class Lit:
    """Where lights may shine: `small` (h, w) in the small picture, `cells` (h, w) of the grid; `sites`: on any site."""

    areas: tuple[Area, ...]
    registration: Registration
    small: Mask
    cells: Mask
    sites: bool

    @classmethod
    def of(cls, areas: Sequence[Area], paper: PaperView) -> Lit:
        """The masks of these areas as the sheet lies now."""
        registration = paper.registration
        width, height = registration.size_px
        small = np.zeros((height // motion.SHRINK, width // motion.SHRINK), np.uint8)
        cells = np.zeros(paper.drawing.usable.shape, np.uint8)
        for area in areas:
            corners = np.array(area, np.float64)
            seen = registration.pose.project(corners) / motion.SHRINK
            cv2.fillPoly(small, [np.round(seen * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
            cv2.fillPoly(cells, [np.round((corners / CELL_MM - 0.5) * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
        small = np.asarray(cv2.dilate(small, np.ones((3, 3), np.uint8)), np.uint8)  # the small picture is smoothed
        on = cells > 0
        return cls(tuple(areas), registration, small > 0, on, bool((on & (paper.drawing.labels >= 0)).any()))

    def covers(self, point_mm: Point) -> bool:
        """Whether a point of the sheet lies in the light."""
        column, row = int(point_mm[0] / CELL_MM), int(point_mm[1] / CELL_MM)
        inside = 0 <= row < self.cells.shape[0] and 0 <= column < self.cells.shape[1]
        return inside and bool(self.cells[row, column])

    def kept(self, found: Sequence[Found], before: Sequence[Found]) -> list[Found]:
        """What was found, and what stood in the light a moment ago: coloured light changes what a token looks like.

        Only for when no hand was there since: a token that nobody took away is still there, and still the same.
        """
        now = list(found)
        for token in before:
            if not self.covers(token.centre_mm):
                continue
            x, y = token.centre_mm
            here = [one for one in now if hypot(one.centre_mm[0] - x, one.centre_mm[1] - y) < SAME_MM]
            if not any(one.kind == token.kind and one.score > token.score - WORSE for one in here):
                now = [*(one for one in now if one not in here), token]
        return now

    def hush(self, small: Image) -> None:
        """Leave the lit places out of a quarter-size picture, in place."""
        small[self.small] = NEUTRAL


def unmoved(
    tokens: Sequence[Found], then: tuple[Image, Registration] | None, half: Image, now: Registration
) -> list[Found]:
    """Those of these tokens whose places still look as they did `then`, but for the light.

    Our own lights are slow slopes over a token: what they multiply goes with the slopes of the picture's logarithm, and
    the edges remain. `then` and `half` (h, w, 3), `now`: half-size pictures and where the sheet lay in them.
    """
    if then is None or not tokens:
        return []
    before, lay = then
    size_mm, height_mm = lay.board_set.tokens.size_mm, lay.board_set.tokens.height_mm
    at_mm = np.array([token.centre_mm for token in tokens], np.float64)
    old_px, new_px = lay.pose.project(at_mm, height_mm) / 2, now.pose.project(at_mm, height_mm) / 2
    aside_px = lay.pose.project(at_mm + np.array([size_mm, 0.0]), height_mm) / 2 - old_px
    sides = np.round(np.hypot(aside_px[:, 0], aside_px[:, 1]) * 1.1).astype(int) | 1
    pairs = zip(tokens, old_px, new_px, sides, strict=True)
    return [token for token, old, new, side in pairs if _alike(_patch(before, old, side), _patch(half, new, side))]


def _patch(half: Image, centre_px: npt.NDArray[np.float64], side: int) -> Image:
    x, y = map(float, centre_px)
    return np.asarray(cv2.getRectSubPix(half, (int(side), int(side)), (x, y)), np.uint8)


def _alike(one: Image, other: Image) -> bool:
    told = (one < BLOWN).all(axis=2) & (other < BLOWN).all(axis=2)
    if told.mean() < TOLD:
        return True
    first, second = (_edges(patch)[told].ravel() for patch in (one, other))
    power = float(np.sqrt(first @ first * (second @ second)))
    return power <= 0 or float(first @ second) >= ALIKE * power


def _edges(patch: Image) -> npt.NDArray[np.float32]:
    told = np.log(patch.astype(np.float32) + 8)  # + 8: noise in the dark is no edge
    return np.asarray(told - cv2.GaussianBlur(told, (0, 0), len(patch) * 0.15), np.float32)


def relight(before: Lit | None, now: Lit | None, kept: Sequence[Image | None], small: Image) -> None:
    """The lit places have changed: `kept` pictures (in place) show, where it has grown dark, what is there now."""
    dark = None if before is None else before.small & ~now.small if now is not None else before.small
    for picture in kept:
        if picture is None:
            continue
        if dark is not None and dark.shape == picture.shape[:2]:
            picture[dark] = small[dark]
        if now is not None:
            now.hush(picture)
