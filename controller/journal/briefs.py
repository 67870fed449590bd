"""What a list of games says of each: found without reading what only its replay needs, which is most of a journal."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from controller.journal.fold import Record, fold
from controller.journal.store import Journal

_TOLD = "('setup_complete', 'turn', 'pass', 'withdrawn', 'game_over', 'reopened', 'illegal', 'imported')"


@dataclass(frozen=True)
class Brief:
    """One game in a line, as its `Record` has it. `turns`: how many stand; `texts`: theirs.

    `illegal`: whether a placement was judged illegal, or a turn that stands was accepted as played.
    """

    game: str | None = None
    begun_utc: str | None = None
    begun_clock_synchronised: bool | None = None
    texts: tuple[str, ...] = ()
    illegal: bool = False
    result: Mapping[str, Any] | None = None
    imported: bool = False
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def turns(self) -> int:
        """How many turns stand."""
        return len(self.texts)

    @classmethod
    def of(cls, record: Record) -> Brief:
        """That of a game which was folded."""
        return cls(
            record.game,
            record.begun_utc,
            record.begun_clock_synchronised,
            tuple(turn.text for turn in record.turns),
            bool(record.illegal) or any(not turn.legal for turn in record.turns),
            record.result,
            record.imported is not None,
            record.names,
        )


def brief(journal: Journal, number: int, names: Mapping[str, str]) -> Brief:
    """The line of one game; equal to that of its fold. `names`: who plays in it. JournalError for damaged rows."""
    standing: dict[int, tuple[str, bool]] = {}
    last: dict[str, int] = {}  # event -> its last row
    try:
        told = journal.connection.execute(
            "SELECT id, event, json_extract(data, '$.n'), json_extract(data, '$.text'), json_extract(data, '$.legal')"
            f" FROM row WHERE game = ? AND event IN {_TOLD} ORDER BY id",
            (number,),
        ).fetchall()
        for row, event, n, text, legal in told:
            last[event] = row
            if event in ("turn", "pass"):
                standing[int(n)] = str(text), bool(legal)
            elif event == "withdrawn":
                for later in [known for known in standing if known >= n]:
                    del standing[later]
        begun = _row(journal.connection, last["setup_complete"])
        if begun.get("game") and sum(event == "setup_complete" for _, event, *_ in told) == 1:
            over = _row(journal.connection, last["game_over"]) if _stands(last) else None
            when = begun if begun.get("was") is None else begun["was"]  # imported: when it was played
            return Brief(
                begun["game"],
                when.get("written_utc"),
                when.get("clock_synchronised"),
                tuple(standing[n][0] for n in sorted(standing)),
                "illegal" in last or not all(legal for _, legal in standing.values()),
                over and {key: over[key] for key in ("winner", "result", "why", "score") if key in over},
                "imported" in last,
                names,
            )
    except (KeyError, TypeError, ValueError, sqlite3.OperationalError):
        pass  # of an older Boardref, or damaged: the fold knows, or says so
    return Brief.of(fold(journal.rows(number)))


def _stands(last: Mapping[str, int]) -> bool:
    """Whether the game's end was not undone."""
    return last.get("game_over", 0) > last.get("reopened", 0)


def _row(connection: sqlite3.Connection, number: int) -> dict[str, Any]:
    """What a row says, and when it was written."""
    columns = "SELECT data, written_utc, clock_synchronised FROM row WHERE id = ?"
    data, written, right = connection.execute(columns, (number,)).fetchone()
    right = None if right is None else bool(right)
    return {"written_utc": written, "clock_synchronised": right, **json.loads(data)}
