"""The lights tried out: for some seconds they show colours or places instead of what the table says."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from controller.rules.registry import game_named
from firmware_bridge.scene import Bar, Hue, Light, Rhythm, Scene
from vision.boardset import BoardSet

COLOURS = {"white": Hue.WHITE, "blue": Hue.BLUE, "amber": Hue.AMBER}
COLOUR_S, PLACE_S, EACH_S = 4.0, 4.0, 0.7
EACH, SITE, BAR, LAMP = "each", "site:", "bar:", "lamp"


@dataclass(frozen=True)
class Trial:
    """What is tried, from `since_s` on, over `usual`: a change of that ends it, for the game goes first.

    `show`: a colour for all lights, `each` for one site after the other, or a place: `site:c3`, `bar:South`, `lamp`.
    """

    show: str
    board: BoardSet
    usual: Scene
    clock: Callable[[], float] = time.monotonic
    since_s: float = field(default=-1.0)

    def __post_init__(self) -> None:
        if self.since_s < 0:
            object.__setattr__(self, "since_s", self.clock())

    def scene(self, usual: Scene) -> Scene | None:
        """What to show now; None when the trial is over."""
        steps = scenes(self.show, self.board)
        step_s = EACH_S if self.show == EACH else COLOUR_S if self.show in COLOURS else PLACE_S
        at = int((self.clock() - self.since_s) / step_s)
        return steps[at] if at < len(steps) and usual == self.usual else None


def sites_of(board: BoardSet) -> tuple[str, ...]:
    """The sites that may have lights, under the game's names, in the order of the set."""
    return tuple(board.names.get(site.id, site.id) for site in board.sites)


def scenes(show: str, board: BoardSet) -> tuple[Scene, ...]:
    """The steps of a trial; none for what this board does not have."""
    sites, players = sites_of(board), game_named(board.game).players
    here = Light(Hue.WHITE, Rhythm.BLINK)
    if show in COLOURS:
        light = Light(COLOURS[show])
        return (_scene(dict.fromkeys(sites, light), dict.fromkeys(players, Bar(light)), light),)
    if show == EACH:
        places = [_scene({site: here}) for site in sites] + [_scene({}, {player: Bar(here)}) for player in players]
        return (*places, _scene({}, {}, here))
    if show == LAMP:
        return (_scene({}, {}, here),)
    if show.startswith(SITE) and show.removeprefix(SITE) in sites:
        return (_scene({show.removeprefix(SITE): here}),)
    if show.startswith(BAR) and show.removeprefix(BAR) in players:
        return (_scene({}, {show.removeprefix(BAR): Bar(here)}),)
    return ()


def _scene(sites: dict[str, Light], bars: dict[str, Bar] | None = None, lamp: Light | None = None) -> Scene:
    return Scene("test", 0, sites, bars or {}, lamp or Light())
