"""On which sites tokens stand. Along a track only their order counts: they take its cells in order, one each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import inf

import cv2
import numpy as np

from vision.boardset import BoardSet, Point, SetKey, Site, border_distance, contains
from vision.platforms import Card, slot_sites
from vision.registration import Array
from vision.sighting import Token
from vision.tokens import Found

NEAR_MM = 3.0
TIE_NATS = -3.0
"""A kind this likely beside the best leaves its site in doubt."""


@dataclass(frozen=True)
class Area:
    """One site, or the sites of a track, in order. `polygon_mm`: round all of them; `middles_mm` (n, 2)."""

    sites: tuple[str, ...]
    polygon_mm: tuple[Point, ...]
    middles_mm: Array
    box_mm: tuple[float, float, float, float]

    @classmethod
    def of(cls, sites: Sequence[Site], middles: Sequence[Point]) -> Area:
        """Of one site its own polygon, of several their hull."""
        polygon = sites[0].polygon_mm
        if len(sites) > 1:
            every = np.array([point for site in sites for point in site.polygon_mm], np.float32)
            polygon = tuple((float(x), float(y)) for x, y in cv2.convexHull(every)[:, 0])
        xs, ys = zip(*polygon, strict=True)
        return cls(tuple(site.id for site in sites), polygon, np.array(middles), (min(xs), min(ys), max(xs), max(ys)))

    @cached_property
    def along(self) -> tuple[Array, Array]:
        """The way from the first site to the last, a unit vector, and how far along it each middle lies (n,), in mm."""
        way = self.middles_mm[-1] - self.middles_mm[0]
        axis = way / np.linalg.norm(way)
        return axis, self.middles_mm @ axis

    def nearest(self, x_mm: float, y_mm: float) -> str:
        """The site whose middle is nearest."""
        return self.sites[int(np.argmin(np.hypot(*(self.middles_mm - (x_mm, y_mm)).T)))]

    def is_near(self, x_mm: float, y_mm: float) -> bool:
        """Whether a point is inside or so near that it might be."""
        left, top, right, bottom = self.box_mm
        return left - NEAR_MM <= x_mm <= right + NEAR_MM and top - NEAR_MM <= y_mm <= bottom + NEAR_MM


@lru_cache(maxsize=8)
def _areas(key: SetKey) -> tuple[Area, ...]:
    board_set = key.board_set
    of_track = {site: name for name, sites in board_set.tracks.items() for site in sites}
    tracks = [[board_set.site(site) for site in sites] for sites in board_set.tracks.values()]
    alone = [[site] for site in board_set.sites if site.id not in of_track]
    return tuple(Area.of(sites, [board_set.centre(site) for site in sites]) for sites in (*alone, *tracks))


@dataclass(frozen=True)
class Ground:
    """Everything on which tokens can stand in one picture: the board's areas and the platforms'.

    `slots`: the slots of the platforms that are seen; `cards`: those platforms, by rail.
    """

    areas: tuple[Area, ...]
    slots: tuple[Site, ...]
    cards: Mapping[str, Card | None]

    @classmethod
    def of(cls, board_set: BoardSet, cards: Mapping[str, Card | None]) -> Ground:
        """The board's own areas with those of the cards where they lie."""
        areas = list(_areas(SetKey(board_set)))
        slots: list[Site] = []
        for card in cards.values():
            if card is not None:
                mine = slot_sites(board_set, card)
                slots += mine
                areas.append(Area.of(mine, [board_set.centre(site) for site in mine]))
        return cls(tuple(areas), tuple(slots), cards)

    def home(self, x_mm: float, y_mm: float) -> Area | None:
        """The area that contains the point; a platform lies above all else."""
        return self._home(self._near(x_mm, y_mm), x_mm, y_mm)

    def _near(self, x_mm: float, y_mm: float) -> list[Area]:
        return [area for area in self.areas if area.is_near(x_mm, y_mm)]

    def _all_near(self, points_mm: Sequence[Point]) -> list[list[Area]]:
        """For each point the areas that it is near to: `_near` of all at once."""
        if not points_mm or not self.areas:
            return [[] for _ in points_mm]
        left, top, right, bottom = np.array([area.box_mm for area in self.areas]).T
        x, y = np.array(points_mm).T[:, :, None]
        near = (x >= left - NEAR_MM) & (x <= right + NEAR_MM) & (y >= top - NEAR_MM) & (y <= bottom + NEAR_MM)
        found: list[list[Area]] = [[] for _ in points_mm]
        for point, index in np.argwhere(near).tolist():
            found[point].append(self.areas[index])
        return found

    @staticmethod
    def _home(near: Sequence[Area], x_mm: float, y_mm: float) -> Area | None:
        for area in reversed(near):
            if contains(area.polygon_mm, x_mm, y_mm):
                return area
        return None

    def place(self, found: Sequence[Found]) -> tuple[list[Token], frozenset[str]]:
        """Tokens on their sites, in the order given, and the sites in doubt.

        Those with a token within NEAR_MM of a border, and those whose token may be of two kinds.
        """
        around = self._all_near([token.centre_mm for token in found])
        homes = [self._home(near, *token.centre_mm) for near, token in zip(around, found, strict=True)]
        sites: list[str | None] = [None] * len(found)
        for area in {id(area): area for area in homes if area is not None}.values():
            mine = [index for index, home in enumerate(homes) if home is area]
            cells = _in_order(area, np.array([found[index].centre_mm for index in mine]))
            for index, cell in zip(mine, cells, strict=True):
                sites[index] = area.sites[cell]
        tokens, uncertain = [], set()
        for token, home, site, nearby in zip(found, homes, sites, around, strict=True):
            x, y = token.centre_mm
            beside = [area for area in nearby if border_distance(area.polygon_mm, x, y) < NEAR_MM]
            near = tuple(sorted(area.nearest(x, y) for area in beside if area is not home))
            if beside:
                uncertain.update([*near, *([site] if site else [])])
            if site and len(token.likelihoods) > 1 and sorted(token.likelihoods.values())[-2] > TIE_NATS:
                uncertain.add(site)
            tokens.append(Token(token.kind, site, (round(x, 2), round(y, 2)), token.likelihoods, near))
        return tokens, frozenset(uncertain)


def _in_order(area: Area, centres_mm: Array) -> list[int]:
    """The cell of each token: those nearest of all that keep the tokens' order; with too many tokens, the nearest."""
    cells = len(area.sites)
    if cells == 1:
        return [0] * len(centres_mm)
    axis, middles = area.along
    along = centres_mm @ axis
    order = np.argsort(along, kind="stable")
    cost = ((along[order][:, None] - middles[None]) ** 2).tolist()
    count = len(order)
    if count > cells:
        chosen = [row.index(min(row)) for row in cost]
    else:
        # best[n][c]: least cost of the first n + 1 tokens with the last of them on cell c
        best, came = cost[0], []
        for token in range(1, count):
            now, by = [inf] * cells, [0] * cells
            before = best.index(min(best[:token]))
            for cell in range(token, cells):
                if best[cell - 1] < best[before]:
                    before = cell - 1
                by[cell], now[cell] = before, best[before] + cost[token][cell]
            best = now
            came.append(by)
        chosen = [best.index(min(best))]
        for by in reversed(came):
            chosen.insert(0, by[chosen[0]])
    cell_of = [0] * count
    for place, index in enumerate(order):
        cell_of[int(index)] = int(chosen[place])
    return cell_of
