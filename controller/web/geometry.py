"""A set's geometry as the page needs it: where sites, lights and pieces are drawn, in millimetres on the sheet."""

from __future__ import annotations

import re
from typing import Any

from vision.boardset import BoardSet, Site

Box = tuple[float, float, float, float]

BAR_GAP_MM = 15.0  # from the outermost site to the middle of a player's bar
FRAME_MM = 26.0  # from the outermost site to the edge of the picture, bars included
SIDE_MM = 42.0  # table top shown left and right of the sheet, where pieces can be laid
EDGE_MM = 42.0  # the sheet shown above and below the outermost sites
ROUND_MM = 5.0  # the table shown above and below a sheet that is shown whole
LABEL_MM = 6.0  # from the outermost squares to the middle of their names


def set_json(board: BoardSet) -> dict[str, Any]:
    """`sheet` [w, h]; `crop`, `table` [x, y, w, h]: the board alone, and with the table beside the sheet; all mm."""
    left, top, right, bottom = _extent(board)
    width, height = board.sheet_mm
    # Rails reach almost to the edges of the sheet: then all of it is shown.
    low, high = (-ROUND_MM, height + ROUND_MM) if board.rails else (top - EDGE_MM, bottom + EDGE_MM)
    return {
        "name": board.name,
        "game": board.game,
        "sheet": [width, height],
        "crop": [left - FRAME_MM, top - FRAME_MM, right - left + 2 * FRAME_MM, bottom - top + 2 * FRAME_MM],
        "table": [-SIDE_MM, low, width + 2 * SIDE_MM, high - low],
        "token": {"shape": board.tokens.shape, "size": board.tokens.size_mm},
        "kinds": list(board.kinds),
        "sites": {
            site.id: {
                "centre": [round(value, 2) for value in board.centre(site)],
                "polygon": [list(point) for point in site.polygon_mm],
            }
            for site in board.sites
        }
        | _slots(board),
        "platforms": _cards(board),
        "bars": _bars(board),
        "labels": _labels(board),
    }


def _extent(board: BoardSet) -> Box:
    points = [point for site in board.sites for point in site.polygon_mm]
    points += [corner for rail in board.rails.values() for corner in rail]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _labels(board: BoardSet) -> list[tuple[str, float, float, str]]:
    """Names as (text, x, y, class): columns and rows beside a board of squares, elsewhere each site's in its corner."""
    centres = {site.id: board.centre(site) for site in board.sites}
    parts = {name: found for name in centres if (found := re.fullmatch(r"([A-Za-z])(\d+)", name))}
    xs: dict[str, set[float]] = {}
    ys: dict[str, set[float]] = {}
    for name, (x, y) in centres.items():
        if found := parts.get(name):
            xs.setdefault(found[1], set()).add(round(x, 1))
            ys.setdefault(found[2], set()).add(round(y, 1))
    if len(parts) < len(centres) or any(len(found) > 1 for found in (*xs.values(), *ys.values())):
        return [_in_corner(site, centres[site.id]) for site in board.sites]
    corners = [point for site in board.sites for point in site.polygon_mm]
    left, bottom = min(x for x, _ in corners), max(y for _, y in corners)
    columns = [(name, min(found), bottom + LABEL_MM, "beside") for name, found in xs.items()]
    return columns + [(name, left - LABEL_MM, min(found), "beside") for name, found in ys.items()]


def _in_corner(site: Site, centre: tuple[float, float]) -> tuple[str, float, float, str]:
    """Near the corner that lies furthest to the bottom left, where a piece leaves room."""
    x, y = max(site.polygon_mm, key=lambda point: point[1] - point[0])
    return site.id, round(x + 0.21 * (centre[0] - x), 2), round(y + 0.21 * (centre[1] - y), 2), "corner"


def _cards(board: BoardSet) -> dict[str, list[float]]:
    """Each platform as [x, y, w, h], in the middle of its rail: where it really stands is no part of a position."""
    card = board.platforms
    if card is None:
        return {}
    return {
        name: [
            (left + right) / 2 - card.width_mm / 2,
            (top + bottom) / 2 - card.depth_mm / 2,
            card.width_mm,
            card.depth_mm,
        ]
        for name, ((left, top), (right, bottom)) in board.rails.items()
    }


def _slots(board: BoardSet) -> dict[str, dict[str, Any]]:
    """The slots of the platforms as sites ("south.1" is next to the board)."""
    card = board.platforms
    if card is None:
        return {}
    ys = [y for site in board.sites for _, y in site.polygon_mm]
    middle = (min(ys) + max(ys)) / 2
    found = {}
    for name, (x, y, width, depth) in _cards(board).items():
        step = depth / card.slots
        away = 1 if y > middle else -1
        mouth = y if away > 0 else y + depth
        for slot in range(card.slots):
            near, far = mouth + away * slot * step, mouth + away * (slot + 1) * step
            found[f"{name}.{slot + 1}"] = {
                "centre": [x + width / 2, (near + far) / 2],
                "polygon": [[x, near], [x + width, near], [x + width, far], [x, far]],
            }
    return found


def _bars(board: BoardSet) -> dict[str, dict[str, list[float]]]:
    """Each player's strip as a line `from`-`to`, left to right as the seated player sees it; one edge may seat two."""
    left, top, right, bottom = _extent(board)
    edges = {player: _edge(seat, board) for player, seat in board.seats.items()}
    bars = {}
    for player, edge in edges.items():
        along = 0 if edge in ("south", "north") else 1
        low, high = ((left, right), (top, bottom))[along]
        beside = sorted((seat[along], other) for other, seat in board.seats.items() if edges[other] == edge)
        share = (high - low) / len(beside)
        start = low + share * [other for _, other in beside].index(player)
        first, last = start + share * 0.22, start + share * 0.82
        if edge == "south":
            ends = [first, bottom + BAR_GAP_MM], [last, bottom + BAR_GAP_MM]
        elif edge == "north":
            ends = [last, top - BAR_GAP_MM], [first, top - BAR_GAP_MM]
        elif edge == "west":
            ends = [left - BAR_GAP_MM, first], [left - BAR_GAP_MM, last]
        else:
            ends = [right + BAR_GAP_MM, last], [right + BAR_GAP_MM, first]
        bars[player] = {"from": ends[0], "to": ends[1]}
    return bars


def _edge(seat: tuple[float, float], board: BoardSet) -> str:
    """The edge of the sheet that is nearest to a seat."""
    x, y = seat
    width, height = board.sheet_mm
    return min(("south", height - y), ("north", y), ("west", x), ("east", width - x), key=lambda item: item[1])[0]
