"""A pretend table for Transfer: pictures as rows and platforms, in letters."""

from __future__ import annotations

from pretend import Table

from controller.referee.events import Event
from controller.rules.api import Game
from controller.rules.transfer import TRANSFER
from controller.rules.transfer.board import KIND_OF, ROWS, SLOTS

P0 = "osgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp"


def picture(rows: str, south: str = "", north: str = "") -> dict[str, str]:
    """Site -> kind; `.` is a gap; platforms from their mouths."""
    on = {}
    for name, row in zip(ROWS, rows.split("/"), strict=True):
        on |= {f"{name}{i}": KIND_OF[letter] for i, letter in enumerate(row, 1) if letter not in "-."}
    for side, pieces in (("South", south), ("North", north)):
        on |= {SLOTS[side][i]: KIND_OF[letter] for i, letter in enumerate(pieces) if letter != "."}
    return on


class TransferTable(Table):
    """Shows whole pictures; the position before may be given as text."""

    def __init__(self, start_mode: str = "setup", *, game: Game = TRANSFER, **more: object) -> None:
        super().__init__(start_mode, game=game, **more)  # type: ignore[arg-type]

    def show(
        self, rows: str, south: str = "", north: str = "", *, hold: float = 2.5, off: str = "", hidden: str = ""
    ) -> list[Event]:
        """A hand makes this picture, then it is still for `hold` seconds."""
        under = frozenset(hidden.split())
        written = self.wait(0.3, hand=True, moving=True, hidden=under)
        self.on = picture(rows, south, north)
        self.off = [KIND_OF[letter] for letter in off]
        written += self.wait(0.3, hand=True, moving=True, hidden=under)
        return written + self.wait(hold)

    @classmethod
    def at(cls, position: str, game: Game = TRANSFER) -> TransferTable:
        """A table on which this position has just been taken up, its events forgotten."""
        table = cls(position, game=game)
        table.on = picture(position.split()[0])
        table.wait(1.5)
        table.events.clear()
        return table
