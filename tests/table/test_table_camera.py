"""A running table whose camera fails: it says so, keeps the game, and goes on by itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.journal.store import Journal
from controller.referee.events import Event
from controller.referee.reducer import Step
from controller.supervision import camera_said
from controller.table import Table
from controller.watcher import Watcher, chosen_sets
from controller.web.state import state_json
from controller.words import LANGUAGES, camera_sentence, say
from vision.camera.frame import Frame
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World
from vision.sighting import Sighting


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


def test_a_light_that_goes_out_is_a_state_of_the_camera(table: Table) -> None:
    state = "too_dark"
    assert table.world is not None
    until(lambda: table.snapshot().view.phase == "play" and table.snapshot().camera["state"] == "ok")
    table.world.lamp(0.0)
    until(lambda: table.snapshot().camera["state"] == state)
    told = table.snapshot().camera
    assert told["sentence"] == say(f"cannot_see.{state}")
    assert abs(told["since"] - time.time()) < 30
    for language in LANGUAGES:
        assert camera_said(told, language) == say(f"cannot_see.{state}", language)
    table.world.lamp(1.0)
    until(lambda: table.snapshot().camera["state"] == "ok" and table.ready())
    assert table.snapshot().view.phase == "play"


def test_a_slow_card_does_not_pile_pictures_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four pictures come while one is judged and recorded: what is judged next is always the newest."""
    record, see = Table._record, Watcher.see
    behind: list[int] = []
    watcher = Watcher(chosen_sets("transet", None), start_mode="setup")
    world = World(watcher.board, watcher.game.picture(watcher.game.start()).on)
    camera = SimulatedCamera(world)

    def slow(table: Table, events: tuple[Event, ...]) -> None:
        time.sleep(0.4)
        record(table, events)

    def seen(one: Watcher, frame: Frame, *more: Any) -> tuple[Sighting, Step]:
        newest = camera.latest(-1, 0.0)
        assert newest is not None
        behind.append(newest.index - frame.index)
        return see(one, frame, *more)

    monkeypatch.setattr(Table, "_record", slow)
    monkeypatch.setattr(Watcher, "see", seen)
    running = Table(watcher, camera, journal=Journal.open(tmp_path / "games.db"), world=world)
    running.start()
    try:
        until(lambda: running.snapshot().view.phase == "play" and len(behind) > 12)
        assert max(behind) <= 1
        assert running.snapshot().age_s < 2
        assert running.ready()
    finally:
        running.stop()


def test_the_cameras_automatics_are_held_once_the_board_lies_calm(table: Table) -> None:
    until(lambda: "held" in table.snapshot().camera)
    held = table.snapshot().camera["held"]
    assert held["locked"] == {}
    assert "pretend" in held["loose"]["exposure"]
    assert held["sentence"]


def test_a_table_that_fails_at_every_picture_asks_to_be_started_anew(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One fault is passed over; where each round fails, systemd's watchdog hears nothing and starts it again."""
    until(table.ready)
    faults = []

    def fail(*_: object) -> None:
        faults.append(1)
        raise RuntimeError("a fault of ours")

    with monkeypatch.context() as broken:
        broken.setattr(Watcher, "take", fail)
        until(lambda: len(faults) > 2)
        assert table.idle_s() > 0.9  # two faults, each with the pause after it
    until(lambda: table.idle_s() < 0.4 and table.ready())
