"""Turns that don't go straight, at every game: changed before the reply, made in haste, taken up too early."""

from __future__ import annotations

from controller.rules.api import Shift, Turn
from controller.sloppy.hands import carry, ends, rest
from controller.sloppy.manners import Manners
from controller.sloppy.sitting import EXTENDABLE_S, SETTLED_S


def false_start(manners: Manners) -> bool:
    """A turn is made, then put back or changed, then another (or the same) is made."""
    table = manners.table
    rng, game = table.rng, table.game
    first, second = manners.pick(), manners.pick()
    if ends(table, first) or not manners.changes_plainly(first, second):
        return False
    manners.carry_out(first)
    table.pause()
    if rng.random() < 0.3:
        table.settle(manners.wait_s(first))
    one = game.turn_shifts(table.position, first)
    other = game.turn_shifts(table.position, second)
    if len(one) == len(other) == 1 and one[0].origin == other[0].origin and one[0].to != other[0].to:
        table.habit("changed directly")
        carry(table, Shift(one[0].piece, one[0].to, other[0].to), plain=True)
        rest(manners, second)
        table.played(second)
        return True
    put_back(manners, first)
    manners.carry_out(second)
    rest(manners, second)
    table.played(second)
    return True


def put_back(manners: Manners, turn: Turn) -> None:
    """All acts of a turn put back; the board may stand still before the next thing happens, or not."""
    table = manners.table
    manners.undo(turn)
    if table.rng.random() < 0.6:
        table.habit("put back")
        table.settle(SETTLED_S)
    else:
        table.habit("put back in haste")


def hasty_pair(manners: Manners) -> bool:
    """Two turns with no settled moment between them, or none long enough for the first to be accepted."""
    table = manners.table
    rng, game = table.rng, table.game
    first = manners.pick()
    middle = game.after(table.position, first)
    if game.outcome(middle) is not None:
        return False
    second = manners.pick_at(middle)
    if not manners.pair_is_plain(first, second):
        return False
    table.mat.blot = frozenset()
    wait = manners.wait_s(first)
    manners.carry_out(first, brisk=True)
    if wait > SETTLED_S and rng.random() < 0.5:
        table.habit("hasty reply to a half-swap")
        table.pause(0.6, 1.3)
    else:
        table.habit("two at once")
        if rng.random() < 0.5:
            table.pause(0.1, 0.3)
    table.played(first)
    manners.carry_out(second, brisk=True)
    table.settle(EXTENDABLE_S)
    table.played(second)
    return True


def early_hand(manners: Manners) -> bool:
    """The other side takes its piece up before the turn is over, and puts it down as soon as it is."""
    table = manners.table
    game = table.game
    first = manners.pick()
    middle = game.after(table.position, first)
    if game.outcome(middle) is not None:
        return False
    second = manners.pick_at(middle)
    shifts = game.turn_shifts(middle, second)
    busy = {site for shift in game.turn_shifts(table.position, first) for site in (shift.origin, shift.to)}
    if len(shifts) != 1 or shifts[0].origin in busy or not manners.pair_is_plain(first, second):
        return False
    table.habit("piece in hand early")
    mine = shifts[0]
    table.reach(mine.origin)
    table.mat.lift(mine.piece, mine.origin)
    table.reach(mine.origin)
    manners.carry_out(first, brisk=True)
    table.pause()
    table.played(first)
    table.reach(mine.to)
    table.mat.put(mine.piece, mine.to)
    table.reach(mine.to)
    table.settle(EXTENDABLE_S)
    table.played(second)
    return True
