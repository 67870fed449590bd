"""From State to View: what pages and lights need to know."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeGuard

from controller.referee.reading import differing
from controller.referee.record import strong
from controller.referee.state import State
from controller.referee.view import View
from controller.rules.api import CountsPoints, Game
from controller.rules.options import chosen_of


def view_of(state: State) -> View:
    """The table as the referee believes it."""
    game, seen = state.game, state.seen
    shown = state.lines[0] if state.lines else None
    movers = {game.to_move(line.position) for line in strong(state.lines)} if shown else set()
    picture = game.picture(shown.position) if shown else None
    watching = state.phase == "play" and not state.paused
    changed = differing(picture, seen.placement) if picture is not None and watching else frozenset()
    noticed = bool(changed) and seen.clocks.seen(state.timing)
    judged = bool(state.offence or state.partial or state.question_about or state.rearranging or state.guiding)
    way = state.guiding.way if state.guiding else None
    setup = state.setup if state.phase == "setup" or state.rearranging else None
    return View(
        t_s=state.t_s,
        phase=state.phase,
        game=game.name,
        set_name=state.set_name,
        mode=state.mode,
        names=dict(state.names),
        options=chosen_of(game),
        game_no=state.last_no,
        players=game.players,
        to_move=next(iter(movers)) if len(movers) == 1 and state.phase == "play" else None,
        position=game.position_text(shown.position) if shown else None,
        placement=picture.on if picture is not None else {},
        observed=seen.placement.on,
        hidden=seen.placement.hidden,
        turns=state.played,
        accepted_s=state.accepted_s,
        provisional=state.provisional,
        seen=noticed and not judged,
        changed=changed,
        hand=seen.hand,
        offence=state.offence,
        lifted=state.lift.piece if state.lift and state.lift.told else None,
        owed=state.owed,
        hint=state.partial and _hint_now(state),
        question=state.question,
        asked_about=state.question_about if state.question else "",
        doubts=state.doubts,
        trouble=state.eyes.told,
        board_moved=state.eyes.moved,
        rearranging=state.rearranging,
        paused=state.paused,
        offer=state.offer.player if state.offer else None,
        operator=state.operator,
        guiding=way is not None,
        waits=way.waits if way else frozenset(),
        wrong=way.shifts if way else setup.wrong if setup else (),
        right=way.right if way else setup.right if setup else 0,
        total=way.total if way else setup.total if setup else 0,
        winner=state.winner,
        result=state.result,
        why=state.why,
        score=game.score(shown.position) if shown and counts_points(game) else None,
        missing=state.missing if state.partial and seen.clocks.settled(state.timing, state.timing.missing_s) else (),
    )


def counts_points(game: Game) -> TypeGuard[CountsPoints]:
    """Whether a game is a `CountsPoints`; asked of each frame, and that question is slow."""
    return _counts_points(type(game))


@lru_cache(maxsize=16)
def _counts_points(kind: type) -> bool:
    return issubclass(kind, CountsPoints)


def _hint_now(state: State) -> bool:
    """A partial's hint is shown after a while, and then again and again."""
    timing = state.timing
    waited_s = state.seen.clocks.settled_for_s - timing.hint_s
    return waited_s >= -1e-6 and (waited_s + 1e-6) % timing.hint_every_s < timing.hint_shown_s
