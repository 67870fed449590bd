"""Look for the boards of Transfer that `judge` needs most steps for, by climbing.

    python climb_transfer.py CLIMBS SEED [ANSWER…]

With answers only boards that are judged so count. A query is a position and what stands on the table. A climb changes
one or two pieces of either and keeps what needs no fewer steps of the search (not time, so that the same seed finds
the same queries). Prints the best of every climb.
"""

from __future__ import annotations

import random
import sys
import time
from typing import NamedTuple

from controller.rules.api import Player
from controller.rules.transfer.board import KIND_OF, NORTH, PLAYERS, ROOM, SOUTH, TransferPosition
from controller.rules.transfer.game import TRANSFER
from controller.rules.transfer.judging import Judgement
from controller.rules.transfer.picture import picture_of

Lanes = tuple[str, ...]  # nine rows South to North, South's platform, North's
PATIENCE = 400  # tries without progress before a climb ends
EVERY = 5  # pieces of each colour


class Query(NamedTuple):
    """A board before, the side to move (None: not known), and the board seen."""

    before: Lanes
    mover: Player | None
    seen: Lanes


def nodes_of(query: Query, answers: frozenset[str] = frozenset()) -> int:
    """The steps that judging takes; 0 where the answer is not one of those asked for."""
    judgement = Judgement(TRANSFER, TransferPosition(query.before[:9], query.mover))
    verdict = judgement.judge(picture_of(query.seen[:9], *query.seen[9:]), None)
    return judgement.work.nodes if not answers or verdict.answer in answers else 0


def ms_of(query: Query) -> float:
    """The time that judging takes, the best of five (ms)."""
    position, picture = TransferPosition(query.before[:9], query.mover), picture_of(query.seen[:9], *query.seen[9:])
    times = []
    for _ in range(5):
        begin = time.thread_time()
        TRANSFER.judge(position, picture)
        times.append((time.thread_time() - begin) * 1000)
    return min(times)


def shuffled(rng: random.Random) -> Lanes:
    """35 pieces in the rows, most of the time without equal neighbours."""
    tame = rng.random() < 0.7
    while True:
        pieces = list("".join(KIND_OF) * EVERY)
        rng.shuffle(pieces)
        rows = [""] * 9
        for piece in pieces:
            free = [n for n in range(9) if len(rows[n]) < ROOM and not (tame and rows[n].endswith(piece))]
            if not free:
                break
            rows[rng.choice(free)] += piece
        else:
            return (*rows, "", "")


def moved(rng: random.Random, lanes: Lanes, platforms: bool, times: int) -> Lanes:
    """The same with a few pieces somewhere else."""
    rows = list(lanes)
    for _ in range(times):
        origin = rng.choice([n for n in range(11) if rows[n]])
        at = rng.choice((0, len(rows[origin]) - 1, rng.randrange(len(rows[origin]))))
        piece = rows[origin][at]
        rows[origin] = rows[origin][:at] + rows[origin][at + 1 :]
        free = [n for n in range(11 if platforms else 9) if len(rows[n]) < (ROOM if n < 9 else 3)]
        target = rng.choice(free)
        at = rng.choice((0, len(rows[target]), rng.randint(0, len(rows[target]))))
        rows[target] = rows[target][:at] + piece + rows[target][at:]
    return tuple(rows)


def changed(rng: random.Random, query: Query) -> Query:
    """A neighbour of a query."""
    before, mover, seen = query
    how = rng.random()
    if how < 0.45:
        return Query(before, mover, moved(rng, seen, True, rng.choice((1, 1, 2))))
    if how < 0.5:
        return Query(before, mover, moved(rng, before, True, rng.choice((1, 2))))
    # The same change of the position before and of what is seen of it.
    one, two = rng.sample("".join(KIND_OF), 2) if how < 0.6 else ("", "")
    if one:
        swap = str.maketrans(one + two, two + one)
        rows = rng.sample(range(9), 3)
        before = tuple(line.translate(swap) if n in rows else line for n, line in enumerate(before))
        seen = tuple(line.translate(swap) if n in rows else line for n, line in enumerate(seen))
        return Query(before, mover, seen) if _whole(before) and _whole(seen) else query
    after = moved(rng, before, False, 1)
    seen = tuple(new if now == old else now for old, new, now in zip(before, after, seen, strict=True))
    return Query(after, mover, seen) if _whole(seen) else query


def _whole(lanes: Lanes) -> bool:
    return all("".join(lanes).count(letter) == EVERY for letter in KIND_OF)


def climb(rng: random.Random, answers: frozenset[str]) -> tuple[int, Query]:
    """From a random query up to a top."""
    before = shuffled(rng)
    query = Query(before, rng.choice((*PLAYERS, SOUTH, NORTH, None)), moved(rng, before, True, rng.choice((1, 2, 3))))
    best, idle = nodes_of(query, answers), 0
    while idle < PATIENCE:
        other = changed(rng, query)
        nodes = nodes_of(other, answers)
        idle = 0 if nodes > best else idle + 1
        if nodes >= best:
            query, best = other, nodes
    return best, query


def text_of(query: Query) -> str:
    """`rows mover > rows south north`, `-` for empty."""
    before, seen = ("/".join(row or "-" for row in lanes[:9]) for lanes in (query.before, query.seen))
    return f"{before} {(query.mover or '?')[0]} > {seen} {query.seen[9] or '-'} {query.seen[10] or '-'}"


def main() -> None:
    """Climb again and again."""
    climbs, seed = int(sys.argv[1]), int(sys.argv[2])
    rng, answers = random.Random(seed), frozenset(sys.argv[3:])
    for _ in range(climbs):
        nodes, query = climb(rng, answers)
        verdict = TRANSFER.judge(
            TransferPosition(query.before[:9], query.mover), picture_of(query.seen[:9], *query.seen[9:])
        )
        why = verdict.reasons[0].code if verdict.reasons else ""
        print(f"{nodes:7} {ms_of(query):6.2f} ms  {verdict.answer} {why}  {text_of(query)}", flush=True)


if __name__ == "__main__":
    main()
