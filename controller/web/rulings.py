"""What a ruling on a turn would do, worked out before it is made: which turns fit a board, and what would fall."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

from controller.correction import game_of, history_of
from controller.drawing.captions import result_named
from controller.journal.fold import Record
from controller.journal.timeline import Entry
from controller.referee.correcting import AS_PLAYED, Correction, CorrectionError, before_turn, corrected
from controller.rules.api import CountsPoints, Game, Outcome, Placement, Position, Turn
from controller.web.phrases import name_of, phrases
from controller.words import sentence

DOMAIN = "timeline"
MOST_LISTED = 600
NEAREST = 6


@dataclass(frozen=True)
class Effect:
    """A correction not made yet; `outcome`: how the game would then be over."""

    n: int
    made: Correction
    outcome: Outcome | None


def effect(record: Record, n: int, text: str, position: str | None) -> Effect:
    """What it would mean that turn `n` was `text`. RulesError where that can't be."""
    game = game_of(record)
    made = corrected(game, history_of(record, game), n, text, position)
    return Effect(n, made, game.outcome(made.line.position))


def effect_json(found: Effect, record: Record, language: str) -> dict[str, Any]:
    """For the page: the turn as it would be written, what falls and why, and whether the result changes."""
    made = found.made
    new = made.record[found.n - 1]
    words = phrases(language, DOMAIN)
    told: list[str] = []
    if made.falls:
        each = (f"{done.n}. {name_of(done.played.player, language)} {done.played.text}" for done in made.falls)
        listed = ", ".join(each)
        told.append(words["told_falls"].format(turns=listed))
        told += [sentence(reason, language) for reason in made.why[:1]]
    elif found.n < len(record.turns):
        told.append(words["told_follow"])
    over, was = found.outcome, record.result
    if over is not None and (was is None or was.get("result") != over.result):
        told.append(words["told_over"].format(result=result_named(over.result, language)))
    elif over is None and was is not None and _by_rules(record):
        told.append(words["told_open"])
    return {
        "n": found.n,
        "player": new.played.player,
        "text": new.played.text,
        "legal": new.played.legal,
        "position": new.position,
        "falls": made.falls[0].n if made.falls else 0,
        "told": told,
    }


def _by_rules(record: Record) -> bool:
    game = game_of(record)
    return record.position is not None and game.outcome(game.parse_position(record.position)) is not None


def choices(record: Record, game: Game, entry: Entry, language: str) -> dict[str, Any]:
    """Which turn it may have been: `fit` the nearest ones to what stood, `all` legal ones, where they can be listed.

    `stood`: the positions that this board can be, one for each side to move next.
    """
    history = history_of(record, game)
    n = min(entry.n, len(history.record) + 1)
    before = before_turn(game, history, n)
    mover = game.to_move(before) or game.players[0]
    before = before if game.to_move(before) else game.with_mover(before, mover)
    placement = Placement(entry.placement)
    over = game.outcome(before) is not None
    turns = [] if over else _turns(game, before, placement)
    ranked = sorted(turns, key=lambda turn: _apart(game, before, turn, placement))
    was = history.record[n - 1].played.text if n <= len(history.record) else None
    texts = [game.turn_text(before, turn) for turn in ranked]
    listed = sorted(texts) if game.tries_two_turns else []
    return {
        "n": n,
        "player": mover,
        "name": name_of(mover, language),
        "was": was,
        "fit": [text for text in texts if text != was][:NEAREST],
        "all": listed,
        "stood": _stood(game, before, entry, placement),
        "as_played": AS_PLAYED,
    }


def _turns(game: Game, before: Position, placement: Placement) -> list[Turn]:
    if game.tries_two_turns:
        return list(islice(game.legal_turns(before), MOST_LISTED))
    return list(islice(game.legal_turns(before, towards=placement), NEAREST))


def _apart(game: Game, before: Position, turn: Turn, placement: Placement) -> tuple[int, str]:
    """On how many sites the turn leads to something else than what stood."""
    after = game.picture(game.after(before, turn)).on
    sites = {*after, *placement.on}
    return sum(after.get(site, ()) != placement.on.get(site, ()) for site in sites), game.turn_text(before, turn)


def _stood(game: Game, before: Position, entry: Entry, placement: Placement) -> list[dict[str, str]]:
    if entry.turns:
        last = entry.turns[-1]
        mover = game.to_move(game.parse_position(str(last["position"])))
        return [{"position": str(last["position"]), "player": mover or game.players[0]}]
    found = game.midgame(game.normal(placement))
    if found is None:
        return []
    if isinstance(game, CountsPoints):
        found = game.with_points(before, found)
    return [{"position": game.position_text(game.with_mover(found, side)), "player": side} for side in game.players]


def fault_sentence(error: CorrectionError, language: str) -> str:
    """Why a correction can't be made, in a language."""
    told = phrases(language, DOMAIN)[f"fault_{error.fault}"]
    return f"{told} {sentence(error.reasons[0], language)}" if error.reasons else told
