"""A turn of a record corrected: what the record becomes, and which later turns no longer follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from controller.referee.lines import Anchors, Done, Line
from controller.referee.view import Played
from controller.rules.api import CountsPoints, Game, Placement, Player, Position, Reason, RulesError, Shift

Fault = Literal["unknown", "no_turn", "pass", "over", "illegal", "incomplete", "position", "same"]

SENTENCES: Mapping[Fault, str] = {
    "unknown": "the beginning of this game is not known, so no turn of it can be corrected",
    "no_turn": "there is no turn with this number",
    "pass": "this was a pass, which follows by itself; correct the turn before it",
    "over": "the game was over before this turn",
    "illegal": "this turn is not legal there",
    "incomplete": "this turn is not complete",
    "position": "what was played needs the position after it",
    "same": "this is what the record says already",
}
AS_PLAYED = "as played"


class CorrectionError(RulesError):
    """A correction that can't be made. `fault` says why; `reasons` where the rules forbid the turn."""

    def __init__(self, fault: Fault, reasons: tuple[Reason, ...] = ()) -> None:
        codes = ", ".join(reason.code for reason in reasons)
        super().__init__(SENTENCES[fault] + (f" ({codes})" if codes else ""))
        self.fault = fault
        self.reasons = reasons


@dataclass(frozen=True)
class History:
    """A game so far: `anchors` (see `lines.Anchors`) and turns.

    `open_turns`: how many turns at its end may still be changed at the table.
    """

    anchors: Anchors
    record: tuple[Done, ...]
    open_turns: int = 0


@dataclass(frozen=True)
class Correction:
    """The whole new `line` and its `anchors`. `was`: the turn before, None where there was none.

    `falls`: later turns that no longer follow, the first one because of `why` (empty: the game is over before it, or
    it is the other side's turn).
    """

    line: Line
    anchors: Anchors
    was: Done | None
    falls: tuple[Done, ...] = ()
    why: tuple[Reason, ...] = ()

    @property
    def record(self) -> tuple[Done, ...]:
        """The turns that stand after it."""
        return self.line.record


def before_turn(game: Game, history: History, n: int) -> Position:
    """The position before turn `n`, which may be the next one; it knows of its past what the game needs."""
    anchors = dict(history.anchors)
    if 0 not in anchors:
        raise CorrectionError("unknown")
    if not 1 <= n <= len(history.record) + 1:
        raise CorrectionError("no_turn")
    position = anchors[0]
    for done in history.record[: n - 1]:
        position = anchors.get(done.n, _made(game, position, done))
    if n <= len(history.record):
        position = _moved_by(game, position, history.record[n - 1].played.player)
    return position


def _made(game: Game, position: Position, done: Done) -> Position:
    """After one turn of a record; what the rules don't follow is taken as it is written."""
    if done.played.legal:
        try:
            at = _moved_by(game, position, done.played.player)
            after = game.after(at, game.parse_turn(at, done.played.text))
            if game.position_text(after) == done.position:
                return after
        except RulesError:
            pass
    return game.parse_position(done.position)


def _moved_by(game: Game, position: Position, player: Player) -> Position:
    return position if game.to_move(position) == player else game.with_mover(position, player)


def corrected(game: Game, history: History, n: int, text: str, stands: str | None = None) -> Correction:
    """Turn `n` was `text`; or, with AS_PLAYED, something that led to the position `stands`, legal or not.

    RulesError where that can't be: a CorrectionError, or what is wrong with a text.
    """
    at = before_turn(game, history, n)
    was = history.record[n - 1] if n <= len(history.record) else None
    if was is not None and was.played.passed:
        raise CorrectionError("pass")
    if game.outcome(at) is not None:
        raise CorrectionError("over")
    if game.to_move(at) is None:  # nobody has moved yet: as the record shows the sides
        at = game.with_mover(at, game.players[0])
    line = Line(at, history.record[: n - 1])
    line = _as_played(game, line, stands) if text.strip().lower() == AS_PLAYED else _played(game, line, text)
    if was is not None and line.record[n - 1] == was:
        raise CorrectionError("same")
    return _followed(game, history, n, line.closed(), was)


