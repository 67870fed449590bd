"""Goal-directed matching: the turns of Transfer that lead from one board to another, without listing them all.

Every row's ways are few (`rowways`); rows are chosen depth first under the turn's budgets, then the platforms' orders
are checked. Rows that look unchanged may still have been used: a piece parked between two equal colours on a platform
keeps them apart and goes home ("separators"), so those are tried last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from controller.rules.transfer.board import CAPACITY, Stroke
from controller.rules.transfer.rowways import Allowed, Way, row_ways, weigh

Chosen = tuple[tuple[int, Way], ...]  # rows (0 is A) and what happened to them


class Board(NamedTuple):
    """A picture in the mover's view: rows with the mover's end first, the own and the other platform mouth first."""

    rows: tuple[str, ...]
    own: str = ""
    other: str = ""


class Work:
    """Counts the search's steps: deterministic, so that tests can bound it."""

    def __init__(self) -> None:
        self.nodes = 0


class Match(NamedTuple):
    """One explanation: what happened to the rows, and one order of strokes."""

    chosen: Chosen
    strokes: tuple[Stroke, ...]


def solve(
    before: tuple[str, ...],
    board: Board,
    allowed: Allowed,
    work: Work | None = None,
    limit: int | None = None,
    separators: int = CAPACITY,
) -> Match | None:
    """One explanation of the board by strokes of one turn, the same one for the same question; None if there is none.

    With both platforms empty it is a whole turn, otherwise a beginning of one (not tested: whether it can be ended).
    `limit`: how many pieces may be loaded at most, where that is fewer than the law's capacity. `separators`: how many
    rows that look unchanged may have been used.
    """
    return next(matches(before, board, allowed, work, limit, separators), None)


def matches(
    before: tuple[str, ...],
    board: Board,
    allowed: Allowed,
    work: Work | None = None,
    limit: int | None = None,
    separators: int = CAPACITY,
) -> Iterator[Match]:
    """Every explanation, those without separators first. Loads and clears go group by group."""
    work = work or Work()
    known: dict[tuple[tuple[object, ...], ...], bool] = {}
    most = allowed.capacity if limit is None else limit
    for chosen in _choices(before, board, allowed, work, most, separators):
        if not allowed.any_order:
            key = tuple(sorted((*way[:5], way.surplus) for _, way in chosen))
            if known.get(key) is False:
                continue
        fits = False
        for strokes in orders(chosen, board, allowed, work):
            fits = True
            yield Match(chosen, strokes)
        if not allowed.any_order:
            known[key] = fits


def _choices(
    before: tuple[str, ...], board: Board, allowed: Allowed, work: Work, limit: int, separators: int
) -> Iterator[Chosen]:
    """Ways for rows under the budgets, the colours on both platforms right."""
    rules = allowed.for_rows()
    forced: list[tuple[int, tuple[Way, ...]]] = []
    calm: list[int] = []
    for row, (old, new) in enumerate(zip(before, board.rows, strict=True)):
        if old == new:
            calm.append(row)
            continue
        ways = row_ways(old, new, rules)
        work.nodes += 1
        if not ways:
            return
        forced.append((row, ways))
    forced.sort(key=lambda item: len(item[1]))
    room = limit - len(board.own)
    out = CAPACITY if allowed.overpush else room
    if allowed.reloaded:
        most = (limit, room, limit, 0)
    elif allowed.early_clear:
        most = (limit, room, room, room)
    else:
        most = (limit, room, out, 0 if board.own else out - len(board.other))
    if min(most) < 0 or (not allowed.reloaded and out < len(board.other)):
        return
    bases = list(_forced(forced, 0, most, (), work))
    if not bases:
        return
    own, other = weigh(board.own), weigh(board.other)
    for chosen, _ in bases:
        if sum(way.own for _, way in chosen) == own and sum(way.other for _, way in chosen) == other and _loads(chosen):
            yield chosen
    spare: dict[tuple[int, int], list[tuple[int, Way]]] = {}
    if separators and any(left[0] or left[1] for _, left in bases):
        for row in calm:
            for way in row_ways(before[row], before[row], rules):
                work.nodes += 1
                spare.setdefault((way.own, way.other), []).append((row, way))
    if not spare:
        return
    for extra in range(1, separators + 1):
        for chosen, left in bases:
            need_own = own - sum(way.own for _, way in chosen)
            need_other = other - sum(way.other for _, way in chosen)
            for more in _separators(spare, need_own, need_other, left, extra, -1, work):
                if _loads(chosen + more):
                    yield chosen + more


