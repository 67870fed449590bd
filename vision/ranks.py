"""Percentiles and medians of small arrays; numpy's own spend more time on preparing than on sorting."""

from __future__ import annotations

import cv2
import numpy as np

from vision.pose import Array, Image


def percentile_rows(values: Array, *shares: float) -> list[Array]:
    """For each share, 0 to 100, that percentile of each row of (n, k): (n,). As `np.percentile` along axis 1."""
    ranked = np.sort(values, axis=1)
    last = ranked.shape[1] - 1
    found = []
    for share in shares:
        place = last * share / 100
        low = int(place)
        below, above = ranked[:, low], ranked[:, min(low + 1, last)]
        found.append(below + (above - below) * (place - low))
    return found


def median_rows(values: Array) -> Array:
    """The median of each row of (n, k), or along axis 1 of (n, k, c)."""
    ranked = np.sort(values, axis=1)
    middle = ranked.shape[1] // 2
    return np.asarray(ranked[:, middle] if ranked.shape[1] % 2 else (ranked[:, middle - 1] + ranked[:, middle]) / 2)


def median_levels(picture: Image) -> Array:
    """The median of each channel of (h, w, 3) levels: (3,). As `np.median` over rows and columns, by counting."""
    count = picture.shape[0] * picture.shape[1]
    middles = np.empty(3)
    for channel in range(3):
        upto = np.cumsum(cv2.calcHist([picture], [channel], None, [256], [0, 256]).ravel())
        low, high = np.searchsorted(upto, [(count - 1) // 2, count // 2], side="right")
        middles[channel] = (low + high) / 2
    return middles
