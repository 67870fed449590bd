"""Options of a game: what a table owner chose, on top of the defaults."""

from __future__ import annotations

from collections.abc import Mapping

from controller.rules.api import Game, Option, OptionError


def option_values(game: str, options: Mapping[str, Option], chosen: Mapping[str, str] | None) -> dict[str, str]:
    """The value of each option; OptionError names an unknown option or value, and what there is."""
    values = {name: option.default for name, option in options.items()}
    for name, value in (chosen or {}).items():
        if name not in options:
            raise OptionError(f"{game} has no option {name!r}; it has {', '.join(options)}")
        if value not in options[name].choices:
            raise OptionError(f"option {name} takes {' or '.join(options[name].choices)}, not {value!r}")
        values[name] = value
    return values


def chosen_of(game: Game) -> dict[str, str]:
    """The value of each option that a game is played under; none of a game that keeps no `chosen`."""
    return dict(getattr(game, "chosen", {}))
