"""The journal's file: SQLite, append-only, each call to `append` one committed transaction.

WAL with `synchronous=FULL`: a committed row survives a power cut (SQLite documentation, "PRAGMA synchronous"). Triggers
refuse every UPDATE and DELETE, so that no fault of ours can rewrite what happened.
"""

from __future__ import annotations

import contextlib
import json
import math
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from controller.journal.errors import JournalError
from controller.journal.hold import Hold
from controller.journal.naming import forget_for_good, keep_names, names_of
from controller.journal.opening import Damaged, connect, is_no_database, opened
from controller.journal.schema import LAST_PAUSE, LAST_PLAYED
from controller.journal.walltime import synchronised as clock_is_set

LONGEST_TEXT = 10_000  # no text of a game comes near it, any encoded picture would pass it
_PLAIN = (str, int, float, bool, type(None))


@dataclass(frozen=True)
class Row:
    """One row as it was written. `game`: the game's number in this file, 0 before the first game begins.

    `clock_synchronised`: whether `written_utc` could be trusted; None where the system does not say.
    """

    id: int
    session: int
    game: int
    event: str
    internal: bool
    written_utc: str
    data: Mapping[str, Any]
    clock_synchronised: bool | None = None

    def as_event(self) -> dict[str, Any]:
        """The event as it was given to `append`."""
        return dict(self.data)


@dataclass(frozen=True)
class Contents:
    """How much is in a journal: games, rows, the last row's number; and its format."""

    games: int
    rows: int
    last_row: int
    format: int


