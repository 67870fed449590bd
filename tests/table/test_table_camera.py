"""A running table whose camera fails: it says so, keeps the game, and goes on by itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from controller.table import Table
from controller.watcher import Watcher, chosen_sets
from controller.web.state import state_json
from controller.words import LANGUAGES, camera_sentence
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World


def until(condition: Callable[[], bool], limit_s: float = 30.0) -> None:
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, "it never became so"
        time.sleep(0.05)


@pytest.fixture
def table() -> Iterator[Table]:
    watcher = Watcher(chosen_sets("transet", None), start_mode="setup")
    world = World(watcher.board, watcher.game.picture(watcher.game.start()).on)
    running = Table(watcher, SimulatedCamera(world), world=world)
    running.start()
    yield running
    running.stop()


def test_a_frozen_or_lost_camera_is_said_and_the_game_goes_on(table: Table) -> None:
    assert table.world is not None
    until(lambda: table.snapshot().view.phase == "play")
    for fail, state in ((table.world.freeze, "frozen"), (table.world.lose, "lost")):
        fail(True)
        until(lambda state=state: table.snapshot().view.trouble == state)  # type: ignore[misc]
        told = table.snapshot().camera
        assert told["state"] == state
        assert told["sentence"]
        for language in LANGUAGES:
            said = state_json(table.snapshot(), language, time.time())["camera"]["sentence"]
            assert said == camera_sentence(told["code"], told["facts"], language, again=state == "lost")
        assert abs(told["since"] - time.time()) < 30
        assert not table.ready() or state == "lost"
        fail(False)
        until(table.ready)
        assert table.snapshot().view.phase == "play"
    assert table.snapshot().camera["losses"] == 1


def test_the_cameras_automatics_are_held_once_the_board_lies_calm(table: Table) -> None:
    until(lambda: "held" in table.snapshot().camera)
    held = table.snapshot().camera["held"]
    assert held["locked"] == {}
    assert "pretend" in held["loose"]["exposure"]
    assert held["sentence"]
