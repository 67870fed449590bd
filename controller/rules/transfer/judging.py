"""What a placement is, after a position of Transfer: judged from the board before and the board now alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from controller.rules.api import Answer, Outcome, Owed, Placement, Player, Reason, Verdict
from controller.rules.transfer.board import (
    CAPACITY,
    KIND_OF,
    LETTER_OF,
    OTHER,
    PLAYERS,
    ROOM,
    ROWS,
    SLOTS,
    SOUTH,
    Stroke,
    TransferPosition,
    TransferTurn,
)
from controller.rules.transfer.lanes import Lanes, absent, fillings, of_position, read, too_many, way_back
from controller.rules.transfer.matching import Board, Work
from controller.rules.transfer.offences import Case, crowded, dead_end, doubled, miscounted, owing
from controller.rules.transfer.reasons import reason
from controller.rules.transfer.seeking import named, seeker
from controller.rules.transfer.strokes import GAP, Law, law_of, view

LONG = 10_000  # steps of the search after which hidden sites are left unclear


class Judged(Protocol):
    """What is needed of the game."""

    @property
    def chosen(self) -> Mapping[str, str]: ...

    def outcome(self, position: TransferPosition) -> Outcome | None: ...


class Reading(NamedTuple):
    """One side's reading of a whole board: the answer, and the named turn where it is complete."""

    answer: Answer
    turn: TransferTurn | None = None
    stuck: bool = False  # strokes lead here, but the turn can't be ended


def null_turn(law: Law, rows: tuple[str, ...], mover: Player) -> TransferTurn | None:
    """The canonical null turn: the first row's group that can be loaded at the mover's end, loaded and put back."""
    for at, gapped in enumerate(view(law, rows, mover)):
        row = gapped.lstrip(GAP)
        size = len(row) - len(row.lstrip(row[:1])) if row else 0
        if 0 < size <= CAPACITY and row == gapped:
            return TransferTurn(mover, (Stroke("L", at, size), Stroke("U", at, size)))
    return None


def judge(game: Judged, position: TransferPosition, placement: Placement, done: Player | None = None) -> Verdict:
    """See `Verdict`. `done`: this player says that their part is over."""
    return Judgement(game, position).judge(placement, done)


