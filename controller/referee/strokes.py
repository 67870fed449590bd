"""Lines of a game that is played in strokes (Transfer): single turns, and every settled stage is a seam.

Nothing is tried beyond one turn, for there are too many. Instead the stages that have stood settled say what goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from controller.referee.lines import Line, without_repeats
from controller.referee.search import MOST_LINES, Explained
from controller.rules.api import Game, Placement, Player, PlaysInStrokes, Position, Site, Turn, Verdict

# How likely a line is, before the look at the table: as believed; with the null turn that was seen; the last turn
# changed; the last turn changed though the next one has begun; less likely already; waiting to be believed.
BELIEVED, NULL_TURN, CHANGED, CHANGED_LATE, WEAK, WAITING = range(6)
CHANGES = (CHANGED, CHANGED_LATE)

MOST_STAGES = 60
"""Far more than a turn has: who plays about with pieces for hours leaves no more behind."""


def in_strokes(game: Game) -> bool:
    """Whether the game is a `PlaysInStrokes`."""
    return not game.tries_two_turns


@dataclass(frozen=True)
class Way:
    """The settled stages seen since a position (its text), oldest first."""

    position: str = ""
    stages: tuple[Placement, ...] = ()

    def goes_from(self, game: Game, line: Line) -> bool:
        """Whether stages have been seen on the way from where this line has come to."""
        return bool(self.stages) and self.position == game.position_text(line.position)

    def then(self, position: str, stage: Placement) -> Way:
        """With one more stage."""
        return Way(position, (*self.stages, stage)[-MOST_STAGES:] if position == self.position else (stage,))


@dataclass(frozen=True)
class _Base:
    rank: int
    line: Line
    verdict: Verdict


def explain_by_strokes(
    game: Game,
    lines: Sequence[Line],
    pending: Sequence[Line],
    placement: Placement,
    way: Way,
    done: Player | None = None,
) -> Explained:
    """Explain `placement` by one turn: the likeliest lines that can are believed, the others kept as weak ones."""
    whole = sum(map(len, placement.on.values())) == sum(game.pieces.values())

    def judged(rank: int, line: Line) -> _Base:
        if rank > NULL_TURN and whole and _refuted(game, line.position, placement):
            return _Base(rank, line, Verdict("illegal"))  # its reasons are nobody's concern
        said_by = done if rank <= NULL_TURN or done == game.to_move(line.position) else None
        return _Base(rank, line, game.judge(line.position, placement, said_by))

    believed = [judged(BELIEVED, line) for line in lines if not line.weak]
    if any(base.verdict.answer == "unclear" for base in believed):
        return Explained("unclear", tuple(lines), believed[0].verdict)
    said = _said_to_be_over(game, believed, placement, done)
    if said is not None:
        return Explained("illegal", tuple(lines), said)
    if done is not None and any(base.verdict.answer == "complete" for base in believed):
        believed = [base for base in believed if base.verdict.answer == "complete"]  # who says done has moved
    same = [base for base in believed if base.verdict.answer == "unchanged"]
    less = [(rank, line) for rank, line in _others(game, lines, pending, way) if not same or rank not in CHANGES]
    bases = [*believed, *(judged(rank, line) for rank, line in less)]
    if any(base.rank in CHANGES and base.verdict.answer == "unchanged" for base in bases):
        # Everything put back: likelier than a turn from a board that nothing led to.
        bases = [replace(base, rank=WEAK) if taken_as_seen(game, base.line) else base for base in bases]
    if same:
        rest = bases[len(believed) :]
        found = _ranked([base.line for base in same], [*_ends(game, rest, way), *_unseen(rest)])
        return Explained("unchanged", found, same[0].verdict)
    for rank in range(WAITING + 1):
        of_rank = [base for base in bases if base.rank == rank]
        below = [base for base in bases if base.rank > rank]
        ends = _ends(game, of_rank, way)
        if ends:
            over = next(base.verdict for base in of_rank if base.verdict.answer in ("unchanged", "complete"))
            found = _ranked(ends, [*_stages(of_rank), *_ends(game, below, way), *_stages(below), *_unseen(below)])
            return Explained("complete", found, over, waits=rank not in (BELIEVED, CHANGED))
        stages = [base for base in of_rank if base.verdict.answer == "partial"]
        if stages:
            # A stage itself says more than pieces that are missing.
            first = next((base for base in stages if base.verdict.owed), stages[0])
            others = [*_stages(of_rank), *_ends(game, below, way), *_stages(below), *_unseen(below)]
            return Explained("partial", _ranked([first.line], others), first.verdict)
        if any(base.verdict.answer == "unclear" for base in of_rank):
            return Explained("unclear", tuple(lines), of_rank[0].verdict)
    return Explained("illegal", tuple(lines), bases[0].verdict)


def _others(game: Game, lines: Sequence[Line], pending: Sequence[Line], way: Way) -> Iterator[tuple[int, Line]]:
    """Where a turn may begin but from the lines believed in, the likeliest first."""
    strong = [line for line in lines if not line.weak]
    for line in lines:
        if line.weak and changes_nothing(game, line):
            yield NULL_TURN, line
    for line in strong:
        if line.steps:
            yield CHANGED_LATE if way.goes_from(game, line) else CHANGED, line.back()
    for line in lines:
        if line.weak and not changes_nothing(game, line):
            yield WEAK, line
    for line in pending:
        if line not in lines:
            yield WAITING, line


def taken_as_seen(game: Game, line: Line) -> bool:
    """Whether a line goes on from a board as it stood when the thread was lost, and from no turn of its record."""
    return bool(line.record) and not line.steps and game.position_text(line.position) != line.record[-1].position


def _refuted(game: Game, position: Position, placement: Placement) -> bool:
    """Whether no legal turn ends or passes at this whole picture, and it isn't the position's."""
    if game.picture(position).on == placement.on:
        return False
    return next(game.legal_turns(position, towards=placement), None) is None


def _said_to_be_over(
    game: Game, believed: Sequence[_Base], placement: Placement, done: Player | None
) -> Verdict | None:
    """The verdict on a stage that stands for all believed lines and that its own player calls finished."""
    if done is None or any(base.verdict.answer != "illegal" for base in believed):
        return None
    plain = [game.judge(base.line.position, placement) for base in believed]
    over = (base.verdict for base, before in zip(believed, plain, strict=True) if before.answer == "partial")
    return next(over, None)


def _ends(game: Game, bases: Sequence[_Base], way: Way) -> list[Line]:
    """The lines that have come to exactly what stands: by one more turn, or already."""
    found = []
    for base in bases:
        if base.verdict.answer == "unchanged":
            found.append(base.line)
        elif base.verdict.answer == "complete":
            found += [base.line.then(game, _retold(game, base.line, turn, way)) for turn in base.verdict.turns]
    return found


def _retold(game: Game, line: Line, turn: Turn, way: Way) -> Turn:
    """The turn as it was seen to be made."""
    if way.goes_from(game, line):
        return cast(PlaysInStrokes, game).retell(line.position, turn, way.stages)
    return turn


def _stages(bases: Sequence[_Base]) -> list[Line]:
    return [base.line for base in bases if base.verdict.answer == "partial"]


def _unseen(bases: Sequence[_Base]) -> list[Line]:
    """Lines that are carried on already and of which what is hidden may be the end."""
    return [base.line for base in bases if base.verdict.answer == "unclear" and base.rank not in CHANGES]


def _ranked(likely: Sequence[Line], unlikely: Sequence[Line]) -> tuple[Line, ...]:
    believed = [Line(line.position, line.record, line.steps) for line in likely]
    return without_repeats([*believed, *(line.as_stage() for line in unlikely)])[:MOST_LINES]


def changes_nothing(game: Game, line: Line) -> bool:
    """Whether the line's last turn is open and left the board as it was."""
    return bool(line.steps) and game.picture(line.steps[-1].before).on == game.picture(line.position).on


