"""Filling in the texts."""

from __future__ import annotations

from collections.abc import Mapping

from controller.rules.api import Reason
from controller.words.catalogue import catalogue


class _Facts(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "…"  # a sentence with a gap still helps a player more than none


def _fill(text: str, facts: Mapping[str, str], language: str) -> str:
    texts = catalogue(language)
    named = _Facts({name: texts.get(f"name.{value}", value) for name, value in facts.items()})
    told = text.format_map(named)
    return told[:1].upper() + told[1:]


def say(key: str, language: str = "en", **facts: object) -> str:
    """The text of a key; names of pieces and players in `facts` are translated. KeyError for an unknown key."""
    return _fill(catalogue(language)[key], {name: str(value) for name, value in facts.items()}, language)


def decimal(number: float, language: str = "en") -> str:
    """A number with one place, as a language writes it."""
    written = f"{number:.1f}"
    return written if language == "en" else written.replace(".", ",")


def say_health(key: str, facts: Mapping[str, str], language: str = "en") -> str:
    """What a check found or advises. `facts` are the machine's own (paths, numbers), and stay as they are."""
    return catalogue(language)[f"health.{key}"].format_map(facts)


def sentence(reason: Reason, language: str = "en") -> str:
    """What is wrong, for a player. The fact `form` picks a variant ("WRONG_STEP.R"). KeyError for an unknown code."""
    texts = catalogue(language)
    form = reason.facts.get("form")
    text = texts.get(f"{reason.code}.{form}") if form else None
    facts = {"sites": ", ".join(reason.sites)}
    if reason.sites:
        facts |= {"site": reason.sites[0], "from": reason.sites[0], "to": reason.sites[-1]}
    return _fill(text or texts[reason.code], {**facts, **reason.facts}, language)


def rules_in_short(game: str, language: str = "en") -> tuple[str, ...]:
    """A game's rules in a few sentences; none where it brings none (keys `short.GAME.1` and on)."""
    texts = catalogue(language)
    told: list[str] = []
    while (key := f"short.{game}.{len(told) + 1}") in texts:
        told.append(texts[key])
    return tuple(told)
