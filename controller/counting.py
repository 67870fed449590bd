"""What a table has done since it was started, as numbers: for metrics and for the bench."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

BUCKETS_S = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28)
"""Upper ends of the ranges in which times are counted; what took longer stands above the last."""


@dataclass(frozen=True)
class Times:
    """How long something took: how often, seconds together, and how often within each of BUCKETS_S (not summed up)."""

    count: int = 0
    sum_s: float = 0.0
    within: tuple[int, ...] = (0,) * (len(BUCKETS_S) + 1)

    def and_one(self, took_s: float) -> Times:
        """With one more."""
        at = sum(took_s > end_s for end_s in BUCKETS_S)
        within = tuple(count + (index == at) for index, count in enumerate(self.within))
        return Times(self.count + 1, self.sum_s + took_s, within)


class Counts:
    """Safe to read from any thread while the table writes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: Counter[str] = Counter()
        self._blind_s: dict[str, float] = {}
        self._vision, self._commits = Times(), Times()
        self._blind: tuple[str | None, float] = (None, 0.0)

    def frame(self, took_s: float, trouble: str | None, now_s: float) -> None:
        """A picture was looked at; `trouble`: why the board could not be seen in it. `now_s`: monotonic."""
        with self._lock:
            self._vision = self._vision.and_one(took_s)
            self._blind_until(now_s)
            self._blind = (trouble, now_s)

    def blind(self, trouble: str | None, now_s: float) -> None:
        """No picture came; what the referee says of that."""
        with self._lock:
            self._blind_until(now_s)
            self._blind = (trouble, now_s)

    def _blind_until(self, now_s: float) -> None:
        trouble, since_s = self._blind
        if trouble is not None:
            self._blind_s[trouble] = self._blind_s.get(trouble, 0.0) + now_s - since_s

    def happened(self, events: Iterable[str]) -> None:
        """Events of the referee."""
        with self._lock:
            self._events.update(events)

    def committed(self, took_s: float) -> None:
        """Rows were written to the journal."""
        with self._lock:
            self._commits = self._commits.and_one(took_s)

    @property
    def vision(self) -> Times:
        """From an image to the referee's answer."""
        return self._vision

    @property
    def commits(self) -> Times:
        """Commits of the journal."""
        return self._commits

    def events(self) -> dict[str, int]:
        """How often each event of `watch` was written."""
        with self._lock:
            return dict(self._events)

    def blind_s(self) -> dict[str, float]:
        """Seconds in which the board could not be seen, by `cannot_see` code."""
        with self._lock:
            return dict(self._blind_s)
