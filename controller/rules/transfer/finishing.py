"""Whether a turn that was begun can be ended, and where its next piece may go. In the mover's view throughout."""

from __future__ import annotations

from controller.rules.transfer.board import CAPACITY, ROOM, Stroke
from controller.rules.transfer.matching import Board
from controller.rules.transfer.rowways import Allowed

STRICT = Allowed()


def can_end(board: Board, allowed: Allowed, never: tuple[str, ...] | None = None, loading: bool = False) -> bool:
    """Whether the platforms can both be emptied from here. `never`: an end that does not count (null turns forbidden).
    `loading`: nothing was unloaded yet, so that more may be loaded.

    For the default law in closed form: only a group of three can be stuck, for with ten free cells or more in nine
    rows one of them always has two (checked against `can_end_by_trying`).
    """
    if allowed != STRICT or never is not None or _pieces(board) > 35 or len(board.rows) != 9:
        return can_end_by_trying(board, allowed, never, loading)
    wide = any(len(row) <= ROOM - CAPACITY for row in board.rows)
    if wide or not _triple(board.own or board.other):
        return True
    if not board.own:
        return False
    for row in board.rows:
        out = push(row, board.own, allowed)
        if out is not None and not _triple(out[1]):
            return True
    return False


def _triple(pieces: str) -> bool:
    return len(pieces) == CAPACITY and len(set(pieces)) == 1


def _pieces(board: Board) -> int:
    return sum(map(len, board.rows)) + len(board.own) + len(board.other)


def push(row: str, block: str, allowed: Allowed) -> tuple[str, str] | None:
    """The row after a block (first piece in first) goes in at the own end, and what leaves it in time order."""
    steps = range(1, len(block) + 1) if allowed.each_piece else (len(block),)
    for size in steps:
        out = max(0, len(row) + size - ROOM)
        if out > len(row) or (0 < out < len(row) and row[len(row) - out - 1] == row[len(row) - out]):
            return None
    out = max(0, len(row) + len(block) - ROOM)
    return block[::-1] + row[: len(row) - out], row[len(row) - out :][::-1]


def next_boards(board: Board, allowed: Allowed) -> list[tuple[Stroke, Board]]:
    """Each stroke that may come next and the board after it: unloading, else clearing, whole groups."""
    found = []
    rows = board.rows
    line = board.own or board.other
    for begin, end in _spans(line, allowed):
        block, rest = line[begin:end], line[:begin] + line[end:]
        for at, row in enumerate(rows):
            if board.own:
                after = push(row, block, allowed)
                if after is None:
                    continue
                kept, out = after
                step = Board((*rows[:at], kept, *rows[at + 1 :]), rest, out[::-1] + board.other)
                found.append((Stroke("U", at, len(block), begin + 1), step))
            elif len(row) + len(block) <= ROOM:
                step = Board((*rows[:at], row + block, *rows[at + 1 :]), "", rest)
                found.append((Stroke("O", at, len(block), begin + 1), step))
    return found


def _spans(line: str, allowed: Allowed) -> list[tuple[int, int]]:
    """The blocks of whole groups that may leave a platform in one stroke."""
    edges = [at for at in range(len(line) + 1) if at in (0, len(line)) or line[at - 1] != line[at]]
    starts = edges[:-1] if allowed.free else edges[:1]
    return [(begin, end) for begin in starts for end in edges if end > begin]


def next_loads(board: Board) -> list[tuple[Stroke, Board]]:
    """Each group that may be loaded next and the board after it."""
    found = []
    for at, row in enumerate(board.rows):
        size = len(row) - len(row.lstrip(row[:1])) if row else 0
        if 0 < size <= CAPACITY - len(board.own):
            rows = (*board.rows[:at], row[size:], *board.rows[at + 1 :])
            found.append((Stroke("L", at, size), Board(rows, row[:size] + board.own, "")))
    return found


def can_end_by_trying(
    board: Board, allowed: Allowed, never: tuple[str, ...] | None = None, loading: bool = False
) -> bool:
    """The same by trying every stroke: the definition."""
    seen: set[Board] = set()
    todo = [board]
    while loading and todo:  # everything that may still be loaded
        here = todo.pop()
        if here not in seen:
            seen.add(here)
            todo += [step for _, step in next_loads(here)]
    todo, seen = list(seen) or todo, set()
    while todo:
        here = todo.pop()
        if not here.own and not here.other:
            if here.rows != never:
                return True
            continue
        if here not in seen:
            seen.add(here)
            todo += [step for _, step in next_boards(here, allowed)]
    return False


def open_rows(board: Board, allowed: Allowed, never: tuple[str, ...] | None = None) -> tuple[int, ...]:
    """The rows into which the next stroke (unloading, else clearing) may go so that the turn can still be ended."""
    found: set[int] = set()
    for stroke, step in next_boards(board, allowed):
        ended = not step.own and not step.other
        if stroke.row not in found and (step.rows != never if ended else can_end(step, allowed, never)):
            found.add(stroke.row)
    return tuple(sorted(found))
