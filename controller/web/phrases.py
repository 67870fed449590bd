"""The pages' own words: labels, headlines, steps (`page.po` and further ones beside the catalogue of sentences)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from controller.words import LANGUAGES as LANGUAGES
from controller.words.catalogue import catalogue, parse_po


@cache
def phrases(language: str, domain: str = "page") -> Mapping[str, str]:
    """key -> text with {names} to fill in, from `DOMAIN.po`."""
    place = files("controller.words").joinpath("locale", language, "LC_MESSAGES", f"{domain}.po")
    return parse_po(place.read_text(encoding="utf-8"))


def phrase(key: str, language: str, *, domain: str = "page", **facts: object) -> str:
    """The text of `key` in `language`, filled in. Raises KeyError for an unknown key."""
    return phrases(language, domain)[key].format(**facts)


def place_of(site: str, language: str) -> str:
    """A site as people call it: a platform's slot by its side and number, others as the game writes them."""
    side, dot, slot = site.partition(".")
    named = catalogue(language).get(f"name.{side.capitalize()}") if dot else None
    return f"{named} {slot}" if named is not None else site


def name_of(thing: str, language: str) -> str:
    """A player's or piece's name; one that the catalogue doesn't know is shown as the game writes it."""
    return catalogue(language).get(f"name.{thing}", thing)
