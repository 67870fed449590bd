"""The `boardref` command. Each sub-command is one module here with `add(commands)` and `run(args) -> exit code`."""

from __future__ import annotations

import atexit
import io
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

# Nothing else is imported here: a command may be stopped while it starts, and only `main` catches that.

COMMANDS = {
    "demo": "the whole table in software, in the browser",
    "serve": "a real table",
    "watch": "referee a recording or a live camera",
    "look": "what stands where on single images",
    "kit": "a printable board as exact-scale PDF",
    "rules": "ask the rules engine",
    "games": "the recorded games",
    "lights": "the lights along the board",
    "calibrate": "measure the camera's lens, once",
    "doctor": "is everything in order, and if not, what to do",
    "bundle": "one file to send along with a question: no pictures, no secrets",
    "report": "a wrong call: keep what the running table saw in the last ten minutes",
    "bench": "measure speed as ratios",
}

FILES = ("source", "images", "set", "profile", "journal", "data", "config", "output", "map", "frames",
         "sightings", "file", "placement", "port")  # fmt: skip
"""Arguments where an empty text would quietly mean something else, such as this folder or "not given"."""


TARGETS = ("output", "sightings")
"""Arguments that name a file to be written."""


class Stopped(BaseException):
    """SIGTERM: end as Ctrl-C does."""


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise Stopped


def _say_again(unraisable: sys.UnraisableHookArgs) -> None:
    """A stop that fell into a place where Python drops exceptions (a destructor, a library in C) is said once more."""
    import threading

    if not issubclass(unraisable.exc_type, (KeyboardInterrupt, Stopped)):
        sys.__unraisablehook__(unraisable)
        return
    main_thread = threading.main_thread().ident or 0
    again = threading.Timer(0.02, signal.pthread_kill, [main_thread, signal.SIGTERM])
    again.daemon = True
    again.start()


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; never lets a traceback reach a user."""
    unraisable = sys.unraisablehook
    atexit.unregister(_hear_nothing)
    atexit.register(_hear_nothing)
    try:
        sys.unraisablehook = _say_again
        signal.signal(signal.SIGTERM, _stop)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts background jobs deaf to it
        _open_what_is_closed()
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors="replace")
        try:
            return _answer(argv)
        finally:
            sys.stdout.flush()
    except (KeyboardInterrupt, Stopped):
        _hush_if_closed()
        return 0
    except BrokenPipeError:
        _hush_if_closed()
        return 0
    except Exception as error:
        from controller.cli.failures import exit_for

        message, code = exit_for(error)
        print(f"boardref: {message}", file=sys.stderr)
        return code
    finally:
        sys.unraisablehook = unraisable


def _hear_nothing() -> None:
    """The command has ended, and Python tidies up: a stop that comes now would take its exit code away."""
    for word in (signal.SIGTERM, signal.SIGINT):
        signal.signal(word, signal.SIG_IGN)


def _open_what_is_closed() -> None:
    """Started without stdin, stdout or stderr: the next file opened, a journal even, would be taken for it."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _hush_if_closed() -> None:
    """A reader that is gone (`| head -1`) is nothing to complain of, at the interpreter's own last flush neither."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _with_passes(argv: Sequence[str]) -> list[str]:
    """The words, `--turn --` and `--turn=--` (a pass) in a spelling that argparse does not take for its own `--`."""
    words: list[str] = []
    for word in argv:
        if word == "--" and words and words[-1] == "--turn":
            words[-1] = "--turn=-- "
        else:
            words.append("--turn=-- " if word == "--turn=--" else word)
    return words


def _check_target(name: str | None) -> None:
    """Nobody means to write over the record of all games."""
    from pathlib import Path

    from controller.errors import CommandError
    from controller.wholefile import is_database

    if name is not None and Path(name).is_file() and is_database(Path(name)):
        raise CommandError(f"{name} is a journal or another database; give another file", 2)


def _answer(argv: Sequence[str] | None) -> int:
    import gc
    import importlib

    import vision  # noqa: F401  # before anything imports numpy: it says with how many threads that is to work
    from controller.cli.parsing import parser_of
    from controller.errors import CommandError

    words = _with_passes(sys.argv[1:] if argv is None else argv)
    parser = parser_of()
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    chosen = next((word for word in words if not word.startswith("-")), None)
    for name, help_text in COMMANDS.items():
        sub = commands.add_parser(name, help=help_text, description=help_text, allow_abbrev=False)
        if name == chosen:  # only the chosen command's room is imported: `boardref --help` stays instant
            importlib.import_module(f"controller.cli.{name}").add(sub)
    args = parser.parse_args(words)
    for name in FILES:
        given = getattr(args, name, None)
        if given == "" or (isinstance(given, list) and "" in given):
            raise CommandError(f"{name.upper()} is empty; give a name, or leave it out where it may be", 2)
    for name in TARGETS:
        _check_target(getattr(args, name, None))
    gc.freeze()  # the modules stay: nobody needs to search them for garbage again and again, 20 ms each time
    return int(args.run(args))
