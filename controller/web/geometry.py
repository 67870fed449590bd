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
    return {
        "name": board.name,
        "game": board.game,
        "sheet": [width, height],
        "crop": [left - FRAME_MM, top - FRAME_MM, right - left + 2 * FRAME_MM, bottom - top + 2 * FRAME_MM],
        "table": [-SIDE_MM, top - EDGE_MM, width + 2 * SIDE_MM, bottom - top + 2 * EDGE_MM],
        "token": {"shape": board.tokens.shape, "size": board.tokens.size_mm},
        "kinds": list(board.kinds),
        "sites": {
            site.id: {
                "centre": [round(value, 2) for value in board.centre(site)],
                "polygon": [list(point) for point in site.polygon_mm],
            }
            for site in board.sites
        },
        "bars": {player: _bar(seat, board, (left, top, right, bottom)) for player, seat in board.seats.items()},
    }


def _extent(board: BoardSet) -> Box:
    points = [point for site in board.sites for point in site.polygon_mm]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return min(xs), min(ys), max(xs), max(ys)


def _bar(seat: tuple[float, float], board: BoardSet, extent: Box) -> dict[str, list[float]]:
    """The player's strip as a line `from`-`to`, left to right as the seated player sees it."""
    left, top, right, bottom = extent
    width, height = board.sheet_mm
    x, y = seat
    edge = min(("south", height - y), ("north", y), ("west", x), ("east", width - x), key=lambda item: item[1])[0]
    inset_x, inset_y = (right - left) * 0.2, (bottom - top) * 0.2
    if edge == "south":
        return {"from": [left + inset_x, bottom + BAR_GAP_MM], "to": [right - inset_x, bottom + BAR_GAP_MM]}
    if edge == "north":
        return {"from": [right - inset_x, top - BAR_GAP_MM], "to": [left + inset_x, top - BAR_GAP_MM]}
    if edge == "west":
        return {"from": [left - BAR_GAP_MM, top + inset_y], "to": [left - BAR_GAP_MM, bottom - inset_y]}
    return {"from": [right + BAR_GAP_MM, bottom - inset_y], "to": [right + BAR_GAP_MM, top + inset_y]}
