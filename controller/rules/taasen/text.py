"""Positions and turns of Taasen as text, both ways (taasen 4)."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from controller.rules.api import Player, TextError
from controller.rules.taasen.board import (
    COLOUR,
    CORNERS,
    GREEN,
    OFF,
    PIECES,
    RED,
    WHITE,
    TaasenPosition,
    TaasenTurn,
)

SIDE = {RED: "R", GREEN: "G", None: "?"}
PLAYER_OF: dict[str, Player | None] = {"R": RED, "G": GREEN, "?": None}
PASS = "--"
_PLACED = re.compile(r"([RGW][TSP])=([0-9]{1,2})")
_MEMORY = re.compile(r"([RGW][TSP])<([0-9]{1,2})")


class Spoken(NamedTuple):
    """A turn as somebody wrote it, not judged yet. `reply`: what becomes of the victim; "open": not said yet."""

    piece: int
    target: int
    reply: Literal["none", "open", "moves", "crushed"] = "none"
    victim: int = -1
    escape: int = OFF


def position_text(position: TaasenPosition) -> str:
    """`RT=9 … WP=0 R - -`: the placements, the side, the White pieces that may not be moved, pressed-from."""
    words = [f"{PIECES[piece]}={site}" for piece, site in enumerate(position.at) if site != OFF]
    banned = "+".join(PIECES[piece] for piece in WHITE if position.ban >> piece & 1)
    back = f"{PIECES[position.pressed]}<{position.back}" if position.pressed >= 0 else ""
    return " ".join([*words, SIDE[position.mover], banned or "-", back or "-"])


def parse_position(text: str) -> TaasenPosition:
    """Read a position; the placements in any order, the last two fields may be left out."""
    at = [OFF] * 9
    words = [(found[0].upper(), found.start() + 1) for found in re.finditer(r"\S+", text)]
    end = len(text.rstrip()) + 1
    while words and "=" in words[0][0]:
        word, column = words.pop(0)
        found = _PLACED.fullmatch(word)
        if not found:
            raise TextError(f"{word!r} is no placement such as RT=9", column)
        piece, site = PIECES.index(found[1]), int(found[2])
        if site > 15:
            raise TextError("the sites are 0 to 15", column + 3)
        if site == OFF:
            raise TextError("nothing may stand on the sea, 6", column + 3)
        if at[piece] != OFF:
            raise TextError(f"there is only one {found[1]}", column)
        others = [COLOUR[other] for other in range(9) if at[other] == site]
        if others and (site not in CORNERS or COLOUR[piece] != others[0]):
            raise TextError(f"another piece stands on {site}; only a starting stack is higher than one", column + 3)
        at[piece] = site
    if not words:
        raise TextError("the side to move is missing: R, G or ?", end)
    side, column = words.pop(0)
    if side not in PLAYER_OF:
        raise TextError(f"the side to move is R, G or ?, not {side!r}", column)
    ban = _read_ban(*words.pop(0), at) if words else 0
    pressed, back = _read_pressed(*words.pop(0), at) if words else (-1, -1)
    if words:
        raise TextError(f"the position should end here, but {words[0][0]!r} follows", words[0][1])
    return TaasenPosition(tuple(at), PLAYER_OF[side], ban, pressed, back)


def _read_ban(word: str, column: int, at: list[int]) -> int:
    if word == "-":
        return 0
    ban = 0
    for name in word.split("+"):
        if name not in PIECES[6:] or at[PIECES.index(name)] == OFF:
            raise TextError(f"{name!r} is no White piece on the board, and not '-'", column)
        ban |= 1 << PIECES.index(name)
    return ban


def _read_pressed(word: str, column: int, at: list[int]) -> tuple[int, int]:
    if word == "-":
        return -1, -1
    found = _MEMORY.fullmatch(word)
    if not found:
        raise TextError(f"{word!r} is not '-' and not a piece with the site it was pressed from (GP<12)", column)
    piece, site = PIECES.index(found[1]), int(found[2])
    if at[piece] in (OFF, site):
        raise TextError(f"{found[1]} is not on the board, or still where it was pressed from", column)
    if site > 15 or site == OFF:
        raise TextError("the sites are 0 to 15, without the sea, 6", column + 3)
    return piece, site


class _Reader:
    """Walks along a turn's text; white space and capitals never count."""

    def __init__(self, text: str) -> None:
        self.text = text.upper() if len(text.upper()) == len(text) else text
        self.at = 0
        self.skip()

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def take(self, letters: str) -> str:
        letter = self.text[self.at : self.at + 1]
        if not letter or letter not in letters:
            return ""
        self.at += 1
        self.skip()
        return letter

    def piece(self) -> int:
        start = self.at
        name = self.take("RGW") + self.take("TSP")
        if name not in PIECES:
            raise TextError("a piece is expected here: R, G or W and T, S or P", start + 1)
        return PIECES.index(name)

    def site(self) -> int:
        found = re.compile(r"[0-9]+").match(self.text, self.at)
        if not found or len(found[0]) > 2 or int(found[0]) > 15:
            raise TextError("a site from 0 to 15 is expected here", self.at + 1)
        self.at = found.end()
        self.skip()
        return int(found[0])


def read_turn(text: str) -> Spoken | None:
    """Read one turn, None for a pass; says nothing about its legality. TextError names the column."""
    reader = _Reader(text)
    spoken: Spoken | None = None
    if reader.take("-"):
        if not reader.take("-"):
            raise TextError("a pass is written '--'", reader.at + 1)
    else:
        piece = reader.piece()
        if not reader.take("="):
            raise TextError("'=' is expected here", reader.at + 1)
        spoken = _reply(reader, piece, reader.site())
    if reader.at < len(reader.text):
        raise TextError(f"the turn should end here, but {reader.text[reader.at]!r} follows", reader.at + 1)
    return spoken


def _reply(reader: _Reader, piece: int, target: int) -> Spoken:
    if not reader.take(">"):
        return Spoken(piece, target)
    victim = reader.piece()
    if reader.take("X×"):
        return Spoken(piece, target, "crushed", victim)
    if reader.take("="):
        return Spoken(piece, target, "moves", victim, reader.site())
    reader.take("?")
    return Spoken(piece, target, "open", victim)


def turn_text(turn: TaasenTurn) -> str:
    """`RT=10`, `RS=11>GP=5`, `GT=4>RSx`, and `--` for a pass."""
    if turn.piece < 0:
        return PASS
    text = f"{PIECES[turn.piece]}={turn.target}"
    if turn.victim < 0:
        return text
    return f"{text}>{PIECES[turn.victim]}" + ("x" if turn.escape == OFF else f"={turn.escape}")
