"""`boardref doctor` and the checks that it shares with `/api/health`."""

from __future__ import annotations

import ast
import ctypes
import json
import re
import signal
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from controller import health
from controller.canary import Canary
from controller.cli import doctor, main
from controller.health import LEVELS, Check, storage_check, table_checks, worst
from controller.journal import walltime
from controller.journal.store import Journal
from controller.power import throttled
from controller.words import LANGUAGES
from controller.words.catalogue import catalogue
from firmware_bridge.lightmap import LightMap
from firmware_bridge.virtual import VirtualDevice

FRAMES = Path(__file__).parents[1] / "data" / "frames"


@pytest.fixture(autouse=True)
def _keep_the_handler() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@dataclass(frozen=True)
class State:
    """What a table says of itself."""

    age_s: float = 0.1
    camera: Mapping[str, Any] = field(default_factory=lambda: {"state": "ok", "sentence": "", "since": 5.0})
    link: Mapping[str, Any] = field(default_factory=lambda: {"state": "ready", "sentence": ""})
    journal: Mapping[str, Any] = field(default_factory=lambda: {"state": "ok", "sentence": ""})
    fault: Mapping[str, Any] | None = None


def levels(state: State) -> dict[str, str]:
    return {check.name: check.level for check in table_checks(state)}


def test_a_table_at_work_is_well() -> None:
    assert levels(State()) == {"camera": "ok", "pictures": "ok", "lights": "ok", "record": "ok"}


@pytest.mark.parametrize(
    ("state", "name", "level", "says"),
    [
        (State(camera={"state": "lost", "sentence": "The camera 0 is gone."}), "camera", "problem", "is gone"),
        (State(camera={"state": "starting", "sentence": "Opening."}), "camera", "warning", "Opening"),
        (State(age_s=60.0), "pictures", "problem", "60 s"),
        (State(age_s=float("inf")), "pictures", "problem", "No picture"),
        (State(link={"state": "down", "sentence": "port held by x"}), "lights", "warning", "held by x"),
        (State(link={"state": "off", "sentence": ""}), "lights", "ok", "No lights"),
        (State(link={"state": "ready", "health": {"supply_mv": 4900}}), "lights", "ok", "answer"),
        (State(link={"state": "ready", "health": {"supply_mv": 0}}), "lights", "ok", "answer"),  # it can't tell
        (State(link={"state": "ready", "health": {"supply_mv": 3980}}), "lights", "warning", "only 4.0 V"),
        (State(journal={"state": "failing", "sentence": "disk full"}), "record", "problem", "disk full"),
        (State(journal={"state": "off", "sentence": ""}), "record", "warning", "No record"),
    ],
)
def test_what_is_not_well_is_named_with_what_to_do(state: State, name: str, level: str, says: str) -> None:
    found = {check.name: check for check in table_checks(state)}
    assert found[name].level == level
    assert says in found[name].said
    assert found[name].hint or level == "ok"
    assert all(check.level == "ok" for other, check in found.items() if other != name)


@given(st.lists(st.sampled_from(LEVELS)))
def test_the_worst_level_is_told(found: list[health.Level]) -> None:
    assert worst(Check("x", level, "") for level in found) == max(found, key=LEVELS.index, default="ok")


@pytest.mark.parametrize(
    ("bits", "level", "says"),
    [
        ("0", "ok", "enough"),
        ("50005", "problem", "too weak now"),
        ("50000", "warning", "at times"),
        ("4", "warning", "slowed"),
    ],
)
def test_the_raspberry_pis_supply(tmp_path: Path, bits: str, level: str, says: str) -> None:
    (tmp_path / "soc:firmware").mkdir()
    (tmp_path / "soc:firmware" / "get_throttled").write_text(bits + "\n")
    check = health._power(throttled(tmp_path, tmp_path))
    assert check is not None
    assert (check.level, says in check.said) == (level, True)


