"""How a command on the table's own machine finds the running table and may speak to it: a file only its user can read.

`running.json` in the data folder: the page's address, and a key made at each start. It goes with the table; one that a
power cut left behind opens nothing, for its key is no longer valid.
"""

from __future__ import annotations

import contextlib
import json
import logging
import secrets
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from controller.errors import CommandError
from controller.wholefile import write_whole

_log = logging.getLogger(__name__)

FILE = "running.json"
NAME = "this-machine"
ANSWER_S = 20.0


class Local:
    """The running table's side. `key`: to be let in with."""

    def __init__(self, folder: Path) -> None:
        self.key = secrets.token_urlsafe(32)
        self._file = folder / FILE

    def announce(self, address: str) -> None:
        """Say where the page answers; a disk that is full only makes the command line speechless."""
        try:
            write_whole(self._file, json.dumps({"address": address, "key": self.key}) + "\n", 0o600)
        except OSError as error:
            _log.warning("commands on this machine can't reach the table: %s (%s)", self._file, error.strerror)

    def gone(self) -> None:
        """The table stops."""
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            if json.loads(self._file.read_text(encoding="utf-8"))["key"] == self.key:  # not another table's
                self._file.unlink()


def ask(folder: Path, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """POST to the table that runs with this data folder; CommandError says why it can't be, or what it refused."""
    file = folder / FILE
    none = f"no table is running with the records in {folder}; start it, or name its folder with --data DIR"
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        address, key = str(told["address"]), str(told["key"])
    except FileNotFoundError:
        raise CommandError(none) from None
    except OSError as error:
        raise CommandError(f"{file} can't be read ({error.strerror}); run this as the user of the table") from None
    except (ValueError, KeyError, TypeError):
        raise CommandError(none) from None
    request = urllib.request.Request(
        f"{address.rstrip('/')}{path}",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json", "authorization": f"Bearer {key}"},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=ANSWER_S) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
    except urllib.error.HTTPError as error:
        if error.code == 401:  # another table has its place, or this one was cut off
            raise CommandError(none) from None
        try:
            said = str(json.load(error)["error"]).rstrip(".")
        except (ValueError, KeyError, TypeError):
            said = f"the table answered {error.code}"
        raise CommandError(said) from None
    except (OSError, ValueError):
        raise CommandError(none) from None
