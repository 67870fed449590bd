"""A backup: one ZIP with the records, reported sighting logs and settings, made while the table plays; and back again.

    backup.json         what is in it: format, version, time, games, and a check sum of every other file
    boardref.db         the journal
    sightings/*         reported sighting logs
    settings/*          table.toml without its secrets, the profile and the light map: for reading, not put back

It has its name only once it is whole and has been read back. No pictures, no secrets.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from controller.bundle import redacted
from controller.errors import CommandError
from controller.journal.copying import checked, copy_journal
from controller.journal.errors import JournalError
from controller.journal.hold import Hold
from controller.journal.opening import aside_name
from controller.journal.store import Contents
from controller.sightings.file import ENDING
from controller.wholefile import is_database, sync_folder

FORMAT = 1
MANIFEST, JOURNAL, SIGHTINGS, SETTINGS = "backup.json", "boardref.db", "sightings", "settings"
LARGEST_MANIFEST = 4_000_000  # bytes; it holds a line for each file
SPARE = 1_000_000  # bytes, for what the file system itself needs
FOLD_S = 2.0
"""How long who reads the old journal is waited for."""
_CHUNK = 1024 * 1024
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OverflowError)
"""What reading a damaged ZIP may raise."""
Pause = Callable[[], None]


@dataclass(frozen=True)
class Backup:
    """A backup that has been read through. `made_utc`, `version`: when, and by which Boardref."""

    path: Path
    made_utc: str
    version: str
    contents: Contents
    logs: tuple[str, ...]


def write_backup(
    target: Path, journal: Path, settings: Mapping[str, Path] | None = None, pause: Pause = lambda: None
) -> Backup:
    """Copy everything into `target` and read it back. `settings`: name in the backup -> file; TOML loses its secrets.

    CommandError in one sentence where that can't be; what `target` held before is then still there.
    """
    if target.is_dir():
        raise CommandError(f"{target} is a folder; name the backup's file")
    if target.exists() and not target.is_file():  # a device or a pipe, which the backup would take the place of
        raise CommandError(f"{target} is no file; name the backup's file")
    if target.is_file() and is_database(target):
        raise CommandError(f"{target} is a journal or another database; name another file for the backup", 2)
    part = target.with_name(f".{target.name}.part")
    try:
        with tempfile.TemporaryDirectory(prefix=".backup-", dir=target.parent) as folder:
            copy = Path(folder) / JOURNAL
            copy_journal(journal, copy)
            contents = checked(copy, pause)
            _pack(part, _parts(copy, journal.parent, settings or {}), contents)
            copy.unlink()
            with zipfile.ZipFile(part) as archive:
                _intact(archive, part)
        part.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise CommandError(
            f"the backup {target} can't be written ({error.strerror or error}); choose another place, or make room"
        ) from None
    except JournalError as error:
        raise CommandError(f"no backup was made: {error}") from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    return read_backup(target, thorough=False)


def _parts(copy: Path, data: Path, settings: Mapping[str, Path]) -> Iterator[tuple[str, Path | bytes]]:
    yield JOURNAL, copy
    for log in sorted(data.glob(f"*{ENDING}")):
        yield f"{SIGHTINGS}/{log.name}", log
    for name, file in settings.items():
        with contextlib.suppress(OSError):  # a setting may name a file that is gone; the records matter more
            told = file.read_bytes()
            if file.suffix == ".toml":
                told = redacted(told.decode("utf-8", "replace")).encode()
            yield f"{SETTINGS}/{name}", told


def _pack(part: Path, parts: Iterator[tuple[str, Path | bytes]], contents: Contents) -> None:
    sums = {}
    with part.open("wb") as out:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
            for name, source in parts:
                if isinstance(source, Path):
                    try:
                        archive.write(source, name)
                    except FileNotFoundError:  # a report that was deleted meanwhile
                        continue
                    with source.open("rb") as file:
                        sums[name] = hashlib.file_digest(file, "sha256").hexdigest()
                else:
                    archive.writestr(name, source)
                    sums[name] = hashlib.sha256(source).hexdigest()
            head = {"boardref": "backup", "format": FORMAT, "version": metadata.version("boardref")}
            made = {"made_utc": datetime.now(UTC).isoformat(timespec="seconds"), "contents": asdict(contents)}
            archive.writestr(MANIFEST, json.dumps(head | made | {"sha256": sums}, indent=1))
        out.flush()
        os.fsync(out.fileno())


def read_backup(path: Path, *, thorough: bool = True) -> Backup:
    """What is in a backup. `thorough`: every check sum is compared. CommandError where it can't be relied on."""
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = _manifest(archive, path)
            if thorough:
                _intact(archive, path)
        contents = Contents(**manifest["contents"])
        logs = tuple(name.partition("/")[2] for name in manifest["sha256"] if name.startswith(f"{SIGHTINGS}/"))
        return Backup(path, str(manifest["made_utc"]), str(manifest["version"]), contents, logs)
    except (KeyError, TypeError, AttributeError):
        raise CommandError(f"{path} is no backup of Boardref; give a file that `games backup` wrote") from None
    except OSError as error:
        raise CommandError(f"the backup {path} can't be read ({error.strerror}); check the name") from None
    except _BROKEN as error:
        raise CommandError(_damaged(path, str(error))) from None


def _damaged(path: Path, why: str) -> str:
    return f"{path} is damaged, or no backup of Boardref ({why}); nothing was changed; try an older one"


