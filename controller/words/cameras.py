"""How a camera is, in a language: from the code and facts that the camera tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

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
