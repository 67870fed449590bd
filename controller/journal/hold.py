"""Who uses a journal's file: writers hold it together, whoever replaces it holds it alone. A table holds its folder.

A lock of the kernel on `NAME.lock` beside it, gone with the process that held it, however that ended.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from pathlib import Path

from controller.journal.errors import JournalError

WAIT_S = 10.0
TABLE_WAIT_S = 3.0
"""A table that is being stopped still writes what it has seen."""
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS)


class Hold:
    """A held journal; `release` it, or leave the context."""

    def __init__(self, handle: int | None) -> None:
        self._handle = handle

    @classmethod
    def shared(cls, path: Path) -> Hold:
        """As one writer of several. JournalError where the file stays in the hands of somebody who replaces it."""
        return cls._of(
            path,
            fcntl.LOCK_SH,
            WAIT_S,
            JournalError(f"the journal {path} is just being restored; try again", "restoring", path=path),
        )

    @classmethod
    def alone(cls, path: Path) -> Hold:
        """As the only one. JournalError where a table, or another program, writes to it."""
        return cls._of(
            path, fcntl.LOCK_EX, 0.0, JournalError(f"a table is running with the journal {path}; stop it first")
        )

    @classmethod
    def table(cls, folder: Path) -> Hold:
        """As the one table that keeps its records here: two would go on with the same game, each with its own turns.

        JournalError where there is another.
        """
        said = f"a table is already running with the records in {folder}; stop it, or keep these in another folder"
        return cls._of(folder / "table", fcntl.LOCK_EX, TABLE_WAIT_S, JournalError(said))

    @classmethod
    def _of(cls, path: Path, kind: int, wait_s: float, refused: JournalError) -> Hold:
        try:
            handle = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError:  # no room, or a folder that can't be written: then the journal says so itself
            return cls(None)
        until_s = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(handle, kind | fcntl.LOCK_NB)
                return cls(handle)
            except OSError as error:
                if error.errno in _NO_LOCKS:  # a file system without them
                    os.close(handle)
                    return cls(None)
                if time.monotonic() >= until_s:
                    os.close(handle)
                    raise refused from None
            time.sleep(0.05)

    def release(self) -> None:
        """Let go; twice does nothing."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> Hold:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
