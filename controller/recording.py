"""The journal of a table that must go on whatever its journal is like."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from controller.journal.errors import Coded, JournalError
from controller.journal.store import Journal
from controller.logs import tell
from controller.watcher import Watcher
from controller.words import record_sentence

_log = logging.getLogger(__name__)

AGAIN_S = 2.0
"""How long after a row could not be written it is tried again."""
MOST_WAITING = 5000
"""So many rows wait for a journal that can't be written, an evening of play; later ones are lost, and that is said."""


class Told(str):
    """A sentence in English about the record; `parts` (code, facts) for other languages (`fault.record.CODE`).

    `because` of a part: code and facts of why (`fault.journal.CODE`), where that can be said in every language.
    """

    parts: tuple[Mapping[str, Any], ...]

    def __new__(cls, *parts: tuple[str, str | Exception]) -> Told:
        """Each part: its code, and the English sentence that says why."""
        told = tuple(
            {"code": code, "facts": {"why": str(why).rstrip(".")}}
            | ({"because": {"code": why.code, "facts": why.facts}} if isinstance(why, Coded) and why.code else {})
            for code, why in parts
        )
        self = super().__new__(cls, record_sentence(told))
        self.parts = told
        return self


def open_recording(
    path: Path, watcher_from: Callable[[Sequence[Mapping[str, Any]]], Watcher]
) -> tuple[Journal | None, Watcher, Told | None]:
    """The journal, the watcher that goes on with its last game, and a sentence for the page where something is wrong.

    A journal that can't be opened leaves the table without one: a table nobody watches must referee all the same, and
    says that it keeps no record. The file is never touched. The sentence is also written to stderr.
    """
    said: list[tuple[str, str | Exception]] = []
    journal: Journal | None = None
    rows: list[dict[str, Any]] = []
    try:
        journal = Journal.open(path)
        if journal.warning:
            said.append(("damaged", journal.warning))
    except JournalError as error:
        said.append(("none", error))
    if journal is not None:
        try:
            rows = journal.last_session()
        except JournalError as error:
            said.append(("not_taken_up", error))
    watcher = watcher_from(rows)
    if watcher.warning is not None:
        said.append(("new_game", watcher.warning))
        if journal is not None:
            journal.let_go()
    told = Told(*said) if said else None
    if told:
        tell(told, "record")
    return journal, watcher, told


