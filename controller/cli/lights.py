"""`boardref lights`: find the lights, try them, name them, write their map, or pretend to be some."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from controller.cli import lights_virtual
from controller.errors import CommandError
from controller.referee.signals import corner_sites
from firmware_bridge.errors import LightsError
from firmware_bridge.lightmap import LightMap
from firmware_bridge.link import Link, LinkState
from firmware_bridge.mapfile import map_text, read_map
from firmware_bridge.ports import usb_ports
from firmware_bridge.scene import Bar, Hue, Light, Rhythm, Scene
from vision.boardset import BoardSet, installed_sets

ANSWER_S = 12.0  # a WLED board starts for up to eight seconds when its port is opened


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `lights`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="the USB serial ports that are plugged in", allow_abbrev=False)
    listing.add_argument("--json", action="store_true", help="one object a line")
    for name, text, pause_s in (
        ("test", "sweep over every light in every hue", 0.15),
        ("identify", "show one light after the other and say its name", 1.5),
    ):
        sub = actions.add_parser(name, help=text, description=text, allow_abbrev=False)
        sub.add_argument("--port", default="auto", help="a port, usb:VID:PID[:SERIAL], or auto (the default)")
        sub.add_argument("--seconds", type=float, default=pause_s, metavar="S", help=f"for each light ({pause_s})")
        sub.add_argument("--map", metavar="FILE", help="a light map; the set's default map where left out")
        _set_arguments(sub)
    virtual = actions.add_parser("virtual", help="pretend to be lights; draw them here", allow_abbrev=False)
    lights_virtual.add(virtual)
    _set_arguments(virtual)
    mapping = actions.add_parser("map", help="print a set's default light map as JSON", allow_abbrev=False)
    _set_arguments(mapping)
    parser.set_defaults(run=run)


def _set_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", default="transet", metavar="G", help="the game whose set it is (transet)")
    parser.add_argument("--set", metavar="FILE", help="a set's TOML file")


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


def _default_map(board: BoardSet) -> LightMap:
    return LightMap.of([site.id for site in board.sites], list(board.seats))


def _list(args: argparse.Namespace) -> int:
    ports = usb_ports()
    for port in ports:
        if args.json:
            print(json.dumps(asdict(port)), flush=True)
        else:
            print(f"{port.path}  usb:{port.identity.rstrip(':')}  {port.name}", flush=True)
    if not ports and not args.json:
        print("No USB serial port is plugged in.", flush=True)
    return 0


def _map(args: argparse.Namespace) -> int:
    print(map_text(_default_map(_board(args))), flush=True)
    return 0


def _sweep(args: argparse.Namespace) -> int:
    """Both `test` and `identify`: one light at a time, said on the screen as the device acknowledges it."""
    board = _board(args)
    lightmap = _read_map(args.map) if args.map else _default_map(board)
    link = Link(args.port, lightmap)
    try:
        device = _answered(link)
        print(device, flush=True)
        for text, scene in _steps(args.action, board, lightmap):
            _shown(link, scene)
            print(text, flush=True)
            time.sleep(min(60.0, max(0.0, args.seconds)))
    finally:
        link.close()
    return 0


def _read_map(name: str) -> LightMap:
    try:
        return read_map(Path(name).read_text(encoding="utf-8"), name)
    except OSError as error:
        raise LightsError(f"the light map {name} can't be read ({error.strerror}); check the name") from None
    except UnicodeDecodeError:
        raise LightsError(f"the light map {name} is no text; write one with `boardref lights map`") from None


def _answered(link: Link) -> str:
    """Wait until the lights are there; LightsError says why not."""
    ends_s = time.monotonic() + ANSWER_S
    while (status := link.status()).state is not LinkState.READY or status.device is None:
        if status.state is LinkState.DOWN or time.monotonic() > ends_s:
            raise LightsError(status.reason or f"the lights on {status.port} do not answer; check cable and power")
        time.sleep(0.02)
    note = f" {status.reason}" if status.reason else ""
    device = status.device
    said = [f"{device.name} by {device.capabilities.wire}"]
    said += [f"{device.sites} site lights"] if device.sites is not None else []
    said += [f"{device.bar} LEDs in each bar"] if device.bar is not None else []
    said += [f"firmware {device.firmware}"] if device.firmware else []
    return f"{status.port}: {', '.join(said)}.{note}"


def _shown(link: Link, scene: Scene) -> None:
    epoch = link.show(scene)
    ends_s = time.monotonic() + ANSWER_S
    while link.acknowledged_epoch != epoch:
        if time.monotonic() > ends_s:
            raise LightsError(link.status().reason or "the lights stopped answering; check cable and power")
        time.sleep(0.01)


def _steps(action: str, board: BoardSet, lightmap: LightMap) -> Iterator[tuple[str, Scene]]:
    lamp = Light(Hue.WHITE)
    if action == "identify":
        for site, index in sorted(lightmap.sites.items(), key=lambda item: item[1]):
            yield f"light {index}: {site}", Scene("identify", 0, {site: Light(Hue.WHITE, Rhythm.BLINK)})
        for player, (side, _) in lightmap.bars.items():
            yield f"bar {side}: {player}", Scene("identify", 0, {}, {player: Bar(Light(Hue.WHITE, Rhythm.BLINK))})
        return
    for hue in (Hue.WHITE, Hue.BLUE, Hue.AMBER):
        for site, index in sorted(lightmap.sites.items(), key=lambda item: item[1]):
            yield f"{hue.name.lower()} light {index}: {site}", Scene("test", 0, {site: Light(hue)}, {}, lamp)
        bars = dict.fromkeys(lightmap.bars, Bar(Light(hue)))
        yield f"{hue.name.lower()} bars: {', '.join(bars)}", Scene("test", 0, {}, bars, Light(hue))
    corners = corner_sites({site.id: board.centre(site) for site in board.sites})
    yield f"corners, clockwise: {', '.join(corners)}", Scene("test", 0, dict.fromkeys(corners, Light(Hue.BLUE)))


def _virtual(args: argparse.Namespace) -> int:
    board = _board(args)
    return lights_virtual.run(args, board, _default_map(board))
