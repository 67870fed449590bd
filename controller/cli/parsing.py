"""The command line's parser: a word that is missing is named together with what it may be."""

from __future__ import annotations

import argparse
from importlib import metadata
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """As argparse has it, for the command and everything below it."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        if message.startswith("the following arguments are required: "):
            for action in self._actions:
                if isinstance(action, argparse._SubParsersAction) and str(action.metavar) in message:
                    message += f" ({', '.join(action.choices)})"
        super().error(message)


class Version(argparse.Action):
    """`--version`: looked up only when it is asked for, for that takes a while."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> NoReturn:
        """Print it and end."""
        print(f"boardref {metadata.version('boardref')}")
        parser.exit()


def parser_of() -> Parser:
    """The parser of `boardref` itself."""
    parser = Parser(prog="boardref", description="A referee for real board games.", allow_abbrev=False)
    parser.add_argument("--version", action=Version, nargs=0, help="show the version and end")
    return parser
