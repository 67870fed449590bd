"""`boardref report`: the table that runs on this machine keeps what it saw in the last ten minutes."""

from __future__ import annotations

import argparse
from contextlib import suppress
from pathlib import Path

from controller.config import data_folder, load_config
from controller.errors import CommandError
from controller.keeping import LONGEST_NOTE
from controller.local import ask


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `report`."""
    parser.add_argument("--note", default="", metavar="TEXT", help="what was wrong, in your own words")
    parser.add_argument("--data", metavar="DIR", help="the table's data folder; the usual one where left out")
    parser.add_argument("--config", metavar="table.toml", help="the table's settings, which name its data folder")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Ask the running table, and say what can be done with the file."""
    if len(args.note) > LONGEST_NOTE:
        raise CommandError(f"--note takes {LONGEST_NOTE} characters at most", 2)
    chosen = args.data
    if chosen is None and args.config is not None:
        with suppress(CommandError):  # the table runs with what can be read of its settings
            chosen = load_config(args.config).data
    folder = data_folder(None, "--data") if chosen is None else Path(chosen)
    file = folder / ask(folder, "/api/operator/report", {"note": args.note})["file"]
    print(f"{file}: what the table saw in the last ten minutes, without pictures.")
    print(f"To judge it again: boardref watch {file}")
    return 0
