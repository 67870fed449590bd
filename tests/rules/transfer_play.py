"""Boards of Transfer for the tests: from random play, from building, and changed a little."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

from controller.rules.api import Placement, Player
from controller.rules.transfer.board import CAPACITY, KIND_OF, ROOM, ROWS, SLOTS, SOUTH, facing
from controller.rules.transfer.generator import turns
from controller.rules.transfer.matching import Board
from controller.rules.transfer.strokes import DEFAULT, Law, Stage, ended, groups, steps

Rows = tuple[str, ...]


def rows_of(text: str) -> Rows:
    """`osgy/-/…` as rows."""
    return tuple(row.replace("-", "") for row in text.split("/"))


def random_rows(rng: random.Random) -> Rows:
    """35 pieces anywhere, never beside their own colour."""
    while True:
        pieces = list("".join(KIND_OF) * 5)
        rng.shuffle(pieces)
        rows = [""] * 9
        for piece in pieces:
            free = [n for n in range(9) if len(rows[n]) < ROOM and not rows[n].endswith(piece)]
            if not free:
                break
            rows[rng.choice(free)] += piece
        else:
            return tuple(rows)


def walk(rng: random.Random, rows: Rows, law: Law = DEFAULT, tidy: float = 0.0) -> list[Stage]:
    """The stages of one random turn, its end last; cut off in a dead end, empty where there is no turn.

    `tidy`: how often a stroke is chosen that leaves the fewest groups.
    """
    path: list[Stage] = []
    stage, loads = Stage(rows), rng.randint(1, CAPACITY)
    while not path or not ended(stage):
        ways = [after for stroke, after in steps(law, stage) if stroke.act != "L" or len(path) < loads]
        if not ways:
            break
        if rng.random() < tidy:
            fewest = min(_groups(after.rows) for after in ways)
            ways = [after for after in ways if _groups(after.rows) == fewest]
        stage = rng.choice(ways)
        path.append(stage)
    return path


def _groups(rows: Rows) -> int:
    return sum(1 for row in rows for _ in groups(row))


def played(rng: random.Random, most: int = 300) -> list[Rows]:
    """The boards of one random game, South to North, South first."""
    rows, found = random_rows(rng), []
    for ply in range(most):
        found.append(rows)
        side = SOUTH if ply % 2 == 0 else "North"
        path = walk(rng, facing(rows, side), tidy=0.7)
        if path and ended(path[-1]):
            rows = facing(path[-1].rows, side)
        if sum(len(row) == ROOM and len(set(row)) == 1 for row in rows) == len(KIND_OF):
            break
    return found


def late(rng: random.Random, count: int, most: int, law: Law = DEFAULT) -> Iterator[Rows]:
    """Boards of random games with at most so many results of a turn, but some."""
    while count:
        game = played(rng)
        for rows in game[len(game) // 2 :: 3]:
            results = sum(1 for _ in islice(turns(law, rows, True), most + 1))
            if 0 < results <= most:
                yield rows
                count -= 1
                if not count:
                    return


def moved_about(rng: random.Random, board: Board, times: int) -> Board:
    """The same with a few pieces put in elsewhere, no lane overfull."""
    lanes = [*board.rows, board.own, board.other]
    for _ in range(times):
        origin = rng.choice([n for n in range(11) if lanes[n]])
        at = rng.randrange(len(lanes[origin]))
        piece = lanes[origin][at]
        lanes[origin] = lanes[origin][:at] + lanes[origin][at + 1 :]
        to = rng.choice([n for n in range(11) if len(lanes[n]) < (ROOM if n < 9 else CAPACITY)])
        at = rng.randint(0, len(lanes[to]))
        lanes[to] = lanes[to][:at] + piece + lanes[to][at:]
    return Board(tuple(lanes[:9]), lanes[9], lanes[10])


def seen(rows: Rows, own: str = "", other: str = "", mover: Player = SOUTH) -> Placement:
    """A picture: rows South to North, platforms mouth first; a sixth piece of a row lies on the fifth cell too."""
    on: dict[str, tuple[str, ...]] = {}
    lines = [*zip(rows, ([f"{row}{n}" for n in range(1, 6)] for row in ROWS), strict=True)]
    lines += [(own, [*SLOTS[mover]]), (other, [*SLOTS["North" if mover == SOUTH else SOUTH]])]
    for line, sites in lines:
        for n, letter in enumerate(line):
            if letter != ".":
                site = sites[min(n, len(sites) - 1)]
                on[site] = (*on.get(site, ()), KIND_OF[letter])
    return Placement(on)
