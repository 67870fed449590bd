"""The shade that tokens themselves cast: beside nearly all of them there is the same at the same place."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.blobs import label_blobs
from vision.boardset import Point, Tokens
from vision.paper import CELL_MM, Mask

LONGEST = 2.0
"""So many times a token's height its shade may reach: the light stands 27 degrees above the table."""
FEWEST, SAME = 3, 0.6
"""Beside so many tokens, and so large a share of all beside which it is seen, a place must look as strange."""
LEAST_MM2 = 36.0
"""Less strange ground than this hides nothing, and needs no reason."""
MOST_OF_IT = 0.7
"""Share of a blob that must be shade: fingers at a token lie in it, too, and go on beyond, as unread tokens do."""


def cast_shade(strange: Mask, seen: Mask, centres_mm: Sequence[Point], tokens: Tokens, reach_mm: float) -> Mask | None:
    """Cells (h, w) of the `strange` ground that tokens at `centres_mm` shade; None without any.

    `seen` (h, w): cells whose ground can be told, `strange` ones among them, none within `reach_mm` of a token.
    A light's shade falls to one side of every token, of two lights to two; hands and things lie at one token or a few.
    """
    if len(centres_mm) < FEWEST or not _hides(strange):
        return None
    far_mm = tokens.size_mm / 2 + LONGEST * tokens.height_mm
    down, across = _around(reach_mm, far_mm)
    pad = int(far_mm / CELL_MM) + 2
    near = cv2.dilate(strange.view(np.uint8), np.ones((3, 3), np.uint8))
    told = np.pad(seen.view(np.uint8) * (1 + 4 * near), pad)  # 5 where strange, 1 where not, 0 where that can't be told
    columns, rows = np.round(np.asarray(centres_mm, np.float64) / CELL_MM - 0.5).astype(np.intp).T + pad
    fits = (rows >= pad) & (rows < told.shape[0] - pad) & (columns >= pad) & (columns < told.shape[1] - pad)
    at = (rows[fits] * told.shape[1] + columns[fits])[:, None] + (down * told.shape[1] + across)
    around = told.ravel().take(at)
    alike, count = np.count_nonzero(around == 5, axis=0), np.count_nonzero(around, axis=0)
    common = alike >= np.maximum(FEWEST, SAME * count)
    if not common.any():
        return None
    shade = np.zeros(told.shape, np.uint8)
    shade.ravel()[at[:, common]] = 1
    inner = cv2.dilate(shade, np.ones((3, 3), np.uint8))[pad:-pad, pad:-pad] > 0
    labels, stats, _ = label_blobs(strange)
    explained = np.bincount(labels[strange & inner].ravel(), minlength=len(stats))
    mostly = explained >= MOST_OF_IT * stats[:, cv2.CC_STAT_AREA]
    mostly[0] = False
    return np.asarray(mostly[labels] & inner, np.bool_)


def _hides(strange: Mask) -> bool:
    """Whether there is more of it in one place than specks."""
    tidy = np.asarray(cv2.morphologyEx(strange.view(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)
    if cv2.countNonZero(tidy) * CELL_MM**2 < LEAST_MM2:
        return False
    return bool(label_blobs(tidy)[1][1:, cv2.CC_STAT_AREA].max() * CELL_MM**2 >= LEAST_MM2)


@lru_cache(maxsize=8)
def _around(near_mm: float, far_mm: float) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Steps down and across, in cells, to all that lies between two distances."""
    reach = int(far_mm / CELL_MM)
    down, across = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    away_mm = np.hypot(down, across) * CELL_MM
    ring = (away_mm > near_mm - CELL_MM) & (away_mm <= far_mm)
    return down[ring].astype(np.intp), across[ring].astype(np.intp)
