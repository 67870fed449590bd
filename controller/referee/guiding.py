"""Back to any position: from whatever stands to a position, piece by piece. One pure function.

Each misplaced piece is carried once. The board is read lane by lane (`Game.lane`): where only the order along a lane
counts, the longest order that is right already stays; everywhere else a lane is one site.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from controller.rules.api import Game, Kind, MeasuresDistance, Placement, Position, Shift, Site


@dataclass(frozen=True)
class Carry:
    """A piece on its way: its kind, its place in the target's picture, how many of its kind stood on the board."""

    kind: Kind
    place: Site
    standing: int


@dataclass(frozen=True)
class Guide:
    """What is to be done, first things first. `right` of `total` pieces stand where they belong.

    A piece that leaves its site for the hand (its place is taken by one that must go first) is taken off (`to` None),
    and comes back from beside the board (`origin` None). `to` counts a lane as it is when the piece has been taken up.
    `waits`: hidden sites without which nothing more can be said. `stands`: the position stands, as far as is seen.
    """

    shifts: tuple[Shift, ...] = ()
    right: int = 0
    total: int = 0
    waits: frozenset[Site] = frozenset()
    stands: bool = False
    going: Carry | None = None


@dataclass(eq=False)
class _Piece:
    """One piece of a lane: `place` is its number in the target's lane, None where it must leave."""

    kind: Kind
    site: Site
    place: int | None = None


@dataclass(eq=False)
class _Slot:
    lane: int
    place: int
    kind: Kind


@dataclass(eq=False)
class _Move:
    kind: Kind
    piece: _Piece | None  # None: from the hand or beside the board
    slot: _Slot | None  # None: off the board
    far: float = 0.0
    rank: int = 0  # 0 first: what is no piece of this position, what is in the hand, what is carried, what is missing


@dataclass
class _Board:
    """`holds`: how many pieces of the target a lane takes; `standing`: what is on it."""

    lanes: tuple[tuple[Site, ...], ...]
    holds: list[int] = field(default_factory=list)
    standing: list[list[_Piece]] = field(default_factory=list)

    def site(self, lane: int, at: int) -> Site:
        return self.lanes[lane][min(at, len(self.lanes[lane]) - 1)]

    def lane_of(self, piece: _Piece) -> int:
        return next(i for i, pieces in enumerate(self.standing) if piece in pieces)

    def room(self, move: _Move) -> bool:
        assert move.slot is not None
        lane = self.standing[move.slot.lane]
        return len(lane) - (move.piece in lane) < self.holds[move.slot.lane]

    def take(self, piece: _Piece) -> Site:
        """Take a piece up; the site where it stands now (a lane closes up behind what was taken from it)."""
        lane = self.lane_of(piece)
        pieces = self.standing[lane]
        site = self.site(lane, pieces.index(piece))
        pieces.remove(piece)
        return site

    def put(self, kind: Kind, slot: _Slot) -> Site:
        """Lay a piece down in order: before the next one that is right, otherwise at the lane's end."""
        pieces = self.standing[slot.lane]
        later = (i for i, one in enumerate(pieces) if one.place is not None and one.place > slot.place)
        at = next(later, len(pieces))
        site = self.site(slot.lane, at)
        pieces.insert(at, _Piece(kind, site, slot.place))
        return site


