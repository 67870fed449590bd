#!/usr/bin/env python3
"""Score the eyes on folders of frames with a truth.json: single pictures (`look`) or in order (`see`).

    eyes.py [--cold] [--alone] [-q] FOLDER...

A token is wrong where something else stands, or nothing; on hidden or uncertain sites nothing is claimed. What a hand
holds or pushes may be seen where it is.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

import vision  # noqa: F401  (sets the thread counts before numpy comes)
from vision.boardset import BoardSet
from vision.eye import Eye
from vision.sighting import Sighting

SETS = Path(__file__).parents[1] / "data" / "sets"
GAMES = ("taasen", "transet", "transfer")
X_MM = 2.0
COUNTS = (
    "frames",
    "still_wrong",
    "still_hidden",
    "hand_wrong",
    "hand_empty",
    "hand_missed",
    "hand_false",
    "moving_false",
)


def standing(frame: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """What stands on the sites and in the platforms' slots."""
    on = {site: tuple(sorted(kinds)) for site, kinds in frame["placement"].items()}
    for rail, card in frame.get("platforms", {}).items():
        for number, kind in enumerate(card["slots"] if card else (), 1):
            if kind is not None:
                on[f"{rail}.{number}"] = (kind,)
    return on


def still_faults(frame: dict[str, Any], sight: Sighting) -> list[str]:
    """What is wrong in a picture without a hand."""
    want, got, off = standing(frame), sight.on(), sight.off()
    faults = []
    if got != want or list(off) != sorted(frame["off"]):
        faults.append(f"placement {sorted(set(got.items()) ^ set(want.items()))} off {off}")
    for rail, card in frame.get("platforms", {}).items():
        seen = (sight.platforms or {}).get(rail)
        if seen is None or seen.row != card["row"] or abs(seen.x_mm - card["x"]) > X_MM:
            faults.append(f"platform {rail} {seen} for {card}")
    return faults


def hand_faults(frame: dict[str, Any], sight: Sighting) -> tuple[list[str], list[str]]:
    """Claims that are wrong in a picture with a hand, and tokens that are neither seen nor hidden."""
    want, got = standing(frame), sight.on()
    held = list(frame["in_hand"])
    open_sites = sight.hidden | sight.uncertain
    wrong = []
    for site, kinds in got.items():
        extra = list(kinds)
        for kind in want.get(site, ()):
            if kind in extra:
                extra.remove(kind)
        lacking = len(kinds) - len(extra) < len(want.get(site, ()))
        if site not in open_sites and (lacking or any(kind not in held for kind in extra)):
            wrong.append(f"wrong {site} {kinds} for {want.get(site)}")
    wrong += [f"off {kind}" for kind in sight.off() if kind not in frame["off"]]
    for rail, card in frame.get("platforms", {}).items():
        seen = (sight.platforms or {}).get(rail)
        if seen is not None and abs(seen.x_mm - card["x"]) > 4 and seen.row != card["row"]:
            wrong.append(f"platform {rail} {seen} for {card}")
    return wrong, sorted(site for site in want if site not in got and site not in sight.hidden)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--cold", action="store_true", help="every picture on its own")
    parser.add_argument("--alone", action="store_true", help="know only the sequence's own set")
    parser.add_argument("-q", action="store_true", help="only the sums")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    sets = {game: BoardSet.load(SETS / f"{game}.toml") for game in GAMES}
    for folder in options.folders:
        truth = json.loads((folder / "truth.json").read_text())
        eye = Eye([sets[truth["game"]]] if options.alone else list(sets.values()))
        counts = dict.fromkeys(COUNTS, 0)
        spent, seen_ok, stood, was = [], 0, 0, None
        for number, frame in enumerate(truth["frames"]):
            image = cv2.imread(str(folder / frame["file"]))
            if image is None:
                raise SystemExit(f"{folder / frame['file']} can't be read")
            began = time.process_time()
            sight = eye.look(image) if options.cold else eye.see(image, frame["t"], number)
            spent.append(time.process_time() - began)
            faults = []
            counts["frames"] += 1
            if not frame["hand"]:
                faults = still_faults(frame, sight)
                counts["still_wrong"] += bool(faults)
                if sight.hidden or sight.uncertain:
                    counts["still_hidden"] += 1
                    faults.append(f"hidden {sorted(sight.hidden)} uncertain {sorted(sight.uncertain)}")
                if sight.hand and not options.cold:
                    counts["hand_false"] += 1
                    faults.append("hand falsely")
                if sight.moving and was is not None and not was["hand"]:
                    counts["moving_false"] += 1
                    faults.append("moving falsely")
            else:
                wrong, empty = hand_faults(frame, sight)
                want, got = standing(frame), sight.on()
                counts["hand_wrong"] += len(wrong)
                counts["hand_empty"] += len(empty)
                stood += len(want)
                seen_ok += len(set(want) & set(got))
                faults += wrong + ([f"empty {empty}"] if empty else [])
                if not sight.hand:
                    counts["hand_missed"] += 1
                    if not options.cold:
                        faults.append("hand missed")
            was = frame
            if faults and not options.q:
                print(frame["file"], frame.get("note", "")[:24], "|", "; ".join(faults))
        print(
            folder.name,
            counts,
            f"seen under hands {seen_ok}/{stood}",
            f"median {np.median(spent) * 1e3:.1f} ms, p95 {np.percentile(spent, 95) * 1e3:.1f} ms",
        )


if __name__ == "__main__":
    main()
