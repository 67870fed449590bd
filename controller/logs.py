"""What a served table writes for those who look after it: lines of text or JSON on standard error, each thing once.

Under systemd each line carries its priority and no time, for the journal has its own. Accounts and secrets in addresses
are hidden; no request, no address of a client and no picture is ever logged.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from datetime import UTC, datetime
from typing import Literal

from controller.bundle import redacted

Format = Literal["text", "json"]
Level = Literal["debug", "info", "warning", "error"]

QUIET_S = 300.0
"""What was said is not said again within this time; then with how often it came meanwhile."""
MOST_ALIKE = 20
"""So many lines of one kind, which differ in their facts only, are let through within that time."""
MOST_KEPT = 500
_PRIORITY = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}
_LOUD_LIBRARIES = ("uvicorn", "asyncio")


def set_up(form: Format, level: Level, *, systemd: bool | None = None) -> None:
    """From now on everything that is logged goes to standard error in this form; once for a process."""
    handler = logging.StreamHandler(sys.stderr)
    under = _under_systemd() if systemd is None else systemd
    handler.setFormatter(AsJson() if form == "json" else AsText(priority=under))
    handler.addFilter(Once())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _LOUD_LIBRARIES:  # what a stranger sends to the page is no news
        logging.getLogger(name).setLevel(logging.ERROR)


def tell(sentence: str, room: str, level: int = logging.WARNING) -> None:
    """Something that whoever started the command should know: logged where a log is set up, else a plain line.

    `room`: the part of the program that speaks.
    """
    if logging.getLogger().handlers:
        logging.getLogger(room).log(level, "%s", sentence.rstrip("."))
    else:
        print(f"boardref: {sentence}", file=sys.stderr, flush=True)


def _under_systemd() -> bool:
    """Whether standard error is the journal's own (sd-daemon(3), JOURNAL_STREAM)."""
    try:
        there = os.fstat(sys.stderr.fileno())
        return os.environ.get("JOURNAL_STREAM", "") == f"{there.st_dev}:{there.st_ino}"
    except (OSError, ValueError):
        return False


_Key = tuple[str, int, str]  # the logger, the level, and what is said


class Once(logging.Filter):
    """Lets through what was not said just now. A fault that comes with every picture is one line in five minutes.

    One whose words change each time, with a number or a name in them, is a few lines.
    """

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[_Key, tuple[float, int]] = {}  # since when it is quiet, and how often it was held back
        self._alike: dict[_Key, tuple[float, int, int]] = {}  # of a kind: since when, how many said, how many held back

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether it is said; the attribute `again` counts how often it, or its like, was not."""
        if record.levelno < logging.INFO:
            return True
        what = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
        key = (record.name, record.levelno, f"{record.getMessage()} {what}")
        now_s = time.monotonic()
        since_s, held = self._said.get(key, (float("-inf"), 0))
        if now_s - since_s < QUIET_S:
            self._said[key] = since_s, held + 1
            return False
        kind = (record.name, record.levelno, f"{record.msg} {what}")
        began_s, many, more = self._alike.get(kind, (now_s, 0, 0))
        if now_s - began_s >= QUIET_S:
            began_s, many = now_s, 0
        if many >= MOST_ALIKE:
            self._alike[kind] = began_s, many, more + 1
            return False
        for known in (self._said, self._alike):
            if len(known) >= MOST_KEPT:
                known.clear()
        self._alike[kind] = began_s, many + 1, 0
        self._said[key] = now_s, 0
        record.again = held + more
        return True


def _message(record: logging.LogRecord) -> str:
    again = getattr(record, "again", 0)
    return redacted(record.getMessage()) + (f" (and {again} times more)" if again else "")


def _room(record: logging.LogRecord) -> str:
    """The part of the program that speaks, without the packages around it."""
    return record.name.rpartition(".")[2]


class AsText(logging.Formatter):
    """One line for people; a bug's traceback follows, each of its lines with the same priority."""

    def __init__(self, priority: bool = False) -> None:
        super().__init__()
        self._priority = priority

    def format(self, record: logging.LogRecord) -> str:
        """With time and level, or for systemd with its priority."""
        lines = [f"{record.levelname.lower()}: {_room(record)}: {_message(record)}"]
        if record.exc_info:
            lines += redacted(self.formatException(record.exc_info)).splitlines()
        if self._priority:
            return "\n".join(f"<{_PRIORITY.get(record.levelno, 5)}>{line}" for line in lines)
        now = datetime.fromtimestamp(record.created).strftime("%H:%M:%S")
        return "\n".join([f"boardref: {now} {lines[0]}", *lines[1:]])


class AsJson(logging.Formatter):
    """One object a line: `time` (UTC), `level`, `room`, `message`, and a bug's traceback as `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        """As described."""
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "room": _room(record),
            "thread": record.threadName,
            "message": _message(record),
        }
        if record.exc_info:
            told["exception"] = redacted(self.formatException(record.exc_info))
        return json.dumps(told, ensure_ascii=False)