def guide(game: Game, seen: Placement, position: Position, before: Guide | None = None) -> Guide:
    """The way from what is seen to a position. `before`: the guide so far; a piece in the hand goes where it was to.

    Of hidden sites nothing is said before they are seen again, nor of pieces that may lie there.
    """
    wanted = game.picture(position)
    hidden = _hidden(game, seen)
    lanes = _lanes(game)
    board = _Board(lanes)
    slots: list[_Slot] = []
    dark: Counter[Kind] = Counter()  # what belongs on hidden sites
    right = 0
    for number, sites in enumerate(lanes):
        here = [_Piece(kind, site) for site in sites if site not in hidden for kind in seen.on.get(site, ())]
        goal = [kind for site in sites for kind in wanted.on.get(site, ())]
        if len(sites) == 1:  # pieces that share a site stand in no order
            goal.sort()
            here.sort(key=lambda piece: piece.kind)
        board.holds.append(max(len(sites), len(goal)))
        kept = _common(goal, [piece.kind for piece in here])
        for place, index in kept:
            here[index].place = place
        right += len(kept)
        if hidden & {*sites}:
            dark.update(goal)
            board.standing.append([])
            continue
        board.standing.append(here)
        found = {place for place, _ in kept}
        slots += [_Slot(number, place, kind) for place, kind in enumerate(goal) if place not in found]
    held = _held(before, seen, board, slots) if not hidden else None
    moves, unknown = _moves(game, seen, board, slots, dark if hidden else None, held)
    shifts, going, stuck = _ordered(board, moves, seen)
    total = sum(map(len, wanted.on.values()))
    nothing = not (shifts or unknown or stuck)
    stands = nothing and (not hidden or _must_stand(game, position, seen, hidden, lanes))
    return Guide(shifts, right, total, frozenset() if shifts or stands else hidden, stands, going)


def _must_stand(
    game: Game, position: Position, seen: Placement, hidden: frozenset[Site], lanes: tuple[tuple[Site, ...], ...]
) -> bool:
    """Whether nothing else can lie on the hidden sites; the rules know whether a turn could have been played there."""
    if game.tries_two_turns:
        return game.judge(position, seen).answer == "unchanged"
    wanted = Counter(kind for kinds in game.picture(position).on.values() for kind in kinds)
    sight = _in_sight(seen)
    absent = Counter(game.pieces) - sight
    alone = absent.total() <= 1 and all(len(hidden & {*sites}) <= 1 for sites in lanes)  # two may have changed places
    return alone and absent + sight == wanted


def _hidden(game: Game, seen: Placement) -> frozenset[Site]:
    """The hidden sites on which something may stand: where every piece is in sight, nothing does."""
    if not seen.hidden:
        return seen.hidden
    there = _in_sight(seen) + Counter(seen.off)
    return frozenset() if all(there[kind] == count for kind, count in game.pieces.items()) else seen.hidden


def _in_sight(seen: Placement) -> Counter[Kind]:
    return Counter(kind for site, kinds in seen.on.items() if site not in seen.hidden for kind in kinds)


@lru_cache(maxsize=32)
def _lanes(game: Game) -> tuple[tuple[Site, ...], ...]:
    grouped: dict[str, list[Site]] = {}
    for site in sorted(game.sites):
        grouped.setdefault(game.lane(site), []).append(site)
    kind = next(iter(game.pieces))
    lanes: list[tuple[Site, ...]] = []
    for sites in grouped.values():
        closed_up = game.normal(Placement({sites[-1]: (kind,)})).on  # does a gap count here?
        lanes += [tuple(sites)] if closed_up.get(sites[0]) else [(site,) for site in sites]
    return tuple(lanes)


