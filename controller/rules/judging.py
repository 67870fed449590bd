"""How a placement is held against a position's turns: for every game the same.

Every (site, kind, copy) is a bit, so that a placement is one integer and "this may still become that" is one `&`.
`default_judge` serves a game that can list its turns; Transet uses the parts with its own reasons.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import permutations
from typing import Generic, TypeVar

from controller.rules.api import Answer, Game, Kind, Placement, Player, Reason, RulesError, Shift, Site, Turn, Verdict

T = TypeVar("T")
Distance = Callable[[Site, Site], float]


@dataclass(frozen=True)
class Seen:
    """A placement as bits. `mask`: pieces on visible sites; `hidden`: every bit of the hidden sites."""

    mask: int
    hidden: int
    absent: tuple[Kind, ...]  # pieces that are not on visible sites, each as often as it is absent


class Alphabet:
    """The bits of a game. A piece that the game doesn't have, or too many copies on one site, is the FOREIGN bit."""

    def __init__(self, name: str, sites: Iterable[Site], pieces: Mapping[Kind, int]) -> None:
        self.name = name
        self.sites = tuple(sorted(sites))
        self.pieces = dict(pieces)
        self.bits: dict[tuple[Site, Kind], tuple[int, ...]] = {}
        self.site_mask: dict[Site, int] = {}
        self.kind_mask: dict[Kind, int] = dict.fromkeys(pieces, 0)
        bit = 1
        for site in self.sites:
            whole = 0
            for kind, count in pieces.items():
                copies = []
                for _ in range(count):
                    copies.append(bit)
                    whole |= bit
                    self.kind_mask[kind] |= bit
                    bit <<= 1
                self.bits[site, kind] = tuple(copies)
            self.site_mask[site] = whole
        self.foreign = bit

    def encode(self, on: Mapping[Site, tuple[Kind, ...]]) -> int:
        """The bits of what stands on sites."""
        mask = 0
        for site, kinds in on.items():
            if site not in self.site_mask:
                raise RulesError(f"there is no site {site!r} in {self.name}; name sites such as {min(self.site_mask)}")
            for kind in kinds:
                free = [bit for bit in self.bits.get((site, kind), ()) if not mask & bit]
                mask |= free[0] if free else self.foreign
        return mask

    def see(self, placement: Placement) -> Seen:
        """The bits of a placement; where every piece is accounted for, hidden sites are known to be empty."""
        hidden = 0
        for site in placement.hidden:
            if site not in self.site_mask:
                raise RulesError(f"there is no site {site!r} in {self.name}; name sites such as {min(self.site_mask)}")
            hidden |= self.site_mask[site]
        on = placement.on
        if hidden:
            on = {site: kinds for site, kinds in on.items() if site not in placement.hidden}
        mask = self.encode(on)
        if not hidden:
            return Seen(mask, 0, ())
        absent = []
        for kind, count in self.pieces.items():
            there = (mask & self.kind_mask[kind]).bit_count()
            beside = placement.off.count(kind)
            if there + beside > count:  # a spare lies beside the board: then it says nothing about the hidden ones
                beside = 0
            absent += [kind] * max(0, count - there - beside)
        return Seen(mask, hidden if absent else 0, tuple(absent))


@dataclass
class Table(Generic[T]):
    """All that may stand on the way from one position: its own picture, the ends of turns, and their stages.

    `loose`: (mask, bits of a kind, turn): one more piece of that kind may stand anywhere. `final`: ends of the game.
    """

    before: int
    ends: dict[int, list[T]] = field(default_factory=dict)
    stages: dict[int, list[T]] = field(default_factory=dict)
    loose: list[tuple[int, int, T]] = field(default_factory=list)
    final: set[int] = field(default_factory=set)
    masks: tuple[int, ...] = ()

    def close(self) -> Table[T]:
        """Call once after filling."""
        self.masks = (self.before, *dict.fromkeys([*self.ends, *self.stages]))
        return self


@dataclass(frozen=True)
class Match(Generic[T]):
    """What a placement is, before games add what is owed and why. `mask`: the target that stands exactly, if one does.

    `near`: where pieces are missing, the targets that lack the fewest.
    """

    answer: Answer
    mask: int | None = None
    ends: tuple[T, ...] = ()
    extendable: bool = False
    near: tuple[int, ...] = ()


def _one_more(extra: int, kind_bits: int) -> bool:
    return extra & ~kind_bits == 0 and extra & (extra - 1) == 0


