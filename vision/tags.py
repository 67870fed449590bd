"""Tags in a picture: every quad of a dictionary, its corners to sub-pixel, and which of them may be a set's."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from math import dist

import cv2
import numpy as np

from vision.boardset import BoardSet
from vision.pose import Array, Image


@lru_cache(maxsize=16)
def _detector(dictionary: str, thorough: bool) -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_NONE
    parameters.perspectiveRemovePixelPerCell = 8
    parameters.perspectiveRemoveIgnoredMarginPerCell = 0.25  # rough corners spoil the cells' rims
    if not thorough:  # one adaptive window is a third of the work and finds nearly every tag
        parameters.adaptiveThreshWinSizeMin = parameters.adaptiveThreshWinSizeMax = 13
        parameters.minMarkerPerimeterRate = 0.05
    book = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    return cv2.aruco.ArucoDetector(book, parameters)


def refine(grey: Image, corners: Array) -> Array:
    """Corners (n * 4, 2) of tags to sub-pixel; the window follows each tag's size."""
    refined = np.asarray(corners, np.float32).copy()
    for index in range(0, len(refined), 4):
        quad = refined[index : index + 4]
        places = quad.tolist()
        cell = min(map(dist, places, places[1:] + places[:1])) / 8
        window = min(8, max(2, round(cell * 0.75)))
        right, down = grey.shape[1] - window - 3, grey.shape[0] - window - 3
        if all(window + 2 < x < right and window + 2 < y < down for x, y in places):
            spot = quad.reshape(-1, 1, 2).copy()
            cv2.cornerSubPix(
                grey, spot, (window, window), (-1, -1), (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 12, 0.02)
            )
            refined[index : index + 4] = spot.reshape(4, 2)
    return refined.astype(np.float64)


def detect(grey: Image, dictionary: str, thorough: bool) -> dict[int, list[Array]]:
    """Tags of a dictionary: id -> quads (4, 2), all of them, refined."""
    corners, ids, _ = _detector(dictionary, thorough).detectMarkers(grey)
    found: dict[int, list[Array]] = {}
    if ids is not None:
        for quad, tag in zip(corners, np.asarray(ids).reshape(-1), strict=True):
            found.setdefault(int(tag), []).append(refine(grey, np.asarray(quad).reshape(4, 2)))
    return found


def choices(found: dict[int, list[Array]], board_set: BoardSet) -> Iterable[dict[int, Array]]:
    """Every way to take one quad for each id, wrong sizes and crossed quads left out; 16 at most."""
    usable = {
        tag: [quad for quad in found[tag] if cv2.isContourConvex(quad.astype(np.float32).reshape(-1, 1, 2))]
        for tag in board_set.fiducials.ids
        if tag in found
    }
    sizes = [np.sqrt(abs(cv2.contourArea(quad.astype(np.float32)))) for quads in usable.values() for quad in quads]
    if not sizes:
        return
    middle = float(np.median(sizes))
    kept: dict[int, list[Array]] = {}  # the largest of each first, should there be too many to try all
    for tag, quads in usable.items():
        quads.sort(key=lambda quad: -abs(cv2.contourArea(quad.astype(np.float32))))
        good = [quad for quad in quads if 0.5 < np.sqrt(abs(cv2.contourArea(quad.astype(np.float32)))) / middle < 2]
        if good:
            kept[tag] = good
    for count, combination in enumerate(product(*kept.values())):
        if count >= 16:
            return
        yield dict(zip(kept, combination, strict=True))
