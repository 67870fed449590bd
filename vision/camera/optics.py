"""The pretend camera's lens and place: from sheet millimetres and heights to pixels, and back to the table.

Pixels here have their corners at whole numbers; the eyes' have their centres there, half a pixel less.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import cos, radians, sin

import cv2
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

MARGIN_MM = 14.0
"""Table left free round the sheet where the sheet is largest in the picture."""
_STEP = 8  # pixels between the points of the table that are worked out; the others lie between them
_BAND = 20 * _STEP  # rows of pixels of which the points are held at once


@dataclass(frozen=True)
class View:
    """How the camera hangs, and what it is.

    `beside_mm`: its place from the sheet's middle, to the right, towards the reader, and up. `turn_deg`: the camera's
    own turn about its axis. `zoom`: 1 = the sheet fills the picture. `k1`: the lens's radial bend. `size_px`: width
    and height of its pictures. `knock_deg`: pan, tilt and roll by which it was knocked since it was set up.
    """

    beside_mm: tuple[float, float, float] = (55.0, 120.0, 720.0)
    turn_deg: float = -1.2
    zoom: float = 1.0
    k1: float = -0.05
    size_px: tuple[int, int] = (1280, 720)
    knock_deg: tuple[float, float, float] = (0.0, 0.0, 0.0)


def _turned(pan_deg: float, tilt_deg: float, roll_deg: float) -> Array:
    """The rotation (3, 3) of a camera's axes that was panned, tilted and rolled."""
    turn = np.eye(3)
    for axis, angle in ((1, pan_deg), (0, tilt_deg), (2, roll_deg)):
        vector = np.zeros(3)
        vector[axis] = radians(angle)
        turn = np.asarray(cv2.Rodrigues(vector)[0]) @ turn
    return turn


