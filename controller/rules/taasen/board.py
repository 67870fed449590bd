"""The board of Taasen: geometry, positions, turns and the generator of legal turns.

Pieces are numbered 0 to 8: RT RS RP GT GS GP WT WS WP. Sites are numbers 0 to 15; the sea, 6, where nothing may ever
stand, also serves as the place of a piece that is crushed: it touches nothing and leads nowhere.
"""

from __future__ import annotations

from math import hypot, sqrt
from typing import NamedTuple

from controller.rules.api import Kind, Player, Site

RED, GREEN = "Red", "Green"
PLAYERS: tuple[Player, Player] = (RED, GREEN)
OTHER = {RED: GREEN, GREEN: RED}
OFF = 6  # the sea in `Taasen.sites`; in positions and turns: off the board for good
SEA: Site = "6"
SHORES = (5, 7, 12)
CORNERS = (0, 9, 15)
SITES: tuple[Site, ...] = tuple(str(site) for site in range(16))

PIECES = ("RT", "RS", "RP", "GT", "GS", "GP", "WT", "WS", "WP")
KINDS: tuple[Kind, ...] = tuple(
    f"{colour}-{name}" for colour in ("red", "green", "white") for name in ("THAUM", "SCIANE", "PAUPIL")
)
NUMBER = {kind: piece for piece, kind in enumerate(KINDS)}
COLOUR = "RRRGGGWWW"
OWN = {RED: (0, 1, 2), GREEN: (3, 4, 5)}
WHITE = (6, 7, 8)
OWNER: tuple[Player | None, ...] = (RED,) * 3 + (GREEN,) * 3 + (None,) * 3
START = (9, 9, 9, 15, 15, 15, 0, 0, 0)


class TaasenPosition(NamedTuple):
    """Where each piece stands (OFF: crushed) and whose turn it is (None: not known yet).

    `ban`: bits of the White pieces that may not be moved in this turn. `pressed`, `back`: the piece that was pressed in
    the turn before and the site it may not go back to (-1, -1: none). `past`: only with `repetition_draw`.
    """

    at: tuple[int, ...]
    mover: Player | None
    ban: int = 0
    pressed: int = -1
    back: int = -1
    past: tuple[object, ...] = ()


class TaasenTurn(NamedTuple):
    """One turn: a move, and where it presses the victim's way (`escape` OFF: crushed). Piece -1: a forced pass."""

    player: Player
    piece: int
    origin: int
    target: int
    victim: int = -1
    stood: int = OFF
    escape: int = OFF


class Law(NamedTuple):
    """The options that decide which turns there are."""

    may_decline: bool = False  # push_mandatory = false
    white_presses_white: bool = False
    ban_includes_escape: bool = False
    binds_escape: bool = False
    lift: bool = False  # stuck_by_recursion = lift


def centroid(site: int) -> tuple[float, float]:
    """The middle of a site; small side 1, origin at the apex, y downwards (taasen 2, Board)."""
    row = int(sqrt(site))
    k = site - row * row
    return (k - row) / 2, sqrt(3) / 2 * (row + (1 / 3 if k % 2 else 2 / 3))


def distance(one: Site, two: Site) -> float:
    """How far a piece was carried, in small sides."""
    (x1, y1), (x2, y2) = centroid(int(one)), centroid(int(two))
    return hypot(x1 - x2, y1 - y2)


def _touching(site: int) -> tuple[int, ...]:
    """The sites that share a side with this one, the sea left out."""
    row = int(sqrt(site))
    k = site - row * row
    near = [(row, k - 1), (row, k + 1), (row - 1, k - 1) if k % 2 else (row + 1, k + 1)]
    sites = [r * r + c for r, c in near if 0 <= r < 4 and 0 <= c <= 2 * r]
    return tuple(sorted(s for s in sites if s != OFF))


TOUCHES: tuple[tuple[int, ...], ...] = tuple(() if s == OFF else _touching(s) for s in range(16))
EXITS: tuple[tuple[int, ...], ...] = tuple(
    (*TOUCHES[s], *(shore for shore in SHORES if s in SHORES and shore != s)) for s in range(16)
)
TOUCH: tuple[int, ...] = tuple(sum(1 << other for other in TOUCHES[s]) for s in range(16))
_BIT = tuple(1 << s for s in range(16))


def presses(piece: int, other: int) -> bool:
    """T presses S, S presses P, P presses T."""
    return other % 3 == (piece + 1) % 3


def prey(player: Player, piece: int, white_presses_white: bool) -> tuple[int, ...]:
    """What this piece presses when the player moves it: neither the player's colour nor (White apart) its own."""
    safe = {player[0], COLOUR[piece] if not white_presses_white else player[0]}
    return tuple(other for other in range(9) if presses(piece, other) and COLOUR[other] not in safe)


