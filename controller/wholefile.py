"""Files that a power cut must leave whole: the old contents or the new ones, never half, never nothing.

Imports nothing of ours, so that every room which writes files may use it.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def write_whole(path: Path, contents: bytes | str, mode: int = 0o644) -> None:
    """Write a file and its name so that both are on the disk when this returns. OSError leaves what was there.

    A rename alone is not enough: the disk may know the new name before it knows what is in the file.
    """
    path = path.resolve()
    data = contents.encode() if isinstance(contents, str) else contents
    if path.exists() and not path.is_file():  # a pipe or a device, which a rename would replace
        path.write_bytes(data)
        return
    part = path.with_name(f"{path.name}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
        sync_folder(path.parent)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def sync_folder(folder: Path) -> None:
    """Have the disk keep the names in a folder."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def is_database(path: Path) -> bool:
    """Whether a file is a journal, or another database, or the log beside one: nothing to write anything else over."""
    try:
        with path.open("rb") as file:
            return path.name.endswith(("-wal", "-shm")) or file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False
