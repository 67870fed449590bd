"""`boardref kit`: a printable board as exact-scale PDF."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Mapping
from pathlib import Path

from controller.errors import CommandError
from controller.wholefile import write_whole
from vision.boardset import BoardSet, installed_sets

HELPERS = ("charuco", "stickers")


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", metavar="GAME|SET.toml|charuco|stickers", help="a game, or the TOML file of a set")
    parser.add_argument("-o", "--output", required=True, metavar="FILE.pdf", help="the PDF to write")
    parser.add_argument("--paper", choices=["a3", "a4"], default="a3", help="paper size (default a3)")
    parser.add_argument("--scale", type=float, default=1.0, metavar="S", help="1 is exact size; 0.7 fits A3 on A4")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the PDF."""
    # the PDF library is slow to import, and only needed here
    from calibration.kit import SCALES, kit_pdf
    from calibration.sheets import charuco_pdf, stickers_pdf

    target = Path(args.output)
    if target.is_dir():
        raise CommandError(f"{target} can't be written (it is a folder); give the name of a file with -o")
    if args.what in HELPERS:
        if args.scale != 1:
            raise CommandError(f"{args.what} comes in its exact size only; leave out --scale", 2)
        name, pdf = args.what, (charuco_pdf if args.what == "charuco" else stickers_pdf)(args.paper)
    elif not SCALES[0] <= args.scale <= SCALES[1]:
        raise CommandError(f"--scale takes a number from {SCALES[0]:g} to {SCALES[1]:g}; 1 is the exact size", 2)
    else:
        board_set = chosen_set(args.what)
        name, pdf = board_set.name, kit_pdf(board_set, piece_counts(board_set), args.paper, args.scale)
    try:
        write_whole(target, pdf)
    except OSError as error:
        raise CommandError(f"{target} can't be written ({error.strerror}); give another file with -o") from None
    size = "exact size" if args.scale == 1 else f"{args.scale:g} of its size"
    print(f"{target}: {name} in {size} for {args.paper.upper()}; print at 100 %, not fitted to the page")
    return 0


def chosen_set(what: str) -> BoardSet:
    """The set of a game or in a TOML file."""
    if what.endswith(".toml") or "/" in what:
        return BoardSet.load(what)
    sets = installed_sets()
    for board_set in sets.values():
        if what in (board_set.name, board_set.game):
            return board_set
    near = difflib.get_close_matches(what.lower(), [*sets, *HELPERS], n=1)
    hint = f"did you mean {near[0]}?" if near else f"give one of {', '.join(sets)}, or a set's TOML file"
    raise CommandError(f"no set for {what!r} is installed; {hint}", 2)


def piece_counts(board_set: BoardSet) -> Mapping[str, int]:
    """How many of each kind the set's game needs; one of each for a game that isn't installed."""
    from controller.rules.api import RulesError
    from controller.rules.registry import game_named

    try:
        pieces = game_named(board_set.game).pieces
    except RulesError:
        print(
            f"boardref: the game {board_set.game} isn't installed: one token of each kind is printed",
            file=sys.stderr,
        )
        return dict.fromkeys(board_set.kinds, 1)
    return {kind: pieces.get(board_set.names.get(kind, kind), 0) for kind in board_set.kinds}
