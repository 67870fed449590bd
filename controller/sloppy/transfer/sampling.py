"""Random starts and random legal turns of Transfer, stroke by stroke: there are far too many to list."""

from __future__ import annotations

import random

from controller.rules.api import Player
from controller.rules.transfer.board import EACH, KIND_OF, ROOM, ROWS, Stroke, TransferPosition, TransferTurn
from controller.rules.transfer.game import Transfer
from controller.rules.transfer.strokes import Stage, groups, steps, view

LOADS = (1, 1, 1, 2, 2, 3)


def random_start(rng: random.Random, mover: Player) -> TransferPosition:
    """A start as somebody may lay it out: rows of any length, no equal neighbours. `mover`: who has chosen to begin."""
    while True:
        pieces = list("".join(KIND_OF) * EACH)
        rng.shuffle(pieces)
        liking = [rng.choice((1, 3, 9)) for _ in ROWS]
        rows = [""] * len(ROWS)
        for letter in pieces:
            free = [i for i, row in enumerate(rows) if len(row) < ROOM and row[-1:] != letter]
            if not free:
                break
            rows[rng.choices(free, [liking[i] for i in free])[0]] += letter
        else:
            return TransferPosition(tuple(rows), mover)


def random_turn(rng: random.Random, game: Transfer, position: TransferPosition, tries: int = 1) -> TransferTurn:
    """A legal turn that changes the board; of so many tries the one that leaves the fewest groups, or no reply.

    Where there is no other a turn that changes nothing.
    """
    mover = position.mover
    assert mover is not None
    begin = Stage(view(game.law, position.rows, mover))
    best: tuple[int, tuple[Stroke, ...]] | None = None
    for _ in range(tries + 30):
        walked = _walk(rng, game, begin)
        if walked is None or walked[1].rows == begin.rows:
            continue
        left = 0 if _no_reply(walked[1].rows) else sum(1 for row in walked[1].rows for _ in groups(row))
        if best is None or left < best[0]:
            best = left, walked[0]
        tries -= 1
        if tries <= 0:
            break
    if best is not None:
        return TransferTurn(mover, best[1])
    turns = list(game.legal_turns(position))
    changing = [turn for turn in turns if game.after(position, turn).rows != position.rows]
    return rng.choice(changing or turns)


def _no_reply(rows: tuple[str, ...]) -> bool:
    """Whether every row shows the other side a group that is too large to load."""
    return all(len(row) > 3 and len({*row[-4:]}) == 1 for row in rows if row)


def _walk(rng: random.Random, game: Transfer, stage: Stage) -> tuple[tuple[Stroke, ...], Stage] | None:
    """Random strokes to the end of a turn; None where they lead nowhere."""
    strokes: list[Stroke] = []
    loads = rng.choice(LOADS)
    while True:
        ways = list(steps(game.law, stage))
        if stage.last == "L":
            loading = [way for way in ways if way[0].act == "L"]
            ways = loading if loading and len(strokes) < loads else [way for way in ways if way[0].act != "L"]
        if not ways:
            return None
        stroke, stage = rng.choice(ways)
        strokes.append(stroke)
        if stage.last != "L" and not stage.own and not stage.other:
            return tuple(strokes), stage
