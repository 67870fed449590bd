"""Questions: what the lines or the readings leave open, what was meant, and what happened while nobody saw it."""

from __future__ import annotations

from controller.referee.beginning import lines_from, possible
from controller.referee.choosing import Choice
from controller.referee.lines import Line, without_repeats
from controller.referee.reading import agree, differing
from controller.referee.record import candidate, differ, mover_not_known_yet, strong
from controller.referee.search import MOST_LINES
from controller.referee.state import Draft, State
from controller.rules.api import Placement, Position, Reason
from controller.rules.options import chosen_of


def ask(draft: Draft, about: str, lines: tuple[Line, ...], placement: Placement) -> None:
    """Put a question, once for each placement."""
    state = draft.state
    if state.asked is not None and state.question and agree(state.asked, placement):
        return
    candidates = tuple(candidate(state.game, line) for line in lines)
    draft.set(question=candidates, question_about=about, asked=placement, offence=None, doubts=())
    draft.emit("question", {"candidates": [dict(one) for one in candidates]})


def answered(draft: Draft, by: str) -> None:
    """The question, if there is one, is over."""
    if draft.state.question_about:
        if draft.state.question:
            draft.emit("answered", {"by": by})
        draft.set(question=(), question_about="", asked=None, doubts=())


def question_after(draft: Draft, choice: Choice) -> bool:
    """Ask if the lines or the readings leave open what matters; true while a question is open."""
    state = draft.state
    game, lines = state.game, strong(state.lines)
    if choice.close:
        ask(draft, "reading", lines, choice.placement)
        return True
    if not differ(game, state.lines):
        return False
    if mover_not_known_yet(state.lines):
        return state.question_about == "thread"
    ask(draft, "lines", lines, choice.placement)
    return True


def victim_to_confirm(draft: Draft, *, new: bool) -> bool:
    """The mover must say which of two victims was meant (option `announce` = ask): asked once for each such turn."""
    state = draft.state
    game, line = state.game, state.line
    if not new:
        return state.question_about == "victim"
    if chosen_of(game).get("announce") != "ask" or not line.steps or game.outcome(line.position) is not None:
        return False
    last = line.steps[-1]
    owed = [owed for stage in game.stages(last.before, last.turn) for owed in game.judge(last.before, stage).owed]
    if all(one.act != "choose" for one in owed):
        return False
    ask(draft, "victim", (line,), state.seen.placement)
    return True


def lose_thread(draft: Draft, placement: Placement, doubts: tuple[Reason, ...] = ()) -> None:
    """Too much may have happened unseen: ask, and go on from what stands as well as from what was believed.

    `doubts`: what would be wrong if it had been one turn. Where only a record is kept nothing is asked.
    """
    state = draft.state
    if state.asked is not None and agree(state.asked, placement):
        return
    game = state.game
    middle = possible(game, placement, state.line.position)
    afresh = lines_from(game, middle, state.line) if middle is not None else ()
    lines = without_repeats([state.line, *afresh, *state.lines[1:]])[:MOST_LINES]
    draft.set(lines=lines, pending=())
    if state.mode == "record":
        draft.set(question=(), question_about="thread", asked=placement, partial=False, owed=())
        draft.emit("unexplained", _unexplained(state, placement, middle))
        return
    candidates = tuple(candidate(game, line, turn=False) for line in strong(lines))
    draft.set(question=candidates, question_about="thread", asked=placement, offence=None, partial=False, owed=(),
              doubts=doubts)  # fmt: skip
    draft.emit("question", {"candidates": [dict(one) for one in candidates]}, reasons=doubts)


def _unexplained(state: State, placement: Placement, position: Position | None) -> dict[str, object]:
    """What stands, where nothing is asked and nobody accused: `position` where it could be one of the game."""
    return {
        "sites": sorted(differing(state.game.picture(state.line.position), placement)),
        "placement": {site: list(kinds) for site, kinds in sorted(placement.on.items())},
        "hidden": sorted(placement.hidden),
        "position": None if position is None else state.game.position_text(position),
    }
