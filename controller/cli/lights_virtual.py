"""`boardref lights virtual`: pretend to be lights on any wire, with faults, and draw them in the terminal."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from controller.errors import CommandError
from firmware_bridge.lightmap import LightMap
from firmware_bridge.rhythm import Rgb
from firmware_bridge.scene import Light
from firmware_bridge.virtual import Colours, DeviceState, VirtualDevice
from firmware_bridge.virtual.device import STRIPS
from vision.boardset import BoardSet

FRAME_S = 0.1
UNPLUGGED_S = 2.0
_USUAL: Mapping[str, tuple[int, str]] = {
    "drop": (10, "the cable is pulled every N seconds, for two"),
    "silent": (10, "it speaks for N seconds, then is silent for as long, and so on"),
    "corrupt": (5, "every N-th frame is damaged on the way"),
    "slow": (100, "every answer, or every frame of a strip, takes N ms"),
    "reset": (10, "every N seconds it restarts in the middle of a frame"),
    "wrong-count": (4, "it says (a strip: has) N lights"),
    "old-firmware": (0, "it speaks an older version, or doesn't answer"),
}


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `lights virtual`."""
    faults = "; ".join(f"{name}: {text}{f' ({usual})' if usual else ''}" for name, (usual, text) in _USUAL.items())
    parser.add_argument("--wire", default="native", choices=["native", *STRIPS], help="what it speaks (native)")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME[=N]", help=f"may be repeated. {faults}")
    parser.add_argument("--link", metavar="FILE", help="a symbolic link that leads to the port, also after a drop")


def run(args: argparse.Namespace, board: BoardSet, lightmap: LightMap) -> int:
    """Draw the pretended lights until Ctrl-C: in place on a terminal, otherwise a line whenever they change."""
    faults = dict(_fault(text) for text in args.fault)
    device = VirtualDevice(lightmap, wire=args.wire)
    link = Path(args.link) if args.link else None
    try:
        device.corrupt_every = faults.get("corrupt", 0)
        device.slow_ms = faults.get("slow", 0)
        device.claimed_sites = faults.get("wrong-count")
        device.old_firmware = "old-firmware" in faults
        _lead(link, device.path)
        print(f"Virtual lights on {device.path}. Ctrl-C ends them.", flush=True)
        if sys.stderr.isatty():  # a hint for a person; programs read what is printed
            print(f"Try `boardref serve --lights {link or device.path}`.", file=sys.stderr, flush=True)
        show = _screen(board, lightmap) if _is_screen() else _lines(lightmap)
        misbehave = _clockwork(device, faults, lambda: _lead(link, device.path), lambda: _lead_nowhere(link))
        while True:
            if said := misbehave(time.monotonic()):
                print(said, file=sys.stderr, flush=True)
            show(device)
            time.sleep(FRAME_S)
    finally:
        device.close()
        _lead_nowhere(link)


def _fault(text: str) -> tuple[str, int]:
    name, given, number = text.partition("=")
    if name not in _USUAL or (given and not number.isdecimal()):
        raise CommandError(f"{text!r} is no fault; there are {', '.join(_USUAL)}, with =N where there is a number", 2)
    count = int(number) if given else _USUAL[name][0]
    if count == 0 and name in ("drop", "silent", "reset"):
        raise CommandError(f"{name} every 0 seconds makes no sense; give a number of seconds", 2)
    return name, count


def _lead(link: Path | None, path: str) -> None:
    if link is None:
        return
    try:
        if link.is_symlink():
            link.unlink()
        link.symlink_to(path)
    except OSError as error:
        raise CommandError(f"{link} can't lead to the port ({error.strerror}); give a name that is free", 1) from None


def _lead_nowhere(link: Path | None) -> None:
    if link is not None and link.is_symlink():
        link.unlink()


