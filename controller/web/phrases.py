"""The page's own words: labels, headlines, steps. Sentences about rules come from `controller.words`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

LANGUAGES = ("en", "nl", "de", "fr")


@cache
def catalogue() -> Mapping[str, Mapping[str, str]]:
    """key -> language -> text with {names} to fill in."""
    text = files("controller.web").joinpath("phrases.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def phrase(key: str, language: str, **facts: object) -> str:
    """The text of `key` in `language`, filled in. Raises KeyError for an unknown key."""
    return catalogue()[key][language].format(**facts)


def player_name(player: str, language: str) -> str:
    """A player's name; a name the catalogue doesn't know is shown as the game writes it."""
    key = f"player_{player}"
    return phrase(key, language) if key in catalogue() else player


def piece_name(kind: str, language: str) -> str:
    """A piece as people say it: "dark-PIAS" -> "dark Pias"."""
    colour, dash, mark = kind.rpartition("-")
    key = f"piece_{colour}"
    if dash and key in catalogue():
        return phrase(key, language, mark=mark.capitalize())
    return f"{colour} {mark.capitalize()}" if dash else kind
