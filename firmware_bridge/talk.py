"""Talk: the host's half of one wire on one open connection. No clock, no port: times are given, bytes are returned.

What it is made of decides nothing about ports and threads, so the same talk runs over a real line and, in the tests,
through an hour of a bad line on a simulated clock.
"""

from __future__ import annotations

from typing import Protocol

from firmware_bridge.lightmap import LightMap
from firmware_bridge.linkstate import Capabilities, Standing
from firmware_bridge.saying import Reason
from firmware_bridge.scene import Scene

NOTHING_SHOWN: tuple[int, Scene | None] = (0, None)


class Lost(Exception):
    """This connection is over, for this `reason`."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class Talk(Protocol):
    """One connection, from its first byte to its last. All times are seconds of one clock that never goes back.

    `baud`: the line's speed. `capabilities`: of its wire. `standing`: whether the device has answered, and what it is.
    `acknowledged`: epoch and scene that it shows for sure (a wire without answers: that were written), else (0, None).
    """

    @property
    def baud(self) -> int: ...
    @property
    def capabilities(self) -> Capabilities: ...
    @property
    def standing(self) -> Standing: ...
    @property
    def acknowledged(self) -> tuple[int, Scene | None]: ...

    def begin(self, now_s: float) -> bytes:
        """The first bytes after opening."""
        ...

    def show(self, scene: Scene, epoch: int, lightmap: LightMap) -> None:
        """What is to be shown from now on, by this map; only the latest counts. Called again and again, also early."""
        ...

    def take(self, data: bytes, now_s: float) -> None:
        """Bytes that came in."""
        ...

    def due(self, now_s: float) -> bytes:
        """What must be sent now, b"" for nothing. Raises Lost when the connection is over."""
        ...

    def next_s(self, now_s: float) -> float:
        """When to call `due` again at the latest."""
        ...

    def end(self, now_s: float) -> bytes:
        """The last bytes before closing: they darken the lights."""
        ...

    def presses(self) -> list[tuple[int, int]]:
        """Buttons pressed since the last call: (button, action), action 0 short, 1 long; each press once."""
        ...
