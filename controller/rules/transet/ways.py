"""All that may stand on the way from one position of Transet, as bits: ends of turns, stages and what they owe."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from controller.rules.api import Act, Kind, Owed, Placement, Player, Reason
from controller.rules.judging import Alphabet, Match, Table
from controller.rules.transet.board import (
    COUNT,
    GOAL,
    KIND_OF,
    LETTERS,
    OTHER,
    SITES,
    TransetTurn,
    board_after,
    legal_turns,
    on_goal,
)
from controller.rules.transet.reasons import capture_facts, ordered, reason

ALPHABET = Alphabet("Transet", SITES, {KIND_OF[letter]: count for letter, count in COUNT.items()})
_BITS = {letter: tuple(ALPHABET.bits[site, kind] for site in SITES) for letter, kind in KIND_OF.items()}
_ONE = {letter: tuple(bits[0] for bits in rows) for letter, rows in _BITS.items()}


class Rest(NamedTuple):
    """What is left to do after a stage: the act, the pawn, where it stands (-1: in a hand) and where it goes."""

    act: Act
    letter: str
    at: int
    to: int
    done: str  # the reason code if the mover calls this stage done
    origin: int  # what the first act did
    target: int


class Ways:
    """The table of a position (see `judging.Table`) and what each stage owes; made once for each position."""

    def __init__(self, board: str, mover: Player, exchange: bool, swop_wins: bool) -> None:
        self.board, self.mover = board, mover
        before = 0
        for i, letter in enumerate(board):
            if letter != ".":
                before |= _ONE[letter][i]
        self.turns = tuple(legal_turns(board, mover, exchange))
        self.table: Table[TransetTurn] = Table(before)
        self.rests: dict[int, list[Rest]] = {}
        goal = GOAL[mover]
        for turn in self.turns:
            _, a, b, c, d = turn
            letter, second = board[a], board[c] if c >= 0 else ""
            lifted = before ^ _ONE[letter][a]
            if turn.act == "step":
                end = lifted | _ONE[letter][b]
                final = b in goal
            elif turn.act == "capture":
                victim = _ONE[second][b]
                moved = lifted ^ victim | _ONE[letter][b]
                final = d < 0
                if final:
                    end = moved
                    self.table.loose.append((moved, ALPHABET.kind_mask[KIND_OF[second]], turn))
                else:
                    end = moved | _ONE[second][d]
                    self._stage(moved, turn, Rest("return", second, -1, d, "NO_REPLACEMENT", a, b))
                    self._stage(moved | victim, turn, Rest("return", second, b, d, "NO_REPLACEMENT", a, b))
                    first = before ^ victim | _ONE[second][d]
                    self._stage(first, turn, Rest("second_half", letter, a, b, "NOT_CAPTURED", b, d))
            else:
                both = lifted ^ _ONE[second][c]
                end = _put(_put(both, letter, b), second, d)
                final = swop_wins and (b in goal or d in goal)
                if turn.act == "vertical":
                    ahead = "" if letter in "RrKk" else "WRONG_STEP"
                    codes = (ahead, "BACKWARD_ALONE")
                else:
                    codes = ("SIDEWAYS_ALONE", "SIDEWAYS_ALONE")
                if board[b] != ".":  # two neighbours trading places
                    codes = ("OWN_PAWN_THERE", "OWN_PAWN_THERE")
                stage = _put(lifted, letter, b)
                self._stage(stage, turn, Rest("second_half", second, c, d, codes[0], a, b))
                stage = _put(before ^ _ONE[second][c], second, d)
                self._stage(stage, turn, Rest("second_half", letter, a, b, codes[1], c, d))
            self.table.ends.setdefault(end, []).append(turn)
            if final:
                self.table.final.add(end)
        self.table.close()

    def _stage(self, mask: int, turn: TransetTurn, rest: Rest) -> None:
        self.table.stages.setdefault(mask, []).append(turn)
        self.rests.setdefault(mask, []).append(rest)

    def owed(self, found: Match[TransetTurn]) -> tuple[Owed, ...]:
        """What must still follow, one entry for each pawn that can do it; nothing where pawns in hands explain it."""
        table = self.table
        stages = [mask for mask in found.near if mask in table.stages]
        busy = {turn for mask in stages for turn in table.stages[mask]}
        if table.before in found.near or any(not busy.issuperset(table.ends.get(mask, ())) for mask in found.near):
            return ()
        acts: dict[tuple[Act, str, int], set[str]] = {}
        for mask in stages:
            for rest in self.rests[mask]:
                acts.setdefault((rest.act, rest.letter, rest.at), set()).add(SITES[rest.to])
        return tuple(
            Owed(self.mover, act, KIND_OF[letter], SITES[at] if at >= 0 else None, frozenset(to))
            for (act, letter, at), to in sorted(acts.items())
        )

    def done_reasons(self, stage: int) -> tuple[Reason, ...]:
        """What is wrong when the mover says that this stage was all."""
        return ordered(self._rest_reason(rest) for rest in self.rests.get(stage, ()) if rest.done)

    def overtaken(self, mask: int, exchange: bool, swop_wins: bool) -> list[Reason]:
        """What was left undone, where a complete turn of the other side stands after one act of this one."""
        own = sum(ALPHABET.kind_mask[KIND_OF[letter]] for letter in LETTERS[self.mover])
        seen: dict[tuple[int, int], list[Rest]] = {}
        for stage, rests in self.rests.items():
            if stage & own == mask & own:
                for rest in rests:
                    if rest.done != "NOT_CAPTURED":
                        seen.setdefault((rest.origin, rest.target), []).append(rest)
        found = []
        for (origin, target), rests in seen.items():
            cells = list(self.board)
            cells[origin], cells[target] = ".", cells[origin]
            board = "".join(cells)
            if mask in ways_of(board, OTHER[self.mover], exchange, swop_wins).table.ends:
                found += [self._rest_reason(rest) for rest in rests if rest.done]
        return found

    def _rest_reason(self, rest: Rest) -> Reason:
        origin, target = rest.origin, rest.target
        facts = {"from": SITES[origin], "to": SITES[target], "player": self.mover}
        if rest.done == "NO_REPLACEMENT":
            return reason(rest.done, ".2", (target,), **capture_facts(self.board, self.mover, target))
        piece = KIND_OF[self.board[origin]]
        if rest.done == "NOT_CAPTURED":
            return reason(rest.done, ".2", (origin, target), **facts, piece=piece)
        if rest.done == "OWN_PAWN_THERE":
            return reason(rest.done, ".1", (origin, target), **facts, piece=piece, other=KIND_OF[self.board[target]])
        item = {"SIDEWAYS_ALONE": ".4", "BACKWARD_ALONE": ".3"}.get(rest.done, ".1")
        form = {"form": self.board[origin].upper()} if rest.done == "WRONG_STEP" else {}
        return reason(rest.done, item, (origin, target), **facts, **form, piece=piece)


def _put(mask: int, letter: str, site: int) -> int:
    """One more pawn on a site, also on one of its own kind (two like pawns trading places)."""
    first, *more = _BITS[letter][site]
    return mask | (more[0] if more and mask & first else first)


def stage_placements(board: str, turn: TransetTurn) -> list[Placement]:
    """The boards after one act of a turn of two acts."""
    if turn.act == "step" or turn.target2 < 0:
        return []
    _, a, b, c, d = turn
    shifts = [[(a, b)], [(c, d)]]
    if turn.act == "capture":
        shifts.append([(a, b), (c, -1)])  # the victim in a hand or beside the board
    return [_shifted(board, moves) for moves in shifts]


def _shifted(board: str, moves: list[tuple[int, int]]) -> Placement:
    cells: list[list[Kind]] = [[KIND_OF[letter]] if letter != "." else [] for letter in board]
    lifted = [(cells[origin].pop(0), target) for origin, target in moves]
    for kind, target in lifted:
        if target >= 0:
            cells[target].append(kind)
    return Placement({SITES[i]: tuple(sorted(kinds)) for i, kinds in enumerate(cells) if kinds})


@lru_cache(maxsize=128)
def ways_of(board: str, mover: Player, exchange: bool, swop_wins: bool) -> Ways:
    """The ways from a position that is not over."""
    return Ways(board, mover, exchange, swop_wins)


def wins(board: str, turn: TransetTurn, mover: Player, swop_wins: bool) -> bool:
    """Whether this turn ends the game."""
    if turn.act in ("vertical", "horizontal"):
        return swop_wins and on_goal(board_after(board, turn), mover)
    return turn.target in GOAL[mover]