class Optics:
    """A camera over one sheet: x to the right, y down the sheet, heights above the table."""

    def __init__(self, sheet_mm: tuple[float, float], view: View | None = None) -> None:
        self.view = view = view or View()
        self.size_px = view.size_px
        self.middle = np.array([sheet_mm[0] / 2, sheet_mm[1] / 2, 0.0])
        # z into the table, so that camera and sheet are seen the same way round
        self.place = self.middle + np.array([view.beside_mm[0], view.beside_mm[1], -view.beside_mm[2]])
        forward = (self.middle - self.place) / np.linalg.norm(self.middle - self.place)
        roll = radians(-view.turn_deg)
        right = np.cross(np.array([-sin(roll), cos(roll), 0.0]), forward)
        right /= np.linalg.norm(right)
        self._axes = np.stack([right, np.cross(forward, right), forward])
        self.focal_px = 1.0
        reach = np.array(
            [(x, y) for x in (-MARGIN_MM, sheet_mm[0] + MARGIN_MM) for y in (-MARGIN_MM, sheet_mm[1] + MARGIN_MM)]
        )
        seen = np.abs(self.project(reach, 0.0) - self._middle_px()).max(axis=0)
        self.focal_px = float((self._middle_px() / seen).min()) * view.zoom
        self._axes = _turned(*view.knock_deg) @ self._axes

    def _middle_px(self) -> Array:
        return np.array(self.size_px) / 2

    def project(self, points_mm: Array, z_mm: float | Array) -> Array:
        """Pixels (n, 2) of points (n, 2) at the heights `z_mm` (one, or (n,)) above the table."""
        solid = np.column_stack([points_mm, np.broadcast_to(-np.asarray(z_mm, float), len(points_mm))])
        seen = (solid - self.place) @ self._axes.T
        flat = seen[:, :2] / np.maximum(seen[:, 2:], 1.0)
        bend = 1 + self.view.k1 * np.sum(flat * flat, axis=1, keepdims=True)
        return np.asarray(flat * bend * self.focal_px + self._middle_px())

    def rotation(self) -> Array:
        """(3, 3): from the sheet's axes (z into the table) to the camera's."""
        return self._axes

    def px_per_mm(self) -> float:
        """The scale at the sheet's middle."""
        ends = self.project(self.middle[:2] + np.array([[-1.0, -1.0], [1.0, 1.0]]), 0.0)
        return float(np.linalg.norm(ends[1] - ends[0]) / np.sqrt(8))

    def table(self, times: int) -> Iterator[tuple[slice, npt.NDArray[np.float32]]]:
        """The table's points (rows, w, 2) in sheet mm seen at the pixels of a picture `times` as large, a band of rows
        at a time: all of them would fill 30 megabytes.
        """
        width, height = (side * times for side in self.size_px)
        across = (np.arange(-1, width // _STEP + 2) + 0.5) * _STEP / times
        down = (np.arange(-1, height // _STEP + 2) + 0.5) * _STEP / times
        spots = np.stack(np.meshgrid(across, down), axis=-1).reshape(-1, 2)
        bent = (spots - self._middle_px()) / self.focal_px
        flat = bent.copy()
        for _ in range(12):
            flat = bent / np.maximum(1 + self.view.k1 * np.sum(flat * flat, axis=1, keepdims=True), 0.4)
        rays = np.column_stack([flat, np.ones(len(flat))]) @ self._axes
        reach = -self.place[2] / np.maximum(rays[:, 2], 0.05)
        points = (self.place[:2] + rays[:, :2] * reach[:, None]).reshape(len(down), len(across), 2).astype(np.float32)
        for first in range(0, height, _BAND):
            last = min(height, first + _BAND)
            few = points[first // _STEP : -(-last // _STEP) + 2]
            whole = cv2.resize(few, (len(across) * _STEP, len(few) * _STEP), interpolation=cv2.INTER_LINEAR)
            yield slice(first, last), np.asarray(whole[_STEP : _STEP + last - first, _STEP : _STEP + width], np.float32)


@dataclass(frozen=True)
class Bump:
    """How the sheet lies against its first place: shifted by (dx, dy) mm, turned by `turn_deg` about its middle, and
    the corner with this number (clockwise from the top left) lifted by `lift_mm`."""

    dx_mm: float = 0.0
    dy_mm: float = 0.0
    turn_deg: float = 0.0
    corner: int = 0
    lift_mm: float = 0.0


LIFT_REACH = 0.55
"""How much of the sheet's shorter side bends up with a lifted corner."""


class Lying:
    """A sheet of `sheet_mm` that lies as a Bump says: from its own millimetres to the table's, and back."""

    def __init__(self, sheet_mm: tuple[float, float], bump: Bump) -> None:
        self.bump = bump
        self._middle = np.array(sheet_mm) / 2
        self._corner = np.array([(0, 0), (1, 0), (1, 1), (0, 1)][bump.corner % 4]) * sheet_mm
        self._reach_mm = LIFT_REACH * min(sheet_mm)
        c, s = cos(radians(bump.turn_deg)), sin(radians(bump.turn_deg))
        self._turn = np.array([[c, s], [-s, c]])

    def place(self, points_mm: Array) -> Array:
        """Where points (n, 2) of the sheet lie, seen from straight above."""
        middle = self._middle
        return np.asarray((points_mm - middle) @ self._turn + middle + (self.bump.dx_mm, self.bump.dy_mm))

    def height(self, points_mm: Array) -> Array:
        """How high (n,) points (n, 2) of the sheet lie above the table, in mm."""
        if not self.bump.lift_mm:
            return np.zeros(len(points_mm))
        near = np.clip(1 - np.linalg.norm(points_mm - self._corner, axis=1) / self._reach_mm, 0, 1)
        return np.asarray(self.bump.lift_mm * near**2)

    def back(self, table_mm: npt.NDArray[np.float32], eye_mm: Array) -> npt.NDArray[np.float32]:
        """The sheet's points (h, w, 2) that a camera at `eye_mm` sees in place of the table's points (h, w, 2)."""
        shift = np.array([self.bump.dx_mm, self.bump.dy_mm]) + self._middle
        turn = np.column_stack([self._turn, self._middle - self._turn @ shift])
        sheet = np.asarray(cv2.transform(table_mm, turn.astype(np.float32)), np.float32)
        if not self.bump.lift_mm:
            return sheet
        up_mm = -float(eye_mm[2])
        for _ in range(2):
            away = np.linalg.norm(sheet - self._corner.astype(np.float32), axis=2)
            height = self.bump.lift_mm * np.clip(1 - away / self._reach_mm, 0, 1) ** 2
            nearer = table_mm + (eye_mm[:2].astype(np.float32) - table_mm) * (height / up_mm)[..., None]
            sheet = np.asarray(cv2.transform(nearer.astype(np.float32), turn.astype(np.float32)), np.float32)
        return sheet
