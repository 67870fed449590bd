"""What hands do at every game: carry pieces, lay them aside, nudge and fidget, and let a finished turn lie still.

Every resting state made here is one that the law allows ("On the way"), or one that nobody leaves standing for as long
as an offence takes to be named.
"""

from __future__ import annotations

from controller.rules.api import Kind, Placement, Shift, Site, Turn
from controller.sloppy.manners import Manners
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


def ends(table: Sitting, turn: Turn) -> bool:
    """Whether a turn ends the game."""
    return table.game.outcome(table.game.after(table.position, turn)) is not None


def wait_of(table: Sitting, turn: Turn) -> float:
    """How long a finished turn must lie still to be accepted, seconds."""
    after = table.stands(table.game.after(table.position, turn))
    return EXTENDABLE_S if table.game.judge(table.position, after).extendable else SETTLED_S


def placement_after(table: Sitting, shift: Shift) -> dict[Site, tuple[Kind, ...]]:
    """The picture of the position with one shift made."""
    on = {site: list(kinds) for site, kinds in table.stands(table.position).on.items()}
    assert shift.origin is not None
    on[shift.origin].remove(shift.piece)
    if shift.to is not None:
        on.setdefault(shift.to, []).append(shift.piece)
    return {site: tuple(kinds) for site, kinds in on.items() if kinds}


def doubt(manners: Manners, turn: Turn) -> None:
    """One piece is read as another kind, but not clearly; or one stands near a border.

    Players don't leave a piece between two sites that would both do; then nobody could know.
    """
    table = manners.table
    rng, mat = table.rng, table.mat
    position = table.game.after(table.position, turn)
    after = table.stands(position).on
    site = rng.choice(sorted(site for site, kinds in after.items() if len(kinds) == 1))
    if rng.random() < 0.5:
        others = sorted(kind for kind in table.game.pieces if kind not in after[site])
        table.habit("misread")
        mat.doubt(misread=(site, rng.choice(others), rng.uniform(0.2, 2.8)))
        return
    border = rng.choice(manners.borders(site))
    on = {other: kinds for other, kinds in after.items() if other != site}
    on[border] = tuple(sorted((*on.get(border, ()), *after[site])))
    over = table.game.outcome(position) is not None
    earlier = [before for before, _ in table.history[-1:]]  # the last turn may still be changed
    before_and_after = (*earlier, table.position) if over else (*earlier, table.position, position)
    if all(table.game.judge(one, Placement(on)).answer == "illegal" for one in before_and_after):
        table.habit("near a line")
        mat.doubt(leaning=(site, border))


def rest(manners: Manners, turn: Turn) -> None:
    """After the last act: perhaps fidgeting, then the table lies still for long enough."""
    table = manners.table
    draw = table.rng.random()
    if draw < 0.08:
        table.pause()
        fidget(table)
    elif draw < 0.16:
        table.habit("said done")
        table.pause(0.1, 0.6)
        table.press(table.game.to_move(table.position))
    elif draw < 0.20:
        doubt(manners, turn)
    table.settle(manners.wait_s(turn))
