"""Where lights lie at a physical set: maps made from its TOML, and the places of the table that lights may reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import hypot

from firmware_bridge.lightmap import BAR_LEDS, LightMap
from firmware_bridge.scene import Scene
from vision.boardset import BoardSet, Point
from vision.glow import Area

SPILL_MM = 14.0
"""How far beyond its site a site's light tints the sheet."""
BAR_MM, BAR_OUT_MM, BAR_IN_MM = 85.0, 45.0, 25.0
"""A bar reaches so far to both sides of the seat, off the sheet, and onto it."""
LED_STEP_MM, BAR_OFF_MM = 16.7, 8.0
FRAME_OUT_MM, FRAME_IN_MM = 35.0, 14.0
"""The same of a strip round the frame."""
CORNERS = ("top-left", "top-right", "bottom-right", "bottom-left")


def default_map(
    board: BoardSet, players: Sequence[str], *, leds: int = BAR_LEDS, sites: bool = True, lamp: bool = True
) -> LightMap:
    """A light at each site in the set's order, under its game's name, and a bar of `leds` at each player's seat.

    Without bars (`leds` 0) the sites nearest to a seat are that player's bar; without `sites` there are bars alone.
    """
    names = [board.names.get(site.id, site.id) for site in board.sites] if sites else []
    whole = replace(LightMap.of(names, players if leds else (), leds), lamp=lamp)
    if leds or not sites:
        return whole
    near = {player: _nearest_row(board, board.seats[player]) for player in players if player in board.seats}
    stretches = {player: tuple(whole.sites[site] for site in row) for player, row in near.items()}
    return replace(whole, stretches=stretches)


def frame_map(
    board: BoardSet,
    players: Sequence[str],
    leds: int,
    *,
    start: str = CORNERS[0],
    clockwise: bool = True,
    bar: int = BAR_LEDS,
    lamp: bool = True,
) -> LightMap:
    """A strip of `leds` round the sheet, LED 0 at the corner `start`. No site has a light of its own.

    A site is marked at the nearer end of its row and of its column; a player's bar are the `bar` LEDs nearest to the
    seat, counted from the player's left, each LED with the seat it is nearest to.
    """
    places = frame_places(board, leds, start=start, clockwise=clockwise)
    width, height = board.sheet_mm
    marks = {}
    for site in board.sites:
        x, y = board.centre(site)
        aside = (0.0 if x <= width / 2 else width, y)
        along = (x, 0.0 if y <= height / 2 else height)
        ends = dict.fromkeys(_closest(places, end) for end in (aside, along))
        marks[board.names.get(site.id, site.id)] = tuple(ends)
    stretches = {}
    seats = {player: board.seats[player] for player in players if player in board.seats} if bar > 0 else {}
    owners = [min(seats, key=lambda player: _apart(place, seats[player])) for place in places] if seats else []
    for player, seat in seats.items():
        own = (i for i, owner in enumerate(owners) if owner == player)
        if nearest := sorted(own, key=lambda i: (_apart(places[i], seat), i))[:bar]:
            left = _left_of(board, seat)
            nearest.sort(key=lambda i: -(places[i][0] * left[0] + places[i][1] * left[1]))
            stretches[player] = tuple(nearest)
    return LightMap(lamp=lamp, marks=marks, stretches=stretches)


def frame_places(board: BoardSet, leds: int, *, start: str = CORNERS[0], clockwise: bool = True) -> list[Point]:
    """Where the LEDs of a strip round the sheet lie, evenly spaced on its edge, the first one at a corner."""
    width, height = board.sheet_mm
    corners: list[Point] = [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)]
    first = CORNERS.index(start)
    order = [corners[(first + (i if clockwise else -i)) % 4] for i in range(5)]
    step_mm, places = 2 * (width + height) / leds, []
    for i in range(leds):
        left_mm = i * step_mm
        for a, b in pairwise(order):
            side_mm = _apart(a, b)
            if left_mm <= side_mm:
                share = left_mm / side_mm
                places.append((a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share))
                break
            left_mm -= side_mm
    return places


def lit_areas(board: BoardSet, lightmap: LightMap, scene: Scene) -> tuple[Area, ...]:
    """The places of the table that the lights of `scene` may reach, those of the bars always."""
    own = {name: ours for ours, name in board.names.items()}
    polygons = {site.id: site.polygon_mm for site in board.sites}
    sites = {site for site in scene.sites if site in lightmap.sites}
    as_bars = {index for player in scene.bars for index in lightmap.stretches.get(player, ())}
    sites |= {site for site, index in lightmap.sites.items() if index in as_bars}
    areas = [_grown(polygons[ours]) for site in sorted(sites) if (ours := own.get(site, site)) in polygons]
    areas += [_bar_area(board, board.seats[player]) for player in lightmap.bars if player in board.seats]
    if lightmap.marks or (lightmap.stretches and not lightmap.sites):
        areas += _frame_areas(board.sheet_mm)
    return tuple(areas)


