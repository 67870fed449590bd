"""Planting an offence: finding one that no legal play explains, by brute force and without a look at the referee."""

from __future__ import annotations

from itertools import islice

from controller.rules.api import Placement, Shift, Site, Turn
from controller.sloppy.manners import Manners, Offence
from controller.sloppy.sitting import Sitting


def placed_after(table: Sitting, *shifts: Shift) -> Placement:
    """The picture of the table's position with these shifts made."""
    on = {site: list(kinds) for site, kinds in table.stands(table.position).on.items()}
    for shift in shifts:
        if shift.origin is not None:
            on[shift.origin].remove(shift.piece)
    for shift in shifts:
        if shift.to is not None:
            on.setdefault(shift.to, []).append(shift.piece)
    return Placement({site: tuple(sorted(kinds)) for site, kinds in sorted(on.items()) if kinds})


def unexplained(table: Sitting, offence: Offence) -> bool:
    """Whether no legal play explains what will stand: no turn, no open turn changed or extended, no two turns."""
    game, position = table.game, table.position
    kept = tuple(Shift(shift.piece, shift.origin, None) for shift in offence.kept)
    stage = placed_after(table, *kept, *offence.first)
    if offence.first and game.judge(position, stage).answer != "partial":
        return False
    shifts = (*kept, *offence.first, *offence.shifts)
    seen = placed_after(table, *shifts)
    touched = {site for shift in shifts for site in (shift.origin, shift.to)}
    if not offence.done and game.judge(position, seen).answer != "illegal":
        return False
    if two_turns(table, position, seen, touched):
        return False
    if not table.history:
        return True
    before, last = table.history[-1]
    if game.judge(before, seen).answer != "illegal":
        return False
    if two_turns(table, before, seen, touched | set(game.turn_sites(before, last)), but=last if offence.done else None):
        return False
    if len(table.history) < 2:
        return True
    earlier, one = table.history[-2]
    stood = game.picture(game.after(earlier, one)).on
    for other in game.legal_turns(earlier):
        if other != one and any(way.on == stood for way in game.stages(earlier, other)):
            longer = game.after(earlier, other)
            if game.outcome(longer) is None and last in set(game.legal_turns(longer)):
                there = game.after(longer, last)
                if offence.first and game.judge(there, stage).answer != "illegal":
                    return False
                if game.judge(there, seen).answer != "illegal" or two_turns(table, there, seen, touched):
                    return False
    return True


def two_turns(
    table: Sitting, position: object, seen: Placement, sites: set[Site | None], but: Turn | None = None
) -> bool:
    """Whether one turn (but not this one) through these sites and then a stage or an end of another one explain it."""
    game = table.game
    for turn in game.legal_turns(position):
        if turn != but and game.turn_sites(position, turn) <= sites:
            after = game.after(position, turn)
            if game.outcome(after) is None and game.judge(after, seen).answer != "illegal":
                return True
    return False


def find(manners: Manners, code: str, tries: int = 40) -> Offence | None:
    """An offence of this kind that the table's position allows, if there is one."""
    rng = manners.table.rng
    made = list(islice(manners.makers[code](), 400))
    rng.shuffle(made)
    if rng.random() < 0.5:
        made.sort(key=lambda offence: not offence.done)
    return next((offence for offence in made[:tries] if manners.unexplained(offence)), None)
