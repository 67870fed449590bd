"""Pictures made worse in the ways that rooms and cameras make them worse. Each spoiler is pure: same in, same out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.registration import Image, Registration, tag_corners_mm

Floats = npt.NDArray[np.float32]
Spoiler = Callable[[Image, int, Registration], Image]
"""Picture (h, w, 3), which picture of the series it is, where the sheet lies in it -> the worse picture."""

SHADOW = 0.5
"""What a cast shadow leaves of the light."""


@dataclass(frozen=True)
class Stress:
    """One way to be worse. `honest`: so bad that "I can't see" is no loss; `steps`: pictures made of each one."""

    name: str
    spoil: Spoiler
    honest: bool = False
    steps: int = 1


def _clip(values: npt.NDArray[Any]) -> Image:
    return np.clip(values + 0.5, 0, 255).astype(np.uint8)


def gain(factor: float) -> Spoiler:
    """More or less light, or exposure."""
    table = _clip(np.arange(256) * factor)
    return lambda image, _index, _where: np.asarray(cv2.LUT(image, table), np.uint8)


def gamma(power: float) -> Spoiler:
    """Another tone curve."""
    table = _clip(255 * (np.arange(256) / 255) ** power)
    return lambda image, _index, _where: np.asarray(cv2.LUT(image, table), np.uint8)


def channels(by: float) -> Spoiler:
    """Warm, cool and greenish light: each channel up or down, another mix for each picture."""
    mixes = [[1 + by * sign for sign in signs] for signs in ((1, 0, -1), (-1, 0, 1), (1, -1, 1), (-1, 1, -1))]
    return lambda image, index, _where: _clip(image * np.array(mixes[index % len(mixes)], np.float32))


def _plane(image: Image, angle: float) -> Floats:
    """-1 to 1 across the picture in this direction, (h, w)."""
    height, width = image.shape[:2]
    x = np.linspace(-1, 1, width, dtype=np.float32)[None, :] * np.float32(np.cos(angle))
    y = np.linspace(-1, 1, height, dtype=np.float32)[:, None] * np.float32(np.sin(angle))
    return np.asarray((x + y) / np.float32(abs(np.cos(angle)) + abs(np.sin(angle))), np.float32)


def gradient(ratio: float) -> Spoiler:
    """Light from one side, `ratio` times as much on the near side; another side for each picture."""

    def spoil(image: Image, index: int, _where: Registration) -> Image:
        across = _plane(image, index * 2.4)
        bright = 2 * ratio / (ratio + 1)
        return _clip(image * (bright * (1 - (across + 1) / 2 * (1 - 1 / ratio)))[:, :, None])

    return spoil


def shadow(steps: int) -> Spoiler:
    """A cast shadow with a hard edge that moves over the sheet within `steps` pictures; another way for each series."""

    def spoil(image: Image, index: int, where: Registration) -> Image:
        series, step = divmod(index, steps)
        width, height = where.board_set.sheet_mm
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
        along = _plane(image, series * 2.4 + 0.3)
        columns, rows = np.clip(np.round(where.pose.project(corners)), 0, [image.shape[1] - 1, image.shape[0] - 1]).T
        reach = along[rows.astype(int), columns.astype(int)]
        edge = float(reach.min() + (reach.max() - reach.min()) * (step + 0.5) / steps)
        soft = 4 / image.shape[1]  # an edge some pixels wide
        cover = np.clip((edge - along) / soft + 0.5, 0, 1)
        return _clip(image * (1 - (1 - SHADOW) * cover)[:, :, None])

    return spoil


def noise(sigma: float) -> Spoiler:
    """A sensor's noise in the dark."""

    def spoil(image: Image, index: int, _where: Registration) -> Image:
        grain = np.random.default_rng(index).standard_normal(image.shape, np.float32)
        return _clip(image + np.float32(sigma) * grain)

    return spoil


def blur(sigma: float) -> Spoiler:
    """Out of focus."""
    return lambda image, _index, _where: np.asarray(cv2.GaussianBlur(image, (0, 0), sigma), np.uint8)


def jpeg(quality: int) -> Spoiler:
    """Hard compression."""

    def spoil(image: Image, _index: int, _where: Registration) -> Image:
        packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)

    return spoil


def size(width: int, height: int) -> Spoiler:
    """A camera with fewer pixels. For a narrower picture the sheet stays in it, as a camera is hung."""

    def spoil(image: Image, _index: int, where: Registration) -> Image:
        full_height, full_width = image.shape[:2]
        if width / height < full_width / full_height - 0.01:
            kept = round(full_height * width / height)
            sheet = where.board_set.sheet_mm
            middle = float(where.pose.project(np.array([[sheet[0] / 2, sheet[1] / 2]]))[0, 0])
            left = int(np.clip(round(middle - kept / 2), 0, full_width - kept))
            image = image[:, left : left + kept]
        return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)

    return spoil


def covered_tag(image: Image, index: int, where: Registration) -> Image:
    """A coaster on one tag, another one for each picture."""
    ids = where.board_set.fiducials.ids
    corners = where.pose.project(tag_corners_mm(where.board_set, ids[index % len(ids)]))
    middle = corners.mean(axis=0)
    radius = float(np.linalg.norm(corners - middle, axis=1).max()) * 1.05
    covered = image.copy()
    shift = 4  # fractions of a pixel
    centre = tuple(round(float(value) * 2**shift) for value in middle)
    cv2.circle(covered, (centre[0], centre[1]), int(radius * 2**shift), (92, 118, 140), -1, cv2.LINE_AA, shift)
    return covered


_SHADOW_STEPS = 6
STRESSES: tuple[Stress, ...] = (
    Stress("gain 0.5", gain(0.5)),
    Stress("gain 0.75", gain(0.75)),
    Stress("gain 1.5", gain(1.5)),
    Stress("channels +-15 %", channels(0.15)),
    Stress("gamma 0.7", gamma(0.7)),
    Stress("gamma 1.4", gamma(1.4)),
    Stress("gradient 2:1", gradient(2.0)),
    Stress("moving shadow edge", shadow(_SHADOW_STEPS), steps=_SHADOW_STEPS),
    Stress("noise sigma 12", noise(12)),
    Stress("blur sigma 1.2", blur(1.2)),
    Stress("JPEG 50", jpeg(50)),
    Stress("960x540", size(960, 540)),
    Stress("a covered tag", covered_tag),
    Stress("640x480", size(640, 480), honest=True),
    Stress("blur sigma 2", blur(2.0), honest=True),
)
