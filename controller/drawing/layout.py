"""Where pieces are drawn on a set's sheet, in its millimetres; the same places as on the page (board.js)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from controller.web.geometry import set_json
from vision.artwork import board_shapes
from vision.boardset import BoardSet, Point
from vision.shapes import Polygon, Shape

SPREAD = 0.36
"""Of the way from a triangle's middle to its corners: where the pieces of a stack stand."""


@dataclass(frozen=True)
class Piece:
    """A piece on the sheet, in the set's names; `index`: which of those on its site."""

    site: str
    kind: str
    at_mm: Point


@dataclass(frozen=True)
class Layout:
    """A set as it is drawn."""

    board: BoardSet

    @cached_property
    def geometry(self) -> Mapping[str, Any]:
        """As the page is told it."""
        return set_json(self.board)

    @cached_property
    def crop_mm(self) -> tuple[float, float, float, float]:
        """What is shown of the sheet: x, y, width, height."""
        left, top, width, height = self.geometry["crop"]
        return left, top, width, height

    @cached_property
    def _own(self) -> Mapping[str, str]:
        return {ours: own for own, ours in self.board.names.items()}

    def own(self, name: str) -> str:
        """A site or kind of the game in the set's own names."""
        return self._own.get(name, name)

    def pieces(self, on: Mapping[str, tuple[str, ...]]) -> tuple[Piece, ...]:
        """Where each piece stands; pieces on sites that the set lacks are left out."""
        found = []
        for site, kinds in sorted(on.items()):
            own = self.own(site)
            if own in self.geometry["sites"]:
                for index, kind in enumerate(kinds):
                    found.append(Piece(own, self.own(kind), self.spot(own, index, len(kinds))))
        return tuple(found)

    def spot(self, site: str, index: int, count: int) -> Point:
        """Where a piece of a stack stands: towards the corners of a triangle, elsewhere side by side."""
        told = self.geometry["sites"][site]
        (x, y), corners = told["centre"], told["polygon"]
        if count > 1 and len(corners) == 3:
            corner_x, corner_y = corners[index % 3]
            return x + (corner_x - x) * SPREAD, y + (corner_y - y) * SPREAD
        aside = (index - (count - 1) / 2) * self.board.tokens.size_mm * 0.45
        return x + aside, y - aside * 0.4

    def outline(self, site: str, inset: float = 0.93) -> tuple[Point, ...] | None:
        """A site's border a little inside, in the game's or the set's names; None for a site that the set lacks."""
        told = self.geometry["sites"].get(self.own(site))
        if told is None:
            return None
        x, y = told["centre"]
        return tuple((x + (px - x) * inset, y + (py - y) * inset) for px, py in told["polygon"])

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        """The board alone, back to front: sites and rails, without the sheet's tags and colours."""
        found = (shape for shape in board_shapes(self.board) if isinstance(shape, Polygon))
        return tuple(shape for shape in found if shape.site is not None or shape.fill is None)
