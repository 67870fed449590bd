"""Games found again, newest first, page by page: the database names the candidates, the fold of each decides."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field

from controller.journal.briefs import Brief, brief
from controller.journal.fold import Record, fold
from controller.journal.naming import names_of
from controller.journal.store import Journal

MOST_FOLDED = 300
"""So many candidates are looked at for one page; the rest is left to the next one."""


@dataclass(frozen=True)
class Query:
    """What is looked for; None or False = whatever. Texts are found anywhere in theirs, in capitals or not.

    `since`, `until`: days of UTC as 2026-11-30, both included. `result`: "South wins", "draw", or `open` for a game
    that is not finished. `turn`: part of a turn that stands. `illegal`: with a placement judged illegal, or a turn
    accepted as played.
    """

    game: str | None = None
    player: str | None = None
    since: str | None = None
    until: str | None = None
    result: str | None = None
    turn: str | None = None
    illegal: bool = False


@dataclass(frozen=True)
class Page:
    """Games found, and the number below which the search goes on; None at the end."""

    games: tuple[tuple[int, Record], ...] = field(default=())
    before: int | None = None


def search(journal: Journal, query: Query = Query(), before: int | None = None, limit: int = 50) -> Page:
    """The games with the highest numbers below `before` that fit."""
    found: list[tuple[int, Record]] = []
    for looked, number in enumerate(candidates(journal.connection, query, before)):
        if len(found) == limit or looked == MOST_FOLDED:
            return Page(tuple(found), found[-1][0] if len(found) == limit else number + 1)
        record = fold(journal.rows(number))
        if fits(Brief.of(record), query):
            found.append((number, record))
    return Page(tuple(found))


def everything(journal: Journal, query: Query) -> Iterator[tuple[int, Brief]]:
    """All games that fit, in the order of their numbers, each in brief: ten thousand are a matter of a second."""
    names = names_of(journal.connection)
    for number in sorted(candidates(journal.connection, query, None)):
        told = brief(journal, number, names.get(number, {}))
        if fits(told, query):
            yield number, told


def candidates(connection: sqlite3.Connection, query: Query, before: int | None) -> list[int]:
    """The numbers of all games that may fit, falling: every game that does is among them."""
    # What began a game says which, and when, but for files from before it did, and games imported without a date.
    wheres, facts = ["event = 'setup_complete'", "game > 0"], list[object]()
    if before is not None:
        wheres.append("game < ?")
        facts.append(before)
    if query.game is not None:
        wheres.append("coalesce(json_extract(data, '$.game'), ?) = ?")
        facts += [query.game, query.game]
    for day, sign in ((query.since, ">="), (query.until, "<=")):
        if day is not None:
            wheres.append(f"substr(coalesce(json_extract(data, '$.was.written_utc'), written_utc), 1, 10) {sign} ?")
            facts.append(day)
    if query.result == "open":
        wheres.append("game NOT IN (SELECT game FROM row WHERE event = 'game_over')")
    elif query.result is not None:
        over = "event = 'game_over' AND lower(json_extract(data, '$.result')) = ?"
        wheres.append(f"game IN (SELECT game FROM row WHERE {over})")
        facts.append(query.result.lower())
    if query.turn:
        said = "event = 'turn' AND instr(lower(json_extract(data, '$.text')), ?)"
        wheres.append(f"game IN (SELECT game FROM row WHERE {said})")
        facts.append(query.turn.lower())
    if query.illegal:
        words = "event = 'ruling' AND json_extract(data, '$.what') IN ('accepted', 'corrected')"
        wheres.append(
            "(game IN (SELECT game FROM row WHERE event = 'illegal')"
            f" OR game IN (SELECT game FROM row WHERE {words})"
            " OR game IN (SELECT game FROM row WHERE event = 'imported'))"
        )
    chosen = f"SELECT DISTINCT game FROM row WHERE {' AND '.join(wheres)} ORDER BY game DESC"
    numbers = [int(number) for (number,) in connection.execute(chosen, facts)]
    if query.player:
        named = names_of(connection)
        numbers = [number for number in numbers if _named(named.get(number, {}), query.player)]
    return numbers


def _named(names: dict[str, str], part: str) -> bool:
    return any(part.casefold() in name.casefold() for name in names.values())


def fits(told: Brief, query: Query) -> bool:
    """Whether a game is what is looked for."""
    day = (told.begun_utc or "")[:10]
    return (
        (query.game is None or told.game == query.game)
        and (not query.player or _named(dict(told.names), query.player))
        and (query.since is None or query.since <= day)
        and (query.until is None or (day != "" and day <= query.until))
        and (query.result is None or _result(told).casefold() == query.result.casefold())
        and (not query.turn or any(query.turn.casefold() in text.casefold() for text in told.texts))
        and (not query.illegal or told.illegal)
    )


def _result(told: Brief) -> str:
    return "open" if told.result is None else str(told.result.get("result"))
