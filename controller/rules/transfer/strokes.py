"""What a stroke does and which rules it breaks, in the mover's view: index 0 of a row is the mover's end.

`moved` is the hands' side of a stroke (it does what was done, legal or not), `faults` the law's. A platform is a
string from its mouth. The options that change strokes are a `Law`; its defaults are the law of the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from controller.rules.api import Player
from controller.rules.transfer.board import CAPACITY, ROOM, SOUTH, Act, Stroke, facing

GAP = "."


class Law(NamedTuple):
    """`cells`: gaps count. `free`: any slot of a platform may be emptied. `piecewise`: a push is judged after each
    piece. `overpush`: pieces may be pushed out although there is room."""

    cells: bool = False
    free: bool = False
    piecewise: bool = False
    overpush: bool = False


DEFAULT = Law()


def law_of(chosen: Mapping[str, str]) -> Law:
    """The law of a game with these options."""
    return Law(
        chosen["adjacency"] == "cells",
        chosen["platform"] == "free",
        chosen["push_test"] == "piece",
        chosen["overpush"] == "true",
    )


class Stage(NamedTuple):
    """What stands between two strokes: the rows, the mover's platform and the other one. `last`: the act before."""

    rows: tuple[str, ...]
    own: str = ""
    other: str = ""
    last: Act = "L"


def view(law: Law, rows: tuple[str, ...], player: Player) -> tuple[str, ...]:
    """The rows with index 0 at the player's end; turns its own result back."""
    if not law.cells or player == SOUTH:
        return facing(rows, player)
    return tuple(_mirrored(row) for row in rows)


def held(row: str) -> int:
    """How many pieces a row holds."""
    return len(row) - row.count(GAP)


def groups(line: str) -> Iterator[tuple[int, int]]:
    """(begin, end) of each group of a row or a platform; gaps are skipped."""
    begin = 0
    for end in range(1, len(line) + 1):
        if end == len(line) or line[end] != line[begin]:
            if line[begin] != GAP:
                yield begin, end
            begin = end


def _mirrored(row: str) -> str:
    return row.ljust(ROOM, GAP)[::-1].rstrip(GAP)


def _end_of(row: str, size: int) -> int:
    """The index behind the first `size` pieces."""
    for index, letter in enumerate(row):
        if letter != GAP:
            size -= 1
            if not size:
                return index + 1
    return len(row)


def push(law: Law, row: str, block: str, over: int = 0) -> tuple[str, str]:
    """The row after `block` (near end first) came in from index 0, and what left, nearest first."""
    if not law.cells:
        whole = block + row
        keep = min(ROOM, len(whole)) - over
        return whole[:keep], whole[keep:]
    inside = row.replace(GAP, "")
    out = max(0, len(block) + len(inside) - ROOM) + over
    stay, gone = inside[: len(inside) - out], inside[len(inside) - out :]
    if out:
        return (block + stay).rjust(ROOM, GAP), gone
    cells = list(block)
    for index, letter in enumerate(row):
        if letter != GAP:
            cells += [GAP] * (index - len(cells))
            cells.append(letter)
    return "".join(cells), ""


def clear(law: Law, row: str, block: str) -> str:
    """The row after `block` (mouth first) came in from the far end; there is room."""
    if not law.cells:
        return row + block
    return _mirrored(push(law, _mirrored(row), block[::-1])[0])


def _picked(line: str, stroke: Stroke) -> tuple[str, str]:
    """The pieces a stroke takes from a platform, mouth first, and what stays on it."""
    begin, end = stroke.slot - 1, stroke.slot - 1 + stroke.size
    return line[begin:end], line[:begin] + line[end:]


def moved(law: Law, stage: Stage, stroke: Stroke) -> Stage:
    """The stage after a stroke, whether it is legal or not; there must be enough pieces, and room when clearing."""
    rows, own, other, _ = stage
    row = rows[stroke.row]
    if stroke.act == "L":
        taken, row = _taken(law, row, stroke.size)
        own = taken[::-1] + own
    elif stroke.act == "U":
        block, own = _picked(own, stroke)
        row, out = push(law, row, block[::-1], stroke.over)
        other = out + other
    else:
        block, other = _picked(other, stroke)
        row = clear(law, row, block)
    return Stage((*rows[: stroke.row], row, *rows[stroke.row + 1 :]), own, other, stroke.act)


def _taken(law: Law, row: str, size: int) -> tuple[str, str]:
    if not law.cells:
        return row[:size], row[size:]
    end = _end_of(row, size)
    return row[:end].replace(GAP, ""), (GAP * end + row[end:]).rstrip(GAP)


def pushed_out(law: Law, stage: Stage, stroke: Stroke) -> str:
    """What an unloading stroke pushes out at the far end, the last to leave first."""
    return push(law, stage.rows[stroke.row], _picked(stage.own, stroke)[0][::-1], stroke.over)[1]


