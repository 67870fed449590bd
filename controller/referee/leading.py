"""Leading a table back to the believed position: nothing is judged and nobody is accused until it stands."""

from __future__ import annotations

from typing import Literal

from controller.referee.clocks import Clocks
from controller.referee.guiding import guide
from controller.referee.reading import agree
from controller.referee.record import forget_moment
from controller.referee.state import Draft, Guiding, State


def start_guide(draft: Draft, by: Literal["operator", "player"]) -> None:
    """Lead to the position of the first line; lines that mean another position are given up with it."""
    state = draft.state
    game = state.game
    wanted = game.picture(state.line.position)
    forget_moment(draft)
    draft.set(
        guiding=Guiding(),
        ruled=None,
        lines=tuple(line for line in state.lines if agree(game.picture(line.position), wanted)),
    )
    draft.emit("guide", {"state": "begun", "by": by, "position": game.position_text(state.line.position)})


def lead(draft: Draft) -> None:
    """One frame: the way on from what stands, while no hand is over it; the end, once the position stands still."""
    state = draft.state
    guiding, seen = state.guiding, state.seen
    assert guiding is not None
    if not seen.clocks.seen(state.timing):
        return
    position = state.line.position
    if guiding.at != seen.placement:
        clear = [reading.placement for reading in seen.readings if reading.clear]
        ways = [guide(state.game, placement, position, guiding.way) for placement in clear[1:]]
        way = guide(state.game, seen.placement, position, guiding.way)
        draft.set(guiding=Guiding(next((one for one in (way, *ways) if one.stands), way), seen.placement))
    now = draft.state.guiding
    if now and now.way.stands and seen.clocks.settled(state.timing, state.timing.setup_s):
        _go_on(draft)


def _go_on(draft: Draft) -> None:
    """The game goes on as if it had never been touched."""
    state = draft.state
    draft.set(guiding=None)
    draft.set_seen(
        clocks=Clocks.restarted(state.t_s),
        touched=frozenset(),
        touched_since_pending=frozenset(),
        explained=state.seen.placement,
        seam=state.game.picture(state.line.position),
        gap_s=0.0,
        away=False,
    )


def tell_of_guide(draft: Draft, before: State) -> None:
    """Write that a guide is over, however it ended: `stands`, or something else was decided meanwhile."""
    state = draft.state
    if before.guiding and not state.guiding:
        led = state.phase == "play" and before.guiding.way.stands and state.lines == before.lines
        draft.emit("guide", {"state": "ended", "stands": led})
