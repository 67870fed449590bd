"""What can have happened to one row in one turn: every way from the row before to the row after.

All in the mover's view: index 0 is the mover's end. A way keeps its four little strings in time order, so that the
platforms' orders can be checked over all rows together (`matching`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from controller.rules.transfer.board import CAPACITY, KIND_OF, ROOM

WEIGHT = {letter: 1 << 4 * i for i, letter in enumerate(KIND_OF)}  # a multiset of colours as one integer


class Allowed(NamedTuple):
    """The rules that hold while a turn is looked for. All switches off: the law; one on: what one offence would allow.

    `capacity`: pieces one turn may load. `each_piece`: option push_test=piece. `free`: option platform=free.
    `any_order`: the platforms' order and groups don't count. `reloaded`: what was pushed in may have been loaded
    again, so that a row lost pieces at the far end though nothing stands pushed in. `early_clear`: the other platform
    may have been cleared before the own one was empty.
    """

    capacity: int = CAPACITY
    each_piece: bool = False
    free: bool = False
    split_load: bool = False
    piecewise: bool = False
    split_push: bool = False
    split_platform: bool = False
    any_order: bool = False
    far_end: bool = False
    overpush: bool = False
    reloaded: bool = False
    early_clear: bool = False

    def for_rows(self) -> Allowed:
        """The same without what is only a matter of platforms: rows' ways are remembered by this."""
        return Allowed(
            self.capacity,
            split_load=self.split_load,
            split_push=self.split_push,
            far_end=self.far_end,
            overpush=self.overpush,
            reloaded=self.reloaded,
        )


class Way(NamedTuple):
    """One row's part in a turn. `ends[j]`: a stroke may end when j pieces are in; `surplus[j]`: how many are out then.

    `far`: "load" or "put" where the mover took or put at the far end, "" otherwise. `own` and `other`: what the way
    leaves on the two platforms (negative: takes from them), as sums of WEIGHT.
    """

    loaded: str
    inserted: str
    ejected: str
    cleared: str
    ends: tuple[bool, ...]
    surplus: tuple[int, ...]
    far: str
    own: int
    other: int


@lru_cache(maxsize=4096)
def weigh(pieces: str) -> int:
    """A multiset of colours as one integer."""
    return sum(WEIGHT[piece] for piece in pieces)


def _way(
    loaded: str, inserted: str, ejected: str, cleared: str, ends: tuple[bool, ...], surplus: tuple[int, ...], far: str
) -> Way:
    own = weigh(loaded) - weigh(inserted)
    return Way(loaded, inserted, ejected, cleared, ends, surplus, far, own, weigh(ejected) - weigh(cleared))


@lru_cache(maxsize=4096)
def row_ways(before: str, after: str, allowed: Allowed) -> tuple[Way, ...]:
    """Every way from one row to the other, the one with the fewest pieces first; the idle way is left out.

    Complete, because all loads precede all pushes, what was pushed in this turn never falls out again (at most three
    pieces, five cells), and a row that has pushed out is full and can't be cleared into.
    """
    found = []
    size = len(before)
    for taken in range(min(allowed.capacity, size) + 1):
        whole = taken in (0, size) or before[taken - 1] != before[taken]
        if whole or allowed.split_load:
            found += _near_ways(before, after, taken, allowed)
            if allowed.far_end:
                found += _far_puts(before, after, taken)
        if allowed.far_end and taken:
            found += _far_loads(before, after, taken, allowed)
    if before == after:
        found = [way for way in found if way.loaded or way.inserted or way.ejected or way.cleared]
    if len(found) > 1:
        found.sort(key=lambda way: len(way.loaded) + len(way.inserted) + len(way.ejected) + len(way.cleared))
    return tuple(found)


def _near_ways(before: str, after: str, taken: int, allowed: Allowed) -> list[Way]:
    found = []
    size, length, most = len(before), len(after), allowed.capacity
    rest = size - taken
    for pushed in range(min(most, length) + 1):
        needed = max(0, rest + pushed - ROOM)
        outs: Iterable[int] = (needed,)
        if pushed and allowed.overpush:
            outs = range(needed, min(rest, most) + 1)
        elif not pushed and allowed.reloaded:  # as far as what was pushed in and taken again can have pushed out
            outs = range(max(0, rest + most - ROOM) + 1)
        for out in outs:
            stays = rest - out
            put = length - pushed - stays
            if not 0 <= put <= most or not after.startswith(before[taken : size - out], pushed):
                continue
            if out and not allowed.split_push and before[size - out] == after[pushed + stays - 1 : pushed + stays]:
                continue
            surplus, ends = (0,) * (pushed + 1), (True,) * (pushed + 1)
            if out:
                surplus = (*(max(0, rest + j - ROOM) for j in range(pushed)), out)
                ends = tuple(
                    allowed.split_push or x == 0 or x == rest or before[size - x - 1] != before[size - x]
                    for x in surplus
                )
            ejected = before[size - out :][::-1] if out else ""
            found.append(_way(before[:taken], after[:pushed][::-1], ejected, after[length - put :], ends, surplus, ""))
    return found


def _far_puts(before: str, after: str, taken: int) -> list[Way]:
    """Loaded at the own end, but put into the far end from the own platform."""
    kept = before[taken:]
    put = len(after) - len(kept)
    if not 1 <= put <= CAPACITY or not after.startswith(kept):
        return []
    flags = (True,) * (put + 1)
    return [_way(before[:taken], after[len(kept) :], "", "", flags, (0,) * (put + 1), "put")]


def _far_loads(before: str, after: str, taken: int, allowed: Allowed) -> list[Way]:
    """Loaded at the far end onto the own platform, then perhaps pushed into at the own end."""
    left = before[: len(before) - taken]
    if left and left[-1] == before[len(left)] and not allowed.split_load:
        return []
    found = []
    for pushed in range(min(CAPACITY, len(after)) + 1):
        if len(left) + pushed <= ROOM and after[pushed:] == left:
            flags = (True,) * (pushed + 1)
            loaded = before[len(left) :][::-1]
            found.append(_way(loaded, after[:pushed][::-1], "", "", flags, (0,) * (pushed + 1), "load"))
    return found