def match(table: Table[T], alphabet: Alphabet, seen: Seen) -> Match[T]:
    """One of the five answers (without "done"): see `Verdict`."""
    mask, hidden = seen.mask, seen.hidden
    if not hidden:
        return _match_exact(table, mask) or _match_missing(table, mask, 0)
    exact = [t for t in table.masks if t & ~hidden == mask and _can_hide(t & hidden, alphabet, seen)]
    loose = [
        (t, turn)
        for t, kind_bits, turn in table.loose
        if t not in exact
        and not t & ~hidden & ~mask
        and _one_more(mask & ~t, kind_bits)
        and _can_hide(t & hidden, alphabet, seen)
    ]
    if len(exact) + len(loose) > 1:
        return Match("unclear")
    if exact or loose:
        target = exact[0] if exact else loose[0][0]
        if (target ^ table.before) & hidden:  # a site of the verdict itself is out of sight
            return Match("unclear")
        found = _match_exact(table, target)
        assert found is not None
        return found
    missing = _match_missing(table, mask, hidden)
    if missing.answer == "partial":
        # A piece that is gone from sight may be in a hand or on a hidden site, where it may do harm or good.
        return Match("unclear")
    return missing


def _can_hide(wanted: int, alphabet: Alphabet, seen: Seen) -> bool:
    """Whether the pieces that a target has on hidden sites are really out of sight."""
    return all(
        (wanted & bits).bit_count() <= seen.absent.count(kind)
        for kind, bits in alphabet.kind_mask.items()
        if wanted & bits
    )


def _match_exact(table: Table[T], mask: int) -> Match[T] | None:
    if mask == table.before:
        return Match("unchanged", mask, tuple(table.ends.get(mask, ())))
    ends = table.ends.get(mask)
    if ends:
        extendable = mask in table.stages and mask not in table.final
        return Match("complete", mask, tuple(ends), extendable)
    if mask in table.stages:
        return Match("partial", mask, near=(mask,))
    for target, kind_bits, turn in table.loose:
        if not target & ~mask and _one_more(mask & ~target, kind_bits):
            return Match("complete", target, (turn,))
    return None


def _match_missing(table: Table[T], mask: int, hidden: int) -> Match[T]:
    best, near = 10**6, []
    for target in table.masks:
        if not mask & ~target & ~hidden:
            lacking = (target & ~hidden & ~mask).bit_count()
            if lacking < best:
                best, near = lacking, [target]
            elif lacking == best:
                near.append(target)
    if near:
        return Match("partial", near=tuple(near))
    for target, kind_bits, _turn in table.loose:
        if _one_more(mask & ~target & ~hidden, kind_bits):
            return Match("partial", near=(target,))
    return Match("illegal")


def moved(before: Placement, seen: Placement, distance: Distance) -> tuple[Shift, ...]:
    """The fewest shifts that lead from one picture to the other, each kind matched at the least total distance.

    A piece that is gone goes to None, one that is too many comes from None. Hidden sites count as unchanged, unless a
    piece that is seen elsewhere can only have come from there.
    """
    left: dict[Kind, list[Site]] = {}
    new: dict[Kind, list[Site]] = {}
    covered: dict[Kind, list[Site]] = {}
    for site in {**before.on, **seen.on}:
        gone = list(before.on.get(site, ()))
        if site in seen.hidden:
            for kind in gone:
                covered.setdefault(kind, []).append(site)
            continue
        for kind in seen.on.get(site, ()):
            if kind in gone:
                gone.remove(kind)
            else:
                new.setdefault(kind, []).append(site)
        for kind in gone:
            left.setdefault(kind, []).append(site)
    shifts: list[Shift] = []
    for kind in sorted({*left, *new}):
        origins, targets = left.get(kind, []), new.get(kind, [])
        if len(origins) < len(targets) and kind in covered:
            near = sorted(covered[kind], key=lambda site: min(distance(site, other) for other in targets))
            origins = origins + near[: len(targets) - len(origins)]
        shifts += [Shift(kind, origin, to) for origin, to in _pair(sorted(origins), sorted(targets), distance)]
    return tuple(shifts)


def _pair(left: list[Site], new: list[Site], distance: Distance) -> list[tuple[Site | None, Site | None]]:
    few, many = (left, new) if len(left) <= len(new) else (new, left)
    if len(few) <= 4 and len(many) <= 6:
        best = min(
            permutations(range(len(many)), len(few)),
            key=lambda order: (sum(distance(few[i], many[k]) for i, k in enumerate(order)), order),
        )
    else:  # far from any turn: nearest first is near enough
        taken: list[int] = []
        for site in few:
            taken.append(min((k for k in range(len(many)) if k not in taken), key=lambda k: distance(site, many[k])))
        best = tuple(taken)
    pairs: list[tuple[Site | None, Site | None]] = []
    for i, k in enumerate(best):
        pairs.append((few[i], many[k]) if few is left else (many[k], few[i]))
    for k, site in enumerate(many):
        if k not in best:
            pairs.append((None, site) if few is left else (site, None))
    return pairs


