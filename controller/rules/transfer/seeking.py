"""Finding strokes between two boards under a game's options: goal-directed where it can, by trying where it must.

`Fast` serves the law and the options push_test, platform and null_turn. Options adjacency=cells and overpush=true
change what a row can become in one stroke, so there `Plain` tries the strokes of the plain engine, stage by stage.
Everything is in the mover's view.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from controller.rules.transfer import strokes as plain
from controller.rules.transfer.board import CAPACITY, Stroke
from controller.rules.transfer.finishing import can_end, next_boards, next_loads, open_rows
from controller.rules.transfer.matching import Board, Work, matches
from controller.rules.transfer.rowways import Allowed

Rows = tuple[str, ...]
Strokes = tuple[Stroke, ...]
STAGE = 100  # steps of the search that trying all strokes of one stage counts as
MOST = 24  # explanations looked at for the one that is named; the first ones use the fewest rows


class Seeker(Protocol):
    """Strokes from `before` to a board, whether a turn can be ended there, and where it may go on."""

    def every(self, before: Rows, board: Board) -> Iterator[Strokes]: ...
    def can_end(self, board: Board, never: Rows | None, loading: bool) -> bool: ...
    def open_rows(self, board: Board, never: Rows | None) -> tuple[int, ...]: ...
    def going_on(self, board: Board, loading: bool) -> list[tuple[Stroke, Board]]: ...


class Fast:
    """By the rows' ways."""

    def __init__(self, allowed: Allowed, work: Work) -> None:
        self.allowed, self.work = allowed, work

    def every(self, before: Rows, board: Board) -> Iterator[Strokes]:
        """Every order of strokes that leads there, those that use the fewest rows first."""
        return (match.strokes for match in matches(before, board, self.allowed, self.work))

    def can_end(self, board: Board, never: Rows | None, loading: bool) -> bool:
        """Whether a turn can be ended from there, otherwise than by `never`."""
        return can_end(board, self.allowed, never, loading)

    def open_rows(self, board: Board, never: Rows | None) -> tuple[int, ...]:
        """The rows into which the piece at the mouth may go."""
        return open_rows(board, self.allowed, never)

    def going_on(self, board: Board, loading: bool) -> list[tuple[Stroke, Board]]:
        """The strokes that may come next; dead ends are not left out."""
        return (next_loads(board) if loading else []) + next_boards(board, self.allowed)


class Plain:
    """By trying strokes; a branch ends where more rows differ than strokes are left."""

    def __init__(self, law: plain.Law, work: Work) -> None:
        self.law, self.work = law, work

    def every(self, before: Rows, board: Board) -> Iterator[Strokes]:
        """One order of strokes that leads there, if there is one."""
        goal = plain.Stage(*board)
        seen: set[plain.Stage] = set()
        todo: list[tuple[plain.Stage, Strokes]] = [(plain.Stage(before), ())]
        while todo:
            stage, strokes = todo.pop()
            self.work.nodes += STAGE
            if strokes and stage[:3] == goal[:3]:
                yield strokes
                return
            for stroke, after in plain.steps(self.law, stage):
                if after not in seen and _near(after, goal):
                    seen.add(after)
                    todo.append((after, (*strokes, stroke)))

    def can_end(self, board: Board, never: Rows | None, loading: bool) -> bool:
        """Whether a turn can be ended from there, otherwise than by `never`."""
        seen: set[plain.Stage] = set()
        todo = [self._stage(board, loading)]
        while todo:
            stage = todo.pop()
            if plain.ended(stage):
                if stage.rows != never:
                    return True
                continue
            for _, after in plain.steps(self.law, stage):
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
        return False

    def open_rows(self, board: Board, never: Rows | None) -> tuple[int, ...]:
        """The rows into which the piece at the mouth may go."""
        found: set[int] = set()
        for stroke, after in plain.steps(self.law, self._stage(board, False)):
            if stroke.row not in found and self.can_end(Board(*after[:3]), never, False):
                found.add(stroke.row)
        return tuple(sorted(found))

    def going_on(self, board: Board, loading: bool) -> list[tuple[Stroke, Board]]:
        """The strokes that may come next; dead ends are not left out."""
        return [(stroke, Board(*after[:3])) for stroke, after in plain.steps(self.law, self._stage(board, loading))]

    @staticmethod
    def _stage(board: Board, loading: bool) -> plain.Stage:
        return plain.Stage(*board, "L" if loading else "U" if board.own else "O")


def _near(stage: plain.Stage, goal: plain.Stage) -> bool:
    """Whether enough strokes are left for the rows that differ: each stroke changes one row."""
    differ = sum(one != two for one, two in zip(stage.rows, goal.rows, strict=True))
    clears = 0 if goal.own else CAPACITY
    if stage.last == "L":
        return differ <= CAPACITY - len(stage.own) + CAPACITY - len(goal.own) + clears
    if stage.last == "U" and stage.own:
        return len(goal.own) <= len(stage.own) and differ <= len(stage.own) - len(goal.own) + clears
    return not goal.own and differ <= len(stage.other) - len(goal.other)


def seeker(law: plain.Law, work: Work) -> Seeker:
    """The one for these options."""
    if law.cells or law.overpush:
        return Plain(law, work)
    return Fast(Allowed(each_piece=law.piecewise, free=law.free), work)


def joined(strokes: Strokes, keep: frozenset[int] = frozenset()) -> Strokes:
    """Loads from one row, and clears into one row, that follow each other, as one stroke.

    `keep`: numbers of strokes after which a stage was seen: these end where they ended.
    """
    found: list[Stroke] = []
    for n, stroke in enumerate(strokes):
        last = found[-1] if found else None
        same = last is not None and (last.act, last.row, last.slot) == (stroke.act, stroke.row, stroke.slot)
        if last is not None and same and stroke.act != "U" and stroke.slot == 1 and n - 1 not in keep:
            found[-1] = last._replace(size=last.size + stroke.size)
        else:
            found.append(stroke)
    return tuple(found)


def named(seek: Seeker, before: Rows, board: Board) -> Strokes | None:
    """The strokes by which such a turn is told: of the first explanations the one with the fewest strokes."""
    best: Strokes | None = None
    for n, strokes in enumerate(seek.every(before, board)):
        told = joined(strokes)
        if best is None or (len(told), told) < (len(best), best):
            best = told
        if n + 1 == MOST:
            break
    return best
