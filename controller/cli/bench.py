"""`boardref bench`: speed as ratios to others' in one run; `--endurance`: the sloppy table; `--lights`: the link."""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from controller.cli import bench_lights, bench_rules, stress
from controller.errors import CommandError
from controller.rules.registry import game_named
from vision.boardset import installed_sets
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World
from vision.eye import Eye

FRAMES = 200


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bench`."""
    parser.add_argument(
        "--frames", nargs="+", metavar="DIR", help="folders of pictures; simulated ones where left out"
    )
    parser.add_argument("--stress", action="store_true", help="token naming under worse light and worse pictures")
    parser.add_argument("--endurance", action="store_true", help="the sloppy table: honest play must never be accused")
    parser.add_argument("--lights", action="store_true", help="the lights' lateness, a bad line, 10,000 reconnects")
    parser.add_argument("--game", metavar="G", help="play only this game in --endurance; every game where left out")
    parser.add_argument("--turns", type=int, default=1_000_000, metavar="N", help="turns of --endurance (1000000)")
    parser.add_argument(
        "--may-differ", type=int, default=0, metavar="N", help="records that may differ from the game played (0)"
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="the first seed of --endurance")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measure and print; exit 1 when the sloppy table finds a fault, a stress breaks a limit, or lights are lost."""
    if args.stress:
        return stress.run(args)
    if args.endurance:
        return endurance(args)
    if args.lights:
        rows: Iterator[dict[str, Any]] = chain([bench_lights.latency()], bench_lights.endurance())
    else:
        cv2.setNumThreads(1)
        rows = chain(_eyes(_pictures(args.frames)), bench_rules.rows(), [bench_lights.latency()], _memory())
    well = True
    for row in rows:
        print(json.dumps(row) if args.json else _line(row), flush=True)
        well &= bool(row.get("ok", True))
    return 0 if well else 1


def endurance(args: argparse.Namespace) -> int:
    """The sloppy table of each game for as many turns as asked for; every fault with its seed."""
    from controller.sloppy import play
    from controller.sloppy.games import MANNERS

    if args.turns < 1:
        raise CommandError("--turns takes a number above 0", 2)
    clean = True
    for game in [game_named(name) for name in ([args.game] if args.game else sorted(MANNERS))]:
        report = play(seed=args.seed, turns=args.turns, game=game)
        print(f"{game.name}: {report.summary()}", flush=True)
        clean &= len(report.faults) == report.mismatches <= args.may_differ
    return 0 if clean else 1


def _pictures(folders: list[str] | None) -> Iterator[Any]:
    """At least FRAMES pictures with tokens standing in changing places."""
    if folders is not None:
        files = [file for folder in folders for end in ("jpg", "png") for file in sorted(Path(folder).glob(f"*.{end}"))]
        if not files:
            raise CommandError(f"{' '.join(folders)} holds no *.jpg or *.png pictures; name a folder with some")
        for i in range(max(FRAMES, len(files))):
            image = cv2.imread(str(files[i % len(files)]))
            if image is None:
                raise CommandError(f"{files[i % len(files)]} is no readable picture; take it out of the folder")
            yield image
        return
    board = installed_sets()["transet"]
    game = game_named("transet")
    rng = random.Random(1)
    position = game.start()
    world = World(board, game.picture(position).on)
    camera = SimulatedCamera(world)
    try:
        for _ in range(FRAMES):
            turns = list(game.legal_turns(position))
            position = game.start() if not turns else game.after(position, rng.choice(turns))
            if game.outcome(position) is not None:
                position = game.start()
            world.reset(game.picture(position).on)
            yield camera.render()
    finally:
        camera.close()


def _timed(work: Callable[..., object], *given: object) -> float:
    """CPU milliseconds of one call."""
    start = time.process_time()
    work(*given)
    return (time.process_time() - start) * 1000


def _eyes(pictures: Iterator[Any]) -> list[dict[str, Any]]:
    sets = list(installed_sets().values())
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    detector = cv2.aruco.ArucoDetector(dictionary, cv2.aruco.DetectorParameters())
    eye = Eye(sets)

    def detect(picture: Any) -> None:
        detector.detectMarkers(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY))

    def look(picture: Any) -> None:
        Eye(sets).look(picture)

    anchor, steady, changed, cold = [], [], [], []
    for i, picture in enumerate(pictures):
        anchor.append(_timed(detect, picture))
        changed.append(_timed(eye.see, picture, i * 0.2, 2 * i))
        noisy = cv2.add(picture, np.random.default_rng(i).integers(0, 3, picture.shape, dtype=np.uint8))
        steady.append(_timed(eye.see, noisy, i * 0.2 + 0.1, 2 * i + 1))
        cold.append(_timed(look, picture))
    rows = [{"what": "cv2.aruco, full frame (the anchor)", **_spread(anchor, None), "unit": "ms"}]
    for name, times, target in (
        ("a steady frame", steady, 0.10),
        ("a changed frame, full look", changed, 0.6),
        ("a cold look", cold, 1.0),
    ):
        rows.append({"what": name, **_spread(times, anchor), "unit": "ms", "target_ratio": target})
    return rows


def _spread(times: list[float], anchor: list[float] | None) -> dict[str, float]:
    row = {"median": round(statistics.median(times), 3), "p95": round(sorted(times)[int(len(times) * 0.95)], 3)}
    if anchor is not None:
        base = statistics.median(anchor)
        row["ratio"] = round(row["median"] / base, 3)
        row["ratio_p95"] = round(row["p95"] / base, 3)
    return row


def _memory() -> Iterator[dict[str, Any]]:
    peak_mb = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    yield {"what": "peak memory of this run", "value": peak_mb, "unit": "MB"}


def _line(row: dict[str, Any]) -> str:
    if "value" in row:
        text = f"{row['what']:<38} {row['value'] or '-':>9} {row['unit']}"
        if "ratio" in row:
            text += f"   ratio {row['ratio']:>6}"
        if "target_ratio" in row:
            text += f" (target {row['target_ratio']})"
        return text + (f"   {row['why']}" if "why" in row else "")
    text = f"{row['what']:<38} median {row['median']:>8} ms   p95 {row['p95']:>8} ms"
    if "ratio" in row:
        text += f"   ratio {row['ratio']:>6} (target {row['target_ratio']})   p95 {row['ratio_p95']:>6}"
    if "worst" in row:
        text += f"   worst {row['worst']:>8} ms"
    if "target_ms" in row:
        text += f" (target {row['target_ms']} ms)"
    return text
