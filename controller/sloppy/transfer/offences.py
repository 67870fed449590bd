"""Offences of Transfer that a placement can show, one kind for each reason code, and how they are made.

All of it in the mover's view: index 0 of a row is his end. A wrong stroke begins at a seam, a picture that stood: from
further away the referee asks. Codes are told apart here from the law's text, not from the engine's reasons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import NamedTuple, cast

from controller.rules.api import Game, Kind, Placement, Shift, Site
from controller.rules.transfer.board import KIND_OF, NORTH, OTHER, ROOM, ROWS, SLOTS, SOUTH, TransferPosition
from controller.rules.transfer.game import Transfer
from controller.rules.transfer.strokes import groups
from controller.sloppy.manners import Offence
from controller.sloppy.sitting import Sitting
from controller.sloppy.transfer.lanes import CELLS


class Board(NamedTuple):
    """What lies where, in the mover's view; lanes may hold more than they should."""

    rows: tuple[str, ...]
    own: str = ""
    other: str = ""

    def row(self, at: int, pieces: str) -> Board:
        """With another row."""
        return self._replace(rows=(*self.rows[:at], pieces, *self.rows[at + 1 :]))

    def load(self, at: int, size: int) -> Board:
        """A block from the near end onto the own platform."""
        row = self.rows[at]
        return self.row(at, row[size:])._replace(own=row[:size][::-1] + self.own)

    def unload(self, at: int, size: int) -> Board:
        """A block from the own platform into a row; what finds no room there leaves at the far end."""
        whole = self.own[:size][::-1] + self.rows[at]
        board = self._replace(own=self.own[size:], other=whole[ROOM:] + self.other)
        return board.row(at, whole[:ROOM])


class Scene:
    """The board as the maker of an offence sees it."""

    def __init__(self, table: Sitting) -> None:
        self.table = table
        self.game = cast(Transfer, table.game)
        self.position: TransferPosition = table.position
        self.mover = table.position.mover
        self.board = Board(tuple(row if self.mover == SOUTH else row[::-1] for row in self.position.rows))
        self.rows = self.board.rows
        self.order = table.rng.sample(range(len(ROWS)), len(ROWS))

    def picture(self, board: Board) -> Placement:
        """A board as it stands on the table; what a lane can't hold lies on its last site."""
        on: dict[Site, tuple[Kind, ...]] = {}
        rows = [row if self.mover == SOUTH else row[::-1] for row in board.rows]
        platforms = ((SLOTS[self.mover], board.own), (SLOTS[OTHER[self.mover]], board.other))
        lanes = [*zip(CELLS, rows, strict=True), *platforms]
        for sites, pieces in lanes:
            kinds = [KIND_OF[letter] for letter in pieces]
            on |= {site: (kind,) for site, kind in zip(sites, kinds, strict=False)}
            if len(kinds) > len(sites):
                on[sites[-1]] = tuple(sorted(kinds[len(sites) - 1 :]))
        return Placement(on)

    def offence(self, code: str, *boards: Board, done: bool = False, leading: bool = True) -> Offence:
        """The boards one after the other: the last one is wrong, those before it stand as stages."""
        seams = [self.picture(board) for board in (self.board, *boards)]
        steps = [between_pictures(self.game, one, two) for one, two in pairwise(seams)]
        if done:
            return Offence(code, first=tuple(s for step in steps for s in step), done=True, leading=leading)
        return Offence(code, steps[-1], first=tuple(s for step in steps[:-1] for s in step), leading=leading)

    def near(self, at: int) -> int:
        """The size of the group at the near end of a row, 0 for an empty one."""
        first = next(groups(self.rows[at]), None)
        return first[1] if first else 0

    def loads(self) -> Iterator[tuple[int, Board]]:
        """Every legal first load."""
        for at in self.order:
            if 0 < self.near(at) <= 3:
                yield at, self.board.load(at, self.near(at))


