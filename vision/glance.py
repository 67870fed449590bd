"""A quick look for known tags: dark blobs of about a tag's shape, compared with the bits that are looked for.

Far less work than a search for every tag of a dictionary, but a tag in poor light, or small, or half covered, is easily
missed: only a board of which three tags are found in their places may be believed without a second look.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.artwork import tag_bits
from vision.blobs import label_blobs
from vision.pose import NO_MAP, Array, Image

SMALLEST_PX, LARGEST_PX = 9, 120
"""Sides of a tag in the half-size picture."""
WINDOW_PX, DARKER = 15, 10
"""The black border of a tag is darker than what is round it within this many pixels, by this many grey levels."""
SLIMMEST = 0.45
"""Of a tag seen from the side."""
FULL = 0.8
"""A blob's four corners span so much of its hull."""
ALIKE = 0.75
"""Correlation of cells with bits from which on it is that tag."""
MOST = 80


@lru_cache(maxsize=16)
def _turned_bits(dictionary: str, tags: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """(cells * cells, tags * 4): unit columns, each tag turned by 0 to 3 quarters."""
    columns = []
    for tag in tags:
        for quarter in range(4):
            bits = np.rot90(tag_bits(dictionary, tag), quarter).ravel().astype(np.float32)
            bits -= bits.mean()
            columns.append(bits / np.linalg.norm(bits))
    return np.ascontiguousarray(np.array(columns).T)


def _quads(half: Image) -> list[Array]:
    """Dark quadrangles (4, 2) of the half-size picture, clockwise."""
    mean = cv2.blur(half, (WINDOW_PX, WINDOW_PX))
    mask = cv2.threshold(cv2.subtract(mean, half), DARKER, 255, cv2.THRESH_BINARY)[1]
    labels, stats, _ = label_blobs(np.asarray(mask, np.uint8))
    width, height = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    short, long = np.minimum(width, height), np.maximum(width, height)
    good = (short >= SMALLEST_PX) & (long <= LARGEST_PX) & (short > SLIMMEST * long)
    # black cells fill half of a tag, corner to corner; tokens' outlines are thinner
    good &= stats[:, cv2.CC_STAT_AREA] > 0.2 * width * height
    good[0] = False
    chosen = np.flatnonzero(good)
    quads = []
    for index in chosen[np.argsort(-stats[chosen, cv2.CC_STAT_AREA], kind="stable")][:MOST]:
        left, top, wide, high, _ = (int(value) for value in stats[index])
        own = (labels[top : top + high, left : left + wide] == index).astype(np.uint8)
        contours, _ = cv2.findContours(own, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE, offset=(left, top))
        quad = _quad(contours[0])
        if quad is not None:
            quads.append(quad)
    return quads


def _quad(contour: Array) -> Array | None:
    hull = cv2.convexHull(contour, clockwise=False)
    corners = cv2.approxPolyDP(hull, 0.06 * cv2.arcLength(hull, True), True).reshape(-1, 2).astype(np.float32)
    if len(corners) != 4:
        return None
    area = cv2.contourArea(corners)
    if area < FULL * cv2.contourArea(hull) or area < SMALLEST_PX**2 * SLIMMEST:
        return None
    middle = corners.mean(axis=0)
    reach = corners - middle  # the outline runs inside the dark: a little more of it is dark, too
    corners = corners + 0.3 * reach / np.maximum(np.linalg.norm(reach, axis=1, keepdims=True), 1e-6)
    return np.asarray(corners if cv2.contourArea(corners, True) > 0 else corners[::-1])


def glance(grey: Image, dictionary: str, tags: Sequence[int]) -> dict[int, list[Array]]:
    """Those of the `tags` that are plainly seen: id -> quads (4, 2) of the grey picture, clockwise from the top left,
    to about a pixel.
    """
    half = cv2.resize(grey, (grey.shape[1] // 2, grey.shape[0] // 2), interpolation=cv2.INTER_AREA)
    quads = _quads(np.asarray(half))
    found: dict[int, list[Array]] = {}
    if not quads or not tags:
        return found
    full = [quad * 2 + 0.5 for quad in quads]
    book = _turned_bits(dictionary, tuple(tags))
    cells = round(len(book) ** 0.5)
    steps = (np.arange(cells, dtype=np.float32) + 0.5) / cells
    grid = np.stack(np.meshgrid(steps, steps), axis=2).reshape(-1, 1, 2)
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    places = [cv2.perspectiveTransform(grid, cv2.getPerspectiveTransform(square, quad)) for quad in full]
    maps = np.concatenate(places, axis=1).transpose(1, 0, 2)
    levels = cv2.remap(grey, np.ascontiguousarray(maps), NO_MAP, cv2.INTER_LINEAR).astype(np.float32)
    levels -= levels.mean(axis=1, keepdims=True)
    levels /= np.maximum(np.linalg.norm(levels, axis=1, keepdims=True), 1e-6)
    alike = levels @ book
    for quad, scores in zip(full, alike, strict=True):
        best = int(np.argmax(scores))
        if scores[best] >= ALIKE:
            tag, quarter = tags[best // 4], best % 4
            found.setdefault(tag, []).append(np.roll(quad, quarter, axis=0).astype(np.float64))
    return found
