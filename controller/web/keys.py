"""Where PIN and API keys come from: settings and credentials, else a PIN that the table makes for itself."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

from controller.config import PIN_LEAST, PIN_MOST, TableConfig
from controller.web.access import Access, ApiKey
from controller.wholefile import write_whole

MADE_DIGITS = 6
FILE = "operator-pin"


def access_of(config: TableConfig, folder: Path | None, say: Callable[[str], None]) -> Access:
    """Who may operate a table. Without a PIN in the settings its own is used, kept in `folder`; `say` tells where.

    Without a folder nobody can log in.
    """
    keys = [ApiKey.of(key.name, key.api_key.get_secret_value(), key.may) for key in config.api_keys]
    if config.operator_pin is not None:
        return Access(config.operator_pin.get_secret_value(), keys)
    if folder is None:
        return Access(None, keys)
    return Access(kept_pin(folder / FILE, say), keys, made=True)


def made_pin() -> str:
    """A PIN drawn at random."""
    return "".join(secrets.choice("0123456789") for _ in range(MADE_DIGITS))


def kept_pin(file: Path, say: Callable[[str], None]) -> str:
    """The PIN in `file`, made where there is none; where it can't be kept it is told outright, for this run."""
    try:
        found = file.read_text(encoding="ascii").strip()
        if found.isdigit() and PIN_LEAST <= len(found) <= PIN_MOST:
            say(f"the operator's PIN stands in {file}")
            return found
    except (OSError, UnicodeDecodeError):
        pass
    pin = made_pin()
    try:
        write_whole(file, f"{pin}\n", 0o600)
    except OSError as error:
        say(f"the operator's PIN is {pin} until the next start: {file} can't be written ({error.strerror})")
        return pin
    say(f"no operator_pin is set, so one was made: it stands in {file}")
    return pin