def between_pictures(game: Game, before: Placement, after: Placement) -> tuple[Shift, ...]:
    """What must be shifted to make one picture of another."""
    lanes: dict[str, list[Site]] = {}
    for site in sorted(game.sites):
        lanes.setdefault(game.lane(site), []).append(site)
    changed = [
        site
        for sites in lanes.values()
        if [before.on.get(site, ()) for site in sites] != [after.on.get(site, ()) for site in sites]
        for site in sites
    ]
    here = [(kind, site) for site in changed for kind in before.on.get(site, ())]
    there = [(kind, site) for site in changed for kind in after.on.get(site, ())]
    still = Counter(here) & Counter(there)
    shifts = []
    gone = list((Counter(here) - still).elements())
    for kind, site in (Counter(there) - still).elements():
        origin = next((pair for pair in gone if pair[0] == kind), None)
        if origin is not None:
            gone.remove(origin)
        shifts.append(Shift(kind, origin[1] if origin else None, site))
    return tuple(shifts) + tuple(Shift(kind, site, None) for kind, site in gone)


Maker = Callable[[Scene], Iterator[Offence]]


def wrong_platform(scene: Scene) -> Iterator[Offence]:
    """A near group is loaded onto the other side's platform, from a row too long for that side to have turned round."""
    for at, loaded in scene.loads():
        if len(scene.rows[at]) > 3 and len(scene.rows[at]) > scene.near(at):
            yield scene.offence("WRONG_PLATFORM", loaded._replace(own="", other=loaded.own))


def far_end(scene: Scene) -> Iterator[Offence]:
    """The piece at the far end is taken onto the own platform."""
    for at in scene.order:
        row = scene.rows[at]
        if len(row) > 1 and row[-1] != row[-2]:
            yield scene.offence("FAR_END", scene.board.row(at, row[:-1])._replace(own=row[-1]))


def over_capacity(scene: Scene) -> Iterator[Offence]:
    """A fourth piece is loaded onto three."""
    for one, loaded in scene.loads():
        for two in scene.order:
            size = 3 - len(loaded.own)
            row = loaded.rows[two]
            if len(row) > size and (not size or row[size - 1] != row[size]):
                full = loaded.load(two, size)
                for three in scene.order:
                    if three not in (one, two) and scene.near(three) == 1:
                        yield scene.offence("OVER_CAPACITY", full, full.load(three, 1))


def split_load(scene: Scene) -> Iterator[Offence]:
    """Part of a group is loaded."""
    for at in scene.order:
        for size in range(1, min(scene.near(at), 4)):
            yield scene.offence("GROUP_SPLIT_LOAD", scene.board.load(at, size))


def split_platform(scene: Scene) -> Iterator[Offence]:
    """Three like pieces from several rows lie on the platform: no other can have lain between. One goes alone."""
    for letter in KIND_OF:
        sources = [at for at in scene.order if scene.rows[at][:1] == letter and scene.near(at) < 3]
        for chosen in (*combinations(sources, 2), *combinations(sources, 3)):
            if sum(map(scene.near, chosen)) == 3:
                full = scene.board
                for at in chosen:
                    full = full.load(at, scene.near(at))
                for to in scene.order:
                    if to not in chosen and len(scene.rows[to]) < ROOM and scene.rows[to][:1] != letter:
                        yield scene.offence("GROUP_SPLIT_PLATFORM", full, full.unload(to, 1))


def split_push(scene: Scene) -> Iterator[Offence]:
    """A push into a full row sends part of a group out at the far end."""
    for one, loaded in scene.loads():
        for to in scene.order:
            row, size = scene.rows[to], len(loaded.own)
            out = len(row) + size - ROOM
            if to != one and 0 < out < len(row) and row[-out] == row[-out - 1]:
                yield scene.offence("GROUP_SPLIT_PUSH", loaded, loaded.unload(to, size))


def out_of_order(scene: Scene) -> Iterator[Offence]:
    """Of two pieces loaded from one row the deeper one is taken off the platform first."""
    for one in scene.order:
        row = scene.rows[one]
        if len(row) > 2 and len({*row[:3]}) == 3:
            both = scene.board.load(one, 2)
            for to in scene.order:
                if to != one and len(scene.rows[to]) < ROOM:
                    deep = both.row(to, both.own[1] + scene.rows[to])._replace(own=both.own[0])
                    yield scene.offence("LIFO_ORDER", both, deep)


def overpush(scene: Scene) -> Iterator[Offence]:
    """Pushed on although there is room, until something comes out at the far end."""
    for one, loaded in scene.loads():
        for to in scene.order:
            row = scene.rows[to]
            if to != one and 1 < len(row) < ROOM and row[-1] != row[-2] and len(row) + len(loaded.own) <= ROOM:
                pushed = loaded.unload(to, len(loaded.own))
                out = pushed.row(to, pushed.rows[to][:-1])._replace(other=row[-1])
                yield scene.offence("OVERPUSH", loaded, out)


