"""`boardref bench`: speed as ratios to others' in one run; `--endurance`: the sloppy table; `--lights`: the link."""

from __future__ import annotations

import argparse
import json
import resource
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import cv2

from controller.cli import bench_eyes, bench_lights, bench_rules, bench_spectators, bench_table, stress
from controller.errors import CommandError
from controller.rules.registry import game_named

PARTS = ("eyes", "rules", "lights", "table", "spectators")


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bench`."""
    parser.add_argument(
        "--frames", nargs="+", metavar="DIR", help="folders of pictures; simulated ones where left out"
    )
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART",
        help=f"what to measure: {', '.join(PARTS)}; all of them where left out",
    )
    parser.add_argument("--stress", action="store_true", help="token naming under worse light and worse pictures")
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="take each N-th picture only, with --stress (1: all)"
    )
    parser.add_argument(
        "--from", type=int, default=0, dest="first", metavar="N", help="leave out the first N pictures, with --stress"
    )
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
    cv2.setNumThreads(1)
    parts: dict[str, Callable[[], Iterator[dict[str, Any]]]] = {
        "eyes": partial(bench_eyes.rows, args.frames),
        "rules": bench_rules.rows,
        "lights": lambda: iter([bench_lights.latency()]),
        "table": bench_table.rows,
        "spectators": bench_spectators.rows,
    }
    if args.lights:
        rows: Iterator[dict[str, Any]] = chain([bench_lights.latency()], bench_lights.endurance())
    else:
        rows = chain(chain.from_iterable(part() for name, part in parts.items() if name in args.only), _memory())
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
        told = {"game": game.name, **report.as_json()}
        print(json.dumps(told) if args.json else f"{game.name}: {report.summary()}", flush=True)
        clean &= len(report.faults) == report.mismatches <= args.may_differ
    return 0 if clean else 1


def _memory() -> Iterator[dict[str, Any]]:
    peak_mb = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
    yield {"what": "peak memory of this run", "value": peak_mb, "unit": "MB"}


def _line(row: dict[str, Any]) -> str:
    if "value" in row:
        text = f"{row['what']:<48} {'-' if row['value'] is None else row['value']:>9} {row['unit']}"
    else:
        text = f"{row['what']:<48} median {row['median']:>8} {row['unit']}"
        if "p95" in row:
            text += f"   p95 {row['p95']:>8} {row['unit']}"
    if "ratio" in row:
        text += f"   ratio {row['ratio']:>6}" + (f" (target {row['target_ratio']})" if "target_ratio" in row else "")
    if "ratio_p95" in row:
        text += f"   p95 {row['ratio_p95']:>6}"
        text += f" (target {row['target_ratio_p95']})" if "target_ratio_p95" in row else ""
    if "worst" in row:
        text += f"   worst {row['worst']:>8} {row['unit']}"
    if "target_ms" in row:
        text += f" (target {row['target_ms']} ms)"
    for key, told in (("of", " of {}"), ("frames", "   {} frames"), ("target", "   (target {})"), ("why", "   {}")):
        text += told.format(row[key]) if key in row else ""
    return text
