"""`boardref games correct`: a turn of a game that is over, corrected with a reason."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from controller.correction import Afterwards, afterwards, write
from controller.errors import CommandError
from controller.journal.store import Journal
from controller.referee.correcting import AS_PLAYED, CorrectionError
from controller.rules.api import RulesError
from controller.words import sentence


def add(action: Callable[[str, str], argparse.ArgumentParser]) -> None:
    """The action, made by `action(name, help)`."""
    correct = action("correct", "replace a turn of a game that is over by another one; the record keeps both")
    correct.add_argument("number", type=int, metavar="N", help="the game's number in `games list`")
    correct.add_argument("--turn", type=int, required=True, metavar="n", help="the turn's number")
    correct.add_argument(
        "--text", required=True, metavar="T", help=f'what it was; "{AS_PLAYED}" with --position for what was not legal'
    )
    correct.add_argument("--position", metavar="P", help="the position after it, for what was not legal")
    correct.add_argument("--reason", required=True, metavar="R", help="why, as the record is to say it")
    correct.add_argument("--drop", type=int, metavar="n", help="take the turns from n on away, which no longer follow")
    correct.set_defaults(act=act)


def act(args: argparse.Namespace, journal: Journal) -> int:
    """Correct, unless something would fall that was not asked for."""
    if not args.reason.strip():
        raise CommandError("say why with --reason", 2)
    try:
        found = afterwards(journal, args.number, args.turn, args.text, args.position)
    except CorrectionError as error:
        why = f": {sentence(error.reasons[0])}" if error.reasons else "."
        raise CommandError(f"turn {args.turn} of game {args.number} can't be corrected: {_plain(error)}{why}") from None
    except RulesError as error:
        raise CommandError(f"{error}", 2) from None
    falls = found.made.falls
    if falls and args.drop != falls[0].n:
        raise CommandError(_no_longer_follow(found))
    write(journal, found, args.reason)
    new = found.made.record[args.turn - 1].played
    was = found.made.was.played.text if found.made.was else "nothing"
    print(f"Game {args.number}, turn {args.turn}: {new.player} {new.text} (it said {was}).")
    if falls:
        print(f"Taken away: {', '.join(f'{done.n}. {done.played.text}' for done in falls)}.")
    if found.result is not None:
        print(f"The result is now: {found.result['result']}.")
    elif found.undone:
        print(f"The game is open again; `boardref games resume {args.number}` takes it up.")
    return 0


def _plain(error: CorrectionError) -> str:
    return str(error).partition(" (")[0]


def _no_longer_follow(found: Afterwards) -> str:
    """Which turns no longer follow, and why the first of them doesn't."""
    falls = found.made.falls
    first = falls[0]
    reasons = found.made.why
    why = f" ({sentence(reasons[0]).rstrip('.')})" if reasons else ""
    named = f"turn {first.n}" if len(falls) == 1 else f"turns {first.n} to {falls[-1].n}"
    return (
        f"{named} would no longer follow: {first.n}. {first.played.player} {first.played.text}{why};"
        f" add --drop {first.n} to take {'it' if len(falls) == 1 else 'them'} away"
    )
