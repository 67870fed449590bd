"""Where in a text a fault lies: lines and columns count from 1, a JSON value is found by its path."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from controller.journal.errors import JournalError

_SPACE = re.compile(r"[ \t\n\r]*")


class PlaceError(JournalError):
    """What is wrong with a text, and where."""

    def __init__(self, said: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {said}")
        self.line, self.column = line, column


def at(text: str, index: int, said: str) -> PlaceError:
    """A fault at an index of a text."""
    before = text[:index]
    return PlaceError(said, before.count("\n") + 1, index - (before.rfind("\n") + 1) + 1)


def index_of(text: str, path: Sequence[str | int]) -> int:
    """Where the value at `path` of a JSON text begins; the last one on the way that is there."""
    decoder = json.JSONDecoder()

    def skip(index: int) -> int:
        found = _SPACE.match(text, index)
        return found.end() if found else index

    index = skip(0)
    for wanted in path:
        if index >= len(text) or text[index] not in "{[":
            return index
        closing = "}" if text[index] == "{" else "]"
        inner, number, found = skip(index + 1), 0, None
        while text[inner] != closing:
            key: str | int = number
            if closing == "}":
                key, inner = decoder.raw_decode(text, inner)
                inner = skip(skip(inner) + 1)
            if key == wanted:
                found = inner
                break
            inner = skip(decoder.raw_decode(text, inner)[1])
            if text[inner] == ",":
                inner = skip(inner + 1)
            number += 1
        if found is None:
            return index
        index = found
    return index
