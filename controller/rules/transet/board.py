"""The board of Transet: positions, turns, geometry and the generator of legal turns.

A board is a string of 25 letters, a1 b1 … e1 a2 … e5, "." for empty; R Pinet, B Pioker, K Pias, upper case South.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from controller.rules.api import Kind, Player, Site

SOUTH, NORTH = "South", "North"
PLAYERS: tuple[Player, Player] = (SOUTH, NORTH)
SITES: tuple[Site, ...] = tuple(f"{file}{rank}" for rank in "12345" for file in "abcde")
INDEX = {site: i for i, site in enumerate(SITES)}
KIND_OF: dict[str, Kind] = {
    "R": "dark-PINET", "B": "dark-PIOKER", "K": "dark-PIAS",
    "r": "light-PINET", "b": "light-PIOKER", "k": "light-PIAS",
}  # fmt: skip
LETTER_OF = {kind: letter for letter, kind in KIND_OF.items()}
COUNT = {"R": 2, "B": 2, "K": 1, "r": 2, "b": 2, "k": 1}
START = "RBKBR" + "." * 15 + "rbkbr"

LETTERS = {SOUTH: "RBK", NORTH: "rbk"}
OTHER = {SOUTH: NORTH, NORTH: SOUTH}
AHEAD = {SOUTH: 5, NORTH: -5}
LINE = {SOUTH: range(0, 5), NORTH: range(20, 25)}  # each player's own starting line
GOAL = {SOUTH: range(20, 25), NORTH: range(0, 5)}


class TransetPosition(NamedTuple):
    """Where the pawns stand and whose turn it is (None: not known yet).

    `live`: only with `swop_wins` = false: a pawn stands on the enemy line by a swap, and the game goes on.
    `past`: only with `repetition_draw`: the boards and movers before this one.
    """

    board: str
    mover: Player | None
    live: bool = False
    past: tuple[str, ...] = ()


class TransetTurn(NamedTuple):
    """One turn, in site indices. A capture's second shift is the captured pawn's (-1: the game is over, none)."""

    act: Literal["step", "capture", "vertical", "horizontal"]
    origin: int
    target: int
    origin2: int = -1
    target2: int = -1


_OWN = {player: frozenset(letters) for player, letters in LETTERS.items()}


def player_of(letter: str) -> Player:
    """Upper case is South's."""
    return SOUTH if letter.isupper() else NORTH


def delta(origin: int, target: int, player: Player) -> tuple[int, int]:
    """Files to the right (East) and ranks ahead, as the player counts ahead."""
    ranks = target // 5 - origin // 5
    return target % 5 - origin % 5, ranks if player == SOUTH else -ranks


def geometry_fits(letter: str, origin: int, target: int) -> bool:
    """Whether this type steps (or captures) like this."""
    files, ranks = delta(origin, target, player_of(letter))
    if ranks != 1 or abs(files) > 1:
        return False
    kind = letter.upper()
    return kind == "K" or (files == 0) == (kind == "R")


STEPS: dict[str, tuple[tuple[int, ...], ...]] = {
    letter: tuple(tuple(t for t in range(25) if geometry_fits(letter, o, t)) for o in range(25)) for letter in COUNT
}


def legal_turns(board: str, mover: Player, exchange: bool) -> Iterator[TransetTurn]:
    """Every turn of the mover, in a fixed order: steps and captures, vertical swaps, horizontal swaps."""
    own = LETTERS[mover]
    pawns = [i for i in range(25) if board[i] in own]
    returns = [i for i in LINE[OTHER[mover]] if board[i] == "."]
    goal = GOAL[mover]
    for origin in pawns:
        for target in STEPS[board[origin]][origin]:
            there = board[target]
            if there == ".":
                yield TransetTurn("step", origin, target)
            elif there not in own:
                if target in goal:
                    yield TransetTurn("capture", origin, target, target, -1)
                else:
                    for square in returns:
                        yield TransetTurn("capture", origin, target, target, square)
    ahead = AHEAD[mover]
    yield from _swaps("vertical", board, pawns, ahead, exchange)
    yield from _swaps("horizontal", board, pawns, -1, exchange)


def _swaps(
    act: Literal["vertical", "horizontal"], board: str, pawns: list[int], way: int, exchange: bool
) -> Iterator[TransetTurn]:
    """Pairs of which the first goes `way` and the second the other way: ahead and back, or towards file a and away."""
    to, fro = _NEXT[way], _NEXT[-way]
    first = [(i, to[i]) for i in pawns if to[i] >= 0 and board[to[i]] == "."]
    second = [(i, fro[i]) for i in pawns if fro[i] >= 0 and board[fro[i]] == "."]
    for one, target in first:
        for two, target2 in second:
            if one != two and target != target2:
                yield TransetTurn(act, one, target, two, target2)
    if exchange:
        for one in pawns:
            if to[one] in pawns:
                yield TransetTurn(act, one, to[one], to[one], one)


def _next(origin: int, way: int) -> int:
    target = origin + way
    return target if 0 <= target < 25 and (abs(way) == 5 or target // 5 == origin // 5) else -1


_NEXT = {way: tuple(_next(origin, way) for origin in range(25)) for way in (5, -5, 1, -1)}  # -1: off the board


def board_after(board: str, turn: TransetTurn) -> str:
    """The board when the turn is complete; a pawn captured on its own line is gone."""
    _, origin, target, origin2, target2 = turn
    cells = list(board)
    cells[origin] = "."
    if target2 < 0:
        cells[target] = board[origin]
    else:  # the second pawn leaves before the first arrives: a capture takes it from the first one's target
        cells[origin2] = "."
        cells[target] = board[origin]
        cells[target2] = board[origin2]
    return "".join(cells)


def on_goal(board: str, player: Player) -> bool:
    """Whether one of the player's pawns stands on the enemy starting line."""
    goal = board[20:] if player == SOUTH else board[:5]
    return not _OWN[player].isdisjoint(goal)
