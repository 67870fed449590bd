"""`boardref games export`, `import` and `players`: games as files, and who played them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from controller.cli import games_drawn
from controller.errors import CommandError
from controller.journal.errors import JournalError
from controller.journal.export import FORMATS
from controller.journal.fold import Record, fold
from controller.journal.importing import events_of, read_game
from controller.journal.store import Journal
from controller.rules.registry import game_named

LARGEST_FILE = 20_000_000  # bytes; the longest game ever exported is a hundredth of it


def add(action: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """The arguments of `export`, `import` and `players`."""
    export = action("export", "one game as text, JSON, its timings as CSV, a drawing (svg), or a film (mp4, gif)")
    export.add_argument("number", type=int, metavar="N", help="the game's number in `games list`")
    formats = (*FORMATS, *games_drawn.DRAWN)
    export.add_argument("--format", choices=formats, default="text", help="text where left out")
    export.add_argument("-o", "--output", metavar="FILE", help="write here instead of printing; a film: game-N.mp4")
    games_drawn.add(export)
    export.set_defaults(act=_export)
    took = action("import", "take in games from files: exported text or JSON, or text written by hand")
    took.add_argument("files", nargs="+", metavar="FILE", help="a file with one game; - is standard input")
    took.set_defaults(act=take_in)
    parser = action("players", "say who plays, or forget it for good")
    parser.add_argument("number", type=int, metavar="N", help="the game's number in `games list`")
    for side in ("south", "north", "red", "green"):
        parser.add_argument(f"--{side}", metavar="NAME", help=f"who plays {side.capitalize()}")
    parser.add_argument("--forget", action="store_true", help="forget all names of this game, for good")
    parser.set_defaults(act=name_players)


def record_of(journal: Journal, number: int) -> Record:
    """The record of a game; CommandError where there is none."""
    rows = list(journal.rows(number)) if number > 0 else []
    if not rows:
        raise CommandError(f"there is no game {number} in {journal.path}; see `boardref games list`")
    return fold(rows)


def _export(args: argparse.Namespace, journal: Journal) -> int:
    record = record_of(journal, args.number)
    if args.format in games_drawn.DRAWN:
        return games_drawn.draw(args, record)
    told = FORMATS[args.format](record, args.number)
    if args.output is None:
        print(told, end="")
    else:
        Path(args.output).write_text(told, encoding="utf-8")
    return 0


def take_in(args: argparse.Namespace, journal: Journal) -> int:
    """`games import`: all files or, where one can't be read, none."""
    before = journal.games()
    events = []
    for game_no, name in enumerate(args.files, 1):
        try:
            record, form = read_game(_text(name))
        except JournalError as error:
            raise CommandError(f"{name}: {error}; nothing was imported", 2) from None
        events += events_of(record, form, "" if name == "-" else Path(name).name, game_no)
    journal.append(events)
    for number, name in zip(sorted(set(journal.games()) - set(before)), args.files, strict=False):
        record = record_of(journal, number)
        turns = f"{len(record.turns)} turn{'' if len(record.turns) == 1 else 's'}"
        print(f"game {number}: {record.game}, {turns}, from {name}")
    return 0


def _text(name: str) -> str:
    data = sys.stdin.buffer.read(LARGEST_FILE + 1) if name == "-" else _bytes(Path(name))
    if len(data) > LARGEST_FILE:
        raise JournalError(f"it is longer than {LARGEST_FILE // 1_000_000} MB, which no game is")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise JournalError(f"line {line}, column {column}: it is not UTF-8 ({error.reason})") from None


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST_FILE + 1)
    except OSError as error:
        said = f"it can't be read ({error.strerror}); check the name"
        raise CommandError(f"{path}: {said}; nothing was imported") from None


def name_players(args: argparse.Namespace, journal: Journal) -> int:
    """`games players`: say who plays, or forget it."""
    record = record_of(journal, args.number)
    given = {side.capitalize(): getattr(args, side) for side in ("south", "north", "red", "green")}
    names = {side: name for side, name in given.items() if name is not None}
    if bool(names) == args.forget:
        raise CommandError("name at least one player, as in --south Anna, or --forget", 2)
    if record.game is not None:
        sides = game_named(record.game).players
        if wrong := next((side for side in names if side not in sides), None):
            raise CommandError(f"nobody plays {wrong} in game {args.number}; {' and '.join(sides)} play", 2)
    if args.forget:
        names = dict.fromkeys(record.names, "")
    row = {"event": "players", "t": 0.0, "frame": -1, "game_no": 0, "game": args.number, "internal": False}
    journal.append([{**row, "names": names, "by": "operator"}])
    if not journal.forget_names():
        raise CommandError(
            "the names are as you said, but somebody reads the journal, so that an older name may still be in its log;"
            " give the same command again in a moment"
        )
    known = record_of(journal, args.number).names
    told = ", ".join(f"{side} {name}" for side, name in known.items())
    print(f"game {args.number}: {told or 'no names are known'}")
    return 0
