"""`boardref doctor`: is everything in order, and if not, what to do."""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from controller.canary import visit
from controller.config import TableConfig, data_folder, load_config
from controller.errors import CommandError
from controller.health import LEVELS, Check, Level, machine_checks, storage_check, worst
from controller.rules.api import RulesError
from controller.watcher import chosen_sets
from firmware_bridge.lightmap import LightMap
from firmware_bridge.link import Link, LinkState
from firmware_bridge.ports import usb_ports
from vision.boardset import BoardSet
from vision.camera import Recording, open_source
from vision.errors import VisionError
from vision.eye import Eye
from vision.profile import Profile
from vision.sighting import Sighting

PICTURES, PICTURES_S = 10, 6.0
"""So many pictures are looked at, for at most so long."""
LIGHTS_S = 10.0
SMALL_TAG_PX = 22.0
"""Tags narrower than this leave marks too coarse to tell apart."""
AROUND = 0.75
"""Share of the picture outside the board from which a camera sees more than it should."""


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `doctor`."""
    parser.add_argument("--config", metavar="table.toml", help="the table's settings")
    parser.add_argument("--json", action="store_true", help="one check a line")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check, print each finding as it comes, and sum up."""
    found: list[Check] = []
    for check in checks(args.config):
        found.append(check)
        if args.json:
            print(json.dumps(check.as_json(), ensure_ascii=False), flush=True)
        else:
            print(f"{check.level:<8} {check.name:<9} {check.said}", flush=True)
            if check.hint:
                print(f"{'':<18} -> {check.hint}", flush=True)
    if not args.json:
        print({"ok": "all is well", "warning": "it works; see the warnings", "problem": "not ready"}[worst(found)])
    return 0


def checks(config_file: str | None) -> Iterator[Check]:
    """Every check, as it is made."""
    try:
        config = load_config(config_file)
        sets = chosen_sets(config.game, config.set)
        profile = Profile.load(config.profile) if config.profile else None
        games = ", ".join(sorted({board.game for board in sets}))
        settings = Check("settings", "ok", f"{config_file or 'No file, so the usual settings'}; games: {games}.")
    except (CommandError, RulesError, VisionError) as error:
        settings = Check("settings", "problem", _sentence(error), "Mend it and ask again.")
        config, sets, profile = TableConfig(), chosen_sets(None, None), None
    running = _running(config.port)
    data, here = _here(config, settings)
    if running is not None:
        yield from _of_both(here, running, config.port)
        return
    yield from here
    if data is not None and os.access(data, os.W_OK):
        yield storage_check(visit(data, data / "boardref.db"))
    yield from _camera(config, Eye(sets, profile))
    yield _lights(config.lights, sets[0])


def _here(config: TableConfig, settings: Check) -> tuple[Path | None, list[Check]]:
    """The folder of the records, None where it can't be had, and what can be checked beside a running table."""
    try:
        data = data_folder(config.data)
    except CommandError as error:
        said, _, advice = str(error).partition("; ")
        closed = Check("disk", "problem", f"{said[:1].upper()}{said[1:]}.", f"{advice[:1].upper()}{advice[1:]}.")
        machine = [check for check in machine_checks(Path("/")) if check.name != "disk"]
        return None, [settings, *machine, closed]
    return data, [settings, *machine_checks(data), _record(data / "boardref.db")]


def _of_both(here: Iterable[Check], running: Iterable[Check], port: int) -> Iterator[Check]:
    """What both looked at is said once: the worse finding, the running table's where they are alike."""
    own, theirs = ({check.name: check for check in checks} for checks in (here, running))
    both = own.keys() & theirs.keys()
    worse = {name for name in both if LEVELS.index(own[name].level) > LEVELS.index(theirs[name].level)}
    yield from (check for name, check in own.items() if name not in both or name in worse)
    yield Check("page", "ok", f"A Boardref answers on port {port}; these are its own checks:")
    yield from (check for name, check in theirs.items() if name not in worse)


def _sentence(error: Exception) -> str:
    text = str(error).rstrip(".")
    return f"{text[:1].upper()}{text[1:]}."


def _record(path: Path) -> Check:
    if not path.exists():
        return Check("record", "ok", f"No match is recorded yet ({path}).")
    try:
        database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            said = [str(row[0]) for row in database.execute("PRAGMA quick_check(3)")]
            tables = database.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone()[0]
        finally:
            database.close()
    except sqlite3.Error as error:
        return Check("record", "problem", f"{path} can't be read ({error}).", "Move it away; a new one is begun.")
    if said != ["ok"]:
        hint = "Move it away; a new one is begun. `boardref games verify` tells which matches are whole."
        return Check("record", "problem", f"{path} is damaged ({said[0]}).", hint)
    if not tables:
        return Check("record", "ok", f"No match is recorded yet ({path}).")
    return Check("record", "ok", f"{path} is whole.")


