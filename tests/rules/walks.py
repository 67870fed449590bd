"""Positions of random play of every game, and all that the law lets stand there, by the generator and the stages alone.

`judge` works with tables and searches of its own; what is written here is only a listing.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from census import census

from controller.rules.api import Game, Kind, Placement, Position, Site
from controller.rules.registry import game_named, game_names
from controller.rules.transfer.picture import stage_picture
from controller.rules.transfer.strokes import finishable, view

GAMES = game_names()
POSITIONS = 200
# Transfer's middle games have up to millions of turns; these have few enough to list them all.
STARTS: Mapping[str, tuple[str, ...]] = {
    "transfer": (
        "-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb S",
        "-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb N",
        "ooooo/sssss/ggggg/yyyy/bbbb/vvvv/pppp/yb/vp S",
        "ooooo/sssss/ggggg/yyyy/bbbb/vvvv/pppp/yb/vp N",
        "ooooo/ssss/gggg/yyyyy/bbbbb/vvvvv/pppp/sgp/- S",
    ),
}
Key = frozenset[tuple[Site, tuple[Kind, ...]]]


def key_of(game: Game, placement: Placement) -> Key:
    """What stands where, however it was written down."""
    on = game.normal(placement).on
    return frozenset((site, tuple(sorted(kinds))) for site, kinds in on.items() if kinds)


@dataclass(frozen=True)
class Scene:
    """A position and all that may stand after it. `ends`: complete turns; `over`: those that end the game."""

    game: Game
    position: Position
    before: Placement
    ends: Mapping[Key, Placement]
    stages: Mapping[Key, Placement]
    over: tuple[Placement, ...]

    def expected(self, placement: Placement) -> str:
        """The answer to a placement with every piece on the board and in sight."""
        key = key_of(self.game, placement)
        if key == key_of(self.game, self.before):
            return "unchanged"
        if key in self.ends or self._taken_anywhere(placement):
            return "complete"
        return "partial" if key in self.stages else "illegal"

    def _taken_anywhere(self, placement: Placement) -> bool:
        """Transet: after a capture that ends the game the captured pawn may be anywhere (T6)."""
        if self.game.name != "transet":
            return False
        seen = Counter(pieces(placement))
        for end in self.over:
            stands = Counter(pieces(end))
            taken = _kinds(pieces(self.before)) - _kinds(stands.elements())
            if not stands - seen and taken and _kinds((seen - stands).elements()) == taken:
                return True
        return False


def _kinds(pieces: Iterable[tuple[Kind, Site]]) -> Counter[Kind]:
    return Counter(kind for kind, _ in pieces)


def pieces(placement: Placement) -> list[tuple[Kind, Site]]:
    """Every piece with its site."""
    return [(kind, site) for site, kinds in sorted(placement.on.items()) for kind in kinds]


SLOW = {("transfer", "overpush")}  # strokes are tried one by one
# The others, each from fewer positions.
OPTIONS: tuple[tuple[str, str, str], ...] = tuple(
    (name, option, value)
    for name in GAMES
    for option, choice in game_named(name).options.items()
    for value in choice.choices
    if value != choice.default and (name, option) not in SLOW
)


@lru_cache(maxsize=len(GAMES))
def scenes(name: str) -> tuple[Scene, ...]:
    """Positions of random games, each once, the game going on in all of them."""
    return tuple(some_scenes(game_named(name), POSITIONS))


def some_scenes(game: Game, count: int) -> list[Scene]:
    """So many of them."""
    rng = random.Random(1)
    found: dict[Position, Scene] = {}
    for position in _walk(game, rng):
        if position not in found:
            found[position] = scene(game, position)
            if len(found) == count:
                return list(found.values())
    raise AssertionError("a walk never ends")


def _walk(game: Game, rng: random.Random) -> Iterator[Position]:
    starts = [game.parse_position(text) for text in STARTS.get(game.name, ())] or [game.start()]
    while True:
        position = rng.choice(starts)
        if game.outcome(position) is not None:  # under an option
            continue
        for _ in range(rng.randrange(60)):
            turns = list(game.legal_turns(position))
            after = game.after(position, rng.choice(turns))
            if game.outcome(after) is not None:
                break
            position = after
            if rng.random() < 0.3:
                yield position


def scene(game: Game, position: Position) -> Scene:
    """List all that may stand after a position."""
    ends, stages, over = {}, {}, []
    for turn in game.legal_turns(position):
        after = game.after(position, turn)
        end = game.picture(after)
        ends[key_of(game, end)] = end
        if game.outcome(after) is not None:
            over.append(end)
        if game.tries_two_turns:
            stages.update((key_of(game, stage), stage) for stage in game.stages(position, turn))
    if not game.tries_two_turns:
        stages = _strokes(game, position)
    return Scene(game, position, game.picture(position), ends, stages, tuple(over))


def _strokes(game: Game, position: Position) -> dict[Key, Placement]:
    """Transfer's generator gives one turn for each result; the stages of all the others are counted in the census."""
    law, mover = game.law, position.mover  # type: ignore[attr-defined]
    found = {}
    for stage in census(law, view(law, position.rows, mover)).stages:
        if (stage.own or stage.other) and finishable(law, stage):
            placement = stage_picture(law, stage, mover)
            found[key_of(game, placement)] = placement
    return found
