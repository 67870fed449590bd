"""Why a board is illegal: the law with one rule switched off explains it, fewest pieces first.

The rules are tried in the order in which they name most offences rightly; "fewest pieces first" matters more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from controller.rules.api import Player, Reason, Site
from controller.rules.transfer.board import CAPACITY, KIND_OF, NORTH, OTHER, ROOM, ROWS, SLOTS, SOUTH, facing
from controller.rules.transfer.finishing import can_end
from controller.rules.transfer.lanes import FOREIGN, PLACE, PLATFORM, Lanes, way_back
from controller.rules.transfer.matching import Board, Match, Work, groups, solve
from controller.rules.transfer.reasons import reason
from controller.rules.transfer.rowways import Allowed, Way
from controller.rules.transfer.strokes import Law

RELAXED: tuple[tuple[str, Mapping[str, bool]], ...] = (
    ("GROUP_SPLIT_LOAD", {"split_load": True}),
    ("GROUP_SPLIT_PLATFORM", {"split_platform": True}),
    ("GROUP_SPLIT_PUSH", {"split_push": True}),
    ("GROUP_SPLIT_LOAD", {"split_load": True, "piecewise": True}),
    ("LIFO_ORDER", {"any_order": True}),
    ("FAR_END", {"far_end": True}),
    ("OVERPUSH", {"overpush": True}),
    ("LOAD_AFTER_UNLOAD", {"reloaded": True, "any_order": True}),
    ("LOAD_AFTER_UNLOAD", {"early_clear": True, "any_order": True}),
)
MOST = CAPACITY + 1  # pieces of one turn that are still called too many; beyond it nothing is sure (and it gets slow)


def owing(board: Board, mover: Player) -> tuple[Reason, ...]:
    """What a turn declared done with pieces on platforms owes."""
    found = []
    for code, pieces, side in (
        ("OWN_PLATFORM_NOT_EMPTY", board.own, mover),
        ("OPP_PLATFORM_NOT_EMPTY", board.other, OTHER[mover]),
    ):
        if pieces:
            sites = SLOTS[side][: len(pieces)]
            found.append(reason(code, mover, sites, piece=KIND_OF[pieces[0]], site=sites[0], count=str(len(pieces))))
    return tuple(found)


def miscounted(before: Lanes, seen: Lanes, extra: Mapping[str, int], mover: Player) -> tuple[Reason, ...]:
    """Pieces of a kind that there are too many of: exchanged for another, added, or neither can be told."""
    exchanged = list(_exchanged(before, seen, extra, mover))
    if exchanged:
        return tuple(exchanged)
    found = []
    for lane, pieces in enumerate(seen.pieces):
        for i, letter in enumerate(pieces):
            new = letter == FOREIGN or pieces.count(letter) > before.pieces[lane].count(letter)
            if letter in extra and new:
                facts = {"piece": KIND_OF.get(letter, FOREIGN), "site": seen.at[lane][i]}
                found.append(reason("EXTRA_PIECE", mover, (seen.at[lane][i],), **facts))
    if len(found) == 1:
        return tuple(found)
    counts = [
        reason("PIECE_COUNT", mover, tuple(_sites_of(seen, letter)), piece=KIND_OF[letter], count=str(count))
        for letter, count in extra.items()
        if letter in KIND_OF
    ]
    return (*counts, *found)


def _exchanged(before: Lanes, seen: Lanes, extra: Mapping[str, int], mover: Player) -> Iterator[Reason]:
    for lane, (old, new) in enumerate(zip(before.pieces, seen.pieces, strict=True)):
        if len(old) == len(new):
            wrong = [i for i in range(len(old)) if old[i] != new[i]]
            if len(wrong) == 1 and new[wrong[0]] in extra:
                i = wrong[0]
                site = seen.at[lane][i]
                facts = {"site": site, "piece": KIND_OF.get(new[i], FOREIGN), "other": KIND_OF[old[i]]}
                yield reason("WRONG_PIECE", mover, (site,), **facts)


def _sites_of(seen: Lanes, letter: str) -> Iterator[Site]:
    for lane, pieces in enumerate(seen.pieces):
        for i, piece in enumerate(pieces):
            if piece == letter:
                yield seen.at[lane][i]


def crowded(seen: Lanes, mover: Player) -> tuple[Reason, ...]:
    """Rows with more than five pieces, platforms with more than three."""
    found = []
    for side in (SOUTH, NORTH):
        lane = PLATFORM[side]
        if len(seen.pieces[lane]) > CAPACITY:
            sites = seen.at[lane]
            found.append(reason("OVER_CAPACITY", mover, sites, count=str(len(sites)), site=sites[0]))
    for lane in range(9):
        if len(seen.pieces[lane]) > ROOM:
            sites = seen.at[lane]
            found.append(reason("NO_ROOM", mover, sites, row=ROWS[lane], count=str(len(sites))))
    return tuple(found)


def doubled(seen: Lanes, mover: Player) -> tuple[Reason, ...]:
    """Cells of rows with more than one piece: where gaps count these have no order."""
    sites = [site for stands in seen.at[:9] for site in stands]
    twice = [site for site in dict.fromkeys(sites) if sites.count(site) > 1]
    return tuple(reason("TWO_ON_A_SITE", mover, (site,), site=site) for site in twice)


def dead_end(seen: Lanes, mover: Player) -> Reason:
    """A stage from which the turn can't be ended: the group that fits nowhere."""
    board = seen.board(mover, Law())
    lane = PLATFORM[mover if board.own else OTHER[mover]]
    sites = seen.at[lane]
    return reason("DEAD_END", mover, sites, piece=KIND_OF[seen.pieces[lane][0]], site=sites[0])


