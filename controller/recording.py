"""The journal of a table that must start whatever its journal is like."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from controller.journal.errors import JournalError
from controller.journal.store import Journal
from controller.watcher import Watcher


def open_recording(
    path: Path, watcher_from: Callable[[Sequence[Mapping[str, Any]]], Watcher]
) -> tuple[Journal | None, Watcher, str | None]:
    """The journal, the watcher that goes on with its last game, and a sentence for the page where something is wrong.

    A journal that can't be opened leaves the table without one: a table nobody watches must referee all the same, and
    says that it keeps no record. The file is never touched. The sentence is also written to stderr.
    """
    said: list[str] = []
    journal: Journal | None = None
    rows: list[dict[str, Any]] = []
    try:
        journal = Journal.open(path)
        if journal.warning:
            said.append(journal.warning)
    except JournalError as error:
        said.append(f"No record is kept: {error}.")
    if journal is not None:
        try:
            rows = journal.last_session()
        except JournalError as error:
            said.append(f"The last game can't be taken up: {error}.")
    watcher = watcher_from(rows)
    if watcher.warning is not None:
        said.append(watcher.warning)
        if journal is not None:
            journal.let_go()
    for sentence in said:
        print(f"boardref: {sentence}", file=sys.stderr, flush=True)
    return journal, watcher, " ".join(said) or None
