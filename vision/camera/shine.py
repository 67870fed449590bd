"""Light of LEDs on the pretend table: it tints paper and tokens near each LED, and shines in the camera itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera.frame import Image
from vision.camera.optics import Array, Optics


@dataclass(frozen=True)
class Spot:
    """One LED's light on the table. `rgb`: what it adds at its middle, linear, 1 = as much as a good room's light.

    `reach_mm`: where a seventh of that is left.
    """

    x_mm: float
    y_mm: float
    reach_mm: float
    rgb: tuple[float, float, float]


def shine(image: Image, optics: Optics, spots: Sequence[Spot], gain: float = 1.0) -> Image:
    """The picture with these LEDs lit too; `gain`: the room's own light, 1 = a good room. The picture itself stays."""
    if not spots:
        return image
    image = image.copy()
    for spot in spots:
        part, brighter = _light(optics, spot, max(gain, 0.02))
        if brighter.size:
            image[part] = cv2.multiply(image[part], brighter, dtype=cv2.CV_8U)
    return image


@lru_cache(maxsize=32)
def _light(optics: Optics, spot: Spot, gain: float) -> tuple[tuple[slice, slice], npt.NDArray[np.float32]]:
    """The part of the picture that a spot reaches, and by what it multiplies that. Kept: most lights stay a while."""
    reach = spot.reach_mm
    around = np.array([(spot.x_mm, spot.y_mm), (spot.x_mm + reach, spot.y_mm), (spot.x_mm, spot.y_mm + reach)])
    middle, right, down = optics.project(around, 0.0)
    axes = np.column_stack([right - middle, down - middle])  # pixels a reach
    span = 2.5 * np.abs(axes).sum(axis=1)
    low = np.maximum(np.floor(middle - span).astype(int), 0)
    high = np.minimum(np.ceil(middle + span).astype(int), optics.size_px)
    part = slice(int(low[1]), int(high[1])), slice(int(low[0]), int(high[0]))
    if (high - low <= 0).any() or abs(np.linalg.det(axes)) < 1e-6:
        return part, np.zeros((0, 0, 3), np.float32)
    inverse: Array = np.linalg.inv(axes)
    x = np.arange(low[0], high[0]) + 0.5 - middle[0]
    y = np.arange(low[1], high[1]) + 0.5 - middle[1]
    across = inverse[0, 0] * x[None, :] + inverse[0, 1] * y[:, None]
    along = inverse[1, 0] * x[None, :] + inverse[1, 1] * y[:, None]
    share = np.exp(-2 * (across**2 + along**2)).astype(np.float32) / np.float32(gain)
    blue_green_red = np.array(spot.rgb[::-1], np.float32)
    return part, np.asarray((1 + share[..., None] * blue_green_red) ** np.float32(1 / 2.2), np.float32)
