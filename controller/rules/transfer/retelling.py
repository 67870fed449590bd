"""A turn told by the strokes that were seen: the same result, through as many of the seen stages as possible."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from controller.rules.api import Placement
from controller.rules.transfer.board import TransferPosition, TransferTurn
from controller.rules.transfer.lanes import read
from controller.rules.transfer.matching import Board, Work
from controller.rules.transfer.scoring import stages_of
from controller.rules.transfer.seeking import Strokes, joined, seeker
from controller.rules.transfer.strokes import Law, Stage, moved, view

MOST = 3000  # orders of strokes that are looked at; the most known for one result is 237, for null turns more


def retell(law: Law, position: TransferPosition, turn: TransferTurn, seen: Sequence[Placement]) -> TransferTurn:
    """The legal turn with the same position after it that passes most of the seen stages, in their order.

    Stages that were taken back again are passed by no such turn and don't count. Among equals the canonical turn.
    """
    stages = [read(placement).board(turn.player, law) for placement in seen]
    if not stages or not turn.strokes:
        return turn
    before = view(law, position.rows, turn.player)
    end = stages_of(law, position.rows, turn)[-1].rows
    best = turn
    rank = _rank(_passed(law, before, turn.strokes, stages), turn.strokes)
    for strokes in islice(seeker(law, Work()).every(before, Board(end)), MOST):
        passed = _passed(law, before, strokes, stages)
        told = joined(strokes, frozenset(passed))
        if -len(passed) < rank[0] or (-len(passed) == rank[0] < 0 and _rank(passed, told) < rank):
            best, rank = TransferTurn(turn.player, told), _rank(passed, told)
    return best


def _rank(passed: Sequence[int], strokes: Strokes) -> tuple[int, int, Strokes]:
    return -len(passed), len(strokes), strokes


def _passed(law: Law, before: tuple[str, ...], strokes: Strokes, stages: Sequence[Board]) -> tuple[int, ...]:
    """The numbers of the strokes after which a seen stage stands: as many as possible, in the order they were seen."""
    here, way = Stage(before), []
    for stroke in strokes[:-1]:
        here = moved(law, here, stroke)
        way.append(Board(*here[:3]))
    best: list[tuple[int, ...]] = [()] * (len(way) + 1)  # best[n]: with the first n strokes
    for stage in stages:
        for n in range(len(way), 0, -1):
            if way[n - 1] == stage and len(best[n - 1]) + 1 > len(best[n]):
                best[n] = (*best[n - 1], n - 1)
        for n in range(1, len(way) + 1):
            if len(best[n - 1]) > len(best[n]):
                best[n] = best[n - 1]
    return best[-1]
