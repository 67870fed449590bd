"""A running table in `boardref bench`: how soon its lights answer a hand, and what a demo costs that nobody touches.

Times here are real ones, with everything else that the machine does: camera, eyes, referee, journal and link run as at
a table, and the lights are read from the device at the wire's other end.
"""

from __future__ import annotations

import contextlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from controller.cli.demo import Demo, demo_parts
from controller.referee.signals import STATES
from controller.referee.timing import Timing
from controller.rules.api import Game, Position, Turn
from controller.rules.registry import game_named
from vision.boardset import BoardSet, Point, installed_sets
from vision.camera.world import HAND_LEAVES_S, World

TURNS = 8
"""Turns of each game that are played to watch the lights."""
MOST_TURNS = 3000
CARRY_S = 0.4
POLL_S = 0.002
SEEN_S, ACCEPTED_FRAMES, MEMORY_MB, START_S, IDLE = 0.4, 2.0, 220.0, 3.0, 15.0
"""The design's targets."""
IDLE_S = 8.0


def rows() -> Iterator[dict[str, Any]]:
    """The lights' answers and the costs of a demo, one game after the other."""
    boards = {board.game: board for board in installed_sets().values()}
    for game, board in sorted(boards.items()):
        yield from _answers(game_named(game), board)
    for game in sorted(boards):
        yield from _costs(game)


def _answers(game: Game, board: BoardSet) -> Iterator[dict[str, Any]]:
    """From the hand's going to the lights, on the wire."""
    with tempfile.TemporaryDirectory(prefix="boardref-bench-") as folder:
        demo = demo_parts(game.name, Path(folder))
        demo.table.start()
        try:
            seen, accepted = _played(game, board, demo)
        finally:
            demo.table.stop()
            demo.device.close()
    if seen:
        yield _row(f"{game.name}: hand gone to the seen light", seen, "s", SEEN_S)
    if accepted:
        yield _row(f"{game.name}: settled to the accepted light", accepted, "frames", ACCEPTED_FRAMES)


def _played(game: Game, board: BoardSet, demo: Demo) -> tuple[list[float], list[float]]:
    """A few turns of one piece each: seconds to the seen light; camera frames to the accepted one."""
    seen: list[float] = []
    accepted: list[float] = []
    places = {board.names.get(site.id, site.id): board.centre(site) for site in board.sites}
    timing = Timing()
    if _until(lambda: demo.table.snapshot().view.phase == "play", 10.0) is None:
        return seen, accepted
    position = game.start()
    for _ in range(TURNS):
        time.sleep(1.2)  # the players think, and the accepted light goes out
        turn = _plain_turn(game, position, places)
        if turn is None:
            break
        after = game.after(position, turn)
        origin, to = _moved(game, position, after) or ("", "")
        extendable = game.judge(position, game.picture(after)).extendable
        gone_s = _carry(demo.world, places[origin], places[to])
        at_s = _until(lambda: demo.device.lit().scene == STATES["settling"], 3.0)
        if at_s is not None:
            seen.append(at_s - gone_s)
        at_s = _until(lambda: demo.device.lit().scene == STATES["accepted"], 5.0)
        if at_s is None:
            break  # nothing after it would be right
        settled_s = gone_s + (timing.extendable_s if extendable else timing.still_s)
        accepted.append((at_s - settled_s) * demo.fps)
        position = after
    return seen, accepted


def _plain_turn(game: Game, position: Position, places: Mapping[str, Point]) -> Turn | None:
    """A legal turn that carries one piece from one site to an empty one."""
    for turn in islice(game.legal_turns(position), MOST_TURNS):
        after = game.after(position, turn)
        moved = _moved(game, position, after)
        if moved is not None and moved[0] in places and moved[1] in places and game.outcome(after) is None:
            return turn
    return None


def _moved(game: Game, position: Position, after: Position) -> tuple[str, str] | None:
    """From where to where one piece went, if that is all."""
    before, now = game.picture(position), game.picture(after)
    changed = [site for site in {*before.on, *now.on} if before.on.get(site) != now.on.get(site)]
    if len(changed) != 2 or sorted(before.off) != sorted(now.off):
        return None
    origin, to = sorted(changed, key=lambda site: len(before.on.get(site, ())), reverse=True)
    plain = len(before.on.get(origin, ())) == 1 and not before.on.get(to) and not now.on.get(origin)
    return (origin, to) if plain and now.on.get(to) == before.on[origin] else None


def _carry(world: World, origin: Point, to: Point) -> float:
    """A hand carries the piece at one place to another; when it has left."""
    pieces = world.snapshot().pieces
    piece = min(pieces, key=lambda one: (one.x_mm - origin[0]) ** 2 + (one.y_mm - origin[1]) ** 2)
    world.lift(piece.id)
    steps = 8
    for step in range(1, steps + 1):
        time.sleep(CARRY_S / steps)
        share = step / steps
        world.move(piece.id, origin[0] + (to[0] - origin[0]) * share, origin[1] + (to[1] - origin[1]) * share)
    time.sleep(0.1)
    world.drop(piece.id)
    return time.monotonic() + HAND_LEAVES_S


def _until(holds: Callable[[], bool], within_s: float) -> float | None:
    """When it began to hold; None if it doesn't in time."""
    ends = time.monotonic() + within_s
    while time.monotonic() < ends:
        if holds():
            return time.monotonic()
        time.sleep(POLL_S)
    return None


def _row(what: str, values: list[float], unit: str, target: float) -> dict[str, Any]:
    return {
        "what": what,
        "median": round(statistics.median(values), 3),
        "worst": round(max(values), 3),
        "unit": unit,
        "of": len(values),
        "target": target,
    }


def _costs(game: str) -> Iterator[dict[str, Any]]:
    """A demo as a user starts it: seconds to its page, memory, and how busy it keeps a core while nobody plays."""
    began = time.monotonic()
    command = [sys.executable, "-m", "controller.cli", "demo", "--no-browser", "--port", "0", "--game", game]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            address = re.search(r"http://\S+/", process.stdout.readline())
            if address is None:
                yield {"what": f"{game}: a demo", "value": None, "unit": "", "why": "it did not start"}
                return
            urllib.request.urlopen(address[0], timeout=10).read()
            yield _cost(f"{game}: from start to the page", time.monotonic() - began, "s", START_S)
            status, times = Path(f"/proc/{process.pid}/status"), Path(f"/proc/{process.pid}/stat")
            if not status.exists():
                return  # no Linux
            time.sleep(4.0)
            busy_s, from_s = _cpu_s(times), time.monotonic()
            time.sleep(IDLE_S)
            share = (_cpu_s(times) - busy_s) / (time.monotonic() - from_s)
            yield _cost(f"{game}: a core's share of an idle table", 100 * share, "%", IDLE)
            resident = re.search(r"VmRSS:\s+(\d+)", status.read_text())
            if resident is not None:
                yield _cost(f"{game}: memory of a running table", int(resident[1]) / 1024, "MB", MEMORY_MB)
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)


def _cpu_s(stat: Path) -> float:
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _cost(what: str, value: float, unit: str, target: float) -> dict[str, Any]:
    return {"what": what, "value": round(value, 2), "unit": unit, "target": target}
