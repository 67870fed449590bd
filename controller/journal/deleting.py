"""Deleting a whole game: the deliberate path past the triggers that refuse every DELETE.

In one transaction the trigger is taken away, the game's rows go, and the trigger comes back as it was; a power cut in
between leaves all of it undone. Freed pages are overwritten (`secure_delete`) and used again; the file does not shrink.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from controller.journal.errors import JournalError

TRIGGER = "row_is_never_deleted"


def delete_game(connection: sqlite3.Connection, game: int, path: Path) -> None:
    """Delete the rows and names of one game. JournalError where it is the newest one, or there is no room for it."""
    run = connection.execute
    try:
        run("BEGIN IMMEDIATE")  # nobody else can write until the trigger is back
        newest = int(run("SELECT coalesce(max(game), 0) FROM row").fetchone()[0])
        if not 0 < game < newest:
            raise JournalError(f"game {game} of {path} can't be deleted: only games before the newest one can")
        (guard,) = run("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = ?", (TRIGGER,)).fetchone()
        run(f"DROP TRIGGER {TRIGGER}")
        run("DELETE FROM row WHERE game = ?", (game,))
        if run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'player_name'").fetchone():
            run("DELETE FROM player_name WHERE game = ?", (game,))
        run(guard)
        run("COMMIT")
        run("PRAGMA busy_timeout=0")
        run("PRAGMA wal_checkpoint(TRUNCATE)")  # the log still holds the rows; with readers about it goes later
        run("PRAGMA busy_timeout=5000")
    except BaseException as error:
        if connection.in_transaction:
            run("ROLLBACK")
        if not isinstance(error, sqlite3.Error):
            raise
        raise JournalError(f"game {game} of {path} can't be deleted ({error}); check the disk") from error
