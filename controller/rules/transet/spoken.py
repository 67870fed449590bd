"""A turn given as text: which legal turn it is, or every reason why it is none."""

from __future__ import annotations

from controller.rules.api import Player, Reason
from controller.rules.transet.board import (
    GOAL,
    KIND_OF,
    LETTERS,
    LINE,
    OTHER,
    SITES,
    TransetTurn,
    delta,
)
from controller.rules.transet.reasons import capture_facts, one_pawn, ordered, reason, swap
from controller.rules.transet.text import Spoken


def judge_spoken(board: str, mover: Player, spoken: Spoken, exchange: bool) -> TransetTurn | tuple[Reason, ...]:
    """The turn, swaps in canonical order; or the reasons, most specific first."""
    origins = [spoken.origin] + ([spoken.origin2] if spoken.act == "swap" else [])
    foreign = [_not_yours(board, mover, origin) for origin in origins if board[origin] not in LETTERS[mover]]
    if foreign:
        return ordered(foreign)
    if spoken.origin == spoken.target or spoken.origin == spoken.origin2:
        return (reason("NOT_A_TURN", "", (spoken.origin, spoken.target)),)
    if spoken.act == "swap":
        return _swap(board, mover, spoken, exchange)
    found = one_pawn(board, spoken.origin, spoken.target)
    if found:
        return (found,)
    there = board[spoken.target]
    if there == ".":
        if spoken.act == "move":
            return TransetTurn("step", spoken.origin, spoken.target)
        return (reason("NOT_CAPTURED", ".2", (spoken.target,), form="empty", site=SITES[spoken.target]),)
    if spoken.target in GOAL[mover]:  # the game is over: where the pawn was laid doesn't matter
        return TransetTurn("capture", spoken.origin, spoken.target, spoken.target, -1)
    line = LINE[OTHER[mover]]
    facts = capture_facts(board, mover, spoken.target)
    if spoken.back is None:
        return (reason("NO_REPLACEMENT", ".2", (spoken.target,), **facts),)
    if spoken.back not in line or board[spoken.back] != ".":
        form = "taken" if spoken.back in line else "line"
        return (reason("BAD_REPLACEMENT", ".2", (spoken.back,), **facts, to=SITES[spoken.back], form=form),)
    return TransetTurn("capture", spoken.origin, spoken.target, spoken.target, spoken.back)


def _not_yours(board: str, mover: Player, origin: int) -> Reason:
    facts = {"site": SITES[origin], "from": SITES[origin], "player": mover}
    if board[origin] == ".":
        return reason("NOT_YOUR_PAWN", "", (origin,), **facts, form="empty")
    return reason("NOT_YOUR_PAWN", "", (origin,), **facts, piece=KIND_OF[board[origin]])


def _swap(board: str, mover: Player, spoken: Spoken, exchange: bool) -> TransetTurn | tuple[Reason, ...]:
    one, two = (spoken.origin, spoken.target), (spoken.origin2, spoken.target2)
    found = swap(board, one, two, exchange)
    if found:
        return ordered(found)
    files, ranks = delta(*one, mover)
    if ranks:
        first, second = (one, two) if ranks > 0 else (two, one)
        return TransetTurn("vertical", *first, *second)
    first, second = (one, two) if files < 0 else (two, one)
    return TransetTurn("horizontal", *first, *second)
