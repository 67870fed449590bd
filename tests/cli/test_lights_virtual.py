"""`boardref lights virtual`: pretended lights on every wire, drawn in colours on a terminal and in letters without."""

import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.cli import main
from controller.cli.lights_virtual import _letter
from firmware_bridge.lightmap import LightMap
from firmware_bridge.link import Link
from firmware_bridge.scene import Bar, Hue, Light, Scene
from firmware_bridge.virtual import VirtualDevice

MAP = LightMap.of([f"{file}{rank}" for rank in "54321" for file in "abcde"], ("South", "North"))
SCENE = Scene("x", 7, {"a5": Light(Hue.BLUE), "e1": Light(Hue.AMBER)}, {"South": Bar(Light(Hue.WHITE))})
COMMAND = [sys.executable, "-m", "controller.cli", "lights", "virtual"]


class Running:
    """The command with its output on a pipe."""

    def __init__(self, *words: str) -> None:
        self.run = subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert self.run.stdout is not None
        os.set_blocking(self.run.stdout.fileno(), False)
        self.said = ""

    def until(self, wanted: str | Callable[[str], bool]) -> str:
        ends_s = time.monotonic() + 40
        while not (wanted in self.said if isinstance(wanted, str) else wanted(self.said)):
            assert time.monotonic() < ends_s, (wanted, self.said)
            assert self.run.stdout is not None
            if select.select([self.run.stdout], [], [], 0.1)[0]:
                self.said += (self.run.stdout.read() or b"").decode()
        return self.said

    def port(self) -> str:
        found = re.search(r"on (/dev/\S+)\.", self.until(". Ctrl-C"))
        assert found
        return found[1]

    def end(self) -> int:
        self.run.send_signal(signal.SIGINT)
        return self.run.wait(timeout=20)


@pytest.fixture
def start() -> Iterator[Callable[..., Running]]:
    started: list[Running] = []

    def begin(*words: str) -> Running:
        started.append(Running(*words))
        return started[-1]

    yield begin
    for one in started:
        one.run.kill()
        one.run.wait()
        assert one.run.stdout is not None
        one.run.stdout.close()


@pytest.mark.parametrize("wire", ["adalight", "awa", "wled", "wled-json", "tpm2"])
def test_letters_for_every_strip(start: Callable[..., Running], wire: str) -> None:
    lights = start("--wire", wire)
    link = Link(f"{lights.port()},{wire}", MAP)
    try:
        link.show(SCENE)
        lights.until(f"sites B{'.' * 23}A; South WWWWWWWW; North ........; lamp .")
    finally:
        link.close()
    assert lights.end() == 0


def test_words_for_the_native_wire(start: Callable[..., Running]) -> None:
    lights = start()
    link = Link(lights.port(), MAP)
    try:
        link.show(SCENE)
        lights.until("a5 blue steady, e1 amber steady, South [white steady]")
    finally:
        link.close()


def test_a_pulled_cable_is_plugged_in_again_and_the_link_file_follows(
    start: Callable[..., Running], tmp_path: Path
) -> None:
    lead = tmp_path / "lights"
    lights = start("--fault", "drop=1", "--fault", "corrupt=9", "--link", str(lead))
    first = lights.port()
    link = Link(str(lead), MAP)
    try:
        link.show(SCENE)
        lights.until("The cable is pulled.")
        lights.until("Plugged in again: /dev/")
        assert os.readlink(lead) != first
        lights.until(lambda said: "a5 blue" in said.partition("Plugged in again")[2])
    finally:
        link.close()
    assert lights.end() == 0
    assert not lead.is_symlink()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [("wrong-count=3", "3 site lights"), ("old-firmware", "too old"), ("silent=2", "do not answer")],
)
def test_faults_are_seen_by_the_link(start: Callable[..., Running], fault: str, reason: str) -> None:
    lights = start("--fault", fault)
    link = Link(f"{lights.port()},native", MAP)
    said: set[str] = set()
    try:
        ends_s = time.monotonic() + 40
        while not any(reason in one for one in said):
            assert time.monotonic() < ends_s, said
            said.add(link.status().reason)
            time.sleep(0.01)
    finally:
        link.close()


def test_colours_on_a_terminal() -> None:
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen([*COMMAND, "--wire", "wled"], stdout=slave, env=environment) as run:
        os.close(slave)
        try:
            said = ""
            ends_s = time.monotonic() + 40
            while "nobody speaks" not in said or "\x1b[38;2;" not in said:  # its own look: one LED, amber
                assert time.monotonic() < ends_s, said
                said += os.read(master, 4096).decode()
            assert said.count("North") == said.count("South") > 0
        finally:
            run.kill()
            os.close(master)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--fault", "fire"], "'fire' is no fault; there are drop, silent"),
        (["--fault", "slow=fast"], "'slow=fast' is no fault"),
        (["--fault", "drop=0"], "every 0 seconds"),
    ],
)
def test_no_such_fault(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGTERM)
    try:
        assert main(["lights", "virtual", *words]) == 2
    finally:
        signal.signal(signal.SIGTERM, before)
    assert sentence in capsys.readouterr().err


def test_letters() -> None:
    colours = [(0, 0, 0), (255, 255, 255), (90, 90, 90), (0, 110, 255), (255, 160, 0), (80, 50, 0)]
    assert "".join(map(_letter, colours)) == ".WwBAa"


def test_serve_takes_the_lights_named_on_the_command_line(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = tmp_path / "table.toml"
    settings.write_text(
        f'camera = "/dev/nowhere"\nhost = "127.0.0.1"\nport = {port}\nlights = "none"\ndata = "{tmp_path}"\n',
        encoding="utf-8",
    )
    device = VirtualDevice(MAP, wire="tpm2")
    command = [sys.executable, "-m", "controller.cli", "serve", "--config", str(settings), "--lights"]
    with subprocess.Popen([*command, f"{device.path},tpm2"], stderr=subprocess.PIPE) as run:
        try:
            ends_s = time.monotonic() + 40
            while device.host_lost or not any(map(any, device.strip().pixels)):  # the camera is lost: amber
                assert time.monotonic() < ends_s
                time.sleep(0.02)
        finally:
            run.kill()
            device.close()
