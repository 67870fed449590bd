"""Eye and referee joined: frames and inputs in, Steps out. Shared by `watch` (recordings) and the table (live)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import cv2

from controller.fit import check_fit, in_game_names
from controller.journal.errors import Warned
from controller.referee import reducer
from controller.referee.commands import OPTION
from controller.referee.events import Command, Input
from controller.referee.playclock import NO_CLOCK, ClockRules
from controller.referee.timing import Timing
from controller.referee.view import Mode
from controller.referee.viewing import view_of
from controller.rules.api import Game, OptionError, RulesError
from controller.rules.registry import game_named
from controller.sightings.ring import Notes
from vision.boardset import BoardSet, installed_sets
from vision.camera.frame import Frame
from vision.errors import VisionError
from vision.eye import Eye
from vision.glow import Area
from vision.profile import Profile
from vision.registration import register
from vision.sighting import Sighting


def chosen_sets(game: str | None, set_file: str | None) -> list[BoardSet]:
    """The sets that may lie under the camera: the file's, those of one game, or all installed ones."""
    if set_file is not None:
        return [BoardSet.load(set_file)]
    sets = list(installed_sets().values())
    if game is not None:
        game_named(game)  # an unknown game is named before a missing set is
        sets = [board for board in sets if board.game == game]
    if not sets:
        raise VisionError(f"no set for {game or 'any game'} is installed; name one with --set FILE.toml")
    return sets


START_MODES = ("setup", "auto")
"""Ways to begin; any other word is a position."""


STRANGER_EVERY = 20
"""Frames without a board between two looks for a board of another game."""


