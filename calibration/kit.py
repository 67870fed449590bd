"""The printable set: sheet, tokens and platforms as an exact-scale PDF. The same set gives the same bytes."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from math import ceil

from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from vision.artwork import board_shapes, token_shapes
from vision.boardset import BoardSet, Rgb
from vision.errors import VisionError
from vision.shapes import Disc, Line, Polygon, Ring, Shape, Text, rectangle

PAPERS: dict[str, tuple[float, float]] = {"a3": (297.0, 420.0), "a4": (210.0, 297.0)}
"""Width and height in mm, upright."""
CREDITS = {"transet": "Transet by Harm van Veen"}
EDGE_MM = 10.0
"""What a printer may leave white round a page; used for everything but a sheet that fills its paper."""
CUT: Rgb = (120, 120, 120)
INK: Rgb = (90, 90, 90)


def kit_pdf(board_set: BoardSet, counts: Mapping[str, int], paper: str = "a3", scale: float = 1.0) -> bytes:
    """A PDF with the sheet at `scale` (1 = exact millimetres), then the tokens and platforms to cut out.

    `counts`: kind -> how many to print. A sheet larger than the paper comes in equal parts with cut marks.
    Raises VisionError for a paper or scale that can't be, or a kind the set doesn't have.
    """
    if paper not in PAPERS:
        raise VisionError(f"there is no paper {paper!r} here; use {' or '.join(PAPERS)}")
    if not 0.3 <= scale <= 1.5:
        raise VisionError(f"the scale must be from 0.3 to 1.5, not {scale:g}; 1 is the exact size")
    pages = _Pages(board_set, PAPERS[paper], scale)
    pages.sheet()
    pages.tokens([kind for kind, count in counts.items() if board_set.split(kind) for _ in range(count)])
    if board_set.platforms is not None:
        pages.platform_cards(len(board_set.rails))
    return pages.finish()


class _Pages:
    """The PDF being written. Canvas units are millimetres, origin at the page's top-left corner, y down."""

    def __init__(self, board_set: BoardSet, paper_mm: tuple[float, float], scale: float) -> None:
        self._set, self._scale = board_set, scale
        width, height = board_set.sheet_mm
        self._paper = paper_mm if height >= width else (paper_mm[1], paper_mm[0])
        self._file = io.BytesIO()
        self._canvas = Canvas(self._file, pagesize=self._page_pt(), pageCompression=1, invariant=1)
        self._canvas.setTitle(f"Boardref kit: {board_set.name}")
        self._canvas.setAuthor(CREDITS.get(board_set.game, "Boardref"))
        self._canvas.setCreator("Boardref")
        self._canvas.setViewerPreference("PrintScaling", "None")  # "fit to page" would spoil the scale

    def _page_pt(self) -> tuple[float, float]:
        return self._paper[0] * mm, self._paper[1] * mm

    def finish(self) -> bytes:
        self._canvas.save()
        return self._file.getvalue()

    def _begin(self) -> Canvas:
        canvas = self._canvas
        canvas.saveState()
        canvas.transform(mm, 0, 0, -mm, 0, self._page_pt()[1])
        return canvas

    def _end(self) -> None:
        self._canvas.restoreState()
        self._canvas.showPage()

    def sheet(self) -> None:
        """The sheet on one page, or in parts."""
        width, height = (side * self._scale for side in self._set.sheet_mm)
        if width <= self._paper[0] + 1e-6 and height <= self._paper[1] + 1e-6:
            canvas = self._begin()
            canvas.translate((self._paper[0] - width) / 2, (self._paper[1] - height) / 2)
            canvas.scale(self._scale, self._scale)
            self._whole_sheet(canvas)
            self._end()
            return
        room = self._paper[0] - 2 * EDGE_MM, self._paper[1] - 2 * EDGE_MM
        turned = room[1], room[0]
        if _parts((width, height), turned) < _parts((width, height), room):
            self._paper, room = (self._paper[1], self._paper[0]), turned
        self._canvas.setPageSize(self._page_pt())
        columns, rows = ceil(width / room[0] - 1e-9), ceil(height / room[1] - 1e-9)
        part_w, part_h = width / columns, height / rows
        for row in range(rows):
            for column in range(columns):
                canvas = self._begin()
                left, top = (self._paper[0] - part_w) / 2, (self._paper[1] - part_h) / 2
                self._crop_marks(left, top, part_w, part_h)
                number = row * columns + column + 1
                words = f"{self._set.name}: part {number} of {rows * columns} (row {row + 1}, column {column + 1})"
                self._text(
                    Text((self._paper[0] / 2, self._paper[1] - 4.5), words + "; cut, join edge to edge", 3.2, INK)
                )
                canvas.saveState()
                clip = canvas.beginPath()
                clip.rect(left, top, part_w, part_h)
                canvas.clipPath(clip, stroke=0, fill=0)
                canvas.translate(left - column * part_w, top - row * part_h)
                canvas.scale(self._scale, self._scale)
                self._whole_sheet(canvas)
                canvas.restoreState()
                self._end()

    def _whole_sheet(self, canvas: Canvas) -> None:
        self._draw(board_shapes(self._set))
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
        self._draw([*ruler, Text((middle, y + 6.0), words, 3.0, INK)])

    def tokens(self, kinds: Sequence[str]) -> None:
        """The tokens in rows, each with its cut line."""
        if not kinds:
            return
        tokens = self._set.tokens
        size = tokens.size_mm * self._scale
        pitch = size + 6.0
        top = EDGE_MM + 12.0
        columns = int((self._paper[0] - 2 * EDGE_MM + 6.0) // pitch)
        rows = int((self._paper[1] - top - EDGE_MM + 6.0) // pitch)
        for first in range(0, len(kinds), columns * rows):
            canvas = self._begin()
            thick = f"{tokens.height_mm * self._scale:.3g} mm thick"
            words = f"{self._set.name}: cut out along the lines and glue on {thick} {tokens.shape}s of the same size"
            self._text(Text((self._paper[0] / 2, EDGE_MM + 4.0), words + ", sides in the top's colour", 3.6, INK))
            for place, kind in enumerate(kinds[first : first + columns * rows]):
                row, column = divmod(place, columns)
                canvas.saveState()
                canvas.translate(EDGE_MM + column * pitch + size / 2, top + row * pitch + size / 2)
                canvas.scale(self._scale, self._scale)
                self._draw(token_shapes(self._set, kind))
                half = tokens.size_mm / 2
                canvas.setLineWidth(0.12 / self._scale)
                canvas.setStrokeColorRGB(*(value / 255 for value in CUT))
                if tokens.shape == "disc":
                    canvas.circle(0, 0, half, stroke=1, fill=0)
                else:
                    canvas.rect(-half, -half, 2 * half, 2 * half, stroke=1, fill=0)
                canvas.restoreState()
            self._end()

    def platform_cards(self, count: int) -> None:
        """The loose cards that slide on the rails."""
        platform = self._set.platforms
        assert platform is not None
        canvas = self._begin()
        self._text(Text((self._paper[0] / 2, EDGE_MM + 4.0), f"{self._set.name}: cut out the platforms", 3.6, INK))
        canvas.translate(EDGE_MM, EDGE_MM + 12.0)
        canvas.scale(self._scale, self._scale)
        width, depth = platform.width_mm, platform.depth_mm
        edge = platform.outline.width_mm if platform.outline else 0.3
        rgb = platform.outline.rgb if platform.outline else CUT
        for index in range(count):
            left = index * (width + 10.0)
            inner = rectangle(left + edge / 2, edge / 2, width - edge, depth - edge)
            self._draw([Polygon(inner, platform.fill, rgb, edge)])
        self._end()

    def _crop_marks(self, left: float, top: float, width: float, height: float) -> None:
        marks: list[Shape] = []
        for x, out_x in ((left, -1), (left + width, 1)):
            for y, out_y in ((top, -1), (top + height, 1)):
                marks.append(Line((x + out_x * 1.0, y), (x + out_x * 5.0, y), 0.12, CUT))
                marks.append(Line((x, y + out_y * 1.0), (x, y + out_y * 5.0), 0.12, CUT))
        self._draw(marks)

    def _draw(self, shapes: Sequence[Shape]) -> None:
        canvas = self._canvas
        for shape in shapes:
            if isinstance(shape, Text):
                self._text(shape)
            elif isinstance(shape, Polygon):
                self._polygon(shape)
            elif isinstance(shape, Disc):
                canvas.setFillColorRGB(*_share(shape.fill))
                canvas.circle(*shape.centre_mm, shape.radius_mm, stroke=0, fill=1)
            elif isinstance(shape, Ring):
                canvas.setStrokeColorRGB(*_share(shape.rgb))
                canvas.setLineWidth(shape.width_mm)
                canvas.circle(*shape.centre_mm, shape.radius_mm, stroke=1, fill=0)
            else:
                canvas.setStrokeColorRGB(*_share(shape.rgb))
                canvas.setLineWidth(shape.width_mm)
                canvas.setLineCap(0)
                canvas.line(*shape.a_mm, *shape.b_mm)

    def _polygon(self, shape: Polygon) -> None:
        canvas = self._canvas
        path = canvas.beginPath()
        path.moveTo(*shape.points_mm[0])
        for point in shape.points_mm[1:]:
            path.lineTo(*point)
        path.close()
        if shape.fill is not None:
            canvas.setFillColorRGB(*_share(shape.fill))
        if shape.stroke is not None:
            canvas.setStrokeColorRGB(*_share(shape.stroke))
            canvas.setLineWidth(shape.stroke_mm)
            canvas.setLineJoin(0)
        canvas.drawPath(path, stroke=int(shape.stroke is not None), fill=int(shape.fill is not None))

    def _text(self, text: Text) -> None:
        canvas = self._canvas
        canvas.saveState()
        canvas.translate(*text.at_mm)
        canvas.scale(1, -1)  # letters would stand on their heads
        canvas.setFillColorRGB(*_share(text.rgb))
        canvas.setFont("Helvetica", text.size_mm)
        canvas.drawCentredString(0, -text.size_mm * 0.35, text.text)
        canvas.restoreState()


def _share(rgb: Rgb) -> tuple[float, float, float]:
    return rgb[0] / 255, rgb[1] / 255, rgb[2] / 255


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
