"""The plain generator: one turn for each different position after it, streaming.

Positions have up to 2.8 million results and several times as many turns, so it is written for speed: every push is
computed once, and a result is one integer. A census in the tests counts the same things by the book.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.transfer.board import CAPACITY, KIND_OF, ROOM, Stroke
from controller.rules.transfer.strokes import DEFAULT, Law, Stage, ended, groups, steps

_DIGIT = {letter: n for n, letter in enumerate(KIND_OF, 1)}  # a row is a number of five digits of three bits
_BITS = 3 * ROOM

Strokes = tuple[Stroke, ...]
Arrival = tuple[str, str, int]  # the row after a block came in, what left it (nearest first), what its number gained


def turns(law: Law, rows: tuple[str, ...], null_turn: bool) -> Iterator[Strokes]:
    """The strokes of one turn for each different result, `rows` in the mover's view; a null turn is canonical."""
    return _fast(rows, null_turn) if law == DEFAULT else _any(law, rows, null_turn)


def number(row: str) -> int:
    """A row without gaps as a number; different rows have different ones."""
    value = 0
    for letter in row:
        value = value << 3 | _DIGIT[letter]
    return value


def _any(law: Law, rows: tuple[str, ...], null_turn: bool) -> Iterator[Strokes]:
    """Any law: stage by stage, each stage and each result once."""
    done = set() if null_turn else {rows}
    seen: set[Stage] = set()
    todo: list[tuple[Stage, Strokes]] = [(Stage(rows), ())]
    while todo:  # depth first: what is found early is given early
        stage, strokes = todo.pop()
        if ended(stage):
            if stage.rows not in done:
                done.add(stage.rows)
                yield strokes
            continue
        for stroke, after in reversed([*steps(law, stage)]):
            if after not in seen:
                seen.add(after)
                todo.append((after, (*strokes, stroke)))


def _loaded(rows: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str, Strokes]]:
    """Every (rows, platform) that loading can lead to, each once, with the strokes: fewest strokes first."""
    seen = set()
    todo: list[tuple[tuple[str, ...], str, Strokes]] = [(rows, "", ())]
    for here, own, strokes in todo:
        last = strokes[-1].row if strokes else -1
        for index, row in enumerate(here):
            if index == last:  # a longer block from the same row was one stroke
                continue
            for _, end in groups(row):
                if len(own) + end > CAPACITY:
                    break
                after = (*here[:index], row[end:], *here[index + 1 :])
                platform = row[:end][::-1] + own
                if (after, platform) not in seen:
                    seen.add((after, platform))
                    todo.append((after, platform, (*strokes, Stroke("L", index, end))))
        if own:
            yield here, own, strokes


class _Into(dict[str, Arrival | None]):
    """Row -> what one block makes of it, found out at the first time."""

    def __init__(self, block: str, at_far_end: bool) -> None:
        super().__init__()
        self.block, self.at_far_end = block, at_far_end

    def __missing__(self, row: str) -> Arrival | None:
        whole = row + self.block if self.at_far_end else self.block[::-1] + row
        kept, out = whole[:ROOM], whole[ROOM:]
        fails = bool(out) and (self.at_far_end or kept[-1] == out[0])
        found = self[row] = None if fails else (kept, out, number(kept) - number(row))
        return found


class _Cuts(dict[str, tuple[tuple[_Into, str, int], ...]]):
    """Platform -> what may leave it in one stroke, the longest block first: (where it may go, rest, size)."""

    def __init__(self, at_far_end: bool) -> None:
        super().__init__()
        self.at_far_end = at_far_end
        self.blocks: dict[str, _Into] = {}

    def __missing__(self, line: str) -> tuple[tuple[_Into, str, int], ...]:
        ends = [end for _, end in groups(line)]
        found = self[line] = tuple((self._into(line[:end]), line[end:], end) for end in reversed(ends))
        return found

    def _into(self, block: str) -> _Into:
        return self.blocks.setdefault(block, _Into(block, self.at_far_end))


class _Search:
    """One enumeration: the results so far, and what strokes do, remembered.

    No stroke goes into the row of the stroke before it: as one longer block it would do the same.
    """

    def __init__(self, rows: tuple[str, ...], null_turn: bool) -> None:
        self.results: set[int] = set()
        if not null_turn:
            self.results.add(_whole(rows))
        self.pushed: set[tuple[int, str]] = set()  # stages from which all clearing is known already
        self.unloads, self.clears = _Cuts(at_far_end=False), _Cuts(at_far_end=True)

    def unload(
        self, rows: list[str], own: str, other: str, key: int, strokes: Strokes, last: int = -1
    ) -> Iterator[Strokes]:
        """Every new result from here; `rows` is changed and put back on the way. `last`: the row of the last stroke."""
        results = self.results
        for into, rest, size in self.unloads[own]:
            for index, row in enumerate(rows):
                found = into[row]
                if found is None or index == last:
                    continue
                after, out, grown = found
                total = key + (grown << index * _BITS)
                if rest or out or other:
                    rows[index] = after
                    done = (*strokes, Stroke("U", index, size))
                    if rest:
                        yield from self.unload(rows, rest, out + other, total, done, index)
                    elif (stage := (total, out + other)) not in self.pushed:
                        self.pushed.add(stage)
                        yield from self.clear(rows, out + other, total, done)
                    rows[index] = row
                elif total not in results:
                    results.add(total)
                    yield (*strokes, Stroke("U", index, size))

    def clear(self, rows: list[str], other: str, key: int, strokes: Strokes, last: int = -1) -> Iterator[Strokes]:
        """The same for what was pushed through."""
        results = self.results
        for into, rest, size in self.clears[other]:
            for index, row in enumerate(rows):
                found = into[row]
                if found is None or index == last:
                    continue
                total = key + (found[2] << index * _BITS)
                if rest:
                    rows[index] = found[0]
                    yield from self.clear(rows, rest, total, (*strokes, Stroke("O", index, size)), index)
                    rows[index] = row
                elif total not in results:
                    results.add(total)
                    yield (*strokes, Stroke("O", index, size))


def _whole(rows: tuple[str, ...] | list[str]) -> int:
    return sum(number(row) << index * _BITS for index, row in enumerate(rows))


def _fast(rows: tuple[str, ...], null_turn: bool) -> Iterator[Strokes]:
    """The law's defaults."""
    search = _Search(rows, null_turn)
    for here, own, strokes in _loaded(rows):
        yield from search.unload(list(here), own, "", _whole(here), strokes)