def reordered(scene: Scene) -> Iterator[Offence]:
    """Two pieces in the middle of a row change places, as no block that goes and comes back could bring about."""
    for at in scene.order:
        row = scene.rows[at]
        if len(row) == ROOM == len({*row}):
            yield scene.offence(
                "ROW_REORDERED", scene.board.row(at, row[0] + row[3] + row[2] + row[1] + row[4]), leading=False
            )


def no_room(scene: Scene) -> Iterator[Offence]:
    """A sixth piece in a row."""
    for one, loaded in scene.loads():
        for to in scene.order:
            if to != one and len(scene.rows[to]) == ROOM:
                crowded = loaded.row(to, loaded.own[::-1] + scene.rows[to])._replace(own="")
                yield scene.offence("NO_ROOM", loaded, crowded)


def load_after_unload(scene: Scene) -> Iterator[Offence]:
    """What has been pushed in, with something coming out, is loaded again."""
    for one, loaded in scene.loads():
        for to in scene.order:
            row, size = scene.rows[to], len(loaded.own)
            out = len(row) + size - ROOM
            if to != one and 0 < out < len(row) and row[-out] != row[-out - 1]:
                pushed = loaded.unload(to, size)
                yield scene.offence("LOAD_AFTER_UNLOAD", loaded, pushed, pushed.load(to, size))


def dead_end(scene: Scene) -> Iterator[Offence]:
    """Three of a colour come out on the other platform, and no row has room for three."""
    for one, first in scene.loads():
        for two in scene.order:
            for three in scene.order:
                if len({one, two, three}) == 3 and all(scene.near(at) == 1 for at in (one, two, three)):
                    full = first.load(two, 1).load(three, 1)
                    for to in scene.order:
                        end = full.unload(to, 3)
                        room = all(len(row) > ROOM - 3 for row in end.rows)
                        if to not in (one, two, three) and end.other[:1] * 3 == end.other and room:
                            yield scene.offence("DEAD_END", full, end)


def own_platform(scene: Scene) -> Iterator[Offence]:
    """Something is loaded, and its player says done; or the other side loads."""
    for at, loaded in scene.loads():
        yield scene.offence("OWN_PLATFORM_NOT_EMPTY", loaded, done=True)
        for to in scene.order:
            row = scene.rows[to]
            if to != at and len(row) > 1 and row[-1] != row[-2]:
                yield scene.offence("OWN_PLATFORM_NOT_EMPTY", loaded, loaded.row(to, row[:-1])._replace(other=row[-1]))


def other_platform(scene: Scene) -> Iterator[Offence]:
    """Something was pushed out, and the player says done."""
    for one, loaded in scene.loads():
        for to in scene.order:
            row, size = scene.rows[to], len(loaded.own)
            out = len(row) + size - ROOM
            if to != one and 0 < out < len(row) and row[-out] != row[-out - 1]:
                yield scene.offence("OPP_PLATFORM_NOT_EMPTY", loaded, loaded.unload(to, size), done=True)


def out_of_turn(scene: Scene) -> Iterator[Offence]:
    """The side that has just moved loads again."""
    for at in scene.order:
        row = scene.rows[at]
        size = next(groups(row[::-1]), (0, 0))[1]
        if 0 < size <= 3 and size < len(row):
            board = scene.board.row(at, row[: len(row) - size])
            yield scene.offence("OUT_OF_TURN", board._replace(other=row[len(row) - size :]))


def wrong_piece(scene: Scene) -> Iterator[Offence]:
    """A piece is taken away and a spare of another colour put in its place."""
    for at in scene.order:
        for site, letter in zip(CELLS[at], scene.position.rows[at], strict=False):
            for other in KIND_OF:
                if other != letter:
                    kept = (Shift(KIND_OF[letter], site, None),)
                    yield Offence("WRONG_PIECE", (Shift(KIND_OF[other], None, site),), kept=kept)


def extra_piece(scene: Scene) -> Iterator[Offence]:
    """A spare out of the box in a row that has no piece like it."""
    for at in scene.order:
        row = scene.position.rows[at]
        for letter in KIND_OF:
            if len(row) < ROOM and letter not in row:
                yield Offence("EXTRA_PIECE", (Shift(KIND_OF[letter], None, CELLS[at][len(row)]),))


