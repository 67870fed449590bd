"""How a camera is, in a language: from the code and facts that the camera tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from controller.words.catalogue import catalogue
from controller.words.speaking import say


def camera_sentence(code: str, facts: Mapping[str, str], language: str = "en", *, again: bool = False) -> str:
    """The sentence for `code`. `facts`: `kind` and `name` of the camera and what else it tells; `again`: it is sought.

    KeyError for an unknown code.
    """
    who = say(f"camera.the.{facts.get('kind', 'device')}", language, name=facts.get("name", ""))
    told = say(f"camera.{code}", language, **{**facts, "camera": who})
    return f"{told} {say('camera.again', language)}" if again else told


def wrong_board(other: str, games: Sequence[str], language: str = "en") -> str:
    """That the board of another game lies there; names of games as they are written."""
    listed = reduce(lambda a, b: say("camera.and", language, a=a, b=b), games)
    return say("camera.wrong_board", language, other=other, games=listed)


def held_why(code: str, facts: Mapping[str, str], language: str = "en") -> str:
    """Why a setting of the camera is not held: no whole sentence, it stands in one."""
    return catalogue(language)[f"held.why.{code}"].format_map(facts)


def held_sentence(locked: Mapping[str, str], loose: Mapping[str, str], language: str = "en") -> str:
    """What of a camera is held still. `locked`: setting -> value; `loose`: setting -> why not, in this language."""
    texts = catalogue(language)

    def listed(settings: Mapping[str, str], between: str) -> list[str]:
        return [f"{texts[f'held.{name}']}{between}{value}" for name, value in settings.items()]

    told = [say("held.held", language, held=", ".join(listed(locked, " ")))] if locked else []
    if loose:
        told.append(say("held.loose" if locked else "held.nothing", language, loose="; ".join(listed(loose, ": "))))
    return " ".join(told) or say("held.none", language)
