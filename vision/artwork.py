"""BoardSet -> shapes in millimetres: what a set looks like.

Kit PDF, simulated camera, page SVG and mark templates all draw from here: one look, everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import cos, pi, sin

import cv2
import numpy as np
import numpy.typing as npt

from vision.boardset import BoardSet, Point, Rgb, Site
from vision.shapes import Disc, Line, Polygon, Ring, Shape, Text, outline, rectangle
from vision.svg import document

WHITE: Rgb = (255, 255, 255)
BLACK: Rgb = (0, 0, 0)
LABEL: Rgb = (122, 109, 84)
GRID: Rgb = (141, 129, 106)
GRID_MM = 0.4
"""Width of the line round a site, in mm, half of it on each side of the border."""


@lru_cache(maxsize=64)
def tag_bits(dictionary: str, tag: int) -> npt.NDArray[np.uint8]:
    """The cells of one tag, (n, n), 1 = white; the black border of one cell is included."""
    book = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    cells = book.markerSize + 2
    return (cv2.aruco.generateImageMarker(book, tag, cells, borderBits=1) > 127).astype(np.uint8)


def _runs(bits: npt.NDArray[np.uint8]) -> Iterable[tuple[int, int, int]]:
    """Runs of ones as (row, first column, length)."""
    for row, line in enumerate(bits):
        start = None
        for column in range(len(line) + 1):
            filled = column < len(line) and line[column]
            if filled and start is None:
                start = column
            elif not filled and start is not None:
                yield row, start, column - start
                start = None


def tag_shapes(dictionary: str, tag: int, centre_mm: Point, side_mm: float) -> tuple[Polygon, ...]:
    """One tag, upright: a black square and its white cells.

    White cells come as runs along rows and again along columns, so that no renderer shows hairlines between neighbours.
    """
    bits = tag_bits(dictionary, tag)
    cell = side_mm / len(bits)
    left, top = centre_mm[0] - side_mm / 2, centre_mm[1] - side_mm / 2
    shapes = [Polygon(rectangle(left, top, side_mm, side_mm), BLACK)]
    for row, column, length in _runs(bits):
        shapes.append(Polygon(rectangle(left + column * cell, top + row * cell, length * cell, cell), WHITE))
    for column, row, length in _runs(bits.T):
        if length > 1:
            shapes.append(Polygon(rectangle(left + column * cell, top + row * cell, cell, length * cell), WHITE))
    return tuple(shapes)


def board_shapes(board_set: BoardSet) -> tuple[Shape, ...]:
    """The whole printed sheet, back to front, in sheet millimetres."""
    width, height = board_set.sheet_mm
    shapes: list[Shape] = [Polygon(rectangle(0, 0, width, height), WHITE)]
    for rail in board_set.rails.values():
        (left, top), (right, bottom) = rail
        shapes.append(Polygon(rectangle(left, top, right - left, bottom - top), None, GRID, GRID_MM))
    for site in board_set.sites:
        shapes.append(Polygon(site.polygon_mm, site.fill, GRID, GRID_MM, site.id))
    tags = board_set.fiducials
    for tag, centre in zip(tags.ids, tags.centres_mm, strict=True):
        shapes.extend(tag_shapes(tags.dictionary, tag, centre, tags.side_mm))
    if board_set.reference is not None:
        side = board_set.reference.side_mm
        for patch in board_set.reference.patches:
            x, y = patch.centre_mm
            shapes.append(Polygon(rectangle(x - side / 2, y - side / 2, side, side), patch.rgb))
    return tuple(shapes)


def platform_shapes(board_set: BoardSet, rail: str, x_mm: float) -> tuple[Shape, ...]:
    """The platform of a rail with its middle at `x_mm`, in sheet millimetres; its outline lies inside its edge."""
    card = board_set.platforms
    if card is None:
        return ()
    top = min(board_set.rail_ends(rail))
    line = card.outline
    inset = line.width_mm / 2 if line is not None else 0.0
    corners = rectangle(
        x_mm - card.width_mm / 2 + inset, top + inset, card.width_mm - 2 * inset, card.depth_mm - 2 * inset
    )
    return (Polygon(corners, card.fill, *((line.rgb, line.width_mm) if line is not None else ())),)


def mark_shapes(board_set: BoardSet, kind: str) -> tuple[Shape, ...]:
    """The mark on a token's top, centred at the origin, upright; empty for tokens without marks."""
    colour, mark_name = board_set.split(kind)
    rgb = board_set.tokens.colours[colour].mark
    if mark_name is None or rgb is None:
        return ()
    mark, size = board_set.tokens.marks[mark_name], board_set.tokens.size_mm
    if mark.bars:
        reach = mark.length * size / 2
        angles = [pi / 2 + pi * index / mark.bars for index in range(mark.bars)]
        if mark.bars == 2:
            angles = [angle + pi / 4 for angle in angles]  # an X, not a plus
        return tuple(
            Line((-reach * cos(a), -reach * sin(a)), (reach * cos(a), reach * sin(a)), mark.stroke * size, rgb)
            for a in angles
        )
    if mark.ring:
        width = mark.stroke * size
        return (Ring((0.0, 0.0), mark.ring * size / 2 - width / 2, width, rgb),)
    if mark.triangle:
        reach = mark.triangle * size
        corners = [(reach * sin(2 * pi * n / 3), -reach * cos(2 * pi * n / 3)) for n in range(3)]
        return (Polygon(tuple(corners), rgb),)
    return (Disc((0.0, 0.0), mark.dot * size / 2, rgb),)