def way_back(shifts: Iterable[Shift], seen: Placement) -> tuple[Shift, ...]:
    """The shifts undone, in an order in which each piece finds its site free, as far as there is one."""
    todo = [Shift(shift.piece, shift.to, shift.origin) for shift in shifts]
    standing = {site: len(kinds) for site, kinds in seen.on.items()}
    done: list[Shift] = []
    while todo:
        step = next((s for s in todo if s.to is None or not standing.get(s.to)), todo[0])
        todo.remove(step)
        done.append(step)
        if step.origin is not None:
            standing[step.origin] = standing.get(step.origin, 0) - 1
        if step.to is not None:
            standing[step.to] = standing.get(step.to, 0) + 1
    return tuple(done)


def far(one: Site, two: Site) -> float:
    """The distance where a game measures none: any two sites lie as far apart as any others."""
    return 0.0 if one == two else 1.0


@lru_cache(maxsize=64)
def _alphabet_of(name: str, sites: frozenset[Site], pieces: tuple[tuple[Kind, int], ...]) -> Alphabet:
    return Alphabet(name, sites, dict(pieces))


@lru_cache(maxsize=32)
def table_of(game: Game, position: Hashable) -> tuple[Alphabet, Table[Turn]]:
    """The table of a position, from the game's own generator, stages and pictures; it is read many times a turn."""
    alphabet = _alphabet_of(game.name, game.sites, tuple(game.pieces.items()))
    table: Table[Turn] = Table(alphabet.encode(game.picture(position).on))
    for turn in game.legal_turns(position):
        after = game.after(position, turn)
        end = alphabet.encode(game.picture(after).on)
        table.ends.setdefault(end, []).append(turn)
        if game.outcome(after) is not None:
            table.final.add(end)
        for stage in game.stages(position, turn):
            table.stages.setdefault(alphabet.encode(stage.on), []).append(turn)
    return alphabet, table.close()


def default_judge(
    game: Game, position: Hashable, placement: Placement, done: Player | None = None, distance: Distance = far
) -> Verdict:
    """`judge` for a game whose turns can be listed; `owed` and the game's own reasons are the game's to add.

    One turn is given for each different position after it. A "done" is only taken as: what stands is meant.
    """
    alphabet, table = table_of(game, position)
    found = match(table, alphabet, alphabet.see(placement))
    shifts = moved(game.picture(position), placement, distance)
    missing = tuple(shift.piece for shift in shifts if shift.to is None)
    mover = game.to_move(position)
    if found.answer == "unchanged" and found.ends and done is not None and done == mover:
        found = Match("complete", found.mask, found.ends)
    if found.answer == "complete":
        by_position = {game.after(position, turn): turn for turn in reversed(found.ends)}
        turns = tuple(reversed(by_position.values()))
        return Verdict("complete", turns, found.extendable and (done is None or done != mover))
    if found.answer == "illegal":
        reasons = common_reasons(game, shifts, placement)
        return Verdict("illegal", missing=missing, reasons=reasons, way_back=way_back(shifts, placement))
    return Verdict(found.answer, missing=missing)


def common_reasons(game: Game, shifts: tuple[Shift, ...], placement: Placement) -> tuple[Reason, ...]:
    """The reasons that every game shares, as far as a picture shows them."""
    rule = f"{game.name} 2"
    reasons: list[Reason] = []
    gone = {shift.origin: shift.piece for shift in shifts if shift.to is None and shift.origin is not None}
    for shift in shifts:
        if shift.origin is None and shift.to is not None:
            if shift.to in gone:
                facts = {"site": shift.to, "piece": shift.piece, "other": gone[shift.to]}
                reasons.append(Reason("WRONG_PIECE", (shift.to,), rule, facts))
            else:
                reasons.append(Reason("EXTRA_PIECE", (shift.to,), rule, {"site": shift.to, "piece": shift.piece}))
    for site, kinds in sorted(placement.on.items()):
        if len(kinds) > 1 and site not in placement.hidden and any(shift.to == site for shift in shifts):
            reasons.append(Reason("TWO_ON_A_SITE", (site,), rule, {"site": site}))
    sites = tuple(dict.fromkeys(s for shift in shifts for s in (shift.origin, shift.to) if s is not None))
    if not reasons or sum(shift.to is not None for shift in shifts) > 1:
        reasons.append(Reason("NOT_A_TURN", sites, rule))
    order = ("WRONG_PIECE", "EXTRA_PIECE", "TWO_ON_A_SITE", "NOT_A_TURN")
    return tuple(sorted(reasons, key=lambda reason: order.index(reason.code)))
