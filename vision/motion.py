"""What changed between two pictures of one place, on a quarter-size copy; free of noise, gain and soft shadows."""

from __future__ import annotations

from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from vision.blobs import label_blobs
from vision.ranks import median_levels
from vision.registration import Image

SHRINK = 4
UNEVEN = 60.0
"""Grey levels by which a light twice as strong may miss being twice as strong somewhere."""
RELIT = 0.1
"""Logarithm by which the light must change everywhere to count as another light, and may miss a smooth change."""
OTHER_LIGHT = 4
"""Levels by which most of a picture differs from another in other light."""
LEAST_PX = 4
"""Differences are this large, in the small picture, or they are noise."""
Mask = npt.NDArray[np.bool_]
LOGS = np.log(np.arange(256, dtype=np.float32) + 8)


def halve(image: Image) -> Image:
    """A half-size copy of a picture; its pixel (u, v) covers the full one's 2u, 2u + 1 and 2v, 2v + 1."""
    height, width = image.shape[:2]
    if height % 2 or width % 2:
        image = image[: max(1, height // 2) * 2, : max(1, width // 2) * 2]  # even sizes are quicker by far
    size = (max(1, width // 2), max(1, height // 2))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def shrink(image: Image) -> Image:
    """A quarter-size copy of a BGR picture, lightly smoothed."""
    return shrink_half(halve(image))


def shrink_half(half: Image) -> Image:
    """The same from a half-size copy."""
    return np.asarray(cv2.blur(halve(half), (3, 3)), np.uint8)


def _middle(difference: Image) -> npt.NDArray[np.float64]:
    return median_levels(np.ascontiguousarray(difference[::5, ::3]))


def limits(difference: Image) -> npt.NDArray[np.float64]:
    """Levels (3,) from which a difference is more than noise: from its own spread, and each channel by itself.

    A camera that corrects warm light multiplies blue, and its noise.
    """
    return np.asarray(7.0 * np.maximum(1.0, _middle(difference)))


def strongest(difference: Image) -> Image:
    """The largest of the channels, (h, w)."""
    blue, green, red = cv2.split(difference)
    return cv2.max(cv2.max(blue, green), red)


def differs(now: Image, before: Image) -> bool:
    """The cheap question: did anything change at all?"""
    return Change(now, before).any


class Change:
    """What differs between two small pictures, asked for in several ways."""

    def __init__(self, now: Image, before: Image) -> None:
        self.now, self.before = now, before
        self._difference: Image = cv2.absdiff(now, before)

    @cached_property
    def _limits(self) -> npt.NDArray[np.float64]:
        return limits(self._difference)

    @cached_property
    def _over(self) -> Image:
        return _over(self._difference, self._limits)

    @cached_property
    def any(self) -> bool:
        """The cheap question: did anything change at all?"""
        peak = float(cv2.minMaxLoc(self._difference.reshape(self._difference.shape[0], -1))[1])
        if peak <= 7.0 or peak <= self._limits.min():
            return False
        return _any_blob_of(self._over)

    @cached_property
    def where(self) -> Mask:
        """(h, w), specks left out. A smooth change of the light doesn't count."""
        if self._limits.max() >= 7.0 * OTHER_LIGHT:
            lamp = relit(self.before, self.now)
            if lamp is not None:
                closer = cv2.absdiff(self.now, lamp)
                edges = limits(closer)
                if edges.max() < self._limits.max() / 2:
                    return _blobs_of(_over(closer, edges))
        mask = _blobs_of(self._over)
        if np.count_nonzero(mask) > 0.25 * mask.size:
            now, before = self.now, self.before
            gain = np.median(
                (now[::3, ::3].astype(np.float32) + 2) / (before[::3, ::3].astype(np.float32) + 2), axis=(0, 1)
            )
            difference = cv2.absdiff(now, np.clip(before * gain, 0, 255).astype(np.uint8))
            again = _blobs_of(_over(difference, limits(difference)))
            if np.count_nonzero(again) < np.count_nonzero(mask):
                mask = again
        return mask

    def any_in(self, where: Mask) -> bool:
        """Whether anything of that lies in `where` (h, w)."""
        over = self._over
        if cv2.countNonZero(over) <= 0.25 * over.size:  # no change of the light
            inside = cv2.bitwise_and(over, where.view(np.uint8))
            if cv2.countNonZero(inside) == 0:
                return False
            if cv2.minMaxLoc(cv2.boxFilter(inside, -1, (2, 2), normalize=False))[1] >= LEAST_PX:
                return True  # four in a square
        return bool((self.where & where).any())


def differs_in_any_light(now: Image, before: Image) -> bool:
    """The same, but a change of the light that came with it hides nothing; an uneven light itself may count."""
    difference = cv2.absdiff(now, before)
    if _middle(difference).max() < 2:
        return differs(now, before)
    ratio = (now[::3, ::3].astype(np.float32) + 2) / (before[::3, ::3].astype(np.float32) + 2)
    gain = np.median(ratio, axis=(0, 1))
    difference = cv2.absdiff(now, np.clip(before * gain, 0, 255).astype(np.uint8))
    edges = limits(difference) + UNEVEN * float(np.abs(gain - 1).max())
    return _any_blob_of(_over(difference, edges))


def _over(difference: Image, edges: npt.NDArray[np.float64]) -> Image:
    """1 where some channel is over its level, (h, w)."""
    high = [int(np.floor(edge)) for edge in edges]
    within = cv2.inRange(difference, (0, 0, 0), (high[0], high[1], high[2]))
    return np.asarray(cv2.threshold(within, 0, 1, cv2.THRESH_BINARY_INV)[1], np.uint8)


def _any_blob_of(over: Image) -> bool:
    """Whether `_blobs_of` would find any."""
    if cv2.countNonZero(over) < LEAST_PX:
        return False
    if cv2.minMaxLoc(cv2.boxFilter(over, -1, (2, 2), normalize=False))[1] >= LEAST_PX:
        return True  # four in a square
    return bool(_blobs_of(over).any())


def _blobs_of(over: Image) -> Mask:
    if cv2.countNonZero(over) < LEAST_PX:
        return np.zeros(over.shape, np.bool_)
    left, top, width, height = cv2.boundingRect(over)
    box = (slice(top, top + height), slice(left, left + width))
    labels, stats, _ = label_blobs(over[box])
    keep = stats[:, cv2.CC_STAT_AREA] >= LEAST_PX
    keep[0] = False
    mask = np.zeros(over.shape, np.bool_)
    mask[box] = keep[labels]
    return mask


def changed(now: Image, before: Image) -> Mask:
    """Where two small pictures differ, (h, w), specks left out. A smooth change of the light doesn't count."""
    return Change(now, before).where


def relit(before: Image, now: Image) -> Image | None:
    """The small picture `before` in the light of `now`, as far as that changed smoothly; None where it hardly did.

    A lamp at one side that goes on is such a change. What else changed pulls little: few of all places.
    """
    few = np.s_[2::5, 2::5]
    change = cv2.subtract(cv2.LUT(now[few], LOGS), cv2.LUT(before[few], LOGS)).reshape(-1, 3)
    if np.abs(np.median(change, axis=0)).max() < RELIT:
        return None
    height, width = before.shape[:2]
    y, x = (np.linspace(-1, 1, size, dtype=np.float32) for size in (height, width))
    down, across = np.meshgrid(y[2::5], x[2::5], indexing="ij")
    terms = np.column_stack([np.ones(down.size), across.ravel(), down.ravel(), (across * down).ravel()])
    terms = np.column_stack([terms, across.ravel() ** 2, down.ravel() ** 2])
    field = np.zeros((6, 3))
    field[0] = np.median(change, axis=0)
    for _ in range(5):
        off = np.abs(change - terms @ field).max(axis=1)
        heavy = terms / (1 + (off / RELIT) ** 2)[:, None]
        field = np.linalg.solve(heavy.T @ terms + 1e-6 * np.eye(6), heavy.T @ change)
    flat = field.astype(np.float32)
    gain = flat[0] + x[None, :, None] * flat[1] + y[:, None, None] * flat[2]
    gain = gain + (y[:, None] * x[None])[:, :, None] * flat[3] + (x * x)[None, :, None] * flat[4]
    gain += (y * y)[:, None, None] * flat[5]
    return np.asarray(np.clip((before + 8.0) * np.exp(gain) - 7.5, 0, 255), np.uint8)


def solid(now: Image, before: Image, where: Mask) -> Mask:
    """The part of `where` in which a thing came or went: more than shade, which is soft and keeps colours."""
    result = np.zeros(where.shape, np.bool_)
    if not where.any():
        return result
    left, top, width, height = cv2.boundingRect(where.astype(np.uint8))
    left, top = max(0, left - 1), max(0, top - 1)
    box = (slice(top, top + height + 2), slice(left, left + width + 2))  # and the neighbours, for the steps
    ratio = cv2.subtract(cv2.LUT(now[box], LOGS), cv2.LUT(before[box], LOGS))
    light = cv2.transform(ratio, np.full((1, 3), 1 / 3, np.float32))
    tint = strongest(cv2.absdiff(ratio, cv2.merge([light, light, light])))
    steps = cv2.magnitude(cv2.Sobel(light, cv2.CV_32F, 1, 0), cv2.Sobel(light, cv2.CV_32F, 0, 1))
    result[box] = where[box] & ((tint > 0.10) | (steps > 0.6))
    return result
