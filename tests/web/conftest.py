"""A table whose state the test sets by hand, the real app around it on a free port, and a real browser."""

from __future__ import annotations

import asyncio
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright
from starlette.testclient import TestClient

from controller.keeping import Keeping
from controller.referee.events import Command, Event, Press
from controller.referee.view import Played, View
from controller.rules.api import Shift
from controller.web.access import Access, ApiKey
from controller.web.app import create_app, start_placement
from controller.web.players import Players
from controller.web.shelf import Records
from firmware_bridge.scene import Scene
from vision.boardset import BoardSet, installed_sets
from vision.camera.world import World

MARKS = ("PINET", "PIOKER", "PIAS", "PIOKER", "PINET")
START = {f"{file}1": (f"dark-{mark}",) for file, mark in zip("abcde", MARKS, strict=True)} | {
    f"{file}5": (f"light-{mark}",) for file, mark in zip("abcde", MARKS, strict=True)
}
DARK = ["#000000"] * 9
PIN = "2468"
KEY, READING_KEY = "k3yForTheScoreboard-0123456789", "r3adingKey-9876543210-abcdef"
BACKUP_KEY = "b4ckupKey-1357924680-fedcba"


def some_access(**more: Any) -> Access:
    """Who may operate a table of the tests: with PIN, or with one of two API keys."""
    keys = (
        ApiKey.of("scoreboard", KEY),
        ApiKey.of("reader", READING_KEY, "read"),
        ApiKey.of("store", BACKUP_KEY, "backup"),
    )
    return Access(PIN, keys, **more)


@dataclass(frozen=True)
class Staged:
    """What a table tells a page."""

    rev: int
    view: View
    set: BoardSet | None
    age_s: float = 0.05
    scene: Scene = field(default_factory=lambda: Scene("to_move", 12))
    lights: Mapping[str, Any] = field(
        default_factory=lambda: {"connected": True, "sites": {}, "bars": {}, "brightness": 64}
    )
    camera: Mapping[str, Any] = field(default_factory=lambda: {"state": "ok", "sentence": ""})
    link: Mapping[str, Any] = field(default_factory=lambda: {"state": "ok", "sentence": ""})
    journal: Mapping[str, Any] = field(default_factory=lambda: {"state": "ok", "sentence": ""})
    fault: Mapping[str, Any] | None = None


class Stage:
    """A table that shows what it is told to; nothing moves by itself."""

    def __init__(self, board: BoardSet, world: World | None = None) -> None:
        view = View(
            t_s=10.0,
            phase="play",
            game="transet",
            set_name="transet",
            game_no=1,
            players=("South", "North"),
            to_move="South",
            placement=START,
            observed=START,
        )
        self.world = world
        self.sent: list[Press | Command] = []
        self.deaf = False
        self.is_ready = True
        self._now = Staged(1, view, board)
        self._changed = threading.Condition()

    @property
    def view(self) -> View:
        return self._now.view

    def show(self, **changes: Any) -> None:
        """Change the view."""
        self.tell(view=replace(self._now.view, **changes))

    def tell(self, **changes: Any) -> None:
        """Change the snapshot."""
        with self._changed:
            self._now = replace(self._now, rev=self._now.rev + 1, **changes)
            self._changed.notify_all()

    def snapshot(self) -> Staged:
        return self._now

    def wait(self, rev: int, timeout_s: float) -> Staged:
        with self._changed:
            self._changed.wait_for(lambda: self._now.rev != rev, timeout_s)
        return self._now

    def send(self, given: Press | Command) -> None:
        self.sent.append(given)

    def order(self, given: Command, timeout_s: float = 5.0) -> tuple[Event, ...] | None:
        self.sent.append(given)
        ruling = Event("ruling", given.t_s, 1, 1, {"what": given.name, "by": "operator"})
        return None if self.deaf else (ruling,)

    def ready(self) -> bool:
        return self.is_ready


class Site:
    """The app on a port of its own; it can go away and come back there."""

    def __init__(self, table: Any, keeping: Keeping | None = None, records: Records | None = None) -> None:
        self.table, self.keeping, self.records = table, keeping, records
        self.players = Players(address=lambda: f"http://192.168.1.20:{self.port}")
        self.access = some_access()
        self.port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        self.port = listener.getsockname()[1]
        self._app = create_app(
            self.table, players=self.players, access=self.access, keeping=self.keeping, records=self.records
        )
        config = uvicorn.Config(self._app, log_config=None, ws="none", timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._listener = listener
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            time.sleep(0.01)

    async def _serve(self) -> None:
        await self._server.serve(sockets=[self._listener])
        await asyncio.sleep(0.05)  # connections that browsers kept open are closed in the loop's next rounds

    def stop(self) -> None:
        self._app.state.hub.close()
        self._server.should_exit = True
        self._thread.join(10)
        assert not self._thread.is_alive()
        self._listener.close()


@pytest.fixture(scope="session")
def board() -> BoardSet:
    return installed_sets()["transet"]


@pytest.fixture
def stage(board: BoardSet) -> Stage:
    return Stage(board)


@pytest.fixture
def demo_stage(board: BoardSet) -> Stage:
    return Stage(board, World(board, start_placement(board)))


@pytest.fixture
def serve() -> Iterator[Callable[..., Site]]:
    """Serve a table's page until the test ends."""
    running: list[Site] = []

    def started(table: Any, keeping: Keeping | None = None, records: Records | None = None) -> Site:
        running.append(Site(table, keeping, records))
        return running[-1]

    yield started
    for site in running:
        site.stop()


@pytest.fixture
def site(serve: Callable[[Any], Site], stage: Stage) -> Site:
    return serve(stage)


@pytest.fixture
def demo_site(serve: Callable[[Any], Site], demo_stage: Stage) -> Site:
    return serve(demo_stage)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A laptop's screen. Whatever the browser complains of fails the test, but for lost connections."""
    opened = browser.new_page(viewport={"width": 1366, "height": 768})
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("console", lambda line: complaints.append(line.text) if line.type in ("error", "warning") else None)
    yield opened
    opened.close()
    assert [line for line in complaints if "ERR_" not in line] == []


@pytest.fixture
def operator(stage: Stage) -> Iterator[TestClient]:
    """The app with a person who has logged in; every request carries what a page's own would."""
    with TestClient(create_app(stage, access=some_access()), base_url="http://localhost") as client:
        told = client.post("/api/operator/login", json={"pin": PIN}).json()
        client.headers |= {"x-csrf-token": told["csrf"], "origin": "http://localhost"}
        yield client


def log_in(page: Page, site: Site) -> None:
    """Log a browser in; its next page may be any of the operator's."""
    page.goto(f"{site.url}operator/login")
    page.locator("#pin").fill(PIN)
    page.locator("#go").click()
    page.wait_for_url("**/operator")


@pytest.fixture
def operator_page(page: Page, site: Site) -> Page:
    """A laptop on the operator's page of `site`, logged in."""
    log_in(page, site)
    return page


@pytest.fixture
def played() -> tuple[Played, ...]:
    return (Played(1, "South", "c1-c2", True, (Shift("dark-PIAS", "c1", "c2"),)),)
