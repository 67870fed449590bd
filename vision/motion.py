"""What changed between two pictures of one place, on a quarter-size copy; free of noise, gain and soft shadows."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.registration import Image

SHRINK = 4
UNEVEN = 60.0
"""Grey levels by which a light twice as strong may miss being twice as strong somewhere."""
Mask = npt.NDArray[np.bool_]
LOGS = np.log(np.arange(256, dtype=np.float32) + 8)


def shrink(image: Image) -> Image:
    """A quarter-size copy of a BGR picture, lightly smoothed."""
    size = (max(1, image.shape[1] // SHRINK), max(1, image.shape[0] // SHRINK))
    return np.asarray(cv2.blur(cv2.resize(image, size, interpolation=cv2.INTER_AREA), (3, 3)), np.uint8)


def limits(difference: Image) -> npt.NDArray[np.float64]:
    """Levels (3,) from which a difference is more than noise: from its own spread, and each channel by itself.

    A camera that corrects warm light multiplies blue, and its noise.
    """
    return np.asarray(7.0 * np.maximum(1.0, np.median(difference[::5, ::3], axis=(0, 1))))


def strongest(difference: Image) -> Image:
    """The largest of the channels, (h, w)."""
    blue, green, red = cv2.split(difference)
    return cv2.max(cv2.max(blue, green), red)


def differs(now: Image, before: Image) -> bool:
    """The cheap question: did anything change at all?"""
    difference = cv2.absdiff(now, before)
    peak = float(cv2.minMaxLoc(difference.reshape(difference.shape[0], -1))[1])
    if peak <= 7.0:
        return False
    edges = limits(difference)
    if peak <= edges.min():
        return False
    return bool(_blobs(difference, edges).any())


def differs_in_any_light(now: Image, before: Image) -> bool:
    """The same, but a change of the light that came with it hides nothing; an uneven light itself may count."""
    difference = cv2.absdiff(now, before)
    if np.median(difference[::5, ::3], axis=(0, 1)).max() < 2:
        return differs(now, before)
    ratio = (now[::3, ::3].astype(np.float32) + 2) / (before[::3, ::3].astype(np.float32) + 2)
    gain = np.median(ratio, axis=(0, 1))
    difference = cv2.absdiff(now, np.clip(before * gain, 0, 255).astype(np.uint8))
    edges = limits(difference) + UNEVEN * float(np.abs(gain - 1).max())
    return bool(_blobs(difference, edges).any())


def _blobs(difference: Image, edges: npt.NDArray[np.float64], least_px: int = 4) -> Mask:
    over = np.zeros(difference.shape[:2], np.uint8)
    for channel, edge in zip(cv2.split(difference), edges, strict=True):
        over = np.asarray(cv2.max(over, cv2.threshold(channel, float(edge), 1, cv2.THRESH_BINARY)[1]), np.uint8)
    if cv2.countNonZero(over) < least_px:
        return np.zeros(over.shape, np.bool_)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(over, connectivity=8)
    keep = stats[:, cv2.CC_STAT_AREA] >= least_px
    keep[0] = False
    return np.asarray(keep[labels] if count > 1 else over > 1, np.bool_)


def changed(now: Image, before: Image) -> Mask:
    """Where two small pictures differ, (h, w), specks left out. A change of the light's strength doesn't count."""
    difference = cv2.absdiff(now, before)
    mask = _blobs(difference, limits(difference))
    if np.count_nonzero(mask) > 0.25 * mask.size:
        gain = np.median(
            (now[::3, ::3].astype(np.float32) + 2) / (before[::3, ::3].astype(np.float32) + 2), axis=(0, 1)
        )
        fitted = np.clip(before * gain, 0, 255).astype(np.uint8)
        difference = cv2.absdiff(now, fitted)
        again = _blobs(difference, limits(difference))
        if np.count_nonzero(again) < np.count_nonzero(mask):
            mask = again
    return mask


def solid(now: Image, before: Image, where: Mask) -> Mask:
    """The part of `where` in which a thing came or went: more than shade, which darkens softly and keeps colours."""
    ratio = LOGS[now] - LOGS[before]
    light = cv2.transform(ratio, np.full((1, 3), 1 / 3, np.float32))
    tint = strongest(cv2.absdiff(ratio, cv2.merge([light, light, light])))
    steps = np.hypot(cv2.Sobel(light, cv2.CV_32F, 1, 0), cv2.Sobel(light, cv2.CV_32F, 0, 1)) / 8
    return where & ((light > 0.08) | (tint > 0.10) | (steps > 0.075))
