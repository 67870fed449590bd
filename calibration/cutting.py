"""The pages of things to cut out: tokens, in rows of one colour, and platforms, with what to do with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from calibration.marks import FOOT_MM, foot
from calibration.pdf import CUT, EDGE_MM, INK, Pdf
from vision.artwork import token_shapes
from vision.boardset import BoardSet
from vision.shapes import Polygon, Text, rectangle

_GAP_MM, _LABEL_MM = 8.0, 5.0
_HEAD_MM = 24.0
_THIN_MM = 0.12


class Cutting:
    """Lays things out on as many pages as they need. Sizes of the set are multiplied by `scale`."""

    def __init__(self, pdf: Pdf, board_set: BoardSet, scale: float, credit: str) -> None:
        self._pdf, self._set, self._scale, self._credit = pdf, board_set, scale, credit
        self._y: float | None = None  # where the next row begins, while a page is open

    def tokens(self, counts: Mapping[str, int]) -> None:
        """So many of each kind, each with its cut line and its name."""
        size = self._set.tokens.size_mm * self._scale
        pitch = size + _GAP_MM
        columns = max(1, int((self._pdf.paper_mm[0] - 2 * EDGE_MM + _GAP_MM) // pitch))
        by_colour: dict[str, list[str]] = {}
        for kind, count in counts.items():
            by_colour.setdefault(self._set.split(kind)[0], []).extend([kind] * count)
        rows = [row for kinds in by_colour.values() for row in _even_rows(kinds, columns)]
        widest = max((len(row) for row in rows), default=0)
        left = (self._pdf.paper_mm[0] - widest * pitch + _GAP_MM) / 2
        for row in rows:
            top = self._room(size + _LABEL_MM)
            for place, kind in enumerate(row):
                self._token(kind, left + place * pitch + size / 2, top + size / 2)
                name = kind.replace("-", " ")
                self._pdf.text(Text((left + place * pitch + size / 2, top + size + 2.2), name, 2.4, INK))

    def platforms(self) -> None:
        """The loose cards that slide on the rails, side by side."""
        card = self._set.platforms
        if card is None:
            return
        width, depth = card.width_mm * self._scale, card.depth_mm * self._scale
        columns = max(1, int((self._pdf.paper_mm[0] - 2 * EDGE_MM + _GAP_MM) // (width + _GAP_MM)))
        names = list(self._set.rails)
        edge = (card.outline.width_mm if card.outline else 0.3) * self._scale
        rgb = card.outline.rgb if card.outline else CUT
        for first in range(0, len(names), columns):
            row = names[first : first + columns]
            top = self._room(depth + _LABEL_MM)
            left = (self._pdf.paper_mm[0] - len(row) * (width + _GAP_MM) + _GAP_MM) / 2
            for place in range(len(row)):
                x = left + place * (width + _GAP_MM)
                inner = rectangle(x + edge / 2, top + edge / 2, width - edge, depth - edge)
                self._pdf.draw([Polygon(inner, card.fill, rgb, edge)])
                self._pdf.text(Text((x + width / 2, top + depth + 2.2), "platform", 2.4, INK))

    def finish(self) -> None:
        """End the page that is open."""
        if self._y is not None:
            self._pdf.end()
            self._y = None

    def _room(self, height: float) -> float:
        """The top of a row of this height; on a new page where it doesn't fit on this one."""
        bottom = self._pdf.paper_mm[1] - EDGE_MM - FOOT_MM
        if self._y is not None and self._y + height > bottom:
            self.finish()
        if self._y is None:
            self._pdf.begin()
            self._heading()
            self._y = EDGE_MM + _HEAD_MM
        top = self._y
        self._y = top + height + _GAP_MM / 2
        return top

    def _heading(self) -> None:
        tokens, scale = self._set.tokens, self._scale
        name = self._set.name.replace("-", " ").capitalize()
        shape, size = tokens.shape, f"{tokens.size_mm * scale:.3g} mm"
        across = "across" if shape == "disc" else "wide"
        self._pdf.heading((EDGE_MM, EDGE_MM + 5.0), f"{name}: to cut out", 6.0)
        lines = [
            f"Glue the page on card or thin wood so that each piece becomes {tokens.height_mm * scale:.3g} mm thick; "
            f"cut the {shape}s out along their lines ({size} {across}).",
            "Give the sides the colour of the top. Varnish that shines is read badly: leave it matt.",
        ]
        for number, line in enumerate(lines):
            self._pdf.line((EDGE_MM, EDGE_MM + 11.0 + 4.5 * number), line, 3.2)
        self._pdf.draw(foot(self._pdf.paper_mm[0], self._pdf.paper_mm[1] - EDGE_MM))
        if self._credit:
            self._pdf.draw([Text((self._pdf.paper_mm[0] / 2, self._pdf.paper_mm[1] - 6.5), self._credit, 2.6, INK)])

    def _token(self, kind: str, x: float, y: float) -> None:
        canvas, tokens = self._pdf.canvas, self._set.tokens
        canvas.saveState()
        canvas.translate(x, y)
        canvas.scale(self._scale, self._scale)
        self._pdf.draw(token_shapes(self._set, kind))
        # the line's outer edge is the token's: cut it away and the size is exact
        thin = _THIN_MM / self._scale
        half = tokens.size_mm / 2 - thin / 2
        canvas.setLineWidth(thin)
        canvas.setStrokeColorRGB(*(value / 255 for value in CUT))
        if tokens.shape == "disc":
            canvas.circle(0, 0, half, stroke=1, fill=0)
        else:
            canvas.rect(-half, -half, 2 * half, 2 * half, stroke=1, fill=0)
        canvas.restoreState()


def _even_rows(kinds: Sequence[str], most: int) -> list[Sequence[str]]:
    """As few rows of at most `most` as it takes, as equal as they can be."""
    if not kinds:
        return []
    count = -(-len(kinds) // most)
    each = -(-len(kinds) // count)
    return [kinds[at : at + each] for at in range(0, len(kinds), each)]