class Watcher:
    """One referee over one eye. The game is recognised from the tags; until then the first set's game is assumed.

    Sets whose game doesn't know the options, or can't read the position in `start_mode`, are left out; RulesError when
    none remains. `stranger`: a set of another game that lies there instead of one of these.
    `rows`: journalled events of this table; given, the referee comes back with the same lines, in the game and under
    the options they were played in (unless `options` says otherwise). `warning`: why they could not be taken up.
    `clock`: the players' clock of new games; one that goes on keeps its own.
    `log`: whatever keeps what the referee is given, from now on.
    `recognised`: it is known which set lies there (there is but one, it was seen, or its game goes on).
    """

    def __init__(
        self,
        sets: Sequence[BoardSet],
        *,
        options: Mapping[str, str] | None = None,
        start_mode: str = "setup",
        timing: Timing | None = None,
        rows: Iterable[Mapping[str, Any]] = (),
        profile: Profile | None = None,
        mode: Mode = "referee",
        clock: ClockRules = NO_CLOCK,
    ) -> None:
        self.warning: str | None = None
        self.log: Notes | None = None
        self._options = dict(options or {})
        self._chosen: dict[str, dict[str, str]] = {}  # at the table, for each game
        self._start_mode = start_mode
        self._timing = timing or Timing()
        self._mode = mode
        self._clock = clock
        self.sets = {board.name: board for board in self._playable(sets)}
        self.eye = Eye(tuple(self.sets.values()), profile)
        self.board = next(iter(self.sets.values()))
        self.game = self._game_of(self.board)
        self.stranger: BoardSet | None = None
        self._blind = 0
        saved = list(rows)
        self.recognised = len(self.sets) == 1
        self.state = (self._resumed(saved) if saved else None) or self._fresh()

    def _playable(self, sets: Sequence[BoardSet]) -> list[BoardSet]:
        playable, faults = [], []
        for board in sets:
            try:
                game = self._game_of(board)
                if self._start_mode not in START_MODES:
                    game.parse_position(self._start_mode)
            except RulesError as error:
                faults.append(error)
            else:
                playable.append(board)
        if len(faults) > 1 and not playable and all(isinstance(fault, OptionError) for fault in faults):
            wanted = " and ".join(f"{name}={value}" for name, value in self._options.items())
            raise OptionError(f"no game here takes {wanted}; see `boardref rules options GAME`")
        if not playable:
            raise max(faults, key=lambda fault: getattr(fault, "column", 0))  # the one that came furthest
        return playable

    def read_again(self, rows: Sequence[Mapping[str, Any]]) -> str | None:
        """Go on with what the record of the game on the table says now; None, or a sentence that says why not."""
        before, chosen = self.warning, dict(self._chosen)
        state = self._resumed(rows)
        warning, self.warning = self.warning, before
        if state is None:
            self._chosen = chosen
            return warning
        now = self.state
        self.state = replace(state, eyes=now.eyes, paused=state.paused or now.paused, operator=now.operator)
        return None

    def _resumed(self, rows: Sequence[Mapping[str, Any]]) -> reducer.State | None:
        """The state of the journalled game; None, with a `warning`, when it can't go on here."""
        board, game = self.board, self.game
        named: Mapping[str, Any] = {}
        fitting: list[BoardSet] = []
        try:
            naming = (row for row in reversed(rows) if row["event"] in ("setup_complete", "board_found"))
            named = next((row for row in naming if row.get("game")), {})
            fitting = [one for one in self.sets.values() if one.game == named.get("game", board.game)]
            if not fitting:
                raise RulesError(f"it is a game of {named['game']}, and the sets of this table are for {board.game}")
            board = next((one for one in fitting if one.name == named.get("set")), fitting[0])
            beliefs = (row for row in reversed(rows) if row["event"] == "belief" and row.get("options"))
            belief: Mapping[str, Any] = next(beliefs, {})
            self._chosen[board.game] = _said_at_the_table(rows, game_named(board.game))
            game = self._game_of(board, {**belief.get("options", {}), **self._options})
            state = reducer.resume(game, set_name=board.name, timing=self._timing, rows=rows)
        except (RulesError, LookupError, TypeError, ValueError) as error:
            self._chosen.clear()
            said = str(error) if isinstance(error, RulesError) else f"its record can't be read: {error!r}"
            self.warning = Warned(
                f"The last game can't be taken up ({said}); it is kept in the journal, and a new one begins.",
                "unreadable" if fitting else "other_game",
                game=str(named.get("game", "")).capitalize(),
                games=self.board.game.capitalize(),
            )
            return None
        self.board, self.game = board, game
        self.recognised = self.recognised or bool(named)
        return replace(state, mode=self._mode, clock_rules=self._clock)

    def _game_of(self, board: BoardSet, options: Mapping[str, str] | None = None) -> Game:
        game = game_named(board.game)
        wanted = self._options if options is None else options
        if chosen := {**wanted, **self._chosen.get(board.game, {})}:
            game = game.with_options(chosen)
        check_fit(board, game)
        return game

    def _fresh(self) -> reducer.State:
        fresh = reducer.initial(
            self.game, set_name=self.board.name, timing=self._timing, start_mode=self._start_mode, mode=self._mode
        )
        return replace(fresh, clock_rules=self._clock)

    def _begin_anew(self) -> None:
        """Another set lies there: nothing is believed of it, and what people have said of the table itself holds."""
        was = self.state
        self.state = replace(self._fresh(), games_before=was.last_no, paused=was.paused, operator=was.operator)

    def see(self, frame: Frame, glow: Sequence[Area] = ()) -> tuple[Sighting, reducer.Step]:
        """Look at one frame and let the referee judge it. `glow`: where the table's own lights may shine in it."""
        sighting = self.eye.see(frame.image, t_s=frame.t_s, frame=frame.index, epoch=frame.epoch, glow=glow)
        self.recognised = self.recognised or sighting.set_name is not None
        if sighting.set_name is not None and sighting.set_name != self.board.name:
            self.board = self.sets[sighting.set_name]
            self.game = self._game_of(self.board)
            self._begin_anew()
        self._look_for_strangers(sighting, frame)
        sighting = in_game_names(sighting, self.board)
        return sighting, self.take(sighting)

    def _look_for_strangers(self, sighting: Sighting, frame: Frame) -> None:
        """Now and then, while no board of this table is seen: whether one of another installed set lies there."""
        self._blind = self._blind + 1 if sighting.trouble == "no_board" else 0
        if not self._blind:
            self.stranger = None
        elif self._blind % STRANGER_EVERY == 0:
            games = {board.game for board in self.sets.values()}
            others = [board for board in installed_sets().values() if board.game not in games]
            found = register(cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY), others, thorough=False) if others else None
            self.stranger = found.board_set if found is not None else None

    def take(self, given: Input) -> reducer.Step:
        """Give the referee one input."""
        try:
            step = reducer.reduce(self.state, given)
        except Exception as error:
            if self.log is not None:
                self.log.note(self.state, given, None, f"{type(error).__name__}: {error}")
            raise
        if self.log is not None:
            self.log.note(self.state, given, step.state)
        self.state = step.state
        if isinstance(given, Command) and given.name == "new_game" and self._choose(given.arguments):
            return replace(step, state=self.state, view=view_of(self.state))
        return step

    def _choose(self, arguments: Mapping[str, str]) -> bool:
        """Take the rules options of a command for the next game, and for those after it; whether there were any."""
        chosen = {name.removeprefix(OPTION): value for name, value in arguments.items() if name.startswith(OPTION)}
        if not chosen or self.state.lines:
            return False
        before = dict(self._chosen)
        self._chosen[self.board.game] = chosen
        try:
            self.game = self._game_of(self.board)
        except RulesError:  # whoever hands commands in has shown what is wrong with them
            self._chosen = before
            return False
        self.state = replace(self.state, game=self.game, setup=None)
        return True


def _said_at_the_table(rows: Sequence[Mapping[str, Any]], game: Game) -> dict[str, str]:
    """The rules options that an operator chose last, where they are this game's."""
    told = (row["options"] for row in reversed(rows) if row["event"] == "ruling" and row.get("options"))
    try:
        chosen = {str(name): str(value) for name, value in next(told, {}).items()}
        return chosen if chosen and game.with_options(chosen) else {}
    except (RulesError, AttributeError):
        return {}