def bar_places(board: BoardSet, player: str, leds: int) -> list[Point]:
    """Where the LEDs of the bar at a player's seat lie, from the player's left, just off the sheet."""
    if player not in board.seats:
        return []
    seat = board.seats[player]
    (ox, oy), (lx, ly) = _outward(board, seat), _left_of(board, seat)
    steps = [((leds - 1) / 2 - i) * LED_STEP_MM for i in range(leds)]
    return [(seat[0] + lx * step + ox * BAR_OFF_MM, seat[1] + ly * step + oy * BAR_OFF_MM) for step in steps]


def unknown_places(board: BoardSet, lightmap: LightMap) -> list[str]:
    """Sites and players of a map that this set doesn't have."""
    sites = {board.names.get(place, place) for place in board.places}
    named = [*lightmap.sites, *lightmap.marks]
    return [*(site for site in named if site not in sites), *(p for p in _players(lightmap) if p not in board.seats)]


def _players(lightmap: LightMap) -> Mapping[str, object]:
    return {**lightmap.bars, **lightmap.stretches}


def _apart(a: Point, b: Point) -> float:
    return hypot(a[0] - b[0], a[1] - b[1])


def _closest(places: Sequence[Point], to: Point) -> int:
    return min(range(len(places)), key=lambda i: (_apart(places[i], to), i))


def _outward(board: BoardSet, seat: Point) -> Point:
    """From the sheet's middle towards a seat, at right angles to the nearest edge."""
    width, height = board.sheet_mm
    left, right = (seat[0], (-1.0, 0.0)), (width - seat[0], (1.0, 0.0))
    top, bottom = (seat[1], (0.0, -1.0)), (height - seat[1], (0.0, 1.0))
    return min((left, right, top, bottom), key=lambda edge: edge[0])[1]


def _left_of(board: BoardSet, seat: Point) -> Point:
    """The direction to the left of who sits there and looks at the board."""
    out = _outward(board, seat)
    return -out[1], out[0]


def _nearest_row(board: BoardSet, seat: Point) -> list[str]:
    """The sites nearest to a seat and to no other, from the player's left; no more than a fifth of all."""
    left = _left_of(board, seat)
    centres = {board.names.get(site.id, site.id): board.centre(site) for site in board.sites}
    seats = list(board.seats.values())
    mine = [site for site, at in centres.items() if _apart(at, seat) <= min(_apart(at, other) for other in seats)]
    mine.sort(key=lambda site: _apart(centres[site], seat))
    row = mine[: max(1, len(centres) // 5)]
    return sorted(row, key=lambda site: -(centres[site][0] * left[0] + centres[site][1] * left[1]))


def _grown(polygon: Sequence[Point]) -> Area:
    """A convex polygon with its corners moved outwards."""
    x, y = (sum(values) / len(polygon) for values in zip(*polygon, strict=True))
    grown = []
    for corner in polygon:
        away = _apart(corner, (x, y))
        share = 1 + SPILL_MM * 1.4 / away if away else 1.0
        grown.append((x + (corner[0] - x) * share, y + (corner[1] - y) * share))
    return tuple(grown)


def _bar_area(board: BoardSet, seat: Point) -> Area:
    (ox, oy), (lx, ly) = _outward(board, seat), _left_of(board, seat)
    corners = ((BAR_MM, -BAR_IN_MM), (BAR_MM, BAR_OUT_MM), (-BAR_MM, BAR_OUT_MM), (-BAR_MM, -BAR_IN_MM))
    return tuple((seat[0] + lx * a + ox * o, seat[1] + ly * a + oy * o) for a, o in corners)


def _frame_areas(sheet_mm: Point) -> list[Area]:
    (width, height), out, inside = sheet_mm, FRAME_OUT_MM, FRAME_IN_MM
    boxes = (
        (-out, -out, width + out, inside),
        (-out, height - inside, width + out, height + out),
        (-out, -out, inside, height + out),
        (width - inside, -out, width + out, height + out),
    )
    return [((a, b), (c, b), (c, d), (a, d)) for a, b, c, d in boxes]
