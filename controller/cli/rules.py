"""`boardref rules turns|judge|perft|options`: ask the rules engine."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from controller.cli.arguments import options_of
from controller.errors import CommandError
from controller.rules.api import Game, Owed, Placement, Player, Position, RulesError, Shift
from controller.rules.nearest import nearest_turn
from controller.rules.perft import divide, perft
from controller.rules.registry import UnknownGameError, game_named
from controller.telling import reason_json
from controller.words import LANGUAGES

DEEPEST = 100  # nobody lives to see the count; a deeper search would only run out of stack


def add(parser: argparse.ArgumentParser) -> None:
    """The four questions and their arguments."""
    questions = parser.add_subparsers(dest="question", required=True, metavar="QUESTION")
    turns = questions.add_parser("turns", help="the legal turns of a position", allow_abbrev=False)
    judge = questions.add_parser("judge", help="is this turn or placement legal, and why not", allow_abbrev=False)
    count = questions.add_parser("perft", help="count the lines of DEPTH turns", allow_abbrev=False)
    options = questions.add_parser("options", help="what a table owner may decide", allow_abbrev=False)
    for sub, run in ((turns, run_turns), (judge, run_judge), (count, run_perft), (options, run_options)):
        sub.add_argument("game", metavar="GAME")
        if sub is count:
            sub.add_argument("depth", metavar="DEPTH", type=int)
        if sub is not options:
            sub.add_argument("--position", metavar="P", help="the start position where left out")
            sub.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="may be repeated")
        sub.add_argument("--json", action="store_true", help="one object a line")
        sub.add_argument("--language", choices=LANGUAGES, default="en")
        sub.set_defaults(run=run)
    what = judge.add_mutually_exclusive_group(required=True)
    what.add_argument("--turn", metavar="T", help="a turn as text")
    what.add_argument(
        "--placement", metavar="JSON|FILE|-", help="what stands where, as `boardref look --json` writes it"
    )
    count.add_argument("--divide", action="store_true", help="the count of each first turn")


def _game(args: argparse.Namespace) -> Game:
    try:
        game = game_named(args.game)
    except UnknownGameError as error:
        raise CommandError(str(error), 2) from None
    chosen = options_of(getattr(args, "option", []))
    return game.with_options(chosen) if chosen else game


def _position(game: Game, args: argparse.Namespace) -> Position:
    return game.start() if args.position is None else game.parse_position(args.position)


def _line(data: Mapping[str, Any]) -> None:
    print(json.dumps(data, ensure_ascii=False), flush=True)


def run_turns(args: argparse.Namespace) -> int:
    """One turn a line, as they are found."""
    game = _game(args)
    position = _position(game, args)
    for turn in game.legal_turns(position):
        text = game.turn_text(position, turn)
        if args.json:
            after = game.after(position, turn)
            mover = game.to_move(position) or _other(game, game.to_move(after))
            _line({"text": text, "player": mover, "position": game.position_text(after)})
        else:
            print(text, flush=True)
    return 0


def _other(game: Game, player: Player | None) -> Player | None:
    return next((one for one in game.players if one != player), None) if player is not None else None


def run_perft(args: argparse.Namespace) -> int:
    """The number alone on a line; the time goes to stderr."""
    if not 0 <= args.depth <= DEEPEST:
        raise CommandError(f"DEPTH is a number from 0 to {DEEPEST}", 2)
    game = _game(args)
    position = _position(game, args)
    begun = time.perf_counter()
    nodes = 0
    if args.divide and args.depth > 0:
        for text, part in divide(game, position, args.depth):
            nodes += part
            if args.json:
                _line({"text": text, "nodes": part})
            else:
                print(text, part, flush=True)
    else:
        nodes = perft(game, position, args.depth)
    if args.json:
        _line({"game": game.name, "position": game.position_text(position), "depth": args.depth, "nodes": nodes})
    else:
        print(nodes, flush=True)
    print(f"{time.perf_counter() - begun:.3f} s", file=sys.stderr)
    return 0


def run_options(args: argparse.Namespace) -> int:
    """Each option with its default, its values and what it means."""
    for name, option in _game(args).options.items():
        if args.json:
            _line({"name": name, "default": option.default, "choices": list(option.choices), "meaning": option.meaning})
        else:
            print(f"{name} = {option.default}  ({' | '.join(option.choices)})  {option.meaning}", flush=True)
    return 0


def run_judge(args: argparse.Namespace) -> int:
    """A turn as text, or a placement."""
    game = _game(args)
    position = _position(game, args)
    told = judge_turn(game, position, args.turn, args.language) if args.turn is not None else None
    if told is not None:
        if args.json:
            _line(told)
        else:
            _tell(("legal" if told["legal"] else "illegal") + f": {told['text']}", told, told["position"])
        return 0
    unread = 0
    for placement in read_placements(args.placement, game.sites):
        if isinstance(placement, RulesError):  # a picture that `look` couldn't read: the others are answered
            print(f"boardref: {placement}", file=sys.stderr, flush=True)
            unread += 1
            continue
        told = judge_placement(game, position, placement, args.language)
        if args.json:
            _line(told)
        else:
            ends = "; ".join(f"{turn['text']} -> {turn['position']}" for turn in told["turns"])
            _tell(told["answer"] + (" (may be extended)" if told["extendable"] else ""), told, ends)
    return 1 if unread else 0


def _tell(head: str, told: Mapping[str, Any], end: str | None) -> None:
    print(head + (f" -> {end}" if end else ""))
    for reason in told["reasons"]:
        print(f"  {reason['code']} ({reason['rule']}): {reason['why']}")
    for owed in told["owed"]:
        print(f"  {owed['player']} owes {owed['act']}: {owed['piece']} to {', '.join(owed['to'])}")
    if told.get("missing"):
        print(f"  missing: {', '.join(told['missing'])}")
    for shift in told.get("way_back", ()):
        print(f"  back: {_carried(shift)}")
    if told.get("nearest"):
        near = told["nearest"]
        print(f"  or: {_carried(near)}, which makes {near['text']}")
    if told.get("result"):
        print(f"  {told['result']}")
    sys.stdout.flush()


def _carried(shift: Mapping[str, Any]) -> str:
    return f"{shift['piece']} {shift['from'] or 'from beside the board'} -> {shift['to'] or 'off'}"


def judge_turn(game: Game, position: Position, text: str, language: str) -> dict[str, Any]:
    """`judge --turn` as the contract writes it."""
    verdict = game.judge_turn(position, text)
    outcome = game.outcome(verdict.position) if verdict.position is not None else None
    return {
        "legal": verdict.legal,
        "complete": verdict.complete,
        "text": game.turn_text(position, verdict.turn) if verdict.turn is not None else text.strip(),
        "position": game.position_text(verdict.position) if verdict.position is not None else None,
        "result": outcome.result if outcome else None,
        "owed": [owed_json(owed) for owed in verdict.owed],
        "reasons": [reason_json(reason, language) for reason in verdict.reasons],
    }


def judge_placement(game: Game, position: Position, placement: Placement, language: str) -> dict[str, Any]:
    """`judge --placement` as the contract writes it."""
    verdict = game.judge(position, placement)
    return {
        "answer": verdict.answer,
        "turns": [
            {"text": game.turn_text(position, turn), "position": game.position_text(game.after(position, turn))}
            for turn in verdict.turns
        ],
        "extendable": verdict.extendable,
        "owed": [owed_json(owed) for owed in verdict.owed],
        "missing": list(verdict.missing),
        "reasons": [reason_json(reason, language) for reason in verdict.reasons],
        "way_back": [shift_json(shift) for shift in verdict.way_back],
        "nearest": _nearest(game, position, placement) if verdict.answer == "illegal" else None,
    }


def _nearest(game: Game, position: Position, placement: Placement) -> dict[str, Any] | None:
    """The legal turn that one piece would make of it."""
    near = nearest_turn(game, position, placement)
    if near is None:
        return None
    after = game.after(position, near.turn)
    text = game.turn_text(position, near.turn)
    return {"text": text, "position": game.position_text(after), **shift_json(near.shift)}


def owed_json(owed: Owed) -> dict[str, Any]:
    """One obligation, with the keys of the event `obligation`: `sites` is where the piece stands."""
    return {
        "player": owed.player,
        "act": owed.act,
        "piece": owed.piece,
        "sites": [owed.at] if owed.at is not None else [],
        "to": sorted(owed.to),
    }


def shift_json(shift: Shift) -> dict[str, Any]:
    """One piece to carry."""
    return {"piece": shift.piece, "from": shift.origin, "to": shift.to}


def read_placements(source: str, sites: frozenset[str]) -> list[Placement | RulesError]:
    """JSON itself, a file with a line for each placement, or `-` for stdin. CommandError where it can't be read.

    A line in which `look` reports an error stands as that error.
    """
    if source == "-":
        text = sys.stdin.read()
    elif source.lstrip().startswith(("{", "[")):
        text = source
    else:
        text = Path(source).read_text(encoding="utf-8", errors="replace")
    try:
        objects = [json.loads(text)]
    except (ValueError, RecursionError):
        objects = [_parsed(line) for line in text.splitlines() if line.strip()]
    if not objects:
        raise CommandError("there is no placement to judge; give one JSON object", 2)
    return [_error_of(data) or placement_of(data, sites) for data in objects]


def _error_of(data: Any) -> RulesError | None:
    if isinstance(data, dict) and isinstance(data.get("error"), str):
        return RulesError(f"this is no placement but an error ({data['error']}); judge another picture")
    return None


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise CommandError(f"the placement is no JSON: {error.msg} (column {error.colno})", 2) from None
    except (ValueError, RecursionError):  # a number of thousands of digits; brackets in brackets in brackets
        raise CommandError("the placement is no JSON; give it as `look --json` writes it", 2) from None


def placement_of(data: Any, every_site: frozenset[str]) -> Placement:
    """A placement in the shape of `look`; unknown keys are ignored. Where no board was found no site was seen."""
    if not isinstance(data, dict):
        raise CommandError('a placement is an object such as {"placement": {"a1": ["dark-PINET"]}}', 2)
    if data.get("game", "") is None:
        return Placement({}, (), every_site)
    on = data.get("placement", {})
    if not isinstance(on, dict) or not all(_names(kinds) for kinds in on.values()):
        raise CommandError('"placement" maps each occupied site to a list of pieces', 2)
    off, hidden = data.get("off") or [], data.get("hidden") or []
    if not _names(off) or not _names(hidden):
        raise CommandError('"off" is a list of pieces and "hidden" a list of sites', 2)
    sites = {site: tuple(kinds) for site, kinds in on.items() if kinds}
    return Placement({**sites, **_slots(data.get("platforms"))}, tuple(off), frozenset(hidden))


def _names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _slots(platforms: Any) -> dict[str, tuple[str, ...]]:
    """Platform slots are sites: `north.1` is the slot next to the board."""
    found: dict[str, tuple[str, ...]] = {}
    for name, platform in (platforms or {}).items() if isinstance(platforms, dict) else ():
        if isinstance(platform, dict):
            slots = platform.get("slots") or []
            if not isinstance(slots, list):
                raise CommandError('"slots" is a list, of a piece or null for each slot of the platform', 2)
            for n, kind in enumerate(slots, 1):
                if isinstance(kind, str):
                    found[f"{name}.{n}"] = (kind,)
    return found
