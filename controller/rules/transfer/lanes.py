"""A placement read lane by lane: only the order along a row or a platform counts, not the cells.

Lanes are numbered: 0 to 8 the rows A to I (South to North), 9 South's platform, 10 North's (mouth first).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from controller.rules.api import Kind, Placement, Player, RulesError, Shift, Site
from controller.rules.transfer import picture as pictures
from controller.rules.transfer.board import (
    KIND_OF,
    LETTER_OF,
    NORTH,
    SOUTH,
    TransferPosition,
)
from controller.rules.transfer.matching import Board
from controller.rules.transfer.strokes import GAP, Law, view

LANES: tuple[tuple[Site, ...], ...] = tuple(pictures.LANES.values())
PLATFORM = {SOUTH: 9, NORTH: 10}
PLACE = {site: (lane, at) for lane, sites in enumerate(LANES) for at, site in enumerate(sites)}
FOREIGN = "?"  # a piece that this game does not have
WAYS_TO_HIDE = 200  # more than so many ways in which unseen pieces may lie: unclear


@dataclass(frozen=True)
class Lanes:
    """`pieces[lane]`: colour letters in order; `at[lane]`: where each of them stands."""

    pieces: tuple[str, ...]
    at: tuple[tuple[Site, ...], ...]

    def rows(self, cells: bool) -> tuple[str, ...]:
        """Rows A to I, South to North; with `cells` the gaps are written."""
        if not cells:
            return self.pieces[:9]
        return tuple(_gapped(self.pieces[lane], self.at[lane]) for lane in range(9))

    def key(self, cells: bool) -> tuple[str, ...]:
        """What tells two boards apart."""
        return self.rows(cells) + self.pieces[9:]

    def board(self, mover: Player, law: Law) -> Board:
        """The same in a player's view."""
        other = NORTH if mover == SOUTH else SOUTH
        rows = view(law, self.rows(law.cells), mover)
        return Board(rows, self.pieces[PLATFORM[mover]], self.pieces[PLATFORM[other]])

    def with_piece(self, lane: int, at: int, letter: str, cells: bool) -> Lanes | None:
        """One piece more, before the piece number `at` of the lane; with `cells` on its free cell `at`."""
        stands = self.at[lane]
        site = LANES[lane][at] if cells or not stands else stands[min(at, len(stands) - 1)]
        if cells:
            if site in stands:
                return None
            at = sum(PLACE[where][1] < at for where in stands)
        pieces, sites = list(self.pieces), list(self.at)
        pieces[lane] = pieces[lane][:at] + letter + pieces[lane][at:]
        sites[lane] = (*stands[:at], site, *stands[at:])
        return Lanes(tuple(pieces), tuple(sites))


def _gapped(pieces: str, stands: tuple[Site, ...]) -> str:
    line = ""
    for letter, site in zip(pieces, stands, strict=True):
        line = line.ljust(PLACE[site][1], GAP) + letter
    return line


def read(placement: Placement) -> Lanes:
    """The lanes as seen, without what stands on hidden sites."""
    letters: list[str] = [""] * len(LANES)
    stands: list[tuple[Site, ...]] = [()] * len(LANES)
    found: list[tuple[int, int, Site, str]] = []
    hidden = placement.hidden
    unknown = next((site for site in (*placement.on, *sorted(hidden)) if site not in PLACE), None)
    if unknown is not None:
        raise RulesError(f"there is no site {unknown!r} in Transfer; name sites such as A1, and slots such as south.1")
    for site, kinds in placement.on.items():
        if site in hidden:
            continue
        lane, at = PLACE[site]
        for kind in kinds:
            found.append((lane, at, site, LETTER_OF.get(kind, FOREIGN)))
    found.sort(key=lambda piece: piece[:2])
    for lane, _, site, letter in found:
        letters[lane] += letter
        stands[lane] += (site,)
    return Lanes(tuple(letters), tuple(stands))


def of_position(position: TransferPosition) -> Lanes:
    """The lanes of a position between turns, platforms empty."""
    stands = tuple(
        tuple(LANES[lane][at] for at, x in enumerate(row) if x != GAP) for lane, row in enumerate(position.rows)
    )
    return Lanes((*(row.replace(GAP, "") for row in position.rows), "", ""), (*stands, (), ()))


def too_many(lanes: Lanes, before: Lanes) -> dict[str, int]:
    """Colours (and foreign pieces) seen more often than before, and how many there are."""
    whole, was = "".join(lanes.pieces), "".join(before.pieces)
    counts = {letter: whole.count(letter) for letter in KIND_OF if whole.count(letter) > was.count(letter)}
    if FOREIGN in whole:
        counts[FOREIGN] = whole.count(FOREIGN)
    return counts


def absent(lanes: Lanes, before: Lanes) -> str:
    """The pieces that stood there before and were not seen on any site."""
    whole, was = "".join(lanes.pieces), "".join(before.pieces)
    return "".join(letter * (was.count(letter) - whole.count(letter)) for letter in KIND_OF)


