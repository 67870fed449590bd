"""A whole game at a real `boardref serve`, filmed as JPEG: nothing that it leaves behind holds a picture.

And what is planted is found: a check that finds nothing proves something only if it could.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from pictures import pictures_in, pictures_under

from controller.cli import main
from controller.web.app import start_placement
from vision.boardset import installed_sets
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World

BOARDREF = [sys.executable, "-m", "controller.cli"]
KEY = "Zx9-planted-nowhere-but-here-4471"
NAME = "Ada Quux"
BOARD = installed_sets()["transet"]
rng = np.random.default_rng(1)
PICTURE = cv2.GaussianBlur(rng.integers(0, 255, (96, 128, 3)).astype(np.uint8), (5, 5), 2)


def encoded(kind: str) -> bytes:
    return bytes(cv2.imencode(kind, PICTURE)[1].tobytes())


def saved(array: np.ndarray[Any, Any]) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


PLANTED = {
    **{f"a {kind} file": encoded(kind) for kind in (".jpg", ".png", ".bmp", ".webp", ".ppm", ".tiff", ".jp2")},
    "a gif": b"GIF89a" + bytes(50),
    "a film": b"\0\0\0\x18ftypmp42" + bytes(40),
    "a film in pictures": b"RIFF\x10\0\0\0AVI LIST" + bytes(40),
    "an array": saved(PICTURE),
    "the points of a frame": PICTURE.tobytes(),
    "the grey points of a small one": cv2.cvtColor(PICTURE, cv2.COLOR_BGR2GRAY)[:48, :64].tobytes(),
    "base64": base64.b64encode(encoded(".jpg")),
    "a data URL": b'{"picture": "data:image/png;base64,iVBORw0KGgo"}',
    "hex": encoded(".png").hex().encode(),
    "numbers": json.dumps(PICTURE[:8].ravel().tolist()).encode(),
    "numbers with fractions": json.dumps((PICTURE[:8] / 1.7).round(3).ravel().tolist()).encode(),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_picture_is_found_wherever_it_is_put(tmp_path: Path, planted: str) -> None:
    data = PLANTED[planted]
    text = b'{"event": "turn", "n": 1, "text": "c1-c2"}\n' * 40
    assert not list(pictures_in(text))
    assert list(pictures_in(data))
    assert list(pictures_in(text + data + text))
    assert list(pictures_in(gzip.compress(data)))
    for name in ("boardref.db", ".hidden", "sub/deep/canary-1.json"):
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        assert pictures_under(tmp_path), name
        place.unlink()
    with zipfile.ZipFile(tmp_path / "bundle.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("games.txt", text)
        assert not pictures_under(tmp_path)
        archive.writestr("more/x.txt", data)
    assert pictures_under(tmp_path)
    (tmp_path / "bundle.zip").unlink()
    database = sqlite3.connect(tmp_path / "boardref.db")
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("CREATE TABLE row (data TEXT)")
    database.execute("INSERT INTO row VALUES (?)", (text.decode(),))
    database.commit()
    assert not pictures_under(tmp_path)
    database.execute("INSERT INTO row VALUES (?)", (data,))
    database.commit()
    assert pictures_under(tmp_path)  # it lies in the log of the database as yet
    database.close()
    assert pictures_under(tmp_path)


class Film:
    """The simulated camera as one on the network: MJPEG over HTTP, from `start` on."""

    def __init__(self, world: World) -> None:
        self.camera = SimulatedCamera(world, fps=8.0)
        self.server: ThreadingHTTPServer | None = None
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        self.up = True
        film = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("content-type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                index = -1
                while film.up:
                    frame = film.camera.latest(index, 1.0)
                    if frame is None:
                        continue
                    index = frame.index
                    part = cv2.imencode(".jpg", frame.image)[1].tobytes()
                    head = f"--frame\r\ncontent-type: image/jpeg\r\ncontent-length: {len(part)}\r\n\r\n"
                    try:
                        self.wfile.write(head.encode() + part + b"\r\n")
                    except OSError:
                        return

            def log_message(self, *_: object) -> None:
                """Silent."""

        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.up = False
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
        self.camera.close()


@pytest.fixture
def world() -> World:
    return World(BOARD, start_placement(BOARD))


@pytest.fixture
def film(world: World) -> Iterator[Film]:
    running = Film(world)
    yield running
    running.close()


def carry(world: World, origin: str, to: str) -> None:
    (x0, y0), (x1, y1) = BOARD.centre(origin), BOARD.centre(to)
    piece = min(world.snapshot().pieces, key=lambda one: (one.x_mm - x0) ** 2 + (one.y_mm - y0) ** 2)
    world.lift(piece.id)
    for step in range(1, 4):
        time.sleep(0.1)
        world.move(piece.id, x0 + (x1 - x0) * step / 3, y0 + (y1 - y0) * step / 3)
    world.drop(piece.id)


class Table:
    """The real command. Everything that it writes, its standard output too, lies under `folder`."""

    def __init__(self, folder: Path, settings: str) -> None:
        self.folder = folder
        for name in ("data", "tmp", "home"):
            (folder / name).mkdir()
        (folder / "table.toml").write_text(settings)
        self.environment = {
            **os.environ, "PYTHONUNBUFFERED": "1", "TMPDIR": str(folder / "tmp"), "HOME": str(folder / "home"),
        }  # fmt: skip
        with (folder / "log.txt").open("wb") as log:
            self.process = subprocess.Popen(
                [*BOARDREF, "serve", "--config", "table.toml"], cwd=folder, stdout=log, stderr=log, env=self.environment
            )
        self.address = ""
        self.until(self._answers)

    def _answers(self) -> bool:
        found = re.search(r"http://127\.0\.0\.1:\d+/", (self.folder / "log.txt").read_text())
        self.address = found[0] if found else ""
        return bool(found)

    def until(self, holds: Callable[[], bool]) -> None:
        ends_s = time.monotonic() + 40
        while not holds():
            assert time.monotonic() < ends_s, (self.folder / "log.txt").read_text()
            time.sleep(0.05)

    def ask(self, path: str, body: Any = None) -> Any:
        headers = {"content-type": "application/json", "authorization": f"Bearer {KEY}"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, headers)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                told = answer.read()
        except urllib.error.HTTPError as refused:
            refused.add_note(refused.read().decode())
            raise
        return json.loads(told) if "json" in answer.headers["content-type"] else told

    def state(self) -> Any:
        return self.ask("api/state")


@pytest.fixture
def _keep_the_handler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.chdir(tmp_path)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("_keep_the_handler")
def test_a_whole_game_leaves_no_picture_behind(tmp_path: Path, world: World, film: Film) -> None:
    table = Table(
        tmp_path,
        f'host = "127.0.0.1"\nport = 0\nlights = "none"\ndata = "data"\ncamera = "{film.url}"\noperator_pin = "8061"\n'
        f'[[api_keys]]\nname = "script"\napi_key = "{KEY}"\n',
    )
    try:
        table.until(lambda: table.state()["camera"]["state"] == "lost")
        film.start()  # plugged in: the table needs nobody to find it
        table.until(lambda: table.state()["camera"]["state"] == "ok")
        shown = table.ask("api/operator/preview", {"on": True})
        assert shown["left_s"] > 0

        def picture() -> bytes:
            try:
                return bytes(table.ask("api/operator/preview.jpg"))
            except OSError:
                return b""

        table.until(lambda: bool(list(pictures_in(picture()))))  # there are pictures to be had, and to be lost
        table.ask("api/operator/preview", {"on": False})
        table.until(lambda: table.state()["phase"] == "play")
        table.ask("api/operator/order", {"name": "name_players", "arguments": {"South": NAME}})
        carry(world, "c1", "c2")
        table.until(lambda: len(table.state()["turns"]) == 1)
        carry(world, "a5", "c3")
        table.until(lambda: table.state()["message"]["code"] == "illegal")
        table.ask("api/operator/report", {"note": "that was legal"})
        carry(world, "c3", "a5")
        table.until(lambda: table.state()["message"]["code"] == "to_move")
        carry(world, "c5", "c4")
        table.until(lambda: len(table.state()["turns"]) == 2)
        table.ask("api/press", {"player": "South", "button": "resign", "sure": True})
        table.until(lambda: table.state()["phase"] == "over")
        assert main(["bundle", "--config", "table.toml", "-o", "bundle.zip"]) == 0
        assert main(["games", "backup", "--data", "data", "backup.zip"]) == 0
        for form in ("text", "json", "csv"):
            assert main(["games", "export", "1", "--data", "data", "--format", form, "-o", f"game.{form}"]) == 0
    finally:
        table.process.send_signal(signal.SIGTERM)
        table.process.wait(10)
    assert table.process.returncode == 0
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert {"boardref.db", "log.txt", "bundle.zip", "backup.zip", "game.json"} <= names
    assert any(name.endswith(".sightings") for name in names)
    assert pictures_under(tmp_path) == []
    log = (tmp_path / "log.txt").read_text()
    assert "Traceback" not in log
    with zipfile.ZipFile(tmp_path / "bundle.zip") as archive:
        bundle = b"".join(archive.read(member) for member in archive.namelist()).decode()
    for secret in (KEY, "8061", NAME):
        assert secret not in bundle
        assert secret not in log
    for path in tmp_path.rglob("*"):  # and the address of nobody who looked
        if path.is_file() and path.name not in ("log.txt", "table.toml"):
            assert film.url.encode() not in path.read_bytes()
