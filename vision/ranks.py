"""Percentiles and medians of small arrays; numpy's own spend more time on preparing than on sorting."""

from __future__ import annotations

import cv2
import numpy as np

from vision.pose import Array, Image

FEW = 100
"""Of so many values all are put in order; of more only those that are asked for are put in their places."""


def _ranked(values: Array, places: set[int]) -> Array:
    """Values (n, k) or (n, k, c), along axis 1 in order, or at least those at these places."""
    return np.sort(values, axis=1) if values.shape[1] < FEW else np.partition(values, sorted(places), axis=1)


def percentile_rows(values: Array, *shares: float) -> list[Array]:
    """For each share, 0 to 100, that percentile of each row of (n, k): (n,). As `np.percentile` along axis 1."""
    last = values.shape[1] - 1
    lows = [int(last * share / 100) for share in shares]
    ranked = _ranked(values, {place for low in lows for place in (low, min(low + 1, last))})
    found = []
    for share, low in zip(shares, lows, strict=True):
        place = last * share / 100
        below, above = ranked[:, low], ranked[:, min(low + 1, last)]
        found.append(below + (above - below) * (place - low))
    return found


def median_rows(values: Array) -> Array:
    """The median of each row of (n, k), or along axis 1 of (n, k, c)."""
    middle = values.shape[1] // 2
    ranked = _ranked(values, {max(0, middle - 1), middle})
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
