"""A board with its pieces as a picture (BGR), pieces at rest or on their way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from controller.drawing.layout import Layout, Piece
from controller.drawing.lettering import write
from controller.rules.api import Shift
from vision.artwork import draw, token_shapes
from vision.boardset import Point, Rgb
from vision.shapes import Polygon, rectangle

Image = npt.NDArray[np.uint8]

INK: Rgb = (42, 33, 26)
SOFT: Rgb = (106, 92, 78)
PAPER: Rgb = (247, 242, 232)
SHEET: Rgb = (255, 253, 248)
LINE: Rgb = (217, 205, 185)
BLUE: Rgb = (29, 79, 168)
LAST: Rgb = (47, 111, 224)
CARD: Rgb = (201, 201, 201)
SHADOW = 0.3


@dataclass(frozen=True)
class Easel:
    """Where on a picture a set's board is painted: `px_per_mm`, and where the corner of its crop lies, in pixels."""

    layout: Layout
    px_per_mm: float
    corner_px: Point = (0.0, 0.0)

    @classmethod
    def within(cls, layout: Layout, box_px: tuple[float, float, float, float]) -> Easel:
        """As large as it can be in the middle of a box (x, y, width, height in pixels)."""
        _, _, width, height = layout.crop_mm
        x, y, wide, high = box_px
        scale = min(wide / width, high / height)
        return cls(layout, scale, (x + (wide - width * scale) / 2, y + (high - height * scale) / 2))

    @property
    def origin_mm(self) -> Point:
        """The sheet's point at the picture's top left corner."""
        left, top, _, _ = self.layout.crop_mm
        return left - self.corner_px[0] / self.px_per_mm, top - self.corner_px[1] / self.px_per_mm

    def pixel(self, at_mm: Point) -> Point:
        """Where a point of the sheet lies on the picture."""
        x, y = self.origin_mm
        return (at_mm[0] - x) * self.px_per_mm, (at_mm[1] - y) * self.px_per_mm

    def board(self, image: Image) -> None:
        """The empty board, with the names of its sites."""
        left, top, width, height = self.layout.crop_mm
        scale, origin = self.px_per_mm, self.origin_mm
        draw(image, [Polygon(rectangle(left, top, width, height), SHEET, LINE, 0.8)], scale, origin)
        cards = [
            Polygon(rectangle(x, y, wide, high), CARD, INK, 1.2)
            for x, y, wide, high in self.layout.geometry["platforms"].values()
        ]
        draw(image, [*self.layout.shapes, *cards], scale, origin)
        for name, x, y, where in self.layout.geometry["labels"]:
            size_mm = 8.0 if where == "beside" else 5.6
            at = self.pixel((x, y + size_mm * 0.36))
            write(image, name, at, max(8.0, size_mm * scale), SOFT, bold=True, anchor="middle")

    def marks(self, image: Image, shifts: Iterable[Shift], rgb: Rgb = LAST) -> None:
        """Where pieces went from, thin, and to, as on the page."""
        for shift in shifts:
            for site, width_mm in ((shift.origin, 0.9), (shift.to, 2.0)):
                outline = self.layout.outline(site) if site is not None else None
                if outline is not None:
                    draw(image, [Polygon(outline, None, rgb, width_mm)], self.px_per_mm, self.origin_mm)

    def piece(self, image: Image, kind: str, at_mm: Point, raised: float = 0.0) -> None:
        """One piece with its shadow; `raised` 0 on the board to 1 in the hand."""
        board = self.layout.board
        if kind not in board.kinds:
            return
        self._shadow(image, (at_mm[0], at_mm[1] + 1.2 + 4.0 * raised), 0.8 + 2.0 * raised)
        x, y = self.origin_mm
        draw(image, token_shapes(board, kind), self.px_per_mm, (x - at_mm[0], y - at_mm[1]))

    def _shadow(self, image: Image, at_mm: Point, soft_mm: float) -> None:
        tokens, scale = self.layout.board.tokens, self.px_per_mm
        x, y = self.pixel(at_mm)
        reach = round((tokens.size_mm / 2 + 3 * soft_mm) * scale) + 2
        left, top = round(x) - reach, round(y) - reach
        height, width = image.shape[:2]
        if left < 0 or top < 0 or left + 2 * reach > width or top + 2 * reach > height:
            return
        dark: npt.NDArray[np.floating] = np.zeros((2 * reach, 2 * reach), np.float32)
        half = tokens.size_mm / 2 * scale
        if tokens.shape == "disc":
            cv2.circle(dark, (reach, reach), round(half), 1.0, -1, cv2.LINE_AA)
        else:
            cv2.rectangle(dark, (reach - round(half),) * 2, (reach + round(half),) * 2, 1.0, -1)
        dark = np.asarray(cv2.GaussianBlur(dark, (0, 0), max(0.6, soft_mm * scale)), np.float32)
        part = image[top : top + 2 * reach, left : left + 2 * reach]
        ground = np.array((8, 22, 40), np.float32)
        part[:] = np.round(part + dark[..., None] * SHADOW * (ground - part)).astype(np.uint8)

    def pieces(self, image: Image, pieces: Iterable[Piece]) -> None:
        """Pieces at rest."""
        for piece in pieces:
            self.piece(image, piece.kind, piece.at_mm)


@dataclass(frozen=True)
class Journey:
    """A piece on its way: from nothing (put on the board) or to nothing (taken off) where None."""

    kind: str
    start_mm: Point | None
    end_mm: Point | None

    def at(self, share: float) -> Point | None:
        """Where it is after a share of the time, 0 to 1, on a slight bow, as a hand carries; None when it is away."""
        if self.start_mm is None or self.end_mm is None:
            return self.end_mm if share >= 0.5 else self.start_mm
        ease = share * share * (3 - 2 * share)
        (ax, ay), (bx, by) = self.start_mm, self.end_mm
        length = max(1e-9, float(np.hypot(bx - ax, by - ay)))
        bow = min(12.0, length * 0.1) * 4 * ease * (1 - ease) / length
        return ax + (bx - ax) * ease - (by - ay) * bow, ay + (by - ay) * ease + (bx - ax) * bow


def journeys(
    layout: Layout,
    before: Sequence[Piece],
    after: Sequence[Piece],
    shifts: Iterable[Shift],
) -> tuple[list[Piece], list[Journey]]:
    """Which pieces stay where they are, and the ways of the others."""
    staying = [piece for piece in before if piece in after]
    gone = [piece for piece in before if piece not in after]
    come = [piece for piece in after if piece not in before]
    ways: list[Journey] = []
    for shift in shifts:
        kind = layout.own(shift.piece)
        origin = _taken(gone, kind, layout.own(shift.origin) if shift.origin else None)
        to = _taken(come, kind, layout.own(shift.to) if shift.to else None)
        if origin or to:
            ways.append(Journey(kind, origin.at_mm if origin else None, to.at_mm if to else None))
    for piece in list(come):  # what only makes room on its site
        origin = _taken(gone, piece.kind, piece.site) or _taken(gone, piece.kind, None, anywhere=True)
        come.remove(piece)
        ways.append(Journey(piece.kind, origin.at_mm if origin else None, piece.at_mm))
    return staying, [*ways, *(Journey(piece.kind, piece.at_mm, None) for piece in gone)]


def _taken(pieces: list[Piece], kind: str, site: str | None, anywhere: bool = False) -> Piece | None:
    """Take a piece of this kind from the list, from this site."""
    found = next((one for one in pieces if one.kind == kind and (anywhere or one.site == site)), None)
    if found is not None:
        pieces.remove(found)
    return found
