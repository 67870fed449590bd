"""Gettext catalogues (`locale/LANGUAGE/LC_MESSAGES/*.po`), read as they are: nothing to compile.

`boardref.po` holds what all games share, `camera.po` how a camera is, `link.po` how the
lights are reached, `short.po` the rules in short; a game's codes and names of pieces have a file of their own.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

LANGUAGES = ("en", "nl", "de", "fr")
DOMAINS = ("boardref", "camera", "link", "short", "transet", "taasen", "transfer")


def parse_po(text: str) -> dict[str, str]:
    """msgid -> msgstr of one catalogue, the header (empty msgid) left out. ValueError names the line."""
    found: dict[str, str] = {}
    entry: dict[str, str] = {}
    current = ""
    for number, raw in enumerate([*text.splitlines(), ""], 1):
        line = raw.strip()
        if not line:
            if entry.get("msgid") and entry.get("msgstr"):
                if entry["msgid"] in found:
                    raise ValueError(f"line {number}: {entry['msgid']!r} stands twice")
                found[entry["msgid"]] = entry["msgstr"]
            entry, current = {}, ""
        elif line.startswith("#"):
            continue
        elif line.startswith('"') and current:
            entry[current] += str(ast.literal_eval(line))
        else:
            current, _, value = line.partition(" ")
            if current not in ("msgid", "msgstr") or not value.startswith('"'):
                raise ValueError(f"line {number}: msgid, msgstr or a quoted text is expected")
            entry[current] = str(ast.literal_eval(value))
    return found


@lru_cache(maxsize=len(LANGUAGES))
def catalogue(language: str) -> Mapping[str, str]:
    """All texts of a language; KeyError for a language that Boardref doesn't speak."""
    if language not in LANGUAGES:
        raise KeyError(f"no language {language!r}; there are {', '.join(LANGUAGES)}")
    folder = files("controller.words").joinpath("locale", language, "LC_MESSAGES")
    texts: dict[str, str] = {}
    for domain in DOMAINS:
        found = parse_po(folder.joinpath(f"{domain}.po").read_text(encoding="utf-8"))
        if twice := texts.keys() & found.keys():
            raise ValueError(f"{language}/{domain}.po: {min(twice)!r} has a text already")
        texts |= found
    return texts


def keys(language: str = "en") -> frozenset[str]:
    """Every key that has a text."""
    return frozenset(catalogue(language))