class Judgement:
    """The judge of one position. `work` counts the search's steps."""

    def __init__(self, game: Judged, position: TransferPosition) -> None:
        self.game, self.position, self.work = game, position, Work()
        self.law = law_of(game.chosen)
        self.seek = seeker(self.law, self.work)
        self.null_allowed = game.chosen["null_turn"] == "allow"
        self.before = of_position(position)
        self.sides: tuple[Player, ...] = (position.mover,) if position.mover else PLAYERS
        self.rows = {side: view(self.law, position.rows, side) for side in self.sides}

    def judge(self, placement: Placement, done: Player | None) -> Verdict:
        """The verdict on one placement."""
        seen = read(placement)
        if self.game.outcome(self.position) is not None:
            return self._over(seen)
        extra = too_many(seen, self.before)
        if extra:
            reasons = miscounted(self.before, seen, extra, self.sides[0])
            return Verdict("illegal", reasons=reasons, way_back=way_back(self.before, seen, self.law.cells))
        unseen = absent(seen, self.before)
        if unseen:
            missing = tuple(KIND_OF[letter] for letter in unseen)
            lost = unseen
            for kind in placement.off:
                lost = lost.replace(LETTER_OF.get(kind, GAP), "", 1)
            if not placement.hidden or not lost:
                return Verdict("partial", missing=missing)
            filled = self._filled(seen, placement, unseen) if lost == unseen else None
            if filled is None:
                return Verdict("unclear", missing=missing)
            seen = filled
        return self._whole(seen, done)

    def _filled(self, seen: Lanes, placement: Placement, unseen: str) -> Lanes | None:
        """The unseen pieces laid on hidden sites so that nothing has changed there, if nothing else explains the board.

        None where they may lie otherwise, and where that would take long to find out.
        """
        found = fillings(seen, placement.hidden, unseen)
        if found is None:
            return None
        cells = self.law.cells
        ways = {way.key(cells): way for way in found}
        visible, was = seen.key(cells), self.before.key(cells)
        calm = [
            way
            for key, way in ways.items()
            if all(now in (shown, old) for shown, now, old in zip(visible, key, was, strict=True))
        ]
        if len(calm) != 1 or not self._explained(calm[0]):
            return None
        for way in ways.values():
            if way is not calm[0] and (self.work.nodes > LONG or self._explained(way)):
                return None
        return calm[0]

    def _explained(self, seen: Lanes) -> bool:
        return any(self._read(seen, side).answer != "illegal" for side in self.sides)

    def _read(self, seen: Lanes, side: Player) -> Reading:
        board = seen.board(side, self.law)
        before = self.rows[side]
        if board == Board(before):
            return Reading("unchanged")
        if max(map(len, board.rows)) > ROOM or max(len(board.own), len(board.other)) > CAPACITY:
            return Reading("illegal")
        if not board.own and not board.other:
            strokes = named(self.seek, before, board)
            return Reading("complete", TransferTurn(side, strokes)) if strokes else Reading("illegal")
        if next(self.seek.every(before, board), None) is None:
            return Reading("illegal")
        never = self._never(side)
        ends = self.seek.can_end(board, never, False)
        if not ends and not board.other and (never is not None or self.law != Law()):  # by loading more?
            ways = self.seek.every(before, board)
            loads = any(all(stroke.act == "L" for stroke in strokes) for strokes in ways)
            ends = loads and self.seek.can_end(board, never, True)
        return Reading("partial") if ends else Reading("illegal", stuck=True)

    def _never(self, side: Player) -> tuple[str, ...] | None:
        return None if self.null_allowed else self.rows[side]

    def _whole(self, seen: Lanes, done: Player | None) -> Verdict:
        """The verdict on a board on which nothing is missing."""
        twice = doubled(seen, self.sides[0]) if self.law.cells else ()
        if twice:
            return Verdict("illegal", reasons=twice, way_back=way_back(self.before, seen, self.law.cells))
        readings = {side: self._read(seen, side) for side in self.sides}
        answers = {reading.answer for reading in readings.values()}
        if "unchanged" in answers:
            null = (
                null_turn(self.law, self.position.rows, done)
                if done is not None and done in readings and self.null_allowed
                else None
            )
            return Verdict("complete", (null,)) if null else Verdict("unchanged")
        if "complete" in answers:
            return Verdict("complete", tuple(reading.turn for reading in readings.values() if reading.turn))
        going = [side for side, reading in readings.items() if reading.answer == "partial"]
        if going:
            if done is not None and going == [done]:
                reasons = owing(seen.board(done, self.law), done)
                return Verdict("illegal", reasons=reasons, way_back=way_back(self.before, seen, self.law.cells))
            return Verdict("partial", owed=tuple(self._owed(seen, side) for side in going))
        stuck = next((side for side, reading in readings.items() if reading.stuck), None)
        back = way_back(self.before, seen, self.law.cells)
        return Verdict("illegal", reasons=self._reasons(seen, stuck), way_back=back)

    def _owed(self, seen: Lanes, side: Player) -> Owed:
        """The act that must follow: the piece at the mouth, and the cells by which it may go in."""
        board = seen.board(side, self.law)
        rows = self.seek.open_rows(board, self._never(side))
        near = (side == SOUTH) == bool(board.own)
        to = frozenset(f"{ROWS[row]}{1 if near else ROOM}" for row in rows)
        owner = side if board.own else OTHER[side]
        piece = KIND_OF[(board.own or board.other)[0]]
        return Owed(side, "unload" if board.own else "clear", piece, SLOTS[owner][0], to)

    def _reasons(self, seen: Lanes, stuck: Player | None) -> tuple[Reason, ...]:
        """Why no turn ends or passes here; for an unknown mover as the side that explains it with fewer pieces."""
        full = crowded(seen, self.sides[0])
        if full:
            return full
        if stuck is not None:
            return (dead_end(seen, stuck),)
        if seen.pieces == self.before.pieces:  # where gaps count, pieces may not just slide
            pairs = zip(self.before.at[:9], seen.at[:9], strict=True)
            slid = sorted({site for was, now in pairs for site in {*was} ^ {*now}})
            return (reason("NOT_A_TURN", self.sides[0], tuple(slid)),)
        found = []
        for side in self.sides:
            found.append(Case(self.before, seen, side, self.law, self.work).reasons(len(self.sides) == 2))
        return min(found, key=lambda one: one[1])[0]

    def _over(self, seen: Lanes) -> Verdict:
        """After the end there is nothing to judge: the board may be cleared."""
        if seen.pieces == self.before.pieces:
            return Verdict("unchanged")
        missing = tuple(KIND_OF[letter] for letter in absent(seen, self.before))
        back = way_back(self.before, seen, self.law.cells)
        if all(shift.origin is None for shift in back):
            return Verdict("partial", missing=missing)
        sites = tuple(shift.origin for shift in back if shift.origin is not None)
        reasons = (reason("NOT_A_TURN", self.sides[0], sites),)
        return Verdict("illegal", missing=missing, reasons=reasons, way_back=back)
