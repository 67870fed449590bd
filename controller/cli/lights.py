"""`boardref lights`: find the lights, try them, name them, write their map, or pretend to be some."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from controller.errors import CommandError
from controller.referee.signals import corner_sites
from firmware_bridge.errors import LightsError
from firmware_bridge.lightmap import LightMap
from firmware_bridge.link import Link, LinkState
from firmware_bridge.mapfile import map_text, read_map
from firmware_bridge.ports import usb_ports
from firmware_bridge.rhythm import Rgb
from firmware_bridge.scene import Bar, Hue, Light, Rhythm, Scene
from firmware_bridge.virtual import Colours, DeviceState, VirtualDevice, colours
from vision.boardset import BoardSet, installed_sets

ANSWER_S = 5.0
FRAME_S = 0.1


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
    return (
        f"{status.port}: {status.device.sites} site lights, {status.device.bar} LEDs in each bar, "
        f"firmware {status.device.firmware}.{note}"
    )


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
    """Draw the pretended lights until Ctrl-C: in place on a terminal, otherwise a line whenever they change."""
    board = _board(args)
    lightmap = _default_map(board)
    device = VirtualDevice(lightmap)
    try:
        print(f"Virtual lights on {device.path}. Ctrl-C ends them.", flush=True)
        rows, last = 0, ""
        while True:
            state = device.lit()
            if sys.stdout.isatty():
                lines = _drawing(board, lightmap, colours(state, time.monotonic()))
                lines.append(_said(state.epoch, state.host_lost))
                print((f"\x1b[{rows}A" if rows else "") + "\n".join(f"\x1b[2K{line}" for line in lines), flush=True)
                rows = len(lines)
            elif (text := _words(lightmap, state)) != last:
                print(text, flush=True)
                last = text
            time.sleep(FRAME_S)
    finally:
        device.close()


def _said(epoch: int, host_lost: bool) -> str:
    return "nobody speaks to these lights" if host_lost else f"epoch {epoch}"


def _block(colour: Rgb) -> str:
    return "\x1b[38;2;{};{};{}m██\x1b[0m".format(*colour) if any(colour) else "··"


def _drawing(board: BoardSet, lightmap: LightMap, shown: Colours) -> list[str]:
    """The lights as lines of coloured blocks, sites where they lie on the sheet, each bar at its seat."""
    centres = {site.id: board.centre(site) for site in board.sites}
    xs = sorted({round(x_mm) for x_mm, _ in centres.values()})
    lines = []
    for y_mm in sorted({round(y_mm) for _, y_mm in centres.values()}):
        row = {round(centre[0]): site for site, centre in centres.items() if round(centre[1]) == y_mm}
        cells = [_block(shown.sites.get(lightmap.sites[row[x]], (0, 0, 0))) if x in row else "  " for x in xs]
        lines.append("  " + " ".join(cells))
    for player, (side, _) in lightmap.bars.items():
        bar = f"{''.join(_block(colour) for colour in shown.bars.get(side, ()))}  {player}"
        lines = [bar, *lines] if board.seats[player][1] < board.sheet_mm[1] / 2 else [*lines, bar]
    return [*lines, f"{_block(shown.lamp)} lamp"]


def _words(lightmap: LightMap, state: DeviceState) -> str:
    names = {index: site for site, index in lightmap.sites.items()}
    said = [f"{names.get(index, index)} {_name(light)}" for index, light in sorted(state.sites.items())]
    for player, (side, _) in lightmap.bars.items():
        leds = state.bars.get(side, ())
        if any(light.hue for light in leds):
            said.append(f"{player} [{' '.join(_name(light) for light in dict.fromkeys(leds))}]")
    return ("nobody speaks to these lights; " if state.host_lost else "") + (", ".join(said) or "dark")


def _name(light: Light) -> str:
    return f"{light.hue.name.lower()} {light.rhythm.name.lower()}" if light.hue else "off"
