"""The event stream with many screens: told once for each language, limited, and never a burden to the table."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from controller.journal.search import Page
from controller.web import screens, stream
from controller.web.hub import Hub
from controller.web.shelf import Records
from controller.web.stream import Stream


class Listener:
    """One browser's connection, as raw as it comes. `who`: the address that a proxy names."""

    def __init__(self, port: int, who: str = "", lang: str = "en") -> None:
        self.line = socket.create_connection(("127.0.0.1", port), timeout=10)
        proxy = f"X-Forwarded-For: {who}\r\n" if who else ""
        self.line.sendall(f"GET /events?lang={lang} HTTP/1.1\r\nHost: 127.0.0.1\r\n{proxy}\r\n".encode())
        self.heard = b""

    def until(self, words: bytes) -> bytes:
        while words not in self.heard:
            data = self.line.recv(65536)
            assert data, self.heard
            self.heard += data
        return self.heard

    @property
    def status(self) -> int:
        return int(self.until(b"\r\n").split()[1])


@pytest.fixture
def listen(site: Any) -> Iterator[Callable[..., Listener]]:
    opened: list[Listener] = []

    def start(*words: str) -> Listener:
        opened.append(Listener(site.port, *words))
        return opened[-1]

    yield start
    for one in opened:
        one.line.close()


def test_a_crowd_is_told_and_has_an_end(listen: Any, stage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    view_json = stream.view_json
    monkeypatch.setattr(stream, "view_json", lambda shot, lang: made.append(lang) or view_json(shot, lang))  # type: ignore[func-returns-value]
    crowd = [listen(f"10.0.0.{number % 40}", ("en", "nl", "de", "fr")[number % 4]) for number in range(screens.SCREENS)]
    for one in crowd:
        one.until(b"event: beat")
    assert listen("10.0.9.9").status == 503
    own = listen()
    assert own.status == 200  # a crowd can't shut out the table's own display
    own.until(b"event: beat")
    made.clear()
    began_s = time.monotonic()
    stage.show(to_move="North")
    for one in (own, *crowd):
        one.until(b'"to_move":true}]')  # North's part of the players
    rounds = (time.monotonic() - began_s) / 0.1 + 2
    assert len(made) <= 4 * rounds  # not once for each screen
    heard = crowd[0].heard.decode()
    told = [json.loads(line[6:]) for line in heard.splitlines() if line.startswith("data: ")]
    assert all({"rev", "age_s", "time_s"} <= one.keys() for one in told)
    crowd[0].line.close()
    ends_s = time.monotonic() + 10
    while (late := listen("10.0.9.9")).status != 200:  # whoever leaves makes room
        assert time.monotonic() < ends_s
        late.line.close()
        time.sleep(0.1)


def test_one_device_cannot_take_every_place(listen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screens, "OF_ONE", 3)
    assert [listen("10.0.0.1").until(b"beat") != b"" for _ in range(3)] == [True] * 3
    assert listen("10.0.0.1").status == 503
    assert listen("10.0.0.2").status == 200
    monkeypatch.setattr(screens, "OWN", 2)
    for _ in range(2 + 3):  # its own, and then it counts as any other
        listen().until(b"beat")
    assert listen().status == 503


def test_a_screen_that_does_not_read_holds_nobody_up(listen: Any, stage: Any) -> None:
    for number in range(20):
        listen(f"10.0.1.{number}")  # and is never read
    good = listen("10.0.2.1")
    good.until(b"event: beat")
    for turn in range(30):
        stage.show(turns=(), hint=bool(turn % 2), to_move=("South", "North")[turn % 2])
    good.until(b'"id":"North"')
    stage.show(phase="over", winner="South", result="South wins")
    good.until(b'"over"')


def test_what_is_true_when_it_is_read_is_told_and_nothing_in_between(stage: Any) -> None:
    async def run() -> list[str]:
        hub = Hub(stage)
        tells = Stream(stage, hub)
        await hub.start()
        task = asyncio.create_task(tells.run())
        stream = tells.to("en", lambda snapshot: {})
        seen = [(await anext(stream)).decode(), (await anext(stream)).decode()]
        for number in range(200):
            stage.show(game_no=number)
        ends_s = time.monotonic() + 10
        while '"game_no":199' not in seen[-1]:
            assert time.monotonic() < ends_s
            seen.append((await anext(stream)).decode())
        await stream.aclose()
        assert tells.screens == 0
        hub.close()
        await hub.stop()
        await task
        return seen

    result: list[list[str]] = []
    worker = threading.Thread(target=lambda: result.append(asyncio.run(run())))
    worker.start()
    worker.join(20)
    assert len(result[0]) < 20


def test_a_press_counts_and_the_process_is_seen_alive_while_every_thread_is_busy(serve, stage, tmp_path, monkeypatch):
    go_on = threading.Event()
    monkeypatch.setattr("controller.web.shelf.Shelf.find", lambda *_: go_on.wait(60) and Page())
    site = serve(stage, records=Records(tmp_path / "boardref.db"))

    def ask(path: str, body: bytes | None = None) -> object:
        asked = urllib.request.Request(site.url + path, body, {"content-type": "application/json"})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return json.load(answer)

    with ThreadPoolExecutor(60) as crowd:
        asked = [crowd.submit(ask, "api/games") for _ in range(60)]
        try:
            time.sleep(0.5)
            assert ask("healthz") == {"ok": True}
            assert ask("api/press", b'{"player": "South", "button": "done"}') == {"ok": True}
            assert [(press.player, press.button) for press in stage.sent] == [("South", "done")]
            assert not any(one.done() for one in asked)
        finally:
            go_on.set()
        assert [one.result() for one in asked] == [{"games": [], "before": None}] * 60
