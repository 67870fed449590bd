"""The legal turn that one piece would make of an illegal placement: shown beside the way back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

from controller.rules.api import (
    Game,
    Kind,
    MeasuresDistance,
    Nearest,
    Placement,
    PlaysInStrokes,
    Position,
    Shift,
    Site,
)

FEW = 2  # pieces out of place at most for which others like them are tried, too


def nearest_turn(game: Game, position: Position, seen: Placement) -> Nearest | None:
    """The turn that stands complete when one piece is set right; of several the one it is carried least far for.

    Sites that the turn or the piece needs must be visible. None where no turn is one piece away.
    """
    if isinstance(game, PlaysInStrokes):
        return _by_trying(game, {*game.platforms}, position, seen)
    best: tuple[float, Nearest] | None = None
    standing = _pieces(seen, seen.hidden)
    for turn in game.legal_turns(position):
        shift = _one_shift(standing, _pieces(game.picture(game.after(position, turn)), seen.hidden))
        if shift is None or seen.hidden & (game.turn_sites(position, turn) | {shift.origin, shift.to}):
            continue
        far = _far(game, shift)
        if best is None or far < best[0]:
            best = far, Nearest(turn, shift)
    return best[1] if best else None


def _pieces(placement: Placement, hidden: frozenset[Site]) -> Counter[tuple[Kind, Site]]:
    return Counter((kind, site) for site, kinds in placement.on.items() if site not in hidden for kind in kinds)


def _one_shift(standing: Counter[tuple[Kind, Site]], wanted: Counter[tuple[Kind, Site]]) -> Shift | None:
    """The one piece that is all the difference: carried, taken off, or laid down from beside the board."""
    extra, lacking = list((standing - wanted).elements()), list((wanted - standing).elements())
    if len(extra) > 1 or len(lacking) > 1 or not extra + lacking:
        return None
    if extra and lacking and extra[0][0] != lacking[0][0]:
        return None
    kind = (extra or lacking)[0][0]
    return Shift(kind, extra[0][1] if extra else None, lacking[0][1] if lacking else None)


def _far(game: Game, shift: Shift) -> float:
    if shift.origin is None or shift.to is None or not isinstance(game, MeasuresDistance):
        return 0.0
    return game.distance(shift.origin, shift.to)


def _by_trying(game: Game, platforms: set[str], position: Position, seen: Placement) -> Nearest | None:
    """For a game whose turns are too many to list: each piece that the way back would move is tried in every row."""
    seen, before = game.normal(seen), game.picture(position)
    if seen.hidden or _pieces(seen, seen.hidden).total() != _pieces(before, seen.hidden).total():
        return None  # where another piece is out of sight, one more would not do
    rows = {lane: sites for lane, sites in _lanes(game).items() if lane not in platforms}
    if any(site in seen.on and left not in seen.on for sites in rows.values() for left, site in pairwise(sites)):
        return None  # gaps count (an option): a row can't simply be closed up
    back = game.judge(position, seen).way_back
    tried = [(shift.piece, shift.origin) for shift in back if shift.origin is not None]
    if len(back) <= FEW:  # one like it may have moved instead
        tried += [piece for piece in _pieces(seen, seen.hidden) if piece[0] in {s.piece for s in back}]
    for kind, origin in dict.fromkeys(tried):
        rest = _orders(game, seen, kind, origin)
        if any(order for lane, order in rest.items() if lane in platforms):
            continue  # no turn ends with a piece on a platform
        home = game.lane(origin)
        for lane in sorted(rows, key=lambda name: (name != home, name)):
            for at in range(len(rest[lane]) + 1):
                order = [*rest[lane][:at], kind, *rest[lane][at:]]
                wanted = _laid(rows, rest | {lane: order})
                if wanted is None or wanted.on == before.on:
                    continue
                turn = next(game.legal_turns(position, towards=wanted), None)
                if turn is not None:
                    return Nearest(turn, Shift(kind, origin, rows[lane][at]))
    return None


def _lanes(game: Game) -> dict[str, list[Site]]:
    lanes: dict[str, list[Site]] = {}
    for site in sorted(game.sites):
        lanes.setdefault(game.lane(site), []).append(site)
    return lanes


def _orders(game: Game, seen: Placement, kind: Kind, origin: Site) -> dict[str, list[Kind]]:
    """What stands in each lane, in order, without one piece."""
    orders: dict[str, list[Kind]] = {game.lane(site): [] for site in game.sites}
    for site in sorted(seen.on):
        kinds = list(seen.on[site])
        if site == origin:
            kinds.remove(kind)
        orders[game.lane(site)] += kinds
    return orders


def _laid(rows: Mapping[str, list[Site]], orders: Mapping[str, list[Kind]]) -> Placement | None:
    """The rows laid out without gaps; None where one holds more than it can."""
    if any(len(orders[lane]) > len(sites) for lane, sites in rows.items()):
        return None
    return Placement(
        {site: (kind,) for lane, sites in rows.items() for site, kind in zip(sites, orders[lane], strict=False)}
    )
