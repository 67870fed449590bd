"""Replay a record by the rules: is every turn legal, and does every position follow?"""

from __future__ import annotations

from dataclasses import dataclass

from controller.journal.fold import Record
from controller.rules.api import Game, Position, RulesError


@dataclass(frozen=True)
class Fault:
    """The first thing in a record that the rules do not allow. `n`: the turn, 0 for the start."""

    n: int
    sentence: str


def verify(record: Record, game: Game) -> Fault | None:
    """None when the whole record follows by the rules. Turns the operator accepted as played are taken as they are."""
    try:
        if record.options:
            game = game.with_options(record.options)
    except RulesError as error:
        return Fault(0, f"its options can't be read: {error}")
    if record.start is None:
        return Fault(0, "it has no beginning")
    try:
        position = game.parse_position(record.start)
    except RulesError as error:
        return Fault(0, f"its first position can't be read: {error}")
    gone_on = {on.n: on.position for on in record.gone_on}
    n = 0
    for turn in record.turns:
        n += 1
        if turn.n != n:
            return Fault(n, f"turn {n} is missing")
        try:
            fault = _before(game, position, turn.player, gone_on.get(n - 1))
            if isinstance(fault, str):
                return Fault(n, f"turn {n} ({turn.player} {turn.text}): {fault}")
            position = fault
            if not turn.legal:
                position = game.parse_position(turn.position)
                continue
            verdict = game.judge_turn(position, turn.text)
        except RulesError as error:
            return Fault(n, f"turn {n} ({turn.player} {turn.text}) can't be read: {error}")
        if not verdict.legal or not verdict.complete or verdict.position is None:
            codes = ", ".join(reason.code for reason in verdict.reasons) or "not complete"
            return Fault(n, f"turn {n} ({turn.player} {turn.text}) is not legal: {codes}")
        follows = game.position_text(verdict.position)
        if follows != turn.position:
            return Fault(n, f"turn {n} ({turn.player} {turn.text}) leads to {follows}, the record says {turn.position}")
        position = verdict.position
    return _result(record, game, position, n)


def _before(game: Game, position: Position, player: str, gone_on: str | None) -> Position | str:
    """The position before a turn of this player, or what is wrong with it."""
    if gone_on is not None:
        # Where lines differed in whose turn it was, the turn itself has settled it.
        position = game.with_mover(game.parse_position(gone_on), player)
    elif game.to_move(position) is None:
        position = game.with_mover(position, player)
    if game.outcome(position) is not None:
        return "the game was over before it"
    mover = game.to_move(position)
    return position if mover == player else f"it was {mover}'s turn"


def _result(record: Record, game: Game, position: Position, n: int) -> Fault | None:
    outcome = game.outcome(position)
    if outcome is None:
        return None  # still going on, resigned or agreed
    if record.result is None:
        return Fault(n, f"the game is over ({outcome.result}), the record has no result")
    if record.result.get("winner") != outcome.winner:
        return Fault(n, f"the result is {outcome.result}, the record says {record.result.get('result')}")
    return None
