"""A game of its own, installed as a separate package: docs/your-own-game, as its page says."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "your-own-game"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example in a folder of its own, built and installed the way pip does it."""
    folder = tmp_path_factory.mktemp("plugin")
    copy = folder / "source"
    copy.mkdir()
    for name in ("pyproject.toml", "boardref_breakthrough.py"):
        (copy / name).write_bytes((EXAMPLE / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(folder / "lib"), str(copy)], check=True, capture_output=True, timeout=300)
    return folder / "lib"


def run(installed: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """`boardref` with the package installed beside it."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), *sys.path])}
    command = [sys.executable, "-m", "controller.cli", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


def test_the_page_shows_the_example_as_it_is_and_it_stays_short() -> None:
    source = (EXAMPLE / "boardref_breakthrough.py").read_text(encoding="utf-8")
    assert len(source.splitlines()) < 100
    assert "boardref_breakthrough.py" in (ROOT / "docs" / "your-own-game.md").read_text(encoding="utf-8")


def test_the_rules_answer_on_the_command_line(installed: Path) -> None:
    assert run(installed, "rules", "perft", "breakthrough", "2").stdout == "256\n"
    answer = json.loads(run(installed, "rules", "judge", "breakthrough", "--turn", "b2-b4", "--json").stdout)
    assert answer["legal"] is False
    why = answer["reasons"][0]
    assert why["code"] == "NOT_ONE_STEP_AHEAD"
    assert why["why"] == "A man goes one square straight or slantwise ahead; from b2 to b4 is no such step."
    bad = run(installed, "rules", "judge", "breakthrough", "--turn", "b2 b4")
    assert bad.returncode == 2
    assert "column 1" in bad.stderr
    assert "Traceback" not in bad.stderr


def test_the_set_is_printed_and_seen(installed: Path, tmp_path: Path) -> None:
    kit = run(installed, "kit", "breakthrough", "-o", str(tmp_path / "kit.pdf"))
    assert kit.returncode == 0, kit.stderr
    assert (tmp_path / "kit.pdf").read_bytes().startswith(b"%PDF")


def middle(site: str) -> tuple[float, float]:
    """Where a square's middle is on the sheet, in mm (as the example's set says)."""
    return 22.5 + 42 * "abcdef".index(site[0]) + 21, 294 - 42 * (int(site[1]) - 1) + 21


class Table:
    """The example's demo, a real process, asked over its page's API."""

    def __init__(self, installed: Path, data: Path) -> None:
        path = os.pathsep.join([str(installed), *sys.path])
        environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": path}
        words = ["demo", "--game", "breakthrough", "--no-browser", "--port", "0", "--data", str(data)]
        command = [sys.executable, "-m", "controller.cli", *words]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)
        assert self.process.stdout is not None
        found = re.search(r"http://[\d.]+:\d+/", self.process.stdout.readline())
        assert found
        self.address = found[0]

    def ask(self, path: str, body: dict[str, object] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read())

    def until(self, holds: Callable[[Any], bool], what: str) -> Any:
        state = None
        end = time.monotonic() + 60
        while time.monotonic() < end:
            state = self.ask("api/state")
            if holds(state):
                return state
            time.sleep(0.1)
        raise AssertionError(f"never happened: {what}; last state {json.dumps(state)[:3000]}")

    def carry(self, origin: str, to: str) -> None:
        (x0, y0), (x1, y1) = middle(origin), middle(to)
        tokens = self.ask("api/state")["world"]["tokens"]
        token = min(tokens, key=lambda t: (t["x_mm"] - x0) ** 2 + (t["y_mm"] - y0) ** 2)["id"]
        self.ask("api/world", {"op": "lift", "token": token})
        self.ask("api/world", {"op": "move", "token": token, "x_mm": x1, "y_mm": y1})
        self.ask("api/world", {"op": "drop", "token": token})


def test_a_whole_table_referees_it(installed: Path, tmp_path: Path) -> None:
    """Simulated camera, eyes, referee, lights, journal: a legal turn, an illegal one, and the way back."""
    table = Table(installed, tmp_path)
    try:
        table.until(lambda state: state["phase"] == "play", "the game begins")
        table.carry("b2", "b3")
        table.until(lambda state: [turn["text"] for turn in state["turns"]] == ["b2-b3"], "the turn is accepted")
        table.carry("e5", "e3")
        state = table.until(lambda state: state["message"]["code"] == "illegal", "it is called illegal")
        assert "A man goes one square straight or slantwise ahead" in json.dumps(state["message"])
        table.carry("e3", "e5")
        table.until(lambda state: state["message"]["code"] == "to_move", "put back")
    finally:
        table.process.send_signal(signal.SIGTERM)
        _, errors = table.process.communicate(timeout=30)
    assert table.process.returncode == 0, errors
    listed = run(installed, "games", "list", "--data", str(tmp_path))
    assert "breakthrough" in listed.stdout


def test_words_that_can_t_be_had_stop_nothing(installed: Path, tmp_path: Path) -> None:
    broken = tmp_path / "lib"
    broken.mkdir()
    code = "def words(language):\n    raise RuntimeError('no words')\n"
    (broken / "broken_words.py").write_text(code, encoding="utf-8")
    info = broken / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[boardref.words]\nbroken = broken_words:words\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(broken), *sys.path])}
    command = [sys.executable, "-m", "controller.cli", "rules", "judge", "transet", "--turn", "a1-a5"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("illegal")
    assert "the words of broken can't be had" in done.stderr
