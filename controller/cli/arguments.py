"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from controller.errors import CommandError


def add_game_arguments(parser: argparse.ArgumentParser) -> None:
    """`--game`, `--set`, `--profile`, `--option`: what lies under the camera."""
    parser.add_argument("--game", metavar="G", help="the game; recognised from the tags where left out")
    parser.add_argument("--set", metavar="FILE", help="a set's TOML; the installed sets where left out")
    parser.add_argument("--profile", metavar="FILE", help="a table's profile")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="a rules option")


def options_of(words: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` words as a mapping; CommandError (exit 2) for anything else."""
    chosen = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name or not value:
            raise CommandError(f"--option takes NAME=VALUE, not {word!r}; see `boardref rules options GAME`", 2)
        chosen[name] = value
    return chosen
