"""Positions and turns of Transet as text, both ways."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from controller.rules.api import Player, TextError
from controller.rules.transet.board import (
    COUNT,
    INDEX,
    NORTH,
    OTHER,
    PLAYERS,
    SITES,
    SOUTH,
    TransetPosition,
    TransetTurn,
    on_goal,
)

SIDE = {SOUTH: "S", NORTH: "N", None: "?"}
PLAYER_OF: dict[str, Player | None] = {"S": SOUTH, "N": NORTH, "?": None}


class Spoken(NamedTuple):
    """A turn as somebody wrote it, not judged yet. `back`: the captured pawn's square, None where it was left out."""

    act: Literal["move", "capture", "swap"]
    origin: int
    target: int
    origin2: int = -1
    target2: int = -1
    back: int | None = None


def position_text(position: TransetPosition) -> str:
    """Ranks 5 to 1 and the side: `rbkbr/5/5/5/RBKBR S`; `live` follows where a pawn on the enemy line has not won."""
    rows = [position.board[i : i + 5] for i in range(20, -1, -5)]
    ranks = "/".join(re.sub(r"\.+", lambda gap: str(len(gap[0])), row) for row in rows)
    return f"{ranks} {SIDE[position.mover]}" + (" live" if position.live else "")


def parse_position(text: str, swop_wins: bool) -> TransetPosition:
    """Read a position; TextError names the column."""
    rows: list[str] = [""]
    column = len(text) - len(text.lstrip())
    while column < len(text) and not text[column].isspace():
        letter = text[column]
        if letter == "/":
            if len(rows[-1]) != 5:
                raise TextError(f"rank {6 - len(rows)} has {len(rows[-1])} squares instead of 5", column + 1)
            if len(rows) == 5:
                raise TextError("a position has five ranks", column + 1)
            rows.append("")
        elif letter in COUNT:
            if sum(row.count(letter) for row in rows) == COUNT[letter]:
                raise TextError(f"there are only {COUNT[letter]} pawns {letter!r}", column + 1)
            rows[-1] += letter
        elif letter in "12345":
            rows[-1] += "." * int(letter)
        else:
            raise TextError(f"{letter!r} is no pawn (R B K r b k), no number of empty squares and no '/'", column + 1)
        if len(rows[-1]) > 5:
            raise TextError(f"rank {6 - len(rows)} has more than 5 squares", column + 1)
        column += 1
    if len(rows) != 5 or len(rows[-1]) != 5:
        raise TextError("a position has five ranks of five squares, from rank 5 down to rank 1", column + 1)
    board = "".join(reversed(rows))
    words = [(found[0], found.start() + 1) for found in re.finditer(r"\S+", text[column:])]
    if not words:
        raise TextError("the side to move is missing: S, N or ?", column + 1)
    side, at = words[0]
    if side not in PLAYER_OF:
        raise TextError(f"the side to move is S, N or ?, not {side!r}", column + at)
    live = False
    for word, at in words[1:]:
        if word != "live" or live or swop_wins or not any(on_goal(board, player) for player in PLAYERS):
            raise TextError(f"{word!r} has no meaning here", column + at)
        live = True
    return TransetPosition(board, PLAYER_OF[side], live)


class _Reader:
    """Walks along a turn's text; white space never counts."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.skip()

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self, letters: str) -> str:
        letter = self.peek()
        if not letter or letter not in letters:
            return ""
        self.at += 1
        self.skip()
        return letter

    def square(self) -> int:
        start = self.at
        file = self.take("abcdeABCDE")
        rank = self.take("12345") if file else ""
        if not rank:
            raise TextError("a square is expected here: a file a to e and a rank 1 to 5", start + 1)
        return INDEX[file.lower() + rank]

    def fail(self, message: str) -> TextError:
        return TextError(message, self.at + 1)


def read_turn(text: str) -> Spoken:
    """Read one turn in any spelling; says nothing about its legality. TextError names the column."""
    reader = _Reader(text)
    origin = reader.square()
    sign = reader.take("-–xX×:")
    if not sign:
        raise reader.fail("'-' or 'x' is expected here")
    target = reader.square()
    if sign in "-–":
        if reader.take("&"):
            origin2 = reader.square()
            if not reader.take("-–"):
                raise reader.fail("'-' is expected here")
            spoken = Spoken("swap", origin, target, origin2, reader.square())
        else:
            spoken = Spoken("move", origin, target)
    else:
        back = reader.square() if reader.take("@") else None
        spoken = Spoken("capture", origin, target, back=back)
    reader.take("#")
    if reader.peek():
        raise reader.fail(f"the turn should end here, but {reader.peek()!r} follows")
    return spoken


def turn_text(turn: TransetTurn, ends: bool) -> str:
    """The canonical text; the generator already writes swaps in canonical order."""
    origin, target = SITES[turn.origin], SITES[turn.target]
    end = "#" if ends else ""
    if turn.act == "step":
        return f"{origin}-{target}{end}"
    if turn.act == "capture":
        back = f"@{SITES[turn.target2]}" if turn.target2 >= 0 else ""
        return f"{origin}x{target}{back}{end}"
    return f"{origin}-{target}&{SITES[turn.origin2]}-{SITES[turn.target2]}{end}"


def winner_of(position: TransetPosition) -> Player | None:
    """Whose pawn stands on the enemy line, the side that has just moved first; None where that doesn't count."""
    if position.live:
        return None
    last = OTHER[position.mover] if position.mover else NORTH
    for player in (last, OTHER[last]):
        if on_goal(position.board, player):
            return player
    return None
