"""The printable set: sheet, tokens and platforms as an exact-scale PDF. The same set gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from calibration.cutting import Cutting
from calibration.marks import FOOT_MM, crop_marks, foot, parts_map, ruler
from calibration.pdf import EDGE_MM, INK, Pdf, paper_named
from vision.artwork import board_shapes
from vision.boardset import BoardSet
from vision.errors import VisionError
from vision.shapes import Text

SCALES = (0.3, 1.5)
"""From, to: smaller, tags are too small to be seen; larger, tokens don't fit a hand."""
_MARKS_MM = 6.0
"""Beside a sheet that is so much smaller than its paper, crop marks fit."""

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
    if not SCALES[0] <= scale <= SCALES[1]:
        raise VisionError(f"the scale must be from {SCALES[0]:g} to {SCALES[1]:g}, not {scale:g}; 1 is the exact size")
    pages = _Pages(board_set, paper_named(paper), scale)
    pages.sheet()
    cutting = Cutting(pages, board_set, scale, CREDITS.get(board_set.game, ""))
    cutting.tokens(counts)
    cutting.platforms()
    cutting.finish()
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
            left, top = (self.paper_mm[0] - width) / 2, (self.paper_mm[1] - height) / 2
            if min(left, top) > _MARKS_MM:
                self.draw(crop_marks(left, top, width, height))
            canvas.translate(left, top)
            canvas.scale(self._scale, self._scale)
            self._whole_sheet()
            self.end()
            return
        self.paper_mm, columns, rows = division((width, height), self.paper_mm)
        self.canvas.setPageSize(self.page_pt())
        part_w, part_h = width / columns, height / rows
        for row in range(rows):
            for column in range(columns):
                canvas = self.begin()
                left, top = (self.paper_mm[0] - part_w) / 2, (self.paper_mm[1] - part_h) / 2
                self.draw(crop_marks(left, top, part_w, part_h))
                self._part_words(top, columns, rows, column, row)
                canvas.saveState()
                clip = canvas.beginPath()
                clip.rect(left, top, part_w, part_h)
                canvas.clipPath(clip, stroke=0, fill=0)
                canvas.translate(left - column * part_w, top - row * part_h)
                canvas.scale(self._scale, self._scale)
                self._whole_sheet()
                canvas.restoreState()
                self.end()

    def _part_words(self, top: float, columns: int, rows: int, column: int, row: int) -> None:
        """Over and under a part, as far as there is room: which it is, what to do, and a ruler."""
        number = row * columns + column + 1
        name = self._set.name.replace("-", " ").capitalize()
        if top > EDGE_MM + FOOT_MM:
            self.draw(parts_map(EDGE_MM, EDGE_MM, columns, rows, column, row))
            beside = EDGE_MM + columns * 6.0 + 4.0
            self.heading((beside, EDGE_MM + 4.0), f"{name}: part {number} of {rows * columns}", 4.5)
            words = "Cut along the marks, join the parts edge to edge on card, with tape on the back."
            self.line((beside, EDGE_MM + 9.5), words, 3.0)
            self.draw(foot(self.paper_mm[0], self.paper_mm[1] - EDGE_MM))
        else:
            words = f"{name}: part {number} of {rows * columns} (row {row + 1}, column {column + 1})"
            words += "; print at 100 %, cut, join edge to edge"
            self.text(Text((self.paper_mm[0] / 2, self.paper_mm[1] - 4.5), words, 3.2, INK))

    def _whole_sheet(self) -> None:
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
        words = f"this line is {length} mm long" + (f"   ·   {credit}" if credit else "")
        self.draw(ruler(x + max(reach, 80.0) / 2 + 3.0, y + 3.0, length, words, self._scale))


def division(
    sheet_mm: tuple[float, float], paper_mm: tuple[float, float]
) -> tuple[tuple[float, float], int, int]:
    """How a sheet is cut into equal parts for a paper: the paper as it lies then, columns and rows."""

    def parts(paper: tuple[float, float]) -> tuple[int, int]:
        columns, rows = (
            ceil(side / (room - 2 * EDGE_MM) - 1e-9) for side, room in zip(sheet_mm, paper, strict=True)
        )
        return columns, rows

    turned = paper_mm[1], paper_mm[0]
    here, there = parts(paper_mm), parts(turned)
    return (turned, *there) if there[0] * there[1] < here[0] * here[1] else (paper_mm, *here)


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
