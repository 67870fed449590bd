"""`boardref watch FILE.sightings`: the referee judges again what a table saw."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from controller.cli.arguments import options_of
from controller.errors import CommandError
from controller.referee.events import Event
from controller.referee.reducer import State, reduce
from controller.rules.api import RulesError
from controller.rules.options import chosen_of
from controller.sightings.beginning import Beginning
from controller.sightings.errors import SightingLogError
from controller.sightings.file import LogReader
from controller.sightings.ring import Notes
from vision.boardset import BoardSet

Tell = Callable[[tuple[Event, ...], str, str], None]
"""Takes events, and the names of the game and of the set they are of."""


def replay(args: argparse.Namespace, log: Notes | None, tell: Tell) -> int:
    """Judge every input of the log in order. What is wrong with the file is said after what could be judged."""
    try:
        reader = LogReader(Path(args.source))
        state: State | None = None
        for entry in reader.entries():
            if isinstance(entry, Beginning):
                state = _begun(entry, args, first=state is None)
                continue
            assert state is not None  # entries begin with a Beginning
            try:
                step = reduce(state, entry.given)
            except Exception as error:
                if log is not None:
                    log.note(state, entry.given, None, entry.fault or f"{type(error).__name__}: {error}")
                if entry.fault is not None:
                    print(f"boardref: line {entry.line} could not be judged then, nor now: {error}", file=sys.stderr)
                    continue
                if reader.fault is not None:
                    raise SightingLogError(
                        f"line {entry.line} of {args.source} can't be judged: {reader.fault}"
                    ) from None
                raise
            if log is not None:
                log.note(state, entry.given, step.state)
            state = step.state
            tell(step.events, state.game.name, state.set_name)
    except SightingLogError as error:
        raise CommandError(str(error)) from None
    if reader.fault is not None:
        raise CommandError(f"{args.source}: {reader.fault}; what could be read of it was judged")
    return 0


def _begun(beginning: Beginning, args: argparse.Namespace, *, first: bool) -> State:
    state = beginning.state
    _check_wanted(state, args)
    if first and args.journal and beginning.in_a_game:
        raise CommandError(f"{args.source} begins in the middle of a game, which no journal can hold; omit --journal")
    if beginning.warning is not None:
        print(f"boardref: {args.source}: {beginning.warning}", file=sys.stderr)
    return state


def _check_wanted(state: State, args: argparse.Namespace) -> None:
    """A log brings its game, set, options and position; what is asked for beside it must be the same."""
    game = state.game
    if args.game not in (None, game.name):
        raise CommandError(f"{args.source} is of {game.name}; leave out --game", 2)
    if args.set is not None and (wanted := BoardSet.load(args.set).name) != state.set_name:
        raise CommandError(f"{args.source} is of the set {state.set_name}, not {wanted}; leave out --set", 2)
    try:
        chosen = chosen_of(game.with_options(options_of(args.option))) if args.option else None
    except RulesError as error:
        raise CommandError(str(error), 2) from None
    if chosen is not None and chosen != chosen_of(game):
        raise CommandError(f"{args.source} was played under other options; leave out --option", 2)
    if args.position not in ("auto", state.start_mode):
        raise CommandError(f"{args.source} has its own beginning; leave out --position", 2)