def with_null_turns(game: Game, lines: Sequence[Line], placement: Placement, way: Way) -> tuple[Line, ...]:
    """`lines`, and for those whose side to move was seen to begin a turn and to put everything back: that null turn.

    It is carried silently; that the other side begins makes it true.
    """
    null_turns = []
    for line in lines:
        mover = game.to_move(line.position)
        if line.weak or mover is None or not way.goes_from(game, line):
            continue
        verdict = game.judge(line.position, placement, mover)
        if verdict.answer == "complete":
            null_turns += [line.then(game, _retold(game, line, turn, way)) for turn in verdict.turns]
    strong = [line for line in lines if not line.weak]
    weak = [line for line in lines if line.weak]
    return without_repeats([*strong, *(line.as_stage() for line in null_turns), *weak])[:MOST_LINES]


def within_a_stroke(game: Game, seam: Placement, now: Placement) -> bool:
    """Whether one stroke, legal or not, could lead from one picture to the other.

    A stroke moves pieces between one row and one platform, and may push others out onto the other platform. Pieces out
    of the box need no stroke. Rows are lanes that are no platform; what can't be seen counts as it was.
    """
    platforms = game_platforms(game)
    unseen = {game.lane(site) for site in seam.hidden | now.hidden}
    before, after = _by_lane(game, seam), _by_lane(game, now)
    kinds = {kind for lane in (*before.values(), *after.values()) for kind in lane}
    if any(sum(lane.count(kind) for lane in after.values()) > game.pieces.get(kind, 0) for kind in kinds):
        return True
    changed = {lane for lane in {*before, *after} - unseen if before.get(lane, []) != after.get(lane, [])}
    return len(changed - {*platforms}) <= 1


