"""Set-ups and games in progress: is it one, what is wrong with it, and which one is nearest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from controller.rules.api import Kind, Placement, Reason, Setup, Shift, Site
from controller.rules.transfer.board import (
    EACH,
    KIND_OF,
    LETTER_OF,
    ROOM,
    ROWS,
    SLOTS,
    START,
    TransferPosition,
    rows_complete,
)
from controller.rules.transfer.picture import CELLS, normal, picture_of, rows_of
from controller.rules.transfer.reasons import rule_of

TOTAL = EACH * len(KIND_OF)


class _Token(NamedTuple):
    """One piece and where it lies (None: missing)."""

    letter: str
    site: Site | None


def setup_of(placement: Placement, cells: bool) -> Setup:
    """The start that stands, with nobody to move yet (B chooses the side and begins); else the nearest one."""
    seen = normal(placement, cells)
    reasons = tuple(setup_reasons(placement, cells))
    rows = rows_of(seen, cells)
    clear = not seen.hidden and not reasons and not _off_rows(seen)
    if clear and all(len(row) <= ROOM for row in rows):
        position = TransferPosition(rows, None)
        return Setup(position, position, (), TOTAL, TOTAL)
    nearest, wrong, right = _nearest(seen)
    if seen.hidden:  # what is missing may lie there
        wrong = tuple(s for s in wrong if s.origin is not None and s.to not in seen.hidden)
    return Setup(None, TransferPosition(nearest, None), wrong, right, TOTAL, reasons)


def setup_reasons(placement: Placement, cells: bool) -> Iterator[Reason]:
    """What forbids this set-up: equal neighbours in a row, then colours of which there are not five."""
    seen = normal(placement, cells)
    for name in ROWS:
        line = [(site, kind) for site in CELLS[name] for kind in seen.on.get(site, ())]
        for (one, kind), (two, other) in pairwise(line):
            beside = not (cells or seen.hidden & {*CELLS[name]}) or _distance(one, two) <= 1
            if kind == other and beside:
                facts = {"row": name, "piece": kind, "site": one}
                if not cells and _apart(placement, name, one, two):
                    facts["form"] = "gap"
                yield Reason("SETUP_ADJACENT", (one, two), rule_of("SETUP_ADJACENT"), facts)
    counts = Counter(kind for kinds in seen.on.values() for kind in kinds)
    for kind in LETTER_OF:
        if counts[kind] > EACH or (counts[kind] < EACH and not seen.hidden):
            facts = {"piece": kind, "count": str(counts[kind])}
            sites = tuple(site for site in sorted(seen.on) if kind in seen.on[site])
            yield Reason("PIECE_COUNT", sites, rule_of("PIECE_COUNT"), facts)


def midgame(placement: Placement, cells: bool) -> TransferPosition | None:
    """A game in progress: all 35 pieces in the rows, nothing hidden, not all rows complete; score and side unknown."""
    seen = normal(placement, cells)
    rows = rows_of(seen, cells)
    counts = Counter(kind for kinds in seen.on.values() for kind in kinds)
    if seen.hidden or _off_rows(seen) or counts != Counter(dict.fromkeys(LETTER_OF, EACH)):
        return None
    if any(len(row) > ROOM for row in rows) or rows_complete(rows) == len(KIND_OF):
        return None
    return TransferPosition(rows, None, None)


def _off_rows(seen: Placement) -> bool:
    """Whether something stands on a platform, or is no piece of this game, or shares a cell."""
    in_rows = {site for sites in CELLS.values() for site in sites}
    return any(
        site not in in_rows or len(kinds) > 1 or kinds[0] not in LETTER_OF for site, kinds in seen.on.items() if kinds
    )


def _distance(one: Site, two: Site) -> int:
    return int(two[1]) - int(one[1])


def _apart(placement: Placement, name: str, one: Site, two: Site) -> bool:
    """Whether the pieces that a normal picture has on these sites lie apart in the picture as it was seen."""
    standing = [site for site in CELLS[name] for _ in placement.on.get(site, ())]
    first, second = int(one[1]) - 1, int(two[1]) - 1
    return second < len(standing) and _distance(standing[first], standing[second]) > 1


def _nearest(seen: Placement) -> tuple[tuple[str, ...], tuple[Shift, ...], int]:
    """A start near to what stands, the shifts to it, and how many pieces lie right.

    What forbids the set-up is taken up (of equal neighbours all but one, what is too many) and laid down at a row's
    end beside another colour. Where that fails, or nothing lies in the rows, the nearest is the printed start.
    """
    off: list[Shift] = []
    pool: list[_Token] = []
    rows: list[list[_Token]] = []
    counts: Counter[str] = Counter()
    for name in ROWS:
        kept: list[_Token] = []
        for site in CELLS[name]:
            for kind in seen.on.get(site, ()):
                _sort_out(_Token(LETTER_OF.get(kind, kind), site), kept, counts, pool, off)
        rows.append(kept)
    for sites in SLOTS.values():
        for site in sites:
            for kind in seen.on.get(site, ()):
                _sort_out(_Token(LETTER_OF.get(kind, kind), site), None, counts, pool, off)
    pool += [_Token(letter, None) for letter in KIND_OF for _ in range(EACH - counts[letter])]
    right = sum(map(len, rows))
    laid = _lay(rows, sorted(pool, key=lambda t: (t.site is None, t.site or "", t.letter))) if right else None
    if laid is None:
        return START, _to_printed_start(seen), _right_in(seen)
    placed = [Shift(KIND_OF[token.letter], token.site, _site_in(laid, token)) for token in pool]
    return tuple("".join(t.letter for t in row) for row in laid), (*off, *placed), right


def _sort_out(
    token: _Token, kept: list[_Token] | None, counts: Counter[str], pool: list[_Token], off: list[Shift]
) -> None:
    """Keep a piece where it lies, or take it up, or off the board."""
    if token.letter not in KIND_OF or counts[token.letter] == EACH:
        off.append(Shift(KIND_OF.get(token.letter, token.letter), token.site, None))
        return
    counts[token.letter] += 1
    if kept is None or len(kept) == ROOM or (kept and kept[-1].letter == token.letter):
        pool.append(token)
    else:
        kept.append(token)


def _lay(rows: list[list[_Token]], pool: list[_Token]) -> list[list[_Token]] | None:
    """Each piece of the pool into the emptiest row that takes it, at its North end if that does; None if it fails."""
    laid = [list(row) for row in rows]
    for token in pool:
        best: tuple[int, int, int] | None = None
        for index, row in enumerate(laid):
            if len(row) < ROOM:
                for at in (len(row), 0, *range(1, len(row))):
                    if all(t.letter != token.letter for t in row[max(0, at - 1) : at + 1]):
                        rank = (0 if at == len(row) else 1, len(row), index)
                        if best is None or rank < best[:3]:
                            best, spot = rank, at
                        break
        if best is None:
            return None
        laid[best[2]].insert(spot, token)
    return laid


def _site_in(laid: list[list[_Token]], token: _Token) -> Site:
    return next(CELLS[name][at] for name, row in zip(ROWS, laid, strict=True) for at, t in enumerate(row) if t is token)


def _to_printed_start(seen: Placement) -> tuple[Shift, ...]:
    """Every piece to its place of the printed start."""
    wanted = {site: kinds[0] for site, kinds in picture_of(START).on.items()}
    spare: dict[Kind, list[Site]] = {}
    shifts: list[Shift] = []
    for site, kinds in seen.on.items():
        for n, kind in enumerate(kinds):
            if n == 0 and wanted.get(site) == kind:
                del wanted[site]
            else:
                spare.setdefault(kind, []).append(site)
    for site, kind in wanted.items():
        shifts.append(Shift(kind, spare[kind].pop(0) if spare.get(kind) else None, site))
    shifts += [Shift(kind, site, None) for kind, sites in spare.items() for site in sites]
    return tuple(shifts)


def _right_in(seen: Placement) -> int:
    return sum(seen.on.get(site, ()) == kinds for site, kinds in picture_of(START).on.items())
