"""Recorded pictures of all three sets, by the name of their sequence, and what stands in them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import cv2

from vision.boardset import BoardSet

DATA = Path(__file__).parents[1] / "data"
SEQUENCES = ("transet-a", "taasen-a", "transfer-a")


@cache
def board_of(sequence: str) -> BoardSet:
    return BoardSet.load(DATA / "sets" / f"{sequence[:-2]}.toml")


@cache
def _frames(sequence: str) -> list[dict[str, Any]]:
    """What is told of the pictures without hands that are here."""
    frames = json.loads((DATA / "frames" / sequence / "truth.json").read_text())["frames"]
    return [frame for frame in frames if (DATA / "frames" / sequence / frame["file"]).is_file() and not frame["hand"]]


@cache
def still(sequence: str, number: int = 0) -> tuple[Any, dict[str, tuple[str, ...]]]:
    """A picture without a hand, and what stands there."""
    frames = _frames(sequence)
    frame = frames[number % len(frames)]
    standing = {site: tuple(sorted(kinds)) for site, kinds in frame["placement"].items()}
    for rail, card in (frame.get("platforms") or {}).items():
        standing |= {f"{rail}.{slot}": (kind,) for slot, kind in enumerate(card["slots"], 1) if kind}
    return cv2.imread(str(DATA / "frames" / sequence / frame["file"])), standing


def stills(sequence: str, most: int) -> list[tuple[Any, dict[str, tuple[str, ...]]]]:
    """The first of them."""
    return [still(sequence, number) for number in range(min(most, len(_frames(sequence))))]
