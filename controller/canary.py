"""Does the storage keep what it is told to? A dying SD card takes writes, says that they are done, and forgets them.

Two small files in the data folder count the starts of the machine, one written after the other. Each is read back past
the kernel's memory of it, and compared at the next start with the other and with the journal. A card that forgets
everything since the same moment can't be caught by what lies on it; one that forgets unevenly, or at once, is.
"""

from __future__ import annotations

import json
import mmap
import os
import secrets
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from controller.wholefile import write_whole

FILES = ("canary-1.json", "canary-2.json")
BOOT = Path("/proc/sys/kernel/random/boot_id")
MOUNTS = Path("/proc/self/mounts")
MEMORY = ("tmpfs", "ramfs")
_BLOCK = 4096

Finding = Literal["kept", "forgot", "not_reread", "in_memory", "unwritable"]


@dataclass(frozen=True)
class Canary:
    """What was found at this start. `detail`: in English, for the log."""

    finding: Finding
    detail: str = ""


def visit(folder: Path, journal: Path | None = None, boot: Path = BOOT, mounts: Path = MOUNTS) -> Canary:
    """Compare what was left with what is there, leave a mark of this start, and read that back. Never raises."""
    try:
        if in_memory(folder, mounts):
            return Canary("in_memory", f"{folder} lies in memory")
        row = _highest(journal) if journal is not None else None
        first, second = (_read(folder / name) for name in FILES)
        forgot = _forgot(first, second, row)
        boot_id = _text(boot)
        starts = max(int(one.get("starts", 0)) for one in (first, second)) + (boot_id != first.get("boot"))
        mark = {"starts": starts, "boot": boot_id, "row": row, "salt": secrets.token_hex(8)}
        for name in FILES:
            write_whole(folder / name, json.dumps(mark))
        for name in FILES:
            if _reread(folder / name) != mark:
                return Canary("not_reread", f"{name} was written and reads differently")
        return Canary("forgot", forgot) if forgot else Canary("kept", f"start {starts}")
    except OSError as error:
        return Canary("unwritable", f"{error.strerror}: {error.filename}")


def _forgot(first: dict[str, Any], second: dict[str, Any], row: list[int | str] | None) -> str:
    """What can't be if everything that was written was kept; empty where all fits."""
    one, two = int(first.get("starts", 0)), int(second.get("starts", 0))
    if one < two or one > two + 1:  # the first is always written first, and both at each start
        return f"the marks of {one} and {two} starts lie side by side"
    known = first.get("row")
    if row and known and known[:2] == row[:2] and int(row[2]) < int(known[2]):
        return f"the journal had {known[2]} rows and has {row[2]}"
    return ""


def in_memory(folder: Path, mounts: Path = MOUNTS) -> bool:
    """Whether a folder is gone with the power: on a file system in memory, or on one laid over the card in memory."""
    listed = [line.split() for line in _text(mounts).splitlines()]
    found = [(at.replace("\\040", " "), kind, options) for _, at, kind, options, *_ in listed]

    def over(path: Path) -> tuple[str, str]:
        """Kind and options of the file system that a path lies on."""
        on = [(len(at), kind, options) for at, kind, options in found if path.is_relative_to(at)]
        return max(on)[1:] if on else ("", "")

    kind, options = over(folder.resolve())
    if kind == "overlay":
        upper = next((word.partition("=")[2] for word in options.split(",") if word.startswith("upperdir=")), "")
        return bool(upper) and over(Path(upper))[0] in MEMORY
    return kind in MEMORY


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def _read(path: Path) -> dict[str, Any]:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    well = isinstance(told, dict) and isinstance(told.get("starts"), int) and _is_row(told.get("row"))
    return told if well else {}


def _is_row(told: Any) -> bool:
    """Whether a file that a dying card left says so much of the journal as `_highest` does."""
    return told is None or (isinstance(told, list) and len(told) == 3 and isinstance(told[2], int))


def _highest(journal: Path) -> list[int | str] | None:
    """Which journal this is (its file, and when its first session was opened), and the highest row it ever had."""
    try:
        inode = journal.stat().st_ino
        database = sqlite3.connect(f"{journal.resolve().as_uri()}?mode=ro", uri=True, timeout=1.0)
        try:
            opened = database.execute("SELECT opened_utc FROM session ORDER BY id LIMIT 1").fetchone()
            highest = database.execute("SELECT seq FROM sqlite_sequence WHERE name = 'row'").fetchone()
        finally:
            database.close()
    except (sqlite3.Error, OSError):
        return None
    return [inode, str(opened[0]), int(highest[0])] if opened and highest else None


def _reread(path: Path) -> dict[str, Any]:
    """From the device itself, where the file system can do that; else from the kernel's memory."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECT)
    except OSError:
        return _read(path)
    try:
        with mmap.mmap(-1, _BLOCK) as block:  # O_DIRECT wants memory that begins at a page
            read = os.readv(handle, [block])
            return dict(json.loads(block[:read].decode()))
    except (OSError, ValueError):
        return _read(path)
    finally:
        os.close(handle)
