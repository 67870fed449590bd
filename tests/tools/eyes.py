#!/usr/bin/env python3
"""Score the eyes on folders of frames with a truth.json: single pictures (`look`) or in order (`see`).

eyes.py [--cold] [--set FILE] FOLDER...
"""

import argparse
import json
import time
from pathlib import Path

import cv2
import numpy as np

import vision  # noqa: F401  (sets the thread counts before numpy comes)
from vision.boardset import BoardSet
from vision.eye import Eye


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--set", default=str(Path(__file__).parents[1] / "data" / "sets" / "transet.toml"))
    parser.add_argument("-q", action="store_true")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    board_set = BoardSet.load(options.set)
    for folder in options.folders:
        truth = json.loads((folder / "truth.json").read_text())
        eye = Eye([board_set])
        counts = dict.fromkeys(
            (
                "frames",
                "still_wrong",
                "still_hidden",
                "hand_wrong",
                "hand_empty",
                "hand_missed",
                "hand_false",
                "moving_false",
            ),
            0,
        )
        spent, seen_ok, standing = [], 0, 0
        was = None
        for number, frame in enumerate(truth["frames"]):
            image = cv2.imread(str(folder / frame["file"]))
            if image is None:
                raise SystemExit(f"{folder / frame['file']} can't be read")
            began = time.process_time()
            sight = eye.look(image) if options.cold else eye.see(image, frame["t"], number)
            spent.append(time.process_time() - began)
            want = {site: tuple(sorted(kinds)) for site, kinds in frame["placement"].items()}
            got, off = sight.on(), sight.off()
            faults = []
            counts["frames"] += 1
            if not frame["hand"]:
                if got != want or list(off) != sorted(frame["off"]):
                    counts["still_wrong"] += 1
                    faults.append(f"placement {sorted(set(got.items()) ^ set(want.items()))} off {off}")
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
                for site, kinds in got.items():
                    if want.get(site) != kinds and site not in sight.hidden:
                        counts["hand_wrong"] += 1
                        faults.append(f"wrong {site} {kinds} for {want.get(site)}")
                for kind in set(off) - set(frame["off"]):
                    counts["hand_wrong"] += 1
                    faults.append(f"off {kind}")
                empty = sorted(site for site in want if site not in got and site not in sight.hidden)
                counts["hand_empty"] += len(empty)
                standing += len(want)
                seen_ok += len(set(want) & set(got))
                if empty:
                    faults.append(f"empty {empty}")
                if not sight.hand:
                    counts["hand_missed"] += 1
                    faults.append("hand missed")
            was = frame
            if faults and not options.q:
                print(frame["file"], frame.get("note", "")[:24], "|", "; ".join(faults))
        print(
            folder.name,
            counts,
            f"seen under hands {seen_ok}/{standing}",
            f"median {np.median(spent) * 1e3:.1f} ms, p95 {np.percentile(spent, 95) * 1e3:.1f} ms",
        )


if __name__ == "__main__":
    main()
