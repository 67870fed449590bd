"""Deleting whole games: the deliberate path past the triggers that refuse every DELETE.

In one transaction the trigger is taken away, the game's rows go, and the trigger comes back as it was; a power cut in
between leaves all of it undone. Freed pages are overwritten (`secure_delete`) and used again; the file does not shrink.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from controller.journal.errors import JournalError
from controller.journal.hold import Hold
from controller.journal.schema import APPLICATION_ID, LAST_PLAYED, VERSION

TRIGGER = "row_is_never_deleted"


def delete_game(path: Path, game: int) -> tuple[str, ...]:
    """Delete the rows and names of one game; returns the files that were reported in it, which may go now.

    JournalError where it is the newest game, whose number would be given again, or the one that was written last.
    A connection of its own: a table may write to the file meanwhile, and waits no longer than for one of its own rows.
    """
    try:
        with Hold.shared(path), closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True)) as connection:
            connection.isolation_level = None
            return _deleted(connection, game, path)
    except sqlite3.Error as error:
        raise JournalError(f"game {game} of {path} can't be deleted ({error}); check the disk") from error


def _deleted(connection: sqlite3.Connection, game: int, path: Path) -> tuple[str, ...]:
    run = connection.execute
    run("PRAGMA busy_timeout=5000")
    run("PRAGMA secure_delete=ON")
    run("PRAGMA synchronous=FULL")
    ours = run("PRAGMA application_id").fetchone()[0], run("PRAGMA user_version").fetchone()[0]
    if ours != (APPLICATION_ID, VERSION):
        raise JournalError(f"{path} is no journal of this version; let a table open it once")
    run("BEGIN IMMEDIATE")  # nobody else can write until the trigger is back
    newest = int(run("SELECT coalesce(max(game), 0) FROM row").fetchone()[0])
    last = run(LAST_PLAYED).fetchone()
    if not 0 < game < newest or (last is not None and game == last[0]):
        raise JournalError(f"game {game} of {path} can't be deleted: it is the newest, or was played last")
    told = run("SELECT data FROM row WHERE game = ? AND event = 'reported'", (game,)).fetchall()
    (guard,) = run("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = ?", (TRIGGER,)).fetchone()
    run(f"DROP TRIGGER {TRIGGER}")
    run("DELETE FROM row WHERE game = ?", (game,))
    run("DELETE FROM player_name WHERE game = ?", (game,))
    run(guard)
    run("COMMIT")
    run("PRAGMA busy_timeout=0")
    run("PRAGMA wal_checkpoint(TRUNCATE)")  # the log still holds the rows; with readers about it goes later
    rows = (json.loads(data) for (data,) in told)
    return tuple(str(row.get("file")) for row in rows if row.get("by") != "import")  # that file is not ours
