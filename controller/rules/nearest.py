"""The legal turn that one piece would make of an illegal placement: shown beside the way back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

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
    """For a game whose turns are too many to list: each piece that the way back would move is tried in every lane."""
    if seen.hidden:
        return None
    lanes, before = _lanes(game), game.picture(position).on
    seen = game.normal(seen)
    for origin in [shift.origin for shift in game.judge(position, seen).way_back]:
        if origin is None or len(seen.on[origin]) != 1:
            continue
        home = game.lane(origin)
        kind = seen.on[origin][0]
        rest = {site: kinds for site, kinds in seen.on.items() if site != origin}
        for lane in sorted(lanes, key=lambda name: (name != home, name)):
            for to, on in _put_in(lanes[lane], rest, kind):
                wanted = game.normal(Placement(on, seen.off))
                if wanted.on == before or any(game.lane(site) in platforms for site in on):
                    continue  # put back, or no end of a turn: nothing stays on a platform
                turn = next(game.legal_turns(position, towards=wanted), None)
                if turn is not None:
                    return Nearest(turn, Shift(kind, origin, to))
    return None


def _lanes(game: Game) -> dict[str, list[Site]]:
    lanes: dict[str, list[Site]] = {}
    for site in sorted(game.sites):
        lanes.setdefault(game.lane(site), []).append(site)
    return lanes


def _put_in(
    sites: list[Site], on: Mapping[Site, tuple[Kind, ...]], kind: Kind
) -> Iterator[tuple[Site, dict[Site, tuple[Kind, ...]]]]:
    """A lane with one more piece, at each place of its order."""
    order = [on[site] for site in sites if site in on]
    if len(order) == len(sites):
        return
    others = {site: kinds for site, kinds in on.items() if site not in sites}
    for at in range(len(order) + 1):
        yield sites[at], others | dict(zip(sites, [*order[:at], (kind,), *order[at:]], strict=False))
