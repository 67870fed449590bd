"""`boardref watch`: referee a recording or a live camera."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from controller.cli.arguments import add_game_arguments, options_of
from controller.cli.watch_log import replay
from controller.errors import CommandError
from controller.journal.store import Journal
from controller.looking import Looking
from controller.referee.events import Event
from controller.sightings.file import ENDING, LogFile
from controller.telling import event_json, event_line, journal_row
from controller.watcher import Watcher, chosen_sets
from vision.camera import Frame, Recording, open_source
from vision.errors import VisionError
from vision.profile import Profile


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `watch`."""
    parser.add_argument("source", metavar="SOURCE", help="a folder, a video, a camera, a URL, or a sighting log")
    add_game_arguments(parser)
    parser.add_argument("--fps", type=float, metavar="N", help="frames a second of a recording without time stamps")
    parser.add_argument(
        "--position", default="auto", metavar="P", help="auto (default), setup, or such as 'rbkbr/5/5/5/RBKBR S'"
    )
    parser.add_argument("--language", default="en", choices=["en", "nl", "de", "fr"], help="of the sentences")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--journal", metavar="FILE", help="record the match in this journal")
    parser.add_argument("--sightings", metavar="FILE", help="write what the referee was given to this sighting log")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Watch to the end of the source (recordings) or until stopped (cameras)."""
    if args.fps is not None and not 0.01 <= args.fps <= 1000:
        raise CommandError("--fps takes a number from 0.01 to 1000", 2)
    with ExitStack() as held:
        log: LogFile | None = None
        if args.sightings:
            if Path(args.sightings).suffix != ENDING:
                raise CommandError(f"a sighting log's name ends in {ENDING}: --sightings NAME{ENDING}", 2)
            log = held.enter_context(LogFile(Path(args.sightings), args.language))
        if args.source.endswith(ENDING):
            journal = _journal(args, held)
            return replay(args, log, lambda events, game, set_name: _tell(events, args, journal, game, set_name))
        return _watch(args, held, log)


def _watch(args: argparse.Namespace, held: ExitStack, log: LogFile | None) -> int:
    watcher = Watcher(
        chosen_sets(args.game, args.set),
        options=options_of(args.option),
        start_mode=args.position,
        profile=Profile.load(args.profile) if args.profile else None,
    )
    watcher.log = log
    source = open_source(args.source, fps=args.fps)
    held.callback(source.close)
    journal = _journal(args, held)

    def tell(events: tuple[Event, ...]) -> None:
        _tell(events, args, journal, watcher.game.name, watcher.board.name)

    if isinstance(source, Recording):
        seen = False
        for frame in source:
            seen = True
            _, step = watcher.see(frame)
            tell(step.events)
        if not seen:
            raise VisionError(f"no frame of {args.source} could be read; give another recording")
        return 0
    looking = Looking(source)
    while True:
        given = looking.next(0.25)
        step = watcher.see(given)[1] if isinstance(given, Frame) else watcher.take(given)
        tell(step.events)


def _journal(args: argparse.Namespace, held: ExitStack) -> Journal | None:
    journal = held.enter_context(Journal.open(Path(args.journal))) if args.journal else None
    if journal is not None and journal.warning:
        print(f"boardref: {journal.warning}", file=sys.stderr)
    return journal


def _tell(
    events: tuple[Event, ...], args: argparse.Namespace, journal: Journal | None, game: str, set_name: str
) -> None:
    if not events:
        return
    if journal is not None:
        journal.append([journal_row(event, game, set_name) for event in events])
    for event in events:
        if event.internal:
            continue
        told = event_json(event, args.language)
        line = event_line(told) if args.json else plain(told)
        print(line, flush=True)


def plain(told: dict[str, Any]) -> str:
    """One event as a line for people."""
    words = [f"{told['t']:8.1f} s", told["event"].replace("_", " ")]
    if told["event"] == "turn":
        words.append(f"{told['n']}. {told['player']} {told['text']}" + (" (revised)" if told["revised"] else ""))
    elif told["event"] == "illegal":
        words.append(f"{told['player']}: {told['why']} [{told['code']}]")
    elif told["event"] == "obligation":
        words.append(f"{told['player']}: {told['act'].replace('_', ' ')} {told['piece']} to {', '.join(told['to'])}")
    elif told["event"] == "game_over":
        words.append(f"{told['result']} ({told['why']})")
    else:
        for key in ("position", "n", "code", "by", "why"):
            if told.get(key) is not None:
                words.append(str(told[key]))
    return "  ".join(words)
