"""Printable helpers that belong to no game: the lens-calibration board, and tag stickers for people's own boards."""

from __future__ import annotations

from calibration.marks import foot
from calibration.pdf import CUT, EDGE_MM, INK, Pdf, paper_named
from vision.artwork import tag_shapes
from vision.boardset import Rgb
from vision.shapes import Line, Polygon, Shape, Text, rectangle

BLACK: Rgb = (0, 0, 0)
SQUARE_MM, MARKER_MM = 25.0, 18.0
CHARUCO_DICTIONARY = "DICT_5X5_100"
"""Another dictionary than the sets' tags, so that a calibration board is never taken for a game."""
STICKER_DICTIONARY = "DICT_APRILTAG_36h11"
FIRST_STICKER = 40
"""Ids below belong to the sets that ship with Boardref."""
STICKER_MM, QUIET_MM = 24.0, 6.0


def charuco_size(paper: str) -> tuple[int, int]:
    """Squares across and down of the calibration board on a paper."""
    width, height = paper_named(paper)
    return int((width - 2 * EDGE_MM) // SQUARE_MM), int((height - 2 * EDGE_MM - 8.0) // SQUARE_MM)


def charuco_pdf(paper: str = "a4") -> bytes:
    """A ChArUco board as cv2.aruco.CharucoBoard numbers it: squares of 25 mm, markers of 18 mm, black top left."""
    columns, rows = charuco_size(paper)
    pdf = Pdf("Boardref calibration board", "Boardref", paper_named(paper))
    canvas = pdf.begin()
    left, top = (pdf.paper_mm[0] - columns * SQUARE_MM) / 2, EDGE_MM
    words = f"calibration board: {columns} x {rows} squares of {SQUARE_MM:g} mm, markers {MARKER_MM:g} mm"
    words += f", {CHARUCO_DICTIONARY}; glue it on something flat"
    pdf.text(Text((pdf.paper_mm[0] / 2, pdf.paper_mm[1] - 6.5), words, 3.2, INK))
    pdf.draw(foot(pdf.paper_mm[0], pdf.paper_mm[1] - EDGE_MM))
    canvas.translate(left, top)
    shapes: list[Shape] = []
    marker = 0
    for row in range(rows):
        for column in range(columns):
            x, y = column * SQUARE_MM, row * SQUARE_MM
            if (row + column) % 2 == 0:
                shapes.append(Polygon(rectangle(x, y, SQUARE_MM, SQUARE_MM), BLACK))
            else:
                middle = (x + SQUARE_MM / 2, y + SQUARE_MM / 2)
                shapes.extend(tag_shapes(CHARUCO_DICTIONARY, marker, middle, MARKER_MM))
                marker += 1
    pdf.draw(shapes)
    pdf.end()
    return pdf.finish()


def sticker_centres(paper: str) -> list[tuple[float, float]]:
    """Where the stickers of one page stand, in mm from its top-left corner, in the order of their ids."""
    width, height = paper_named(paper)
    pitch = STICKER_MM + 2 * QUIET_MM
    columns, rows = int((width - 2 * EDGE_MM) // pitch), int((height - 2 * EDGE_MM - 8.0) // pitch)
    left = (width - columns * pitch) / 2
    return [
        (left + (column + 0.5) * pitch, EDGE_MM + 8.0 + (row + 0.5) * pitch)
        for row in range(rows)
        for column in range(columns)
    ]


def stickers_pdf(paper: str = "a4") -> bytes:
    """A page of tags of 24 mm, each with its white border and its number, ids from 40."""
    pdf = Pdf("Boardref tag stickers", "Boardref", paper_named(paper))
    pdf.begin()
    words = f"tags for your own board ({STICKER_DICTIONARY}, side {STICKER_MM:g} mm)"
    words += ": cut along the lines, keep the white border"
    pdf.text(Text((pdf.paper_mm[0] / 2, EDGE_MM + 2.0), words, 3.6, INK))
    pdf.draw(foot(pdf.paper_mm[0], pdf.paper_mm[1] - EDGE_MM))
    half = STICKER_MM / 2 + QUIET_MM
    for place, (x, y) in enumerate(sticker_centres(paper)):
        tag = FIRST_STICKER + place
        corners = rectangle(x - half, y - half, 2 * half, 2 * half)
        pdf.draw([Line(a, b, 0.12, CUT) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)])
        pdf.draw(tag_shapes(STICKER_DICTIONARY, tag, (x, y), STICKER_MM))
        pdf.text(Text((x, y + half - 1.8), str(tag), 2.4, INK))
    pdf.end()
    return pdf.finish()
