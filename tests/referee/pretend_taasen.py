"""A pretend table for Taasen: pieces moved by name (`RT=10`), laid beside (`RS=x`) or taken into a hand (`RS=`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pretend import Table

from controller.rules.api import Game
from controller.rules.taasen import TAASEN
from controller.rules.taasen.board import KINDS, PIECES
from vision.sighting import Sighting, Token

KIND_OF = dict(zip(PIECES, KINDS, strict=True))
START = "RT=9 RS=9 RP=9 GT=15 GS=15 GP=15 WT=0 WS=0 WP=0"


class TaasenTable(Table):
    """Pieces may share a site; a game begins in the set-up, or in the middle with the position's text given."""

    def __init__(self, start_mode: str = "setup", *, game: Game = TAASEN, **more: Any) -> None:
        super().__init__(start_mode, game=game, **more)
        self.at: dict[str, str] = {}  # piece -> site, "x" beside the board; not there: in a hand

    def move(self, *shifts: str) -> None:
        for shift in shifts:
            piece, site = shift.split("=")
            self.at.pop(piece, None)
            if site:
                self.at[piece] = site

    def sighting(self, **changes: Any) -> Sighting:
        tokens = tuple(
            Token(KIND_OF[piece], None if site == "x" else site, (0.0, 0.0)) for piece, site in sorted(self.at.items())
        )
        plain = Sighting(
            t_s=round(self.t_s, 3), frame=self.frame, game=self.game.name, set_name=self.game.name, tokens=tokens
        )
        return replace(plain, **changes)

    def lay(self, position: str = START) -> None:
        """What stands, all at once; the rest lies beside."""
        placed = [word for word in position.split() if "=" in word]
        self.at = dict.fromkeys(PIECES, "x")
        self.move(*placed)


def playing(position: str, *, game: Game = TAASEN) -> TaasenTable:
    """A table on which a game has been taken up in this position, its events forgotten."""
    table = TaasenTable(position, game=game)
    table.lay(position)
    table.wait(1.5)
    table.events.clear()
    return table
