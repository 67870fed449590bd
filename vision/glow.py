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
