"""`boardref watch` on a stream: what happens to the camera is an event, and the command ends when told to."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import cv2
import numpy as np
from streams import Line, server

FRAMES = Path(__file__).parents[2] / "data" / "frames" / "transet-a"


def pictures() -> list[bytes]:
    truth = json.loads((FRAMES / "truth.json").read_text())
    image = cv2.imread(str(FRAMES / next(frame["file"] for frame in truth["frames"] if not frame["hand"])))
    noise = np.random.default_rng(1)
    grain = [noise.normal(0, 1.5, image.shape) for _ in range(5)]
    return [cv2.imencode(".jpg", np.clip(image + one, 0, 255).astype(np.uint8))[1].tobytes() for one in grain]


def test_a_stream_is_refereed_lost_and_seen_again(started: Callable[..., subprocess.Popen[str]]) -> None:
    shown = pictures()

    def show(line: Line) -> None:
        line.head()
        for number in count():
            if not line.up:
                return
            line.part(shown[number % len(shown)])
            line.pause(0.1)

    with server(show) as camera:
        command = [sys.executable, "-m", "controller.cli", "watch", camera.url, "--json"]
        watching = started(command)
        assert watching.stdout is not None

        def wait_for(event: str) -> dict[str, object]:
            assert watching.stdout is not None
            for line in watching.stdout:
                told: dict[str, object] = json.loads(line)
                if told["event"] == event:
                    return told
            raise AssertionError(f"the command ended before {event}")

        assert wait_for("board_found")["game"] == "transet"
        assert wait_for("setup_complete")
        camera.talk = lambda line: line.wait()
        camera.drop()
        lost = wait_for("cannot_see")
        assert lost["code"] == "lost"
        camera.talk = show
        camera.drop()
        assert wait_for("sees_again")["code"] == "lost"
        watching.send_signal(signal.SIGTERM)
        assert watching.wait(10) == 0
        assert watching.stderr is not None
        assert watching.stderr.read() == ""
