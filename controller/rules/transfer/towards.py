"""The turns that can explain what is seen, one for each different position after: those that end or pass there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from controller.rules.api import Outcome, Placement
from controller.rules.transfer.board import CAPACITY, PLAYERS, ROOM, TransferPosition, TransferTurn
from controller.rules.transfer.judging import null_turn
from controller.rules.transfer.lanes import LANES, Lanes, absent, of_position, read, too_many
from controller.rules.transfer.matching import Board, Work
from controller.rules.transfer.seeking import Rows, Seeker, Strokes, joined, named, seeker
from controller.rules.transfer.strokes import law_of, view


class Towards(Protocol):
    """What is needed of the game."""

    @property
    def chosen(self) -> Mapping[str, str]: ...

    def outcome(self, position: TransferPosition) -> Outcome | None: ...
    def forced_pass(self, position: TransferPosition) -> TransferTurn | None: ...


def turns_towards(game: Towards, position: TransferPosition, placement: Placement) -> Iterator[TransferTurn]:
    """Turns that end or pass at the placement, whatever the pieces that were not seen do.

    Where many pieces are missing there are very many: they are yielded as they are found.
    """
    law = law_of(game.chosen)
    seek = seeker(law, Work())
    before = of_position(position)
    seen = read(placement)
    if game.outcome(position) is not None or too_many(seen, before):
        return
    passing = game.forced_pass(position)
    null_allowed = game.chosen["null_turn"] == "allow"
    for side in (position.mover,) if position.mover else PLAYERS:
        rows = view(law, position.rows, side)
        never = None if null_allowed else rows
        ends: set[Rows] = set()
        for lanes in _everywhere(seen, absent(seen, before), law.cells):
            board = lanes.board(side, law)
            if board == Board(rows):
                if passing is not None:
                    yield passing
                null = null_turn(law, position.rows, side)
                if null is not None and null_allowed and rows not in ends:
                    ends.add(rows)
                    yield null
                continue
            if max(map(len, board.rows)) > ROOM or max(len(board.own), len(board.other)) > CAPACITY:
                continue
            for end, strokes in _ends(seek, rows, board):
                if end != never and end not in ends:
                    ends.add(end)
                    yield TransferTurn(side, strokes)


def _ends(seek: Seeker, rows: Rows, board: Board) -> Iterator[tuple[Rows, Strokes]]:
    """Every different end of turns that pass there, or the one that is there."""
    strokes = named(seek, rows, board)
    if strokes is None:
        return
    if not board.own and not board.other:
        yield board.rows, strokes
        return
    done: set[Rows] = set()
    known: set[tuple[Board, bool]] = set()
    loads = () if board.other else _loads(seek, rows, board)
    todo = [(board, strokes, False)] + ([(board, loads, True)] if loads else [])
    while todo:
        here, told, loading = todo.pop()
        for stroke, after in seek.going_on(here, loading):
            more = (*told, stroke)
            if not after.own and not after.other:
                if after.rows not in done:
                    done.add(after.rows)
                    yield after.rows, joined(more)
            elif (after, stroke.act == "L") not in known:
                known.add((after, stroke.act == "L"))
                todo.append((after, more, stroke.act == "L"))


def _loads(seek: Seeker, rows: Rows, board: Board) -> Strokes:
    """Loads alone that lead there; none where something was unloaded already."""
    return next((s for s in seek.every(rows, board) if all(stroke.act == "L" for stroke in s)), ())


def _everywhere(seen: Lanes, unseen: str, cells: bool) -> Iterator[Lanes]:
    """The board with the unseen pieces put in anywhere, each different board once."""
    boards = {seen.key(cells): seen}
    for letter in unseen:
        more: dict[tuple[str, ...], Lanes] = {}
        for board in boards.values():
            for lane, sites in enumerate(LANES):
                for at in range(len(sites) if cells else len(board.pieces[lane]) + 1):
                    put = board.with_piece(lane, at, letter, cells)
                    if put is not None:
                        more.setdefault(put.key(cells), put)
        boards = more
    yield from boards.values()
