"""How people carry out one turn: which hand does what when, and all that may stand on the table on the way.

Every resting state made here is one that the law allows ("On the way"), or one that nobody leaves standing for as long
as an offence takes to be named.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.rules.api import Kind, Placement, Shift, Site, Turn
from controller.sloppy.sitting import EXTENDABLE_S, SETTLED_S, Sitting, kinds_on


def carry(table: Sitting, shift: Shift, *, plain: bool = False, bury: bool = False) -> None:
    """One piece from where it stands to where it goes, the way people do it. Its origin None: it is in a hand."""
    rng, mat = table.rng, table.mat
    piece, origin, to = shift.piece, shift.origin, shift.to
    if origin is not None or piece not in mat.held:
        table.reach(origin)
        mat.lift(piece, origin)
    way = "plain" if plain else rng.choices(("plain", "slowly", "beside", "back", "slip"), (72, 9, 7, 5, 7))[0]
    if way == "slowly":  # the hand leaves with the piece in it
        table.habit("carried slowly")
        table.reach(origin)
        table.pause()
    elif way == "beside":
        table.habit("laid beside the board")
        mat.put(piece, None)
        table.reach(origin)
        table.pause()
        mat.lift(piece, None)
    elif way == "back" and origin is not None:
        table.habit("put back and taken again")
        mat.put(piece, origin)
        table.reach(origin)
        table.pause()
        table.reach(origin)
        mat.lift(piece, origin)
    elif way == "slip":
        slip(table, piece)
    table.reach(origin, to)
    mat.put(piece, to, bury=bury)
    table.reach(to)
    if rng.random() < 0.06:
        adjust(table, to)


def slip(table: Sitting, piece: Kind) -> None:
    """A piece put down in a wrong place for less than an offence takes: put right before anybody could object."""
    empty = [site for site in table.mat.sites if site not in table.mat.on]
    site = table.rng.choice(empty)
    table.mat.put(piece, site)
    verdict = table.game.judge(table.position, table.seen())
    if verdict.answer == "illegal":
        table.habit("slipped")
        table.reach(site)
        table.pause(0.1, 0.9)
    table.reach(site)
    table.mat.lift(piece, site)


def adjust(table: Sitting, site: Site | None) -> None:
    """Someone nudges a piece to the middle of its site."""
    table.habit("adjusted")
    table.mat.film(table.rng.uniform(0.1, 0.5), hand=table.rng.random() < 0.7, under=table.cover([site]), shaky=True)


def fidget(table: Sitting) -> None:
    """Up to three pieces, anybody's, are lifted, held or laid beside the board, and put back."""
    rng, mat = table.rng, table.mat
    standing = kinds_on(table.seen())
    taken = rng.sample(standing, min(len(standing), rng.choice((1, 1, 1, 2, 3))))
    table.habit(f"lifted {len(taken)}")
    beside = []
    for kind, site in taken:
        table.reach(site)
        mat.lift(kind, site)
        if rng.random() < 0.4:
            mat.put(kind, None)
            beside.append((kind, site))
        table.reach(site)
    table.pause()
    rng.shuffle(taken)
    for kind, site in taken:
        if (kind, site) in beside:
            mat.lift(kind, None)
        table.reach(site)
        mat.put(kind, site)
        table.reach(site)
        if rng.random() < 0.3:
            table.pause()


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


def between(table: Sitting, brisk: bool) -> None:
    """Time between two acts."""
    if brisk:
        if table.rng.random() < 0.5:
            table.pause(0.1, 0.2)
    elif table.rng.random() < 0.8:
        table.pause()
        if table.rng.random() < 0.05:
            table.habit("done without a side")
            table.press(None)


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


def placement_after(table: Sitting, shift: Shift) -> dict[Site, tuple[Kind, ...]]:
    """The picture of the position with one shift made."""
    on = dict(table.stands(table.position).on)
    assert shift.origin is not None
    del on[shift.origin]
    if shift.to is not None:
        on[shift.to] = (*on.get(shift.to, ()), shift.piece)
    return on


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


def ends(table: Sitting, turn: Turn) -> bool:
    """Whether a turn ends the game."""
    return table.game.outcome(table.game.after(table.position, turn)) is not None


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


def wait_of(table: Sitting, turn: Turn) -> float:
    """How long a finished turn must lie still to be accepted, seconds."""
    after = table.stands(table.game.after(table.position, turn))
    return EXTENDABLE_S if table.game.judge(table.position, after).extendable else SETTLED_S


def doubt(table: Sitting, turn: Turn) -> None:
    """One piece is read as another kind, but not clearly; or one stands near a border.

    Players don't leave a piece between two squares that would both do; then nobody could know.
    """
    rng, mat = table.rng, table.mat
    position = table.game.after(table.position, turn)
    after = table.stands(position).on
    site = rng.choice(sorted(after))
    if rng.random() < 0.5:
        others = sorted(kind for kind in table.game.pieces if kind not in after[site])
        table.habit("misread")
        mat.doubt(misread=(site, rng.choice(others), rng.uniform(0.2, 2.8)))
        return
    border = rng.choice(
        [s for s in mat.sites if s != site and max(abs(ord(a) - ord(b)) for a, b in zip(s, site, strict=True)) < 2]
    )
    on = {other: kinds for other, kinds in after.items() if other != site}
    on[border] = tuple(sorted((*on.get(border, ()), *after[site])))
    over = table.game.outcome(position) is not None
    before_and_after = (table.position,) if over else (table.position, position)
    if all(table.game.judge(one, Placement(on)).answer == "illegal" for one in before_and_after):
        table.habit("near a line")
        mat.doubt(leaning=(site, border))


def rest(table: Sitting, turn: Turn) -> None:
    """After the last act: perhaps fidgeting, then the table lies still for long enough."""
    draw = table.rng.random()
    if draw < 0.08:
        table.pause()
        fidget(table)
    elif draw < 0.16:
        table.habit("said done")
        table.pause(0.1, 0.6)
        table.press(table.game.to_move(table.position))
    elif draw < 0.20:
        doubt(table, turn)
    table.settle(wait_of(table, turn))
