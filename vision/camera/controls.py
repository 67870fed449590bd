"""What of a camera can be held still: exposure, gain, white balance, focus, and the mains frequency of its lamps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

NONE: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Lock:
    """What came of locking. `locked`: setting -> value as read back; `loose`: setting -> why it could not be held.

    Settings: `exposure`, `gain`, `white_balance`, `focus`, `mains`; those a camera doesn't have are in neither.
    """

    locked: Mapping[str, str] = field(default_factory=lambda: NONE)
    loose: Mapping[str, str] = field(default_factory=lambda: NONE)

    @property
    def sentence(self) -> str:
        """For people."""
        if not self.locked:
            return "This camera's exposure and colours can't be held from here; set them in the camera itself."
        held = ", ".join(name.replace("_", " ") for name in self.locked)
        if not self.loose:
            return f"Held still: {held}."
        return f"Held still: {held}; not: {', '.join(name.replace('_', ' ') for name in self.loose)}."


class Controls(Protocol):
    """The adjustable part of a camera. Both calls may be made from any thread."""

    def lock(self) -> Lock:
        """Hold everything as it is now, and say what is held, verified by reading back where the camera can."""
        ...

    def release(self) -> None:
        """Let the camera adjust itself again."""
        ...


class NoControls:
    """For sources that can't be adjusted from here: streams and pipes."""

    def __init__(self, why: str) -> None:
        self._why = why

    def lock(self) -> Lock:
        """Nothing is held."""
        return Lock(loose=dict.fromkeys(("exposure", "white_balance", "focus"), self._why))

    def release(self) -> None:
        """Nothing was held."""
