"""Shapes in millimetres onto the pages of a PDF, exact and always with the same bytes."""

from __future__ import annotations

import io
from collections.abc import Sequence

from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from vision.boardset import Point, Rgb
from vision.errors import VisionError
from vision.shapes import Disc, Polygon, Ring, Shape, Text

PAPERS: dict[str, tuple[float, float]] = {"a3": (297.0, 420.0), "a4": (210.0, 297.0)}
"""Width and height in mm, upright."""
EDGE_MM = 10.0
"""What a printer may leave white round a page; used for everything but a sheet that fills its paper."""
CUT: Rgb = (120, 120, 120)
INK: Rgb = (90, 90, 90)


def paper_named(name: str) -> tuple[float, float]:
    """Width and height of a paper in mm. Raises VisionError."""
    if name not in PAPERS:
        raise VisionError(f"there is no paper {name!r} here; use {' or '.join(PAPERS)}")
    return PAPERS[name]


class Pdf:
    """A PDF being written. Between `begin` and `end` the canvas counts in mm from the page's top left, y down."""

    def __init__(self, title: str, author: str, paper_mm: tuple[float, float]) -> None:
        self.paper_mm = paper_mm
        self._file = io.BytesIO()
        self.canvas = Canvas(self._file, pagesize=self.page_pt(), pageCompression=1, invariant=1)
        self.canvas.setTitle(title)
        self.canvas.setAuthor(author)
        self.canvas.setCreator("Boardref")
        self.canvas.setViewerPreference("PrintScaling", "None")  # "fit to page" would spoil the scale

    def page_pt(self) -> tuple[float, float]:
        """The page's size in points."""
        return self.paper_mm[0] * mm, self.paper_mm[1] * mm

    def begin(self) -> Canvas:
        """Start a page."""
        self.canvas.saveState()
        self.canvas.transform(mm, 0, 0, -mm, 0, self.page_pt()[1])
        return self.canvas

    def end(self) -> None:
        """End a page."""
        self.canvas.restoreState()
        self.canvas.showPage()

    def finish(self) -> bytes:
        """The whole file."""
        self.canvas.save()
        return self._file.getvalue()

    def draw(self, shapes: Sequence[Shape]) -> None:
        """Draw shapes, back to front."""
        canvas = self.canvas
        for shape in shapes:
            if isinstance(shape, Text):
                self.text(shape)
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
        canvas = self.canvas
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

    def text(self, text: Text) -> None:
        """Write one line, centred on its place."""
        canvas = self.canvas
        canvas.saveState()
        canvas.translate(*text.at_mm)
        canvas.scale(1, -1)  # letters would stand on their heads
        canvas.setFillColorRGB(*_share(text.rgb))
        canvas.setFont("Helvetica", text.size_mm)
        canvas.drawCentredString(0, -text.size_mm * 0.35, text.text)
        canvas.restoreState()

    def line(self, at_mm: Point, words: str, size_mm: float, font: str = "Helvetica") -> None:
        """Write one line that begins at its place, narrowed where it would leave the page."""
        canvas = self.canvas
        room = self.paper_mm[0] - EDGE_MM - at_mm[0]
        narrow = min(1.0, room / canvas.stringWidth(words, font, size_mm))
        canvas.saveState()
        canvas.translate(*at_mm)
        canvas.scale(narrow, -narrow)
        canvas.setFillColorRGB(*_share(INK))
        canvas.setFont(font, size_mm)
        canvas.drawString(0, 0, words)
        canvas.restoreState()

    def heading(self, at_mm: Point, words: str, size_mm: float) -> None:
        """Write a bold line that begins at its place."""
        self.line(at_mm, words, size_mm, "Helvetica-Bold")


def _share(rgb: Rgb) -> tuple[float, float, float]:
    return rgb[0] / 255, rgb[1] / 255, rgb[2] / 255
