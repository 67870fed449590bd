"""`/metrics`: numbers for Prometheus, where its client is installed (`pip install 'boardref[metrics]'`).

Names carry their units. Nothing is counted for it: what the table counts anyway is told when somebody asks.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException, Response

from controller.counting import BUCKETS_S, Counts, Times
from controller.health import LEVELS, Check, table_checks
from controller.web.ports import TableLike

MISSING = "Numbers for Prometheus need a further package: pip install 'boardref[metrics]', and start the table again."

EVENTS = {
    "turn": ("turns", "Turns accepted, revisions included"),
    "illegal": ("illegal", "Placements judged illegal"),
    "question": ("questions", "Questions asked"),
    "game_over": ("games", "Games that ended"),
    "board_moved": ("bumps", "Times that board or camera were pushed"),
}
"""Events that are counted: the name of the number, and what it means."""


def add_metrics(
    app: FastAPI, table: TableLike, machine: Callable[[], Sequence[Check]], screens: Callable[[], int]
) -> None:
    """The route. `machine`: the checks of the machine; `screens`: how many listen to the event stream."""
    started_s = time.monotonic()

    @app.get("/metrics")
    def metrics() -> Response:
        try:
            from prometheus_client import exposition
            from prometheus_client.registry import CollectorRegistry
        except ImportError:
            raise HTTPException(404, MISSING) from None
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Told(list(_families(table, machine, screens(), time.monotonic() - started_s))))
        return Response(exposition.generate_latest(registry), media_type="text/plain; version=0.0.4; charset=utf-8")


class _Told:
    """What prometheus_client wants: something that hands out numbers."""

    def __init__(self, families: Iterable[Any]) -> None:
        self._families = families

    def collect(self) -> Iterable[Any]:
        return self._families


def _families(
    table: TableLike, machine: Callable[[], Sequence[Check]], screens: int, uptime_s: float
) -> Iterator[Any]:
    from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

    def gauge(name: str, said: str, value: float) -> Any:
        family = GaugeMetricFamily(f"boardref_{name}", said)
        family.add_metric([], value)
        return family

    def counter(name: str, said: str, value: float) -> Any:
        family = CounterMetricFamily(f"boardref_{name}", said)
        family.add_metric([], value)
        return family

    def histogram(name: str, said: str, times: Times) -> Any:
        family = HistogramMetricFamily(f"boardref_{name}", said)
        ends = [*(str(end_s) for end_s in BUCKETS_S), "+Inf"]
        sums = [sum(times.within[: index + 1]) for index in range(len(ends))]
        family.add_metric([], buckets=list(zip(ends, sums, strict=True)), sum_value=times.sum_s)
        return family

    def labelled(family: Any, values: Mapping[str, float]) -> Any:
        for label, value in sorted(values.items()):
            family.add_metric([label], value)
        return family

    snapshot = table.snapshot()
    counts: Counts | None = getattr(table, "counts", None)
    build = GaugeMetricFamily("boardref_build_info", "Its version", labels=["version"])
    yield labelled(build, {version("boardref"): 1.0})
    yield gauge("uptime_seconds", "Since the page was started", uptime_s)
    yield gauge("ready", "Whether the table can referee now", float(table.ready()))
    yield gauge("frame_age_seconds", "Since the newest judged picture; NaN before the first", _age(snapshot.age_s))
    if counts is not None:
        yield histogram("vision_seconds", "From a picture to the referee's answer, for each picture", counts.vision)
        yield histogram("journal_commit_seconds", "Commits of the journal", counts.commits)
        happened = counts.events()
        for event, (name, said) in EVENTS.items():
            yield counter(name, said, happened.get(event, 0))
        blind = CounterMetricFamily("boardref_cannot_see_seconds", "Time without sight of the board", labels=["code"])
        yield labelled(blind, counts.blind_s())
    camera, link, journal = snapshot.camera, snapshot.link, snapshot.journal
    yield counter("camera_losses", "How often the camera was lost", camera.get("losses", 0))
    yield counter("camera_damaged_frames", "Pictures left out because they were damaged", camera.get("damaged", 0))
    yield counter("lights_losses", "How often the lights were lost", link.get("losses", 0))
    yield counter("lights_connections", "How often the lights were found", link.get("connections", 0))
    yield gauge("journal_waiting_rows", "Rows that wait for a journal that can't be written", journal.get("waiting", 0))
    yield gauge("screens", "Screens that listen to the event stream", screens)
    checks = (*table_checks(snapshot), *machine())
    levels = {check.name: float(LEVELS.index(check.level)) for check in checks}
    family = GaugeMetricFamily("boardref_check_level", "0 ok, 1 warning, 2 problem", labels=["check"])
    yield labelled(family, levels)
    yield from (gauge(name, said, value) for name, said, value in _process())


def _age(age_s: float) -> float:
    return age_s if math.isfinite(age_s) else math.nan


def _process() -> Iterator[tuple[str, str, float]]:
    """What the system says of this process, where it says it (Linux)."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        yield "resident_memory_bytes", "Memory of the process", float(pages * os.sysconf("SC_PAGE_SIZE"))
        yield "open_files", "Open files of the process", float(len(os.listdir("/proc/self/fd")))
    except (OSError, ValueError, IndexError):
        pass
    times = os.times()
    yield "cpu_seconds", "Time that the process has kept a core busy", times.user + times.system
