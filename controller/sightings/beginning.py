"""How the referee stood when a log begins: the whole of it, and its belief alone for other versions of this program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, get_args

from controller.referee import reducer
from controller.referee.memory import write_belief
from controller.referee.state import Draft, State
from controller.referee.timing import Timing
from controller.referee.view import Mode
from controller.rules.api import Game, RulesError
from controller.rules.options import chosen_of
from controller.rules.registry import game_named
from controller.sightings.errors import SightingLogError
from controller.sightings.values import as_value, from_value

# The game is named, what was worked out before is worked out again, and names of people have no place here.
_APART: Mapping[str, Any] = {"game": None, "memo": None, "names": ()}


@dataclass(frozen=True)
class Beginning:
    """The referee where a log begins. `warning`: why it is not exactly as it was; its belief is the same all the same.

    `in_a_game`: a game is going on, of which the log does not hold the first turns.
    """

    state: State
    warning: str | None = None

    @property
    def in_a_game(self) -> bool:
        """Whether the log begins after a game did."""
        return self.state.game_no > 0 and bool(self.state.lines)


def beginning_told(state: State) -> dict[str, Any]:
    """The state as plain JSON values."""
    return {
        "game": state.game.name,
        "set": state.set_name,
        "options": chosen_of(state.game),
        "mode": state.mode,
        "start": state.start_mode,
        "timing": {one.name: getattr(state.timing, one.name) for one in fields(Timing)},
        "belief": _belief(state),
        "state": as_value(state, frozenset(_APART)),
    }


def _belief(state: State) -> list[dict[str, Any]]:
    """Rows as a journal has them, from which the belief comes back."""
    if not state.lines:
        return []
    draft = Draft(state)
    write_belief(draft, replace(state, lines=(), game_no=-1))
    head = {"t": state.t_s, "frame": state.frame, "game_no": state.game_no}
    anchor = draft.events[-1].data["anchor"]  # the game's own beginning is not known any more
    rows = [{"event": "setup_complete", **head, "position": anchor, "as": "midgame"}]
    for done in state.line.record:
        played = done.played
        told = {"n": played.n, "player": played.player, "text": played.text, "legal": played.legal}
        rows.append({"event": "pass" if played.passed else "turn", **head, **told, "position": done.position})
    return [*rows, draft.events[-1].as_json()]


def beginning_from(told: Mapping[str, Any]) -> Beginning:
    """The state that was told of. SightingLogError where this program can't make anything of it."""
    try:
        game = game_named(str(told["game"]))
        options = {str(name): str(value) for name, value in told["options"].items()}
        if options != chosen_of(game):
            game = game.with_options(options)
        if told["mode"] not in get_args(Mode):
            raise ValueError(f"there is no mode {told['mode']!r}")
        exact, why = _exactly(told, game)
        if exact is not None:
            return Beginning(exact)
        known = {one.name for one in fields(Timing)}
        timing = Timing(**{name: float(value) for name, value in told["timing"].items() if name in known})
        set_name, start = str(told["set"]), str(told["start"])
        if rows := told["belief"]:
            state = replace(reducer.resume(game, set_name, timing, rows), start_mode=start, mode=told["mode"])
        else:
            state = reducer.initial(game, set_name=set_name, timing=timing, start_mode=start, mode=told["mode"])
        return Beginning(state, f"it begins with what the referee believed, not with all that it had seen ({why})")
    except RulesError as error:
        raise SightingLogError(f"its beginning can't be taken up: {error}") from None
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise SightingLogError(f"its beginning can't be read ({error})") from None


def _exactly(told: Mapping[str, Any], game: Game) -> tuple[State | None, str]:
    package = type(game).__module__.partition(".")[0]
    try:
        state = from_value(
            told["state"], "" if package in ("controller", "builtins") else package, {**_APART, "game": game}
        )
    except (SightingLogError, TypeError, ValueError, RecursionError) as error:
        return None, str(error)
    return (state, "") if isinstance(state, State) else (None, "it holds no state of the referee")
