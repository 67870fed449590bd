"""The installed games: entry points of the group `boardref.games`."""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from importlib.metadata import entry_points

from controller.rules.api import Game, RulesError

GROUP = "boardref.games"


class UnknownGameError(RulesError):
    """No installed game has this name."""


def game_names() -> tuple[str, ...]:
    """The names of all installed games, sorted."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


@lru_cache(maxsize=32)
def game_named(name: str) -> Game:
    """The game with its default options; UnknownGameError says which name may have been meant."""
    for point in entry_points(group=GROUP):
        if point.name == name:
            try:
                game: Game = point.load()
            except (ImportError, AttributeError) as error:
                message = f"the game {name!r} is installed but can't be loaded ({error}); install it again"
                raise RulesError(message) from None
            return game
    names = game_names()
    near = get_close_matches(name.lower(), names, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"installed: {', '.join(names) or 'none'}"
    raise UnknownGameError(f"there is no game {name!r}; {hint}")
