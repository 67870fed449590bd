"""`boardref look`: what stands where on single images."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import cv2

import vision  # noqa: F401  (sets the thread counts before numpy comes)
from vision.boardset import BoardSet, installed_sets
from vision.errors import VisionError
from vision.eye import Eye
from vision.picture import read_picture
from vision.profile import Profile
from vision.sighting import Sighting

WHY = {
    "no_board": "no board found: its printed tags must be in the picture, at least two of them, flat and sharp",
    "too_dark": "too dark to see the board: more light is needed",
    "too_bright": "too bright to see the board: less light or a shorter exposure is needed",
    "blurred": "too blurred to see the board: focus the camera and hold it still",
}


def add(parser: argparse.ArgumentParser) -> None:
    """The arguments of `look`."""
    parser.add_argument("images", nargs="+", metavar="IMAGE")
    parser.add_argument("--set", metavar="FILE", help="a set's TOML; the installed sets where left out")
    parser.add_argument("--profile", metavar="FILE", help="a table's profile")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Look at each image in turn; a broken one costs exit code 1 at the end, not the others."""
    cv2.setNumThreads(1)
    sets = [BoardSet.load(args.set)] if args.set else list(installed_sets().values())
    if not sets:
        raise VisionError("no set is installed; name one with --set FILE")
    eye = Eye(sets, Profile.load(args.profile) if args.profile else None)
    failed = 0
    for path in args.images:
        try:
            sighting = eye.look(read_picture(path))
        except VisionError as error:
            failed += 1
            if args.json:
                print(json.dumps({"image": path, "error": str(error)}, ensure_ascii=False), flush=True)
            print(f"boardref: {error}", file=sys.stderr)
            continue
        if args.json:
            print(json.dumps({"image": path, **as_json(sighting)}, ensure_ascii=False), flush=True)
        else:
            print(f"{path}: {as_text(sighting)}", flush=True)
    return 1 if failed else 0


def as_json(sighting: Sighting) -> dict[str, Any]:
    """A Sighting in the shape of `look --json`, without `image`."""
    found = sighting.game is not None
    cards = sighting.platforms or {}
    slots = {f"{rail}.{number}" for rail, card in cards.items() if card for number in range(1, len(card.slots) + 1)}
    line: dict[str, Any] = {
        "game": sighting.game,
        "set": sighting.set_name,
        "placement": {site: list(kinds) for site, kinds in sighting.on().items() if site not in slots},
        "off": list(sighting.off()),
        "hidden": sorted(sighting.hidden),
        "uncertain": sorted(sighting.uncertain),
    }
    if found and sighting.platforms is not None:
        line["platforms"] = {
            seat: None if card is None else {"row": card.row, "x": round(card.x_mm, 1), "slots": list(card.slots)}
            for seat, card in sighting.platforms.items()
        }
    line["ms"] = round(sighting.ms, 1)
    return line


def as_text(sighting: Sighting) -> str:
    """A Sighting for people: one line."""
    if sighting.game is None:
        return WHY.get(sighting.trouble or "no_board", WHY["no_board"])
    parts = [f"{sighting.game}:"]
    parts.append(", ".join(f"{site} {' + '.join(kinds)}" for site, kinds in sighting.on().items()) or "no pieces")
    for word, what in (
        ("beside the board", sighting.off()),
        ("hidden", sorted(sighting.hidden)),
        ("uncertain", sorted(sighting.uncertain)),
    ):
        if what:
            parts.append(f"; {word}: {', '.join(what)}")
    return parts[0] + " " + parts[1] + "".join(parts[2:])
