"""The plain generator: one turn for each different position after it, streaming.

Positions have up to 2.8 million results and several times as many turns, so it is written for speed: every push is
computed once, and a result is one integer. `census` counts the same things by the book; tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.transfer.board import CAPACITY, ROOM, Stroke
from controller.rules.transfer.strokes import DEFAULT, Law, Stage, ended, groups, steps

_DIGIT = {letter: n for n, letter in enumerate(".osgybvp", 1)}  # a row is a number of five digits of four bits
_BITS = 4 * ROOM

Strokes = tuple[Stroke, ...]
Push = tuple[str, str, int]  # the row after, what left it (nearest first), by how much the row's number grew


def turns(law: Law, rows: tuple[str, ...], null_turn: bool) -> Iterator[Strokes]:
    """The strokes of one turn for each different result, `rows` in the mover's view; a null turn is canonical."""
    return _fast(rows, null_turn) if law == DEFAULT else _any(law, rows, null_turn)


def number(row: str) -> int:
    """A row as a number; different rows have different ones."""
    value = 0
    for letter in row:
        value = value << 4 | _DIGIT[letter]
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


class _Search:
    """One enumeration: the results so far and what pushes do, remembered."""

    def __init__(self, rows: tuple[str, ...], null_turn: bool) -> None:
        self.results: set[int] = set()
        if not null_turn:
            self.results.add(_whole(rows))
        self.pushes: dict[tuple[str, str], Push | None] = {}
        self.cuts: dict[str, tuple[tuple[str, str, int], ...]] = {}

    def push(self, row: str, block: str) -> Push | None:
        """`block`, mouth first, goes into a row; None where that would split a group."""
        whole = block[::-1] + row
        kept, out = whole[:ROOM], whole[ROOM:]
        found = None if out and kept[-1] == out[0] else (kept, out, number(kept) - number(row))
        self.pushes[row, block] = found
        return found

    def cut(self, line: str) -> tuple[tuple[str, str, int], ...]:
        """What may leave a platform in one stroke: (block, rest, size), the longest first."""
        found = tuple((line[:end], line[end:], end) for _, end in reversed([*groups(line)]))
        self.cuts[line] = found
        return found

    def unload(self, rows: list[str], own: str, other: str, key: int, strokes: Strokes) -> Iterator[Strokes]:
        """Every new result from here; `rows` is changed and put back on the way."""
        pushes, results = self.pushes, self.results
        for block, rest, size in self.cuts.get(own) or self.cut(own):
            for index, row in enumerate(rows):
                found = pushes[row, block] if (row, block) in pushes else self.push(row, block)
                if found is None:
                    continue
                after, out, grown = found
                total = key + (grown << index * _BITS)
                if rest:
                    rows[index] = after
                    yield from self.unload(rows, rest, out + other, total, (*strokes, Stroke("U", index, size)))
                    rows[index] = row
                elif out or other:
                    rows[index] = after
                    yield from self.clear(rows, out + other, total, (*strokes, Stroke("U", index, size)))
                    rows[index] = row
                elif total not in results:
                    results.add(total)
                    yield (*strokes, Stroke("U", index, size))

    def clear(self, rows: list[str], other: str, key: int, strokes: Strokes) -> Iterator[Strokes]:
        """The same for what was pushed through."""
        for block, rest, size in self.cuts.get(other) or self.cut(other):
            for index, row in enumerate(rows):
                if len(row) + size > ROOM:
                    continue
                after = row + block
                total = key + (number(after) - number(row) << index * _BITS)
                if rest:
                    rows[index] = after
                    yield from self.clear(rows, rest, total, (*strokes, Stroke("O", index, size)))
                    rows[index] = row
                elif total not in self.results:
                    self.results.add(total)
                    yield (*strokes, Stroke("O", index, size))


def _whole(rows: tuple[str, ...] | list[str]) -> int:
    return sum(number(row) << index * _BITS for index, row in enumerate(rows))


def _fast(rows: tuple[str, ...], null_turn: bool) -> Iterator[Strokes]:
    """The law's defaults."""
    search = _Search(rows, null_turn)
    for here, own, strokes in _loaded(rows):
        yield from search.unload(list(here), own, "", _whole(here), strokes)
