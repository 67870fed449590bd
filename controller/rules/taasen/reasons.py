"""Why a move or a reply of Taasen is illegal: every code, its sites and the facts of its sentence."""

from __future__ import annotations

from collections.abc import Iterable

from controller.rules.api import Player, Reason
from controller.rules.taasen.board import (
    EXITS,
    KINDS,
    OFF,
    OTHER,
    OWNER,
    SHORES,
    SITES,
    Law,
    TaasenPosition,
)
from controller.rules.taasen.ways import Victim

ORDER = (
    "OPPONENT_PIECE", "WHITE_JUST_MOVED", "PUSHED_BACK", "PUSH_PENDING", "NOT_CRUSHED", "BOTH_PRESSED", "NOT_PRESSED",
    "ESCAPE_NOT_ADJACENT", "SEA_REST", "SEA_BLOCKED", "OCCUPIED", "NOT_ADJACENT",
    "OUT_OF_TURN", "WRONG_PIECE", "EXTRA_PIECE", "TWO_ON_A_SITE", "MISSING_PIECE", "NOT_A_TURN",
)  # fmt: skip
_RANK = {code: i for i, code in enumerate(ORDER)}


def reason(code: str, item: str, sites: Iterable[int], **facts: str) -> Reason:
    """One reason; sites as numbers."""
    return Reason(code, tuple(dict.fromkeys(SITES[site] for site in sites)), f"taasen 2{item}", facts)


def rank(found: Reason) -> int:
    """Where a code stands in the contract's list."""
    return _RANK[found.code]


def ordered(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Most specific first; the same reason only once."""
    unique = {(r.code, r.sites): r for r in reasons}
    return tuple(sorted(unique.values(), key=lambda r: (rank(r), r.sites)))


def move_reasons(position: TaasenPosition, player: Player, piece: int, target: int) -> list[Reason]:
    """Why the player may not move this piece there (taasen 2.1); empty where it is a legal move, pressing or not."""
    at = position.at
    origin = at[piece]
    sites = (origin, target) if origin != OFF else (target,)
    facts = {"piece": KINDS[piece], "from": SITES[origin], "to": SITES[target], "player": player}
    if OWNER[piece] == OTHER[player]:
        return [reason("OPPONENT_PIECE", ".1", sites, **facts, other=OTHER[player])]
    if origin == OFF:
        return [reason("NOT_A_TURN", "", sites, **facts, form="gone")]
    if origin == target:
        return [reason("NOT_A_TURN", "", sites, **facts, form="stays")]
    found = []
    if position.ban >> piece & 1:
        found.append(reason("WHITE_JUST_MOVED", ".1", sites, **facts, other=OTHER[player]))
    if piece == position.pressed and target == position.back:
        found.append(reason("PUSHED_BACK", ".1", sites, **facts))
    found += step_reasons(at, piece, origin, target, ".1", facts)
    if target not in EXITS[origin] and target != OFF:
        found.append(reason("NOT_ADJACENT", ".1", sites, **facts))
    return found


def step_reasons(
    at: tuple[int, ...], piece: int, origin: int, target: int, item: str, facts: dict[str, str], attacker: int = OFF
) -> list[Reason]:
    """The sea and taken sites. `attacker`: where the attacker has come to stand, for a reply."""
    sites = (origin, target)
    found = []
    taken = {*at, attacker}
    if target == OFF:
        form = {} if origin in SHORES else {"form": "inland"}
        found.append(reason("SEA_REST", item, sites, **facts, **form))
    if origin in SHORES and (target == OFF or (target in SHORES and target != origin)):
        others = [shore for shore in SHORES if shore != origin]
        if taken.issuperset(others):
            found.append(reason("SEA_BLOCKED", item, sites, **facts))
    if target != OFF and target != origin and target in taken:
        there = [KINDS[other] for other in range(9) if at[other] == target and other != piece]
        who = {"other": there[0]} if there else {"form": "attacker"}
        found.append(reason("OCCUPIED", item, sites, **facts, **who))
    return found


def reply_reasons(
    position: TaasenPosition, player: Player, victim: Victim, target: int, attacker: int, law: Law
) -> list[Reason]:
    """Why the pressed piece may not flee there (taasen 2.3); empty where it may."""
    if target in victim.exits:
        return []
    sites = (victim.stood, target)
    facts = {"piece": KINDS[victim.piece], "from": SITES[victim.stood], "to": SITES[target], "player": OTHER[player]}
    if target == victim.stood:
        return [pending(player, (victim,))]
    found = []
    if law.binds_escape and victim.piece == position.pressed and target == position.back:
        found.append(reason("PUSHED_BACK", ".5", sites, **facts))
    found += step_reasons(position.at, victim.piece, victim.stood, target, ".3", facts, attacker)
    if target not in EXITS[victim.stood] and (target != OFF or victim.stood not in SHORES):
        form = {} if victim.exits else {"form": "crushed"}
        exits = ", ".join(SITES[site] for site in victim.exits)
        found.append(reason("ESCAPE_NOT_ADJACENT", ".3", sites, **facts, **form, exits=exits))
    return found


def pending(player: Player, victims: tuple[Victim, ...]) -> Reason:
    """A pressed piece must move before anything else does; of two, one."""
    first, last = victims[0], victims[-1]
    facts = {"piece": KINDS[first.piece], "from": SITES[first.stood], "player": OTHER[player]}
    if len(victims) > 1:
        facts |= {"other": KINDS[last.piece], "form": "two"}
    elif not first.exits:
        facts["form"] = "crushed"
    exits = ", ".join(SITES[site] for site in first.exits)
    return reason("PUSH_PENDING", ".3", [victim.stood for victim in victims], **facts, to=exits)


def not_crushed(player: Player, victim: Victim) -> Reason:
    """A pressed piece that can flee may not be taken off."""
    facts = {"piece": KINDS[victim.piece], "from": SITES[victim.stood], "player": OTHER[player]}
    exits = ", ".join(SITES[site] for site in victim.exits)
    return reason("NOT_CRUSHED", ".3", (victim.stood,), **facts, to=exits)


def not_pressed(position: TaasenPosition, player: Player, piece: int, target: int, attacker: int) -> Reason:
    """A piece was moved as if pressed. `attacker`: the piece that moved."""
    origin = position.at[piece]
    facts = {"piece": KINDS[piece], "from": SITES[origin], "to": SITES[target], "player": player}
    return reason("NOT_PRESSED", ".2", (origin, target), **facts, other=KINDS[attacker])
