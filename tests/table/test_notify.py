"""Words to systemd, heard on a real socket."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.notify import Alive, notify, watchdog_s


class Ear:
    """systemd's end of the line."""

    def __init__(self, address: str) -> None:
        self.line = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.line.bind("\0" + address[1:] if address.startswith("@") else address)
        self.line.settimeout(0.05)

    def heard(self) -> list[str]:
        """All words that have come."""
        words: list[str] = []
        while True:
            try:
                words += self.line.recv(4096).decode().split("\n")
            except TimeoutError:
                return words

    def until(self, word: str, timeout_s: float = 30.0) -> list[str]:
        """All words up to the one that starts like this."""
        words: list[str] = []
        ends = time.monotonic() + timeout_s
        while not any(one.startswith(word) for one in words):
            assert time.monotonic() < ends, f"{word} never came; heard {words}"
            words += self.heard()
        return words


@pytest.fixture(params=["path", "abstract"])
def ear(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ear]:
    address = str(tmp_path / "notify") if request.param == "path" else f"@boardref-test-{os.getpid()}"
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    found = Ear(address)
    yield found
    found.line.close()


def test_words_arrive(ear: Ear) -> None:
    assert notify("READY=1", "STATUS=all is well")
    assert ear.heard() == ["READY=1", "STATUS=all is well"]


def test_a_table_that_turns_is_alive_and_one_that_hangs_is_not(ear: Ear, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "300000")
    idle_s = [0.0]
    alive = Alive(lambda: idle_s[0], lambda: "Transet, game 1")
    alive.start()
    assert ear.until("WATCHDOG=1")[:2] == ["READY=1", "STATUS=Transet, game 1"]
    idle_s[0] = 5.0
    time.sleep(0.25)  # a word may be under way
    ear.heard()
    time.sleep(0.5)
    assert "WATCHDOG=1" not in ear.heard()
    idle_s[0] = 0.0
    ear.until("WATCHDOG=1")
    alive.stop()
    assert ear.until("STOPPING=1")


def test_a_table_that_can_not_say_how_it_goes_is_alive_all_the_same(ear: Ear, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "150000")
    said = iter(["Transet, game 1"])
    alive = Alive(lambda: 0.0, lambda: next(said))  # from the second time on it fails
    alive.start()
    ear.until("READY=1")
    for _ in range(3):
        ear.until("WATCHDOG=1")
    alive.stop()


@pytest.mark.parametrize("usec", ["", "0", "-5", "soon"])
def test_where_nobody_waits_there_is_no_watchdog(monkeypatch: pytest.MonkeyPatch, usec: str) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", usec)
    assert watchdog_s() is None


def test_another_process_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "1000000")
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid() + 1))
    assert watchdog_s() is None
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))
    assert watchdog_s() == 1.0


@pytest.mark.parametrize("address", ["", "nowhere", "/nobody/listens/here", "@nobody-listens-here"])
def test_nobody_listens(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    assert not notify("READY=1")


def test_a_running_table_tells_its_supervisor(tmp_path: Path) -> None:
    ear = Ear(str(tmp_path / "notify"))
    command = [sys.executable, "-m", "controller.cli", "demo", "--no-browser", "--port", "0", "--data", str(tmp_path)]
    environment = {**os.environ, "NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "3000000"}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    try:
        assert any(word.startswith("STATUS=") for word in ear.until("READY=1"))
        assert "WATCHDOG=1" in ear.until("STATUS=Transet, game 1")
        process.send_signal(signal.SIGTERM)
        ear.until("STOPPING=1")
        _, said = process.communicate(timeout=10)
        assert (process.returncode, said) == (0, b"")
    finally:
        process.kill()
        process.wait()
        ear.line.close()
