"""The demo as a user starts it, killed at the very moment its page shows a turn, and started again."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request

from vision.boardset import installed_sets


class Running:
    """A demo in a process of its own."""

    def __init__(self, folder):
        command = [sys.executable, "-m", "controller.cli", "demo", "--no-browser", "--port", "0", "--data", str(folder)]
        self.process = subprocess.Popen(
            [*command, "--clock", "5+3"], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
        )
        found = re.search(r"http://\S+/", self.process.stdout.readline())
        assert found
        self.address = found[0]

    def state(self):
        with urllib.request.urlopen(f"{self.address}api/state", timeout=10) as answer:
            return json.load(answer)

    def pieces(self):
        """As the page's stream tells where they lie."""
        with urllib.request.urlopen(f"{self.address}events?lang=en", timeout=10) as stream:
            event = ""
            for line in stream:
                field, _, told = line.decode().strip().partition(": ")
                event = told if field == "event" else event
                if field == "data" and event == "world":
                    return json.loads(told)["tokens"]
        raise AssertionError("the stream ended")

    def hand(self, **body):
        asked = urllib.request.Request(f"{self.address}api/world", json.dumps(body).encode(), method="POST")
        asked.add_header("content-type", "application/json")
        urllib.request.urlopen(asked, timeout=10).close()

    def until(self, holds):
        ends_s = time.monotonic() + 60
        while not holds(state := self.state()):
            assert time.monotonic() < ends_s, state["message"]
            time.sleep(0.02)
        return state

    def until_played(self, text):
        return self.until(lambda state: [turn["text"] for turn in state["turns"]][-1:] == [text])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


def test_what_the_page_has_shown_is_there_after_kill_9(tmp_path):
    board = installed_sets()["transet"]
    places = {board.names.get(site.id, site.id): board.centre(site) for site in board.sites}
    shown = []
    for origin, to in (("c1", "c2"), ("c5", "c4")):
        demo = Running(tmp_path)
        try:
            back = demo.until(lambda state: state["phase"] == "play" and state["camera"]["state"] == "ok")
            assert [(turn["player"], turn["text"]) for turn in back["turns"]] == shown
            if shown:  # the board is checked, and nobody is asked anything
                demo.until(lambda state: state["clock"]["stop"] == "")
            assert back["message"]["code"] in ("to_move", "settling")
            x_mm, y_mm = places[origin]
            token = min(
                (abs(one["x_mm"] - x_mm) + abs(one["y_mm"] - y_mm), one["id"]) for one in demo.pieces()
            )[1]
            demo.hand(op="lift", token=token)
            demo.hand(op="move", token=token, x_mm=places[to][0], y_mm=places[to][1])
            demo.hand(op="drop", token=token)
            state = demo.until_played(f"{origin}-{to}")
        finally:
            demo.kill()
        shown = [(turn["player"], turn["text"]) for turn in state["turns"]]
    assert shown == [("South", "c1-c2"), ("North", "c5-c4")]
    assert not list(tmp_path.glob("*damaged*"))
