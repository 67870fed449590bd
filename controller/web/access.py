"""Who may operate: the PIN, how long to wait after wrong ones, sessions and API keys. The gate itself is `gate.py`.

Nothing here knows of requests: a client is a text, time is a clock that never goes back.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Literal

May = Literal["read", "backup", "operate"]

IDLE_S, LONGEST_S = 30 * 60.0, 12 * 3600.0
SESSIONS = 16  # devices that are logged in at once

FREE_TRIES = 3
LONGEST_WAIT_S = 300.0
FORGET_S = 3600.0  # so long after the last wrong PIN a client is as good as new
TOGETHER, REFILL_S = 20, 60.0  # wrong PINs of all clients together: so many at once, and one more each so many seconds
MANY_CLIENTS = 1000


@dataclass(frozen=True)
class ApiKey:
    """A script's key, as the settings name it; kept as a digest only."""

    name: str
    digest: bytes = field(repr=False)
    may: May = "operate"

    @classmethod
    def of(cls, name: str, key: str, may: May = "operate") -> ApiKey:
        """From the key itself."""
        return cls(name, _digest(key), may)


@dataclass(frozen=True)
class Who:
    """Whoever operates. `key`: the API key's name, None for a person with the PIN; `csrf`: the session's token.

    `valid`: whether that still holds; whoever streams to an operator asks it again and again.
    """

    key: str | None
    may: May
    csrf: str = field(default="", repr=False)
    valid: Callable[[], bool] = field(default=lambda: True, repr=False, compare=False)

    @property
    def facts(self) -> dict[str, str]:
        """What a journal row says of who it was, beside `by: operator`."""
        return {"key": self.key} if self.key is not None else {}


@dataclass(frozen=True)
class Session:
    """One device that has given the right PIN."""

    csrf: str = field(repr=False)
    begun_s: float
    active_s: float


class Sessions:
    """The devices that are logged in, by digests of their tokens; the one idle longest makes room for a new one."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[bytes, Session] = {}
        self._lock = threading.Lock()

    def begin(self) -> tuple[str, Session]:
        """A new session and the token that its cookie carries."""
        token, now_s = secrets.token_urlsafe(32), self._clock()
        session = Session(secrets.token_urlsafe(24), now_s, now_s)
        with self._lock:
            self._forget_old()
            while len(self._known) >= SESSIONS:
                del self._known[min(self._known, key=lambda one: self._known[one].active_s)]
            self._known[_digest(token)] = session
        return token, session

    def find(self, token: str, *, active: bool = False) -> Session | None:
        """The session of a token, None where it is none or has ended. `active`: a person has done something."""
        with self._lock:
            self._forget_old()
            session = self._known.get(_digest(token))
            if session is not None and active:
                session = self._known[_digest(token)] = replace(session, active_s=self._clock())
        return session

    def end(self, token: str) -> None:
        """Log out."""
        with self._lock:
            self._known.pop(_digest(token), None)

    def __len__(self) -> int:
        with self._lock:
            self._forget_old()
            return len(self._known)

    def _forget_old(self) -> None:
        now_s = self._clock()
        self._known = {
            token: session
            for token, session in self._known.items()
            if now_s - session.active_s < IDLE_S and now_s - session.begun_s < LONGEST_S
        }


class BackOff:
    """How long whoever gave wrong PINs has to wait: longer each time, for ever never.

    A cap over all clients keeps many of them from trying together; the table's `own` screen has its own wait only, so
    that strangers can't keep the operator out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: dict[str, tuple[int, float]] = {}  # client -> how often, and when last
        self._left, self._left_s = float(TOGETHER), clock()

    def wait_s(self, client: str, *, own: bool = False) -> float:
        """Seconds until this client may try again; 0 = now."""
        now_s = self._clock()
        times, at_s = self._wrong.get(client, (0, 0.0))
        wait_s = at_s + min(2.0 ** (times - FREE_TRIES), LONGEST_WAIT_S) - now_s if times >= FREE_TRIES else 0.0
        if not own:
            left = min(float(TOGETHER), self._left + (now_s - self._left_s) / REFILL_S)
            wait_s = max(wait_s, (1.0 - left) * REFILL_S)
        return max(0.0, wait_s)

    def wrong(self, client: str, *, own: bool = False) -> None:
        """Count a wrong PIN."""
        now_s = self._clock()
        self._wrong = {who: seen for who, seen in self._wrong.items() if now_s - seen[1] < FORGET_S}
        times, _ = self._wrong.pop(client, (0, 0.0))
        if len(self._wrong) >= MANY_CLIENTS:
            del self._wrong[min(self._wrong, key=lambda who: self._wrong[who])]
        self._wrong[client] = (times + 1, now_s)
        if not own:
            self._left = max(0.0, min(float(TOGETHER), self._left + (now_s - self._left_s) / REFILL_S) - 1)
            self._left_s = now_s

    def right(self, client: str) -> None:
        """The right PIN: as good as new."""
        self._wrong.pop(client, None)


class Access:
    """Who may operate this table. Without `pin` nobody can log in.

    `made`: the PIN was made by the table itself; where it stands is said on the log-in page.
    """

    def __init__(
        self,
        pin: str | None = None,
        keys: Iterable[ApiKey] = (),
        *,
        made: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._salt = secrets.token_bytes(32)
        self._pin = self._mixed(pin) if pin else None
        self._keys = tuple(keys)
        self._back_off = BackOff(clock)
        self._lock = threading.Lock()
        self.made = made
        self.sessions = Sessions(clock)

    def also(self, key: ApiKey) -> None:
        """One more key: that of the table's own machine."""
        self._keys = (*self._keys, key)

    @property
    def possible(self) -> bool:
        """Whether there is a PIN at all."""
        return self._pin is not None

    def log_in(self, pin: str, client: str, *, own: bool = False) -> tuple[str, Session] | float:
        """Token and session for the right PIN; else the seconds until this client may try again (0: at once).

        While somebody has to wait nothing is compared, so that the right PIN can't be told from a wrong one.
        """
        client = network_of(client)
        with self._lock:  # many requests at once are counted one by one
            wait_s = self._back_off.wait_s(client, own=own)
            if wait_s > 0:
                return wait_s
            right = hmac.compare_digest(self._mixed(pin), self._pin or b"")
            if right:
                self._back_off.right(client)
                return self.sessions.begin()
            self._back_off.wrong(client, own=own)
            return self._back_off.wait_s(client, own=own)

    def with_cookie(self, token: str, *, active: bool = False) -> Who | None:
        """The person whose browser sends this token."""
        session = self.sessions.find(token, active=active)
        if session is None:
            return None
        return Who(None, "operate", session.csrf, lambda: self.sessions.find(token) is not None)

    def with_key(self, key: str) -> Who | None:
        """The script that sends this key; every key is compared, whichever fits."""
        digest = _digest(key)
        fitting = [one for one in self._keys if hmac.compare_digest(one.digest, digest)]
        return Who(fitting[0].name, fitting[0].may) if fitting else None

    def _mixed(self, pin: str) -> bytes:
        """Of one length whatever is given, and of use in this run only."""
        return hmac.new(self._salt, pin.encode(), sha256).digest()


def network_of(client: str) -> str:
    """Whom to count: an IPv4 address; of IPv6 the network, for one device has as many addresses as it likes there."""
    try:
        address = ipaddress.ip_address(client.partition("%")[0])
    except ValueError:
        return client[:64]
    if address.version == 4:
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))


def _digest(text: str) -> bytes:
    return sha256(text.encode()).digest()
