"""The eyes in `boardref bench`: each look's CPU time against cv2.aruco on the same full pictures in the same run."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from controller.errors import CommandError
from controller.rules.registry import game_named
from vision.boardset import BoardSet, installed_sets
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World
from vision.eye import Eye
from vision.registration import Image, register

FRAMES = 200
"""Pictures of each game, at least."""
MOST_TURNS = 40
"""Of so many legal turns one is played: Transfer has millions."""
STEADY, CHANGED, COLD, COLD_WORST = 0.10, 0.6, 1.0, 2.0
"""The design's targets: times as shares of cv2.aruco's; the last for the 95th percentile."""


def rows(folders: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    """One game after the other: those of the folders' pictures, or simulated ones of every installed set."""
    sets = list(installed_sets().values())
    if folders is None:
        for board in sets:
            yield from _measured(board.game, sets, _simulated(board))
        return
    by_game: dict[str, list[Path]] = {}
    for folder in folders:
        files = _files(folder)
        by_game.setdefault(_game_in(folder, files, sets), []).extend(files)
    for game, files in by_game.items():
        yield from _measured(game, sets, map(_read, islice(cycle(files), max(FRAMES, len(files)))))


def _files(folder: str) -> list[Path]:
    files = sorted(file for end in ("jpg", "jpeg", "png") for file in Path(folder).glob(f"*.{end}"))
    if not files:
        raise CommandError(f"{folder} holds no *.jpg or *.png pictures; name a folder with some")
    return files


def _read(file: Path) -> Image:
    image = cv2.imread(str(file))
    if image is None:
        raise CommandError(f"{file} is no readable picture; take it out of the folder")
    return np.asarray(image, np.uint8)


def _game_in(folder: str, files: Sequence[Path], sets: Sequence[BoardSet]) -> str:
    """The game of the set that lies in most of a few pictures."""
    seen = [register(cv2.cvtColor(_read(file), cv2.COLOR_BGR2GRAY), sets) for file in files[:: -(-len(files) // 5)]]
    games = [found.board_set.game for found in seen if found is not None]
    return statistics.mode(games) if games else f"nothing known in {folder}"


def _simulated(board: BoardSet) -> Iterator[Image]:
    """FRAMES pictures of one set with tokens standing in changing places."""
    game, rng = game_named(board.game), random.Random(1)
    position = game.start()
    world = World(board, game.picture(position).on)
    camera = SimulatedCamera(world)
    try:
        for _ in range(FRAMES):
            turns = list(islice(game.legal_turns(position), MOST_TURNS))
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


def _measured(game: str, sets: Sequence[BoardSet], pictures: Iterator[Image]) -> Iterator[dict[str, Any]]:
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    detector = cv2.aruco.ArucoDetector(dictionary, cv2.aruco.DetectorParameters())
    eye = Eye(sets)

    def detect(picture: Image) -> None:
        detector.detectMarkers(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY))

    def look(picture: Image) -> None:
        Eye(sets).look(picture)

    anchor: list[float] = []
    steady: list[float] = []
    changed: list[float] = []
    cold: list[float] = []
    for i, picture in enumerate(pictures):
        if i == 0:
            look(picture)  # what is made once for a set is made now
        anchor.append(_timed(detect, picture))
        changed.append(_timed(eye.see, picture, i * 0.2, 2 * i))
        grain = np.random.default_rng(i).integers(0, 3, picture.shape, dtype=np.uint8)
        steady.append(_timed(eye.see, cv2.add(picture, grain), i * 0.2 + 0.1, 2 * i + 1))
        cold.append(_timed(look, picture))
    base = statistics.median(anchor)
    what = f"{game}: cv2.aruco, full frame (the anchor)"
    yield {"what": what, **_spread(anchor), "frames": len(anchor), "unit": "ms"}
    for name, times, target, worst in (
        ("a steady frame", steady, STEADY, None),
        ("a changed frame, full look", changed, CHANGED, None),
        ("a cold look", cold, COLD, COLD_WORST),
    ):
        spread = _spread(times)
        ratios = {"ratio": round(spread["median"] / base, 3), "ratio_p95": round(spread["p95"] / base, 3)}
        targets = {"target_ratio": target} | ({"target_ratio_p95": worst} if worst is not None else {})
        yield {"what": f"{game}: {name}", **spread, **ratios, "unit": "ms", **targets}


def _spread(times: list[float]) -> dict[str, float]:
    return {"median": round(statistics.median(times), 3), "p95": round(sorted(times)[int(len(times) * 0.95)], 3)}
