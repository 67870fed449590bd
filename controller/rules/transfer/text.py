"""Positions and turns of Transfer as text, both ways.

Positions: `osgy/bvpo/…/bvp S 0-0`. Turns: `LC2 UB2^2 OI2*`; `--` is a pass. A platform written in brackets, mouth first
(`S[bo]`), says what stands on it at that moment. `@2` after U or O: taken from the second slot on (platform = free).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from controller.rules.api import Player, TextError
from controller.rules.transfer.board import (
    KIND_OF,
    NORTH,
    ROOM,
    ROWS,
    SOUTH,
    Act,
    Stroke,
    TransferPosition,
    TransferTurn,
    rows_complete,
)
from controller.rules.transfer.strokes import GAP, Law, Stage, moved, pushed_out, view

SIDE: dict[Player | None, str] = {SOUTH: "S", NORTH: "N", None: "?"}
PLAYER_OF: dict[str, Player | None] = {side: player for player, side in SIDE.items()}
PASS = "--"


class SaidStroke(NamedTuple):
    """A stroke as somebody wrote it. `out`: the pieces pushed through, None where that was left out."""

    act: Act
    row: int
    size: int
    slot: int = 1
    out: int | None = None


class SaidPlatform(NamedTuple):
    """What somebody wrote to stand on a platform at a moment of the turn, mouth first."""

    player: Player
    letters: str


class Said(NamedTuple):
    """A turn as somebody wrote it; without acts it is a pass. `player` where it was said whose turn it is."""

    player: Player | None
    acts: tuple[SaidStroke | SaidPlatform, ...]


def position_text(position: TransferPosition) -> str:
    """Rows A to I, the side to move and the score."""
    rows = "/".join(row or "-" for row in position.rows)
    score = "?-?" if position.score is None else f"{position.score[0]}-{position.score[1]}"
    return f"{rows} {SIDE[position.mover]} {score}"


def parse_position(text: str, cells: bool) -> TransferPosition:
    """Read a position; TextError names the column. How many pieces of each colour there are is not asked."""
    words = [(found[0], found.start() + 1) for found in re.finditer(r"\S+", text)]
    if not words:
        raise TextError("a position is nine rows A to I with '/' between them, then the side to move", 1)
    rows = _rows(*words[0], cells)
    if len(words) < 2:
        raise TextError("the side to move is missing: S, N or ?", len(text) + 1)
    side, at = words[1]
    if side not in PLAYER_OF:
        raise TextError(f"the side to move is S, N or ?, not {side!r}", at)
    score: tuple[int, int] | None = (0, 0)
    if len(words) > 2:
        score = _score(*words[2])
    if len(words) > 3:
        raise TextError(f"{words[3][0]!r} has no meaning here", words[3][1])
    return TransferPosition(rows, PLAYER_OF[side], score)


def _rows(word: str, start: int, cells: bool) -> tuple[str, ...]:
    allowed = {*KIND_OF, *([GAP] if cells else [])}
    rows: list[str] = []
    column = start
    for name, part in zip(ROWS, word.split("/"), strict=False):
        if not part:
            raise TextError(f"row {name} is missing; an empty row is written '-'", column)
        for offset, letter in enumerate(part if part != "-" else ""):
            if letter not in allowed:
                told = f"is no piece ({' '.join(KIND_OF)})"
                if letter == GAP:
                    told = "is a gap, and gaps count only with the option adjacency=cells"
                raise TextError(f"{letter!r} in row {name} {told}", column + offset)
            if offset == ROOM:
                raise TextError(f"row {name} holds {ROOM} at most", column + offset)
        rows.append("" if part == "-" else part.rstrip(GAP))
        column += len(part) + 1
    if len(rows) < len(ROWS):
        raise TextError(f"a position has nine rows, A to I; here are {len(rows)}", start + len(word))
    if column <= start + len(word):
        raise TextError("a position has nine rows, A to I; here are more", column)
    return tuple(rows)


def _score(word: str, at: int) -> tuple[int, int] | None:
    if word == "?-?":
        return None
    found = re.fullmatch(r"(\d)-(\d)", word, re.ASCII)
    if not found or int(found[1]) + int(found[2]) > len(KIND_OF):
        raise TextError(f"the score is South's and North's points, together seven at most, or ?-?, not {word!r}", at)
    return int(found[1]), int(found[2])


_ACTS: dict[str, Act] = {"L": "L", "U": "U", "O": "O"}
_ACT = re.compile(
    r"([LUO])\s*([A-I])\s*(\d+)(?:\s*@\s*(\d+))?(?:\s*\^\s*(\d+))?\s*\**|([SN])\s*\[([a-z\s]*)\]",
    re.IGNORECASE | re.ASCII,
)
_WHOSE = re.compile(r"\s*([SN])\s*:", re.IGNORECASE)


def read_turn(text: str) -> Said:
    """Read one turn in any spelling; says nothing about its legality. TextError names the column."""
    player: Player | None = None
    at = 0
    if whose := _WHOSE.match(text):
        player = PLAYER_OF[whose[1].upper()]
        at = whose.end()
    rest = text[at:].strip()
    if rest in (PASS, "–", "—"):
        return Said(player, ())
    acts: list[SaidStroke | SaidPlatform] = []
    while (at := _skip(text, at)) < len(text):
        found = _ACT.match(text, at)
        if found is None:
            raise TextError(
                "a stroke is expected here: L, U or O, a row A to I and a number of pieces, such as LC2", at + 1
            )
        acts.append(_said(found))
        at = found.end()
    if not any(isinstance(act, SaidStroke) for act in acts):
        raise TextError("a turn has strokes such as LC2, or is '--' for a pass", len(text) + 1)
    return Said(player, tuple(acts))


def _skip(text: str, at: int) -> int:
    while at < len(text) and (text[at].isspace() or text[at] in ",;"):
        at += 1
    return at


def _said(found: re.Match[str]) -> SaidStroke | SaidPlatform:
    if found[6]:
        letters = "".join(found[7].split()).lower()
        for letter in letters:
            if letter not in KIND_OF:
                raise TextError(f"{letter!r} is no piece ({' '.join(KIND_OF)})", found.start(7) + 1)
        side = PLAYER_OF[found[6].upper()]
        assert side is not None
        return SaidPlatform(side, letters)
    act = _ACTS[found[1].upper()]
    numbers = {}
    for group, name in ((3, "size"), (4, "slot")):
        if found[group] is not None:
            numbers[name] = int(found[group][:9])
            if not numbers[name]:
                raise TextError("a number of pieces or a slot is 1 or more", found.start(group) + 1)
    if act != "U" and found[5] is not None:
        raise TextError("only a stroke U pushes pieces through", found.start(5))
    if act == "L" and found[4] is not None:
        raise TextError("only U and O take pieces from a slot", found.start(4))
    out = None if found[5] is None else int(found[5][:9])
    return SaidStroke(act, ROWS.index(found[2].upper()), numbers["size"], numbers.get("slot", 1), out)


def turn_text(law: Law, position: TransferPosition, turn: TransferTurn) -> str:
    """The canonical text: `^n` for pieces pushed through, `*` for each point; the side where it isn't known yet."""
    whose = f"{SIDE[turn.player]}: " if position.mover is None else ""
    if not turn.strokes:
        return whose + PASS
    words = []
    stage = Stage(view(law, position.rows, turn.player))
    for stroke in turn.strokes:
        after = moved(law, stage, stroke)
        points = rows_complete(after.rows) - rows_complete(stage.rows)
        out = len(pushed_out(law, stage, stroke)) if stroke.act == "U" else 0
        words.append(stroke_text(stroke) + (f"^{out}" if out else "") + "*" * points)
        stage = after
    return whose + " ".join(words)


def stroke_text(stroke: Stroke) -> str:
    """One stroke, without what it pushes through: `LC2`."""
    return f"{stroke.act}{ROWS[stroke.row]}{stroke.size}" + (f"@{stroke.slot}" if stroke.slot > 1 else "")