def piece_count(scene: Scene) -> Iterator[Offence]:
    """A spare out of the box beside one like it: nobody can say which is too many."""
    for at in scene.order:
        row = scene.position.rows[at]
        for letter in {*row}:
            if len(row) < ROOM:
                yield Offence("PIECE_COUNT", (Shift(KIND_OF[letter], None, CELLS[at][len(row)]),))


def not_a_turn(scene: Scene) -> Iterator[Offence]:
    """A piece out of the middle of a row is put on the platform, and its ends change places."""
    for at in scene.order:
        row = scene.rows[at]
        if len(row) == ROOM and len({*row}) == ROOM:
            board = scene.board.row(at, row[4] + row[1] + row[3] + row[0])
            yield scene.offence("NOT_A_TURN", board._replace(own=row[2]), leading=False)


MAKERS: dict[str, Maker] = {
    "WRONG_PLATFORM": wrong_platform,
    "FAR_END": far_end,
    "OVER_CAPACITY": over_capacity,
    "GROUP_SPLIT_LOAD": split_load,
    "GROUP_SPLIT_PLATFORM": split_platform,
    "GROUP_SPLIT_PUSH": split_push,
    "LIFO_ORDER": out_of_order,
    "OVERPUSH": overpush,
    "ROW_REORDERED": reordered,
    "NO_ROOM": no_room,
    "LOAD_AFTER_UNLOAD": load_after_unload,
    "DEAD_END": dead_end,
    "OWN_PLATFORM_NOT_EMPTY": own_platform,
    "OPP_PLATFORM_NOT_EMPTY": other_platform,
    "PIECE_COUNT": piece_count,
    "OUT_OF_TURN": out_of_turn,
    "WRONG_PIECE": wrong_piece,
    "EXTRA_PIECE": extra_piece,
    "NOT_A_TURN": not_a_turn,
}

FULL_ROWS = ("osgyb", "vposg", "ybvpo", "sgybv", "posgy", "bvpos", "gybvp", "", "")
# Few games come to these.
OPENINGS: dict[str, TransferPosition] = {
    "DEAD_END": TransferPosition(("sgooo", "ybvp", "sgyb", "vpsg", "ybvp", "sgyb", "vpso", "ybv", "pog"), SOUTH),
    "GROUP_SPLIT_PLATFORM": TransferPosition(
        ("osgy", "obvp", "osgyb", "vpsg", "ybvp", "gybs", "vpso", "ybvg", "po"), SOUTH
    ),
    "NOT_A_TURN": TransferPosition(FULL_ROWS, NORTH),
    "ROW_REORDERED": TransferPosition(FULL_ROWS, SOUTH),
}


def unexplained(table: Sitting, offence: Offence) -> bool:
    """Whether no turn explains what will stand: not the next one, not the last one changed; and nobody is in doubt
    about whose turn it is."""
    game, position = table.game, table.position
    if not table.history and table.record.game_no:
        begun = game.to_move(game.parse_position(table.record.starts[table.record.game_no]))
        if begun is None:
            return False
    kept = tuple(Shift(shift.piece, shift.origin, None) for shift in offence.kept)
    stage = _shifted(table.stands(position), (*kept, *offence.first))
    if offence.first and game.judge(position, stage).answer != "partial":
        return False
    seen = _shifted(stage, offence.shifts)
    if not offence.done and game.judge(position, seen).answer != "illegal":
        return False
    if any(game.judge(before, table.stands(position)).answer == "complete" for before, _ in table.history[-2:-1]):
        return False  # the board may be that of the turn before the last one, changed
    return all(game.judge(before, seen).answer == "illegal" for before, _ in table.history[-1:])



def _shifted(before: Placement, shifts: tuple[Shift, ...]) -> Placement:
    """A picture with these shifts made, one after the other."""
    on = {site: list(kinds) for site, kinds in before.on.items()}
    for shift in shifts:
        if shift.origin is not None:
            on[shift.origin].remove(shift.piece)
        if shift.to is not None:
            on.setdefault(shift.to, []).append(shift.piece)
    return Placement({site: tuple(sorted(kinds)) for site, kinds in sorted(on.items()) if kinds})
