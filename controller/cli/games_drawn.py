"""`boardref games export --format svg|mp4|gif`: a game drawn."""

from __future__ import annotations

import argparse
from pathlib import Path

from controller.drawing.film import CODECS, GIF, Film, write_gif, write_mp4
from controller.drawing.layout import Layout
from controller.drawing.moments import moments
from controller.drawing.sets import game_of, layout_for
from controller.drawing.sheets import NoBoard, board_svg, sheet_svg
from controller.errors import CommandError
from controller.journal.fold import Record
from controller.rules.api import Game
from controller.words import LANGUAGES
from vision.boardset import BoardSet

DRAWN = ("svg", "mp4", "gif")


def add(export: argparse.ArgumentParser) -> None:
    """The arguments of drawn exports."""
    export.add_argument(
        "--turn", metavar="N", help="svg: the board after turn N, or `all`; the last one where left out"
    )
    export.add_argument("--language", choices=LANGUAGES, default="en", help="the language of what is drawn (en)")
    export.add_argument("--set", metavar="FILE", help="draw with this set's TOML; the installed one where left out")
    export.add_argument(
        "--codec", choices=CODECS, default="vp09", help="mp4: vp09 (for browsers and phones), or mp4v (fast, larger)"
    )


def draw(args: argparse.Namespace, record: Record) -> int:
    """Draw and write; says where, unless the drawing itself is printed."""
    game = game_of(record)
    layout = layout_for(record, game, BoardSet.load(args.set) if args.set else None)
    if layout is None:
        raise CommandError(f"no set for {game.name} is installed; name one with --set FILE.toml")
    if args.format == "svg":
        return _svg(args, record, game, layout)
    if args.turn is not None:
        raise CommandError("--turn goes with --format svg; a film shows all turns", 2)
    if record.start is None:
        raise CommandError(f"game {args.number} has no beginning; there is nothing to draw")
    path = Path(args.output or f"game-{args.number}.{args.format}")
    look = CODECS[args.codec] if args.format == "mp4" else GIF
    film = Film(record, game, layout, args.language, look)
    if args.format == "mp4":
        write_mp4(film, look, path, args.codec)
    else:
        write_gif(film, path)
    print(f"wrote {path}")
    return 0


def _svg(args: argparse.Namespace, record: Record, game: Game, layout: Layout) -> int:
    language = args.language
    try:
        if args.turn == "all" and args.output and (args.output.endswith("/") or Path(args.output).is_dir()):
            return _numbered(args, record, game, layout)
        if args.turn == "all":
            told = sheet_svg(record, game, layout, language)
        else:
            told = board_svg(record, game, layout, language, _number(args.turn))
    except NoBoard as error:
        raise CommandError(f"game {args.number}: {error}") from None
    if args.output is None:
        print(told, end="")
    else:
        Path(args.output).write_text(told, encoding="utf-8")
    return 0


def _number(turn: str | None) -> int | None:
    if turn is None:
        return None
    if not (turn.isascii() and turn.isdigit() and len(turn) < 7):
        raise CommandError("--turn takes the number of a turn, 0 for the start, or `all`", 2)
    return int(turn)


def _numbered(args: argparse.Namespace, record: Record, game: Game, layout: Layout) -> int:
    """A file for each turn in a folder."""
    folder = Path(args.output)
    folder.mkdir(exist_ok=True)
    numbers = sorted({moment.n for moment in moments(record, game)})
    for n in numbers:
        told = board_svg(record, game, layout, args.language, n)
        (folder / f"game-{args.number}-{n:03}.svg").write_text(told, encoding="utf-8")
    print(f"wrote {len(numbers)} files to {folder}")
    return 0
