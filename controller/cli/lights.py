"""`boardref lights`: find the lights, try them, name them, write their map, or pretend to be some."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from calibration.lightmaps import CORNERS, default_map, frame_map
from controller.cli import lights_ask, lights_virtual
from controller.cli.lights_device import answered, greetings, shown, told
from controller.errors import CommandError
from controller.lighting import map_source
from controller.referee.signals import corner_sites
from controller.rules.registry import game_named
from controller.wholefile import write_whole
from firmware_bridge.lightmap import BAR_LEDS, LightMap
from firmware_bridge.link import Link
from firmware_bridge.mapfile import map_text
from firmware_bridge.ports import usb_ports
from firmware_bridge.scene import Bar, Hue, Light, Rhythm, Scene
from vision.boardset import BoardSet, installed_sets

PORT_HELP = "a port, usb:VID:PID[:SERIAL][@PLACE], or auto (the default); may end in ,WIRE[@BAUD]"

MOST_S = 60.0
"""For so long one light may be shown."""


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `lights`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="the USB serial ports, and which of them are lights", allow_abbrev=False)
    listing.add_argument("--json", action="store_true", help="one object a line")
    listing.add_argument("--no-ask", action="store_true", help="open no port; opening one restarts most boards")
    for name, text, pause_s in (
        ("test", "sweep over every light in every hue", 0.15),
        ("identify", "show one light after the other and say its name", 1.5),
    ):
        sub = actions.add_parser(name, help=text, description=text, allow_abbrev=False)
        sub.add_argument("--port", default="auto", help=PORT_HELP)
        sub.add_argument("--seconds", type=float, default=pause_s, metavar="S", help=f"for each light ({pause_s})")
        sub.add_argument("--map", metavar="FILE", help="a light map; the set's default map where left out")
        _set_arguments(sub)
    virtual = actions.add_parser("virtual", help="pretend to be lights; draw them here", allow_abbrev=False)
    lights_virtual.add(virtual)
    _set_arguments(virtual)
    mapping = actions.add_parser("map", help="write a light map as JSON", allow_abbrev=False)
    _map_arguments(mapping)
    _set_arguments(mapping)
    parser.set_defaults(run=run)


def _set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", default="transet", metavar="G", help="the game whose set it is (transet)")
    parser.add_argument("--set", metavar="FILE", help="a set's TOML file")


def _map_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", help="write it there; to stdout where left out")
    parser.add_argument("--ask", action="store_true", help="light one light after the other and ask where it is")
    parser.add_argument("--port", default="auto", help=f"for --ask: {PORT_HELP}")
    parser.add_argument("--bar", type=int, default=BAR_LEDS, metavar="N", help=f"LEDs of a bar, 0: none ({BAR_LEDS})")
    parser.add_argument("--no-sites", action="store_true", help="no lights at the sites, bars alone")
    parser.add_argument("--no-lamp", action="store_true", help="no status lamp")
    parser.add_argument("--strip", type=int, metavar="N", help="N LEDs round the frame instead of lights at the sites")
    parser.add_argument("--start", choices=CORNERS, default=CORNERS[0], help=f"corner of the first ({CORNERS[0]})")
    parser.add_argument("--anticlockwise", action="store_true", help="the strip runs the other way round")


def run(args: argparse.Namespace) -> int:
    """Do one of the actions."""
    return {"list": _list, "test": _sweep, "identify": _sweep, "virtual": _virtual, "map": _map}[args.action](args)


def _board(args: argparse.Namespace) -> BoardSet:
    if args.set:
        return BoardSet.load(args.set)
    sets = installed_sets()
    board = next((board for board in sets.values() if board.game == args.game), None)
    if board is None:
        raise CommandError(f"no set for {args.game!r} is installed; there are sets for {', '.join(sorted(sets))}", 2)
    return board


def _players(board: BoardSet) -> tuple[str, ...]:
    return game_named(board.game).players


def _list(args: argparse.Namespace) -> int:
    ports = usb_ports()
    found = {} if args.no_ask else greetings([port.path for port in ports])
    for port in ports:
        device, reason = found.get(port.path, (None, ""))
        if args.json:
            row = {**asdict(port), "spec": port.spec, "answers": asdict(device) if device else None, "said": reason}
            print(json.dumps(row), flush=True)
            continue
        said = told(device) if device else reason
        print(f"{port.path}  {port.spec}  {port.name}{f'  {said}' if said else ''}", flush=True)
    if args.json:
        return 0
    if not ports:
        print("No USB serial port is plugged in.", flush=True)
    elif sum(device is not None for device, _ in found.values()) > 1:
        print('More than one answers: name the table\'s own in its settings, lights = "usb:…".', flush=True)
    return 0


def _map(args: argparse.Namespace) -> int:
    board = _board(args)
    if args.ask:
        lightmap = lights_ask.ask(board, _players(board), args.port)
    elif not 0 <= args.bar <= 254:
        raise CommandError("--bar takes a number from 0 to 254", 2)
    elif args.strip is not None:
        if not 12 <= args.strip <= 2000:
            raise CommandError("--strip takes a number from 12 to 2000", 2)
        lightmap = frame_map(
            board, _players(board), args.strip,
            start=args.start, clockwise=not args.anticlockwise, bar=args.bar, lamp=not args.no_lamp,
        )  # fmt: skip
    else:
        lightmap = default_map(board, _players(board), leds=args.bar, sites=not args.no_sites, lamp=not args.no_lamp)
    text = map_text(lightmap, board.name)
    if args.output is None:
        print(text, flush=True)
        return 0
    try:
        write_whole(Path(args.output), text + "\n")
    except OSError as error:
        raise CommandError(f"{args.output} can't be written ({error.strerror}); choose another name") from None
    said = f'Written to {args.output}. In the table\'s settings: light_map = "{args.output}"'
    print(said, file=sys.stderr, flush=True)
    return 0


def _sweep(args: argparse.Namespace) -> int:
    """Both `test` and `identify`: one light at a time, said on the screen as the device acknowledges it."""
    if not 0 <= args.seconds <= MOST_S:
        raise CommandError(f"--seconds takes a number from 0 to {MOST_S:g}", 2)
    board = _board(args)
    lightmap = map_source(args.map)(board)
    link = Link(args.port, lightmap)
    try:
        print(answered(link), flush=True)
        for text, scene in _names(board, lightmap) if args.action == "identify" else _hues(board, lightmap):
            shown(link, scene)
            print(text, flush=True)
            time.sleep(args.seconds)
    finally:
        link.close()
    return 0


def _sites(lightmap: LightMap) -> list[tuple[str, str]]:
    """Every site that can be shown, in the order of the lights, and what shows it."""
    own = [(f"light {index}", site) for site, index in sorted(lightmap.sites.items(), key=lambda item: item[1])]
    return own + [(f"lights {', '.join(map(str, marks))}", site) for site, marks in lightmap.marks.items()]


def _corners(board: BoardSet, lightmap: LightMap) -> tuple[str, ...]:
    known = {site for _, site in _sites(lightmap)}
    centres = {board.names.get(site.id, site.id): board.centre(site) for site in board.sites}
    return tuple(site for site in corner_sites(centres) if site in known)


def _names(board: BoardSet, lightmap: LightMap) -> Iterator[tuple[str, Scene]]:
    """Wiring order, rotation and mirrored strips show: what lights up must be what is said."""
    white = Light(Hue.WHITE, Rhythm.BLINK)
    for light, site in _sites(lightmap):
        yield f"{light}: {site}", Scene("identify", 0, {site: white})
    corners = _corners(board, lightmap)
    for number, site in enumerate(corners, 1):
        blue = Light(Hue.BLUE)
        yield f"corner {number} of {len(corners)}, clockwise: {site}", Scene("identify", 0, {site: blue})
    for player, (side, leds) in lightmap.bars.items():
        yield f"bar {side}: {player}", Scene("identify", 0, {}, {player: Bar(white)})
        if leds > 1:
            first = Bar(Light(Hue.BLUE), share=1 / leds)
            yield f"bar {side}, at the left hand of {player}", Scene("identify", 0, {}, {player: first})
    for player in lightmap.stretches:
        yield f"the lights that are the bar of {player}", Scene("identify", 0, {}, {player: Bar(white)})
    if lightmap.lamp:
        yield "the lamp", Scene("identify", 0, lamp=white)


def _hues(board: BoardSet, lightmap: LightMap) -> Iterator[tuple[str, Scene]]:
    for hue in (Hue.WHITE, Hue.BLUE, Hue.AMBER):
        lamp = Light(Hue.WHITE)
        for light, site in _sites(lightmap):
            yield f"{hue.name.lower()} {light}: {site}", Scene("test", 0, {site: Light(hue)}, {}, lamp)
        bars = dict.fromkeys((*lightmap.bars, *lightmap.stretches), Bar(Light(hue)))
        yield f"{hue.name.lower()} bars: {', '.join(bars)}", Scene("test", 0, {}, bars, Light(hue))
    corners = _corners(board, lightmap)
    yield f"corners, clockwise: {', '.join(corners)}", Scene("test", 0, dict.fromkeys(corners, Light(Hue.BLUE)))


def _virtual(args: argparse.Namespace) -> int:
    board = _board(args)
    return lights_virtual.run(args, board, default_map(board, _players(board)))
