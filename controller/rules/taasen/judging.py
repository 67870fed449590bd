"""What a placement is after a position of Taasen: the five answers, what is owed, and every reason."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from controller.rules.api import Placement, Player, Reason, Shift, Verdict
from controller.rules.judging import Match, Seen, match, moved, way_back
from controller.rules.taasen.board import (
    EXITS,
    KINDS,
    NUMBER,
    OFF,
    OTHER,
    OWNER,
    PLAYERS,
    RED,
    SITES,
    Law,
    TaasenPosition,
    TaasenTurn,
    distance,
    presses,
)
from controller.rules.taasen.reasons import (
    move_reasons,
    not_crushed,
    not_pressed,
    ordered,
    pending,
    rank,
    reason,
    reply_reasons,
)
from controller.rules.taasen.ways import ALPHABET, Victim, Ways, picture


class Judged(Protocol):
    """What judging needs of the game."""

    law: Law

    def ways(self, position: TaasenPosition, player: Player, late: bool = False) -> Ways: ...
    def after(self, position: TaasenPosition, turn: TaasenTurn) -> TaasenPosition: ...


class Carried(NamedTuple):
    """A piece that was moved from one site to another."""

    piece: int
    origin: int
    target: int


def judge(
    game: Judged, position: TaasenPosition, sides: tuple[Player, ...], placement: Placement, done: Player | None
) -> Verdict:
    """The answer. `sides`: who may be on the move; nobody after the end."""
    shifts = moved(picture(position.at), placement, distance)
    missing = tuple(shift.piece for shift in shifts if shift.to is None)
    if not sides:
        return _judge_over(position, placement, shifts, missing)
    seen = ALPHABET.see(placement)
    ways = {side: game.ways(position, side) for side in sides}
    found = {side: match(way.table, ALPHABET, seen) for side, way in ways.items()}
    if all(m.answer == "illegal" for m in found.values()):  # the other side may have gone on already
        ways = {side: game.ways(position, side, late=True) for side in sides}
        found = {side: match(way.late_table(seen), ALPHABET, seen) for side, way in ways.items()}
    answers = {m.answer for m in found.values()}
    if "unchanged" in answers:
        return Verdict("unchanged", missing=missing)
    if "complete" in answers:
        turns = tuple(turn for m in found.values() for turn in m.ends)
        return Verdict("complete", turns, _extendable(ways, found, done))
    if "unclear" in answers:
        return Verdict("unclear", missing=missing)
    if "partial" in answers:
        partial = {side: m for side, m in found.items() if m.answer == "partial"}
        reasons = _done_reasons(ways, partial, seen, done)
        if reasons:
            return Verdict("illegal", missing=missing, reasons=reasons, way_back=way_back(shifts, placement))
        owed = tuple(dict.fromkeys(one for side, m in partial.items() for one in ways[side].owed(m, seen)))
        return Verdict("partial", owed=owed, missing=missing)
    side = _reader(shifts, sides)
    reasons = placement_reasons(game, ways[side], shifts, placement, seen)
    return Verdict("illegal", missing=missing, reasons=reasons, way_back=way_back(shifts, placement))


def _extendable(ways: dict[Player, Ways], found: dict[Player, Match[TaasenTurn]], done: Player | None) -> bool:
    """Whether a stage looks the same: of a turn that may press but need not, or of the other side's where unknown."""
    masks = {m.mask for m in found.values() if m.answer == "complete"}
    over = any(mask in ways[side].table.final for side in found for mask in masks)
    staged = [side for side in found if side != done and any(mask in ways[side].table.stages for mask in masks)]
    return bool(staged) and not over


def _done_reasons(
    ways: dict[Player, Ways], partial: dict[Player, Match[TaasenTurn]], seen: Seen, done: Player | None
) -> tuple[Reason, ...]:
    """What is wrong when the side that owes the reply says that its part is over."""
    if done is None or seen.hidden or set(partial) != {OTHER[done]}:
        return ()
    unanswered = ways[OTHER[done]].unanswered(partial[OTHER[done]], seen)
    if unanswered is None:
        return ()
    _, victim, lifted = unanswered
    return (not_crushed(OTHER[done], victim) if lifted else pending(OTHER[done], (victim,)),)


