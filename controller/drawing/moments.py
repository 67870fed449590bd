"""A record as a row of boards: the start, each turn, each placement judged illegal, each position that was set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from controller.journal.fold import Illegal, Record, TurnRow
from controller.rules.api import CountsPoints, Game, Position, RulesError, Shift

Standing = Mapping[str, tuple[str, ...]]
"""Site -> the kinds of the pieces that stand there, in the game's names."""


@dataclass(frozen=True)
class Moment:
    """One board of a game. `n`: how many turns stand; `shifts`: what was carried since the board before.

    `marked`: those of them that are shown as the turn, without pieces that only closed a gap in their row.
    `turn` of a turn, `illegal` of an illegal placement. After that one the board before it stands again.
    """

    kind: Literal["start", "turn", "illegal", "set"]
    n: int
    on: Standing
    shifts: tuple[Shift, ...] = ()
    turn: TurnRow | None = None
    illegal: Illegal | None = None
    to_move: str | None = None
    score: tuple[int, int] | None = None
    marked: tuple[Shift, ...] = ()


def moments(record: Record, game: Game) -> tuple[Moment, ...]:
    """Every board of a game, in the order in which they stood. RulesError where a position can't be read."""
    if record.start is None:
        return ()
    position = game.parse_position(record.start)
    found = [_moment(game, "start", 0, position)]
    found += _wrong(record, 0, found[-1])
    set_to = {on.n: on.position for on in record.gone_on}
    found += _set(game, set_to.get(0), 0, found[-1].on)
    for turn in record.turns:
        before = _stood(found)
        if turn.n - 1 in set_to:
            position = game.parse_position(set_to[turn.n - 1])
        position, told = _after(game, position, turn)
        on = game.picture(position).on
        found.append(_moment(game, "turn", turn.n, position, carried(before, on, told), turn))
        found += _wrong(record, turn.n, found[-1])
        found += _set(game, set_to.get(turn.n), turn.n, on)
    return tuple(found)


def _moment(
    game: Game,
    kind: Literal["start", "turn", "set"],
    n: int,
    position: Position,
    shifts: tuple[Shift, ...] = (),
    turn: TurnRow | None = None,
) -> Moment:
    score = game.score(position) if isinstance(game, CountsPoints) else None
    on, marked = game.picture(position).on, _between_lanes(game, shifts)
    return Moment(kind, n, on, shifts, turn, None, game.to_move(position), score, marked)


def _between_lanes(game: Game, shifts: tuple[Shift, ...]) -> tuple[Shift, ...]:
    def lane(site: str | None) -> str | None:
        return game.lane(site) if site is not None else None

    return tuple(shift for shift in shifts if lane(shift.origin) != lane(shift.to)) or shifts


def _stood(found: Sequence[Moment]) -> Standing:
    """The last board that was no illegal one."""
    return next(moment.on for moment in reversed(found) if moment.kind != "illegal")


def _after(game: Game, position: Position, turn: TurnRow) -> tuple[Position, tuple[Shift, ...]]:
    """The position after a turn, and what was carried in it, as far as the rules tell."""
    try:
        if game.to_move(position) != turn.player:
            position = game.with_mover(position, turn.player)
        read = game.parse_turn(position, turn.text)
        after = game.after(position, read)
        if game.position_text(after) == turn.position:
            return after, game.turn_shifts(position, read)
    except RulesError:
        pass  # accepted as played
    return game.parse_position(turn.position), ()


def _set(game: Game, text: str | None, n: int, before: Standing) -> list[Moment]:
    """The board of a position that the game went on from, where it is another one."""
    if text is None:
        return []
    position = game.parse_position(text)
    on = game.picture(position).on
    return [] if on == before else [_moment(game, "set", n, position, carried(before, on))]


def _wrong(record: Record, n: int, stands: Moment) -> list[Moment]:
    found = []
    for illegal in record.illegal:
        if illegal.n == n:
            on, shifts = _undone(stands.on, illegal.way_back)
            found.append(Moment("illegal", n, on, shifts, None, illegal, stands.to_move, stands.score, shifts))
    return found


def _undone(on: Standing, way_back: Iterable[Mapping[str, Any]]) -> tuple[Standing, tuple[Shift, ...]]:
    """The illegal placement from which the way back leads to the board that stood."""
    there = {site: list(kinds) for site, kinds in on.items()}
    made: list[Shift] = []
    for step in way_back:
        piece, at, home = str(step.get("piece")), step.get("from"), step.get("to")
        if home is not None and piece in there.get(home, ()):
            there[home].remove(piece)
        if at is not None:
            there.setdefault(at, []).append(piece)
        made.append(Shift(piece, home, at))
    return {site: tuple(kinds) for site, kinds in there.items() if kinds}, tuple(made)


def carried(before: Standing, after: Standing, told: Iterable[Shift] = ()) -> tuple[Shift, ...]:
    """What was carried between two boards: what the rules tell, and for the rest each piece to a place of its kind."""
    gone = Counter((site, kind) for site, kinds in before.items() for kind in kinds)
    come = Counter((site, kind) for site, kinds in after.items() for kind in kinds)
    gone, come = gone - come, come - gone
    made: list[Shift] = []
    for shift in told:
        origin, to = (shift.origin or "", shift.piece), (shift.to or "", shift.piece)
        if (shift.origin is None or gone[origin]) and (shift.to is None or come[to]):
            gone[origin] -= shift.origin is not None
            come[to] -= shift.to is not None
            made.append(shift)
    left = sorted((+gone).elements())
    for site, kind in sorted((+come).elements()):
        origin_site = next((at for at, piece in left if piece == kind), None)
        if origin_site is not None:
            left.remove((origin_site, kind))
        made.append(Shift(kind, origin_site, site))
    return (*made, *(Shift(kind, site, None) for site, kind in left))
