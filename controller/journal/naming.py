"""Players' names: the only thing in a journal that may be changed, for a person may ask to be forgotten.

Rows are only ever appended, so no name stands in a row: a row `players` says that names were given, when and by whom;
the names are in a table of their own. SQLite overwrites what is taken out (`secure_delete`), and once the log is
folded into the file (`forget_for_good`) an older name is nowhere in it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from controller.journal.errors import JournalError

LONGEST_NAME = 60

TABLE = """
CREATE TABLE IF NOT EXISTS player_name (
    game INTEGER NOT NULL,
    player TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (game, player)
);
"""


def tidy(name: object) -> str:
    """A name as it is kept: one line, no space around it. Raises JournalError for what is no name."""
    if not isinstance(name, str):
        raise JournalError("a player's name is a text")
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    if len(plain) > LONGEST_NAME:
        raise JournalError(f"a player's name may have {LONGEST_NAME} characters at most; this one has {len(plain)}")
    return plain


def keep_names(connection: sqlite3.Connection, game: int, event: Mapping[str, Any]) -> dict[str, Any]:
    """Put the names of a `players` event in their table; returns the row without them. Within a transaction.

    `names`: side -> name; an empty one or None forgets it. Names of no game are not kept.
    """
    row = {key: value for key, value in event.items() if key != "names"}
    given = event.get("names") or {}
    row["sides"] = sorted(str(side) for side in given)
    for side, name in given.items():
        connection.execute("DELETE FROM player_name WHERE game = ? AND player = ?", (game, side))
        kept = tidy(name) if name is not None else ""
        if kept and game > 0:
            connection.execute("INSERT INTO player_name (game, player, name) VALUES (?, ?, ?)", (game, side, kept))
    return row


def names_of(connection: sqlite3.Connection, game: int | None = None) -> dict[int, dict[str, str]]:
    """The names that stand now, of one game or all: game -> side -> name. None in a file that is older than names."""
    found: dict[int, dict[str, str]] = {}
    if int(connection.execute("PRAGMA user_version").fetchone()[0]) < 2:
        return found
    only, facts = ("", ()) if game is None else (" WHERE game = ?", (game,))
    told = connection.execute(f"SELECT game, player, name FROM player_name{only} ORDER BY game, player", facts)
    for number, player, name in told:
        found.setdefault(int(number), {})[str(player)] = str(name)
    return found


def forget_for_good(connection: sqlite3.Connection, patience_ms: int) -> bool:
    """Fold the log into the file, so that nothing taken out is left in it; False while somebody reads older rows."""
    usual_ms = int(connection.execute("PRAGMA busy_timeout").fetchone()[0])
    connection.execute(f"PRAGMA busy_timeout={int(patience_ms)}")
    try:
        return not int(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
    finally:
        connection.execute(f"PRAGMA busy_timeout={usual_ms}")
