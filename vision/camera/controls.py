"""What of a camera can be held still: exposure, gain, white balance, focus, and the mains frequency of the lamps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Protocol

NONE: Mapping[str, Any] = MappingProxyType({})


WHYS: Mapping[str, str] = MappingProxyType(
    {
        "elsewhere": "it is set in the camera itself",
        "pretend": "it is a pretend camera",
        "unreachable": "the camera can't be reached ({reason})",
        "automatic": "the camera does not let its automatic be switched off",
        "strays": "the camera does not keep the value",
        "settling": "it is being set",
        "unsaid": "the camera does not say how it is set",
        "stays": "the camera stays at {value}",
        "too_old": "this version can't be told",
    }
)
"""Why a setting is not held; the page's catalogues hold the same in every language, as `held.why.CODE`."""


class Why(str):
    """One of the WHYS in English, with its code and facts for other languages."""

    code: str
    facts: Mapping[str, str]

    def __new__(cls, code: str, **facts: str) -> Why:
        made = super().__new__(cls, WHYS[code].format_map(facts))
        made.code, made.facts = code, facts
        return made


@dataclass(frozen=True)
class Lock:
    """What came of locking. `locked`: setting -> value as read back; `loose`: setting -> why it is not held.

    Settings: `exposure`, `gain`, `white_balance`, `focus`, `mains`; those a camera doesn't have are in neither.
    """

    locked: Mapping[str, str] = field(default_factory=lambda: NONE)
    loose: Mapping[str, Why] = field(default_factory=lambda: NONE)

    @property
    def sentence(self) -> str:
        """For people."""
        loose = "; ".join(f"{name.replace('_', ' ')}: {why}" for name, why in self.loose.items())
        if not self.locked:
            return f"Nothing of this camera is held still ({loose})." if loose else "This camera has nothing to hold."
        held = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in self.locked.items())
        return f"Held still: {held}." + (f" Not: {loose}." if loose else "")


class Controls(Protocol):
    """The adjustable part of a camera; outlives the connection to it. Any thread may call."""

    def lock(self) -> Lock:
        """Hold everything as it is now; kept over reconnections. What is held, as far as it is known at once."""
        ...

    def release(self) -> None:
        """Let the camera adjust itself again."""
        ...

    def held(self) -> Lock | None:
        """What is held, verified by reading back where the camera can; None while nothing is to be."""
        ...


class NoControls:
    """For sources that can't be adjusted from here: streams, pipes, the pretend table."""

    def __init__(self, why: Why) -> None:
        self._lock = Lock(loose=dict.fromkeys(("exposure", "white_balance", "focus"), why))
        self._asked = False

    def lock(self) -> Lock:
        """Nothing is held."""
        self._asked = True
        return self._lock

    def release(self) -> None:
        """Nothing was held."""
        self._asked = False

    def held(self) -> Lock | None:
        """Why nothing is held, once asked to."""
        return self._lock if self._asked else None
