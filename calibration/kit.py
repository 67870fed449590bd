"""The printable set: sheet, tokens and platforms as an exact-scale PDF. The same set gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

from reportlab.pdfgen.canvas import Canvas

from calibration.pdf import CUT, EDGE_MM, INK, Pdf, paper_named
from vision.artwork import board_shapes, token_shapes
from vision.boardset import BoardSet
from vision.errors import VisionError
from vision.shapes import Line, Polygon, Shape, Text, rectangle

CREDITS = {
    "taasen": "Taasen by Jennifer Diane Reitz",
    "transet": "Transet by Harm van Veen",
    "transfer": "Transfer by Hila and Ivan Moscovich",
}


def kit_pdf(board_set: BoardSet, counts: Mapping[str, int], paper: str = "a3", scale: float = 1.0) -> bytes:
    """A PDF with the sheet at `scale` (1 = exact millimetres), then the tokens and platforms to cut out.

    `counts`: kind -> how many to print. A sheet larger than the paper comes in equal parts with cut marks.
    Raises VisionError for a paper or scale that can't be, or a kind the set doesn't have.
    """
    if not 0.3 <= scale <= 1.5:
        raise VisionError(f"the scale must be from 0.3 to 1.5, not {scale:g}; 1 is the exact size")
    pages = _Pages(board_set, paper_named(paper), scale)
    pages.sheet()
    pages.tokens([kind for kind, count in counts.items() if board_set.split(kind) for _ in range(count)])
    if board_set.platforms is not None:
        pages.platform_cards(len(board_set.rails))
    return pages.finish()


class _Pages(Pdf):
    """The kit being written."""

    def __init__(self, board_set: BoardSet, paper_mm: tuple[float, float], scale: float) -> None:
        self._set, self._scale = board_set, scale
        width, height = board_set.sheet_mm
        paper_mm = paper_mm if height >= width else (paper_mm[1], paper_mm[0])
        super().__init__(f"Boardref kit: {board_set.name}", CREDITS.get(board_set.game, "Boardref"), paper_mm)

    def sheet(self) -> None:
        """The sheet on one page, or in parts."""
        width, height = (side * self._scale for side in self._set.sheet_mm)
        if width <= self.paper_mm[0] + 1e-6 and height <= self.paper_mm[1] + 1e-6:
            canvas = self.begin()
            canvas.translate((self.paper_mm[0] - width) / 2, (self.paper_mm[1] - height) / 2)
            canvas.scale(self._scale, self._scale)
            self._whole_sheet(canvas)
            self.end()
            return
        room = self.paper_mm[0] - 2 * EDGE_MM, self.paper_mm[1] - 2 * EDGE_MM
        turned = room[1], room[0]
        if _parts((width, height), turned) < _parts((width, height), room):
            self.paper_mm, room = (self.paper_mm[1], self.paper_mm[0]), turned
        self.canvas.setPageSize(self.page_pt())
        columns, rows = ceil(width / room[0] - 1e-9), ceil(height / room[1] - 1e-9)
        part_w, part_h = width / columns, height / rows
        for row in range(rows):
            for column in range(columns):
                canvas = self.begin()
                left, top = (self.paper_mm[0] - part_w) / 2, (self.paper_mm[1] - part_h) / 2
                self._crop_marks(left, top, part_w, part_h)
                number = row * columns + column + 1
                words = f"{self._set.name}: part {number} of {rows * columns} (row {row + 1}, column {column + 1})"
                self.text(
                    Text((self.paper_mm[0] / 2, self.paper_mm[1] - 4.5), words + "; cut, join edge to edge", 3.2, INK)
                )
                canvas.saveState()
                clip = canvas.beginPath()
                clip.rect(left, top, part_w, part_h)
                canvas.clipPath(clip, stroke=0, fill=0)
                canvas.translate(left - column * part_w, top - row * part_h)
                canvas.scale(self._scale, self._scale)
                self._whole_sheet(canvas)
                canvas.restoreState()
                self.end()

    def _whole_sheet(self, canvas: Canvas) -> None:
        self.draw(board_shapes(self._set))
        credit = CREDITS.get(self._set.game)
        for length in (100, 50, 20):
            reach = length / self._scale  # the ruler is true on paper, whatever the scale of the sheet
            place = free_strip(self._set, max(reach, 80.0) + 6.0, 9.0)
            if place is not None:
                break
        else:
            return
        x, y = place
        middle = x + max(reach, 80.0) / 2 + 3.0
        start = middle - reach / 2
        ruler: list[Shape] = [Line((start, y + 3.0), (start + reach, y + 3.0), 0.25, INK)]
        for step in range(0, length + 1, 10):
            at = start + step / self._scale
            tall = 2.4 if step in (0, length) else 1.4
            ruler.append(Line((at, y + 3.0 - tall), (at, y + 3.0), 0.25, INK))
        words = f"this line is {length} mm long" + (f"   ·   {credit}" if credit else "")
        self.draw([*ruler, Text((middle, y + 6.0), words, 3.0, INK)])

    def tokens(self, kinds: Sequence[str]) -> None:
        """The tokens in rows, each with its cut line."""
        if not kinds:
            return
        tokens = self._set.tokens
        size = tokens.size_mm * self._scale
        pitch = size + 6.0
        top = EDGE_MM + 12.0
        columns = int((self.paper_mm[0] - 2 * EDGE_MM + 6.0) // pitch)
        rows = int((self.paper_mm[1] - top - EDGE_MM + 6.0) // pitch)
        for first in range(0, len(kinds), columns * rows):
            canvas = self.begin()
            thick = f"{tokens.height_mm * self._scale:.3g} mm thick"
            words = f"{self._set.name}: cut out along the lines and glue on {thick} {tokens.shape}s of the same size"
            self.text(Text((self.paper_mm[0] / 2, EDGE_MM + 4.0), words + ", sides in the top's colour", 3.6, INK))
            for place, kind in enumerate(kinds[first : first + columns * rows]):
                row, column = divmod(place, columns)
                canvas.saveState()
                canvas.translate(EDGE_MM + column * pitch + size / 2, top + row * pitch + size / 2)
                canvas.scale(self._scale, self._scale)
                self.draw(token_shapes(self._set, kind))
                half = tokens.size_mm / 2
                canvas.setLineWidth(0.12 / self._scale)
                canvas.setStrokeColorRGB(*(value / 255 for value in CUT))
                if tokens.shape == "disc":
                    canvas.circle(0, 0, half, stroke=1, fill=0)
                else:
                    canvas.rect(-half, -half, 2 * half, 2 * half, stroke=1, fill=0)
                canvas.restoreState()
            self.end()

    def platform_cards(self, count: int) -> None:
        """The loose cards that slide on the rails."""
        platform = self._set.platforms
        assert platform is not None
        canvas = self.begin()
        self.text(Text((self.paper_mm[0] / 2, EDGE_MM + 4.0), f"{self._set.name}: cut out the platforms", 3.6, INK))
        canvas.translate(EDGE_MM, EDGE_MM + 12.0)
        canvas.scale(self._scale, self._scale)
        width, depth = platform.width_mm, platform.depth_mm
        edge = platform.outline.width_mm if platform.outline else 0.3
        rgb = platform.outline.rgb if platform.outline else CUT
        for index in range(count):
            left = index * (width + 10.0)
            inner = rectangle(left + edge / 2, edge / 2, width - edge, depth - edge)
            self.draw([Polygon(inner, platform.fill, rgb, edge)])
        self.end()

    def _crop_marks(self, left: float, top: float, width: float, height: float) -> None:
        marks: list[Shape] = []
        for x, out_x in ((left, -1), (left + width, 1)):
            for y, out_y in ((top, -1), (top + height, 1)):
                marks.append(Line((x + out_x * 1.0, y), (x + out_x * 5.0, y), 0.12, CUT))
                marks.append(Line((x, y + out_y * 1.0), (x, y + out_y * 5.0), 0.12, CUT))
        self.draw(marks)


def _parts(sheet: tuple[float, float], room: tuple[float, float]) -> int:
    return ceil(sheet[0] / room[0] - 1e-9) * ceil(sheet[1] / room[1] - 1e-9)


def free_strip(board_set: BoardSet, width_mm: float, height_mm: float) -> tuple[float, float] | None:
    """Top-left corner of the lowest place on the sheet where the ruler and the credit disturb nothing; None if none."""
    sheet_w, sheet_h = board_set.sheet_mm
    taken: list[tuple[float, float, float, float]] = []
    tags = board_set.fiducials
    reach = tags.side_mm / 2 + tags.quiet_mm
    taken += [(x - reach, y - reach, x + reach, y + reach) for x, y in tags.centres_mm]
    if board_set.reference is not None:
        half = board_set.reference.side_mm / 2 + 1
        taken += [(p.centre_mm[0] - half, p.centre_mm[1] - half, p.centre_mm[0] + half, p.centre_mm[1] + half)
                  for p in board_set.reference.patches]  # fmt: skip
    outlines = [site.polygon_mm for site in board_set.sites] + list(board_set.rails.values())
    taken += [
        (min(x for x, _ in points), min(y for _, y in points), max(x for x, _ in points), max(y for _, y in points))
        for points in outlines
    ]
    left = (sheet_w - width_mm) / 2
    top = sheet_h - 5.0 - height_mm
    while top >= 5.0:
        box = (left, top, left + width_mm, top + height_mm)
        if all(box[2] <= t[0] or t[2] <= box[0] or box[3] <= t[1] or t[3] <= box[1] for t in taken):
            return left, top
        top -= 1.0
    return None
