"""What stands round the printed things: crop marks, a ruler that proves the scale, and a map of the parts."""

from __future__ import annotations

from calibration.pdf import CUT, INK
from vision.shapes import Line, Polygon, Shape, Text, rectangle

RULER_MM = 100
FOOT_MM = 14.0
"""What `foot` needs above the page's lower edge of what may be printed."""
_TINT = (225, 225, 225)


def crop_marks(left: float, top: float, width: float, height: float) -> list[Shape]:
    """Two short lines outside each corner of a rectangle: cut from one to the other."""
    marks: list[Shape] = []
    for x, out_x in ((left, -1), (left + width, 1)):
        for y, out_y in ((top, -1), (top + height, 1)):
            marks.append(Line((x + out_x * 1.0, y), (x + out_x * 5.0, y), 0.12, CUT))
            marks.append(Line((x, y + out_y * 1.0), (x, y + out_y * 5.0), 0.12, CUT))
    return marks


def ruler(middle: float, y: float, length_mm: int, words: str, scale: float = 1.0) -> list[Shape]:
    """A line of `length_mm` on paper with a tick each centimetre and its words; `scale`: of what it is drawn in."""
    reach = length_mm / scale
    start = middle - reach / 2
    shapes: list[Shape] = [Line((start, y), (start + reach, y), 0.25, INK)]
    for step in range(0, length_mm + 1, 10):
        at = start + step / scale
        tall = 2.4 if step in (0, length_mm) else 1.4
        shapes.append(Line((at, y - tall), (at, y), 0.25, INK))
    return [*shapes, Text((middle, y + 3.0), words, 3.0, INK)]


def foot(page_w: float, bottom: float) -> list[Shape]:
    """The ruler at the foot of a page, its words ending at `bottom`."""
    words = f"print at 100 % (actual size), not fitted to the page: this line is then {RULER_MM} mm long"
    return ruler(page_w / 2, bottom - 5.0, RULER_MM, words)


def parts_map(left: float, top: float, columns: int, rows: int, column: int, row: int) -> list[Shape]:
    """A small picture of all parts with this one filled; 6 x 4 mm each."""
    shapes: list[Shape] = []
    for place in range(columns * rows):
        x, y = left + place % columns * 6.0, top + place // columns * 4.0
        here = (place % columns, place // columns) == (column, row)
        shapes.append(Polygon(rectangle(x, y, 6.0, 4.0), INK if here else _TINT, (255, 255, 255), 0.4))
    return shapes
