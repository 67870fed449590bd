"""`boardref games`: the recorded games."""

from __future__ import annotations

import argparse
import sys
from datetime import date
from pathlib import Path

from controller.cli import games_backup, games_correct, games_files
from controller.cli.games_files import record_of
from controller.config import data_folder, load_config
from controller.errors import CommandError
from controller.journal.export import as_text, result_text
from controller.journal.fold import Record
from controller.journal.search import Query, everything
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.rules.api import Game
from controller.rules.registry import game_named
from controller.salvage import salvaged


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `games`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    where = argparse.ArgumentParser(add_help=False)
    place = where.add_mutually_exclusive_group()
    place.add_argument("--journal", metavar="FILE", help="the journal's file")
    place.add_argument("--data", metavar="DIR", help="the folder with boardref.db; the table's own where left out")

    where.add_argument("--config", metavar="table.toml", help="the table's settings, whose data folder is meant")

    def action(name: str, help_text: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=help_text, description=help_text, parents=[where], allow_abbrev=False)

    listed = action("list", "one line for each game; with options, only those that fit")
    listed.add_argument("--game", metavar="G", help="games of this kind")
    listed.add_argument("--player", metavar="NAME", help="part of a player's name")
    listed.add_argument("--since", type=_day, metavar="DAY", help="begun on this day or later, as in 2026-11-30")
    listed.add_argument("--until", type=_day, metavar="DAY", help="begun on this day or earlier")
    listed.add_argument("--result", metavar="R", help="South wins, draw, …, or open for a game that is not finished")
    listed.add_argument("--turn", metavar="TEXT", help="part of a turn's text")
    listed.add_argument("--illegal", action="store_true", help="with a turn that was illegal")
    listed.set_defaults(act=_list)
    show = action("show", "one game, turn by turn")
    show.set_defaults(act=_show)
    check = action("verify", "replay a game by the rules and name the first turn that does not follow")
    check.add_argument("--all", action="store_true", help="every game of the journal")
    check.add_argument("number", nargs="?", type=int, metavar="N", help="the game's number in `games list`")
    check.set_defaults(act=_verify)
    resume = action("resume", "choose the game that the table goes on with when it starts next")
    resume.set_defaults(act=_resume)
    for one in (show, resume):
        one.add_argument("number", type=int, metavar="N", help="the game's number in `games list`")
    games_files.add(action)
    games_backup.add(action)
    games_correct.add(action)
    parser.set_defaults(run=run)


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no day; write it as in 2026-11-30") from None


def run(args: argparse.Namespace) -> int:
    """Open the journal, for reading unless something is to be written, and act."""
    path = _path(args)
    if args.act in games_backup.ACTS:
        return int(args.act(args, path))
    create = args.act is games_files.take_in
    if not path.exists() and not create:
        raise CommandError(f"there is no journal {path}; name one with --journal FILE or --data DIR")
    with Journal.open(path, create=create, read_only=args.act not in WRITING) as journal:
        if journal.warning:
            print(f"boardref: {journal.warning}", file=sys.stderr)
        return int(args.act(args, journal))


def _path(args: argparse.Namespace) -> Path:
    if args.journal is not None:
        return Path(args.journal)
    if args.data is not None:
        return Path(args.data) / "boardref.db"
    if args.config is not None:
        read = salvaged if args.act in games_backup.IN_TROUBLE else load_config
        return data_folder(read(args.config).data) / "boardref.db"
    return data_folder(None, "--data") / "boardref.db"


def _game(record: Record, number: int) -> Game:
    if record.game is None:
        raise CommandError(f"the record of game {number} does not say which game it was; it can't be replayed")
    game = game_named(record.game)
    return game.with_options(record.options) if record.options else game


def _list(args: argparse.Namespace, journal: Journal) -> int:
    if args.game is not None:
        game_named(args.game)  # a misspelt game is named, instead of finding nothing
    query = Query(args.game, args.player, args.since, args.until, args.result, args.turn, args.illegal)
    found = False
    for number, told in everything(journal, query):
        found = True
        begun = (told.begun_utc or "unknown")[:16].replace("T", " ")
        begun += "?" if told.begun_clock_synchronised is False else ""
        turns = f"{told.turns} turn{'' if told.turns == 1 else 's'}"
        names = "".join(f"  {side}: {name}" for side, name in told.names.items())
        mark = "  (imported)" if told.imported else ""
        print(
            f"{number:4}  {begun:17}  {told.game or 'unknown':<9} {turns:>9}  {result_text(told.result)}{names}{mark}"
        )
    if not found:
        none = "None of the recorded games fits" if journal.games() else f"No games are recorded yet in {journal.path}"
        print(f"boardref: {none}.", file=sys.stderr)
    return 0


def _show(args: argparse.Namespace, journal: Journal) -> int:
    record = record_of(journal, args.number)
    if record.imported is not None:
        print("Imported: {utc}, {format} {file}".format(**record.imported).rstrip())
    print(as_text(record, args.number), end="")
    return 0


def _verify(args: argparse.Namespace, journal: Journal) -> int:
    if args.all == (args.number is not None):
        raise CommandError("name one game, or --all", 2)
    wrong = 0
    for number in journal.games() if args.all else (args.number,):
        record = record_of(journal, number)
        fault = verify(record, _game(record, number))
        wrong += fault is not None
        follows = f"all {len(record.turns)} turns follow by the rules"
        print(f"game {number}: {follows if fault is None else fault.sentence}")
    if wrong:
        raise CommandError(f"{wrong} game{'' if wrong == 1 else 's'} did not follow by the rules; see the lines above")
    return 0


def _resume(args: argparse.Namespace, journal: Journal) -> int:
    number = args.number
    record = record_of(journal, number)
    if record.result is not None:
        over = result_text(record.result)
        raise CommandError(f"game {number} is over ({over}); only an unfinished game can be resumed")
    if record.position is None:
        raise CommandError(f"game {number} has no position to go on from; begin a new one")
    game = _game(record, number)
    position = game.parse_position(record.position)
    rows = journal.events(number)
    game_no = max(int(row.get("game_no") or 0) for row in rows)
    n = record.turns[-1].n if record.turns else 0
    head = {"t": 0.0, "frame": -1, "game_no": game_no, "internal": True}
    mover = game.to_move(position)
    # A position with an unknown mover means a line for each player, as when the game was taken up.
    movers = [mover] if mover is not None else list(game.players)
    positions = [position] if mover is not None else [game.with_mover(position, player) for player in movers]
    lines = [
        {"anchor": game.position_text(at), "to_move": player, "n": n, "turns": [], "weak": False}
        for at, player in zip(positions, movers, strict=True)
    ]
    journal.append(
        [
            {"event": "resume", **head, "game": number, "position": record.position},
            {
                "event": "belief", **head, "phase": "play", "anchor": lines[0]["anchor"], "n": n, "to_move": movers[0],
                "options": dict(record.options), "written": record.highest_n, "lines": lines,
                "result": {"winner": None, "result": None, "why": None},
            },
            {
                "event": "guide", **head, "internal": False,
                "state": "begun", "by": "operator", "position": record.position,
            },
        ]
    )  # fmt: skip
    print(f"Game {number} ({record.game}) goes on when the table is started next, and leads to this position:")
    print(record.position)
    return 0


WRITING = (_resume, games_correct.act, games_files.take_in, games_files.name_players)
"""The actions that open the journal for writing."""
