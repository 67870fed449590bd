"""From readings to one answer: the rules break ties between readings, they never overrule a clear look."""

from __future__ import annotations

from dataclasses import dataclass

from controller.referee.lines import Line, same_history, without_repeats
from controller.referee.reading import Reading
from controller.referee.search import MOST_LINES, Explained, explain
from controller.referee.state import Draft, State
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
    key = (state.seen.readings, state.lines, state.pending, state.seen.touched, state.seen.touched_since_pending)
    if done is None and state.memo is not None and state.memo[0] == key:
        return _choose(state.memo[1])
    results = tuple((reading, _explained(state, reading.placement, done)) for reading in state.seen.readings)
    if done is None:
        draft.set(memo=(key, results))
    return _choose(results)


def _explained(state: State, placement: Placement, done: Player | None) -> Explained:
    seen = state.seen
    return explain(state.game, state.lines, state.pending, placement, seen.touched, seen.touched_since_pending, done)


def _choose(results: tuple[tuple[Reading, Explained], ...]) -> Choice:
    best, answer = results[0]
    if len(results) == 1:
        return Choice(best.placement, answer)
    if answer.answer == "unchanged":
        return Choice(best.placement, answer)
    clear = [(reading, found) for reading, found in results if reading.clear]
    standing = [(reading, found) for reading, found in clear if found.answer in STANDS]
    if standing:
        # Of a token on a line and of a name in doubt, "nothing happened" is the first guess.
        first = next(((r, f) for r, f in standing if f.answer == "unchanged"), standing[0])
        others = [f for r, f in standing if f is not first[1] and not _same_end(f, first[1])]
        if not others:
            return Choice(first[0].placement, first[1])
        lines: list[Line] = list(first[1].lines)
        for found in others:
            lines += found.lines
        merged = Explained("complete", without_repeats(lines)[:MOST_LINES], Verdict("complete"), waits=True)
        return Choice(first[0].placement, merged, close=True)
    for wanted in ("partial", "unclear"):
        for reading, found in clear:
            if found.answer == wanted:
                return Choice(reading.placement, found)
    grey = [found for _, found in results if found.answer in (*STANDS, "partial")]
    return Choice(best.placement, answer, close=bool(grey))


def _same_end(one: Explained, other: Explained) -> bool:
    return one.lines[0].position == other.lines[0].position or same_history(one.lines[0], other.lines[0])
