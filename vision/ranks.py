"""Percentiles and medians of small arrays; numpy's own spend more time on preparing than on sorting."""

from __future__ import annotations

import numpy as np

from vision.pose import Array


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