def _loads(chosen: Chosen) -> bool:
    return any(way.loaded for _, way in chosen)


def _spend(left: tuple[int, ...], way: Way) -> tuple[int, ...] | None:
    loaded = left[0] - len(way.loaded)
    inserted = left[1] - len(way.inserted)
    ejected = left[2] - len(way.ejected)
    cleared = left[3] - len(way.cleared)
    if loaded < 0 or inserted < 0 or ejected < 0 or cleared < 0:
        return None
    return loaded, inserted, ejected, cleared


def _forced(
    rows: list[tuple[int, tuple[Way, ...]]], at: int, left: tuple[int, ...], chosen: Chosen, work: Work
) -> Iterator[tuple[Chosen, tuple[int, ...]]]:
    """A way for each row that looks different, and what is left of the budgets."""
    if at == len(rows):
        yield chosen, left
        return
    row, ways = rows[at]
    for way in ways:
        work.nodes += 1
        rest = _spend(left, way)
        if rest is not None:
            yield from _forced(rows, at + 1, rest, (*chosen, (row, way)), work)


def _separators(
    spare: dict[tuple[int, int], list[tuple[int, Way]]],
    own: int,
    other: int,
    left: tuple[int, ...],
    extra: int,
    after: int,
    work: Work,
) -> Iterator[Chosen]:
    """`extra` rows that look unchanged, in rising order, that bring the platforms' colours right."""
    if extra == 1:
        for row, way in spare.get((own, other), ()):
            work.nodes += 1
            if row > after and _spend(left, way) is not None:
                yield ((row, way),)
        return
    for ways in spare.values():
        for row, way in ways:
            work.nodes += 1
            if row > after:
                rest = _spend(left, way)
                if rest is not None:
                    rest_own, rest_other = own - way.own, other - way.other
                    for more in _separators(spare, rest_own, rest_other, rest, extra - 1, row, work):
                        yield ((row, way), *more)


def orders(chosen: Chosen, board: Board, allowed: Allowed, work: Work) -> Iterator[tuple[Stroke, ...]]:
    """Every order of strokes in which these ways can have happened; with `any_order` only whether there may be one."""
    if allowed.any_order:
        if all(way.ends[-1] for _, way in chosen):
            yield ()
        return
    parts = [(row, groups(way.loaded, allowed.piecewise)) for row, way in chosen if way.loaded]
    piled: dict[str, list[tuple[Stroke, ...]]] = {}
    for pile, strokes in _pile(parts, "", ()):
        piled.setdefault(pile, []).append(strokes)
    start = (0,) * len(chosen)
    for pile, loadings in piled.items():
        work.nodes += 4 * len(loadings)
        queue = pile[::-1]  # the order in which the pieces leave the platform
        if not allowed.free and not queue.endswith(board.own):
            continue
        tails = []
        for strokes, out in _unload(chosen, board.own, queue, start, "", (), allowed, work):
            for more in _clear(chosen, board.other, out, start, (), allowed, work):
                tails.append(strokes + more)
                yield loadings[0] + tails[-1]
        for loading in loadings[1:]:
            for tail in tails:
                yield loading + tail


def groups(pieces: str, singly: bool = False) -> tuple[str, ...]:
    """The maximal runs of one colour; with `singly` every piece for itself."""
    found: list[str] = []
    for piece in pieces:
        if found and found[-1][0] == piece and not singly:
            found[-1] += piece
        else:
            found.append(piece)
    return tuple(found)


