"""A game from a file into a journal: read, replayed by the rules, and written as rows that fold to the same record."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from controller.journal.errors import JournalError
from controller.journal.fold import Record, fold
from controller.journal.naming import tidy
from controller.journal.notation import record_from_text
from controller.journal.places import PlaceError, at, index_of
from controller.journal.store import Row
from controller.journal.verify import verify
from controller.rules.api import RulesError
from controller.rules.registry import game_named

Format = Literal["text", "json"]

_RECORD = TypeAdapter(Record)
DEEPEST = 12
"""Levels of lists and objects in one another; the facts of a reason reach seven."""


def read_game(text: str) -> tuple[Record, Format]:
    """The record in a file and its format. Raises PlaceError with line and column; nothing is written yet."""
    if text.removeprefix("\ufeff").lstrip().startswith(("{", "[")):
        return record_from_json(text.removeprefix("\ufeff")), "json"
    return record_from_text(text), "text"


def record_from_json(text: str) -> Record:
    """The record that `export --format json` wrote. Raises PlaceError for what can't be read or does not follow."""
    try:
        told = json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise PlaceError(f"this is no JSON: {error.msg}", error.lineno, error.colno) from None
    except (ValueError, RecursionError) as error:  # NaN; a number of ten thousand digits; a thousand brackets
        raise PlaceError(f"this is no JSON: {error}", 1, 1) from None
    _sound(told)
    if not isinstance(told, dict):
        raise at(text, index_of(text, ()), "one game is expected, as `boardref games export N --format json` writes it")
    try:
        record = _RECORD.validate_python({key: value for key, value in told.items() if key != "imported"})
        record = replace(record, names={side: tidy(name) for side, name in record.names.items()})
    except ValidationError as error:
        first = error.errors()[0]
        path = [part for part in first["loc"] if isinstance(part, str | int)]
        said = f"{'.'.join(str(part) for part in path) or 'the game'}: {first['msg']}"
        raise at(text, index_of(text, path), said) from None
    except JournalError as error:
        raise at(text, index_of(text, ("names",)), f"names: {error}") from None
    _check(record, text)
    return record


def _sound(told: Any) -> None:
    """No deeper than records are, and nothing that is no text: whoever shows a record relies on that."""
    level = [told]
    for _ in range(DEEPEST):
        inner = [one for one in level if isinstance(one, dict)]
        lists = [one for one in level if isinstance(one, list)]
        texts = [one for one in level if isinstance(one, str)] + [key for one in inner for key in one]
        if any("\ud800" <= letter <= "\udfff" for one in texts for letter in one):
            raise PlaceError("it holds half of a character (\\ud800 to \\udfff), which can't be written", 1, 1)
        level = [value for one in inner for value in one.values()] + [value for one in lists for value in one]
    if level:
        raise PlaceError(f"it is nested more than {DEEPEST} deep, which no record is", 1, 1)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _check(record: Record, text: str) -> None:
    """The record follows by the rules, and says nothing that its own turns don't say."""

    def fault(said: str, *path: str | int) -> PlaceError:
        return at(text, index_of(text, path), said)

    if record.game is None:
        raise fault("it does not say which game it was", "game")
    try:
        game = game_named(record.game)
    except RulesError as error:
        raise fault(str(error), "game") from None
    if record.begun not in ("start", "midgame"):
        raise fault("begun is `start` or `midgame`", "begun")
    if side := next((side for side in record.names if side not in game.players), None):
        raise fault(f"nobody plays {side} in {game.name}", "names", side)
    if record.result is not None and (said := _wrong_result(record.result, game.players)):
        raise fault(said, "result")
    wrong = verify(record, game)
    if wrong is not None:
        path = ("turns", wrong.n - 1, "text") if 0 < wrong.n <= len(record.turns) else ("start",)
        raise fault(wrong.sentence, *path)
    try:
        again = folded(record)
    except (KeyError, TypeError, ValueError) as error:
        raise fault(f"it can't be written as a record ({error})") from None
    for part in fields(Record):
        if getattr(again, part.name) != getattr(record, part.name) and part.name != "imported":
            raise fault(f"{part.name} does not go with the turns of the game", part.name)


