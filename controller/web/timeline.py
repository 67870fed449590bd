"""The operator's timeline: every board that stood in a game, what was said of it, and rulings on it in one tap."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from controller.correction import afterwards, game_of, write
from controller.errors import CommandError
from controller.journal.errors import JournalError
from controller.journal.fold import fold
from controller.journal.store import Journal
from controller.journal.timeline import Entry, Timeline, timeline
from controller.referee.correcting import CorrectionError
from controller.rules.api import RulesError
from controller.rules.registry import game_named
from controller.web.access import Who
from controller.web.diagrams import add_tokens, diagram_json, set_for
from controller.web.gate import Operator, language_of
from controller.web.operators import operator_page
from controller.web.ordering import give
from controller.web.phrases import name_of, phrase
from controller.web.ports import TableLike
from controller.web.rulings import choices, effect, effect_json, fault_sentence
from controller.web.screen import Screen
from controller.web.verdicts import entry_json, lines_json

DOMAIN = "timeline"
GAMES = 100
"""So many of the newest games can be chosen on the page."""

Number = Annotated[int, Field(ge=0, le=10**9)]


class RulingBody(BaseModel):
    """A ruling on the entry `row` of a game's timeline.

    `accept` what stands; `back` to it; `set` the `position`; `this`: turn `n` was `text`, or "as played" to `position`.
    `falls`: the first later turn of which the page has said that it no longer follows. `last`: the newest row that the
    page had seen, for what only counts while nothing has happened since.
    """

    model_config = ConfigDict(extra="forbid")
    game: Number
    row: Number
    do: Literal["accept", "back", "set", "this"]
    n: Number = 0
    text: Annotated[str, Field(max_length=2000)] = ""
    position: Annotated[str, Field(max_length=2000)] = ""
    falls: Number = 0
    last: Number = 0
    reason: Annotated[str, Field(max_length=500)] = ""


class _No(Exception):
    """A sentence (key of the catalogue) instead of an answer."""

    def __init__(self, key: str, status: int = 409, said: str = "") -> None:
        super().__init__(key)
        self.key, self.status, self.said = key, status, said


def add_timeline(app: FastAPI, table: TableLike) -> None:
    """`/operator/timeline` and what it asks for."""
    add_tokens(app)

    @app.get("/operator/timeline", response_class=HTMLResponse)
    def page(screen: Annotated[Screen, Query()], who: Operator) -> HTMLResponse:
        return HTMLResponse(operator_page("timeline.html", screen, who, DOMAIN))

    @app.get("/api/operator/timeline")
    def told(request: Request, game: Number = 0) -> JSONResponse:
        return _answered(language_of(request), partial(_told, table, game, language_of(request)))

    @app.get("/api/operator/timeline/choices")
    def may_be(request: Request, game: Number, row: Number) -> JSONResponse:
        def found() -> dict[str, Any]:
            line, entry = _entry(table, game, row)
            return choices(line.record, game_of(line.record), entry, language_of(request))

        return _answered(language_of(request), found)

    @app.get("/api/operator/timeline/effect")
    def would_be(request: Request, game: Number, n: Number, text: str, position: str = "") -> JSONResponse:
        def found() -> dict[str, Any]:
            record = _timeline(_journal(table), game).record
            try:
                return effect_json(effect(record, n, text, position or None), record, language_of(request))
            except RulesError as error:  # that it can't be is an answer, too
                return {"error": _sentence(error, language_of(request))}

        return _answered(language_of(request), found)

    @app.post("/api/operator/timeline/ruling")
    def rule(request: Request, body: RulingBody, who: Operator) -> JSONResponse:
        language = language_of(request)
        try:
            return _rule(table, body, who, language)
        except (_No, RulesError, CommandError, JournalError) as error:
            return _refused(error, language)


def _answered(language: str, found: Callable[[], dict[str, Any]]) -> JSONResponse:
    try:
        return JSONResponse(found())
    except (_No, RulesError, CommandError, JournalError) as error:
        return _refused(error, language)


def _refused(error: Exception, language: str) -> JSONResponse:
    if isinstance(error, _No):
        return JSONResponse({"error": phrase(error.key, language, domain=DOMAIN)}, status_code=error.status)
    return JSONResponse({"error": _sentence(error, language)}, status_code=422)


def _sentence(error: Exception, language: str) -> str:
    if isinstance(error, CorrectionError):
        return fault_sentence(error, language)
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


def _journal(table: TableLike) -> Journal:
    journal: Journal | None = getattr(table, "journal", None)
    if journal is None:
        raise _No("no_journal", 404)
    return journal


def _running(table: TableLike, journal: Journal) -> int:
    """The number of the game on the table; 0 while there is none."""
    view = table.snapshot().view
    return (journal.number_of(view.game_no) or 0) if view.game_no and view.phase in ("play", "over") else 0


def _timeline(journal: Journal, number: int) -> Timeline:
    rows = list(journal.rows(number)) if number else []
    if not rows:
        raise _No("no_game", 404)
    return timeline(rows, game_of(fold(rows)))


def _entry(table: TableLike, number: int, row: int) -> tuple[Timeline, Entry]:
    found = _timeline(_journal(table), number)
    entry = next((entry for entry in found.entries if entry.row == row), None)
    if entry is None:
        raise _No("no_entry", 404)
    return found, entry


def _told(table: TableLike, number: int, language: str) -> dict[str, Any]:
    journal = _journal(table)
    games, running = journal.games(), _running(table, journal)
    number = number or running or (games[-1] if games else 0)
    if not games:
        return {"games": [], "number": 0, "entries": []}
    snapshot = table.snapshot()
    found = _timeline(journal, number)
    record = found.record
    board = set_for(record.game, record.set, snapshot.set)
    playing = number == running and snapshot.view.phase == "play"
    entries = [entry_json(entry, record, language) for entry in found.entries]
    if entries:
        entries[0]["whole"] = {site: list(kinds) for site, kinds in found.entries[0].placement.items()}
    for told, entry in zip(entries, found.entries, strict=True):
        told["can"] = _can(entry, found, playing)
    view = snapshot.view
    if playing and (view.offence or view.question) and found.entries[-1].verdict != "ruling":
        entries[-1]["can"].insert(0, "accept")
    return {
        "games": list(reversed(games))[:GAMES],
        "number": number,
        "running": running,
        "playing": playing,
        "game": record.game,
        "result": record.result,
        "players": {player: name_of(player, language) for player in game_named(record.game or "").players},
        "names": {player: called for player, called in record.names.items() if called},
        "set": diagram_json(board) if board is not None else None,
        "entries": entries,
        "lines": lines_json(found.lines, language) if playing else [],
    }


def _can(entry: Entry, found: Timeline, playing: bool) -> list[str]:
    """What may be ruled on an entry: of a game that is played, or a correction of one that is over."""
    record = found.record
    if entry.verdict in ("ruling", "restarted"):
        return []
    open_to = entry.n <= len(record.turns) + (1 if playing else 0)
    deeds = ["this"] if open_to and (playing or record.result is not None) else []
    if not playing:
        return deeds
    after = max(entry.standing, default=0)
    if after < len(record.turns) and (entry.standing or entry.verdict == "setup"):
        deeds.append("back")
    if entry is not found.entries[0]:
        deeds.append("set")
    return deeds


def _rule(table: TableLike, body: RulingBody, who: Who, language: str) -> JSONResponse:
    journal = _journal(table)
    found, entry = _entry(table, body.game, body.row)
    if body.game != _running(table, journal) or table.snapshot().view.phase != "play":
        return _afterwards(table, body, who, language)
    if body.do in ("accept", "back") and body.last and body.last < _newest(found):
        raise _No("moved_on")
    if body.do == "accept":
        return give(table, "accept_as_played", {}, who, body.reason, language)
    if body.do == "back":
        return give(table, "take_back", {"to": str(max(entry.standing, default=0))}, who, body.reason, language)
    if body.do == "set":
        return give(table, "set_position", {"position": body.position}, who, body.reason, language)
    made = effect(found.record, body.n, body.text, body.position or None)
    falls = made.made.falls
    if falls and falls[0].n != body.falls:
        raise _No("falls_first")
    said = {"n": str(body.n), "text": body.text, "position": body.position, "falls": str(body.falls)}
    return give(table, "correct", said, who, body.reason, language)


def _newest(found: Timeline) -> int:
    """The row of the newest board that stood."""
    return max((entry.row for entry in found.entries if entry.verdict != "ruling"), default=0)


def _afterwards(table: TableLike, body: RulingBody, who: Who, language: str) -> JSONResponse:
    """A game that is over: only a correction is possible, and it goes straight to the journal."""
    if body.do != "this":
        raise _No("only_correct")
    if not body.reason.strip():
        raise _No("say_why", 422)
    journal = _journal(table)
    made = afterwards(journal, body.game, body.n, body.text, body.position or None)
    if made.made.falls and made.made.falls[0].n != body.falls:
        raise _No("falls_first")
    write(journal, made, body.reason, **who.facts)
    return JSONResponse({"done": True, "said": phrase("done_afterwards", language, domain=DOMAIN), "events": []})
