"""A swap of Transet that is finished only after the other side's reply."""

from __future__ import annotations

from controller.rules.api import Shift, Turn
from controller.sloppy.hands import carry, ends, rest
from controller.sloppy.manners import Manners
from controller.sloppy.sitting import EXTENDABLE_S, Sitting
from controller.sloppy.transet.acts import acts_of


def late_swap(manners: Manners, turns: list[Turn]) -> Shift | None:
    """Half of one of these is made, which is a legal step; the other side replies; then the swap is finished.

    Returns the act that finished it.
    """
    table = manners.table
    rng = table.rng
    rng.shuffle(turns)
    steps = {acts_of(table, t)[0][0]: t for t in turns if sum(map(len, acts_of(table, t))) == 1}
    for turn in turns:
        own, taken = acts_of(table, turn)
        if len(own) < 2 or taken or ends(table, turn):
            continue
        for half, rest_of_it in ((own[0], own[1]), (own[1], own[0])):
            if half not in steps or ends(table, steps[half]):
                continue
            reply = reply_to_both(table, turn, steps[half], {rest_of_it.origin, rest_of_it.to})
            if reply is None:
                continue
            table.habit("swap finished late")
            step = steps[half]
            carry(table, half)
            rest(manners, step)
            table.played(step)
            manners.carry_out(reply)
            rest(manners, reply)
            table.played(reply)
            carry(table, rest_of_it)
            table.rewrite(2, (turn, reply))
            table.settle(EXTENDABLE_S)
            return rest_of_it
    return None


def reply_to_both(table: Sitting, swap: Turn, step: Turn, sites: set[str | None]) -> Turn | None:
    """A reply that is legal after the swap and after its first half, and leaves the second half's sites alone."""
    game = table.game
    after_swap, after_step = game.after(table.position, swap), game.after(table.position, step)
    both = [t for t in game.legal_turns(after_step) if t in set(game.legal_turns(after_swap))]
    both = [
        turn
        for turn in both
        if not sites & {site for shift in game.turn_shifts(after_step, turn) for site in (shift.origin, shift.to)}
        and game.outcome(game.after(after_step, turn)) is None
    ]
    return table.rng.choice(both) if both else None
