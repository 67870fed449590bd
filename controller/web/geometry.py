"""A set's geometry as the page needs it: where sites, lights and pieces are drawn, in millimetres on the sheet."""

from __future__ import annotations

from typing import Any

from vision.boardset import BoardSet

Box = tuple[float, float, float, float]

BAR_GAP_MM = 15.0  # from the outermost site to the middle of a player's bar
FRAME_MM = 26.0  # from the outermost site to the edge of the picture, bars included
SIDE_MM = 42.0  # table top shown left and right of the sheet, where pieces can be laid
EDGE_MM = 42.0  # the sheet shown above and below the outermost sites


def set_json(board: BoardSet) -> dict[str, Any]:
    """`sheet` [w, h]; `crop`, `table` [x, y, w, h]: the board alone, and with the table beside the sheet; all mm."""
    left, top, right, bottom = _extent(board)
    width, height = board.sheet_mm
    tall = 2 * EDGE_MM if not board.rails else 2 * FRAME_MM  # rails reach far enough by themselves
    return {
        "name": board.name,
        "game": board.game,
        "sheet": [width, height],
        "crop": [left - FRAME_MM, top - FRAME_MM, right - left + 2 * FRAME_MM, bottom - top + 2 * FRAME_MM],
        "table": [-SIDE_MM, top - tall / 2, width + 2 * SIDE_MM, bottom - top + tall],
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
    }


def _extent(board: BoardSet) -> Box:
    points = [point for site in board.sites for point in site.polygon_mm]
    points += [corner for rail in board.rails.values() for corner in rail]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


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
        first, last = start + share * 0.2, start + share * 0.8
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
