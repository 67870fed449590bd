"""Transfer's lanes on the playmat: rows, whose pieces lie anywhere along them in their order, and platforms."""

from __future__ import annotations

from collections.abc import Sequence

from controller.rules.api import Kind, Player, Site
from controller.rules.transfer.board import ROWS, SLOTS, SOUTH
from controller.sloppy.sitting import Sitting

CELLS: tuple[tuple[Site, ...], ...] = tuple(tuple(f"{row}{n}" for n in range(1, 6)) for row in ROWS)


def standing(table: Sitting, lane: Sequence[Site]) -> list[Kind]:
    """The pieces of a lane in their order."""
    return [kind for site in lane for kind in table.mat.on.get(site, ())]


def lay(table: Sitting, lane: Sequence[Site], kinds: Sequence[Kind]) -> None:
    """The pieces of a lane stand in this order, with gaps or without: people don't care. Tidy people push them up."""
    rng = table.rng
    places = list(range(len(kinds)))
    if not table.tidy and rng.random() < (0.4 if len(lane) > 3 else 0.1):
        places = sorted(rng.sample(range(len(lane)), len(kinds)))
        table.habit("gaps")
    table.mat.line_up(lane, {lane[place]: kind for place, kind in zip(places, kinds, strict=True)})


def take(table: Sitting, lane: Sequence[Site], index: int) -> Kind:
    """One piece of a lane, counted along it, goes into a hand."""
    sites = [site for site in lane for _ in table.mat.on.get(site, ())]
    site = sites[index]
    kind = standing(table, lane)[index]
    table.mat.lift(kind, site)
    if table.tidy:
        lay(table, lane, standing(table, lane))
    return kind


def put_in(table: Sitting, lane: Sequence[Site], index: int, kind: Kind) -> None:
    """A piece from a hand comes into a lane, the others make room."""
    kinds = standing(table, lane)
    kinds.insert(index if index >= 0 else len(kinds), kind)
    table.mat.held.remove(kind)
    lay(table, lane, kinds)


class Ends:
    """The lanes as one player uses them: a row's near end is before his platform."""

    def __init__(self, table: Sitting, player: Player) -> None:
        self.table = table
        self.own = SLOTS[player]
        self.other = next(slots for side, slots in SLOTS.items() if side != player)
        self._near, self._far = (0, -1) if player == SOUTH else (-1, 0)

    def take_near(self, row: int) -> Kind:
        """The piece nearest the player."""
        return take(self.table, CELLS[row], self._near)

    def take_far(self, row: int) -> Kind:
        """The piece farthest from the player."""
        return take(self.table, CELLS[row], self._far)

    def put_near(self, row: int, kind: Kind) -> None:
        """A piece in at the player's end."""
        put_in(self.table, CELLS[row], self._near, kind)

    def put_far(self, row: int, kind: Kind) -> None:
        """A piece in at the other end."""
        put_in(self.table, CELLS[row], self._far, kind)

    def full(self, row: int) -> bool:
        """Whether the row takes no more."""
        return len(standing(self.table, CELLS[row])) >= len(CELLS[row])
