"""What a running table does for its records: reports of wrong calls, nightly backups, and old games that go.

A thread of its own does the last two while the table rests; whatever goes wrong there is a sentence, never an end.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from controller.backup import Backup, read_backup, write_backup
from controller.config import RecordsConfig
from controller.errors import CommandError
from controller.health import Check
from controller.journal.deleting import delete_game
from controller.journal.errors import JournalError
from controller.journal.retention import Rules, due
from controller.journal.store import Journal, clock_synchronised
from controller.referee.view import View
from controller.sightings.errors import SightingLogError
from controller.sightings.file import ENDING, LogFile
from controller.sightings.ring import SightingLog

_log = logging.getLogger(__name__)

REPORT_EVERY_S = 20.0
MOST_REPORTS, MOST_OF_PLAYERS = 200, 50
LONGEST_NOTE = 500
LOOK_S = 20.0
REST_S = 60.0
"""A table whose view has not changed for so long rests, also in the middle of a game."""
RETENTION_S = 3600.0
LEFT_S = 3600.0
NIGHT_H = 4
"""From this hour on a new day's backup is due."""
LATE = timedelta(days=3)
_REPORT, _BACKUP = "wrong-call-", "backup-"
_REPORT_NAME = re.compile(r"wrong-call-[\w-]+\.sightings")
_BACKUP_NAME = re.compile(r"backup-(\d{8}T\d{6})(?:-\d+)?\.zip")


class Resting(Protocol):
    """What is asked of the table."""

    @property
    def view(self) -> View: ...
    @property
    def rev(self) -> int: ...


@dataclass(frozen=True)
class Settings:
    """What the owner wants. `files`: the settings' own files, by their names in a backup."""

    rules: Rules = field(default_factory=Rules)
    backups: int = 7
    files: Mapping[str, Path] = field(default_factory=dict)


class KeepingError(CommandError):
    """What was asked for can't be done now; the text says why and what to do. `code`: the same, for other languages."""

    def __init__(self, said: str, what: str, **facts: object) -> None:
        super().__init__(said)
        self.what, self.facts = what, facts


class Table(Protocol):
    """What is needed of a table to keep its records."""

    @property
    def log(self) -> SightingLog: ...
    def snapshot(self) -> Resting: ...
    def jot(self, row: Mapping[str, Any]) -> None: ...


def keeping_of(table: Table, folder: Path, wanted: RecordsConfig, files: Mapping[str, Path]) -> Keeping:
    """What the settings want of the records of this table. `files`: the settings' own files."""
    rules = Rules(wanted.keep_days, wanted.keep_games, wanted.keep_unfinished_days, wanted.keep_named)
    return Keeping(folder, table.log, table.snapshot, table.jot, Settings(rules, wanted.backups, files))


