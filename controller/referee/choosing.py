"""From readings to one answer: the rules break ties between readings, they never overrule a clear look."""

from __future__ import annotations

from dataclasses import dataclass

from controller.referee.lines import Line, same_history, without_repeats
from controller.referee.reading import Reading
from controller.referee.search import MOST_LINES, Explained, explain
from controller.referee.state import Draft, State
from controller.referee.strokes import explain_by_strokes, in_strokes, taken_as_seen
from controller.rules.api import Placement, Player, Verdict

STANDS = ("unchanged", "complete")


@dataclass(frozen=True)
class Choice:
    """The reading taken, its explanation, and whether a person should be asked (`close`: readings differ)."""

    placement: Placement
    explained: Explained
    close: bool = False


def consider(draft: Draft, done: Player | None = None) -> Choice:
    """What the newest frame means. Remembers the answer: a board that lies still is judged once."""
    state = draft.state
    seen = state.seen
    key = (seen.readings, state.lines, state.pending, seen.touched, seen.touched_since_pending, state.way)
    if done is None and state.memo is not None and state.memo[0] == key:
        return _choose(state.memo[1], state.lines)
    results = tuple((reading, _explained(state, reading.placement, done)) for reading in state.seen.readings)
    if done is None:
        draft.set(memo=(key, results))
    return _choose(results, state.lines)


def put_back_again(state: State) -> Line | None:
    """The line that was believed when the thread was lost, if exactly its position stands again.

    It may also follow by a legal turn from what was asked about, or from the two turns that would have explained it;
    that somebody has put it back is far likelier.
    """
    seen, lost = state.seen, state.question_about == "thread"
    if in_strokes(state.game) or len(seen.readings) > 1 or seen.placement.hidden:
        return None
    for line in state.lines:
        stands = (lost or two_turns_ago(line, state.line)) and state.game.picture(line.position).on == seen.placement.on
        if line.weak and stands and not taken_as_seen(state.game, line):
            return Line(line.position, line.record, line.steps)
    return None


def two_turns_ago(line: Line, shown: Line) -> bool:
    """Whether this is what was believed before two turns that nobody has seen made were taken from what stood.

    Either they followed it, or the first of them took the place of its last turn.
    """
    if len(shown.record) < 2 or line.record == shown.record[:-1]:
        return False
    before = shown.record[:-2]
    return line.record == before or line.record[:-1] == before


def _explained(state: State, placement: Placement, done: Player | None) -> Explained:
    seen = state.seen
    if in_strokes(state.game):
        return explain_by_strokes(state.game, state.lines, state.pending, placement, state.way, done)
    return explain(state.game, state.lines, state.pending, placement, seen.touched, seen.touched_since_pending, done)


def _choose(results: tuple[tuple[Reading, Explained], ...], believed: tuple[Line, ...]) -> Choice:
    best, answer = results[0]
    if len(results) == 1:
        return Choice(best.placement, answer)
    clear = [(reading, found) for reading, found in results if reading.clear]
    standing = [(reading, found) for reading, found in clear if found.answer in STANDS]
    if answer.answer == "unchanged":
        # Asked before, and still in doubt: then each reading has its line, and each stays.
        others = [found for _, found in standing if found.answer == "unchanged" and not _same_end(found, answer)]
        if not others:
            return Choice(best.placement, answer)
        return Choice(
            best.placement, Explained("unchanged", _merged([answer, *others], believed), Verdict("unchanged")), True
        )
    if standing:
        # Of a token on a line and of a name in doubt, "nothing happened" is the first guess.
        first = next(((r, f) for r, f in standing if f.answer == "unchanged"), standing[0])
        others = [f for r, f in standing if f is not first[1] and not _same_end(f, first[1])]
        if not others:
            return Choice(first[0].placement, first[1])
        merged = Explained("complete", _merged([first[1], *others], believed), Verdict("complete"), waits=True)
        return Choice(first[0].placement, merged, close=True)
    for wanted in ("partial", "unclear"):
        for reading, found in clear:
            if found.answer == wanted:
                return Choice(reading.placement, found)
    grey = [found for _, found in results if found.answer in (*STANDS, "partial")]
    return Choice(best.placement, answer, close=bool(grey))


def _merged(found: list[Explained], believed: tuple[Line, ...]) -> tuple[Line, ...]:
    """The lines of all readings; those believed already keep their order, so that what is shown does not flicker."""
    lines = [line for one in found for line in one.lines]
    known = [line for line in believed if any(same_history(line, other) for other in lines)]
    return without_repeats([*known, *lines])[:MOST_LINES]


def _same_end(one: Explained, other: Explained) -> bool:
    return one.lines[0].position == other.lines[0].position or same_history(one.lines[0], other.lines[0])
