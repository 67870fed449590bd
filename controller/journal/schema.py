"""The format of a journal's file: its tables, and the steps that bring an older file to it."""

from __future__ import annotations

from controller.journal.naming import TABLE as NAME_TABLE

APPLICATION_ID = 0x42524A31  # "BRJ1": tells our files from other people's databases

# Step i brings a file from format i to i + 1. Never change a step that was released; add one.
MIGRATIONS = (
    """
CREATE TABLE IF NOT EXISTS session (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    opened_utc TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS row (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES session(id),
    game INTEGER NOT NULL,
    event TEXT NOT NULL,
    internal INTEGER NOT NULL,
    written_utc TEXT NOT NULL,
    clock_synchronised INTEGER,
    data TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS row_of_game ON row(game, id);
CREATE TRIGGER IF NOT EXISTS row_is_never_changed BEFORE UPDATE ON row
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS row_is_never_deleted BEFORE DELETE ON row
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS session_is_never_changed BEFORE UPDATE ON session
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER IF NOT EXISTS session_is_never_deleted BEFORE DELETE ON session
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
""",
    # Names that may be forgotten; and what a search asks for, so that ten thousand games need no reading through.
    f"""
{NAME_TABLE}
CREATE INDEX IF NOT EXISTS row_of_search ON row(event, game)
    WHERE event = 'setup_complete' OR event = 'game_over' OR event = 'illegal' OR event = 'imported'
    OR event = 'ruling';
CREATE INDEX IF NOT EXISTS text_of_turn ON row(json_extract(data, '$.text'), game) WHERE event = 'turn';
""",
)
VERSION = len(MIGRATIONS)

# Games that were imported were not played here; a name or a correction that came later takes no game up again.
LAST_PLAYED = (
    "SELECT game FROM row WHERE game > 0 AND event != 'players' AND json_extract(data, '$.afterwards') IS NULL"
    " AND session NOT IN (SELECT session FROM row WHERE event = 'imported') ORDER BY id DESC LIMIT 1"
)
"""The game that a table goes on with."""

LAST_PAUSE = (
    "SELECT data FROM row WHERE event = 'ruling' AND game = 0 AND id > (SELECT max(id) FROM row WHERE game = ?)"
    " AND json_extract(data, '$.what') IN ('paused', 'resumed') ORDER BY id DESC LIMIT 1"
)
"""What was last said of a pause of the table after all rows of a game, and of no game."""
