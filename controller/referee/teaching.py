"""Lift to see: a piece that its side holds in the air for a second shows where it may go."""

from __future__ import annotations

from dataclasses import replace

from controller.referee.reading import differing
from controller.referee.record import strong
from controller.referee.state import Draft, Lift, State
from controller.referee.strokes import in_strokes
from controller.referee.view import Lifted
from controller.rules.api import (
    Game,
    Kind,
    LoadsPieces,
    MeasuresDistance,
    Placement,
    Player,
    PlaysInStrokes,
    Position,
    Reason,
    Site,
)

ASKED = 12  # sites round a piece for which it is said why it can't go there
PLAIN = frozenset({"NOT_A_TURN", "TWO_ON_A_SITE", "MISSING_PIECE", "EXTRA_PIECE"})  # say nothing about one site


def follow_lift(draft: Draft) -> None:
    """Notice a piece that is taken up, and forget it when it is down again or anything else has changed."""
    state = draft.state
    if state.mode != "teach":
        return
    found = _in_the_air(state)
    if found is None:
        if state.lift is not None:
            draft.set(lift=None)
        return
    player, piece, site = found
    lift = state.lift
    if lift is None or (lift.piece.player, lift.piece.piece, lift.piece.site) != found:
        draft.set(lift=Lift(Lifted(player, piece, site), state.t_s))
    elif not lift.told and state.t_s - lift.since_s >= state.timing.lift_s - 1e-6:
        draft.set(lift=replace(lift, piece=where_to(state.game, state.line.position, lift.piece), told=True))


def _in_the_air(state: State) -> tuple[Player, Kind, Site] | None:
    """Who holds which piece, and where it stood: all else that can be seen is as it was."""
    nothing_else = state.phase == "play" and not (
        state.paused or state.offence or state.question or state.guiding or state.rearranging or state.owed
    )
    if not nothing_else or not state.lines or not state.eyes.found or state.eyes.told not in (None, "hand"):
        return None
    game = state.game
    movers = {game.to_move(line.position) for line in strong(state.lines)}
    player: Player | None = next(iter(movers)) if len(movers) == 1 else None
    if player is None:
        return None
    before: Placement = game.picture(state.line.position)
    now = state.seen.placement
    if now.off and in_strokes(game):
        return None
    gone = _one_gone(game, before, now, state.lift.piece if state.lift else None)
    if gone is None or game.owner(gone[0]) not in (player, None):
        return None
    return player, gone[0], gone[1]


def _one_gone(game: Game, before: Placement, now: Placement, known: Lifted | None) -> tuple[Kind, Site] | None:
    changed = differing(before, now)
    if not changed and known is not None and known.site in now.hidden:
        return known.piece, known.site  # the hand has come over the place it was taken from
    if len({game.lane(site) for site in changed}) != 1:
        return None
    lane = game.lane(next(iter(changed)))
    sites = [site for site in sorted(game.sites) if game.lane(site) == lane]
    if len(sites) > 1 and {*sites} & now.hidden:
        return None
    stood: list[tuple[Kind, Site]] = [(kind, site) for site in sites for kind in sorted(before.on.get(site, ()))]
    here = [kind for site in sites for kind in sorted(now.on.get(site, ()))]
    ends_first: list[int] = [0, len(stood) - 1, *range(1, len(stood) - 1)]
    for index in ends_first:
        if 0 <= index < len(stood) and [kind for i, (kind, _) in enumerate(stood) if i != index] == here:
            return stood[index]
    return None


def where_to(game: Game, position: Position, lifted: Lifted) -> Lifted:
    """Where a piece may go, what would go with it, and why it may not go elsewhere."""
    if in_strokes(game):
        loads = game.loads(position, lifted.site) if isinstance(game, LoadsPieces) else ()
        return replace(lifted, along=loads, why={} if loads else _why_not_loaded(game, position, lifted))
    to: set[Site] = set()
    along: set[Site] = set()
    for turn in game.legal_turns(position):
        shifts = game.turn_shifts(position, turn)
        if all((shift.piece, shift.origin) != (lifted.piece, lifted.site) for shift in shifts):
            continue
        for shift in shifts:
            if (shift.piece, shift.origin) == (lifted.piece, lifted.site):
                to |= {shift.to} if shift.to else set()
                continue
            along |= {shift.origin} if shift.origin else set()
            if game.owner(shift.piece) == lifted.player and shift.to:  # the other half, not where a foe will flee to
                along.add(shift.to)
    return replace(
        lifted,
        to=tuple(sorted(to)),
        along=tuple(sorted(along - {lifted.site})),
        why=_why_not(game, position, lifted, to),
    )


def _why_not(game: Game, position: Position, lifted: Lifted, may: set[Site]) -> dict[Site, Reason]:
    """For the sites round about, nearest first."""
    others = sorted({*game.sites} - may - {lifted.site})
    if isinstance(game, MeasuresDistance):
        others.sort(key=lambda site: game.distance(lifted.site, site))
    found = ((site, _reason_there(game, position, lifted, site)) for site in others[:ASKED])
    return {site: reason for site, reason in found if reason is not None}


def _why_not_loaded(game: Game, position: Position, lifted: Lifted) -> dict[Site, Reason]:
    """For the mover's own platform."""
    assert isinstance(game, PlaysInStrokes)
    platform = game.platforms[game.players.index(lifted.player)]
    mouth = min(site for site in game.sites if game.lane(site) == platform)
    reason = _reason_there(game, position, lifted, mouth)
    return {mouth: reason} if reason is not None else {}


def _reason_there(game: Game, position: Position, lifted: Lifted, site: Site) -> Reason | None:
    """What would be wrong if the piece stood there, if the game can say more than that it is no turn."""
    on = {where: list(kinds) for where, kinds in game.picture(position).on.items()}
    on[lifted.site].remove(lifted.piece)
    on.setdefault(site, []).append(lifted.piece)
    placement = game.normal(Placement({where: tuple(kinds) for where, kinds in on.items() if kinds}))
    verdict = game.judge(position, placement)
    if verdict.answer != "illegal":
        return None
    return next((one for one in verdict.reasons if one.code not in PLAIN), None)
