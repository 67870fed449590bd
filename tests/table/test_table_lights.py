"""The lights under a table for several sets: the light map is that of the set that lies there."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from controller.lighting import TableLights, map_source
from controller.rules.registry import game_named
from controller.table import Table
from controller.watcher import Watcher, chosen_sets
from firmware_bridge.link import Link
from firmware_bridge.virtual import VirtualDevice
from vision.boardset import BoardSet
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World

map_of = map_source(None)


def until(condition: Callable[[], bool], limit_s: float = 30.0) -> None:
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, "it never became so"
        time.sleep(0.05)


@pytest.mark.parametrize("game", ["transet", "taasen", "transfer"])
def test_the_lights_are_those_of_the_set_that_is_recognised(game: str) -> None:
    """Before its start position stands, the site that lacks a piece is lit: its light, by its name."""
    sets = {board.game: board for board in chosen_sets(None, None)}
    others = [board for name, board in sets.items() if name != game]
    board = sets[game]
    watcher = Watcher([*others, board])  # at first another one is believed to lie there
    first = map_of(watcher.board)
    assert watcher.board.game != game
    device = VirtualDevice(max((map_of(one) for one in sets.values()), key=lambda one: one.n_sites))
    link = Link(lambda: device.path, first)
    lights = TableLights(link, first, map_of, device, board=watcher.board)
    rules = game_named(game)
    start = dict(rules.picture(rules.start()).on)
    lacking = sorted(start)[-1]
    world = World(board, {site: kinds for site, kinds in start.items() if site != lacking})
    table = Table(watcher, SimulatedCamera(world), lights=lights, world=world, shown=lights.shown)
    table.start()
    try:
        until(lambda: lacking in table.snapshot().scene.sites)
        assert table.snapshot().set == board
        until(lambda: set(lights.shown()["sites"]) == {lacking})
        assert set(device.lit().sites) == {index(board, lacking)}
    finally:
        table.stop()
        device.close()


def index(board: BoardSet, site: str) -> int:
    """The number of a site's light: its place in the set's file."""
    return [board.names.get(one.id, one.id) for one in board.sites].index(site)
