"""Opening a journal's file: checked, brought to this version's format, and put aside where it is damaged."""

from __future__ import annotations

import os
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from controller.journal.errors import JournalError, Warned
from controller.journal.schema import APPLICATION_ID, MIGRATIONS, VERSION

BUSY_S = 5.0
"""So long another program that writes is waited for."""


class Damaged(Exception):
    """The file is a journal, and can't be read. As text: why."""


def opened(path: Path, read_only: bool, checked: bool) -> tuple[sqlite3.Connection, str | None]:
    """The connection, and a sentence where a damaged file had to be put aside for it."""
    try:
        return connect(path, read_only, checked), None
    except Damaged as damage:
        if read_only:
            raise JournalError(f"the journal {path} is damaged ({damage}); it was left as it is") from None
        aside = _put_aside(path)
        warning = Warned(
            f"The journal was damaged ({damage}) and is kept as {aside.name}; a fresh one was begun.",
            "put_aside", why=damage, aside=aside.name,
        )  # fmt: skip
        return connect(path, read_only), warning


def connect(path: Path, read_only: bool, checked: bool = False) -> sqlite3.Connection:
    """The file in this version's format, for any thread. `checked`: it need not be gone through once more.

    JournalError where it can't be used as it is, Damaged where nobody can read it any more.
    """
    fresh = not path.exists() or path.stat().st_size == 0
    if not fresh and not os.access(path, os.R_OK if read_only else os.R_OK | os.W_OK):
        raise JournalError(
            f"the journal {path} can't be {'read' if read_only else 'written'}; check its permissions",
            "denied",
            path=path,
        )
    name = f"{path.resolve().as_uri()}?mode={'ro' if read_only else 'rwc'}"
    try:
        connection = sqlite3.connect(name, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_S)
    except sqlite3.OperationalError as error:
        raise JournalError(
            f"the journal {path} can't be opened ({error}); check the folder's permissions",
            "not_opened",
            path=path,
            error=error,
        ) from None
    try:
        application = int(connection.execute("PRAGMA application_id").fetchone()[0])
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if application != APPLICATION_ID and tables:
            raise JournalError(
                f"{path} is a database of another program; name the journal's own file", "foreign", path=path
            )
        if version > VERSION:
            raise JournalError(
                f"the journal {path} was written by a newer Boardref (format {version}, this one knows {VERSION});"
                " update Boardref, or name another file; nothing was changed",
                "newer",
                path=path,
                version=version,
                known=VERSION,
            )
        if read_only and version < 1:
            raise JournalError(f"the journal {path} is empty; let a table open it once")
        if tables and not checked and connection.execute("PRAGMA quick_check").fetchone()[0] != "ok":
            raise Damaged("its check failed")
        if not read_only:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA foreign_keys=ON")
            connection.execute("PRAGMA secure_delete=ON")
            connection.execute("PRAGMA wal_autocheckpoint=200")
            for step in range(version, VERSION):
                connection.executescript(
                    f"BEGIN IMMEDIATE; {MIGRATIONS[step]} PRAGMA application_id={APPLICATION_ID};"
                    f" PRAGMA user_version={step + 1}; COMMIT;"
                )
            if connection.execute("SELECT 1 FROM row WHERE NOT json_valid(data) LIMIT 1").fetchone():
                raise Damaged("a row can't be read")
        return connection
    except (JournalError, Damaged):
        connection.close()
        raise
    except sqlite3.OperationalError as error:
        connection.close()
        raise JournalError(
            f"the journal {path} can't be used ({error}); check its permissions and the disk",
            "not_used",
            path=path,
            error=error,
        ) from None
    except sqlite3.DatabaseError as error:
        connection.close()
        raise Damaged(str(error)) from None


def is_no_database(path: Path) -> bool:
    """Whether another program's file lies there: beside it not even a lock may be left."""
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError:  # not there, or not to be read: what comes next says so
        return False
    return not head.startswith(b"SQLite format 3") and bool(head.strip(b"\0"))  # zeros: a power cut left them


def aside_name(path: Path, why: str) -> Path:
    """A name that is free, for a journal that has to leave its own."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    number = 0
    while (aside := path.with_name(f"{path.name}.{why}-{stamp}{f'-{number}' if number else ''}")).exists():
        number += 1
    return aside


def _put_aside(path: Path) -> Path:
    """Rename a damaged journal with its side files."""
    aside = aside_name(path, "damaged")
    for ending in ("", "-wal", "-shm"):
        side = path.with_name(path.name + ending)
        if side.exists():
            side.rename(aside.with_name(aside.name + ending))
    return aside
