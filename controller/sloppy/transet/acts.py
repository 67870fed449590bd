"""How people carry out one turn of Transet: which hand does what when, and all that may stand on the way."""

from __future__ import annotations

from collections.abc import Sequence

from controller.rules.api import Shift, Turn
from controller.sloppy.hands import between, carry, ends, placement_after
from controller.sloppy.sitting import Sitting


def acts_of(table: Sitting, turn: Turn) -> tuple[list[Shift], list[Shift]]:
    """A turn's shifts: the mover's own, and those of captured pieces."""
    game, position = table.game, table.position
    mover = game.to_move(position)
    shifts = game.turn_shifts(position, turn)
    return [s for s in shifts if game.owner(s.piece) == mover], [s for s in shifts if game.owner(s.piece) != mover]


def carry_out(table: Sitting, turn: Turn, *, brisk: bool = False) -> None:
    """Do all acts of a turn, from the position before it to the picture after it. `brisk`: with next to no pauses."""
    own, taken = acts_of(table, turn)
    if taken:
        capture(table, own[0], taken[0], brisk=brisk, last=ends(table, turn))
    elif len(own) == 2 and in_order(table, own) is None:
        both_hands(table, own, rest=False)
    elif len(own) == 2 and not brisk and table.rng.random() < 0.2:
        both_hands(table, own)
    else:
        for i, shift in enumerate(in_order(table, own) or own):
            if i:
                between(table, brisk)
            carry(table, shift, plain=brisk)


def in_order(table: Sitting, own: list[Shift]) -> Sequence[Shift] | None:
    """The halves of a swap in an order in which the first half alone doesn't mean something else.

    A half that ends the game by itself ends it: whoever wants the whole swap does the other half first. And where the
    mover's last turn could still become a swap by this very half, a rest after it is read as that (to any observer both
    are right when the other half is a legal step); whoever means a new swap starts it with the half that goes ahead.
    None where neither order will do: then both go at once.
    """
    if len(own) < 2:
        return own
    orders = [own, own[::-1]]
    table.rng.shuffle(orders)
    for order in orders:
        if not ends_after(table, order[0]) and not finishes_earlier(table, order[0]):
            return order
    return None


def ends_after(table: Sitting, shift: Shift) -> bool:
    """Whether a first half alone is a turn that ends the game."""
    on = placement_after(table, shift)
    game = table.game
    turns = [t for t in game.legal_turns(table.position) if dict(game.picture(game.after(table.position, t)).on) == on]
    return any(ends(table, turn) for turn in turns)


def finishes_earlier(table: Sitting, shift: Shift, turns_ago: int = 2) -> bool:
    """Whether this act would also make a swap of the mover's turn before (2 ago), or of the other side's last (1)."""
    if len(table.history) < turns_ago:
        return False
    game = table.game
    before, turn = table.history[-turns_ago]
    first = game.turn_shifts(before, turn)
    if len(first) != 1:
        return False
    for other in game.legal_turns(before):
        shifts = game.turn_shifts(before, other)
        if len(shifts) == 2 and first[0] in shifts and shift in shifts:
            return True
    return False


def takes_half_of_a_swap(table: Sitting, reply: Turn) -> bool:
    """Whether a half of the last swap and this step are together a capture, after the other half: same boards."""
    if not table.history:
        return False
    game = table.game
    before, swap = table.history[-1]
    halves, step = set(game.turn_shifts(before, swap)), set(game.turn_shifts(table.position, reply))
    for turn in game.legal_turns(before) if len(halves) == 2 and len(step) == 1 else ():
        shifts = set(game.turn_shifts(before, turn))
        if len(shifts) == 1 and shifts < halves:
            middle = game.after(before, turn)
            capture = (halves - shifts) | step
            if any(set(game.turn_shifts(middle, other)) == capture for other in game.legal_turns(middle)):
                return True
    return False


def both_hands(table: Sitting, own: list[Shift], *, rest: bool = True) -> None:
    """Both pieces up, then both down; `rest`: with pauses."""
    table.habit("both hands")
    for shift in own:
        table.reach(shift.origin)
        table.mat.lift(shift.piece, shift.origin)
    if rest and table.rng.random() < 0.3:
        table.pause()
    for shift in in_order(table, own) or own:
        table.reach(shift.to)
        table.mat.put(shift.piece, shift.to)
        table.reach(shift.to)
        if rest and table.rng.random() < 0.4:
            table.pause()


def capture(table: Sitting, mover: Shift, victim: Shift, *, brisk: bool, last: bool) -> None:
    """Capturer and captured, in either order; the captured piece in a hand, on the table, or under the capturer."""
    rng, mat = table.rng, table.mat
    way = rng.choice(("return first", "held", "beside", "under", "both on"))
    # A captured pawn that is put back first may look like the other side finishing its swap: same board, other record.
    if last or (way == "return first" and finishes_earlier(table, victim, turns_ago=1)):
        way = rng.choice(("held", "beside", "under", "both on"))
    table.habit(f"captured, {way}")
    home = victim if victim.to is not None else None
    if way == "return first" and home is not None:
        carry(table, victim, plain=brisk)
        between(table, brisk)
        carry(table, mover, plain=brisk)
        return
    if way in ("held", "beside"):
        table.reach(victim.origin)
        mat.lift(victim.piece, victim.origin)
        if way == "beside":
            mat.put(victim.piece, None)
        table.reach(victim.origin)
        if not brisk and rng.random() < 0.4:
            table.pause()
        carry(table, mover, plain=brisk)
        between(table, brisk)
        if home is None or last:
            if way == "held" and rng.random() < 0.5:
                mat.put(victim.piece, None)
            return
        if way == "beside":
            mat.lift(victim.piece, None)
        carry(table, Shift(victim.piece, None, home.to), plain=brisk)
        return
    carry(table, mover, plain=brisk, bury=way == "under")
    between(table, brisk)
    if home is not None and not last:
        carry(table, victim, plain=brisk)
    elif rng.random() < 0.5:
        table.reach(victim.origin)
        mat.lift(victim.piece, victim.origin)
        mat.put(victim.piece, None)
        table.reach(victim.origin)


def undo(table: Sitting, turn: Turn) -> None:
    """Put a turn back, its acts in either order; pieces of a capture go back where they came from."""
    own, taken = acts_of(table, turn)
    back = [Shift(s.piece, s.to, s.origin) for s in [*own, *taken]]
    table.rng.shuffle(back)
    for shift in back:
        carry(table, shift, plain=True)
        if table.rng.random() < 0.5:
            table.pause()