class Journal:
    """An open journal. Use `Journal.open`; safe to use from several threads, one at a time.

    `warning`: a sentence where a damaged file had to be put aside, else None.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path, warning: str | None, hold: Hold | None) -> None:
        self._connection = connection
        self._hold = hold
        self._lock = threading.Lock()
        self._session: int | None = None
        self._games: dict[int, int] = {}  # a table's game_no -> the number in this file
        self._writable = hold is not None
        self._to_forget = False  # a name was taken out, but the log still holds it
        self.path = path
        self.warning = warning

    @classmethod
    def open(
        cls, path: str | Path, *, create: bool = True, read_only: bool = False, checked: bool = False
    ) -> Journal:
        """Open a journal, or begin one. Raises JournalError in one sentence; a file that is not ours stays untouched.

        A damaged journal is renamed aside and a fresh one begun (`warning` says so), for the table must go on.
        `checked`: whoever writes it has checked it when it was opened; a reader needn't go through all of it again.
        """
        path = Path(path)
        if path.is_dir():
            raise JournalError(f"{path} is a folder; name the journal's file", "folder", path=path)
        if not path.exists() and (read_only or not create):
            raise JournalError(f"there is no journal {path}; name one with --journal FILE or --data DIR")
        if not path.parent.is_dir():
            raise JournalError(
                f"there is no folder {path.parent} for the journal; make it, or name another file",
                "no_folder",
                folder=path.parent,
            )
        if is_no_database(path):
            raise JournalError(f"{path} is not a journal; name the journal's own file", "no_journal", path=path)
        hold = None if read_only else Hold.shared(path)
        try:
            connection, warning = opened(path, read_only, checked and read_only)
        except BaseException:
            if hold is not None:
                hold.release()
            raise
        return cls(connection, path, warning, hold)

    def append(self, events: Sequence[Mapping[str, Any]]) -> None:
        """Commit these events, all or none. Each: the keys of `watch --json` and `internal`; plain JSON values only.

        A `setup_complete` begins a game of this file. A `resume` names a game of this file (`game`) to go on with.
        `players` names the sides of its own game, or of another one (`game`); see `naming`. What is said `afterwards`
        of a game that is over goes to the `game` it names.
        """
        if not events:
            return
        if not self._writable:
            raise JournalError(f"the journal {self.path} was opened for reading only")
        for event in events:
            _check_plain(event, str(event.get("event")))
        with self._lock:
            try:
                self._commit(events)
                self._to_forget |= any(event["event"] == "players" for event in events)
                self._forget_names(100)  # a table must not wait for it
            except BaseException as error:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                if not isinstance(error, sqlite3.Error):
                    raise
                raise JournalError(
                    f"the journal {self.path} can't be written ({error}); check the disk and the permissions",
                    "not_written",
                    path=self.path,
                    error=error,
                ) from error

    def _commit(self, events: Sequence[Mapping[str, Any]]) -> None:
        now, synchronised = datetime.now(UTC).isoformat(timespec="milliseconds"), clock_synchronised()
        run = self._connection.execute
        run("BEGIN IMMEDIATE")
        session, games = self._session, dict(self._games)
        if session is None:
            session = int(run("INSERT INTO session (opened_utc) VALUES (?)", (now,)).lastrowid or 0)
        highest = 0
        for event in events:
            number = int(event.get("game_no") or 0)
            if event["event"] == "resume":
                games[number] = int(event["game"])
            elif number > 0 and event["event"] == "setup_complete":  # what comes before it is of no game yet: 0
                # Other tables may write to this file: the number is free only inside this transaction.
                highest = max(highest, int(run("SELECT coalesce(max(game), 0) FROM row").fetchone()[0])) + 1
                games[number] = highest
            game = int(event["game"]) if event.get("afterwards") else games.get(number, 0)
            if event["event"] == "players":
                game = int(event.get("game", game))
                event = keep_names(self._connection, game, event)
            run(
                "INSERT INTO row (session, game, event, internal, written_utc, clock_synchronised, data)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    session, game, str(event["event"]), int(bool(event.get("internal"))), now,
                    synchronised, json.dumps(event, ensure_ascii=False, allow_nan=False),
                ),
            )  # fmt: skip
        run("COMMIT")
        self._session, self._games = session, games

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """The open file, for this thread alone. JournalError where it can't be read any more."""
        with self._lock:
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise JournalError(f"the journal {self.path} can't be read ({error}); check the disk") from error

    def rows(self, game: int | None = None) -> Iterator[Row]:
        """The rows in the order they were written; of one game, led by the row that says which set lay on the table."""
        columns = "SELECT id, session, game, event, internal, written_utc, data, clock_synchronised FROM row"
        with self._reading() as connection:
            if game is None:
                found = connection.execute(f"{columns} ORDER BY id").fetchall()
            else:
                found = connection.execute(f"{columns} WHERE game = ? ORDER BY id", (game,)).fetchall()
                if found and not _says_game(found[0][6]):  # older tables wrote it in `board_found` only
                    found = connection.execute(
                        f"{columns} WHERE event = 'board_found' AND session = ? AND id < ? ORDER BY id DESC LIMIT 1",
                        (found[0][1], found[0][0]),
                    ).fetchall() + found
            named = any(event == "players" for _, _, _, event, *_ in found)
            names = names_of(connection, game) if named else {}
        for number, session, of_game, event, internal, written, data, synchronised in found:
            try:
                told = json.loads(data)
            except ValueError:
                raise JournalError(
                    f"row {number} of the journal {self.path} is damaged;"
                    " open it with `boardref serve` to put it aside",
                    "row_damaged",
                    path=self.path,
                    row=number,
                ) from None
            if event == "players":
                told = {**told, "names": names.get(of_game, {})}
            right = None if synchronised is None else bool(synchronised)
            yield Row(number, session, of_game, event, bool(internal), written, told, right)

    def events(self, game: int | None = None) -> list[dict[str, Any]]:
        """The events as they were given to `append`, of one game where named."""
        return [row.as_event() for row in self.rows(game)]

    def games(self) -> tuple[int, ...]:
        """The numbers of the games in this file."""
        with self._reading() as connection:
            found = connection.execute("SELECT DISTINCT game FROM row WHERE game > 0 ORDER BY game").fetchall()
        return tuple(int(number) for (number,) in found)

    def last_session(self) -> list[dict[str, Any]]:
        """Every event of the game that was last played or chosen by `resume`, for a table that comes back.

        It goes on under its number, however often the table was restarted in it. Empty where there is no game yet. A
        pause that was begun or ended since, while another set lay there, is the last of them.
        """
        with self._reading() as connection:
            found = connection.execute(LAST_PLAYED).fetchone()
        if found is None:
            return []
        events = self.events(int(found[0]))
        with self._reading() as connection:
            self._games = {max(int(event.get("game_no") or 0) for event in events): int(found[0])}
            said = connection.execute(LAST_PAUSE, found).fetchone()
        return events if said is None else [*events, json.loads(said[0])]

    def number_of(self, game_no: int) -> int | None:
        """The number in this file of a game that this table plays or has played."""
        with self._lock:
            return self._games.get(game_no)

    def reopen(self) -> None:
        """Open the file anew, for one whose disk had gone: what was open then stays dead. JournalError if it can't be.

        The same session and games go on; in another file that lies there now they begin anew.
        """
        try:
            fresh = connect(self.path, False)
        except Damaged as damage:
            raise JournalError(
                f"the journal {self.path} can't be read ({damage}); check the disk",
                "not_read",
                path=self.path,
                error=damage,
            ) from None
        with self._lock:
            dead, self._connection = self._connection, fresh
            known = fresh.execute("SELECT 1 FROM session WHERE id = ?", (self._session,)).fetchone()
            if self._session is not None and known is None:
                self._session, self._games = None, {}
        with contextlib.suppress(sqlite3.Error):
            dead.close()

    def forget_names(self, patience_ms: int = 5000) -> bool:
        """Wait until a name that was taken out is in no file any more; False while somebody reads older rows."""
        with self._lock:
            self._forget_names(patience_ms)
            return not self._to_forget

    def _forget_names(self, patience_ms: int) -> None:
        if self._to_forget:
            with contextlib.suppress(sqlite3.Error):  # the rows are committed; a full disk only puts this off
                self._to_forget = not forget_for_good(self._connection, patience_ms)

    def let_go(self) -> None:
        """Don't go on with the game of `last_session`: it could not be taken up, and nothing may be added to it."""
        with self._lock:
            self._games = {}

    def contents(self) -> Contents:
        """How much is in this file."""
        with self._reading() as connection:
            found = connection.execute(
                "SELECT count(DISTINCT nullif(game, 0)), count(*), coalesce(max(id), 0) FROM row"
            ).fetchone()
            version = connection.execute("PRAGMA user_version").fetchone()[0]
        return Contents(*(int(number) for number in (*found, version)))

    def copy_to(self, target: sqlite3.Connection) -> None:
        """Copy the whole file, as committed at this moment; in WAL no writer waits for that."""
        with self._lock:
            self._connection.backup(target)

    @property
    def connection(self) -> sqlite3.Connection:
        """For reading only what this class doesn't tell."""
        return self._connection

    def close(self) -> None:
        """Close the file; calling it twice does nothing."""
        with self._lock:
            self._connection.close()
        if self._hold is not None:
            self._hold.release()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _says_game(data: str) -> bool:
    try:
        return bool(json.loads(data).get("game"))
    except (ValueError, AttributeError):
        return False


def clock_synchronised() -> int | None:
    """Whether the wall clock is right: 1 or 0; None where nobody can tell."""
    said = clock_is_set()
    return None if said is None else int(said)


def _check_plain(value: Any, where: str) -> None:
    """Only JSON's own values may enter: no bytes, so no image can."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise JournalError(f"a {where} row has a key that is no text ({key!r})")
            _check_plain(inner, where)
    elif isinstance(value, list | tuple):
        for inner in value:
            _check_plain(inner, where)
    elif type(value) not in _PLAIN and not isinstance(value, str):
        raise JournalError(f"a {where} row holds a {type(value).__name__}; the journal takes plain JSON values only")
    elif isinstance(value, str) and len(value) > LONGEST_TEXT:
        raise JournalError(f"a {where} row holds a text of {len(value)} characters; the journal takes {LONGEST_TEXT}")
    elif isinstance(value, float) and not math.isfinite(value):
        raise JournalError(f"a {where} row holds {value}, which is no JSON number")
