"""`boardref serve` with settings that are not in order: its page says what is wrong; mended, the table starts."""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.lightmaps import default_map
from controller.cli import main
from controller.errors import StartError
from controller.journal.hold import Hold
from controller.referee.signals import STATES
from controller.rules.registry import game_named
from controller.salvage import salvaged
from controller.starting import Start
from controller.words import LANGUAGES, fault_rest, fault_sentence
from controller.words.catalogue import catalogue
from firmware_bridge.virtual import VirtualDevice
from vision.boardset import installed_sets

BOARDREF = [sys.executable, "-m", "controller.cli"]
SET = (files("calibration") / "sets" / "transet.toml").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("BOARDREF_") or name == "CREDENTIALS_DIRECTORY":
            monkeypatch.delenv(name)


CODES = {key.removeprefix("fault.") for key in catalogue("en") if key.startswith("fault.") and key.count(".") == 1}
CODES -= {"head", "mend", "kept", "meant", "camera"}

FAULTS: list[tuple[str, str, tuple[str, ...]]] = [
    ("port = = 1\n", "syntax", ("line 1", "TOML")),
    ('lights = "none"\ncamra = "0"\n', "unknown", ("line 2", "camra", "Did you mean “camera”?")),
    (f"port = 1\nx = {'[' * 9000}", "syntax", ("nested too deeply",)),
    ("port = 99999\n", "value", ("line 1", "“port”", "65535 or less")),
    ('\n\nport = "many"\n', "value", ("line 3", "“port”", "a whole number")),
    ("mains_hz = 55\n", "value", ("line 1", "“mains_hz”", "50 or 60")),
    ("game = 3\n", "value", ("line 1", "“game”", "a text")),
    ('calm_lights = "perhaps"\n', "value", ("line 1", "“calm_lights”", "true or false")),
    ('options = "no"\n', "value", ("line 1", "“options”", "a table")),
    ("players_may = 3\n", "value", ("line 1", "“players_may”", "a list")),
    ('game = "nope"\n', "use", ("line 1", "“game”", "no game 'nope'")),
    ('set = "none.toml"\n', "use", ("line 1", "“set”", "no set file")),
    ('set = "a\\u0000b"\n', "use", ("line 1", "“set”", "null")),
    ('set = "key.toml"\n', "use", ("line 1", "“set”", "did you mean game")),
    ('profile = "none.toml"\n', "use", ("line 1", "“profile”", "none.toml")),
    ('game = "transet"\n[options]\nfoo = "x"\n', "use", ("line 2", "“options”", "no option 'foo'")),
    ('light_map = "none.toml"\n', "use", ("line 1", "“light_map”", "none.toml")),
    ('lights = "/dev/ttyUSB0,morse"\n', "use", ("line 1", "“lights”", "morse")),
    ('camera = "none.mp4"\n', "use", ("line 1", "“camera”", "none.mp4")),
    ('camera = "folder"\n', "use", ("line 1", "“camera”", "folder")),
    ('data = "key.toml"\n', "use", ("line 1", "“data”", "key.toml")),
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "key.toml").write_text(SET.replace("game =", "gaem ="))
    return tmp_path


def wrong(path: str | None) -> StartError:
    with pytest.raises(StartError) as told:
        Start(path).parts().close()
    return told.value


@pytest.mark.parametrize(("text", "code", "says"), FAULTS, ids=[text.strip()[:24] for text, _, _ in FAULTS])
def test_what_keeps_a_table_from_starting_is_said_in_every_language(
    place: Path, text: str, code: str, says: tuple[str, ...]
) -> None:
    (place / "table.toml").write_text(text)
    error = wrong("table.toml")
    assert error.fault.code == code
    for language in LANGUAGES:
        said = fault_sentence(code, error.fault.facts, language)
        assert "{" not in said
        assert "table.toml" in said
        if language == "en":
            assert [words for words in says if words not in said] == []
        else:
            assert said != fault_sentence(code, error.fault.facts)
            assert error.fault.facts.get("line", "") in said
            assert error.fault.facts.get("key", "") in said


