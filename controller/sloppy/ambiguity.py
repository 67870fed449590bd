"""What no observer could tell apart: the players of the sloppy table avoid it.

Two turns without a settled moment between them are one change of the board. It has one meaning only if no single turn
and no other pair explains it, and if no turn that could still be changed, changed, explains it either.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.api import Placement, Position, Turn
from controller.sloppy.sitting import Sitting


def reaches(table: Sitting, position: Position, goal: Placement) -> Iterator[Turn]:
    """Turns that end exactly at the goal."""
    game = table.game
    for turn in game.legal_turns(position, towards=goal):
        if game.picture(game.after(position, turn)).on == goal.on:
            yield turn


def pairs(table: Sitting, position: Position, goal: Placement) -> Iterator[tuple[Position, Position]]:
    """Positions after the first and after the second of two turns that end exactly at the goal."""
    game = table.game
    for first in game.legal_turns(position):
        middle = game.after(position, first)
        if game.outcome(middle) is None:
            for second in reaches(table, middle, goal):
                yield middle, game.after(middle, second)


def plain_pair(table: Sitting, first: Turn, second: Turn) -> bool:
    """Whether two turns from the table's position, seen as one change, can only be these two."""
    game, position = table.game, table.position
    middle = game.after(position, first)
    if game.outcome(middle) is not None:
        return False
    end = game.after(middle, second)
    goal = game.picture(end)
    if game.judge(position, goal).answer != "illegal":
        return False
    if set(pairs(table, position, goal)) != {(middle, end)}:
        return False
    if not table.history:
        return True
    before, last = table.history[-1]
    if game.picture(before).on == goal.on:  # the last turn taken back
        return False
    if any(True for _ in pairs(table, before, goal)) or any(True for _ in reaches(table, before, goal)):
        return False
    if len(table.history) < 2:
        return True
    # The turn before the last one, extended, with the last one kept.
    earlier, one = table.history[-2]
    stood = game.picture(game.after(earlier, one)).on
    for other in game.legal_turns(earlier):
        if other == one or not any(stage.on == stood for stage in game.stages(earlier, other)):
            continue
        longer = game.after(earlier, other)
        if game.outcome(longer) is None and last in set(game.legal_turns(longer)):
            there = game.after(longer, last)
            if game.judge(there, goal).answer != "illegal" or any(True for _ in pairs(table, there, goal)):
                return False
    return True


def changed_turn_is_plain(table: Sitting, first: Turn, second: Turn) -> bool:
    """Whether a turn changed into another can't be the first one and a reply to it."""
    game, position = table.game, table.position
    middle = game.after(position, first)
    goal = game.picture(game.after(position, second))
    return not any(True for _ in reaches(table, middle, goal))
