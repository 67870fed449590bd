"""An operator's rulings on turns that stand already: one was another turn, or the game goes back to one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from controller.referee.agreements import rule
from controller.referee.asking import answered
from controller.referee.beginning import lines_from
from controller.referee.correcting import Correction, History, before_turn, corrected
from controller.referee.leading import start_guide
from controller.referee.lines import Line
from controller.referee.record import believe, end_game, forget_moment, outcome_of
from controller.referee.state import Draft, State
from controller.rules.api import RulesError

LONGEST_REASON = 500


def correct_turn(draft: Draft, arguments: Mapping[str, str]) -> None:
    """Turn `n` was another one; later turns are judged anew, and those that no longer follow are taken away.

    That may only happen when the operator was told: `falls` names the first of them.
    """
    state = draft.state
    n = _number(arguments.get("n"))
    text, stands = arguments.get("text", ""), arguments.get("position")
    try:
        found = corrected(state.game, history_of(state, state.line), n, text, stands)
    except RulesError:  # whoever hands commands in has shown what is wrong with it
        return
    if found.falls and found.falls[0].n != _number(arguments.get("falls")):
        return
    new = found.record[n - 1]
    rule(
        draft, "corrected", "operator", n=n, was=found.was.played.text if found.was else None, text=new.played.text,
        legal=new.played.legal, reason=arguments.get("reason", "").strip()[:LONGEST_REASON],
        falls=[done.n for done in found.falls], kept=[k for k, _ in found.anchors if k >= n],
    )  # fmt: skip
    others = _others(state, n, text, stands)
    answered(draft, "operator")
    forget_moment(draft)
    believe(draft, (found.line, *others))
    draft.set(anchors=found.anchors, ruled=None)
    go_on(draft)


def _others(state: State, n: int, text: str, stands: str | None) -> tuple[Line, ...]:
    """The other lines that agree with the first one as far as turn `n`, corrected in the same way."""
    others: list[Line] = []
    for line in state.lines[1:]:
        if len(line.record) < n or line.record[:n] != state.line.record[:n]:
            continue
        try:
            found: Correction = corrected(state.game, history_of(state, line), n, text, stands)
        except RulesError:
            continue
        if not found.falls:
            others.append(replace(found.line, weak=line.weak))
    return tuple(others)


def history_of(state: State, line: Line) -> History:
    """The game as one line has it."""
    return History(state.anchors, line.record, len(line.steps))


def take_back_to(draft: Draft, after: str) -> None:
    """The game goes on from the position after turn `after`; 0: from its beginning."""
    state = draft.state
    n = _number(after)
    try:
        position = before_turn(state.game, History(state.anchors, state.line.record[:n]), n + 1)
    except RulesError:
        return
    lines = lines_from(state.game, position, Line(position, state.line.record[:n]))
    if n >= len(state.line.record) or lines[0].record == state.line.record:
        return
    rule(draft, "taken_back", "operator", n=len(lines[0].record) + 1)
    answered(draft, "operator")
    forget_moment(draft)
    believe(draft, lines)
    draft.set(ruled=None)
    go_on(draft)


def go_on(draft: Draft, *, answered_so: bool = False) -> None:
    """The table goes on from what is believed now: it is led there from a board that can't have come of it.

    What happened on the board before the ruling accuses nobody. `answered_so`: the ruling is the answer to what has
    been asked about the board; where a hand hides it now it isn't asked about once more.
    """
    state = draft.state
    outcome = outcome_of(state.game, state.lines)
    if outcome is not None:
        end_game(draft, outcome)
        return
    every = state.game.sites
    draft.set_seen(touched=every, touched_since_pending=every, gap_s=state.timing.thread_s + 1.0)
    if not state.paused:
        draft.set(unchecked=answered_so)
        if state.eyes.found:
            _check(draft)


def serve_ruling(draft: Draft) -> None:
    """Check the board after an answer that was given with a hand over it, as soon as it can be seen."""
    state = draft.state
    if state.unchecked and state.seen.clocks.settled(state.timing):
        _check(draft)


def _check(draft: Draft) -> None:
    """Lead the table back where what stands can't have come of what was ruled; wait where nobody can see that."""
    state = draft.state
    answers = {state.game.judge(line.position, state.seen.placement).answer for line in state.lines}
    draft.set(unchecked=state.unchecked and answers <= {"illegal", "unclear"} and "unclear" in answers)
    if answers <= {"illegal"}:
        start_guide(draft, "operator")


def _number(text: str | None) -> int:
    """A turn's number as a command gives it; -1 for anything else."""
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 7 else -1