def token_shapes(board_set: BoardSet, kind: str) -> tuple[Shape, ...]:
    """The top of a token, centred at the origin, upright, in mm."""
    tokens = board_set.tokens
    body = tokens.colours[board_set.split(kind)[0]].body
    half = tokens.size_mm / 2
    shapes: list[Shape] = []
    if tokens.shape == "disc":
        shapes.append(Disc((0.0, 0.0), half, body))
        if tokens.rim is not None:
            shapes.append(Ring((0.0, 0.0), half - tokens.rim.width_mm / 2, tokens.rim.width_mm, tokens.rim.rgb))
    else:
        rim = tokens.rim
        inset = rim.width_mm / 2 if rim else 0.0
        side = tokens.size_mm - 2 * inset
        stroke, width = (rim.rgb, rim.width_mm) if rim else (None, 0.0)
        shapes.append(Polygon(rectangle(inset - half, inset - half, side, side), body, stroke, width))
    return (*shapes, *mark_shapes(board_set, kind))


def draw(
    image: npt.NDArray[np.uint8], shapes: Sequence[Shape], px_per_mm: float, origin_mm: Point = (0.0, 0.0)
) -> None:
    """Draw shapes on a BGR image (h, w, 3) in place; `origin_mm` is the sheet point at the image's top-left corner.

    A pixel's centre lies at (x + 0.5) / px_per_mm. Text is left out: nothing that is measured carries any.
    """

    def pixels(points_mm: npt.NDArray[np.float64]) -> npt.NDArray[np.int32]:
        return np.round(((points_mm - origin_mm) * px_per_mm - 0.5) * 256).astype(np.int32)

    for shape in shapes:
        if isinstance(shape, Text):
            continue
        fill = shape.fill if isinstance(shape, Polygon | Disc) else shape.rgb
        rings = [pixels(points) for points in outline(shape)]
        if fill is not None:
            cv2.fillPoly(image, rings, fill[::-1], cv2.LINE_AA, 8)
        if isinstance(shape, Polygon) and shape.stroke is not None:
            thick = max(1, round(shape.stroke_mm * px_per_mm))
            cv2.polylines(image, rings, True, shape.stroke[::-1], thick, cv2.LINE_AA, 8)


def raster(board_set: BoardSet, px_per_mm: float) -> npt.NDArray[np.uint8]:
    """The printed sheet as a BGR image (h, w, 3) at `px_per_mm`."""
    width, height = board_set.sheet_mm
    image = np.full((round(height * px_per_mm), round(width * px_per_mm), 3), 255, np.uint8)
    draw(image, board_shapes(board_set), px_per_mm)
    return image


def token_raster(board_set: BoardSet, kind: str, px_per_mm: float, ground: Rgb = WHITE) -> npt.NDArray[np.uint8]:
    """A token's top, upright, as a square BGR image as wide as the token, on `ground`."""
    size = board_set.tokens.size_mm
    side = round(size * px_per_mm)
    image = np.empty((side, side, 3), np.uint8)
    image[:] = ground[::-1]
    draw(image, token_shapes(board_set, kind), px_per_mm, (-size / 2, -size / 2))
    return image


def svg_board(board_set: BoardSet, labels: bool = True) -> str:
    """The sheet as an SVG document; with `labels`, each site's id stands small in its corner (class "label")."""
    shapes: list[Shape] = list(board_shapes(board_set))
    if labels:
        shapes += [_label(board_set, site) for site in board_set.sites]
    width, height = board_set.sheet_mm
    return document((0, 0), (width, height), f"board {board_set.name}", shapes)


def svg_token(board_set: BoardSet, kind: str) -> str:
    """A token's top as an SVG document, centred at the origin."""
    size = board_set.tokens.size_mm
    return document((-size / 2, -size / 2), (size, size), f"token {kind}", token_shapes(board_set, kind))


def _label(board_set: BoardSet, site: Site) -> Text:
    """Near the corner that lies furthest to the bottom left."""
    corner = max(site.polygon_mm, key=lambda point: point[1] - point[0])
    x, y = board_set.centre(site)
    return Text((corner[0] + 0.18 * (x - corner[0]), corner[1] + 0.18 * (y - corner[1])), site.id, 4.5, LABEL)
