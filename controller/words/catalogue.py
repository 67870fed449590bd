"""Gettext catalogues (`locale/LANGUAGE/LC_MESSAGES/*.po`), read as they are: nothing to compile.

`boardref.po` holds what all games share, `camera.po` how a camera is, `fault.po` why a table can't start,
`link.po` how the lights are reached, `short.po` the rules in short; a game's codes and names of pieces have a file of
their own.
A package of its own brings its words by the entry-point group `boardref.words`.
"""

from __future__ import annotations

import ast
import logging
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import entry_points
from importlib.resources import files

LANGUAGES = ("en", "nl", "de", "fr")
DOMAINS = ("boardref", "camera", "fault", "health", "link", "short", "transet", "taasen", "transfer")
GROUP = "boardref.words"
_log = logging.getLogger(__name__)


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
    return _words_of_plugins(language) | texts  # a plug-in adds words and replaces none of ours


def _words_of_plugins(language: str) -> dict[str, str]:
    """What installed packages say: each entry point is a function from a language to texts by key."""
    texts: dict[str, str] = {}
    for point in entry_points(group=GROUP):
        try:
            texts |= {str(key): str(text) for key, text in point.load()(language).items()}
        except Exception as error:  # somebody else's code: its words are missed, the table goes on
            _log.warning("the words of %s can't be had (%s)", point.name, error)
    return texts


def keys(language: str = "en") -> frozenset[str]:
    """Every key that has a text."""
    return frozenset(catalogue(language))
