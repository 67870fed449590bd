"""Who may speak for the players, and what: the table's own screen, or whoever has scanned the code of this game."""

from __future__ import annotations

import hmac
import logging
import secrets
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from controller.referee.view import View
from controller.web.callers import Callers
from controller.wholefile import write_whole

_log = logging.getLogger(__name__)

TOKEN_LENGTH = 16
SECRET_BYTES = 32
BURST, REFILL_S = 8, 2.0  # so many words at once, and one more each so many seconds
MANY_CLIENTS = 1000

CONTROLS = {
    "done": "done",
    "guide": "done",
    "yes": "answer",
    "no": "answer",
    "resign": "resign",
    "offer_draw": "draw",
    "accept_draw": "draw",
    "decline_draw": "draw",
    "call_operator": "operator",
    "dismiss_operator": "operator",
}
"""Each button, and the control of the setting `players_may` that it belongs to."""


@dataclass(frozen=True)
class Passes:
    """The token of each game, made from a secret: the same after a restart, another one for every game."""

    secret: bytes = field(default_factory=lambda: secrets.token_bytes(SECRET_BYTES), repr=False)

    def of(self, game_no: int) -> str:
        """The token of game `game_no`."""
        digest = hmac.new(self.secret, f"players of game {game_no}".encode(), sha256).digest()
        return urlsafe_b64encode(digest).decode()[:TOKEN_LENGTH]

    def invite(self, view: View) -> str:
        """The token to show: this game's, or the next one's while none is played."""
        return self.of(view.game_no if view.phase == "play" else view.game_no + 1)

    def fit(self, token: str, view: View) -> bool:
        """Whether `token` counts now; that of a game that is over until the pieces are set up again."""
        games = {"play": (view.game_no,), "over": (view.game_no, view.game_no + 1)}.get(view.phase, (view.game_no + 1,))
        return any(hmac.compare_digest(token.encode(), self.of(game_no).encode()) for game_no in games)


@dataclass
class RateLimit:
    """How often one client may speak: a bucket of BURST words that refills. Any thread may ask. `clock`: seconds."""

    clock: Callable[[], float] = time.monotonic
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def allows(self, client: str) -> bool:
        """Whether `client` may speak once more now."""
        now_s = self.clock()
        with self._lock:
            left, at_s = self._left.pop(client, (float(BURST), now_s))
            left = min(float(BURST), left + (now_s - at_s) / REFILL_S)
            while len(self._left) >= MANY_CLIENTS:  # whoever has been quiet longest makes room
                del self._left[next(iter(self._left))]
            self._left[client] = (left - 1 if left >= 1 else left, now_s)
        return left >= 1


@dataclass(frozen=True)
class Players:
    """What players may say on pages, and how they come there.

    `may`: controls, the values of CONTROLS. `address`: where other devices reach this page, None where they can't.
    `everywhere`: the code is shown on every screen, not only on the table's own. `callers`: which screen that is.
    """

    may: frozenset[str] = frozenset(CONTROLS.values())
    passes: Passes = field(default_factory=Passes)
    rate: RateLimit = field(default_factory=RateLimit)
    address: Callable[[], str | None] = lambda: None
    everywhere: bool = False
    callers: Callers = field(default_factory=Callers)


def kept_secret(file: Path) -> bytes:
    """The secret in `file`, made where there is none, so that phones go on after a power cut; never an error."""
    try:
        found = file.read_bytes()
        if len(found) == SECRET_BYTES:
            return found
    except OSError:
        pass
    made = secrets.token_bytes(SECRET_BYTES)
    try:
        write_whole(file, made, 0o600)
    except OSError as error:
        _log.warning("the players' codes change with the next start: %s can't be written (%s)", file, error.strerror)
    return made