class Recorder:
    """Commits rows to a journal before it returns, as long as that can be had.

    While it can't, rows wait in order and a thread of its own tries again, so that the table never waits for a disk
    twice. `reopen`: opens the journal where there is none yet. `committed` hears how long each commit took.
    """

    def __init__(
        self,
        journal: Journal | None,
        warning: str | None = None,
        reopen: Callable[[], Journal] | None = None,
        again_s: float = AGAIN_S,
        committed: Callable[[float], None] = lambda took_s: None,
    ) -> None:
        self._journal, self._reopen, self._again_s = journal, reopen, again_s
        self._committed = committed
        self._well = _state("ok" if journal else "off", warning)
        self._state = self._well
        self._lock = threading.Lock()
        self._waiting: deque[Sequence[Mapping[str, Any]]] = deque()  # each of them one commit
        self._lost = 0
        self._found: Sequence[Mapping[str, Any]] = ()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None
        if journal is None and reopen is not None:
            self._try_later()

    @property
    def state(self) -> Mapping[str, Any]:
        """`ok`, `off` (no journal) or `failing`; sentence and parts; how many rows are `waiting` and `lost`."""
        with self._lock:
            return {**self._state, "waiting": sum(map(len, self._waiting)), "lost": self._lost}

    @property
    def journal(self) -> Journal | None:
        """The open journal, for who reads it or adds to a game that is over."""
        return self._journal

    @property
    def waits(self) -> bool:
        """Whether rows wait for a journal that can't be written."""
        return bool(self._waiting)

    def found(self) -> Sequence[Mapping[str, Any]]:
        """The last game of a journal that could not be opened at first, once, when it can be."""
        if not self._found:
            return ()
        found, self._found = self._found, ()
        return found

    def not_taken_up(self, warning: str) -> None:
        """The game that was `found` can't be gone on with; nothing may be added to it."""
        if self._journal is not None:
            self._journal.let_go()
        with self._lock:
            self._well = _state("ok", Told(("new_game", warning)))
            if self._thread is None:
                self._state = self._after()
        _log.warning("%s", warning)

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Commit these rows, or keep them until that is possible. Never raises."""
        if not rows:
            return
        with self._lock:
            if self._thread is not None:
                self._keep(rows)
            elif self._journal is not None:
                began_s = time.monotonic()
                try:
                    self._journal.append(rows)
                    self._committed(time.monotonic() - began_s)
                except Exception as error:
                    self._failed(error, rows)

    def close(self) -> None:
        """Write what waits, if that is possible now, and close the file."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join(timeout=3.0)
        if self._journal is not None:
            self._journal.close()

    def _keep(self, rows: Sequence[Mapping[str, Any]]) -> None:
        if len(rows) + sum(map(len, self._waiting)) <= MOST_WAITING:
            self._waiting.append(rows)
        else:
            self._lost += len(rows)

    def _failed(self, error: Exception, rows: Sequence[Mapping[str, Any]]) -> None:
        """Rows could not be written: they wait, unless it is their own fault."""
        _log.error("the record can't be written (%s)", error)
        if _own_fault(error):
            self._lost += len(rows)
            self._state = self._after()
            return
        self._state = _state("failing", Told(("failing", error)))
        self._keep(rows)
        self._try_later()

    def _after(self) -> Mapping[str, Any]:
        """How it is when nothing waits."""
        return _state("ok", Told(("gap", str(self._lost)))) if self._lost else self._well

    def _try_later(self) -> None:
        self._thread = threading.Thread(target=self._again, name="record", daemon=True)
        self._thread.start()

    def _again(self) -> None:
        """The thread: until everything that waits is written."""
        last = False
        while not last:
            last = self._closed.wait(self._again_s)
            try:
                if self._journal is None and self._reopen is not None:
                    self._journal = self._opened(self._reopen())
                if self._journal is not None:
                    self._catch_up(self._journal)
                    return
            except Exception as error:
                told = Told(("none" if self._journal is None else "failing", error))
                if told != self._state["sentence"]:
                    _log.error("the record can't be written (%s)", error)
                    with self._lock:
                        self._state = _state(self._state["state"], told)

    def _opened(self, journal: Journal) -> Journal:
        """A journal that could not be opened before. Its last game is `found`, unless another has begun meanwhile."""
        said: list[tuple[str, str | Exception]] = [("damaged", journal.warning)] if journal.warning else []
        with self._lock:
            begun = any(row.get("event") == "setup_complete" for rows in self._waiting for row in rows)
        if not begun:
            try:
                self._found = journal.last_session()
            except JournalError as error:
                said.append(("not_taken_up", error))
        self._well = _state("ok", Told(*said) if said else None)
        return journal

    def _catch_up(self, journal: Journal) -> None:
        """Write what waits; then the table may write by itself again. Raises what keeps it from that."""
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread, self._state = None, self._after()
                    _log.warning("the record is written again")
                    return
                rows = self._waiting[0]
            try:
                journal.append(rows)
            except Exception as error:
                if not _own_fault(error):
                    if _handle_dead(error):
                        journal.reopen()
                    raise
                _log.error("rows of the record are left out (%s)", error)
                self._lost += len(rows)
            with self._lock:
                self._waiting.popleft()


def _own_fault(error: Exception) -> bool:
    """Whether rows could not be written because of what they hold, so that waiting is no use."""
    return not isinstance(error, OSError | sqlite3.Error) and not isinstance(error.__cause__, sqlite3.Error)


_DEAD = (
    sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_READONLY,  # a file opened while its disk could only be read stays so
)  # fmt: skip


def _handle_dead(error: Exception) -> bool:
    """Whether the open file may be of no use any more, though another one could be opened."""
    return getattr(error.__cause__, "sqlite_errorcode", 0) & 0xFF in _DEAD


def _state(state: str, sentence: str | None) -> Mapping[str, Any]:
    told: dict[str, Any] = {"state": state, "sentence": sentence or ""}
    return told | {"parts": list(sentence.parts)} if isinstance(sentence, Told) else told
