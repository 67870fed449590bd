"""A board with its pieces as an SVG of its own: one position, or a sheet of all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from controller.drawing.layout import Layout
from controller.rules.api import Shift
from vision.artwork import token_shapes
from vision.boardset import Point
from vision.svg import svg_shapes

INK, SOFT, SHEET, LINE = "#2a211a", "#6a5c4e", "#fffdf8", "#d9cdb9"
LAST, WRONG, CARD = "#2f6fe0", "#d26a00", "#c9c9c9"
SERIF = "'Iowan Old Style', 'Palatino Linotype', Palatino, P052, 'Noto Serif', 'DejaVu Serif', serif"
CAPTION_MM = 26.0
GAP_MM = 14.0


@dataclass(frozen=True)
class Diagram:
    """A board to be drawn. `caption`, `note`: a line under it and a smaller one; `wrong`: the shifts were illegal."""

    on: dict[str, tuple[str, ...]]
    shifts: tuple[Shift, ...] = ()
    caption: str = ""
    note: str = ""
    wrong: bool = False


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def svg_diagram(layout: Layout, diagram: Diagram, title: str) -> str:
    """One position."""
    return svg_sheet(layout, [diagram], title, columns=1)


def svg_sheet(layout: Layout, diagrams: Sequence[Diagram], title: str, columns: int = 4) -> str:
    """Positions row by row, each with its caption, under one title where there are several."""
    left, top, width, height = layout.crop_mm
    columns = max(1, min(columns, len(diagrams)))
    rows = -(-len(diagrams) // columns)
    head = 34.0 if len(diagrams) > 1 else 0.0
    cell = (width + GAP_MM, height + CAPTION_MM + GAP_MM)
    size = columns * cell[0] + GAP_MM, head + rows * cell[1] + GAP_MM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(size[0])} {_n(size[1])}" '
        f'width="{_n(size[0])}mm" height="{_n(size[1])}mm" role="img">',
        f"<title>{escape(title)}</title>",
        _definitions(layout, diagrams),
        f'<rect width="{_n(size[0])}" height="{_n(size[1])}" fill="#f7f2e8"/>',
    ]
    if head:
        parts.append(_words(GAP_MM, 28.0, title, 17.0, INK, weight=700))
    for index, diagram in enumerate(diagrams):
        x = GAP_MM + (index % columns) * cell[0]
        y = head + GAP_MM + (index // columns) * cell[1]
        parts.append(f'<g class="diagram" transform="translate({_n(x - left)} {_n(y - top)})">')
        parts.append(_board(layout, diagram))
        if diagram.caption:
            parts.append(_words(left + 2, top + height + 15, diagram.caption, 13.0, INK, weight=700))
        if diagram.note:
            parts.append(_words(left + 2, top + height + 25, diagram.note, 8.0, WRONG if diagram.wrong else SOFT))
        parts.append("</g>")
    parts.append("</svg>\n")
    return "".join(parts)


def _words(x: float, y: float, text: str, size: float, colour: str, weight: int = 400, anchor: str = "start") -> str:
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" font-family="{SERIF}" font-size="{_n(size)}" font-weight="{weight}" '
        f'fill="{colour}" text-anchor="{anchor}">{escape(text)}</text>'
    )


def _definitions(layout: Layout, diagrams: Iterable[Diagram]) -> str:
    """The empty board and each kind of piece, once."""
    kinds = sorted({layout.own(kind) for diagram in diagrams for kinds in diagram.on.values() for kind in kinds})
    x, y, width, height = layout.crop_mm
    found = [
        f'<defs><g id="board"><rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="4" '
        f'fill="{SHEET}" stroke="{LINE}" stroke-width="0.6"/>',
        svg_shapes(layout.shapes),
    ]
    for card in layout.geometry["platforms"].values():
        px, py, wide, high = (_n(value) for value in card)
        found.append(
            f'<rect x="{px}" y="{py}" width="{wide}" height="{high}" rx="1.5" fill="{CARD}" stroke="#333" '
            'stroke-width="1.2"/>'
        )
    found.append("</g>")
    known = set(layout.board.kinds)
    found += [
        f'<g id="piece-{escape(kind)}">{_shadow(layout)}{svg_shapes(token_shapes(layout.board, kind))}</g>'
        for kind in kinds
        if kind in known
    ]
    return "".join([*found, "</defs>"])


def _shadow(layout: Layout) -> str:
    half = layout.board.tokens.size_mm / 2
    look = 'fill="#281608" fill-opacity="0.28"'
    if layout.board.tokens.shape == "disc":
        return f'<circle cy="1.3" r="{_n(half + 0.4)}" {look}/>'
    side = _n(2 * half + 0.8)
    return f'<rect x="{_n(-half - 0.4)}" y="{_n(1.0 - half)}" width="{side}" height="{side}" rx="1" {look}/>'


def _board(layout: Layout, diagram: Diagram) -> str:
    colour = WRONG if diagram.wrong else LAST
    found = ['<use href="#board"/>']
    for shift in diagram.shifts:
        for site, dashed in ((shift.origin, True), (shift.to, False)):
            outline = layout.outline(site) if site is not None else None
            if outline is not None:
                found.append(_area(outline, colour, dashed))
    known = set(layout.board.kinds)
    for piece in layout.pieces(diagram.on):
        x, y = piece.at_mm
        if piece.kind in known:
            found.append(
                f'<use class="piece" href="#piece-{escape(piece.kind)}" x="{_n(x)}" y="{_n(y)}" '
                f'data-site="{escape(piece.site)}" data-kind="{escape(piece.kind)}"/>'
            )
    for name, x, y, where in layout.geometry["labels"]:
        size = 6.6 if where == "beside" else 5.0
        look = 'font-family="sans-serif" font-weight="600" text-anchor="middle" dominant-baseline="central"'
        edge = "" if where == "beside" else ' stroke="#fffdf8" stroke-width="1.4" paint-order="stroke"'
        found.append(
            f'<text x="{_n(x)}" y="{_n(y)}" font-size="{size}" fill="{SOFT}" {look}{edge}>{escape(name)}</text>'
        )
    return "".join(found)


def _area(outline: Sequence[Point], colour: str, dashed: bool) -> str:
    points = " ".join(f"{_n(x)},{_n(y)}" for x, y in outline)
    style = ' stroke-dasharray="4 3" stroke-opacity="0.6"' if dashed else ""
    return (
        f'<polygon points="{points}" fill="none" stroke="{colour}" stroke-width="1.8" stroke-linejoin="round"{style}/>'
    )