def _pile(
    parts: list[tuple[int, tuple[str, ...]]], pile: str, strokes: tuple[Stroke, ...]
) -> Iterator[tuple[str, tuple[Stroke, ...]]]:
    """Every order of loading the rows' groups, what is loaded first deepest."""
    if not parts:
        yield pile, strokes
        return
    for i, (row, blocks) in enumerate(parts):
        rest = [(row, blocks[1:])] if len(blocks) > 1 else []
        stroke = Stroke("L", row, len(blocks[0]))
        yield from _pile(parts[:i] + rest + parts[i + 1 :], pile + blocks[0], (*strokes, stroke))


def _edge(pieces: str, at: int) -> bool:
    """Whether no group is divided between at-1 and at."""
    return at in (0, len(pieces)) or pieces[at - 1] != pieces[at]


def _starts(queue: str, allowed: Allowed) -> tuple[int, ...]:
    """Where a block may be taken from a platform: at its mouth, or with the option at any group."""
    if not allowed.free:
        return (0,)
    return tuple(at for at in range(len(queue)) if _edge(queue, at))


def _unload(
    chosen: Chosen,
    stays: str,
    queue: str,
    done: tuple[int, ...],
    out: str,
    strokes: tuple[Stroke, ...],
    allowed: Allowed,
    work: Work,
) -> Iterator[tuple[tuple[Stroke, ...], str]]:
    """Every way to bring the own platform's pieces into the rows as the ways say, `stays` left over.

    With what stands on the other platform then, its mouth first. Bigger blocks come first.
    """
    if len(queue) == len(stays):
        if queue == stays and all(there == len(way.inserted) for there, (_, way) in zip(done, chosen, strict=True)):
            yield strokes, out
        return
    spare = len(queue) - len(stays)
    for begin in _starts(queue, allowed):
        for i, (row, way) in enumerate(chosen):
            start = done[i]
            work.nodes += 1
            for size in range(_fitting(way, start, queue, begin, spare, allowed), 0, -1):
                work.nodes += 4
                stop = start + size
                if way.ends[stop] and (allowed.split_platform or _edge(queue, begin + size)):
                    more = way.ejected[way.surplus[start] : way.surplus[stop]][::-1] + out
                    rest = queue[:begin] + queue[begin + size :]
                    now = (*done[:i], stop, *done[i + 1 :])
                    step = (*strokes, Stroke("U", row, size, begin + 1))
                    yield from _unload(chosen, stays, rest, now, more, step, allowed, work)


def _fitting(way: Way, start: int, queue: str, begin: int, spare: int, allowed: Allowed) -> int:
    """How many pieces from `begin` on could go into a row at once, as the way has it."""
    size = 0
    most = min(spare, len(queue) - begin, len(way.inserted) - start)
    while size < most and way.inserted[start + size] == queue[begin + size]:
        size += 1
        if allowed.each_piece and not way.ends[start + size]:
            return size - 1
    return size


def _clear(
    chosen: Chosen,
    stays: str,
    queue: str,
    done: tuple[int, ...],
    strokes: tuple[Stroke, ...],
    allowed: Allowed,
    work: Work,
) -> Iterator[tuple[Stroke, ...]]:
    """The same for the other platform; here a block of several groups is as good as one after the other."""
    if len(queue) <= len(stays):
        if queue == stays and all(there == len(way.cleared) for there, (_, way) in zip(done, chosen, strict=True)):
            yield strokes
        return
    for begin in _starts(queue, allowed):
        block = groups(queue[begin:], allowed.split_platform)[0]
        if len(queue) - len(block) < len(stays):
            continue
        rest = queue[:begin] + queue[begin + len(block) :]
        for i, (row, way) in enumerate(chosen):
            work.nodes += 1
            if way.cleared.startswith(block, done[i]):
                now = (*done[:i], done[i] + len(block), *done[i + 1 :])
                step = (*strokes, Stroke("O", row, len(block), begin + 1))
                yield from _clear(chosen, stays, rest, now, step, allowed, work)
