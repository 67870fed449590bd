"""`boardref lights` as a user calls it, against a device on a pseudo-terminal."""

import io
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from calibration.lightmaps import default_map, frame_map
from calibration.wiring import usual_orders
from controller.cli import lights_device, main
from firmware_bridge.lightmap import LightMap
from firmware_bridge.mapfile import made_for, map_text, read_map
from firmware_bridge.scene import Hue
from firmware_bridge.virtual import VirtualDevice
from firmware_bridge.wire.native import SceneMessage
from vision.boardset import installed_sets

SITES = [f"{file}{rank}" for rank in "54321" for file in "abcde"]
PLAYERS = ("South", "North")
MAP = LightMap.of(SITES, PLAYERS)
BOARD = installed_sets()["transet"]


@pytest.fixture(autouse=True)
def _keep_the_handler() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def test_map_prints_the_default_map(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lights", "map"]) == 0
    assert read_map(capsys.readouterr().out, "stdout") == MAP


@pytest.mark.parametrize(
    ("words", "lightmap"),
    [
        ([], default_map(BOARD, PLAYERS)),
        (["--bar", "3", "--no-lamp"], default_map(BOARD, PLAYERS, leds=3, lamp=False)),
        (["--no-sites"], default_map(BOARD, PLAYERS, sites=False)),
        (["--strip", "60", "--start", "bottom-left", "--anticlockwise", "--bar", "6"],
         frame_map(BOARD, PLAYERS, 60, start="bottom-left", clockwise=False, bar=6)),
    ],
)  # fmt: skip
def test_map_writes_what_was_asked_for(
    words: list[str], lightmap: LightMap, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "map.json"
    assert main(["lights", "map", *words, "-o", str(path)]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert f'light_map = "{path}"' in said.err
    assert read_map(path.read_text(encoding="utf-8"), "map") == lightmap
    assert made_for(path.read_text(encoding="utf-8")) == "transet"


@pytest.mark.parametrize("words", [[], ["--strip", "60"]])
@pytest.mark.parametrize("bar", ["-3", "255"])
def test_a_bar_of_no_possible_length_is_wrong_usage(
    words: list[str], bar: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lights", "map", *words, "--bar", bar]) == 2
    assert "--bar takes a number" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("port", "sentence"),
    [
        ("usb:xx", "is not usb:VID:PID"),
        ("usb:1a86", "is not usb:VID:PID"),
        ("/dev/ttyX,foo", "there is no wire 'foo'"),
        ("/dev/ttyX,awa@fast", "awa@fast is no speed"),
        ("auto,native@9600", "native has its own speed"),
    ],
)
@pytest.mark.parametrize("action", ["test", "identify"])
def test_a_port_that_can_not_be_read_is_wrong_usage(
    action: str, port: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lights", action, "--port", port]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


class Person:
    """Somebody at the board, who sees which lights are lit and types where they are. `wiring`: light -> site."""

    def __init__(self, device: VirtualDevice, wiring: list[str], *, swapped: bool, slips: int = 0) -> None:
        self.device, self.wiring, self.swapped, self.slips, self.asked = device, wiring, swapped, slips, 0

    def readline(self) -> str:
        self.asked += 1
        state = self.device.lit()
        if state.sites:
            (index,) = state.sites
            if self.slips:
                self.slips -= 1
                return "z9\n"
            return f"{self.wiring[index]}\n" if index < len(self.wiring) else "-\n"
        if state.lamp.hue:
            return "\n"
        sides = [side for side, leds in state.bars.items() if any(light.hue for light in leds)]
        lit = [light.hue for light in state.bars[sides[0]] if light.hue]
        if len(lit) == 1:
            return "n\n" if sides[0] else "y\n"  # the second bar is mounted the other way round
        return f"{('North', 'South')[sides[0]] if self.swapped else ('South', 'North')[sides[0]]}\n"


@pytest.mark.parametrize("way", ["by rows from the bottom right, to and fro", "by columns from the top left"])
def test_map_asks_where_the_lights_are(
    way: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    order = usual_orders(BOARD)[way]
    device = VirtualDevice(MAP)
    person = Person(device, list(order), swapped=True, slips=2)
    monkeypatch.setattr(sys, "stdin", person)
    try:
        assert main(["lights", "map", "--ask", "--port", device.path]) == 0
    finally:
        device.close()
    said = capsys.readouterr()
    made = read_map(said.out, "map")
    assert made.sites == {site: index for index, site in enumerate(order)}
    assert made.bars == {"North": (0, 8), "South": (1, 8)}
    assert made.mirrored == frozenset({"South"})
    assert made.lamp
    assert f"wired {way}" in said.err
    assert "There is no site z9" in said.err
    assert person.asked < 20  # not all of the 25 had to be asked


def test_map_takes_any_wiring(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    device = VirtualDevice(n_sites=4)
    monkeypatch.setattr(sys, "stdin", Person(device, ["c3", "a1", "e5"], swapped=False))
    try:
        assert main(["lights", "map", "--ask", "--port", device.path]) == 0
    finally:
        device.close()
    assert read_map(capsys.readouterr().out, "map").sites == {"c3": 0, "a1": 1, "e5": 2}


def test_questions_that_nobody_answers_write_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    device = VirtualDevice(MAP)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    try:
        assert main(["lights", "map", "--ask", "--port", device.path]) == 1
    finally:
        device.close()
    said = capsys.readouterr()
    assert said.out == ""
    assert "nothing was written" in said.err


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[VirtualDevice, VirtualDevice]]:
    """Two USB ports: lights, and something that does not answer."""
    lights, other = VirtualDevice(MAP), VirtualDevice(MAP)
    other.silent = True

    def ports() -> list[ListPortInfo]:
        found = []
        for path, serial_number in ((lights.path, "A9F3"), (other.path, None)):
            port = ListPortInfo(path)
            port.vid, port.pid, port.serial_number, port.location = 0x0403, 0x6001, serial_number, "1-2:1.0"
            port.description = "FT232R"
            found.append(port)
        return found

    monkeypatch.setattr(list_ports, "comports", ports)
    monkeypatch.setattr(lights_device, "ANSWER_S", 1.5)
    yield lights, other
    lights.close()
    other.close()


def test_list_asks_each_port_what_it_is(
    plugged: tuple[VirtualDevice, VirtualDevice], capsys: pytest.CaptureFixture[str]
) -> None:
    lights, other = plugged
    assert main(["lights", "list"]) == 0
    said = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert "usb:0403:6001:A9F3  FT232R  Boardref lights by native, 25 site lights" in said[lights.path]
    assert "usb:0403:6001@1-2  FT232R" in said[other.path]
    assert "does not answer" in said[other.path]
    assert main(["lights", "list", "--json"]) == 0
    rows = {row["path"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}
    assert {"path", "vid", "pid", "serial", "name", "place", "spec", "answers", "said"} == set(rows[lights.path])
    assert rows[lights.path]["answers"]["sites"] == 25
    assert rows[other.path]["answers"] is None


def test_list_opens_no_port_where_it_must_not(
    plugged: tuple[VirtualDevice, VirtualDevice], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lights", "list", "--no-ask", "--json"]) == 0
    assert [json.loads(line)["answers"] for line in capsys.readouterr().out.splitlines()] == [None, None]
    assert plugged[0].received == []


def test_several_lights_are_to_be_named(
    plugged: tuple[VirtualDevice, VirtualDevice], capsys: pytest.CaptureFixture[str]
) -> None:
    plugged[1].silent = False
    assert main(["lights", "list"]) == 0
    assert "More than one answers" in capsys.readouterr().out


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
    assert said[26:30] == [f"corner {i} of 4, clockwise: {site}" for i, site in enumerate(("a5", "e5", "e1", "a1"), 1)]
    assert said[30:] == [
        "bar 0: South",
        "bar 0, at the left hand of South",
        "bar 1: North",
        "bar 1, at the left hand of North",
        "the lamp",
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["test", "--port", "/nowhere/tty"], "/nowhere/tty is not there"),
        (["test", "--map", "/nowhere/map.json"], "the light map /nowhere/map.json can't be read"),
        (["map", "-o", "/nowhere/map.json"], "/nowhere/map.json can't be written"),
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