def fillings(lanes: Lanes, hidden: frozenset[Site], unseen: str) -> Iterator[Lanes] | None:
    """Every way in which the unseen pieces may lie on the hidden sites, a lane's order kept; None if far too many."""
    places = sorted(PLACE[site] for site in hidden)
    if len(unseen) > len(places):
        return iter(())
    count = 1
    for i in range(len(unseen)):
        count *= len(places) - i
    for letter in set(unseen):
        for i in range(2, unseen.count(letter) + 1):
            count //= i
    if count > WAYS_TO_HIDE:
        return None
    return (_filled(lanes, puts) for puts in _puts(places, "".join(sorted(unseen))))


def _puts(places: Sequence[tuple[int, int]], unseen: str) -> Iterator[tuple[tuple[int, int, str], ...]]:
    """Each place holds one piece or none."""
    if not unseen:
        yield ()
        return
    if len(places) < len(unseen):
        return
    lane, at = places[0]
    for i, letter in enumerate(unseen):
        if i == 0 or unseen[i - 1] != letter:
            for more in _puts(places[1:], unseen[:i] + unseen[i + 1 :]):
                yield ((lane, at, letter), *more)
    yield from _puts(places[1:], unseen)


def _filled(lanes: Lanes, puts: tuple[tuple[int, int, str], ...]) -> Lanes:
    pieces, stands = list(lanes.pieces), list(lanes.at)
    for lane, at, letter in puts:
        there = [PLACE[site][1] for site in stands[lane]]
        i = sum(where < at for where in there)
        pieces[lane] = pieces[lane][:i] + letter + pieces[lane][i:]
        stands[lane] = (*stands[lane][:i], LANES[lane][at], *stands[lane][i:])
    return Lanes(tuple(pieces), tuple(stands))


def way_back(before: Lanes, seen: Lanes, cells: bool = False) -> tuple[Shift, ...]:
    """The fewest shifts to the lanes before: in each lane the longest common order stays, whatever slides with it.

    With `cells`, where nothing has left its order, what has slid along its row goes back, too.
    """
    if cells and before.pieces == seen.pieces:
        return _slid(before, seen)
    taken: dict[str, list[Site]] = {}
    wanted: dict[str, list[Site]] = {}
    for lane, (old, new) in enumerate(zip(before.pieces, seen.pieces, strict=True)):
        if old == new:
            continue
        keep_old, keep_new = _common(old, new)
        for i, letter in enumerate(new):
            if i not in keep_new:
                taken.setdefault(letter, []).append(seen.at[lane][i])
        for i, letter in enumerate(old):
            if i not in keep_old:
                wanted.setdefault(letter, []).append(before.at[lane][i])
    shifts = []
    for letter in sorted({*taken, *wanted}, key=(FOREIGN + "".join(KIND_OF)).index):
        kind: Kind = KIND_OF.get(letter, FOREIGN)
        origins: list[Site | None] = list(taken.get(letter, ()))
        targets: list[Site | None] = list(wanted.get(letter, ()))
        longer = max(len(origins), len(targets))
        origins += [None] * (longer - len(origins))
        targets += [None] * (longer - len(targets))
        shifts += [Shift(kind, origin, to) for origin, to in zip(origins, targets, strict=True)]
    # What stands on a platform goes first: the mouth before what lies behind it.
    return tuple(sorted(shifts, key=lambda shift: (shift.origin is None, -_lane(shift.origin))))


def _slid(before: Lanes, seen: Lanes) -> tuple[Shift, ...]:
    """What stands on other cells of its row; pieces of one colour are alike, so that only cells that differ count.

    First those that go to a lower cell, so that each finds its cell free.
    """
    down: list[Shift] = []
    up: list[Shift] = []
    for lane in range(9):
        stood, stands = (Counter(zip(one.pieces[lane], one.at[lane], strict=True)) for one in (before, seen))
        for letter in sorted(set(seen.pieces[lane])):
            left = sorted(site for which, site in (stands - stood).elements() if which == letter)
            free = sorted(site for which, site in (stood - stands).elements() if which == letter)
            for origin, to in zip(left, free, strict=True):
                (down if PLACE[to] < PLACE[origin] else up).append(Shift(KIND_OF[letter], origin, to))
    down.sort(key=lambda shift: PLACE[shift.to or ""])
    up.sort(key=lambda shift: PLACE[shift.to or ""], reverse=True)
    return (*down, *up)


def _lane(site: Site | None) -> int:
    return PLACE[site][0] if site is not None else -1


def _common(old: str, new: str) -> tuple[set[int], set[int]]:
    """The places in both of one longest common subsequence."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    keep_old, keep_new = set(range(head)), set(range(head))
    if head in (len(old), len(new)):
        return keep_old, keep_new
    best = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, head - 1, -1):
        for j in range(len(new) - 1, head - 1, -1):
            if old[i] == new[j]:
                best[i][j] = best[i + 1][j + 1] + 1
            else:
                best[i][j] = max(best[i + 1][j], best[i][j + 1])
    i = j = head
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            keep_old.add(i)
            keep_new.add(j)
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return keep_old, keep_new