def _played(game: Game, line: Line, text: str) -> Line:
    verdict = game.judge_turn(line.position, text)
    if not verdict.legal:
        raise CorrectionError("illegal", verdict.reasons)
    if not verdict.complete or verdict.position is None:
        raise CorrectionError("incomplete")
    return line.then(game, verdict.turn)


def _as_played(game: Game, line: Line, stands: str | None) -> Line:
    if not stands:
        raise CorrectionError("position")
    mover = game.to_move(line.position) or game.players[0]
    other = next(player for player in game.players if player != mover)
    position = _moved_by(game, game.parse_position(stands), other)
    if isinstance(game, CountsPoints):
        position = game.with_points(line.position, position)
    text = as_moved(_shifts(game.picture(line.position), game.picture(position)))
    played = Played(line.record[-1].n + 1 if line.record else 1, mover, text, legal=False)
    return Line(position, (*line.record, Done(played, game.position_text(position)))).passed(game)


def _shifts(before: Placement, now: Placement) -> tuple[Shift, ...]:
    """What came where, as a way back: `to` is where the piece was."""
    gone: list[tuple[str, str]] = []
    come: list[tuple[str, str]] = []
    for site in sorted({*before.on, *now.on}):
        was, here = list(before.on.get(site, ())), list(now.on.get(site, ()))
        for kind in tuple(was):
            if kind in here:
                was.remove(kind)
                here.remove(kind)
        gone += [(kind, site) for kind in was]
        come += [(kind, site) for kind in here]
    found = []
    for kind, site in gone:
        to = next((place for other, place in come if other == kind), None)
        if to is not None:
            come.remove((kind, to))
        found.append(Shift(kind, to, site))
    return (*found, *(Shift(kind, site, None) for kind, site in come))


def as_moved(way_back: tuple[Shift, ...]) -> str:
    """An illegal turn as text: where each piece came from and went to, `?` where it was or is beside the board."""
    return "&".join(sorted(f"{shift.to or '?'}-{shift.origin or '?'}" for shift in way_back)) or "-"


def _followed(game: Game, history: History, n: int, line: Line, was: Done | None) -> Correction:
    """The later turns judged anew, as far as they follow. A position that was set stands whatever went before it."""
    anchors = [(k, position) for k, position in history.anchors if k < n]
    set_later = {k: position for k, position in history.anchors if k >= n}
    falls: tuple[Done, ...] = ()
    why: tuple[Reason, ...] = ()
    for i, done in enumerate(history.record[n:], n):
        line = _anchored(line, anchors, set_later)
        if done.n <= len(line.record):  # a pass, which has followed by itself
            if done.played.passed:
                continue
            falls = history.record[i:]
            break
        longer, why = _again(game, line, done)
        if longer is None:
            falls = history.record[i:]
            break
        line = longer
    if falls:
        return Correction(line.closed(), tuple(anchors), was, falls, why)
    line = _anchored(line, anchors, set_later)
    still_open = line.steps[max(0, len(line.steps) - history.open_turns) :]
    return Correction(replace(line, steps=still_open, lingering=()), tuple(anchors), was)


def _anchored(line: Line, anchors: list[tuple[int, Position]], set_later: dict[int, Position]) -> Line:
    k = len(line.record)
    if k not in set_later:
        return line
    anchors.append((k, set_later.pop(k)))
    return line.moved_on(anchors[-1][1])


def _again(game: Game, line: Line, done: Done) -> tuple[Line | None, tuple[Reason, ...]]:
    """The same turn after another past, or why it no longer follows."""
    played = done.played
    position = line.position
    if played.passed or game.outcome(position) is not None:
        return None, ()
    if game.to_move(position) is None:
        position = game.with_mover(position, played.player)
    if game.to_move(position) != played.player:
        return None, ()
    if not played.legal:  # it was ruled on by what stood on the board
        stood = game.parse_position(done.position)
        if isinstance(game, CountsPoints):
            stood = game.with_points(position, stood)
        return Line(stood, (*line.record, Done(played, game.position_text(stood)))).passed(game), ()
    try:
        verdict = game.judge_turn(position, played.text)
    except RulesError:
        return None, ()
    if not verdict.legal or not verdict.complete or verdict.position is None:
        return None, verdict.reasons
    return replace(line, position=position).then(game, verdict.turn), ()
