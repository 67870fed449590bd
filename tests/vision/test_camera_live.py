"""Live cameras against a real stream over http: newest frame only, lost and found again, frozen, never blocking."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator

import cv2
import numpy as np
import pytest

from vision.camera import Camera, open_source
from vision.camera.live import LiveCamera
from vision.errors import VisionError


class Streamer:
    """An MJPEG server on localhost whose mode can be changed while it runs: `run`, `still`, `stall`, `close`."""

    def __init__(self) -> None:
        self.mode = "run"
        self._stop = threading.Event()
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.settimeout(0.05)
        self.url = f"http://127.0.0.1:{self._server.getsockname()[1]}/stream.mjpg"
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        while not self._stop.is_set():
            try:
                client, _ = self._server.accept()
            except TimeoutError:
                continue
            if self.mode == "close":
                client.close()
                continue
            thread = threading.Thread(target=self._serve, args=(client,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        noise = np.random.default_rng(1)
        with client:
            try:
                client.recv(4096)
                client.sendall(b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=f\r\n\r\n")
                still = picture(noise)
                while not self._stop.is_set():
                    if self.mode == "close":
                        return
                    if self.mode != "stall":
                        data = still if self.mode == "still" else picture(noise)
                        head = f"--f\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n".encode()
                        client.sendall(head + data + b"\r\n")
                    time.sleep(0.03)
            except OSError:
                return

    def close(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=2)
        self._server.close()


def picture(noise: np.random.Generator) -> bytes:
    image = noise.integers(0, 255, (96, 128, 3)).astype(np.uint8)
    return cv2.imencode(".jpg", image)[1].tobytes()


@pytest.fixture
def streamer() -> Iterator[Streamer]:
    server = Streamer()
    yield server
    server.close()


def until(condition: Callable[[], bool], limit_s: float = 15.0) -> None:
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, "it never became so"
        time.sleep(0.02)


def test_a_stream_is_followed_lost_and_found_again(streamer: Streamer) -> None:
    epochs = iter(range(1, 100_000))
    camera = open_source(streamer.url, epoch=lambda: next(epochs))
    try:
        assert isinstance(camera, Camera)
        first = camera.latest()
        assert first is not None
        assert first.image.shape == (96, 128, 3)
        assert first.epoch > 0
        second = camera.latest(first.index)
        assert second is not None
        assert second.index > first.index
        assert second.t_s > first.t_s
        assert second.epoch > first.epoch
        until(lambda: camera.status().state == "ok")

        streamer.mode = "stall"
        until(lambda: camera.status().state == "lost")
        assert camera.status().sentence
        before = camera.latest()
        assert before is not None
        assert camera.latest(before.index, 0.01) is None

        streamer.mode = "run"
        after = camera.latest(before.index, 15)
        assert after is not None
        until(lambda: camera.status().state == "ok")

        streamer.mode = "close"
        until(lambda: camera.status().state == "lost")
        gone = camera.latest()
        streamer.mode = "run"
        assert gone is not None
        found = camera.latest(gone.index, 15)
        assert found is not None
        assert found.index > gone.index
        assert found.t_s > gone.t_s
    finally:
        camera.close()


def test_a_slow_reader_gets_the_newest_frame_only(streamer: Streamer) -> None:
    camera = LiveCamera(streamer.url)
    try:
        first = camera.latest(-1, 10)
        assert first is not None
        until(lambda: (camera.latest() or first).index > first.index + 10)
        late = camera.latest(first.index)
        assert late is not None
        assert late.index > first.index + 10
    finally:
        camera.close()


def test_the_same_picture_for_long_is_frozen(streamer: Streamer) -> None:
    streamer.mode = "still"
    camera = LiveCamera(streamer.url)
    try:
        until(lambda: camera.status().state == "frozen")
        assert "same picture" in camera.status().sentence
        streamer.mode = "run"
        until(lambda: camera.status().state == "ok")
    finally:
        camera.close()


def test_no_stream_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(VisionError, match="sends no picture"):
        open_source(f"http://127.0.0.1:{port}/stream.mjpg")


def test_a_camera_that_is_not_there_yet_is_waited_for() -> None:
    camera = open_source("/dev/video87", wait=False)
    try:
        assert isinstance(camera, Camera)
        until(lambda: camera.status().state == "lost")
        assert "/dev/video87" in camera.status().sentence
        assert camera.latest(-1, 0.01) is None
    finally:
        camera.close()
