"""The recorded games as pages read them: a connection of their own, for reading only, never in the table's way."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from controller.journal.errors import JournalError
from controller.journal.fold import Record, fold
from controller.journal.search import Page, Query, search
from controller.journal.store import Journal

ShownTo = Literal["everyone", "operator", "nobody"]
LONGEST_FILM_S = 900.0


class Busy(Exception):
    """A film is being made already."""


@dataclass(frozen=True)
class Records:
    """Where a table's records are, and who may see them on pages."""

    path: Path
    shown_to: ShownTo = "everyone"


class Shelf:
    """The journal opened once for all pages; opened anew where another file took its place."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._filming = threading.Lock()
        self._journal: Journal | None = None
        self._inode: tuple[int, int] | None = None

    def find(self, query: Query, before: int | None, limit: int) -> Page:
        """One page of games. JournalError where the journal can't be read."""
        with self._reading() as journal:
            return search(journal, query, before, limit)

    def record(self, number: int) -> Record | None:
        """One game; None where there is none."""
        with self._reading() as journal:
            rows = list(journal.rows(number))
        return fold(rows) if rows else None

    @contextmanager
    def _reading(self) -> Iterator[Journal]:
        with self._lock:
            try:
                found = self.path.stat()
            except OSError:
                self._close()
                raise JournalError(f"there is no journal {self.path}") from None
            if self._inode != (found.st_dev, found.st_ino):
                self._close()
            if self._journal is None:
                self._journal = Journal.open(self.path, create=False, read_only=True, checked=True)
                self._inode = found.st_dev, found.st_ino
            try:
                yield self._journal
            except JournalError:
                self._close()
                raise
            except sqlite3.Error as error:
                self._close()
                raise JournalError(f"the journal {self.path} can't be read ({error})") from None

    def _close(self) -> None:
        if self._journal is not None:
            self._journal.close()
        self._journal = self._inode = None

    def close(self) -> None:
        """Close the file; the next question opens it again."""
        with self._lock:
            self._close()

    def film(self, number: int, form: Literal["mp4", "gif"], language: str) -> bytes:
        """A film of a game, made by a process of its own that gives way to the table. Busy, or JournalError."""
        if not self._filming.acquire(blocking=False):
            raise Busy
        try:
            with tempfile.TemporaryDirectory(prefix="boardref-film-") as folder:
                target = Path(folder) / f"film.{form}"
                nice = ["nice", "-n", "19"] if shutil.which("nice") else []
                made = subprocess.run(
                    [
                        *nice, sys.executable, "-m", "controller.cli", "games", "export", str(number), "--format", form,
                        "--language", language, "--journal", str(self.path), "-o", str(target),
                    ],
                    capture_output=True, text=True, timeout=LONGEST_FILM_S, check=False, stdin=subprocess.DEVNULL,
                )  # fmt: skip
                if made.returncode or not target.exists():
                    said = made.stderr.strip().splitlines()
                    raise JournalError(said[-1].removeprefix("boardref: ") if said else "nobody knows why")
                return target.read_bytes()
        except subprocess.TimeoutExpired:
            raise JournalError("it took too long") from None
        finally:
            self._filming.release()
