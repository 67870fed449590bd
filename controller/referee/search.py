"""Which lines explain what stands on the table? One turn first, the open turns changed next, two quick turns last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from controller.referee.crushed import judge_line, lines_past, put_elsewhere, still_there, to_take_off, without
from controller.referee.lines import Line, extensions, without_repeats
from controller.referee.reading import agree, differing, owners_of_changes
from controller.rules.api import Game, Placement, Player, Position, Site, Turn, Verdict

Found = Literal["unchanged", "complete", "partial", "illegal", "unclear"]
MOST_LINES = 8


@dataclass(frozen=True)
class Explained:
    """The answer for one placement.

    `lines`: those that explain it, best first, weak ones last; for *illegal* and *unclear* the lines as they were.
    `verdict`: of the first line's position on the placement. `waits`: another turn could still go on from here.
    `quick`: two turns had to be tried. `ahead`: lines that a crushed piece, which still stands, holds up. `reader`: the
    line, and `read` the placement as it sees it, in whose words an offence is told.
    """

    answer: Found
    lines: tuple[Line, ...]
    verdict: Verdict
    waits: bool = False
    quick: bool = False
    ahead: tuple[Line, ...] = ()
    reader: Line | None = None
    read: Placement | None = None


def explain(
    game: Game,
    lines: Sequence[Line],
    pending: Sequence[Line],
    placement: Placement,
    touched: frozenset[Site],
    touched_since_pending: frozenset[Site],
    done: Player | None = None,
) -> Explained:
    """Explain `placement` by the believed `lines`, or by `pending` (a turn that stood settled, not accepted yet).

    `touched`: the sites hidden or changed since the last settled picture that was explained: only these may be used by
    two turns at once. `done`: the player who said that their part is over.
    """
    bases = [*lines, *(line for line in pending if line not in lines)]
    verdicts = [judge_line(game, line, placement, done) for line in bases]
    likely, unlikely, before = _Finds(), _Finds(), _Finds()
    held: list[Line] = []  # pending, and nothing has happened since
    ends_of: int | None = None  # the first rank of which a turn ends here; of later ones that is less likely
    for line, verdict in sorted(zip(bases, verdicts, strict=True), key=lambda base: _rank(base[0], lines)):
        if still_there(game, line, placement):
            continue  # see `_past_crushed`
        if line not in lines and verdict.answer == "unchanged":
            held.append(line)
            continue
        rank = _rank(line, lines)
        finds = unlikely if line.weak or (ends_of is not None and ends_of != rank) else likely
        finds.take(game, line, verdict)
        finds.same |= verdict.answer == "unchanged"
        if likely.ends and verdict.answer == "complete" and ends_of is None:
            ends_of = rank
    if not likely.same:
        for line in bases:
            if not line.weak and line.steps and line not in held and not still_there(game, line, placement):
                _change_last_turns(game, line, placement, done, before)
    quick = None
    if not likely.ends and not likely.stages and not likely.unclear:
        quick = _two_turns(game, lines, pending, placement, touched, touched_since_pending, done)
    quickly = list(quick.lines) if quick is not None and quick.answer == "complete" else []

    if likely.same:
        _stay(game, bases, placement, likely)
    hidden = [*likely.unclear, *unlikely.unclear]
    if quick is not None and quick.answer == "unclear" and not held:
        # A changed turn could explain it, or two quick ones through sites that can't be seen: wait until they can.
        before.ends.clear()
    if likely.ends or before.ends or held:
        also = [] if likely.ends else before.stages
        weak = [*_lines(likely.stages), *unlikely.ends, *_lines(unlikely.stages), *_lines(also), *quickly, *hidden]
        # What is held waits on for the reason for which it was held.
        late = [line for line in held if not line.lingering]
        waits = likely.extendable or before.extendable or bool(likely.stages or likely.unclear or quickly or late)
        found = _ranked([*likely.ends, *before.ends, *held], weak)
        answer: Found = "unchanged" if likely.same else "complete"
        return Explained(answer, found, _of(bases, verdicts, found), waits and not likely.same)
    if likely.stages and not (unlikely.ends and likely.stages[0][1].owed):
        weak = [*_lines(likely.stages[1:]), *unlikely.ends, *_lines(unlikely.stages), *unlikely.origins, *hidden]
        past = _past_crushed(game, lines, pending, placement, touched, touched_since_pending, done)
        ahead = past.ahead if past is not None else ()
        return Explained("partial", _ranked([likely.stages[0][0]], weak), likely.stages[0][1], ahead=ahead)
    past = _past_crushed(game, lines, pending, placement, touched, touched_since_pending, done)
    if past is not None:
        return past
    if likely.unclear:
        return Explained("unclear", tuple(lines), verdicts[0])
    if unlikely.ends:
        # A piece set down in a wrong place for a moment can end a turn of an unlikely line: let it stand first.
        found = _ranked(unlikely.ends, [*_lines(unlikely.stages), *quickly])
        return Explained("complete", found, _of(bases, verdicts, found), waits=True)
    stages = [*before.stages, *unlikely.stages]
    if quick is not None and quickly:
        # Two quick turns, or the last turn taken back and half of another made: time will tell.
        return Explained("complete", _ranked(quickly, _lines(stages)), quick.verdict, waits=True, quick=True)
    if before.unclear or unlikely.unclear:
        return Explained("unclear", tuple(lines), verdicts[0])
    if stages:
        return Explained("partial", _ranked([stages[0][0]], _lines(stages[1:])), stages[0][1])
    if quick is not None:
        return quick
    held_up = next((line for line in pending if still_there(game, line, placement)), None)
    if held_up is not None:
        read = without(placement, still_there(game, held_up, placement))
        verdict = game.judge(held_up.position, read, done)
        return Explained("illegal", tuple(lines), verdict, reader=held_up, read=read)
    # A turn that stood settled and was followed by something that does not go on from it: that turn was complete.
    over = [line for line in pending if not put_elsewhere(line, placement)]
    believed = _mover_first(game, over or lines, placement)
    return Explained("illegal", believed, game.judge(believed[0].position, placement, done))


def _stay(game: Game, bases: Sequence[Line], placement: Placement, finds: _Finds) -> None:
    """Where one line stands, others of which nothing is seen to have changed stay too, though more could hide."""
    still = [line for line in finds.unclear if agree(game.picture(line.position), placement)]
    stand = [line for line in bases if line in finds.ends or line in still]
    finds.ends = [*stand, *(line for line in finds.ends if line not in stand)]
    finds.unclear = [line for line in finds.unclear if line not in still]


def _mover_first(game: Game, lines: Sequence[Line], placement: Placement) -> tuple[Line, ...]:
    """The lines; where nobody knows yet whose turn it is, the one first whose side has moved its own pieces."""

    def foreign(line: Line) -> bool:
        changed = owners_of_changes(game, game.picture(line.position), placement)
        return bool(changed - {None, game.to_move(line.position)})

    alike = all(game.picture(line.position).on == game.picture(lines[0].position).on for line in lines)
    return tuple(sorted(lines, key=foreign)) if alike else tuple(lines)


def _past_crushed(
    game: Game,
    lines: Sequence[Line],
    pending: Sequence[Line],
    placement: Placement,
    touched: frozenset[Site],
    touched_since_pending: frozenset[Site],
    done: Player | None,
) -> Explained | None:
    """What goes on around a crushed piece that still stands: no offence, and nothing to accept before it is gone."""
    found: list[tuple[Line, Verdict]] = []
    for line in pending:
        if still_there(game, line, placement):
            for one in (line, line.back()) if line.steps else (line,):
                if still_there(game, one, placement):
                    found += _goes_on(game, one, judge_line(game, one, placement, done), game.sites, placement)
    for base, sites in [*((line, touched) for line in lines), *((line, touched_since_pending) for line in pending)]:
        if not base.weak:
            for past, verdict in lines_past(game, base, placement, sites, done):
                found += _goes_on(game, past, verdict, sites, placement)
    if not found:
        return None
    ahead = without_repeats([line for line, _ in found])[:MOST_LINES]
    owed = (*to_take_off(game, ahead[0], placement), *(one for one in found[0][1].owed))
    return Explained("partial", tuple(lines), Verdict("partial", owed=owed), ahead=ahead)


def _goes_on(
    game: Game, line: Line, verdict: Verdict, sites: frozenset[Site], placement: Placement
) -> list[tuple[Line, Verdict]]:
    """The line, or with one turn more, where the placement without its crushed pieces is on the way from it."""
    if verdict.answer == "complete":
        turns = [turn for turn in verdict.turns if game.turn_sites(line.position, turn) <= sites]
        return [(line.then(game, turn), Verdict("unchanged")) for turn in turns]
    standing = without(placement, still_there(game, line, placement))
    if verdict.answer == "illegal" or not differing(game.picture(line.position), standing) <= sites:
        return []
    return [(line, verdict)]


def _rank(line: Line, lines: Sequence[Line]) -> int:
    """Where what comes next is likely to go on from, 0 first.

    0: the last turn changed, as it has stood settled; 1: the lines believed in, or a turn more; 2: two quick turns,
    which may have been a slip of the hand.
    """
    if any(line.record[: len(one.record)] == one.record and len(line.record) < len(one.record) + 2 for one in lines):
        return 1
    changed = any(len(line.record) == len(one.record) and line.record[:-1] == one.record[:-1] for one in lines)
    return 0 if changed else 2 if any(len(line.record) > len(one.record) for one in lines) else 1


class _Finds:
    """What some lines say of a placement: where it ends their turns, or is a stage of one."""

    def __init__(self) -> None:
        self.ends: list[Line] = []
        self.origins: list[Line] = []  # of the lines that end here by one more turn
        self.stages: list[tuple[Line, Verdict]] = []
        self.unclear: list[Line] = []  # what is hidden may hold their stage or end
        self.same = self.extendable = False

    def take(self, game: Game, line: Line, verdict: Verdict) -> None:
        if verdict.answer == "unchanged":
            self.ends.append(line)
        elif verdict.answer == "complete":
            self.ends += [line.then(game, turn) for turn in verdict.turns]
            self.origins.append(line)
            self.extendable |= verdict.extendable
        elif verdict.answer == "partial":
            self.stages.append((line, verdict))
        elif verdict.answer == "unclear":
            self.unclear.append(line)


def _change_last_turns(game: Game, line: Line, placement: Placement, done: Player | None, finds: _Finds) -> None:
    """The last turn withdrawn or changed; the turn before it extended and the last one kept."""
    before, last = line.back(), line.steps[-1]
    verdict = game.judge(before.position, placement, _if_it_moves(game, before.position, done))
    if verdict.answer in ("unchanged", "complete") and placement.hidden & game.turn_sites(last.before, last.turn):
        verdict = Verdict("unclear")  # nobody has seen the last turn taken back
    finds.take(game, before, verdict)
    for longer in extensions(game, line):
        visible = not placement.hidden & _moved_sites(game, longer)
        if visible and agree(game.picture(longer.position), placement):
            finds.ends.append(longer)


def _if_it_moves(game: Game, position: Position, done: Player | None) -> Player | None:
    """A "done" counts only for the side whose turn would be read."""
    return done if done == game.to_move(position) else None


def _lines(stages: Sequence[tuple[Line, Verdict]]) -> list[Line]:
    return [line for line, _ in stages]


def _ranked(likely: Sequence[Line], unlikely: Sequence[Line]) -> tuple[Line, ...]:
    """The likely lines as believed ones, the others kept as weak ones."""
    return without_repeats([*map(_plain, likely), *(line.as_stage() for line in unlikely)])[:MOST_LINES]


def _plain(line: Line) -> Line:
    return Line(line.position, line.record, line.steps)


def _of(bases: Sequence[Line], verdicts: Sequence[Verdict], found: Sequence[Line]) -> Verdict:
    """The verdict that led to the first line found, or the plain one."""
    for base, verdict in zip(bases, verdicts, strict=True):
        if verdict.answer in ("complete", "unchanged") and found[0].record[: len(base.record)] == base.record:
            return verdict
    return Verdict("complete")


def _moved_sites(game: Game, line: Line) -> frozenset[Site]:
    """The sites that the open turns of a line use."""
    return frozenset().union(*(game.turn_sites(step.before, step.turn) for step in line.steps))


def _two_turns(
    game: Game,
    lines: Sequence[Line],
    pending: Sequence[Line],
    placement: Placement,
    touched: frozenset[Site],
    touched_since_pending: frozenset[Site],
    done: Player | None = None,
) -> Explained | None:
    """Two turns between two settled pictures: both complete, or the second one on its way."""
    complete: list[Line] = []
    partial: list[tuple[Line, Verdict]] = []
    hidden_turn = False
    for line, may_use in _starts(game, lines, pending, touched, touched_since_pending):
        for first, position in _firsts(game, line, placement, may_use):
            verdict = game.judge(position, placement, _if_it_moves(game, position, done))
            if verdict.answer in ("illegal", "unchanged"):
                continue
            middle = line.then(game, first)
            uses = game.turn_sites(line.position, first) | may_use.undone
            if verdict.answer == "unclear" or (uses & placement.hidden and verdict.answer in ("complete", "partial")):
                hidden_turn = True
            elif verdict.answer == "complete":
                for turn in verdict.turns:
                    if game.turn_sites(middle.position, turn) <= may_use.second:
                        complete.append(middle.then(game, turn))
            elif verdict.answer == "partial" and differing(game.picture(position), placement) <= may_use.second:
                partial.append((middle, verdict))
    if complete:
        found = without_repeats(complete)[:MOST_LINES]
        # A piece set down in a wrong place for a moment can look like two turns that cancel out (capture, recapture,
        # through sites that hands have hidden): believed only when it stands, or when play goes on from it.
        return Explained("complete", found, Verdict("complete"), waits=True, quick=True)
    if hidden_turn:
        return Explained("unclear", tuple(lines), Verdict("unclear"))
    if partial:
        found = without_repeats([line for line, _ in partial])[:MOST_LINES]
        return Explained("partial", found, partial[0][1], quick=True)
    return None


@dataclass(frozen=True)
class _MayUse:
    """The sites that the first and the second of two turns may use; the first must be `only`, must not be `never`.

    `undone`: the sites of a last turn that would have been taken back.
    """

    first: frozenset[Site]
    second: frozenset[Site]
    only: Turn | None = None
    never: Turn | None = None
    undone: frozenset[Site] = frozenset()


def _starts(
    game: Game,
    lines: Sequence[Line],
    pending: Sequence[Line],
    touched: frozenset[Site],
    touched_since_pending: frozenset[Site],
) -> Iterator[tuple[Line, _MayUse]]:
    """Where two turns may begin: at the position believed in, or with the last turn changed and then answered."""
    for base, sites in [*((line, touched) for line in lines), *((line, touched_since_pending) for line in pending)]:
        if base.weak:
            continue
        yield base, _MayUse(sites, sites)
        if base.steps:
            last = base.steps[-1]
            # The last turn as it was leads to `base` again, and that was tried.
            undone = game.turn_sites(last.before, last.turn)
            yield base.back(), _MayUse(sites | undone, sites, never=last.turn, undone=undone)
        for longer in extensions(game, base):
            was, first = base.steps[-2], longer.steps[-2]
            if game.turn_sites(first.before, first.turn) <= sites | game.turn_sites(was.before, was.turn):
                yield longer.back(), _MayUse(sites | _moved_sites(game, longer), sites, only=longer.steps[-1].turn)


def _firsts(game: Game, line: Line, placement: Placement, may_use: _MayUse) -> Iterator[tuple[Turn, Position]]:
    """First turns, and the positions after them, from which one more turn could still lead to `placement`."""
    reach = 2 * game.turn_size
    for turn in game.legal_turns(line.position):
        if turn == may_use.never or (may_use.only is not None and turn != may_use.only):
            continue
        if not game.turn_sites(line.position, turn) <= may_use.first:
            continue
        after = game.after(line.position, turn)
        if game.outcome(after) is not None:
            continue
        if len(differing(game.picture(after), placement)) > reach:
            continue
        if next(game.legal_turns(after, towards=placement), None) is not None:
            yield turn, after
