"""Whether there is light to see by: too dark, too bright, blurred."""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np

from vision.registration import Image

LightFault = Literal["too_dark", "too_bright", "blurred"]


def brightness(small: Image) -> float:
    """Mean grey level, 0 to 1, of a small picture (h, w, 3)."""
    return float(np.mean(cv2.mean(small)[: small.shape[2]])) / 255


def fault(grey: Image) -> LightFault | None:
    """Why no board can be seen in a grey picture, if light or focus is the reason; None where neither is."""
    low, middle, high = (float(value) for value in np.percentile(grey[::4, ::4], [5, 50, 99]))
    if high < 40:
        return "too_dark"
    if middle >= 250 and low > 200:
        return "too_bright"
    if high - low < 25:
        return "too_dark" if high < 90 else "blurred"
    # a sharp picture has edges one or two pixels wide; in a blurred one, blurring a little more changes nothing
    softer = cv2.blur(grey, (5, 5))
    fine = float(np.percentile(cv2.absdiff(grey, softer)[::2, ::2], 99.5))
    return "blurred" if fine < 0.05 * (high - low) else None
