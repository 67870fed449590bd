"""The shapes artwork is made of, in millimetres: x to the right, y down."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import numpy as np
import numpy.typing as npt

from vision.boardset import Point, Rgb


@dataclass(frozen=True)
class Polygon:
    """A closed outline; `site` is the id of the site it is the area of."""

    points_mm: tuple[Point, ...]
    fill: Rgb | None
    stroke: Rgb | None = None
    stroke_mm: float = 0.0
    site: str | None = None


@dataclass(frozen=True)
class Disc:
    """A filled circle."""

    centre_mm: Point
    radius_mm: float
    fill: Rgb


@dataclass(frozen=True)
class Ring:
    """A circle's line: `radius_mm` is the middle of the line."""

    centre_mm: Point
    radius_mm: float
    width_mm: float
    rgb: Rgb


@dataclass(frozen=True)
class Line:
    """A straight bar with square ends, `width_mm` wide, from `a_mm` to `b_mm`."""

    a_mm: Point
    b_mm: Point
    width_mm: float
    rgb: Rgb


@dataclass(frozen=True)
class Text:
    """A word whose middle stands at `at_mm`; `size_mm`: height of its capitals times 1.4."""

    at_mm: Point
    text: str
    size_mm: float
    rgb: Rgb


Shape = Polygon | Disc | Ring | Line | Text


def rectangle(left: float, top: float, width: float, height: float) -> tuple[Point, ...]:
    """Corner points of an upright rectangle, clockwise from the top left."""
    return ((left, top), (left + width, top), (left + width, top + height), (left, top + height))


def outline(shape: Shape) -> list[npt.NDArray[np.float64]]:
    """A shape's filled outline as polygons (n, 2) in mm: round ones as fine polygons, a ring as outer and inner."""
    turn = np.linspace(0, 2 * pi, 96, endpoint=False)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    if isinstance(shape, Polygon):
        return [np.array(shape.points_mm, float)]
    if isinstance(shape, Disc):
        return [circle * shape.radius_mm + shape.centre_mm]
    if isinstance(shape, Ring):
        outer, inner = shape.radius_mm + shape.width_mm / 2, shape.radius_mm - shape.width_mm / 2
        return [circle * outer + shape.centre_mm, circle * inner + shape.centre_mm]
    if isinstance(shape, Line):
        a, b = np.array(shape.a_mm), np.array(shape.b_mm)
        along = (b - a) / np.linalg.norm(b - a)
        side = np.array([-along[1], along[0]]) * shape.width_mm / 2
        return [np.array([a + side, b + side, b - side, a - side])]
    return []
