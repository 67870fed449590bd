"""`boardref bundle`: one file to send along with a question."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from controller.bundle import write_bundle
from controller.cli.doctor import checks
from controller.config import data_folder, load_config
from controller.errors import CommandError
from controller.journal.errors import JournalError
from controller.journal.store import Journal
from controller.salvage import salvaged


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bundle`."""
    parser.add_argument("-o", "--output", default="boardref-bundle.zip", metavar="FILE.zip", help="the file to write")
    parser.add_argument("--config", metavar="table.toml", help="the table's settings")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check everything, and write what was found with the settings and the last matches."""
    target = Path(args.output)
    settings = "# no file: the usual settings\n"
    try:
        data = load_config(args.config).data
    except CommandError as error:  # a bundle is asked for because something is wrong
        data = salvaged(args.config).data
        instead = "the bundle is made all the same, with the usual settings for what can't be read"
        print(f"boardref: {error}; {instead}", file=sys.stderr)
    if args.config is not None:
        try:
            settings = Path(args.config).read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            settings = f"# it can't be read ({error.strerror})\n"
    path: Path | None = None
    try:
        path = data_folder(data) / "boardref.db"
    except CommandError as error:
        print(f"boardref: {error}; the bundle is made all the same, without matches", file=sys.stderr)
    try:
        with contextlib.ExitStack() as held:
            journal: Journal | None = None
            try:
                if path is not None and path.exists():
                    journal = held.enter_context(Journal.open(path, create=False, read_only=True))
            except JournalError as error:
                print(f"boardref: {error}; the bundle is made all the same, without matches", file=sys.stderr)
            parts = write_bundle(target, checks(args.config), settings, journal)
    except OSError as error:
        raise CommandError(f"{target} can't be written ({error.strerror}); give another file with -o") from None
    print(f"{target}: {', '.join(parts)}. It holds no pictures; look through it before you send it.")
    return 0
