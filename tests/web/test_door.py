"""Slow, silent and countless connections: the page goes on answering everybody else."""

from __future__ import annotations

import socket
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from controller.service import PageServer, listening_socket
from controller.web.door import Door


class Page:
    def __init__(self, table: Any) -> None:
        self.listener = listening_socket("127.0.0.1", 0)
        self.port: int = self.listener.getsockname()[1]
        self.server = PageServer(table, self.listener)
        self.server.start()
        self.lines: list[socket.socket] = []

    def line(self, words: bytes = b"") -> socket.socket:
        line = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        line.sendall(words)
        self.lines.append(line)
        return line

    def answers(self) -> bool:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=10) as answer:
            return bool(answer.status == 200)


@pytest.fixture
def page(stage: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    monkeypatch.setattr(Door, "read_s", 0.4)
    running = Page(stage)
    yield running
    for line in running.lines:
        line.close()
    running.server.stop()


def closed(line: socket.socket) -> bool:
    """Whether the other end has hung up without a word, within the time."""
    try:
        return line.recv(1000) == b""
    except ConnectionError:
        return True


HEAD = b"POST /api/press HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n"


@pytest.mark.parametrize(
    "words", [b"", b"G", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ", HEAD, HEAD + b'{"player": "So'], ids=len
)
def test_a_request_that_does_not_come_is_not_waited_for(page: Page, words: bytes) -> None:
    lines = [page.line(words) for _ in range(30)]
    assert page.answers()
    assert all(closed(line) for line in lines)
    assert page.answers()


def test_a_body_in_chunks_is_not_read(page: Page) -> None:
    """Its length is not known beforehand, whatever it says of itself."""
    for length in (b"", b"Content-Length: 12\r\n"):
        head = HEAD.replace(b"Content-Length: 40\r\n", length + b"Transfer-Encoding: chunked\r\n")
        line = page.line(head + b"2\r\n{}\r\n")
        assert line.recv(1000).startswith(b"HTTP/1.1 411 ")
    assert page.answers()


def test_drop_by_drop_is_too_slow(page: Page) -> None:
    line = page.line()

    def dripped() -> bool:
        try:
            line.sendall(b"X")
        except OSError:  # a broken pipe or a reset, whichever comes first
            return False
        return True

    line.sendall(HEAD[:-2] + b"X-More: ")
    until(lambda: not dripped())
    assert page.answers()


def test_an_answer_may_take_as_long_as_it_likes(page: Page) -> None:
    """A stream stays open, and a connection that asks again and again has its time for each request."""
    stream = page.line(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    often = page.line()
    ends_s = time.monotonic() + 1.5
    while time.monotonic() < ends_s:
        often.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        told = b""
        while b'{"ok":true}' not in told:
            data = often.recv(10_000)
            assert data
            told += data
        time.sleep(0.1)
    heard = b""
    while heard.count(b"event: beat") < 2:
        data = stream.recv(65536)
        assert data
        heard += data


def test_more_than_there_are_places_for(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Door, "most", 20)
    lines = [page.line() for _ in range(40)]
    until(lambda: sum(_gone(line) for line in lines) >= 20)
    until(page_answers(page))  # the silent ones have been shown out


def test_one_address_cannot_take_every_place(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Door, "of_one", 5)
    monkeypatch.setattr(Door, "_own", lambda self: False)
    lines = [page.line() for _ in range(12)]
    until(lambda: sum(_gone(line) for line in lines) >= 7)


def test_a_page_that_hangs_is_seen_to_hang(page: Page) -> None:
    """systemd's watchdog hears nothing then, and starts the table anew."""
    assert page.answers()
    until(lambda: page.server.idle_s() < 0.3)
    hub = page.server._app.state.hub
    hub._loop.call_soon_threadsafe(time.sleep, 0.9)
    until(lambda: page.server.idle_s() > 0.7)
    until(lambda: page.server.idle_s() < 0.3)
    assert page.answers()


def _gone(line: socket.socket) -> bool:
    line.setblocking(False)
    try:
        return line.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def page_answers(page: Page) -> Callable[[], bool]:
    def asked() -> bool:
        try:
            return page.answers()
        except OSError:
            return False

    return asked


def until(holds: Callable[[], bool]) -> None:
    ends_s = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < ends_s
        time.sleep(0.05)
