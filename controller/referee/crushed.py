"""A crushed piece that still stands: nothing is wrong, but what it was crushed by is accepted only when it is gone.

Meanwhile the game may go on around it: its line waits, with the piece noted down, and is judged as if it were gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from controller.referee.lines import Line
from controller.rules.api import Game, Owed, Placement, Player, Position, Shift, Site, Turn, Verdict

Crush = tuple[Turn, Position, tuple[Shift, ...]]


def still_there(game: Game, line: Line, placement: Placement) -> tuple[Shift, ...]:
    """The crushed pieces of a line that stand where they stood, or that can't be seen to be gone."""
    if not line.lingering:
        return ()
    alive = game.picture(line.position).on  # where the crushing turn itself has been taken back
    return tuple(
        shift
        for shift in line.lingering
        if _stands(shift, placement) and shift.piece not in alive.get(shift.origin or "", ())
    )


def put_elsewhere(line: Line, placement: Placement) -> bool:
    """Whether a crushed piece of the line, not taken off before, has been carried to another site."""
    standing = [kind for kinds in placement.on.values() for kind in kinds]
    return any(shift.piece in standing for shift in line.lingering)


def _stands(shift: Shift, placement: Placement) -> bool:
    site = shift.origin or ""
    return site in placement.hidden or shift.piece in placement.on.get(site, ())


def without(placement: Placement, pieces: tuple[Shift, ...]) -> Placement:
    """The placement as if these pieces had been taken off."""
    if not pieces:
        return placement
    on = {site: list(kinds) for site, kinds in placement.on.items()}
    for shift in pieces:
        if shift.origin in on and shift.piece in on[shift.origin]:
            on[shift.origin].remove(shift.piece)
    return replace(placement, on={site: tuple(kinds) for site, kinds in on.items() if kinds})


def judge_line(game: Game, line: Line, placement: Placement, done: Player | None) -> Verdict:
    """`judge` for what a line has come to, crushed pieces that still stand left out."""
    return game.judge(line.position, without(placement, still_there(game, line, placement)), done)


def to_take_off(game: Game, line: Line, placement: Placement) -> tuple[Owed, ...]:
    """What is owed for the pieces that still stand: by the side that was pressed, though any hand will do."""
    owed = []
    for shift in still_there(game, line, placement):
        crusher = next((s for s in reversed(line.steps) if shift in game.turn_shifts(s.before, s.turn)), None)
        mover = game.to_move(crusher.before) if crusher is not None else game.to_move(line.position)
        other = next(player for player in game.players if player != mover)
        owed.append(Owed(other, "remove", shift.piece, shift.origin, frozenset()))
    return tuple(owed)


@lru_cache(maxsize=512)
def crushes(game: Game, position: Position) -> tuple[Crush, ...]:
    """The turns that take a piece off for good and after which the game goes on."""
    found = []
    for turn in game.legal_turns(position):
        gone = tuple(shift for shift in game.turn_shifts(position, turn) if shift.to is None)
        if gone:
            after = game.after(position, turn)
            if game.outcome(after) is None:
                found.append((turn, after, gone))
    return tuple(found)


def lines_past(
    game: Game, line: Line, placement: Placement, may_use: frozenset[Site], done: Player | None = None
) -> Iterator[tuple[Line, Verdict]]:
    """Lines in which a turn crushed a piece that still stands, and what the placement is to each without that piece.

    Only sites that were hidden or changed may be used, but for the site where the piece stands.
    """
    if not game.tries_two_turns:
        return
    for turn, after, gone in crushes(game, line.position):
        if not all(_stands(shift, placement) for shift in gone):
            continue
        stand = {shift.origin for shift in gone}
        if not game.turn_sites(line.position, turn) - stand <= may_use:
            continue
        standing = (*still_there(game, line, placement), *gone)
        verdict = game.judge(after, without(placement, standing), done)
        if verdict.answer == "illegal":
            continue
        yield replace(line.then(game, turn), lingering=(*line.lingering, *gone)), verdict
