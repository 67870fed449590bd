"""Since when something is so is told by the clock on the wall, also what began before that was set."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from controller import watchman
from controller.config import TableConfig
from controller.errors import StartError
from controller.health import Check
from controller.lighting import link_json
from controller.standin import StandIn
from controller.supervision import Supervision
from controller.wallclock import SLIP_S, WallClock
from controller.watchman import Watchman
from firmware_bridge.lightmap import LightMap
from firmware_bridge.link import Link
from vision.boardset import installed_sets
from vision.camera.frame import CameraStatus

DECADES_S = 20 * 365 * 86_400.0


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """By how much the wall clock is set ahead from now on."""
    ahead_s = [0.0]
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + ahead_s[0])
    return ahead_s


def just_now(told_s: object) -> bool:
    return isinstance(told_s, float) and abs(time.time() - told_s) < 60


def test_a_clock_that_is_only_read_late_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wall_s, steady_s = [1000.0], [5.0]
    monkeypatch.setattr(time, "time", lambda: wall_s[0])
    monkeypatch.setattr(time, "monotonic", lambda: steady_s[0])
    clock = WallClock()
    told = clock.at(3.0)
    assert told == 998.0
    for late_s in (0.01, -0.4, SLIP_S * 0.9):
        wall_s[0] = 1000.0 + late_s
        assert clock.at(3.0) == told
    wall_s[0] = 1000.0 + 3600.0
    assert clock.at(3.0) == told + 3600.0
    steady_s[0], wall_s[0] = 25.0, 4620.0
    assert clock.at(24.0) == 4619.0


def test_of_the_camera(set_clock: list[float]) -> None:
    seen = Supervision(installed_sets().values())
    status = CameraStatus("lost", "The camera is gone.", time.monotonic())
    assert just_now(seen.told(status)["since"])
    set_clock[0] = DECADES_S
    assert just_now(seen.told(status)["since"])


def test_of_the_lights(set_clock: list[float]) -> None:
    link = Link(lambda: None, LightMap.of(["a1"]))
    try:
        ends_s = time.monotonic() + 10
        while link.status().next_try_s is None and time.monotonic() < ends_s:
            time.sleep(0.01)
        set_clock[0] = DECADES_S
        told = link_json(link.status())
        assert just_now(told["since"])
        assert just_now(told["next_try"])
    finally:
        link.close()


def test_of_a_table_that_cannot_start(set_clock: list[float]) -> None:
    stand_in = StandIn(StartError("nothing works", "internal", why="nothing"), TableConfig(lights="none"))
    set_clock[0] = DECADES_S
    fault = stand_in.snapshot().fault
    assert fault is not None
    assert just_now(fault["since"])


def test_of_the_machine(set_clock: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchman, "live_checks", lambda _: (Check("disk", "ok", "There is room."),))
    looks = Watchman(StandIn(StartError("nothing", "internal", why=""), TableConfig(lights="none")), tmp_path)
    looks.round()
    set_clock[0] = DECADES_S
    looks.round()
    assert [just_now(check.since) for check in looks.checks()] == [True, True]