def test_the_supply_is_asked_for_in_every_way_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert throttled(tmp_path, tmp_path) is None
    sensor = tmp_path / "hwmon1"
    sensor.mkdir()
    (sensor / "name").write_text("rpi_volt\n")
    for said in ("0", "1"):
        (sensor / "in0_lcrit_alarm").write_text(said + "\n")
        assert throttled(tmp_path, tmp_path) == int(said)
    program = tmp_path / "vcgencmd"
    program.write_text("#!/bin/sh\necho throttled=0x50000\n")
    program.chmod(0o755)
    assert throttled(tmp_path, tmp_path) == 0x50000
    program.write_text("#!/bin/sh\necho VCHI initialization failed\nexit 1\n")
    assert throttled(tmp_path, tmp_path) == 1


@given(st.text(max_size=20))
def test_what_a_machine_does_not_tell_is_left_out(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        strange = Path(folder) / "x"
        strange.write_text(text, encoding="utf-8")
        assert health._memory(strange) is None or "MemAvailable" in text
        assert health._heat(strange) is None or text.strip()
        assert health._heat(Path(folder) / "missing") is None


def test_a_clock_that_is_not_set_yet(tmp_path: Path) -> None:
    assert [walltime._systemd(tmp_path / "missing"), health._clock(None)] == [None, None]
    assert [check.level for right in (True, False) if (check := health._clock(right))] == ["ok", "warning"]
    assert walltime._systemd(tmp_path) is False
    (tmp_path / "synchronized").touch()
    assert walltime._systemd(tmp_path) is True


def test_the_kernel_says_whether_the_clock_is_right() -> None:
    time_error = 5  # what the call itself answers, beside the status that is read
    answer = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(256))
    assert walltime._kernel() == (None if answer < 0 else answer != time_error)


