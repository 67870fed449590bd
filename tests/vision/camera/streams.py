"""A camera on the network, as bad as they come: a real server whose every word a test decides."""

from __future__ import annotations

import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

import cv2
import numpy as np
import numpy.typing as npt

from vision.camera.feed import Patience

HURRIED = Patience(open_s=0.5, picture_s=0.5, back_off_s=(0.02, 0.1))
_BITS = 16
_NOISE = np.random.default_rng(1)


def numbered(number: int, seed: int | None = None) -> bytes:
    """A noisy JPEG of 128 x 96 whose upper half says a number."""
    noise = _NOISE if seed is None else np.random.default_rng(seed)
    image = noise.integers(0, 255, (96, 128, 3)).astype(np.uint8)
    for bit in range(_BITS):
        image[:48, bit * 8 : bit * 8 + 8] = 255 if number >> bit & 1 else 0
    return cv2.imencode(".jpg", image)[1].tobytes()


def number_in(image: npt.NDArray[np.uint8]) -> int:
    """The number that a picture says."""
    assert image.shape == (96, 128, 3)
    return sum(1 << bit for bit in range(_BITS) if image[8:40, bit * 8 + 2 : bit * 8 + 6].mean() > 128)


class Line:
    """One call that the server answers."""

    def __init__(self, client: socket.socket, stopping: threading.Event, number: int) -> None:
        self.number = number
        self._client, self._stopping = client, stopping
        self.request = ""

    @property
    def up(self) -> bool:
        return not self._stopping.is_set()

    def say(self, data: bytes) -> None:
        self._client.settimeout(0.1)
        rest = memoryview(data)
        while rest and self.up:
            try:
                rest = rest[self._client.send(rest) :]
            except TimeoutError:
                continue

    def head(self, kind: str = "multipart/x-mixed-replace; boundary=f", status: str = "200 OK", *more: str) -> None:
        lines = [f"HTTP/1.0 {status}", *([f"Content-Type: {kind}"] if kind else []), *more, "", ""]
        self.say("\r\n".join(lines).encode())

    def part(self, jpeg: bytes) -> None:
        self.say(f"--f\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n".encode() + jpeg + b"\r\n")

    def hear(self) -> bool:
        """The next request on this line; False when the caller has gone."""
        self.request = ""
        while self.up and "\r\n\r\n" not in self.request:
            if select.select([self._client], [], [], 0.05)[0]:
                data = self._client.recv(4096)
                if not data:
                    return False
                self.request += data.decode("latin-1")
        return self.up

    def pause(self, seconds: float = 0.02) -> None:
        self._stopping.wait(seconds)

    def wait(self) -> None:
        """Keep the line open, saying nothing, until the caller or the test is gone."""
        while self.up:
            if select.select([self._client], [], [], 0.05)[0] and not self._client.recv(4096):
                return

    def reset(self) -> None:
        """Break off without a goodbye."""
        self._client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


Talk = Callable[[Line], None]


class Server:
    """Answers every call as `talk` says; `talk` may be changed while it runs."""

    def __init__(self, talk: Talk) -> None:
        self.talk = talk
        self.calls = 0
        self._stopping = threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._socket.settimeout(0.05)
        self.address = f"127.0.0.1:{self._socket.getsockname()[1]}"
        self.url = f"http://{self.address}/stream.mjpg"
        self._lines: list[threading.Event] = []
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        while not self._stopping.is_set():
            try:
                client, _ = self._socket.accept()
            except TimeoutError:
                continue
            self.calls += 1
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            ending = threading.Event()
            self._lines = [*(line for line in self._lines if not line.is_set()), ending]
            thread = threading.Thread(target=self._answer, args=(client, ending, self.calls), daemon=True)
            self._threads.append(thread)
            thread.start()

    def drop(self) -> None:
        """Hang up every running line."""
        for line in self._lines:
            line.set()

    def _answer(self, client: socket.socket, ending: threading.Event, number: int) -> None:
        line = Line(client, ending, number)
        with client:
            try:
                client.settimeout(2)
                while "\r\n\r\n" not in line.request:
                    data = client.recv(4096)
                    if not data:
                        return
                    line.request += data.decode()
                self.talk(line)
            except OSError:
                pass
            finally:
                ending.set()

    def close(self) -> None:
        self._stopping.set()
        self._threads[0].join(timeout=5)
        self.drop()
        for thread in self._threads:
            thread.join(timeout=5)
        self._socket.close()


@contextmanager
def server(talk: Talk) -> Iterator[Server]:
    """A running server."""
    running = Server(talk)
    try:
        yield running
    finally:
        running.close()


def run(line: Line) -> None:
    """A camera that works: numbers from 0 on."""
    line.head()
    for number in count():
        if not line.up:
            return
        line.part(numbered(number))
        line.pause()


def until(condition: Callable[[], bool], limit_s: float = 20.0) -> None:
    """Wait for something that must become true."""
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, "it never became so"
        time.sleep(0.01)
