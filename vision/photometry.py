"""Whether there is light to see by: too dark, too bright, blurred."""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np

from vision.registration import Image

LightFault = Literal["too_dark", "too_bright", "blurred"]

# Grey levels of a picture in which no board was found: so much of it (in percent) is no brighter.
_LOW, _MIDDLE, _HIGH = 5, 50, 99
DARK, DIM = 40, 90
"""Where nearly all is below DARK, it is dark; a picture without contrast is dark below DIM, else out of focus."""
BURNT_MIDDLE, BURNT_LOW = 250, 200
"""Half of it is white, and even its darkest parts are nearly so: blown out."""
CONTRAST = 25
"""Less between dark and bright is no picture of a printed sheet."""
FINE_SHARE = 0.05
"""Of the contrast: what a little blur takes away of the sharpest edges, in a picture that is in focus."""


def brightness(small: Image) -> float:
    """Mean grey level, 0 to 1, of a small picture (h, w, 3)."""
    return float(np.mean(cv2.mean(small)[: small.shape[2]])) / 255


def fault(grey: Image) -> LightFault | None:
    """Why no board can be seen in a grey picture, if light or focus is the reason; None where neither is."""
    low, middle, high = (float(value) for value in np.percentile(grey[::4, ::4], [_LOW, _MIDDLE, _HIGH]))
    if high < DARK:
        return "too_dark"
    if middle >= BURNT_MIDDLE and low > BURNT_LOW:
        return "too_bright"
    if high - low < CONTRAST:
        return "too_dark" if high < DIM else "blurred"
    # a sharp picture has edges one or two pixels wide; in a blurred one, blurring a little more changes nothing
    softer = cv2.blur(grey, (5, 5))
    fine = float(np.percentile(cv2.absdiff(grey, softer)[::2, ::2], 99.5))
    return "blurred" if fine < FINE_SHARE * (high - low) else None
