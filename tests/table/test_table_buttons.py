"""The two buttons at a table, from the device's wire to the referee and back to the lights."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from controller.lighting import TableLights, map_source
from controller.referee.signals import STATES
from controller.rules.transet import TRANSET
from controller.table import Table
from controller.watcher import Watcher, chosen_sets
from firmware_bridge.lightmap import LightMap
from firmware_bridge.link import Link
from firmware_bridge.scene import Hue, Light, Rhythm
from firmware_bridge.virtual import VirtualDevice
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World

OPERATOR = Light(Hue.AMBER, Rhythm.ALT_A)


def until(condition: Callable[[], bool], what: str, limit_s: float = 30.0) -> None:
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


@pytest.fixture
def lit() -> Iterator[tuple[Table, VirtualDevice, World]]:
    (board,) = chosen_sets("transet", None)
    map_of = map_source(None)
    device = VirtualDevice(map_of(board))
    world = World(board, TRANSET.picture(TRANSET.start()).on)
    watcher = Watcher([board])
    link = Link(lambda: device.path, map_of(board), on_button=lambda button, action: table.button(button, action))
    lights = TableLights(link, map_of(board), map_of, device, board=board)
    camera = SimulatedCamera(world, epoch=lambda: link.acknowledged_epoch)
    table = Table(watcher, camera, lights=lights, world=world, shown=lights.shown)
    table.start()
    until(lambda: table.snapshot().view.phase == "play", "a game")
    yield table, device, world
    table.stop()
    device.close()


def test_a_long_press_calls_the_operator_on_lights_and_page_and_another_one_says_it_is_well(
    lit: tuple[Table, VirtualDevice, World],
) -> None:
    table, device, _ = lit
    for button in (0, 1):
        device.press(button, 1)
        until(lambda: table.snapshot().view.operator, "called")
        until(lambda: device.lit().lamp == OPERATOR, "the lights say it")
        device.press(1 - button, 1)
        until(lambda: not table.snapshot().view.operator, "no longer")
        until(lambda: device.lit().lamp != OPERATOR, "the lights go on")
    device.press(2, 1)  # no player's button
    device.press(0, 7)  # no known action
    time.sleep(0.5)
    assert not table.snapshot().view.operator


def carry(world: World, origin: str, to: str) -> None:
    """As a hand does."""
    (x0, y0), (x1, y1) = world.board_set.centre(origin), world.board_set.centre(to)
    tokens = world.as_json()["tokens"]
    token = min(tokens, key=lambda one: (one["x_mm"] - x0) ** 2 + (one["y_mm"] - y0) ** 2)["id"]
    world.lift(token)
    time.sleep(0.3)
    world.move(token, x1, y1)
    time.sleep(0.3)
    world.drop(token)


def test_a_short_press_is_done_of_the_player_at_that_seat(lit: tuple[Table, VirtualDevice, World]) -> None:
    """Half a swap is no fault while it may still be finished; it is one when its player says that it was all."""
    table, device, world = lit
    for number, (origin, to) in enumerate((("c1", "c2"), ("c5", "c4")), 1):
        carry(world, origin, to)
        until(lambda number=number: len(table.snapshot().view.turns) == number, f"turn {number}")
    carry(world, "c2", "b2")
    until(lambda: bool(table.snapshot().view.owed), "the other half is owed")
    device.press(1, 0)
    until(lambda: device.unanswered_presses == 0, "heard")
    time.sleep(0.5)
    assert table.snapshot().view.offence is None  # the other side's word accuses nobody
    device.press(0, 0)
    until(lambda: table.snapshot().view.offence is not None, "illegal")
    offence = table.snapshot().view.offence
    assert offence is not None
    assert (offence.player, offence.reasons[0].code) == ("South", "SIDEWAYS_ALONE")
    until(lambda: device.lit().scene == STATES["illegal"], "the lights say it")


def test_a_button_is_its_seats_wherever_the_light_map_puts_that() -> None:
    (board,) = chosen_sets("transet", None)
    turned = LightMap(bars={"North": (0, 8), "South": (1, 8)})
    link = Link(lambda: None, turned)
    try:
        lights = TableLights(link, turned, lambda _: turned, board=board)
        assert [lights.player_at(button) for button in (0, 1, 2)] == ["North", "South", None]
        table = Table(Watcher([board]), SimulatedCamera(World(board)), lights=lights)
        table.button(0, 1)
        given, _ = table._inputs.get_nowait()
        assert (given.player, given.button) == ("North", "call_operator")
        lights._map = LightMap()  # no bars: in the order of the game
        table.button(0, 0)
        assert table._inputs.get_nowait()[0].player == "South"
    finally:
        link.close()
