"""Before a game and between two games: set-ups, and games taken up in the middle."""

from __future__ import annotations

from controller.referee.lines import Line
from controller.referee.reading import left_their_places
from controller.referee.record import begin_game
from controller.referee.state import Draft
from controller.referee.strokes import Way, in_strokes
from controller.rules.api import CountsPoints, Game, Placement, Position


def lines_from(game: Game, position: Position, record_of: Line | None = None) -> tuple[Line, ...]:
    """A line for a known side to move, one for each side that could move otherwise."""
    start = record_of or Line(position)
    if game.to_move(position) is not None:
        return (start.moved_on(position).passed(game),)
    either = [game.with_mover(position, player) for player in game.players]
    able = [one for one in either if game.forced_pass(one) is None]  # nobody can know of a pass before the first turn
    return tuple(start.moved_on(one) for one in able or either)


def possible(game: Game, placement: Placement, before: Position = None) -> Position | None:
    """The position in which a game could be, if the placement shows one with nothing hidden.

    `before`: a position of this very game, whose points it goes on with.
    """
    found = None if placement.hidden else game.midgame(placement)
    if found is not None and before is not None and isinstance(game, CountsPoints):
        return game.with_points(before, found)
    return found


def stands_as_new(game: Game, placement: Placement) -> bool:
    """Whether a set-up stands that says by itself that a new game begins.

    Where pieces may be laid out in nearly any way it doesn't: most boards after a first turn are set-ups too.
    """
    return not in_strokes(game) and game.setup(placement).position is not None


def await_setup(draft: Draft) -> None:
    """Phase "setup": begin when a set-up stands still, or as the start mode says."""
    state = draft.state
    seen, timing, game = state.seen, state.timing, state.game
    placement = seen.placement
    setup = game.setup(placement)
    draft.set(setup=setup)
    if state.start_mode not in ("setup", "auto"):
        if seen.clocks.settled(timing):
            position = game.parse_position(state.start_mode)
            standing, mover = game.setup(game.picture(position)).position, game.to_move(position)
            if standing is not None and mover is not None:
                standing = game.with_mover(standing, mover)
            draft.set(start_mode="setup")
            begin_game(draft, lines_from(game, position), position, "start" if standing == position else "midgame")
        return
    if setup.position is not None:
        if seen.clocks.settled(timing, timing.setup_s):
            start_from(draft, setup.position)
        return
    if state.start_mode == "auto" and seen.clocks.settled(timing):
        middle = possible(game, placement)
        if middle is not None:
            begin_game(draft, lines_from(game, middle), middle, "midgame")


def start_from(draft: Draft, position: Position) -> None:
    """A new game from a set-up that stands."""
    begin_game(draft, lines_from(draft.state.game, position), position, "start")


def await_new_game(draft: Draft) -> None:
    """Phase "over", or while the board is being rearranged: a set-up that stands still begins a new game."""
    state = draft.state
    seen, timing = state.seen, state.timing
    if not seen.clocks.settled(timing):
        return
    if state.phase == "over" and not state.rearranging:
        gone = left_their_places(state.game, state.game.picture(state.line.position), seen.placement)
        if gone > state.game.turn_size + 1:
            start_rearranging(draft)
        elif in_strokes(state.game):
            return  # what stands is still the end of the last game
    setup = state.game.setup(seen.placement)
    draft.set(setup=setup if draft.state.rearranging else None)
    if setup.position is not None and seen.clocks.settled(timing, timing.new_game_s):
        start_from(draft, setup.position)


def start_rearranging(draft: Draft) -> None:
    """The board is being cleared or set up: nothing is judged until a position or a set-up stands again."""
    if not draft.state.rearranging:
        draft.emit("rearranging")
        draft.set(rearranging=True, offence=None, accused=(), owed=(), stage=None, stage_at=None, partial=False,
                  pending=(), question=(), question_about="", doubts=(), way=Way())  # fmt: skip
