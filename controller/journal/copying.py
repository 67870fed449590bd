"""A whole copy of a journal while tables write to it, and whether a copy can be relied on."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from controller.journal.errors import JournalError
from controller.journal.fold import fold
from controller.journal.store import Contents, Journal


def copy_journal(source: Path, target: Path) -> None:
    """Copy the journal `source` as it is at this moment, committed rows only; writers are not held up.

    JournalError where it can't be read, OSError where the copy finds no room.
    """
    with Journal.open(source, create=False, read_only=True) as journal:
        try:
            with closing(sqlite3.connect(target, isolation_level=None)) as copy:
                journal.copy_to(copy)
                copy.execute("PRAGMA journal_mode=DELETE")  # one file, without companions
        except sqlite3.Error as error:
            raise OSError(f"the copy {target} can't be written ({error}); is there room?") from None


def checked(path: Path, pause: Callable[[], None] = lambda: None) -> Contents:
    """What is in this journal once every row and every game of it has been read. JournalError names what can't be.

    `pause` is called after each game, so that a busy machine gets its turn.
    """
    with Journal.open(path, create=False, read_only=True) as journal:  # which runs SQLite's own check
        for number in journal.games():
            try:
                fold(journal.rows(number))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise JournalError(f"game {number} of {path} can't be read ({error!r})") from None
            pause()
        for _ in journal.rows(0):  # what belongs to no game must be readable, too
            pass
        return journal.contents()