def _unseen(allowed: Allowed) -> int:
    """How many rows that look unchanged an offence may have used: what no row shows is hardly a reason."""
    return 0 if allowed.overpush or allowed.capacity > CAPACITY else 1


class Case:
    """One side's reading of an illegal board (no piece missing, no lane overfull); gaps don't count here."""

    def __init__(self, before: Lanes, seen: Lanes, mover: Player, law: Law, work: Work) -> None:
        self.was, self.seen, self.mover, self.work = before, seen, mover, work
        self.allowed = Allowed(each_piece=law.piecewise, free=law.free)
        self.relaxed = [one for one in RELAXED if not (one[0] == "OVERPUSH" and law.overpush)]
        self.before = facing(before.pieces[:9], mover)
        self.theirs = facing(before.pieces[:9], OTHER[mover])
        self.board = seen.board(mover, Law())

    def reasons(self, either: bool) -> tuple[tuple[Reason, ...], int]:
        """Reasons, and how many pieces the first one is about (99: none found). `either`: both sides may move."""
        board = self.board
        if not either and self._legal_for_other():
            return (reason("OUT_OF_TURN", self.mover, self._changed_sites()),), 0
        if self._try(self.allowed, CAPACITY):  # an option forbids it that is not looked at here
            return (reason("NOT_A_TURN", self.mover, self._changed_sites()),), 99
        if board.own != board.other:
            swapped = Board(board.rows, board.other, board.own)
            if solve(self.before, swapped, self.allowed, self.work):
                side, pieces = (OTHER[self.mover], board.other) if board.other else (self.mover, board.own)
                sites = SLOTS[side][: len(pieces)]
                facts = {"piece": KIND_OF[pieces[0]], "site": sites[0]}
                return (reason("WRONG_PLATFORM", self.mover, sites, **facts),), 1
        reordered = self._reordered()
        hit, size = self._first_relaxed(reordered)
        found = ([hit] if hit else []) + reordered
        return tuple(found) or (reason("NOT_A_TURN", self.mover, self._changed_sites()),), size

    def _try(self, allowed: Allowed, limit: int, separators: int = CAPACITY) -> Match | None:
        return solve(self.before, self.board, allowed, self.work, limit, separators)

    def _legal_for_other(self) -> bool:
        board = self.seen.board(OTHER[self.mover], Law())
        return solve(self.theirs, board, self.allowed, self.work) is not None and (
            not (board.own or board.other) or can_end(board, self.allowed)
        )

    def _first_relaxed(self, reordered: list[Reason]) -> tuple[Reason | None, int]:
        """The reason of the first rule that explains the board when it is switched off, fewest pieces first.

        A row in another order is a better reason than several pieces gone round about.
        """
        possible = []
        for code, switches in self.relaxed:
            if code == "LOAD_AFTER_UNLOAD" and not self.board.own:
                continue  # what was loaded too late lies on the platform, or nothing of it shows
            allowed = self.allowed._replace(**switches)
            match = self._try(allowed, CAPACITY, _unseen(allowed))
            if match:
                possible.append((code, allowed, match))
        for limit in range(1, CAPACITY):
            for code, allowed, _ in possible:
                match = self._try(allowed, limit, _unseen(allowed))
                if match:
                    return self._named(code, match), limit
            if reordered:
                return None, limit
        for code, _, match in possible:
            return self._named(code, match), CAPACITY
        alone = self._one_piece()
        if alone:
            return alone, 1
        allowed = self.allowed._replace(capacity=MOST)
        match = self._try(allowed, MOST, _unseen(allowed))
        if match:
            return reason("OVER_CAPACITY", self.mover, self._sites(match), count=str(MOST)), MOST
        return None, 99

    def _one_piece(self) -> Reason | None:
        """Where one piece alone has left its lane: it went where none may go, or came from where none may be taken."""
        if sum(one != two for one, two in zip(self.was.pieces, self.seen.pieces, strict=True)) > 2:
            return None
        back = way_back(self.was, self.seen)
        if len(back) != 1 or back[0].origin is None or back[0].to is None:
            return None
        stands, lay = back[0].origin, back[0].to
        to, row = PLACE[stands][0], PLACE[lay][0]
        facts = {"piece": back[0].piece, "site": stands}
        if to == PLATFORM[OTHER[self.mover]]:
            return reason("WRONG_PLATFORM", self.mover, (stands,), **facts)
        index = self.was.at[row].index(lay)
        near, far = self._ends(len(self.was.pieces[row]))
        if index != near:
            form = "load" if index == far else "inside"
            return reason("FAR_END", self.mover, (*self._row_sites(row), stands), **facts, row=ROWS[row], form=form)
        if to == PLATFORM[self.mover]:
            return None
        near, far = self._ends(len(self.seen.pieces[to]))
        if self.seen.at[to].index(stands) == near:
            return None
        form = "put" if self.seen.at[to].index(stands) == far else "between"
        return reason("FAR_END", self.mover, self._row_sites(to), **facts, row=ROWS[to], form=form)

    def _ends(self, size: int) -> tuple[int, int]:
        """The places of a row's piece at the mover's end and at the far end, of `size` pieces there."""
        return (0, size - 1) if self.mover == SOUTH else (size - 1, 0)

    def _reordered(self) -> list[Reason]:
        """Rows with the same pieces in another order, where nothing else is wrong."""
        rows = tuple(
            old if old != new and sorted(old) == sorted(new) else new
            for old, new in zip(self.before, self.board.rows, strict=True)
        )
        if rows == self.board.rows:
            return []
        rest = Board(rows, self.board.own, self.board.other)
        if rows != self.before and not solve(self.before, rest, self.allowed, self.work):
            return []
        return [
            reason("ROW_REORDERED", self.mover, self._row_sites(row), row=ROWS[row])
            for row in range(9)
            if rows[row] != self.board.rows[row]
        ]

    def _named(self, code: str, match: Match) -> Reason:
        """The relaxation's reason with the row or platform that it is about."""
        board = self.board
        if code in ("GROUP_SPLIT_PLATFORM", "LIFO_ORDER"):
            own = bool(board.own) or not board.other
            pieces = board.own or board.other
            sites = self._platform_sites() or self._sites(match)
            way = next((way for _, way in match.chosen if way.inserted), None)
            letter = pieces[0] if pieces else (way.inserted[0] if way else match.chosen[0][1].loaded[0])
            facts = {"form": "own" if own else "other", "piece": KIND_OF[letter], "site": sites[0]}
            return reason(code, self.mover, sites, **facts)
        row, way = self._culprit(code, match)
        out = code in ("GROUP_SPLIT_PUSH", "OVERPUSH", "LOAD_AFTER_UNLOAD")
        about = (way.ejected if out else way.inserted if way.far == "put" else way.loaded) or "".join(way[:4])
        facts = {"row": ROWS[row], "piece": KIND_OF[about[-1]]}
        if code == "FAR_END":
            facts["form"] = way.far or "load"
        sites = self._row_sites(row)
        return reason(code, self.mover, sites, **facts, site=sites[0])

    def _culprit(self, code: str, match: Match) -> tuple[int, Way]:
        """The row whose way the strict law does not have."""
        tests: Mapping[str, Callable[[int, Way], bool]] = {
            "GROUP_SPLIT_LOAD": self._splits_load,
            "GROUP_SPLIT_PUSH": self._splits_push,
            "FAR_END": lambda row, way: bool(way.far),
            "OVERPUSH": lambda row, way: bool(way.ejected) and self._least(row, way) < len(way.ejected),
            "LOAD_AFTER_UNLOAD": lambda row, way: bool(way.ejected) and not way.inserted,
        }
        for row, way in match.chosen:
            if tests[code](row, way):
                return row, way
        return match.chosen[0]

    def _least(self, row: int, way: Way) -> int:
        return max(0, len(self.before[row]) - len(way.loaded) + len(way.inserted) - ROOM)

    def _splits_load(self, row: int, way: Way) -> bool:
        was, size = self.before[row], len(way.loaded)
        cut = 0 < size < len(was) and was[size - 1] == was[size]
        return cut or any(len(group) > 1 for group in groups(way.loaded))

    def _splits_push(self, row: int, way: Way) -> bool:
        was = self.before[row]
        outs = {out for out in way.surplus if 0 < out < len(was)}
        return any(was[len(was) - out - 1] == was[len(was) - out] for out in outs)

    def _sites(self, match: Match) -> tuple[Site, ...]:
        return tuple(site for row, _ in match.chosen for site in self._row_sites(row))

    def _row_sites(self, row: int) -> tuple[Site, ...]:
        return self.seen.at[row] or (f"{ROWS[row]}1",)

    def _platform_sites(self) -> tuple[Site, ...]:
        side = self.mover if self.board.own else OTHER[self.mover]
        return self.seen.at[PLATFORM[side]]

    def _changed_sites(self) -> tuple[Site, ...]:
        """Where pieces stand that were not there: the platforms, and the rows that differ."""
        found: tuple[Site, ...] = self.seen.at[PLATFORM[SOUTH]] + self.seen.at[PLATFORM[NORTH]]
        for row in range(9):
            if self.before[row] != self.board.rows[row]:
                found += self._row_sites(row)
        return found
