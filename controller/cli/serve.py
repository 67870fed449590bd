"""`boardref serve`: a real table."""

from __future__ import annotations

import argparse

from controller.config import data_folder, load_config
from controller.errors import CommandError
from controller.lighting import TableLights, map_source
from controller.recording import open_recording
from controller.rules.api import RulesError
from controller.service import listening_socket, serve
from controller.table import Table
from controller.watcher import Watcher, chosen_sets
from controller.web.players import Passes, Players, kept_secret
from firmware_bridge.link import Link
from vision.camera import Recording, open_source
from vision.profile import Profile


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `serve`."""
    parser.add_argument("--config", metavar="table.toml", help="the table's settings")
    parser.add_argument("--lights", metavar="PORT[,WIRE]", help="the lights' port, whatever the settings say")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve the table until stopped."""
    config = load_config(args.config)
    if args.lights:
        config = config.model_copy(update={"lights": args.lights})
    try:
        sets = chosen_sets(config.game, config.set)
        profile = Profile.load(config.profile) if config.profile else None
        Watcher(sets, options=config.options)  # a wrong option is named before anything is opened
    except RulesError as error:
        raise CommandError(f"the configuration {args.config}: {error}") from None
    map_of = map_source(config.light_map)
    for board in sets:
        map_of(board)  # as is what does not fit in the light map
    listener = listening_socket(config.host, config.port)
    link: Link | None = None
    camera = open_source(
        config.camera,
        epoch=lambda: link.acknowledged_epoch if link is not None else 0,
        wait=False,
        mains_hz=config.mains_hz,
    )
    if isinstance(camera, Recording):
        raise CommandError(f"camera {config.camera} is a recording; use `boardref watch` for recordings")
    folder = data_folder(config.data)
    journal, watcher, warning = open_recording(
        folder / "boardref.db",
        lambda rows: Watcher(
            sets, options=config.options, start_mode="setup", rows=rows, profile=profile, mode=config.mode
        ),
    )
    lights: TableLights | None = None
    if config.lights not in (None, "none"):
        first = map_of(watcher.board)
        link = Link(config.lights, first, on_button=lambda button, action: table.button(button, action))
        lights = TableLights(link, first, map_of, board=watcher.board, calm_only=config.calm_lights)
    table = Table(
        watcher, camera, lights=lights, journal=journal, journal_warning=warning,
        shown=lights.shown if lights else None,
    )
    serve(
        table,
        listener,
        ready=lambda address: print(f"Boardref: the page is at {address}", flush=True),
        players=Players(
            may=frozenset(config.players_may),
            passes=Passes(kept_secret(folder / "players.key")),
            everywhere=config.players_code == "all",
        ),
    )
    return 0
