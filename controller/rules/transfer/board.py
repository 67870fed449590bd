"""The board of Transfer: rows, platforms, positions, turns, and what a turn's strokes do.

A row is a string of colour letters (o s g y b v p) from its South end to its North end; a platform is one from its
mouth. Everything of a turn is easier in the mover's view: `facing` turns every row round where North moves.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from controller.rules.api import Kind, Player, Site

SOUTH, NORTH = "South", "North"
PLAYERS: tuple[Player, Player] = (SOUTH, NORTH)
OTHER = {SOUTH: NORTH, NORTH: SOUTH}
ROWS = "ABCDEFGHI"
ROOM = 5  # pieces a row can hold
CAPACITY = 3  # pieces a platform can hold
KIND_OF: dict[str, Kind] = {
    "o": "orange", "s": "sky", "g": "green", "y": "yellow", "b": "blue", "v": "vermilion", "p": "purple",
}  # fmt: skip
LETTER_OF = {kind: letter for letter, kind in KIND_OF.items()}
EACH = 5  # pieces of each colour
SLOTS: dict[Player, tuple[Site, ...]] = {  # slot 1 is next to the board: the mouth
    SOUTH: ("south.1", "south.2", "south.3"),
    NORTH: ("north.1", "north.2", "north.3"),
}


class TransferPosition(NamedTuple):
    """Rows A to I (South to North), whose turn it is (None: not known yet), points South-North (None: not known).

    Between turns both platforms are empty, so they are no part of a position.
    """

    rows: tuple[str, ...]
    mover: Player | None
    score: tuple[int, int] | None = (0, 0)


Act = Literal["L", "U", "O"]


class Stroke(NamedTuple):
    """One stroke: L loads, U unloads, O clears the other platform; `row` 0 is A; `size` pieces in one block.

    `slot`: the first slot taken from a platform, 1 = the mouth (others only with `platform` = free). `over`: pieces
    pushed out although there was room for them (only with `overpush`).
    """

    act: Act
    row: int
    size: int
    slot: int = 1
    over: int = 0


class TransferTurn(NamedTuple):
    """The strokes of one turn in order; none at all is a pass ("--")."""

    player: Player
    strokes: tuple[Stroke, ...]


START = ("osgy", "bvpo", "sgyb", "vpos", "gybv", "posg", "ybvp", "osgy", "bvp")  # one of the millions


def complete(row: str) -> bool:
    """Whether a row holds five of one colour: such a row is locked for good."""
    return len(row) == ROOM and row.count(row[0]) == ROOM


def rows_complete(rows: tuple[str, ...]) -> int:
    """How many rows are complete, 0 to 7."""
    return sum(map(complete, rows))


def facing(rows: tuple[str, ...], player: Player) -> tuple[str, ...]:
    """The rows with index 0 at the player's own end; turns its own result back."""
    return rows if player == SOUTH else tuple(row[::-1] for row in rows)