def test_every_check_is_in_the_list_of_troubleshooting_and_no_other() -> None:
    root = Path(__file__).parents[2]
    made = {call.args[0].value for _, call in sources() if call.args and isinstance(call.args[0], ast.Constant)}
    page = (root / "docs" / "troubleshooting.md").read_text(encoding="utf-8").partition("\n## ")[0]
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| `")]
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row[1])} == made
    assert all(row[3].strip() for row in rows)


@pytest.mark.parametrize(
    "state",
    [
        State(),
        State(age_s=7.0),
        State(age_s=float("inf"), link={"state": "off"}),
        State(camera={"state": "lost", "code": None, "sentence": ""}, link={"state": "down", "sentence": ""}),
        State(journal={"state": "failing", "sentence": "x", "parts": [{"code": "failing", "facts": {"why": "full"}}]}),
        State(journal={"state": "off", "sentence": ""}),
        State(link={"state": "ready", "health": {"supply_mv": 3900}}),
        State(link={"state": "down", "parts": [{"code": "no_port", "facts": {}}]}),
    ],
)
def test_a_tables_checks_are_told_in_every_language(state: State) -> None:
    told = {language: table_checks(state, language) for language in LANGUAGES}
    for checks in zip(*told.values(), strict=True):
        assert len({(check.name, check.level, bool(check.hint)) for check in checks}) == 1
        assert len({check.said for check in checks}) == len(LANGUAGES)
        assert all("{" not in check.said for check in checks)


def sources() -> Iterator[tuple[Path, ast.Call]]:
    """Every place in the program that makes a check."""
    for file in sorted(Path(health.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Check", "Check.of"):
                yield file, node


def test_no_check_that_a_page_may_show_is_written_in_one_language_only() -> None:
    """`doctor` speaks English to who sits at the machine; all others take their sentences from the catalogues."""
    for file, call in sources():
        if file.name == "doctor.py" or ast.unparse(call.func) == "Check.of":
            continue
        told = [*call.args[2:4], *(word.value for word in call.keywords if word.arg in ("said", "hint"))]
        plain = [ast.unparse(one) for one in told if isinstance(one, ast.JoinedStr)]
        plain += [str(one.value) for one in told if isinstance(one, ast.Constant) and one.value]
        assert not plain, f"{file.name}:{call.lineno}"


def test_every_sentence_of_every_check_is_translated_with_the_same_facts() -> None:
    english = {key: text for key, text in catalogue("en").items() if key.startswith("health.")}
    literals = {
        arg.value
        for _, call in sources()
        if ast.unparse(call.func) == "Check.of"
        for outer in call.args[2:4]
        for arg in ast.walk(outer)
        if isinstance(arg, ast.Constant) and isinstance(arg.value, str) and arg.value and " " not in arg.value
    }
    whole = {one for one in literals if not one.endswith(".")}
    assert {f"health.{key}" for key in whole - {"ok"}} <= english.keys()
    for language in LANGUAGES[1:]:
        theirs = catalogue(language)
        for key, text in english.items():
            assert sorted(re.findall(r"{\w+}", theirs[key])) == sorted(re.findall(r"{\w+}", text)), key
            wordless = not re.search(r"[a-z]{3}", re.sub(r"{\w+}|OpenCV|Python", "", text))
            assert theirs[key] != text or wordless or key == "health.python", key


@settings_of_hypothesis(max_examples=30, deadline=None)  # each looks at the machine
@given(st.sampled_from(list(health.STORAGE)), st.integers(0, 0x50005), st.booleans(), st.sampled_from(LANGUAGES))
def test_a_machines_checks_are_told_in_every_language(found: Any, bits: int, right: bool, language: str) -> None:
    made = [storage_check(Canary(found)), health._power(bits), health._clock(right), *health.machine_checks(Path("/"))]
    for check in made:
        assert check is not None
        said = check.into(language)
        assert (said.name, said.level, said.since, bool(said.hint)) == (
            check.name, check.level, check.since, bool(check.hint),
        )  # fmt: skip
        assert said.into("en") == check
        assert said.as_json().keys() == {"name", "level", "said", "hint", "since"}
        assert "{" not in said.said + said.hint
        if language != "en" and check.name not in ("opencv", "python"):
            assert said.said != check.said


def asked(capsys: pytest.CaptureFixture[str], config: Path) -> dict[str, dict[str, Any]]:
    """What `doctor --json` finds, by name."""
    capsys.readouterr()
    assert main(["doctor", "--json", "--config", str(config)]) == 0
    return {check["name"]: check for check in map(json.loads, capsys.readouterr().out.splitlines())}


def settings(folder: Path, **values: object) -> Path:
    path = folder / "table.toml"
    values = {"camera": "/dev/video_none", "lights": "none", "port": 9, "data": str(folder / "data")} | values
    path.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items()))
    return path


def test_a_machine_without_a_camera(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, settings(tmp_path))
    assert found["camera"]["level"] == "problem"
    assert "/dev/video_none" in found["camera"]["said"]
    assert found["settings"]["level"] == found["disk"]["level"] == found["record"]["level"] == "ok"
    assert main(["doctor", "--config", str(settings(tmp_path))]) == 0
    told = capsys.readouterr().out
    assert told.rstrip().endswith("not ready")
    assert "-> docs/cameras.md" in told


def test_wrong_settings_are_a_finding_and_the_rest_is_checked_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = tmp_path / "table.toml"
    wrong.write_text('camra = "0"\n')
    found = asked(capsys, wrong)
    assert found["settings"]["level"] == "problem"
    assert "did you mean camera" in found["settings"]["said"]
    assert "opencv" in found


def test_a_damaged_record_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "data").mkdir()
    record = tmp_path / "data" / "boardref.db"
    Journal.open(record).close()
    assert asked(capsys, settings(tmp_path))["record"]["level"] == "ok"
    record.write_bytes(b"not a database at all" * 100)
    found = asked(capsys, settings(tmp_path))["record"]
    assert found["level"] == "problem"
    assert found["hint"]
    record.unlink()
    sqlite3.connect(record).close()
    record.touch()
    found = asked(capsys, settings(tmp_path))["record"]
    assert (found["level"], "No match" in found["said"]) == ("ok", True)


def test_lights_that_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sites = [f"{file}{rank}" for rank in "54321" for file in "abcde"]
    device = VirtualDevice(LightMap.of(sites, ("South", "North")))
    try:
        found = asked(capsys, settings(tmp_path, lights=device.path))["lights"]
        assert (found["level"], device.path in found["said"]) == ("ok", True)
    finally:
        device.close()


@pytest.mark.parametrize("where", ["table.toml", "/proc/none"])  # a file lies there; nobody can make a folder there
def test_a_data_folder_that_cannot_be_had_is_one_problem_and_nothing_else_is_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], where: str
) -> None:
    monkeypatch.chdir(tmp_path)
    config = settings(tmp_path, data=where)
    assert main(["doctor", "--json", "--config", str(config)]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    disks = [check for check in found if check["name"] == "disk"]
    assert [check["level"] for check in disks] == ["problem"]
    assert where in disks[0]["said"]
    assert "`data` in the settings" in disks[0]["hint"]
    assert not {"record", "storage"} & {check["name"] for check in found}
    assert list(tmp_path.iterdir()) == [config]


def test_lights_that_are_looked_for_and_not_there_are_a_warning_as_at_a_running_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "usb_ports", list)
    found = asked(capsys, settings(tmp_path, lights="auto"))["lights"]
    assert (found["level"], "none" in found["hint"]) == ("warning", True)
    assert levels(State(link={"state": "down", "sentence": ""}))["lights"] == found["level"]


@given(*(st.dictionaries(st.sampled_from("abcd"), st.sampled_from(LEVELS)) for _ in range(2)))
def test_what_doctor_and_a_running_table_both_looked_at_is_said_once_and_no_trouble_is_lost(
    own: dict[str, Any], theirs: dict[str, Any]
) -> None:
    here, running = ([Check(name, level, who) for name, level in made.items()]
                     for who, made in (("here", own), ("table", theirs)))  # fmt: skip
    said = [check for check in doctor._of_both(here, running, 8000) if check.name != "page"]
    assert sorted(check.name for check in said) == sorted(own.keys() | theirs.keys())
    assert all(check in (*here, *running) for check in said)
    assert all(check.level == worst(one for one in (*here, *running) if one.name == check.name) for check in said)


Serve = Callable[[np.ndarray[Any, Any]], str]


@pytest.fixture
def stream() -> Iterator[Serve]:
    """A camera on the network that shows one picture, with a little noise as cameras have."""
    servers: list[ThreadingHTTPServer] = []
    stopping = threading.Event()

    def serve(image: np.ndarray[Any, Any]) -> str:
        dice = np.random.default_rng(1)

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=f")
                self.end_headers()
                try:
                    while not stopping.wait(0.05):
                        noisy = np.clip(image + dice.normal(0, 1.5, image.shape), 0, 255).astype(np.uint8)
                        jpeg = cv2.imencode(".jpg", noisy)[1].tobytes()
                        self.wfile.write(b"--f\r\nContent-Type: image/jpeg\r\n\r\n" + jpeg + b"\r\n")
                except OSError:
                    pass

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/"

    yield serve
    stopping.set()
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_camera_over_a_board(tmp_path: Path, capsys: pytest.CaptureFixture[str], stream: Serve) -> None:
    picture = cv2.imread(str(sorted((FRAMES / "transet-a").glob("*.jpg"))[0]))
    assert picture is not None
    found = asked(capsys, settings(tmp_path, camera=stream(picture)))
    assert found["camera"]["level"] == "ok"
    assert "1280x720" in found["camera"]["said"]
    assert "Transet is seen" in found["board"]["said"]
    assert found["board"]["level"] in ("ok", "warning")


@pytest.mark.parametrize(("grey", "says"), [(2, "too dark"), (255, "too bright"), (None, "No board")])
def test_a_camera_that_sees_no_board_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], stream: Serve, grey: int | None, says: str
) -> None:
    empty = np.full((480, 640, 3), 128 if grey is None else grey, np.uint8)
    if grey is None:
        cv2.rectangle(empty, (100, 100), (500, 300), (30, 60, 200), -1)
    found = asked(capsys, settings(tmp_path, camera=stream(empty)))
    assert found["camera"]["level"] == "ok"
    assert found["board"]["level"] == "problem"
    assert says in found["board"]["said"]
    assert found["board"]["hint"]
