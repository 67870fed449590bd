"""`boardref lights` as a user calls it, against a device on a pseudo-terminal."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli import main
from firmware_bridge.lightmap import LightMap
from firmware_bridge.mapfile import map_text, read_map
from firmware_bridge.scene import Hue
from firmware_bridge.virtual import VirtualDevice
from firmware_bridge.wire.native import SceneMessage

SITES = [f"{file}{rank}" for rank in "54321" for file in "abcde"]
MAP = LightMap.of(SITES, ("South", "North"))


@pytest.fixture(autouse=True)
def _keep_the_handler() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def test_map_prints_the_default_map(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lights", "map"]) == 0
    assert read_map(capsys.readouterr().out, "stdout") == MAP


def test_list_with_json_prints_objects_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lights", "list", "--json"]) == 0
    for line in capsys.readouterr().out.splitlines():
        assert set(json.loads(line)) == {"path", "vid", "pid", "serial", "name"}


def test_the_sweep_lights_every_light_in_every_hue(capsys: pytest.CaptureFixture[str]) -> None:
    device = VirtualDevice(MAP)
    try:
        assert main(["lights", "test", "--port", device.path, "--seconds", "0"]) == 0
    finally:
        device.close()
    said = capsys.readouterr().out
    for index, site in enumerate(SITES):
        assert f"amber light {index}: {site}" in said
    sent = {light for message in device.received if isinstance(message, SceneMessage) for light in message.lights}
    assert {(index, int(hue)) for index in range(25) for hue in (Hue.WHITE, Hue.BLUE, Hue.AMBER)} <= sent
    assert {(0x40FF, 3), (0x41FF, 3)} <= sent


def test_identify_follows_a_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mirrored = LightMap({site: 24 - index for site, index in MAP.sites.items()}, MAP.bars)
    path = tmp_path / "map.json"
    path.write_text(map_text(mirrored), encoding="utf-8")
    device = VirtualDevice(MAP)
    try:
        assert main(["lights", "identify", "--port", device.path, "--seconds", "0", "--map", str(path)]) == 0
    finally:
        device.close()
    said = capsys.readouterr().out.splitlines()
    assert said[1] == "light 0: e1"
    assert said[-2:] == ["bar 0: South", "bar 1: North"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["test", "--port", "/nowhere/tty"], "/nowhere/tty is not there"),
        (["identify", "--port", "usb:12"], "is not usb:VID:PID"),
        (["test", "--map", "/nowhere/map.json"], "the light map /nowhere/map.json can't be read"),
        (["map", "--set", "/nowhere/set.toml"], "/nowhere/set.toml"),
    ],
)
def test_failures_are_one_sentence(words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lights", *words]) == 1
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_virtual_names_its_port_tells_what_it_shows_and_ends(ending: signal.Signals) -> None:
    command = [sys.executable, "-m", "controller.cli", "lights", "virtual"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        try:
            path = next(word for word in run.stdout.readline().split() if word.startswith("/dev/")).rstrip(".")
            assert "nobody speaks" in run.stdout.readline()
            sweep = [sys.executable, "-m", "controller.cli", "lights", "test", "--port", path, "--seconds", "0"]
            assert subprocess.run(sweep, capture_output=True, timeout=60, check=False).returncode == 0
            run.send_signal(ending)
            assert run.wait(timeout=20) == 0
            assert "steady" in run.stdout.read()
        finally:
            run.kill()
