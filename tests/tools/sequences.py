#!/usr/bin/env python3
"""Check a folder of sequences: every still token by `look`, every turn by `watch` when stretched.

sequences.py FOLDER [--only NAME-PREFIX] [--still-only] [--once]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2  # noqa: F401  (stretch.py needs it: fail early and plainly)

from controller.rules.api import Placement
from controller.rules.registry import game_named

BOARDREF = [sys.executable, "-m", "controller.cli"]


def look(sequence: Path) -> list[str]:
    """Faults in the still frames: wrong, missing or invented tokens."""
    truth = json.loads((sequence / "truth.json").read_text())
    still = [frame for frame in truth["frames"] if not frame["hand"]]
    files = [str(sequence / frame["file"]) for frame in still]
    out = subprocess.run([*BOARDREF, "look", "--json", *files], capture_output=True, text=True, check=False)
    faults = []
    lines = [json.loads(line) for line in out.stdout.splitlines()]
    if len(lines) != len(still):
        return [f"{len(lines)} lines for {len(still)} pictures: {out.stderr.strip()[-500:]}"]
    for frame, seen in zip(still, lines, strict=True):
        want = {site: sorted(kinds) for site, kinds in frame["placement"].items()}
        if seen.get("placement") != want:
            faults.append(f"{frame['file']}: placement {seen.get('placement')} instead of {want}")
        if seen.get("off") != sorted(frame["off"]):
            faults.append(f"{frame['file']}: off {seen.get('off')} instead of {sorted(frame['off'])}")
        for rail, card in frame.get("platforms", {}).items():
            got = (seen.get("platforms") or {}).get(rail)
            want_card = (card["row"], card["slots"])
            if got is None or (got["row"], got["slots"]) != want_card or abs(got["x"] - card["x"]) > 2:
                faults.append(f"{frame['file']}: platform {rail} {got} instead of {card}")
        if seen.get("hidden") or seen.get("uncertain"):
            faults.append(f"{frame['file']}: hidden {seen.get('hidden')}, uncertain {seen.get('uncertain')}")
    print(f"{sequence.name}: look on {len(still)} still frames, {len(faults)} faults")
    return faults


def standing(frame: dict) -> dict:
    return {site: tuple(sorted(kinds)) for site, kinds in frame["placement"].items()}


def board_of(game: str, position: str) -> dict:
    """A position text as site -> kinds."""
    rules = game_named(game)
    return {site: tuple(sorted(kinds)) for site, kinds in rules.picture(rules.parse_position(position)).on.items()}


def same_board(game: str, one: dict, other: dict) -> bool:
    """Along a lane only the order counts."""
    rules = game_named(game)
    return rules.normal(Placement(one)).on == rules.normal(Placement(other)).on


def watch(sequence: Path, stretch: Path, times: int) -> list[str]:
    """Faults in the verdicts: turns against the truth's positions, alarms, and the same bytes when watched twice."""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, str(stretch), str(sequence), folder], check=True, capture_output=True)
        truth = json.loads((Path(folder) / "truth.json").read_text())
        runs = [
            subprocess.run([*BOARDREF, "watch", folder, "--json"], capture_output=True, text=True, check=False)
            for _ in range(times)
        ]
    if runs[0].returncode != 0:
        return [f"watch failed: {runs[0].stderr.strip()[-500:]}"]
    if any(run.stdout != runs[0].stdout for run in runs):
        faults.append("two runs differ")
    events = [json.loads(line) for line in runs[0].stdout.splitlines()]
    record: dict[tuple[int, int], dict] = {}
    for event in events:
        if event["event"] == "turn":
            record[event["game_no"], event["n"]] = event
        elif event["event"] == "withdrawn":
            for key in [key for key in record if key[0] == event["game_no"] and key[1] >= event["n"]]:
                del record[key]
    played = [record[key] for key in sorted(record)]
    wanted = [turn for turn in truth["turns"] if turn["legal"] and turn.get("kind") not in ("putback", "withdrawn")]
    if [turn["player"] for turn in played] != [turn["player"] for turn in wanted]:
        faults.append(f"turns of {[t['player'] for t in played]} instead of {[t['player'] for t in wanted]}")
    for turn, want in zip(played, wanted, strict=False):
        game = truth["game"]
        if not same_board(game, board_of(game, turn["position"]), standing(truth["frames"][want["last_frame"]])):
            faults.append(f"turn {turn['n']} {turn['text']}: the position differs from the truth ({want['text']})")
    illegal = [event for event in events if event["event"] == "illegal"]
    offences = [turn for turn in truth["turns"] if not turn["legal"]]
    if len(illegal) != len(offences):
        faults.append(f"{len(illegal)} alarms for {len(offences)} offences: {[e['code'] for e in illegal]}")
    for event, offence in zip(illegal, offences, strict=False):
        if not offence["first_frame"] <= event["frame"] <= offence["last_frame"] + 10:
            faults.append(f"alarm {event['code']} at frame {event['frame']}, offence from {offence['first_frame']}")
        if event["player"] != offence["player"]:
            faults.append(f"alarm names {event['player']}, the offence was {offence['player']}'s")
    restored = sum(event["event"] == "restored" for event in events)
    if restored != len(offences):
        faults.append(f"{restored} restorations for {len(offences)} offences")
    asked = [event for event in events if event["event"] == "question"]
    # Where a board has two legal histories that differ in whose turn it is, the contract asks; the truth must be one.
    for event in asked:
        if not any(
            one["player"] == want["player"]
            and same_board(game, board_of(game, one["position"]), standing(truth["frames"][want["last_frame"]]))
            for one in event["candidates"]
            for want in wanted
        ):
            faults.append(f"a question that leaves out the truth: {event['candidates']}")
    for kind in ("cannot_see", "board_moved", "rearranging"):
        if any(event["event"] == kind for event in events):
            faults.append(f"a {kind} nobody needed: {[e for e in events if e['event'] == kind][:2]}")
    told = f"{len(played)} turns of {len(wanted)}, {len(illegal)} alarms, {len(asked)} questions"
    print(f"{sequence.name}: watch, {told}, {len(faults)} faults")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--still-only", action="store_true")
    args = parser.parse_args()
    sequences = sorted(path for path in args.folder.glob(args.only + "*") if (path / "truth.json").exists())
    if not sequences:
        print(f"{args.folder} holds no sequence named {args.only}*")
        return 1
    faults = []
    games: set[str] = set()
    for sequence in sequences:
        found = look(sequence)
        if not args.still_only:
            game = json.loads((sequence / "truth.json").read_text())["game"]
            times = 1 if game in games else 2  # one sequence of each game is watched twice
            games.add(game)
            found += watch(sequence, args.folder / "stretch.py", times)
        faults += [f"{sequence.name}: {fault}" for fault in found]
    for fault in faults:
        print("FAULT", fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