def _clockwork(
    device: VirtualDevice, faults: Mapping[str, int], plugged: Callable[[], None], unplugged: Callable[[], None]
) -> Callable[[float], str]:
    """The faults that come and go: a function to be called again and again; it returns what there is to say."""
    began_s = time.monotonic()
    state = {"plugged": True, "resets": 0}

    def drop(passed_s: float) -> str:
        every_s = faults["drop"] + UNPLUGGED_S
        there = passed_s % every_s < faults["drop"]
        if there == state["plugged"]:
            return ""
        state["plugged"] = there
        if not there:
            device.drop()
            unplugged()  # as udev does; its number may be somebody else's by now
            return "The cable is pulled."
        device.replug()
        plugged()
        return f"Plugged in again: {device.path}."

    def step(now_s: float) -> str:
        passed_s = now_s - began_s
        if "silent" in faults:
            device.silent = int(passed_s / faults["silent"]) % 2 == 1
        if "reset" in faults and int(passed_s / faults["reset"]) > state["resets"]:
            state["resets"] += 1
            device.reset_mid_frame = True
        return drop(passed_s) if "drop" in faults else ""

    return step


def _is_screen() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM", "dumb") != "dumb"


def _screen(board: BoardSet, lightmap: LightMap) -> Callable[[VirtualDevice], None]:
    rows = 0

    def show(device: VirtualDevice) -> None:
        nonlocal rows
        lines = _drawing(board, lightmap, device.drawn(lightmap))
        lines.append("nobody speaks to these lights" if device.host_lost else "somebody speaks to these lights")
        print((f"\x1b[{rows}A" if rows else "") + "\n".join(f"\x1b[2K{line}" for line in lines), flush=True)
        rows = len(lines)

    return show


def _lines(lightmap: LightMap) -> Callable[[VirtualDevice], None]:
    last = ""

    def show(device: VirtualDevice) -> None:
        nonlocal last
        text = _words(lightmap, device.lit()) if device.wire == "native" else _letters(lightmap, device)
        if text != last:
            print(text, flush=True)
        last = text

    return show


def _block(colour: Rgb) -> str:
    return "\x1b[38;2;{};{};{}m██\x1b[0m".format(*colour) if any(colour) else "··"


def _drawing(board: BoardSet, lightmap: LightMap, shown: Colours) -> list[str]:
    """The lights as lines of coloured blocks, sites where they lie on the sheet, each bar at its seat."""
    centres = {site.id: board.centre(site) for site in board.sites}
    xs = sorted({round(x_mm) for x_mm, _ in centres.values()})
    lines = []
    for y_mm in sorted({round(y_mm) for _, y_mm in centres.values()}):
        row = {round(centre[0]): site for site, centre in centres.items() if round(centre[1]) == y_mm}
        cells = [_block(shown.sites.get(lightmap.sites.get(row[x], -1), (0, 0, 0))) if x in row else "  " for x in xs]
        lines.append("  " + " ".join(cells))
    for player, (side, _) in lightmap.bars.items():
        bar = f"{''.join(_block(colour) for colour in shown.bars.get(side, ()))}  {player}"
        lines = [bar, *lines] if board.seats[player][1] < board.sheet_mm[1] / 2 else [*lines, bar]
    return [*lines, f"{_block(shown.lamp)} lamp"]


def _letters(lightmap: LightMap, device: VirtualDevice) -> str:
    """One letter for each LED: White, Blue, Amber, small where dim, a point where dark."""
    shown = device.drawn(lightmap)
    sites = "".join(_letter(shown.sites.get(index, (0, 0, 0))) for index in range(lightmap.n_sites))
    bars = [
        f"{player} {''.join(map(_letter, shown.bars.get(side, ())))}" for player, (side, _) in lightmap.bars.items()
    ]
    said = ["nobody speaks to these lights"] if device.host_lost else []
    return "; ".join([*said, f"sites {sites}", *bars, f"lamp {_letter(shown.lamp)}"])


def _letter(colour: Rgb) -> str:
    red, _, blue = colour
    if not any(colour):
        return "."
    letter = "W" if min(colour) > 0.8 * max(colour) else "B" if blue > red else "A"
    return letter if max(colour) > 150 else letter.lower()


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
