"""`boardref demo`: the whole table in software, with a simulated camera and virtual lights; nothing short-circuited."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from controller.cli.clock import clock_rules
from controller.config import RecordsConfig, data_folder
from controller.errors import CommandError
from controller.journal.hold import Hold
from controller.keeping import keeping_of
from controller.lighting import TableLights, map_source, spots
from controller.local import NAME, Local
from controller.recording import open_recording
from controller.referee.playclock import NO_CLOCK, ClockRules
from controller.referee.view import Mode
from controller.referee.viewing import view_of
from controller.service import Beside, listening_socket, serve
from controller.table import Table
from controller.watcher import Watcher, chosen_sets
from controller.web.access import Access, ApiKey
from controller.web.keys import made_pin
from controller.web.shelf import Records
from firmware_bridge.link import Link
from firmware_bridge.virtual import VirtualDevice
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `demo`."""
    parser.add_argument("--game", default="transet", metavar="G", help="the game (transet)")
    parser.add_argument("--port", type=int, default=8000, metavar="N", help="the port the page answers on (8000)")
    parser.add_argument("--host", default="127.0.0.1", metavar="H", help="the address the page answers on")
    parser.add_argument("--no-browser", action="store_true", help="don't open the page in a browser")
    parser.add_argument("--mode", default="referee", choices=get_args(Mode), help="referee, record, or teach")
    parser.add_argument("--clock", type=clock_rules, default=NO_CLOCK, metavar="C",
                        help="a players' clock: 5+3 (Fischer: minutes+seconds), 30 (seconds a turn)")  # fmt: skip
    parser.add_argument("--data", metavar="DIR", help="keep the journal here; a fresh temporary folder where left out")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve the demo until stopped."""
    if not 0 <= args.port <= 65535:
        raise CommandError("--port takes a number from 0 to 65535", 2)
    listener = listening_socket(args.host, args.port, "--port")
    with tempfile.TemporaryDirectory(prefix="boardref-demo-") as temporary:
        folder = data_folder(args.data, "--data") if args.data else Path(temporary)
        held = Hold.table(folder)
        pin = made_pin()

        def ready(address: str) -> None:
            local.announce(address)
            print(f"Boardref demo: open {address} and drag a piece. Ctrl-C ends it.", flush=True)
            print(f"Boardref demo: the operator's page is at {address}operator, its PIN is {pin}", flush=True)

        table = demo_table(args.game, folder, args.mode, args.clock)
        local = Local(folder)
        try:
            beside = Beside(
                access=Access(pin, [ApiKey.of(NAME, local.key)], made=True),
                keeping=keeping_of(table, folder, RecordsConfig(backups=0), {}),
                records=Records(folder / "boardref.db"),
            )
            serve(table, listener, beside, ready=ready, browser=not args.no_browser)
        finally:
            local.gone()
            held.release()
    return 0


@dataclass(frozen=True)
class Demo:
    """A demo's table and what it pretends to stand in: the world, and the lights device; `fps`: its camera's."""

    table: Table
    world: World
    device: VirtualDevice
    fps: float


def demo_table(game_name: str, folder: Path, mode: Mode = "referee", clock: ClockRules = NO_CLOCK) -> Table:
    """The demo's table alone."""
    return demo_parts(game_name, folder, mode, clock).table


def demo_parts(game_name: str, folder: Path, mode: Mode = "referee", clock: ClockRules = NO_CLOCK) -> Demo:
    """The demo's table: a pretend world, its camera, a lights device on a pseudo-terminal, and a real journal."""
    sets = chosen_sets(game_name, None)
    journal, watcher, warning = open_recording(
        folder / "boardref.db", lambda rows: Watcher(sets, start_mode="setup", rows=rows, mode=mode, clock=clock)
    )
    board, game = watcher.board, watcher.game
    standing = view_of(watcher.state).placement or game.picture(game.start()).on
    world = World(board, standing)
    map_of = map_source(None)
    lightmap = map_of(board)
    device = VirtualDevice(lightmap)
    link = Link(lambda: device.path, lightmap, on_button=lambda button, action: table.button(button, action))
    camera = SimulatedCamera(
        world,
        epoch=lambda: link.acknowledged_epoch,
        glow=lambda: spots(board, lightmap, device.drawn(lightmap)),
    )
    lights = TableLights(link, lightmap, map_of, device, board=board)
    table = Table(
        watcher, camera, lights=lights, journal=journal, journal_warning=warning, world=world, shown=lights.shown,
    )
    return Demo(table, world, device, camera.fps)