def _common(goal: Sequence[Kind], here: Sequence[Kind]) -> list[tuple[int, int]]:
    """One longest order that both share, as pairs of indices."""
    best = [[0] * (len(here) + 1) for _ in range(len(goal) + 1)]
    for i in range(len(goal) - 1, -1, -1):
        for j in range(len(here) - 1, -1, -1):
            best[i][j] = best[i + 1][j + 1] + 1 if goal[i] == here[j] else max(best[i + 1][j], best[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(goal) and j < len(here):
        if goal[i] == here[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _held(before: Guide | None, seen: Placement, board: _Board, slots: list[_Slot]) -> _Slot | None:
    """The slot of a piece that was taken up as the guide said and is in the hand still."""
    going = before.going if before is not None else None
    if going is None or _in_sight(seen)[going.kind] != going.standing - 1:
        return None
    fitting = (slot for slot in slots if slot.kind == going.kind and board.site(slot.lane, slot.place) == going.place)
    return next(fitting, None)


def _moves(
    game: Game, seen: Placement, board: _Board, slots: list[_Slot], dark: Counter[Kind] | None, held: _Slot | None
) -> tuple[list[_Move], bool]:
    """Every piece that must be moved, each kind paired nearest first; and whether hidden sites leave others open."""
    moves: list[_Move] = []
    unknown = False
    misplaced = [piece for lane in board.standing for piece in lane if piece.place is None]
    measure = game.distance if isinstance(game, MeasuresDistance) else None  # this question is slow
    lit = Counter(piece.kind for lane in board.standing for piece in lane) + Counter(seen.off)
    for kind in sorted({piece.kind for piece in misplaced} | {slot.kind for slot in slots}):
        pieces = [piece for piece in misplaced if piece.kind == kind]
        free = [slot for slot in slots if slot.kind == kind and slot is not held]
        if held is not None and held.kind == kind:
            moves.append(_Move(kind, None, held, rank=1))
        pairs = sorted(
            (
                (_far(measure, board, piece, slot), i, k)
                for i, piece in enumerate(pieces)
                for k, slot in enumerate(free)
            ),
        )
        used_pieces: set[int] = set()
        used_slots: set[int] = set()
        for far, i, k in pairs:
            if i not in used_pieces and k not in used_slots:
                used_pieces.add(i)
                used_slots.add(k)
                moves.append(_Move(kind, pieces[i], free[k], far, 2))
        spare = [piece for i, piece in enumerate(pieces) if i not in used_pieces]
        lacking = [slot for k, slot in enumerate(free) if k not in used_slots]
        if dark is not None:
            waiting = min(len(spare), dark[kind])
            unknown = unknown or bool(waiting)
            spare = spare[waiting:]
            if lit[kind] < game.pieces.get(kind, 0):  # it may lie where nobody can see it
                unknown = unknown or bool(lacking)
                lacking = []
        moves += [_Move(kind, piece, None) for piece in spare]
        moves += [_Move(kind, None, slot, rank=3) for slot in lacking]
    return moves, unknown


def _far(measure: Callable[[Site, Site], float] | None, board: _Board, piece: _Piece, slot: _Slot) -> float:
    to = board.site(slot.lane, slot.place)
    if measure is not None:
        return measure(piece.site, to)
    names = [sites[0] for sites in board.lanes]
    home = board.lane_of(piece)
    return abs(home - slot.lane) + abs(board.standing[home].index(piece) - slot.place) / len(names)


def _ordered(board: _Board, moves: list[_Move], seen: Placement) -> tuple[tuple[Shift, ...], Carry | None, bool]:
    """The moves in an order in which each piece finds room; what the first one carries; whether some must wait."""
    todo = sorted(moves, key=lambda move: (move.rank, move.far))
    shifts: list[Shift] = []
    going: Carry | None = None
    standing = _in_sight(seen)
    while todo:
        move = next((one for one in todo if one.slot is None or board.room(one)), None)
        in_hand = move is None
        if move is None:  # in a circle: one of them is taken in the hand
            move = next((one for one in todo if one.piece is not None), None)
            if move is None:
                break
        todo.remove(move)
        if not shifts and move.slot is not None:
            lifted = move.piece is None and move.rank == 1
            place = board.site(move.slot.lane, move.slot.place)
            going = Carry(move.kind, place, standing[move.kind] + lifted) if move.piece or lifted else None
        origin = board.take(move.piece) if move.piece is not None else None
        if in_hand or move.slot is None:
            shifts.append(Shift(move.kind, origin, None))
            if in_hand:
                todo.insert(0, _Move(move.kind, None, move.slot, rank=1))
        else:
            shifts.append(Shift(move.kind, origin, board.put(move.kind, move.slot)))
    return tuple(shifts), going, bool(todo)
