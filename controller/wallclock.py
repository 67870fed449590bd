"""Since when something is so, in seconds of the wall clock, for pages and programs.

Everything is timed by a clock that never jumps. A Pi has no battery for its wall clock: that is set minutes after the
start, and what began before must then be told by it, too.
"""

from __future__ import annotations

import time

SLIP_S = 1.0
"""Two clocks that come apart by less were only read at two moments, or are being set slowly: nothing is told anew."""


class WallClock:
    """From monotonic seconds to those of the wall; a time stays the same as long as nobody sets the clock."""

    def __init__(self) -> None:
        self._apart_s = time.time() - time.monotonic()

    def at(self, steady_s: float) -> float:
        """The wall time, to a tenth of a second, of what happened at `steady_s` (monotonic). Any thread may ask."""
        apart_s = time.time() - time.monotonic()
        if abs(apart_s - self._apart_s) > SLIP_S:
            self._apart_s = apart_s
        return round(steady_s + self._apart_s, 1)