def there_and_back(game: Game, position: Position, now: Placement) -> bool:
    """Whether one row alone differs because a block went to another row and the other side has brought it back."""
    sites = _lanes(game)
    before, after = _by_lane(game, game.picture(position)), _by_lane(game, now)
    changed = [lane for lane in sites if before.get(lane, []) != after.get(lane, [])]
    if now.hidden or len(changed) != 1 or sorted(before.get(changed[0], [])) != sorted(after.get(changed[0], [])):
        return False
    row = before[changed[0]]
    for size in range(1, min(len(row), 4)):
        for block, rest in ((row[:size], row[size:]), (row[-size:], row[:-size])):
            for to in sites:
                if to == changed[0] or to in game_platforms(game) or len(before.get(to, [])) + size > len(sites[to]):
                    continue
                for line in (block + before.get(to, []), before.get(to, []) + block):
                    if _by_two(game, position, _standing(sites, before | {changed[0]: rest, to: line}), now):
                        return True
    return False


def finished_and_begun(game: Game, line: Line, now: Placement) -> tuple[Line, Verdict] | None:
    """The line with the one turn after which the other side may have loaded what lies on its platform now.

    A quick hand: nothing stood still between. None where no turn explains it, or more than one.
    """
    mover = game.to_move(line.position)
    if mover is None or now.hidden:
        return None
    sites, lanes = _lanes(game), _by_lane(game, now)
    own, other = sorted(game_platforms(game), key=lambda lane: lane != game_platforms(game)[game.players.index(mover)])
    loaded = lanes.get(other, [])
    if lanes.get(own) or not loaded:
        return None
    found: list[tuple[Line, Verdict]] = []
    for row in sites:
        there = lanes.get(row, [])
        if row in (own, other) or len(there) + len(loaded) > len(sites[row]):
            continue
        for filled in (there + loaded, there + loaded[::-1], loaded + there, loaded[::-1] + there):
            end = _end_at(game, line, _standing(sites, lanes | {row: filled, other: []}))
            if end is not None and all(end.position != known.position for known, _ in found):
                verdict = game.judge(end.position, now)
                if verdict.answer == "partial":
                    found.append((end, verdict))
    return found[0] if len(found) == 1 else None


def _end_at(game: Game, line: Line, picture: Placement) -> Line | None:
    """The line with one more turn, which ends exactly there and doesn't end the game."""
    for turn in game.legal_turns(line.position, towards=picture):
        after = game.after(line.position, turn)
        if game.picture(after).on == picture.on:
            return line.then(game, turn) if game.outcome(after) is None else None
    return None


def _by_two(game: Game, position: Position, middle: Placement, now: Placement) -> bool:
    """Whether one turn leads to the middle, and another one from there to what stands now."""
    between = _end_at(game, Line(position), middle)
    return between is not None and not _refuted(game, between.position, now)


def _lanes(game: Game) -> dict[str, list[Site]]:
    sites: dict[str, list[Site]] = {}
    for site in sorted(game.sites):
        sites.setdefault(game.lane(site), []).append(site)
    return sites


def _standing(sites: Mapping[str, Sequence[Site]], lanes: Mapping[str, Sequence[str]]) -> Placement:
    """The picture of these lanes, each from its first site on."""
    pairs = [pair for lane, kinds in lanes.items() for pair in zip(sites[lane], kinds, strict=False)]
    return Placement({site: (kind,) for site, kind in pairs})


def other_side_began(game: Game, mover: Player, stage: Placement, now: Placement) -> bool:
    """Whether since a stage of the mover's turn nothing has changed but that the other side has loaded from a row."""
    own = game_platforms(game)[game.players.index(mover)]
    before, after = _by_lane(game, stage), _by_lane(game, now)
    changed = {lane for lane in {*before, *after} if before.get(lane, []) != after.get(lane, [])}
    more = {lane for lane in changed if len(after.get(lane, [])) > len(before.get(lane, []))}
    return len(changed) == 2 and own not in changed and len(more) == 1 and more <= {*game_platforms(game)}


def game_platforms(game: Game) -> tuple[str, str]:
    """The lanes of the two platforms."""
    return cast(PlaysInStrokes, game).platforms


def _by_lane(game: Game, placement: Placement) -> dict[str, list[str]]:
    lanes: dict[str, list[str]] = {}
    for site in sorted(placement.on):
        lanes.setdefault(game.lane(site), []).extend(placement.on[site])
    return lanes
