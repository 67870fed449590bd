"""From a Sighting to what stands where, with doubts: the best reading first, then those that are nearly as likely.

The rules may break a tie between readings; they never overrule a clear look. Costs are nats below the best reading.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

from controller.rules.api import Game, Kind, Placement, Player, Site
from vision.sighting import Sighting, Token

BOARD_NATS = 6.0  # a reading may be preferred for its legality only within this of the best over the board,
SITE_NATS = 3.0  # and within this at any one site
GREY_NATS = 10.0  # a reading up to here is no ground for accepting a turn, but enough to ask before accusing
_MOST = 48  # readings considered at most


@dataclass(frozen=True)
class Reading:
    """One way to read a frame. `cost`: nats below the best. `clear`: near enough to be preferred for its legality.

    `across`: a token was read on the other side of a line it stands on.
    """

    placement: Placement
    cost: float = 0.0
    clear: bool = True
    across: bool = False


@dataclass(frozen=True)
class _Choice:
    site: Site | None
    kind: Kind
    cost: float
    across: bool


def _choices(token: Token) -> list[_Choice]:
    kinds = {token.kind: 0.0}
    for kind, nats in token.likelihoods.items():
        if kind != token.kind and -nats <= GREY_NATS:
            kinds[kind] = max(0.0, -nats)
    places: list[tuple[Site | None, bool]] = [(token.site, False)]
    places += [(site, True) for site in token.near if site != token.site]
    found = [_Choice(site, kind, cost, across) for site, across in places for kind, cost in kinds.items()]
    return sorted(found, key=lambda choice: (choice.cost, choice.across, choice.kind, choice.site or ""))


def _reading(choices: tuple[_Choice, ...], hidden: frozenset[Site]) -> Reading:
    on: dict[Site, list[Kind]] = {}
    off: list[Kind] = []
    for choice in choices:
        if choice.site is None:
            off.append(choice.kind)
        elif choice.site not in hidden:
            on.setdefault(choice.site, []).append(choice.kind)
    placement = Placement(
        {site: tuple(sorted(kinds)) for site, kinds in sorted(on.items())}, tuple(sorted(off)), hidden
    )
    cost = sum(choice.cost for choice in choices)
    clear = cost <= BOARD_NATS and all(choice.cost <= SITE_NATS for choice in choices)
    return Reading(placement, cost, clear, any(choice.across for choice in choices))


def readings(sighting: Sighting) -> tuple[Reading, ...]:
    """All readings worth a thought, best first; nearly always one."""
    options = [_choices(token) for token in sighting.tokens]
    best = _reading(tuple(choices[0] for choices in options), sighting.hidden)
    doubtful = [index for index, choices in enumerate(options) if len(choices) > 1]
    if not doubtful:
        return (best,)
    others: list[Reading] = []
    # One doubt at a time, then two together: three tokens in doubt at once are no reading but a blur.
    for count in (1, 2):
        for group in itertools.combinations(doubtful, count):
            for picks in itertools.product(*(options[index][1:] for index in group)):
                chosen = [choices[0] for choices in options]
                for index, pick in zip(group, picks, strict=True):
                    chosen[index] = pick
                others.append(_reading(tuple(chosen), sighting.hidden))
            if len(others) >= _MOST * 4:
                break
    others = [reading for reading in others if reading.cost <= GREY_NATS]
    others.sort(key=lambda reading: (reading.cost, reading.across))
    unique = [best]
    for reading in others:
        if all(reading.placement != known.placement for known in unique):
            unique.append(reading)
    return tuple(unique[:_MOST])


def normal_readings(game: Game, sighting: Sighting) -> tuple[Reading, ...]:
    """All readings as the game sees them: what makes no difference to it is one reading."""
    found: list[Reading] = []
    for reading in readings(sighting):
        placement = game.normal(reading.placement)
        if all(placement != known.placement for known in found):
            found.append(reading if placement is reading.placement else replace(reading, placement=placement))
    return tuple(found)


def agree(one: Placement, other: Placement) -> bool:
    """The same stands on every site that both can see."""
    return not differing(one, other)


def differing(one: Placement, other: Placement) -> frozenset[Site]:
    """The sites, seen in both, on which something else stands."""
    if one.on == other.on:
        return frozenset()
    unseen = one.hidden | other.hidden
    return frozenset(
        site for site in {*one.on, *other.on} if site not in unseen and one.on.get(site, ()) != other.on.get(site, ())
    )


def owners_of_changes(game: Game, before: Placement, now: Placement) -> set[Player | None]:
    """Whose pieces came or went between two placements; None for pieces that belong to nobody."""
    owners: set[Player | None] = set()
    for site in differing(before, now):
        was, here = list(before.on.get(site, ())), list(now.on.get(site, ()))
        for kind in list(was):
            if kind in here:
                was.remove(kind)
                here.remove(kind)
        owners |= {game.owner(kind) for kind in (*was, *here)}
    return owners


def left_their_places(game: Game, before: Placement, now: Placement) -> int:
    """How many pieces of `before` no longer stand in their lane (lanes with hidden sites say nothing)."""
    unseen = {game.lane(site) for site in now.hidden}
    here: dict[str, list[Kind]] = {}
    for site, kinds in now.on.items():
        here.setdefault(game.lane(site), []).extend(kinds)
    count = 0
    for site, kinds in before.on.items():
        lane = game.lane(site)
        if lane in unseen:
            continue
        for kind in kinds:
            if kind in here.get(lane, ()):
                here[lane].remove(kind)
            else:
                count += 1
    return count


def occupancy(on: Mapping[Site, tuple[Kind, ...]]) -> dict[Site, int]:
    """How many tokens stand on each site, whatever their kind: a flickering name is no movement."""
    return {site: len(kinds) for site, kinds in on.items()}