# Moves that press nothing are made once: player -> piece -> origin -> (bit of the target, touched sites, the turn).
_Step = tuple[int, int, TaasenTurn]
_STEPS: dict[Player, tuple[tuple[tuple[_Step, ...], ...], ...]] = {
    player: tuple(
        tuple(
            tuple((_BIT[to], TOUCH[to], TaasenTurn(player, piece, origin, to)) for to in EXITS[origin])
            for origin in range(16)
        )
        for piece in range(9)
    )
    for player in PLAYERS
}
_Plan = tuple[tuple[int, tuple[int, ...], tuple[tuple[_Step, ...], ...]], ...]
_PLANS: dict[tuple[Player, bool], _Plan] = {
    (player, wide): tuple((piece, prey(player, piece, wide), _STEPS[player][piece]) for piece in (*OWN[player], *WHITE))
    for player in PLAYERS
    for wide in (False, True)
}


def exits(at: tuple[int, ...], victim: int, target: int, barred: int = OFF) -> list[int]:
    """Where a pressed piece may flee to, the attacker standing on `target`; none: it is crushed.

    It could never flee to the site that the attacker left [DERIVED], so that may count as occupied.
    """
    return [to for to in EXITS[at[victim]] if to not in at and to != target and to != barred]


def legal_turns(position: TaasenPosition, player: Player, law: Law) -> list[TaasenTurn]:
    """Every turn of this player, in a fixed order; the end of the game is not looked at."""
    at, _, ban, pressed, back, _ = position
    turns = _turns(at, player, ban, pressed, back, law)
    if not turns and law.lift and (ban or pressed >= 0):
        return _turns(at, player, 0, -1, -1, law)
    return turns


def _turns(at: tuple[int, ...], player: Player, ban: int, pressed: int, back: int, law: Law) -> list[TaasenTurn]:
    occupied = 0
    for site in at:
        occupied |= _BIT[site]
    turns: list[TaasenTurn] = []
    for piece, victims, steps in _PLANS[player, law.white_presses_white]:
        if ban and ban >> piece & 1:
            continue
        near = 0
        for victim in victims:
            near |= _BIT[at[victim]]
        taken = occupied | _BIT[back] if piece == pressed else occupied
        for bit, touched, step in steps[at[piece]]:
            if taken & bit:
                continue
            if touched & near:
                if law.may_decline:
                    turns.append(step)
                for victim in victims:
                    stood = at[victim]
                    if not touched >> stood & 1:
                        continue
                    barred = back if law.binds_escape and victim == pressed else OFF
                    ways = exits(at, victim, step.target, barred) or [OFF]
                    turns += [TaasenTurn(*step[:4], victim, stood, to) for to in ways]
            else:
                turns.append(step)
    return turns


def victims_of(position: TaasenPosition, turn: TaasenTurn, law: Law) -> dict[int, list[int]]:
    """The pieces that this move presses, each with its exits."""
    touched = TOUCH[turn.target]
    found = {}
    for victim in prey(turn.player, turn.piece, law.white_presses_white):
        if touched >> position.at[victim] & 1:
            barred = position.back if law.binds_escape and victim == position.pressed else OFF
            found[victim] = exits(position.at, victim, turn.target, barred)
    return found


def after(position: TaasenPosition, turn: TaasenTurn, ban_includes_escape: bool) -> TaasenPosition:
    """The position when the turn is complete; `past` is left as it was."""
    player, piece, _, target, victim, stood, escape = turn
    if piece < 0:
        return TaasenPosition(position.at, OTHER[player], past=position.past)
    at = list(position.at)
    at[piece] = target
    ban = 1 << piece if piece > 5 else 0
    if victim < 0:
        return TaasenPosition(tuple(at), OTHER[player], ban, -1, -1, position.past)
    at[victim] = escape
    if escape == OFF:
        return TaasenPosition(tuple(at), OTHER[player], ban, -1, -1, position.past)
    if ban_includes_escape and victim > 5:
        ban |= 1 << victim
    return TaasenPosition(tuple(at), OTHER[player], ban, victim, stood, position.past)


def material_end(at: tuple[int, ...]) -> bool:
    """No two pieces of different colours of which one presses the other are left."""
    return OFF in at and _PEACE[sum(1 << piece for piece in range(9) if at[piece] != OFF)]


_PEACE = tuple(
    not any(
        alive >> one & 1 and alive >> two & 1 and COLOUR[one] != COLOUR[two] and presses(one, two)
        for one in range(9)
        for two in range(9)
    )
    for alive in range(512)
)
