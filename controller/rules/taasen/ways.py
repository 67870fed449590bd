"""All that may stand on the way from one position of Taasen, as bits: ends of turns, stages and what they owe."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from controller.rules.api import Owed, Placement, Player
from controller.rules.judging import Alphabet, Match, Seen, Table
from controller.rules.taasen.board import (
    KINDS,
    OFF,
    OTHER,
    OWN,
    SITES,
    Law,
    TaasenPosition,
    TaasenTurn,
    after,
    legal_turns,
    material_end,
    victims_of,
)

ALPHABET = Alphabet("Taasen", SITES, dict.fromkeys(KINDS, 1))
BITS: tuple[tuple[int, ...], ...] = tuple(tuple(ALPHABET.bits[site, kind][0] for site in SITES) for kind in KINDS)


class Victim(NamedTuple):
    """A pressed piece: where it stands, and where it may flee to; nowhere: it is crushed."""

    piece: int
    stood: int
    exits: tuple[int, ...]

    @property
    def bit(self) -> int:
        """It, still standing where it was pressed."""
        return BITS[self.piece][self.stood]


class Rest(NamedTuple):
    """What a stage owes. `late`: the other side has gone on already; one crushed piece is still to be taken off."""

    attack: tuple[int, int]  # the piece that moved, and where to
    stage: int
    victims: tuple[Victim, ...]
    late: bool


def mask_of(at: tuple[int, ...]) -> int:
    """The bits of a position's picture."""
    mask = 0
    for piece, site in enumerate(at):
        if site != OFF:
            mask |= BITS[piece][site]
    return mask


def forgetting(position: TaasenPosition, player: Player, law: Law) -> TaasenPosition:
    """The position without its two bans where they are lifted, because the player would be stuck otherwise."""
    if not law.lift or not (position.ban or position.pressed >= 0):
        return position
    if legal_turns(position, player, law._replace(lift=False)):
        return position
    return position._replace(ban=0, pressed=-1, back=-1)


class Ways:
    """The table of a position (see `judging.Table`) and what each stage owes; made once for each position."""

    def __init__(self, position: TaasenPosition, player: Player, law: Law, no_attack_ends: bool, late: bool) -> None:
        self.position = forgetting(position, player, law)
        self.player = player
        self.turns = tuple(legal_turns(self.position, player, law))
        before = mask_of(position.at)
        self.table: Table[TaasenTurn] = Table(before)
        self.rests: dict[int, Rest] = {}
        for turn in self.turns:
            _, piece, origin, target, victim, stood, escape = turn
            moved = before ^ BITS[piece][origin] | BITS[piece][target]
            end = moved
            if victim >= 0:
                if moved not in self.rests:
                    found = victims_of(self.position, turn, law).items()
                    victims = tuple(Victim(one, position.at[one], tuple(ways)) for one, ways in found)
                    self.rests[moved] = Rest((piece, target), moved, victims, False)
                self.table.stages.setdefault(moved, []).append(turn)
                end ^= BITS[victim][stood]
                if escape != OFF:
                    end |= BITS[victim][escape]
            self.table.ends.setdefault(end, []).append(turn)
        if law.may_decline:
            self._finish_declined(law, no_attack_ends)
        if late:
            self._going_on(law, no_attack_ends)
        self.table.close()

    def _finish_declined(self, law: Law, no_attack_ends: bool) -> None:
        """A move that could still press, but ends the game where it doesn't."""
        for mask in self.rests:
            turn = self.table.ends[mask][0]
            if is_over(after(self.position, turn, law.ban_includes_escape), law, no_attack_ends):
                self.table.final.add(mask)

    def _going_on(self, law: Law, no_attack_ends: bool) -> None:
        """The other side may play on while a crushed piece still stands (taasen 2b): no offence, it stays owed.

        Not where the attacker was pressed back to where it came from: then the turn before leaves no trace.
        """
        known = {*self.table.ends, *self.table.stages, self.table.before}
        for turn in self.turns:
            if turn.victim < 0 or turn.escape != OFF:
                continue
            gone_on = after(self.position, turn, law.ban_includes_escape)
            if is_over(gone_on, law, no_attack_ends):
                continue
            left = BITS[turn.piece][turn.origin]
            stands = BITS[turn.victim][turn.stood]
            theirs = ways_of(gone_on, OTHER[self.player], law, no_attack_ends, False).table
            for mask in (*theirs.ends, *theirs.stages):
                if mask & left or mask | stands in known:
                    continue
                self.table.stages.setdefault(mask | stands, []).append(turn)
                rest = Rest((turn.piece, turn.target), mask | stands, (Victim(turn.victim, turn.stood, ()),), True)
                self.rests.setdefault(mask | stands, rest)

    def late_table(self, seen: Seen) -> Table[TaasenTurn]:
        """Only what may stand after the other side has gone on, around a crushed piece that is still to be seen."""
        table: Table[TaasenTurn] = Table(self.table.before)
        for mask, rest in self.rests.items():
            if rest.late and rest.victims[0].bit & (seen.mask | seen.hidden):
                table.stages[mask] = self.table.stages[mask]
        return table.close()

    def open_rest(self, found: Match[TaasenTurn]) -> Rest | None:
        """The stage that stands, pieces perhaps missing; None where pieces in hands explain what is seen as well."""
        if self.table.before in found.near:
            return None
        rests = [self.rests[mask] for mask in found.near if mask in self.rests]
        attacks = {rest.attack for rest in rests}
        for mask in found.near:
            attacks |= {(turn.piece, turn.target) for turn in self.table.ends.get(mask, ())}
        if len(attacks) != 1 or not rests:
            return None
        return min(rests, key=lambda rest: rest.late)

    def owed(self, found: Match[TaasenTurn], seen: Seen) -> tuple[Owed, ...]:
        """What must still follow (taasen 2b)."""
        rest = self.open_rest(found)
        if rest is None:
            return ()
        gone = [victim for victim in rest.victims if not seen.mask & victim.bit]
        if not gone and len(rest.victims) > 1:
            return choices(self.player, rest.victims)
        if not gone or (len(gone) == 1 and gone[0].exits):
            victim = gone[0] if gone else rest.victims[0]
            return (reply(self.player, victim, in_hand=bool(gone)),)
        return ()

    def unanswered(self, found: Match[TaasenTurn], seen: Seen) -> tuple[Rest, Victim, bool] | None:
        """The piece that the other side still has to move, and whether it was lifted; nothing else may be missing."""
        rest = self.open_rest(found)
        if rest is None or rest.late:
            return None
        for victim in rest.victims:
            if victim.exits and seen.mask == rest.stage ^ victim.bit:
                return rest, victim, True
        if len(rest.victims) == 1 and rest.victims[0].exits and seen.mask == rest.stage:
            return rest, rest.victims[0], False
        return None


