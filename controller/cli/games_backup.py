"""`boardref games backup` and `games restore`: everything that was recorded, in one file and back."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from controller.backup import restore_backup, write_backup
from controller.config import load_config
from controller.errors import CommandError


def add(action: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """The two actions, made by `action(name, help)`."""
    backup = action("backup", "copy the journal, reported sighting logs and --config into one file; the table may play")
    backup.add_argument("file", metavar="FILE.zip", help="the backup; one that is there already is replaced")
    backup.set_defaults(act=_backup)
    restore = action("restore", "put a backup's journal in the place of the table's own; the table must be stopped")
    restore.add_argument("file", metavar="FILE.zip", help="a file that `games backup` wrote")
    restore.set_defaults(act=_restore)


def settings_files(config: str | None) -> dict[str, Path]:
    """The files that belong to a table's settings, by the names they get in a backup."""
    if config is None:
        return {}
    found = {"table.toml": Path(config)}
    try:
        settings = load_config(config)
    except CommandError:
        return found  # a backup is wanted all the same
    for name in ("set", "profile", "light_map"):
        if (file := getattr(settings, name)) is not None:
            found[f"{name}-{Path(file).name}"] = Path(file)
    return found


def _backup(args: argparse.Namespace, journal: Path) -> int:
    if not journal.exists():
        raise CommandError(f"there is no journal {journal}; name one with --journal FILE or --data DIR")
    made = write_backup(Path(args.file), journal, settings_files(args.config))
    games = f"{made.contents.games} game{'' if made.contents.games == 1 else 's'}"
    logs = f", {len(made.logs)} sighting logs" if made.logs else ""
    print(f"{args.file}: {games}{logs}, read back and found whole.")
    return 0


def _restore(args: argparse.Namespace, journal: Path) -> int:
    if not journal.parent.is_dir():
        raise CommandError(f"there is no folder {journal.parent}; make it, or name another with --data DIR")
    backup, old = restore_backup(Path(args.file), journal)
    print(f"{journal}: {backup.contents.games} games as of {backup.made_utc}.")
    if old is not None:
        print(f"What was there before is kept as {old}.")
    return 0


ACTS = (_backup, _restore)
IN_TROUBLE = (_backup,)
"""What is wanted also where the settings are wrong."""