def _manifest(archive: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    if archive.getinfo(MANIFEST).file_size > LARGEST_MANIFEST:
        raise KeyError(MANIFEST)
    told = json.loads(archive.read(MANIFEST))
    if not isinstance(told, dict) or told.get("boardref") != "backup" or not isinstance(told.get("format"), int):
        raise KeyError(MANIFEST)
    if JOURNAL not in told["sha256"]:
        raise KeyError(JOURNAL)
    if told["format"] > FORMAT:
        raise CommandError(
            f"{path} was written by a newer Boardref ({told.get('version')}); update Boardref; nothing was changed"
        )
    return told


def _intact(archive: zipfile.ZipFile, path: Path) -> None:
    """Compare every check sum."""
    sums = _manifest(archive, path)["sha256"]
    for name, wanted in sums.items():
        digest = hashlib.sha256()
        try:
            with archive.open(name) as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
        except (*_BROKEN, KeyError) as error:
            raise CommandError(_damaged(path, f"{name}: {error}")) from None
        if digest.hexdigest() != wanted:
            raise CommandError(_damaged(path, f"{name} is not what was written"))


def restore_backup(path: Path, journal: Path, pause: Pause = lambda: None) -> tuple[Backup, Path | None]:
    """Put a backup's records in the place of `journal`; returns it and where the old file went, None if there was none.

    CommandError, with nothing changed, where a table runs, there is no room, or anything about the backup is not in
    order. However it is interrupted, the journal holds what it held before or what the backup holds.
    """
    backup = read_backup(path)
    try:
        with tempfile.TemporaryDirectory(prefix=".restore-", dir=journal.parent) as folder:
            fresh = Path(folder) / JOURNAL
            with zipfile.ZipFile(path) as archive:
                _room_for(archive, backup, journal.parent)
                with archive.open(JOURNAL) as file, fresh.open("wb") as out:
                    shutil.copyfileobj(file, out, _CHUNK)
                    out.flush()
                    os.fsync(out.fileno())
                if checked(fresh, pause) != backup.contents:
                    raise CommandError(_damaged(path, "its games are not those it was written with"))
                with Hold.alone(journal):
                    _logs_back(archive, backup, journal.parent)  # first: the new journal names them
                    old = _set_aside(journal, Path(folder))
                    fresh.replace(journal)
                    sync_folder(journal.parent)
        return backup, old
    except JournalError as error:
        raise CommandError(f"nothing was restored: {error}") from None
    except OSError as error:
        raise CommandError(
            f"{path} can't be restored ({error.strerror or error}); nothing was lost; make room, or check the owner of"
            f" {journal.parent}"
        ) from None


def _room_for(archive: zipfile.ZipFile, backup: Backup, folder: Path) -> None:
    """CommandError where the records would find no room beside the old ones, which are kept."""
    missing = [f"{SIGHTINGS}/{name}" for name in backup.logs if not (folder / name).exists()]
    needed = sum(archive.getinfo(name).file_size for name in (JOURNAL, *missing)) + SPARE
    free = shutil.disk_usage(folder).free
    if free < needed:
        needed_mb, free_mb = needed // 10**6, free // 10**6
        raise CommandError(
            f"nothing was restored: it needs {needed_mb} MB in {folder}, and {free_mb} MB are free; make room"
        )


def _set_aside(journal: Path, folder: Path) -> Path | None:
    """Keep the old file under another name; what stands at its own name stays whole until it is replaced.

    `folder`: where there is room for a copy.
    """
    beside = [journal.with_name(f"{journal.name}{ending}") for ending in ("-wal", "-shm")]
    aside = aside_name(journal, "before-restore") if journal.exists() else None
    if aside is not None and not _folded_in(journal) and not _folded_by_copying(journal, folder / "old.db"):
        # It is damaged: its log goes along with it, for whoever wants to save something of it.
        for side in beside:
            if side.exists():
                shutil.copy2(side, aside.with_name(aside.name + side.name.removeprefix(journal.name)))
    if aside is not None:
        try:
            os.link(journal, aside)
        except OSError:  # a file system without links
            shutil.copy2(journal, aside)
    for side in beside:
        side.unlink(missing_ok=True)  # an old log must never be read into the new file
    sync_folder(journal.parent)
    return aside


def _folded_in(journal: Path) -> bool:
    """Have the log of the old file folded into it; False where it can't be."""
    try:
        with contextlib.closing(sqlite3.connect(journal, timeout=FOLD_S)) as connection:
            return int(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]) == 0
    except sqlite3.Error:
        return False


def _folded_by_copying(journal: Path, copy: Path) -> bool:
    """The same where somebody reads the old file: a copy with its log in it takes its place. False for a damaged one.

    The log stays beside it for a moment, and is read into it without changing anything.
    """
    try:
        copy_journal(journal, copy)
    except (JournalError, OSError):
        return False
    with copy.open("rb") as file:
        os.fsync(file.fileno())
    copy.replace(journal)
    sync_folder(journal.parent)
    return True


def _logs_back(archive: zipfile.ZipFile, backup: Backup, data: Path) -> None:
    """Reported sighting logs that are not there any more."""
    for name in backup.logs:
        target = data / Path(name).name
        if name != target.name or not name.endswith(ENDING) or target.exists():
            continue
        part = target.with_name(f"{name}.part")
        with archive.open(f"{SIGHTINGS}/{name}") as file, part.open("wb") as out:
            shutil.copyfileobj(file, out, _CHUNK)
            out.flush()
            os.fsync(out.fileno())
        part.replace(target)
        sync_folder(data)