def reply(player: Player, victim: Victim, in_hand: bool = False) -> Owed:
    """What is owed for one victim: the other side moves it; without an exit it is taken off, by either hand."""
    at = None if in_hand else SITES[victim.stood]
    to = frozenset(SITES[site] for site in victim.exits)
    return Owed(OTHER[player], "reply" if to else "remove", KINDS[victim.piece], at, to)


def choices(player: Player, victims: tuple[Victim, ...]) -> tuple[Owed, ...]:
    """Two victims: the mover says which."""
    return tuple(Owed(player, "choose", KINDS[v.piece], SITES[v.stood], frozenset()) for v in victims)


def is_over(position: TaasenPosition, law: Law, no_attack_ends: bool) -> bool:
    """Whether the game has ended, repetition apart."""
    at, mover = position.at, position.mover
    if has_none(at, "Red") or has_none(at, "Green") or (no_attack_ends and material_end(at)):
        return True
    return mover is not None and not legal_turns(position, mover, law)


def has_none(at: tuple[int, ...], player: Player) -> bool:
    """Whether the player has no piece of the own colour left."""
    a, b, c = OWN[player]
    return at[a] == at[b] == at[c] == OFF


def stage_placement(position: TaasenPosition, turn: TaasenTurn) -> Placement:
    """The attacker has moved, the victim still stands."""
    at = list(position.at)
    at[turn.piece] = turn.target
    return picture(tuple(at))


@lru_cache(maxsize=512)
def picture(at: tuple[int, ...]) -> Placement:
    """What stands on the table."""
    on: dict[str, list[str]] = {}
    for piece, site in enumerate(at):
        if site != OFF:
            on.setdefault(SITES[site], []).append(KINDS[piece])
    return Placement({site: tuple(sorted(kinds)) for site, kinds in on.items()})


@lru_cache(maxsize=256)
def ways_of(position: TaasenPosition, player: Player, law: Law, no_attack_ends: bool, late: bool) -> Ways:
    """The ways of a player from a position that is not over; give it without its `past`."""
    return Ways(position, player, law, no_attack_ends, late)