def test_files_that_cannot_be_read_are_named(place: Path) -> None:
    (place / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    assert wrong("none.toml").fault.code == "missing"
    assert wrong("folder").fault.code == "unreadable"
    assert wrong("bytes.toml").fault.code == "not_utf8"
    for code in CODES:
        facts = {"file": "F", "line": "7", "key": "K", "why": "W", "wanted": "whole"}
        assert len({fault_sentence(code, facts, language) for language in LANGUAGES}) == len(LANGUAGES)
    assert len(set(map(fault_rest, LANGUAGES))) == len(LANGUAGES)


def test_a_word_in_the_environment_and_a_bug_are_named(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDREF_PROT", "1")
    fault = wrong(None).fault
    said = fault_sentence(fault.code, fault.facts)
    assert "BOARDREF_PROT" in said
    assert "BOARDREF_PORT" in said
    monkeypatch.delenv("BOARDREF_PROT")
    monkeypatch.setattr("controller.starting.chosen_sets", lambda game, file: 1 / 0)
    assert wrong(None).fault.code == "internal"


@given(st.text(max_size=80), st.integers(1, 65535), st.sampled_from(["before", "after"]))
def test_of_any_file_the_port_is_read_if_its_line_stands(tmp_path_factory: Any, text: str, port: int, at: str) -> None:
    junk = "".join(letter for letter in text if letter not in "[\"'{" and letter.isprintable()) + "\n"
    path = tmp_path_factory.getbasetemp() / "any.toml"
    line = f"port = {port}\n"
    path.write_text(line + junk if at == "before" else junk + line, encoding="utf-8", errors="replace")
    repeated = re.search(r"^\s*port", junk, re.M)
    assert repeated or salvaged(str(path)).port == port


def test_what_is_right_is_kept_beside_what_is_wrong(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "table.toml").write_text('host = "127.0.0.1"\nport = "many"\nlights = "/dev/ttyX"\nfoo = 1\nmode = "x"\n')
    found = salvaged("table.toml")
    assert (found.host, found.port, found.lights, found.mode) == ("127.0.0.1", 8000, "/dev/ttyX", "referee")
    monkeypatch.setenv("BOARDREF_PORT", "9000")
    monkeypatch.setenv("BOARDREF_OPTIONS", "no json")
    monkeypatch.setenv("BOARDREF_MAINS_HZ", "55")
    assert salvaged("table.toml").port == 9000
    assert salvaged("none.toml").port == 9000
    monkeypatch.delenv("BOARDREF_PORT")
    (place / "deep.toml").write_text(f"port = 7000\nx = {'[' * 9000}")
    assert salvaged("deep.toml").port == 7000


class Serve:
    """The real command in a process of its own."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.process = subprocess.Popen(
            [*BOARDREF, "serve", "--config", "table.toml"], cwd=folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1", **environment},
        )  # fmt: skip
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        found = re.search(r"http://\S+/", self.said)
        assert found, self.process.communicate()
        self.address = found[0]

    def ask(self, path: str, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        request = urllib.request.Request(self.address + path, headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def until(self, path: str, holds: Callable[[Any], bool]) -> Any:
        ends_s = time.monotonic() + 40
        while True:
            try:
                told = self.ask(path)[1]
            except OSError:  # one page makes room for the next
                told = None
            if told is not None and holds(told):
                return told
            assert time.monotonic() < ends_s, told
            time.sleep(0.05)

    def stop(self) -> str:
        self.process.send_signal(signal.SIGTERM)
        _, err = self.process.communicate(timeout=10)
        assert self.process.returncode == 0
        assert "Traceback" not in err
        return err


def levels(told: Any) -> dict[str, str]:
    return {check["name"]: check["level"] for check in told["checks"]}


@pytest.fixture
def serving() -> Iterator[list[Serve]]:
    started: list[Serve] = []
    yield started
    for one in started:
        one.process.kill()
        one.process.communicate()


def test_the_page_answers_lights_call_and_the_table_starts_once_the_settings_are_mended(
    tmp_path: Path, serving: list[Serve]
) -> None:
    board = installed_sets()["transet"]
    device = VirtualDevice(default_map(board, game_named("transet").players))
    good = f'host = "127.0.0.1"\nport = 0\ngame = "transet"\nlights = "{device.path}"\ndata = "data"\n'
    good += 'names = ["table.cafe.example"]\n'
    settings, record = tmp_path / "table.toml", tmp_path / "data" / "boardref.db"
    record.mkdir(parents=True)  # no journal can be opened there, either
    settings.write_text(good + 'camra = "/dev/nowhere"\n')
    table = Serve(tmp_path)
    serving.append(table)
    try:
        assert "says what is wrong" in table.said
        assert table.ask("healthz") == (200, {"ok": True})
        for name, status in (("table.cafe.example", 200), ("evil.example", 400)):
            assert table.ask("healthz", {"host": name})[0] == status
        status, ready = table.ask("readyz")
        assert status == 503
        assert ready["ready"] is False
        assert "line 7" in ready["reason"]
        assert "Did you mean “camera”?" in ready["reason"]
        for language in LANGUAGES:
            checks = {check["name"]: check for check in table.ask(f"api/health?lang={language}")[1]["checks"]}
            shown = table.ask(f"api/state?lang={language}")[1]["message"]
            assert (checks["settings"]["level"], shown["code"]) == ("problem", "fault")
            assert shown["lead"] == checks["settings"]["said"]
            assert "camra" in shown["lead"]
            assert shown["headline"] == catalogue(language)["fault.head"]
            assert shown["more"][0] == checks["settings"]["hint"] == catalogue(language)["fault.mend"]
        ends_s = time.monotonic() + 20
        while device.lit().scene != STATES["operator_needed"]:
            assert time.monotonic() < ends_s
            time.sleep(0.05)
        settings.write_text(good.replace("port = 0", "port = ")[: len(good)])
        table.until("readyz", lambda told: "TOML" in told["reason"])
        settings.unlink()
        table.until("readyz", lambda told: "There is no settings file" in told["reason"])
        settings.write_text(good + 'camera = "/dev/nowhere"\n')
        table.until("readyz", lambda told: "/dev/nowhere" in told["reason"])
        table.until("api/state", lambda told: told["message"]["code"] != "fault")
        ends_s = time.monotonic() + 20
        while device.lit().scene != STATES["camera_lost"]:
            assert time.monotonic() < ends_s
            time.sleep(0.05)
        unkept = [table.ask(f"api/state?lang={language}")[1]["journal"]["sentence"] for language in LANGUAGES]
        assert len(set(unkept)) == len(LANGUAGES)
        for language, said in zip(LANGUAGES, unkept, strict=True):
            why = catalogue(language)["fault.journal.folder"].partition("{path} ")[2].partition(";")[0].strip()
            assert why
            assert why in said
        record.rmdir()
        table.until("api/health", lambda told: {"record": "ok", "storage": "ok"}.items() <= levels(told).items())
        assert record.is_file()
        assert table.stop().count("boardref: ") >= 3
    finally:
        device.close()


@pytest.fixture
def _as_before() -> Iterator[None]:
    """What a command sets for its own process is set back."""
    root, handler = logging.getLogger(), signal.getsignal(signal.SIGTERM)
    handlers, level = root.handlers[:], root.level
    yield
    signal.signal(signal.SIGTERM, handler)
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.usefixtures("_as_before")
@pytest.mark.parametrize("rest", ["", 'camra = "0"\n'])  # whether or not the rest is in order
def test_a_port_that_is_taken_ends_the_command_with_a_sentence(
    tmp_path: Path, rest: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = tmp_path / "table.toml"
        settings.write_text(f'host = "127.0.0.1"\nport = {port}\n{rest}')
        code = main(["serve", "--config", str(settings)])
    said = capsys.readouterr()
    assert (code, said.out) == (1, "")
    hint = "stop what uses it, or choose another with `port` in the settings"
    assert said.err == f"boardref: port {port} is in use; {hint}\n"


def test_the_address_may_change_with_the_mending(tmp_path: Path, serving: list[Serve]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        good = f'host = "127.0.0.1"\nport = {port}\ncamera = "/dev/nowhere"\nlights = "none"\ndata = "data"\n'
        (tmp_path / "table.toml").write_text(good.replace(str(port), "0") + "foo = 1\n")
        table = Serve(tmp_path)
        serving.append(table)
        (tmp_path / "table.toml").write_text(good)
        table.until("readyz", lambda told: "in use" in told["reason"])
    table.address = f"http://127.0.0.1:{port}/"
    table.until("readyz", lambda told: "/dev/nowhere" in told["reason"])
    table.stop()


def test_two_tables_never_go_on_with_the_same_game(tmp_path: Path, serving: list[Serve]) -> None:
    """A second demo ends with a sentence; a second table waits, says why on its page, and starts when it may."""
    folder = tmp_path / "data"
    folder.mkdir()
    settings = 'host = "127.0.0.1"\nport = 0\ngame = "transet"\nlights = "none"\ncamera = "/dev/nowhere"\n'
    (tmp_path / "table.toml").write_text(settings + 'data = "data"\n')
    first = Hold.table(folder)
    demo = subprocess.run(
        [*BOARDREF, "demo", "--no-browser", "--port", "0", "--data", str(folder)],
        capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert (demo.returncode, demo.stdout) == (1, "")
    assert demo.stderr == (
        f"boardref: a table is already running with the records in {folder}; stop it, or keep these in another folder\n"
    )
    table = Serve(tmp_path)
    serving.append(table)
    told = table.until("readyz", lambda told: "already running" in told.get("reason", ""))
    assert "line 6" in told["reason"]
    assert not (folder / "boardref.db").exists()
    first.release()
    table.until("api/state", lambda told: told["message"]["code"] != "fault")
    table.stop()
    with Hold.table(folder):
        pass
