"""Pictures made worse in the ways that rooms and cameras make them worse. Each spoiler is pure: same in, same out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from calibration.lightmaps import lit_areas
from firmware_bridge.lightmap import LightMap
from firmware_bridge.scene import Hue, Light, Scene
from vision.boardset import Site
from vision.glow import Area
from vision.registration import Image, Registration, tag_corners_mm

Floats = npt.NDArray[np.float32]
Spoiler = Callable[[Image, int, Registration], Image]
"""Picture (h, w, 3), which picture of the series it is, where the sheet lies in it -> the worse picture."""

Glowing = Callable[[int, Registration], tuple[Area, ...]]
"""The same for where our own lights may shine in it."""

SHADOW = 0.5
"""What a cast shadow leaves of the light."""
LED, LED_REACH_MM = 0.4, 25.0
"""What an LED adds to paper at its middle, in shares of the room's light, and where a seventh of that is left."""
HUES = {Hue.WHITE: (1.0, 1.0, 1.0), Hue.BLUE: (1.0, 0.3, 0.05), Hue.AMBER: (0.05, 0.5, 1.0)}
"""BGR, linear."""
SOFTNESS = 2.2
"""Exponent by which a camera's levels grow slower than the light."""


@dataclass(frozen=True)
class Stress:
    """One way to be worse. `honest`: so bad that "I can't see" is no loss; `steps`: pictures made of each one.

    `glow`: where the eyes are told that our own lights may shine.
    """

    name: str
    spoil: Spoiler
    honest: bool = False
    steps: int = 1
    glow: Glowing | None = None


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


def vignetting(corners: float) -> Spoiler:
    """A lens that leaves so much of the light in the picture's corners."""

    def spoil(image: Image, _index: int, _where: Registration) -> Image:
        away2 = (_plane(image, 0.0) ** 2 + _plane(image, np.pi / 2) ** 2) / 2
        return _clip(image * (1 - (1 - corners) * away2)[:, :, None])

    return spoil


def mixed_light(by: float) -> Spoiler:
    """A warm lamp on one side and a cool window on the other; other sides for each picture."""

    def spoil(image: Image, index: int, _where: Registration) -> Image:
        across = _plane(image, index * 2.4 + 1.0)[:, :, None]
        return _clip(image * (1 + by * across * np.array([1, 0, -1], np.float32)))

    return spoil


def drift(least: float, most: float, steps: int) -> Spoiler:
    """A camera that changes its exposure step by step; up for one series, down for the next."""

    def spoil(image: Image, index: int, where: Registration) -> Image:
        series, step = divmod(index, steps)
        share = (step if series % 2 else steps - 1 - step) / (steps - 1)
        return gain(least + (most - least) * share)(image, index, where)

    return spoil


def lamp(image: Image, index: int, _where: Registration) -> Image:
    """A dim room in which a warm lamp at one side is switched on: two pictures of each."""
    series, lit = divmod(index, 2)
    room = image * np.array([0.66, 0.6, 0.54], np.float32)
    if not lit:
        return _clip(room)
    near = (1 - _plane(image, series * 2.4 + 0.7)) / 2
    return _clip(room + image * (0.2 + 0.5 * near[:, :, None]) * np.array([0.55, 0.8, 1.0], np.float32))


def glare(image: Image, index: int, where: Registration) -> Image:
    """A lamp mirrored in part of the sheet: a soft spot, blown out in its middle; elsewhere in each picture."""
    width, height = where.board_set.sheet_mm
    place = np.random.default_rng(index).uniform(0.15, 0.85, (1, 2)) * (width, height)
    add = 320 * _spot(image, where, place, 0.2 * min(width, height))
    return _clip(image + add[:, :, None])


def _spot(image: Image, where: Registration, place_mm: npt.NDArray[np.float64], reach_mm: float) -> Floats:
    """1 at a place of the sheet (1, 2), a seventh so far from there (h, w)."""
    x, y = where.pose.project(place_mm)[0]
    reach_px = reach_mm * where.px_per_mm()
    across, down = ((np.arange(size) - at) / reach_px for size, at in ((image.shape[1], x), (image.shape[0], y)))
    return np.asarray(np.exp(-2 * (across[None, :] ** 2 + down[:, None] ** 2)), np.float32)


def _lit_site(index: int, where: Registration) -> tuple[Site, Hue]:
    sites = where.board_set.sites
    return sites[index * 7 % len(sites)], list(HUES)[index % len(HUES)]


def led(image: Image, index: int, where: Registration) -> Image:
    """One of our own lights shines under a site, in one of its hues; another one for each picture."""
    site, hue = _lit_site(index, where)
    share = _spot(image, where, np.array([where.board_set.centre(site)]), LED_REACH_MM)
    brighter = (1 + LED * share[:, :, None] * np.array(HUES[hue], np.float32)) ** np.float32(1 / SOFTNESS)
    return _clip(image * brighter)


def led_area(index: int, where: Registration) -> tuple[Area, ...]:
    """What the eyes are told of that light."""
    site, hue = _lit_site(index, where)
    name = where.board_set.names.get(site.id, site.id)
    return lit_areas(where.board_set, LightMap(sites={name: 0}), Scene("lit", 1, {name: Light(hue)}))


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


_STEPS = 6
STRESSES: tuple[Stress, ...] = (
    Stress("gain 0.5", gain(0.5)),
    Stress("gain 0.75", gain(0.75)),
    Stress("gain 1.5", gain(1.5)),
    Stress("channels +-15 %", channels(0.15)),
    Stress("gamma 0.7", gamma(0.7)),
    Stress("gamma 1.4", gamma(1.4)),
    Stress("gradient 2:1", gradient(2.0)),
    Stress("vignetting 50 %", vignetting(0.5)),
    Stress("warm and cool", mixed_light(0.2)),
    Stress("moving shadow edge", shadow(_STEPS), steps=_STEPS),
    Stress("exposure drift", drift(0.7, 1.3, _STEPS), steps=_STEPS),
    Stress("a lamp goes on", lamp, steps=2),
    Stress("our own light", led, steps=3, glow=led_area),
    Stress("noise sigma 12", noise(12)),
    Stress("blur sigma 1.2", blur(1.2)),
    Stress("JPEG 50", jpeg(50)),
    Stress("960x540", size(960, 540)),
    Stress("a covered tag", covered_tag),
    Stress("glare", glare, honest=True),
    Stress("640x480", size(640, 480), honest=True),
    Stress("blur sigma 2", blur(2.0), honest=True),
)