def _running(port: int) -> list[Check] | None:
    """What a Boardref that runs on this machine says of itself; None where none does."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health", timeout=3) as answer:
            told: dict[str, Any] = json.loads(answer.read())
        return [
            Check(**{key: one[key] for key in ("name", "level", "said", "hint", "since")}) for one in told["checks"]
        ]
    except (OSError, urllib.error.URLError, ValueError, KeyError, TypeError):
        return None


def _camera(config: TableConfig, eye: Eye) -> Iterator[Check]:
    """Does it open, does it send, and is the board in its pictures as it should be."""
    try:
        camera = open_source(config.camera, mains_hz=config.mains_hz)
    except VisionError as error:
        yield Check("camera", "problem", _sentence(error), "docs/cameras.md lists the names of cameras.")
        return
    if isinstance(camera, Recording):
        camera.close()
        yield Check("camera", "problem", f"{config.camera} is a recording.", "Name a camera in the settings.")
        return
    try:
        sightings: list[Sighting] = []
        size_px, index, began = (0, 0), -1, time.monotonic()
        while len(sightings) < PICTURES and time.monotonic() - began < PICTURES_S:
            frame = camera.latest(index, 0.5)
            if frame is None:
                continue
            index, size_px = frame.index, (frame.image.shape[1], frame.image.shape[0])
            sightings.append(eye.see(frame.image, frame.t_s, frame.index))
        sentence = camera.status().sentence
    finally:
        camera.close()
    if not sightings:
        yield Check("camera", "problem", sentence, "docs/cameras.md says what each kind of camera needs.")
        return
    yield Check("camera", "ok", f"Camera {config.camera} sends pictures of {size_px[0]}x{size_px[1]}.")
    yield _board_seen(sightings[-1], eye)


TROUBLES = {
    "too_dark": ("It is too dark to see the board.", "Put a lamp over the table, or let the camera expose longer."),
    "too_bright": ("It is too bright to see the board.", "Dim the lamp, or turn it away from the camera."),
    "blurred": ("The picture is not sharp.", "Focus the camera on the board; clean its lens."),
}


def _board_seen(sighting: Sighting, eye: Eye) -> Check:
    where = eye.registration
    if where is None or sighting.game is None:
        hint = "Lay a printed board under the camera, all four corner tags in the picture (`boardref kit GAME`)."
        said, hint = TROUBLES.get(sighting.trouble or "", ("No board is seen.", hint))
        return Check("board", "problem", said, hint)
    board = where.board_set
    tag_px = board.fiducials.side_mm * where.px_per_mm()
    width, height = board.sheet_mm
    share = width * height * where.px_per_mm() ** 2 / (where.size_px[0] * where.size_px[1])
    seen = f"{board.game.capitalize()} is seen: tags of {tag_px:.0f} px, {len(sighting.tokens)} pieces"
    if tag_px < SMALL_TAG_PX:
        return Check("board", "warning", f"{seen}.", "Hang the camera lower, or choose a larger picture size.")
    if share < 1 - AROUND:
        said = f"{seen}; the board fills {share:.0%} of the picture."
        return Check("board", "warning", said, "Hang the camera lower: it needs to see nothing but the table.")
    if sighting.hidden:
        said = f"{seen}; hidden: {', '.join(sorted(sighting.hidden))}."
        return Check("board", "warning", said, "Take away what lies there, and what shines.")
    return Check("board", "ok", f"{seen}, nothing hidden.")


def _lights(spec: str | None, board: BoardSet) -> Check:
    if spec in (None, "none"):
        return Check("lights", "ok", "No lights are wanted here.")
    ports = usb_ports()
    if spec == "auto" and not ports:
        hint = 'Plug them in; where there are none, write `lights = "none"` in the settings. See docs/lights.md.'
        return Check("lights", "warning", "No USB serial device is plugged in; the table works without lights.", hint)
    link = Link(spec, LightMap.of([site.id for site in board.sites], list(board.seats)))
    try:
        began = time.monotonic()
        while link.status().state is not LinkState.READY and time.monotonic() - began < LIGHTS_S:
            time.sleep(0.1)
        status = link.status()
    finally:
        link.close()
    if status.state is LinkState.READY:
        return Check("lights", "ok", f"The lights answer on {status.port}.")
    tried = ", ".join(_names(port.path for port in ports)) or str(spec)
    level: Level = "warning"
    said = f"{status.reason or 'No lights answer'} ({tried})."
    return Check("lights", level, said, "`boardref lights list` shows what is plugged in; see docs/lights.md.")


def _names(paths: Iterable[str]) -> list[str]:
    return [Path(path).name for path in paths]
