"""How people carry out one turn of Taasen: attack and answer, one hand or two, a crushed piece taken off late."""

from __future__ import annotations

from controller.rules.api import Shift, Turn
from controller.sloppy.hands import between, carry
from controller.sloppy.sitting import Sitting


def acts_of(table: Sitting, turn: Turn) -> tuple[Shift, Shift | None]:
    """The move, and what becomes of the pressed piece, if there is one."""
    shifts = table.game.turn_shifts(table.position, turn)
    return shifts[0], shifts[1] if len(shifts) > 1 else None


def crushes(table: Sitting, turn: Turn) -> bool:
    """Whether the turn takes a piece off the board."""
    _, answer = acts_of(table, turn)
    return answer is not None and answer.to is None


def carry_out(table: Sitting, turn: Turn, *, brisk: bool = False) -> None:
    """All acts of a turn, from the position before it to the picture after it. `brisk`: with next to no pauses."""
    attack, answer = acts_of(table, turn)
    if answer is None:
        carry(table, attack, plain=brisk)
        return
    way = table.rng.choices(("plain", "lifted first", "two hands", "beside"), (60, 15, 15, 10))[0]
    table.habit(f"{'crushed' if answer.to is None else 'pressed'}, {way}")
    if way == "lifted first":
        lifted_first(table, attack, answer, brisk)
    elif way == "two hands":
        two_hands(table, attack, answer, brisk)
    else:
        carry(table, attack, plain=brisk)
        between(table, brisk)
        if not brisk and table.rng.random() < 0.1:
            table.habit("done before the answer")
            table.press(table.game.to_move(table.position))
        if answer.to is None and not brisk and table.rng.random() < 0.3:
            table.habit("taken off late")
            table.pause(2.0, 9.0)
        if way == "beside":
            aside(table, answer, brisk)
        else:
            carry(table, answer, plain=brisk)


def lifted_first(table: Sitting, attack: Shift, answer: Shift, brisk: bool) -> None:
    """Who sees it coming takes the piece up before it is pressed; it is put down only after the attack."""
    rng, mat = table.rng, table.mat
    table.reach(answer.origin)
    mat.lift(answer.piece, answer.origin)
    laid = rng.random() < 0.4
    if laid:
        mat.put(answer.piece, None)
    table.reach(answer.origin)
    between(table, brisk)
    carry(table, attack, plain=brisk)
    between(table, brisk)
    if laid:
        table.reach(None)
        mat.lift(answer.piece, None)
    put_down(table, answer)


def two_hands(table: Sitting, attack: Shift, answer: Shift, brisk: bool) -> None:
    """Both pieces in the air at once, one in each player's hand, or both in one."""
    mat = table.mat
    for shift in (attack, answer):
        table.reach(shift.origin)
        mat.lift(shift.piece, shift.origin)
    table.reach(attack.origin, answer.origin)
    if not brisk and table.rng.random() < 0.3:
        table.pause()
    put_down(table, attack)
    between(table, brisk)
    put_down(table, answer)


def aside(table: Sitting, answer: Shift, brisk: bool) -> None:
    """The pressed piece is laid beside the board while its owner thinks."""
    mat = table.mat
    table.reach(answer.origin)
    mat.lift(answer.piece, answer.origin)
    mat.put(answer.piece, None)
    table.reach(answer.origin)
    between(table, brisk)
    if answer.to is not None:
        table.reach(None)
        mat.lift(answer.piece, None)
        put_down(table, answer)


def put_down(table: Sitting, shift: Shift) -> None:
    """A piece in a hand goes where it belongs."""
    table.reach(shift.to)
    table.mat.put(shift.piece, shift.to)
    table.reach(shift.to)


def undo(table: Sitting, turn: Turn) -> None:
    """Put a turn back: the answer first, for it never stands without the attack."""
    attack, answer = acts_of(table, turn)
    for shift in (answer, attack):
        if shift is not None:
            carry(table, Shift(shift.piece, shift.to, shift.origin), plain=True)
            if table.rng.random() < 0.5:
                table.pause()
