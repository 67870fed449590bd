"""`boardref look`, as its users run it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np


def _look(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "controller.cli", "look", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_one_line_for_each_image_also_on_failure(stills: list[Any], tmp_path: Path) -> None:
    text, empty, black = tmp_path / "a.jpg", tmp_path / "b.png", tmp_path / "c.png"
    text.write_text("not a picture")
    empty.write_bytes(b"")
    cv2.imwrite(str(black), np.zeros((480, 640, 3), np.uint8))
    capture = next(shot for shot in stills if shot.truth["off"])
    paths = [
        str(stills[0].path),
        str(text),
        str(tmp_path / "gone.jpg"),
        str(tmp_path),
        str(empty),
        str(black),
        str(capture.path),
    ]
    done = _look("--json", *paths)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["image"] for line in lines] == paths
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    for line in lines[1:5]:
        assert set(line) == {"image", "error"}
        assert line["image"] in line["error"]
    assert list(lines[0]) == ["image", "game", "set", "placement", "off", "hidden", "uncertain", "ms"]
    assert {site: tuple(kinds) for site, kinds in lines[0]["placement"].items()} == stills[0].standing
    assert list(lines[0]["placement"]) == sorted(lines[0]["placement"])
    assert lines[6]["off"] == capture.truth["off"]
    assert (lines[5]["game"], lines[5]["set"], lines[5]["placement"], lines[5]["off"]) == (None, None, {}, [])
    assert lines[0]["ms"] > 0


def test_plain_words_and_a_set_from_a_file(stills: list[Any]) -> None:
    sets = stills[0].path.parents[2] / "sets"
    done = _look(str(stills[0].path), "--set", str(sets / "transet.toml"))
    assert done.returncode == 0
    assert done.stdout.startswith(f"{stills[0].path}: transet: a1 dark-PINET, a5 light-PINET")
    other = _look("--json", str(stills[0].path), "--set", str(sets / "taasen.toml"))
    assert other.returncode == 0
    assert json.loads(other.stdout)["game"] is None


def test_wrong_usage(stills: list[Any], tmp_path: Path) -> None:
    assert _look().returncode == 2
    gone = _look(str(stills[0].path), "--set", str(tmp_path / "gone.toml"))
    assert gone.returncode == 1
    assert len(gone.stderr.splitlines()) == 1
    profile = tmp_path / "table.toml"
    profile.write_text("[lens]\nfocal_per_width = 0.774\nk1 = -0.112\n")
    good = _look("--json", str(stills[0].path), "--profile", str(profile))
    assert json.loads(good.stdout)["game"] == "transet"
    profile.write_text("[lens]\nfocal_per_width = 'wide'\n")
    bad = _look(str(stills[0].path), "--profile", str(profile))
    assert (bad.returncode, len(bad.stderr.splitlines())) == (1, 1)
