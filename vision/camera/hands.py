"""What a hand over the pretend table looks like: its outline, and its paint."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from vision.boardset import Rgb
from vision.camera.frame import Image
from vision.camera.optics import Array, Optics

CARRY_MM = 42.0
"""How high a hand carries."""
FALL_MM = np.array([14.0, 18.0])
"""How far a carrying hand's shadow falls; what lies lower throws it less far."""
_SKIN: Rgb = (208, 160, 133)
_DARK: Rgb = (196, 148, 121)
_SLEEVE: Rgb = (58, 74, 104)
_CUFF: Rgb = (46, 60, 86)
_COARSE = 4  # shadow and roundness are painted on a picture so many times smaller


def hand_outline(tip: Array, outward: Array) -> list[tuple[Array, Rgb]]:
    """A hand whose fingertips are at `tip`, its arm along `outward` (a unit vector), as polygons in mm with colours."""
    across = np.array([-outward[1], outward[0]])

    def capsule(ax: float, ay: float, bx: float, by: float, radius: float, end: float | None = None) -> Array:
        a, b = tip + outward * ax + across * ay, tip + outward * bx + across * by
        along = (b - a) / np.linalg.norm(b - a)
        start = np.arctan2(along[1], along[0])
        arc = np.linspace(np.pi / 2, 3 * np.pi / 2, 12) + start
        ring = np.column_stack([np.cos(arc), np.sin(arc)])
        return np.vstack([a + ring * radius, b - ring * (radius if end is None else end)])

    def band(ax: float, bx: float, half: float, end: float) -> Array:
        return np.array([tip + outward * x + across * y for x, y in ((ax, -half), (bx, -end), (bx, end), (ax, half))])

    return [
        (capsule(100, 0, 260, 0, 37, 31), _DARK),
        (band(188, 1100, 45, 66), _SLEEVE),
        (band(183, 205, 44, 46), _CUFF),
        (capsule(4, 13, 78, 36, 8.5, 13), _DARK),
        (capsule(58, 0, 112, 2, 40, 36), _SKIN),
        (capsule(2, -6, 70, -27, 7.5, 10), _SKIN),
        (capsule(-3, 2, 68, -9, 8, 10.5), _SKIN),
        (capsule(14, 14, 70, 9, 8, 10.5), _SKIN),
    ]


@dataclass(frozen=True)
class Reaching:
    """One hand in one picture: `tip` and `outward` in sheet millimetres."""

    optics: Optics
    tip: Array
    outward: Array

    @cached_property
    def _parts(self) -> list[tuple[Array, Rgb]]:
        return hand_outline(self.tip, self.outward)

    def _fill(self, height_mm: float, shift_mm: Array, shrink: int) -> Image:
        width, height = self.optics.size_px
        layer = np.zeros((height // shrink, width // shrink), np.uint8)
        for points, _ in self._parts:
            spots = self.optics.project(points + shift_mm, height_mm) / shrink - 0.5
            cv2.fillPoly(layer, [np.round(spots * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
        return layer

    def mask(self) -> npt.NDArray[np.bool_]:
        """The pixels (h, w) that the hand covers."""
        return self._fill(CARRY_MM, np.zeros(2), 1) > 127

    def shade(self, image: Image) -> None:
        """Paint its soft shadow on the table, in place."""
        shade = self._fill(0.0, FALL_MM, _COARSE)
        x, y, w, h = cv2.boundingRect(shade)
        if not (w and h):
            return
        pad = 10
        top, left = max(0, y - pad), max(0, x - pad)
        part = shade[top : y + h + pad, left : x + w + pad]
        soft = cv2.GaussianBlur(part, (0, 0), 3.0 * self.optics.size_px[0] / 1280)
        keep = cv2.convertScaleAbs(soft, None, -0.41, 255.0)
        rows, columns = keep.shape
        keep = cv2.resize(keep, (columns * _COARSE, rows * _COARSE))
        place = image[top * _COARSE : (top + rows) * _COARSE, left * _COARSE : (left + columns) * _COARSE]
        place[:] = cv2.multiply(place, cv2.cvtColor(keep, cv2.COLOR_GRAY2BGR), scale=1 / 255)

    def paint(self, image: Image, light: Array) -> None:
        """Paint the hand itself, in place; `light` (3,) multiplies blue, green and red."""
        cover = self._fill(CARRY_MM, np.zeros(2), 1)
        x, y, w, h = cv2.boundingRect(cover)
        if not (w and h):
            return
        place, cover = image[y : y + h, x : x + w], cover[y : y + h, x : x + w]
        layer = place.copy()
        for points, rgb in self._parts:
            spots = np.round((self.optics.project(points, CARRY_MM) - (x, y) - 0.5) * 16).astype(np.int32)
            bgr = np.clip(np.array(rgb[::-1]) * light, 0, 255)
            cv2.fillPoly(layer, [spots], bgr.tolist(), cv2.LINE_AA, 4)
            cv2.polylines(layer, [spots], True, (bgr * 0.86).tolist(), 1, cv2.LINE_AA, 4)
        # rounder to the eye: lighter along its middle, and towards the lamp
        small = cv2.resize(cover, (max(1, w // _COARSE), max(1, h // _COARSE)), interpolation=cv2.INTER_AREA)
        scale = self.optics.px_per_mm() / _COARSE
        round_ = cv2.GaussianBlur(small, (0, 0), 12 * scale, borderType=cv2.BORDER_REPLICATE).astype(np.float32) / 255
        lit = cv2.GaussianBlur(small, (0, 0), 7 * scale, borderType=cv2.BORDER_REPLICATE).astype(np.float32) / 255
        slope = cv2.Sobel(lit, cv2.CV_32F, 1, 0) + cv2.Sobel(lit, cv2.CV_32F, 0, 1)
        form = np.clip(0.70 + 0.36 * round_ + 0.16 * slope, 0.55, 1.12)
        form = cv2.resize(form, (w, h))
        layer = np.asarray(cv2.multiply(layer, cv2.merge([form] * 3), dtype=cv2.CV_8U), np.uint8)
        layer = np.asarray(cv2.GaussianBlur(layer, (0, 0), 0.7), np.uint8)
        share = cover.astype(np.float32) / 255
        place[:] = cv2.blendLinear(layer, place, share, 1 - share)