def enough(stage: Stage, stroke: Stroke) -> bool:
    """Whether the pieces that a stroke names are there."""
    if stroke.act == "L":
        return held(stage.rows[stroke.row]) >= stroke.size
    line = stage.own if stroke.act == "U" else stage.other
    return len(line) >= stroke.slot - 1 + stroke.size and stroke.over <= held(stage.rows[stroke.row])


def faults(law: Law, stage: Stage, stroke: Stroke) -> tuple[str, ...]:
    """The codes of all rules that a stroke breaks, most specific first; it takes pieces that are there (`enough`)."""
    if stroke.act == "L":
        return tuple(_load_faults(stage, stroke))
    if stroke.act == "U":
        return tuple(_unload_faults(law, stage, stroke))
    return tuple(_clear_faults(law, stage, stroke))


def _load_faults(stage: Stage, stroke: Stroke) -> Iterator[str]:
    row = stage.rows[stroke.row]
    if stage.last != "L":
        yield "LOAD_AFTER_UNLOAD"
    if len(stage.own) + stroke.size > CAPACITY:
        yield "OVER_CAPACITY"
    end = _end_of(row, stroke.size)
    if end < len(row) and row[end - 1] == row[end]:
        yield "GROUP_SPLIT_LOAD"


def _splits(line: str, stroke: Stroke) -> bool:
    begin, end = stroke.slot - 1, stroke.slot - 1 + stroke.size
    return line[end - 1 : end] == line[end : end + 1] or (begin > 0 and line[begin - 1] == line[begin])


def _unload_faults(law: Law, stage: Stage, stroke: Stroke) -> Iterator[str]:
    row, block = stage.rows[stroke.row], _picked(stage.own, stroke)[0]
    if stroke.over and law.overpush and len(stage.other + pushed_out(law, stage, stroke)) > CAPACITY:
        yield "OVER_CAPACITY"
    if _splits(stage.own, stroke):
        yield "GROUP_SPLIT_PLATFORM"
    ends = range(1, len(block) + 1) if law.piecewise else (len(block),)
    for end in ends:
        kept, out = push(law, row, block[:end][::-1], stroke.over if end == len(block) else 0)
        if out and kept[-1] == out[0]:
            yield "GROUP_SPLIT_PUSH"
            break
    if stroke.slot > 1 and not law.free:
        yield "LIFO_ORDER"
    if stroke.over and not law.overpush:
        yield "OVERPUSH"


def _clear_faults(law: Law, stage: Stage, stroke: Stroke) -> Iterator[str]:
    if _splits(stage.other, stroke):
        yield "GROUP_SPLIT_PLATFORM"
    if stroke.slot > 1 and not law.free:
        yield "LIFO_ORDER"
    if held(stage.rows[stroke.row]) + stroke.size > ROOM:
        yield "NO_ROOM"
    if stage.own:
        yield "OWN_PLATFORM_NOT_EMPTY"


def steps(law: Law, stage: Stage) -> Iterator[tuple[Stroke, Stage]]:
    """The legal strokes from a stage: loads and clears group by group, unloads of whole groups in one block.

    Some of them may lead into a dead end (`finishable`).
    """
    for stroke in _candidates(law, stage):
        if not faults(law, stage, stroke):
            yield stroke, moved(law, stage, stroke)


def _candidates(law: Law, stage: Stage) -> Iterator[Stroke]:
    every = range(len(stage.rows))
    if stage.last == "L":
        for row in every:
            first = next(groups(stage.rows[row]), None)
            if first is not None:
                yield Stroke("L", row, first[1] - first[0])
    if stage.own:
        bounds = [*groups(stage.own)]
        for i, (begin, _) in enumerate(bounds if law.free else bounds[:1]):
            for _, end in bounds[i:]:
                for row in every:
                    size = end - begin
                    room = ROOM - held(stage.rows[row])
                    most = min(held(stage.rows[row]), CAPACITY) - max(0, size - room) if law.overpush else 0
                    for over in range(max(0, most) + 1):
                        yield Stroke("U", row, size, begin + 1, over)
    elif stage.other:
        for begin, end in groups(stage.other):
            for row in every:
                yield Stroke("O", row, end - begin, begin + 1)
            if not law.free:
                break


def ended(stage: Stage) -> bool:
    """Whether a turn may end here: something was loaded, and both platforms are empty."""
    return stage.last != "L" and not stage.own and not stage.other


def finishable(law: Law, stage: Stage) -> bool:
    """Whether legal strokes lead from this stage to the end of a turn; False is a dead end."""
    seen: set[Stage] = set()
    todo = [stage]
    while todo:
        here = todo.pop()
        if ended(here):
            return True
        for _, after in steps(law, here):
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return False