def _judge_over(
    position: TaasenPosition, placement: Placement, shifts: tuple[Shift, ...], missing: tuple[str, ...]
) -> Verdict:
    """After the end there is nothing to judge: the board may be cleared."""
    if not any(shift.to for shift in shifts):
        return Verdict("partial" if missing else "unchanged", missing=missing)
    # The piece crushed by the last turn may still stand, or be put anywhere.
    added = [shift for shift in shifts if shift.to]
    if len(added) == 1 and added[0].origin is None:
        piece = NUMBER.get(added[0].piece)
        if piece is not None and position.at[piece] == OFF:
            return Verdict("partial" if missing else "unchanged", missing=missing)
    sites = [int(site) for shift in shifts for site in (shift.origin, shift.to) if site is not None]
    why = (reason("NOT_A_TURN", "", sites, player=position.mover or RED),)
    return Verdict("illegal", missing=missing, reasons=why, way_back=way_back(shifts, placement))


def _reader(shifts: tuple[Shift, ...], sides: tuple[Player, ...]) -> Player:
    """The side whose turn is being read: the only one, or the one that moved more pieces."""
    if len(sides) == 1:
        return sides[0]
    owners = [OWNER[NUMBER[shift.piece]] for shift in shifts if shift.piece in NUMBER]
    return max(PLAYERS, key=owners.count)


def placement_reasons(
    game: Judged, ways: Ways, shifts: tuple[Shift, ...], placement: Placement, seen: Seen
) -> tuple[Reason, ...]:
    """Every reason that shows, most specific first."""
    position, player = ways.position, ways.player
    carried = [
        Carried(NUMBER[s.piece], int(s.origin), int(s.to))
        for s in shifts
        if s.piece in NUMBER and s.origin is not None and s.to is not None
    ]
    mine = [one for one in carried if OWNER[one.piece] != OTHER[player]]
    attacks = [one for one in mine if not move_reasons(position, player, one.piece, one.target)]
    readings = [_after_attack(game, ways, attack, carried, placement, seen) for attack in attacks]
    first: list[Reason] = []
    found: list[Reason] = []
    if readings:
        found = min(readings, key=lambda reading: (reading[0], min((rank(one) for one in reading[1]), default=99)))[1]
    else:
        theirs = [one for one in carried if one not in mine]
        first = [why for one in mine for why in move_reasons(position, player, one.piece, one.target)]
        found = [why for one in theirs for why in move_reasons(position, player, one.piece, one.target)]
        if theirs and not any(OWNER[one.piece] == player for one in mine) and _their_turn(game, position, player, seen):
            found.append(reason("OUT_OF_TURN", "", _sites(carried), player=player, other=OTHER[player]))
            first, found = [], first + found
    found += _common(shifts, placement)
    if len(mine) > 1 or len(carried) > 2 or not (first or found):
        every = [int(site) for s in shifts for site in (s.origin, s.to) if site is not None]
        found.append(reason("NOT_A_TURN", "", every, player=player))
    return (*ordered(first), *(one for one in ordered(found) if one not in first))


def _their_turn(game: Judged, position: TaasenPosition, player: Player, seen: Seen) -> bool:
    """Whether what stands is a complete turn of the other side, whose turn it isn't."""
    theirs = position._replace(mover=OTHER[player], ban=0, pressed=-1, back=-1)
    return match(game.ways(theirs, OTHER[player]).table, ALPHABET, seen).answer == "complete"


def _sites(carried: list[Carried]) -> list[int]:
    return [site for one in carried for site in (one.origin, one.target)]


