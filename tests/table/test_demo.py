"""The demo as a user starts it: a real process, its page's API, its journal; killed, and started again."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from controller.journal.store import Journal

BOARDREF = [sys.executable, "-m", "controller.cli"]


class Demo:
    def __init__(self, folder):
        self.process = subprocess.Popen(
            [*BOARDREF, "demo", "--no-browser", "--port", "0", "--data", str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        line = self.process.stdout.readline()
        found = re.search(r"http://[\d.]+:\d+/", line)
        assert found, line + self.process.stderr.read()
        self.address = found[0]
        self.until(lambda state: state is not None and state["phase"] == "play", "the game begins")

    def ask(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=5) as answer:
            return json.loads(answer.read())

    def until(self, holds, what, timeout_s=20.0):
        ends = time.monotonic() + timeout_s
        state = None
        while time.monotonic() < ends:
            try:
                state = self.ask("api/state")
            except urllib.error.URLError:
                state = None
            if holds(state):
                return state
            time.sleep(0.1)
        raise AssertionError(f"never happened: {what}; last state {json.dumps(state)[:3000]}")

    def token_at(self, x_mm, y_mm):
        tokens = self.ask("api/state")["world"]["tokens"]
        return min(tokens, key=lambda t: (t["x_mm"] - x_mm) ** 2 + (t["y_mm"] - y_mm) ** 2)["id"]

    def carry(self, origin, to):
        """Carry the piece standing on one site to another, as a hand does."""
        (x0, y0), (x1, y1) = centre(origin), centre(to)
        token = self.token_at(x0, y0)
        self.ask("api/world", {"op": "lift", "token": token})
        for step in range(1, 5):
            x_mm, y_mm = x0 + (x1 - x0) * step / 4, y0 + (y1 - y0) * step / 4
            self.ask("api/world", {"op": "move", "token": token, "x_mm": x_mm, "y_mm": y_mm})
            time.sleep(0.1)
        self.ask("api/world", {"op": "drop", "token": token})

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(timeout=10)
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.returncode


def centre(site):
    return 48.5 + 50 * "abcde".index(site[0]), 310 - 50 * (int(site[1]) - 1)


@pytest.fixture
def demo(tmp_path):
    table = Demo(tmp_path)
    yield table
    if table.process.poll() is None:
        table.stop(signal.SIGKILL)


def test_a_turn_an_offence_and_its_mending_reach_page_lights_and_journal(demo, tmp_path):
    demo.carry("c1", "c2")
    state = demo.until(lambda s: s and len(s["turns"]) == 1, "the turn is accepted")
    assert state["turns"][0]["text"] == "c1-c2"
    assert state["lights"]["connected"]
    demo.carry("a5", "b4")
    state = demo.until(lambda s: s and s["message"]["code"] == "illegal", "the offence is explained")
    demo.until(lambda s: s and any(rgb != "#000000" for rgb in s["lights"]["bars"]["North"]), "North's bar blinks")
    assert "a5" in json.dumps(state["message"])
    demo.carry("b4", "a5")
    state = demo.until(lambda s: s and s["message"]["code"] != "illegal", "the offence is mended")
    assert len(state["turns"]) == 1
    assert demo.stop() == 0
    told = subprocess.run(
        [*BOARDREF, "games", "show", "1", "--journal", str(tmp_path / "boardref.db")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert "c1-c2" in told.stdout
    with Journal.open(tmp_path / "boardref.db", read_only=True) as journal:
        named = [event for event in journal.events(1) if event["event"] in ("illegal", "restored")]
    assert [event["event"] for event in named] == ["illegal", "restored"]
    assert named[0]["code"] == "WRONG_STEP"
    assert named[0]["sites"] == ["a5", "b4"]


def test_a_killed_table_comes_back_with_the_same_game(demo, tmp_path):
    demo.carry("c1", "c2")
    demo.until(lambda s: s and len(s["turns"]) == 1, "the first turn")
    demo.carry("c5", "c4")
    demo.until(lambda s: s and len(s["turns"]) == 2, "the second turn")
    demo.stop(signal.SIGKILL)
    again = Demo(tmp_path)
    try:
        state = again.until(lambda s: s and len(s["turns"]) == 2, "the same game stands")
        assert [turn["text"] for turn in state["turns"]] == ["c1-c2", "c5-c4"]
        again.carry("c2", "d3")
        state = again.until(lambda s: s and len(s["turns"]) == 3, "the game goes on")
        assert state["turns"][2]["text"] == "c2-d3"
        assert state["game_no"] == 1
    finally:
        again.stop()
    verified = subprocess.run(
        [*BOARDREF, "games", "verify", "1", "--journal", str(tmp_path / "boardref.db")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_a_port_in_use_is_one_sentence(demo):
    port = demo.address.rsplit(":", 1)[1].strip("/")
    second = subprocess.run(
        [*BOARDREF, "demo", "--no-browser", "--port", port], capture_output=True, text=True, timeout=30, check=False
    )
    assert second.returncode == 1
    assert f"port {port} is in use" in second.stderr
    assert "Traceback" not in second.stderr
