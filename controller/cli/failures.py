"""Every failure as one sentence and an exit code."""

from __future__ import annotations

import os
import sqlite3
import traceback

from controller.errors import CommandError
from controller.journal.errors import JournalError
from controller.rules.api import OptionError, RulesError, TextError
from controller.rules.registry import UnknownGameError
from controller.sightings.errors import SightingLogError
from firmware_bridge.errors import LightsError, SpecError
from vision.errors import VisionError


def exit_for(error: Exception) -> tuple[str, int]:
    """The sentence for stderr and the exit code: 2 for usage and unreadable text, 1 for everything else."""
    if isinstance(error, CommandError):
        return str(error), error.code
    if isinstance(error, TextError | OptionError | UnknownGameError | SpecError):
        return str(error), 2
    if isinstance(error, RulesError | JournalError | LightsError | SightingLogError | VisionError):
        return str(error), 1
    if isinstance(error, OSError):
        place = f": {error.filename}" if error.filename else ""
        return f"{error.strerror or error}{place}; check the name and the permissions", 1
    if isinstance(error, sqlite3.Error):
        return f"the journal could not be used ({error}); it was left as it is", 1
    if os.environ.get("BOARDREF_DEBUG"):
        traceback.print_exc()
    return (
        f"an internal fault stopped the command ({type(error).__name__}: {error});"
        " set BOARDREF_DEBUG=1 to see where, and report it",
        1,
    )