class Keeping:
    """`snapshot`: the table as it is; `write`: puts a row into its journal; `folder`: of the records."""

    def __init__(
        self,
        folder: Path,
        log: SightingLog,
        snapshot: Callable[[], Resting],
        write: Callable[[Mapping[str, Any]], None],
        settings: Settings | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.folder = folder
        self._log, self._snapshot, self._write = log, snapshot, write
        self._settings = settings or Settings()
        self._clock, self._now = clock, now
        self._reporting, self._copying = threading.Lock(), threading.Lock()
        self._reported_s = -REPORT_EVERY_S
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="records", daemon=True)
        self._rev, self._since_s = -1, clock()
        self._tidied_s: float | None = None
        self._tried_day: object = None
        self._wrong = ""

    @property
    def wanted(self) -> dict[str, int]:
        """What the owner wants, as key and number: what is deleted when, and how many backups are kept."""
        rules = self._settings.rules
        told = {
            "keep_days": rules.keep_days,
            "keep_games": rules.keep_games,
            "keep_unfinished_days": rules.keep_unfinished_days,
        }
        found = {key: number for key, number in told.items() if number is not None}
        copies = self._settings.backups
        return (found or {"keep_all": 0}) | {"keep_backups" if copies else "no_backups": copies}

    @property
    def journal(self) -> Path:
        """The journal's file."""
        return self.folder / "boardref.db"

    def start(self) -> None:
        """Look after the records from now on."""
        self._thread.start()

    def stop(self) -> None:
        """End within a few seconds; a backup that is being made ends by itself."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=2.0)

    # reports

    def report(self, by: str, note: str = "", facts: Mapping[str, str] | None = None) -> str:
        """Keep the last minutes of sightings beside the records, with a row in the game; returns the file's name.

        KeepingError where there is no room, or too many were made already.
        """
        with self._reporting:
            if self._clock() - self._reported_s < REPORT_EVERY_S:
                raise KeepingError("this was reported a moment ago; wait a little before you report again", "soon")
            pieces = self._log.pieces()
            if not pieces:
                raise KeepingError("nothing has been seen yet that could be reported", "nothing")
            most = MOST_REPORTS if by == "operator" else MOST_OF_PLAYERS
            if len(self.reports()) >= most:
                said = f"there are {most} reports already; look at them, and delete old ones"
                raise KeepingError(said, "many", n=most)
            path = self._free(_REPORT, ENDING)
            try:
                with LogFile(path) as file:
                    file.add(pieces)
            except OSError as error:
                said = f"the report can't be written ({error.strerror}); make room on the disk"
                raise KeepingError(said, "disk", why=error.strerror) from None
            except SightingLogError as error:
                raise KeepingError(str(error), "disk", why=error) from None
            view = self._snapshot().view
            self._write(
                {
                    "event": "reported", "t": round(view.t_s, 3), "frame": -1, "game_no": max(1, view.game_no),
                    "internal": False, "file": path.name, "by": by, "note": " ".join(note.split())[:LONGEST_NOTE],
                    **(facts or {}),
                }
            )  # fmt: skip
            self._reported_s = self._clock()
            return path.name

    def reports(self) -> tuple[Path, ...]:
        """The reports that were made here, oldest first."""
        return tuple(sorted(self.folder.glob(f"{_REPORT}*{ENDING}")))

    def _free(self, start: str, ending: str) -> Path:
        stamp = self._now().strftime("%Y%m%dT%H%M%S")
        number = 0
        while (path := self.folder / f"{start}{stamp}{f'-{number}' if number else ''}{ending}").exists():
            number += 1
        return path

    # backups

    def backup(self, target: Path | None = None) -> Backup:
        """Copy everything into `target`, or into the folder of the nightly ones. CommandError says why not."""
        with self._copying:
            if target is None:
                folder = self.folder / "backups"
                try:
                    folder.mkdir(exist_ok=True)
                except OSError as error:
                    said = f"the folder {folder} can't be made ({error.strerror}); check its owner"
                    raise KeepingError(said, "disk", why=error.strerror) from None
                target = self._free(f"backups/{_BACKUP}", ".zip")
            return write_backup(target, self.journal, self._settings.files, pause=lambda: time.sleep(0.002))

    def backups(self) -> tuple[Path, ...]:
        """The nightly ones, oldest first."""
        found = (self.folder / "backups").glob(f"{_BACKUP}*.zip")
        return tuple(sorted(path for path in found if _BACKUP_NAME.fullmatch(path.name)))

    def _by_age(self) -> tuple[Path, ...]:
        """The nightly ones, oldest first; those that are dated ahead of now were made before the clock was put back."""
        now = f"{_BACKUP}{self._now() + timedelta(hours=1):%Y%m%dT%H%M%S}"
        return tuple(sorted(self.backups(), key=lambda path: (path.name <= now, path.name)))

    def checks(self) -> Iterable[Check]:
        """How the backups are, for the page's health."""
        if not self._settings.backups:
            return
        if self._wrong:
            yield Check.of("backup", "warning", "backup.failed", "backup.room", why=self._wrong)
        elif (made := self._newest()) is not None and self._now() - made > LATE:
            yield Check.of("backup", "warning", "backup.late", "backup.soon", date=f"{made:%Y-%m-%d}")
        else:
            yield Check.of("backup", "ok", "backup.night" if made else "backup.first")

    def _newest(self) -> datetime | None:
        """When the newest backup was made; one that a wrong clock has dated ahead counts for nothing."""
        stamps = (_BACKUP_NAME.fullmatch(path.name) for path in self.backups())
        made = (datetime.strptime(stamp[1], "%Y%m%dT%H%M%S").replace(tzinfo=UTC) for stamp in stamps if stamp)
        return max((one for one in made if one <= self._now() + timedelta(hours=1)), default=None)

    # by itself

    def sweep(self) -> None:
        """Take away what is left of files that were never finished; not what somebody makes just now."""
        before_s = self._now().timestamp() - LEFT_S
        for folder in (self.folder, self.folder / "backups"):
            for pattern in (f"*{ENDING}.part", ".*.zip.part", ".backup-*", ".restore-*", ".download-*"):
                for path in folder.glob(pattern):
                    with contextlib.suppress(OSError):
                        if path.stat().st_mtime < before_s:
                            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _run(self) -> None:
        swept_s: float | None = None
        while not self._stop.wait(0.0 if swept_s is None else LOOK_S):
            try:
                now_s = self._clock()
                if swept_s is None or now_s - swept_s >= LEFT_S:  # a download that broke off leaves something, too
                    swept_s = now_s
                    self.sweep()
                    continue
                if self.at_rest():
                    self.tidy()
                    self.nightly()
            except Exception:
                _log.exception("the records could not be looked after")

    def at_rest(self) -> bool:
        """Whether nobody plays now, so that a busy disk holds nobody up."""
        seen = self._snapshot()
        now_s = self._clock()
        if seen.rev != self._rev:
            self._rev, self._since_s = seen.rev, now_s
        quiet = now_s - self._since_s >= REST_S
        return quiet or (seen.view.phase != "play" and not seen.view.hand)

    def tidy(self) -> tuple[int, ...]:
        """Delete the games that are due, one at a time while the table rests; returns their numbers."""
        rules = self._settings.rules
        now_s = self._clock()
        if not rules.any or (self._tidied_s is not None and now_s - self._tidied_s < RETENTION_S):
            return ()
        self._tidied_s = now_s
        if clock_synchronised() == 0:
            return ()  # nobody knows how old anything is
        gone = []
        try:
            with Journal.open(self.journal, create=False, read_only=True) as journal:
                games = due(journal, rules, self._now())
            for game in games:
                if self._stop.is_set() or not self.at_rest():
                    self._tidied_s = None  # the rest of them with the next rest
                    break
                for name in delete_game(self.journal, game):
                    if _REPORT_NAME.fullmatch(name):
                        self._remove(self.folder / name)
                gone.append(game)
            self._remove_strays(rules)
            if gone:
                row = {"event": "deleted", "t": 0.0, "frame": -1, "game_no": 0, "internal": True, "games": gone}
                self._write(row)
        except JournalError as error:
            _log.warning("old games could not be deleted (%s)", error)
        return tuple(gone)

    def _remove_strays(self, rules: Rules) -> None:
        """Reports that belong to no game of this journal, as after a restore, go by their age alone."""
        if rules.keep_days is None:
            return
        old_s = self._now().timestamp() - rules.keep_days * 86400.0
        with Journal.open(self.journal, create=False, read_only=True) as journal:
            told = journal.connection.execute("SELECT json_extract(data, '$.file') FROM row WHERE event = 'reported'")
            named = {str(name) for (name,) in told}
        for path in self.reports():
            with contextlib.suppress(OSError):
                if path.name not in named and path.stat().st_mtime < old_s:
                    self._remove(path)

    def nightly(self) -> Path | None:
        """Make the day's backup if it is due, and let the oldest go."""
        wanted = self._settings.backups
        day = (self._now().astimezone() - timedelta(hours=NIGHT_H)).date()
        made = self._newest()
        done = made is not None and (made.astimezone() - timedelta(hours=NIGHT_H)).date() >= day
        if not wanted or done or day == self._tried_day or not self.journal.exists():
            return None
        self._tried_day = day  # a backup that fails is tried again the next day, or after a restart
        try:
            if (same := self._unchanged()) is not None:
                return same.replace(self._free(f"backups/{_BACKUP}", ".zip"))  # as good as new
            backup = self.backup()
        except (CommandError, OSError) as error:
            self._wrong = str(error)
            _log.warning("the nightly backup failed (%s)", error)
            return None
        self._wrong = ""
        for old in self._by_age()[:-wanted]:
            self._remove(old)
        return backup.path

    def _unchanged(self) -> Path | None:
        """The newest backup, if nothing was written since."""
        found = self._by_age()
        if not found:
            return None
        try:
            with Journal.open(self.journal, create=False, read_only=True) as journal:
                contents = journal.contents()
            return found[-1] if read_backup(found[-1], thorough=False).contents == contents else None
        except (CommandError, JournalError):
            return None  # then a fresh one says what is wrong

    def _remove(self, path: Path) -> None:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass
        except OSError as error:
            _log.warning("%s can't be deleted (%s)", path, error.strerror)
