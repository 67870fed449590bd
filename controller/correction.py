"""A turn of a game that is over, corrected in its journal: the same as the referee does while a game is played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from controller.errors import CommandError
from controller.journal.fold import Record, fold
from controller.journal.store import Journal
from controller.referee.correcting import Correction, History, corrected
from controller.referee.lines import Done
from controller.referee.rulings import LONGEST_REASON
from controller.referee.view import Played
from controller.rules.api import CountsPoints, Game, Outcome, RulesError
from controller.rules.registry import game_named
from controller.words import say


def game_of(record: Record) -> Game:
    """The game of a record, under the options it was played with. RulesError where it does not say which."""
    if record.game is None:
        raise RulesError("the record does not say which game it was")
    game = game_named(record.game)
    return game.with_options(record.options) if record.options else game


def history_of(record: Record, game: Game) -> History:
    """A record as the rules replay it. RulesError for one whose positions can't be read."""
    anchors = [(0, game.parse_position(record.start))] if record.start is not None else []
    anchors += [(on.n, game.parse_position(on.position)) for on in record.gone_on]
    turns = [
        Done(Played(turn.n, turn.player, turn.text, turn.legal, passed=turn.passed), turn.position)
        for turn in record.turns
    ]
    return History(tuple(sorted(dict(anchors).items())), tuple(turns))


@dataclass(frozen=True)
class Afterwards:
    """A correction of game `number`, not written yet. `result`: what the game's result becomes, if it changes.

    `undone`: the old result came of the rules, and does not any more: the game is open again. `outcome`: by the rules.
    """

    number: int
    n: int
    record: Record
    made: Correction
    result: dict[str, Any] | None = None
    undone: bool = False
    outcome: Outcome | None = None


def afterwards(journal: Journal, number: int, n: int, text: str, stands: str | None = None) -> Afterwards:
    """What it would mean that turn `n` of game `number`, which is over, was `text`.

    CommandError for a game that can't be corrected here; RulesError (`corrected`) for a turn that can't be.
    """
    if number not in journal.games():
        raise CommandError(f"there is no game {number} in {journal.path}; see `boardref games list`")
    record = fold(journal.rows(number))
    if record.result is None:
        raise CommandError(
            f"game {number} is not over; correct it on the operator's page while it is played"
            f" (`boardref games resume {number}` takes it up again)"
        )
    game = game_of(record)
    made = corrected(game, history_of(record, game), n, text, stands)
    outcome = game.outcome(made.line.position)
    if outcome is not None:
        told = _told(game, made, outcome)
        same = all(record.result.get(key) == told[key] for key in told if key != "why")
        return Afterwards(number, n, record, made, None if same else told, outcome=outcome)
    by_rules = record.position is not None and game.outcome(game.parse_position(record.position)) is not None
    return Afterwards(number, n, record, made, undone=by_rules)


def _told(game: Game, made: Correction, outcome: Outcome) -> dict[str, Any]:
    data: dict[str, Any] = {"winner": outcome.winner, "result": outcome.result, "why": _why(outcome.why)}
    if isinstance(game, CountsPoints):
        score = outcome.score or game.score(made.line.position)
        data["score"] = list(score) if score is not None else None
    return data


def _why(key: str) -> str:
    """As the journal keeps it: in English."""
    try:
        return say(key)
    except KeyError:
        return key


def write(journal: Journal, found: Afterwards, reason: str, **facts: object) -> None:
    """Write the correction; the old rows stay. `facts` go into the ruling."""
    rows = list(journal.rows(found.number))
    game_no = max(int(row.data.get("game_no") or 0) for row in rows)
    head = {"t": 0.0, "frame": -1, "game_no": game_no, "game": found.number, "afterwards": True, "internal": False}
    events = list(_events(found, reason.strip()[:LONGEST_REASON], facts))
    believed = next((row.data for row in reversed(rows) if row.event == "belief" and row.data.get("lines")), None)
    if believed is not None:  # it was played at a table, which may show it still
        events.append(_belief(found, believed))
    journal.append([{**head, **event} for event in events])


def corrected_at(journal: Journal, number: int) -> int:
    """The last row that corrected a game after it was over; 0 for none."""
    corrected = "event = 'ruling' AND game = ? AND json_extract(data, '$.afterwards')"
    found = journal.connection.execute(f"SELECT coalesce(max(id), 0) FROM row WHERE {corrected}", (number,))
    return int(found.fetchone()[0])


def _belief(found: Afterwards, before: Mapping[str, Any]) -> dict[str, Any]:
    """What a table believes of the game from now on; see `controller.referee.memory`."""
    game, made = game_of(found.record), found.made
    result = before.get("result")
    if found.result is not None and found.outcome is not None:
        result = {"winner": found.outcome.winner, "result": found.outcome.result, "why": found.outcome.why}
    anchor = game.position_text(made.line.position)
    n, mover = len(made.record), game.to_move(made.line.position)
    line: dict[str, Any] = {"anchor": anchor, "to_move": mover, "n": n, "turns": [], "weak": False}
    return {
        "event": "belief", "internal": True, "phase": "play" if found.undone else "over", "anchor": anchor, "n": n,
        "to_move": mover, "options": dict(found.record.options), "written": max(found.record.highest_n, n),
        "lines": [line], "asked": None,
        "result": {"winner": None, "result": None, "why": None} if found.undone else result,
    }  # fmt: skip


def _events(found: Afterwards, reason: str, facts: dict[str, object]) -> Iterator[dict[str, Any]]:
    made, n = found.made, found.n
    new = made.record[n - 1]
    yield {
        "event": "ruling", "what": "corrected", "by": "operator", **facts, "n": n,
        "was": made.was.played.text if made.was else None, "text": new.played.text, "legal": new.played.legal,
        "reason": reason, "falls": [done.n for done in made.falls], "kept": [k for k, _ in made.anchors if k >= n],
    }  # fmt: skip
    old = {turn.n: turn for turn in found.record.turns}
    for turn in reversed(found.record.turns[len(made.record) :]):
        yield {"event": "withdrawn", "n": turn.n, "player": turn.player}
    for done in made.record[n - 1 :]:
        played = done.played
        yield {
            "event": "pass" if played.passed else "turn", "n": done.n, "player": played.player, "text": played.text,
            "legal": played.legal, "position": done.position, "revised": done.n in old,
            **({"why": "no_legal_turn"} if played.passed else {}),
        }  # fmt: skip
    if found.result is not None:
        yield {"event": "game_over", **found.result}
    elif found.undone:
        yield {"event": "reopened"}
