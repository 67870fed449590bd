"""The rules in `boardref bench`: each game's engine against python-chess in the same run, and the times of `judge`."""

from __future__ import annotations

import gc
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

from controller.referee.lines import Line
from controller.referee.search import explain
from controller.rules.api import Game, Placement, Position, RulesError
from controller.rules.registry import game_named, game_names
from controller.rules.transfer import slow

ROUNDS = 3  # of each engine, taking turns: the best one counts
ENOUGH = 50_000  # leaves that a round makes at least
PICTURES = 400  # of each game, for the times of `judge`
FAST = ("taasen", "transet")  # as fast as python-chess at least; a turn of Transfer is a dozen strokes
MANY = 2000  # of this many turns one is drawn: Transfer has millions
POSITIONS = {"transfer": "ooooo/sssss/ggggg/yyyy/bbbb/vvvv/pppp/yb/vp S"}  # where the start can't be enumerated

# python-chess is run by itself, never imported here. Leaves are made (push, pop) as ours are (`after`): no bulk counts.
CHESS = """
import time
try:
    import chess
except ImportError:
    raise SystemExit(9)
def leaves(board, depth):
    if depth == 0:
        return 1
    count = 0
    for move in board.legal_moves:
        board.push(move)
        count += leaves(board, depth - 1)
        board.pop()
    return count
start = time.process_time()
count = leaves(chess.Board(), 4)
print(count / (time.process_time() - start))
"""


def leaves(game: Game, position: Position, depth: int) -> int:
    """Lines of `depth` turns, each position on the way made, the last ones too."""
    if depth == 0:
        return 1
    count = 0
    for turn in game.legal_turns(position):
        count += leaves(game, game.after(position, turn), depth - 1)
    return count


def rows() -> Iterator[dict[str, Any]]:
    """Every measurement of this page."""
    games = []
    for name in game_names():
        try:
            games.append(game_named(name))
        except RulesError as error:  # the others are measured all the same
            yield {"what": f"rules engine, {name.capitalize()}", "value": None, "unit": "nodes/s", "why": str(error)}
    gc.collect()
    gc.freeze()  # as a running table does: what is loaded by now stays
    yield from engine_rows(games)
    for game in games:
        yield from judge_rows(game)
        if game.name == "transfer":
            yield _slowest_row(game)


def engine_rows(games: list[Game]) -> Iterator[dict[str, Any]]:
    """Nodes per second of python-chess, then of each game with its ratio to that."""
    chess: list[float] = []
    ours: dict[str, list[float]] = {game.name: [] for game in games}
    for _ in range(ROUNDS):
        chess += _chess_nodes_s()
        for game in games:
            ours[game.name].append(_nodes_s(game))
    base = max(chess, default=None)
    row = {"what": "python-chess, leaves made", "value": base and round(base), "unit": "nodes/s"}
    yield row if base else row | {"why": "not installed: pip install 'boardref[bench]'"}
    for name, speeds in ours.items():
        row = {"what": f"rules engine, {name.capitalize()}", "value": round(max(speeds)), "unit": "nodes/s"}
        if base:
            row["ratio"] = round(max(speeds) / base, 2)
            if name in FAST:
                row["target_ratio"] = 1.0
        yield row


def _chess_nodes_s() -> list[float]:
    done = subprocess.run([sys.executable, "-P", "-c", CHESS], capture_output=True, text=True, timeout=120)
    if done.returncode == 9:
        return []
    done.check_returncode()
    return [float(done.stdout)]


def _nodes_s(game: Game) -> float:
    text = POSITIONS.get(game.name)
    position = game.start() if text is None else game.parse_position(text)
    depth, count, took_s = 0, 0, 1.0
    while count < ENOUGH:
        depth += 1
        start = time.process_time()
        count = leaves(game, position, depth)
        took_s = time.process_time() - start
    return count / took_s


def judge_rows(game: Game) -> Iterator[dict[str, Any]]:
    """Milliseconds of `judge`, and of the whole search where two turns are tried, over pictures of random games."""
    name = game.name.capitalize()
    alone, searched = [], []
    for line, placement in pictures(game, PICTURES):
        start = time.process_time()
        game.judge(line.position, placement)
        alone.append((time.process_time() - start) * 1000)
        if game.tries_two_turns:
            start = time.process_time()
            explain(game, (line,), (), placement, game.sites, game.sites)
            searched.append((time.process_time() - start) * 1000)
    yield {"what": f"judge, {name}", **_spread(alone), "unit": "ms"}
    if searched:
        yield {"what": f"judge, {name}, two-turn lines", **_spread(searched), "unit": "ms"}


def _slowest_row(game: Game) -> dict[str, Any]:
    """The boards that a search for slow ones has found, each judged three times: the first time nothing is known."""
    times = []
    for text, _ in slow.BOARDS:
        position, placement = slow.query(text)
        for _ in range(3):
            start = time.process_time()
            game.judge(position, placement)
            times.append((time.process_time() - start) * 1000)
    return {"what": "judge, Transfer, slowest known", **_spread(times), "unit": "ms"}


def pictures(game: Game, count: int) -> Iterator[tuple[Line, Placement]]:
    """Lines of random games with what may stand next: one or two turns on, a stage, one piece astray, some hidden."""
    rng = random.Random(1)
    sites = sorted(game.sites)
    line = Line(game.start())
    for i in range(count):
        if game.outcome(line.position) is not None:
            line = Line(game.start())
        turn = _some_turn(game, line.position, rng)
        after = game.after(line.position, turn)
        second = None if game.outcome(after) is not None else _some_turn(game, after, rng)
        stages = list(game.stages(line.position, turn))
        seen = game.picture(after)
        if i % 5 == 1 and stages:
            seen = rng.choice(stages)
        elif i % 5 == 2:
            seen = _astray(game.picture(line.position), sites, rng)
        elif i % 5 == 3 and second is not None:
            seen = game.picture(game.after(after, second))
        elif i % 5 == 4:
            hidden = frozenset(rng.sample(sites, len(sites) // 4))
            seen = Placement({site: kinds for site, kinds in seen.on.items() if site not in hidden}, hidden=hidden)
        yield line, seen
        line = line.then(game, turn)


def _some_turn(game: Game, position: Position, rng: random.Random) -> Any:
    return rng.choice(list(islice(game.legal_turns(position), MANY)))


def _astray(picture: Placement, sites: list[str], rng: random.Random) -> Placement:
    """One piece somewhere else."""
    on = {site: list(kinds) for site, kinds in picture.on.items()}
    kinds = on[rng.choice(sorted(on))]
    on.setdefault(rng.choice(sites), []).append(kinds.pop(rng.randrange(len(kinds))))
    return Placement({site: tuple(sorted(kinds)) for site, kinds in on.items() if kinds})


def _spread(times_ms: list[float]) -> dict[str, float]:
    ordered = sorted(times_ms)
    return {
        "median": round(statistics.median(ordered), 3),
        "p95": round(ordered[int(len(ordered) * 0.95)], 3),
        "worst": round(ordered[-1], 3),
    }
