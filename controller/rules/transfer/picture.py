"""Between placements and rows: what a camera sees and what the rules think in."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from controller.rules.api import Kind, Placement, Player, Site
from controller.rules.transfer.board import (
    EACH,
    KIND_OF,
    LETTER_OF,
    NORTH,
    ROOM,
    ROWS,
    SLOTS,
    SOUTH,
    TransferPosition,
)
from controller.rules.transfer.strokes import GAP, Law, Stage, view

CELLS: dict[str, tuple[Site, ...]] = {row: tuple(f"{row}{n}" for n in range(1, ROOM + 1)) for row in ROWS}
PLATFORM: dict[Player, str] = {SOUTH: "south", NORTH: "north"}
LANES: dict[str, tuple[Site, ...]] = {**CELLS, **{PLATFORM[player]: slots for player, slots in SLOTS.items()}}
LANE_OF: dict[Site, str] = {site: lane for lane, sites in LANES.items() for site in sites}
SITES = frozenset(LANE_OF)
PIECES: dict[Kind, int] = dict.fromkeys(LETTER_OF, EACH)


def normal(placement: Placement, cells: bool = False) -> Placement:
    """The pieces of each lane in order in its first sites, one each; what a lane can't hold stays on its last site.

    With `cells` the rows stay as they are. Where all 35 pieces are in sight nothing is hidden any more; otherwise a
    lane with a hidden site stays as it is, for what lies there is unknown.
    """
    hidden = placement.hidden
    if hidden:
        seen = [kind for site, kinds in placement.on.items() if site not in hidden for kind in kinds]
        if all(seen.count(kind) == EACH for kind in PIECES) and hidden <= SITES:
            hidden = frozenset()
    dark = {LANE_OF.get(site) for site in hidden}
    on: dict[Site, tuple[Kind, ...]] = {}
    for lane, sites in LANES.items():
        if lane in dark or (cells and lane in CELLS):
            on |= {site: placement.on[site] for site in sites if placement.on.get(site) and site not in hidden}
            continue
        line = [kind for site in sites for kind in placement.on.get(site, ())]
        on |= {site: (kind,) for site, kind in zip(sites, line, strict=False)}
        if len(line) > len(sites):
            on[sites[-1]] = tuple(line[len(sites) - 1 :])
    on |= {site: kinds for site, kinds in placement.on.items() if site not in LANE_OF}  # no site of ours: not hushed up
    return Placement(on, placement.off, hidden)


def line_of(placement: Placement, sites: Iterable[Site], cells: bool = False) -> str:
    """The letters along a lane ("?" for what is no piece of this game); with `cells` gaps are written."""
    line = ""
    for site in sites:
        letters = "".join(LETTER_OF.get(kind, "?") for kind in placement.on.get(site, ()))
        line += letters or (GAP if cells else "")
    return line.rstrip(GAP)


def rows_of(placement: Placement, cells: bool = False) -> tuple[str, ...]:
    """The nine rows of a normal placement."""
    return tuple(line_of(placement, CELLS[row], cells) for row in ROWS)


@lru_cache(maxsize=1024)
def picture_of(rows: tuple[str, ...], south: str = "", north: str = "") -> Placement:
    """What stands on the table: rows South to North, platforms mouth first."""
    on: dict[Site, tuple[Kind, ...]] = {}
    lines = dict(zip(ROWS, rows, strict=True)) | {PLATFORM[SOUTH]: south, PLATFORM[NORTH]: north}
    for lane, line in lines.items():
        on |= {site: (KIND_OF[letter],) for site, letter in zip(LANES[lane], line, strict=False) if letter != GAP}
    return Placement(on)


def picture(position: TransferPosition) -> Placement:
    """What stands on the table in this position."""
    return picture_of(position.rows)


def stage_picture(law: Law, stage: Stage, player: Player) -> Placement:
    """What stands on the table at a stage of this player's turn."""
    south, north = (stage.own, stage.other) if player == SOUTH else (stage.other, stage.own)
    return picture_of(view(law, stage.rows, player), south, north)


def cell(law: Law, row: int, line: str, index: int, player: Player) -> Site:
    """The site of the piece at `index` of a row in the player's view; packed rows begin at the South end."""
    if player == SOUTH:
        return CELLS[ROWS[row]][min(index, ROOM - 1)]
    return CELLS[ROWS[row]][max(0, (ROOM if law.cells else len(line)) - 1 - index)]
