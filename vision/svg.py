"""Shapes as SVG: `viewBox` in millimetres, every site a `<polygon data-site="a1">`."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from vision.boardset import Point, Rgb
from vision.shapes import Disc, Line, Polygon, Ring, Shape


def svg_shapes(shapes: Iterable[Shape]) -> str:
    """Shapes as SVG elements, without the document around them: for placing tokens in a drawing of one's own."""
    return "".join(_element(shape) for shape in shapes)


def document(corner: tuple[float, float], size: tuple[float, float], css: str, shapes: Iterable[Shape]) -> str:
    """An SVG document with the given view box (mm) and class."""
    box = " ".join(_n(v) for v in (*corner, *size))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" class="{escape(css)}">{svg_shapes(shapes)}</svg>'


def _n(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _hex(rgb: Rgb | None) -> str:
    return "none" if rgb is None else "#{:02x}{:02x}{:02x}".format(*rgb)


def _element(shape: Shape) -> str:
    if isinstance(shape, Polygon):
        site = f' data-site="{escape(shape.site)}"' if shape.site is not None else ""
        line = f' stroke="{_hex(shape.stroke)}" stroke-width="{_n(shape.stroke_mm)}"' if shape.stroke else ""
        return f'<polygon{site} points="{_points(shape.points_mm)}" fill="{_hex(shape.fill)}"{line}/>'
    if isinstance(shape, Disc):
        x, y = shape.centre_mm
        return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(shape.radius_mm)}" fill="{_hex(shape.fill)}"/>'
    if isinstance(shape, Ring):
        x, y = shape.centre_mm
        return (
            f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(shape.radius_mm)}" fill="none" '
            f'stroke="{_hex(shape.rgb)}" stroke-width="{_n(shape.width_mm)}"/>'
        )
    if isinstance(shape, Line):
        (ax, ay), (bx, by) = shape.a_mm, shape.b_mm
        return (
            f'<line x1="{_n(ax)}" y1="{_n(ay)}" x2="{_n(bx)}" y2="{_n(by)}" '
            f'stroke="{_hex(shape.rgb)}" stroke-width="{_n(shape.width_mm)}"/>'
        )
    x, y = shape.at_mm
    return (
        f'<text class="label" x="{_n(x)}" y="{_n(y)}" font-size="{_n(shape.size_mm)}" text-anchor="middle" '
        f'dominant-baseline="central" font-family="sans-serif" fill="{_hex(shape.rgb)}">{escape(shape.text)}</text>'
    )