def _after_attack(
    game: Judged, ways: Ways, attack: Carried, carried: list[Carried], placement: Placement, seen: Seen
) -> tuple[int, list[Reason]]:
    """How many pieces were moved besides, and what is wrong with the rest, after a move that is right in itself."""
    position, player = ways.position, ways.player
    others = [one for one in carried if one != attack]
    rest = next((r for r in ways.rests.values() if r.attack == (attack.piece, attack.target) and not r.late), None)
    victims = rest.victims if rest is not None else ()
    by_piece = {victim.piece: victim for victim in victims}
    fled = [one for one in others if one.piece in by_piece]
    extra = [one for one in others if one.piece not in by_piece]
    found: list[Reason] = []
    if len(fled) > 1:
        facts = {"player": player, "piece": KINDS[fled[0].piece], "other": KINDS[fled[1].piece]}
        found.append(reason("BOTH_PRESSED", ".2", [one.origin for one in fled], **facts))
    for one in fled:
        found += reply_reasons(position, player, by_piece[one.piece], one.target, attack.target, game.law)
    crushed = next((victim for victim in victims if not victim.exits), None)
    if extra and not fled and victims and crushed is None:
        for victim in victims:
            stands = KINDS[victim.piece] in placement.on.get(SITES[victim.stood], ())
            hidden = SITES[victim.stood] in placement.hidden
            if not stands and not hidden and _goes_on(game, ways, attack, victim, seen):
                return 0, [not_crushed(player, victim)]  # the other side's next turn explains the rest
        return len(extra), [pending(player, victims)]
    stand = {attack.piece: attack.target, **{one.piece: one.target for one in fled}}
    turn = TaasenTurn(player, *attack)
    if crushed is not None and not fled:
        turn = turn._replace(victim=crushed.piece, stood=crushed.stood)
    elif fled:
        turn = turn._replace(victim=fled[0].piece, stood=fled[0].origin, escape=fled[0].target)
    gone_on = game.after(position, turn)
    for one in extra:
        found += _extra(position, gone_on, player, attack, stand, one)
    return len(extra), found


def _extra(
    position: TaasenPosition,
    gone_on: TaasenPosition,
    player: Player,
    attack: Carried,
    stand: dict[int, int],
    extra: Carried,
) -> list[Reason]:
    """A piece moved beside the attacker and its victim, which now `stand` there: as if pressed, or a turn too many."""
    mine = OWNER[extra.piece] == player
    found = []
    if mine:
        found.append(reason("NOT_A_TURN", "", (extra.origin, extra.target), player=player))
    near = [one for one, site in stand.items() if presses(one, extra.piece) and extra.origin in EXITS[site]]
    if near:
        return [*found, not_pressed(position, player, extra.piece, extra.target, near[0])]
    why = move_reasons(position if mine else gone_on, player if mine else OTHER[player], extra.piece, extra.target)
    if not why and not mine:
        why = [not_pressed(position, player, extra.piece, extra.target, attack.piece)]
    return found + why


def _goes_on(game: Judged, ways: Ways, attack: Carried, victim: Victim, seen: Seen) -> bool:
    """Whether the other side has made its next turn without the victim, which could have fled."""
    turn = TaasenTurn(ways.player, *attack, victim.piece, victim.stood, OFF)
    gone_on = game.after(ways.position, turn)
    return match(game.ways(gone_on, OTHER[ways.player]).table, ALPHABET, seen).answer == "complete"


def _common(shifts: tuple[Shift, ...], placement: Placement) -> list[Reason]:
    """The reasons that all games share."""
    gone = {shift.origin: shift.piece for shift in shifts if shift.to is None}
    found = []
    for shift in shifts:
        if shift.origin is None and shift.to is not None:
            facts = {"site": shift.to, "piece": shift.piece}
            if shift.to in gone:
                found.append(reason("WRONG_PIECE", "", (int(shift.to),), **facts, other=gone[shift.to]))
            else:
                found.append(reason("EXTRA_PIECE", "", (int(shift.to),), **facts))
    new = {shift.to for shift in shifts}
    for site, kinds in placement.on.items():
        if len(kinds) > 1 and site in new and site not in placement.hidden:
            found.append(reason("TWO_ON_A_SITE", "", (int(site),), site=site))
    return found