def _wrong_result(result: Mapping[str, Any], players: Sequence[str]) -> str:
    """What is no result of a game of these players; empty where it is one."""
    if result.get("winner") not in (None, *players):
        return f"result: the winner is {' or '.join(players)}, or null"
    if not isinstance(result.get("result"), str) or not isinstance(result.get("why"), str | None):
        return "result: `result` and `why` are texts"
    score = result.get("score")
    if score is not None and not (isinstance(score, list) and len(score) == 2 and all(type(n) is int for n in score)):
        return "result: `score` is two whole numbers, or null"
    return ""


def folded(record: Record) -> Record:
    """The fold of the rows that an import writes; equal to the record, but for `imported`."""
    rows: list[Row] = []
    for number, event in enumerate(events_of(record, "json", ""), 1):
        data = json.loads(json.dumps(event))
        if event["event"] == "players":
            data["names"] = {side: name for side, name in sorted(record.names.items()) if name}
        rows.append(Row(number, 1, 1, str(event["event"]), bool(event.get("internal")), "", data))
    return fold(rows)


def events_of(record: Record, form: Format, file: str, game_no: int = 1) -> list[dict[str, Any]]:
    """The events of an imported game, in order. `file`: the name of the file that it came from."""
    told: list[dict[str, Any]] = []

    def tell(event: str, t_s: float, **data: Any) -> None:
        told.append({"event": event, "t": t_s, "frame": 0, "game_no": game_no, "internal": False, **data})

    was = {
        "session": record.begun_session, "written_utc": record.begun_utc,
        "clock_synchronised": record.begun_clock_synchronised,
    }  # fmt: skip
    tell(
        "setup_complete", record.begun_s, position=record.start, game=record.game, set=record.set, was=was,
        **{"as": record.begun},
    )  # fmt: skip
    tell("imported", 0.0, format=form, file=file, highest_n=record.highest_n)
    if record.names:
        tell("players", 0.0, names=dict(record.names), by="import")
    gone_on = {on.n: on.position for on in record.gone_on}
    derived = ("accepted", "position")
    said = [ruling for ruling in record.rulings if ruling.what not in derived]
    turns = {turn.n: turn for turn in record.turns}
    last = max((0, *turns, *(ruling.n for ruling in said), *(illegal.n for illegal in record.illegal)))
    for n in range(last + 1):
        t_s = turns[n].t_s if n in turns else 0.0
        if n in turns:
            turn = turns[n]
            tell(
                "pass" if turn.passed else "turn", turn.t_s, n=turn.n, player=turn.player, text=turn.text,
                legal=turn.legal, position=turn.position, revised=False,
                **({"clock": dict(turn.clock)} if turn.clock else {}),
                was={
                    "session": turn.session, "written_utc": turn.written_utc, "row": turn.row,
                    "clock_synchronised": turn.clock_synchronised,
                },
            )  # fmt: skip
        if n in gone_on or (n == 0 and record.options):
            line: dict[str, Any] = {
                "anchor": gone_on.get(n, record.start),
                "to_move": None,
                "n": n,
                "turns": [],
                "weak": False,
            }
            tell("belief", t_s, lines=[line], options=dict(record.options))
            told[-1]["internal"] = True
        for illegal in (one for one in record.illegal if one.n == n):
            tell(
                "illegal", illegal.t_s, after=n, player=illegal.player, code=illegal.code, sites=list(illegal.sites),
                why=illegal.why, reasons=[dict(one) for one in illegal.reasons],
                way_back=[dict(one) for one in illegal.way_back],
            )  # fmt: skip
        for ruling in (one for one in said if one.n == n):
            _tell_ruling(told, ruling.what, ruling.text, {"t": t_s, "frame": 0, "game_no": game_no, "after": n})
    if record.result is not None:
        tell("game_over", told[-1]["t"], **record.result)
    return told


def _tell_ruling(told: list[dict[str, Any]], what: str, text: str, head: dict[str, Any]) -> None:
    if what == "draw_offer":
        player, _, state = text.rpartition(" ")
        told.append({"event": "draw_offer", **head, "player": player, "state": state})
    elif what == "flag":
        player = text.removesuffix(" up again")
        told.append({"event": "flag", **head, "player": player, "fallen": player == text})
    elif what == "guide":
        told.append({"event": "guide", **head, "state": text})
    elif what == "unexplained":
        told.append({"event": "unexplained", **head, "sites": text.split()})
    elif what == "reported":
        told.append({"event": "reported", **head, "file": text, "by": "import", "note": ""})
    else:
        told.append({"event": "ruling", **head, "what": what, "by": "import", "reason": text})
