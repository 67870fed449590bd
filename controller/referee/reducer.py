"""The referee: `reduce(state, input)` -> state, view, events. No clock, no I/O, no randomness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from controller.referee import commands, eyes
from controller.referee.agreements import let_offer_lapse
from controller.referee.anchors import follow_anchors
from controller.referee.beginning import await_new_game, await_setup
from controller.referee.events import Command, Input, Press, Tick
from controller.referee.judging import judge_board
from controller.referee.leading import lead, tell_of_guide
from controller.referee.memory import rebuild, write_belief
from controller.referee.naming import follow_names, names_in
from controller.referee.rulings import serve_ruling
from controller.referee.standing import note_standing
from controller.referee.state import Draft, State, Step
from controller.referee.teaching import follow_lift
from controller.referee.timekeeping import clock_of, clock_view, follow_clock
from controller.referee.timing import Timing
from controller.referee.view import Mode
from controller.referee.viewing import view_of
from controller.rules.api import Game
from vision.sighting import Sighting

__all__ = ["State", "Step", "initial", "reduce", "resume"]


def initial(
    game: Game, *, set_name: str, timing: Timing | None = None, start_mode: str = "setup", mode: Mode = "referee"
) -> State:
    """The state of a table that has seen nothing yet.

    `start_mode`: "setup" waits for a set-up; "auto" also takes up the first settled possible position; anything else is
    the text of the position that stands (a TextError says what is wrong with it).
    """
    if start_mode not in ("setup", "auto"):
        game.parse_position(start_mode)
    return State(game, set_name, timing or Timing(), start_mode, mode)


def resume(game: Game, set_name: str, timing: Timing, rows: Sequence[Mapping[str, Any]]) -> State:
    """The state that the journalled events of a table lead to: the same lines as before."""
    state = rebuild(game, set_name, timing, rows)
    state = replace(state, clock=clock_of(state, rows))
    return replace(state, names=names_in(rows, game, state.game_no), named=state.game_no)


def reduce(state: State, given: Input) -> Step:
    """One step of the referee."""
    draft = Draft(state)
    if isinstance(given, Sighting):
        if eyes.look(draft, given):
            note_standing(draft)
            _judge(draft)
        follow_lift(draft)
    elif isinstance(given, Tick):
        eyes.tick(draft, given.t_s)
    elif isinstance(given, Press):
        commands.press(draft, given)
    elif isinstance(given, Command):
        commands.command(draft, given)
    let_offer_lapse(draft)
    tell_of_guide(draft, state)
    follow_names(draft, state)
    follow_anchors(draft, state)
    write_belief(draft, state)
    follow_clock(draft, state, given)
    view = view_of(draft.state)
    if draft.state.clock is not None:
        view = replace(view, clock=clock_view(draft.state.clock))
    return Step(draft.state, view, tuple(draft.events))


def _judge(draft: Draft) -> None:
    """What the newest frame means, in the phase the table is in."""
    state = draft.state
    if state.paused:
        return
    if state.phase == "setup":
        await_setup(draft)
    elif state.phase == "over":
        await_new_game(draft)
    elif state.guiding:
        lead(draft)
    elif state.phase == "play":
        serve_ruling(draft)
        if draft.state.guiding:
            return
        judge_board(draft)
        commands.serve_press(draft)
        if draft.state.partial and not draft.state.seen.clocks.settled(draft.state.timing):
            draft.set(partial=False)
    eyes.follow_hand(draft)
