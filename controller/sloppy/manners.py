"""What the sloppy table must know of one game: how people play it with their hands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from controller.rules.api import Player, Position, Shift, Site, Turn
from controller.sloppy.sitting import Sitting


@dataclass(frozen=True)
class Offence:
    """`shifts`: what is done wrongly (origin None: a spare out of the box, or a piece taken up by `kept`).

    `kept`: pieces taken off the board that stay in a hand. `first`: acts that lie still as a stage before the rest.
    `done`: the mover (or `by`) then says that it is over, `at_once` or after a rest. `leading`: the code must be the
    first reason, not just one of them.
    """

    code: str
    shifts: tuple[Shift, ...] = ()
    kept: tuple[Shift, ...] = ()
    first: tuple[Shift, ...] = ()
    done: bool = False
    leading: bool = True
    by: Player | None = None
    at_once: bool = False


class Manners(Protocol):
    """The manners of one game at one table. `table` is only asked and moved, never judged, through them.

    `specials`: now and then a turn does not go straight: (share of the turns, what happens instead; it says False
    where it can't happen now, then a plain turn is made). A special makes, and counts with `table.played`, any number
    of turns. `makers`: for each code that a placement can show, what makes candidates of that offence.
    """

    table: Sitting

    @property
    def specials(self) -> tuple[tuple[float, Callable[[], bool]], ...]: ...

    @property
    def makers(self) -> Mapping[str, Callable[[], Iterator[Offence]]]: ...

    def start(self) -> Position: ...  # the start position that is set up next

    def pick(self) -> Turn: ...  # the next turn; not one that nobody could tell from something else

    def pick_at(self, position: Position) -> Turn: ...  # any turn from another position

    def tidy_turns(self) -> list[Turn]: ...  # for the twin: turns that don't end the game (some, where there are many)

    def carry_out(self, turn: Turn, *, brisk: bool = False) -> None: ...  # all its acts; `brisk`: next to no pauses

    def undo(self, turn: Turn) -> None: ...  # a turn that was carried out is put back, act by act

    def wait_s(self, turn: Turn) -> float: ...  # how long it must lie still, once made, to be accepted

    def changes_plainly(self, first: Turn, second: Turn) -> bool: ...  # `first` made, put back, `second` made: no doubt

    def pair_is_plain(self, first: Turn, second: Turn) -> bool: ...  # both between two settled pictures: no doubt

    def borders(self, site: Site) -> list[Site]: ...  # sites near enough that a piece can stand on the line between

    def half_way(self, turn: Turn) -> tuple[tuple[Shift, ...], tuple[Shift, ...]] | None: ...  # a stage, and the rest

    def opening(self, code: str) -> Position | None: ...  # where to plant an offence that few games come to, else None

    def unexplained(self, offence: Offence) -> bool: ...  # no legal play explains what will stand
