"""The log of a served table: text, JSON or systemd's; each thing once, no secrets, a bug's traceback in one field."""

from __future__ import annotations

import ast
import io
import json
import logging
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import controller
from controller import logs
from controller.logs import Once, set_up


@pytest.fixture(autouse=True)
def _keep_the_root() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level
    for name in ("uvicorn", "asyncio"):
        logging.getLogger(name).setLevel(logging.NOTSET)


def written(monkeypatch: pytest.MonkeyPatch, *how: str, systemd: bool = False) -> io.StringIO:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    set_up(*how, systemd=systemd)  # type: ignore[arg-type]
    return out


def bug(log: logging.Logger) -> None:
    try:
        raise ZeroDivisionError("in rtsp://user:word@host/x")
    except ZeroDivisionError:
        log.exception("a frame could not be judged")


LEVELS = ("debug", "info", "warning", "error", "exception", "critical")
LOGGING = {f"_log.{level}" for level in LEVELS}
LOG = logging.getLogger("controller.somewhere.table")


def test_lines_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    out = written(monkeypatch, "text", "info")
    LOG.info("lights: %s", "ready")
    LOG.debug("nothing")
    assert re.fullmatch(r"boardref: \d\d:\d\d:\d\d info: table: lights: ready\n", out.getvalue())
    bug(LOG)
    assert out.getvalue().count("\nboardref: ") == 1
    assert "ZeroDivisionError" in out.getvalue()


def test_lines_for_systemd_carry_their_priority_and_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    out = written(monkeypatch, "text", "debug", systemd=True)
    for level in ("debug", "info", "warning", "error"):
        getattr(LOG, level)("it is %s", level)
    bug(LOG)
    lines = out.getvalue().splitlines()
    priorities = {"debug": 7, "info": 6, "warning": 4, "error": 3}
    assert lines[:4] == [f"<{priority}>{level}: table: it is {level}" for level, priority in priorities.items()]
    assert len(lines) > 6
    assert all(line.startswith("<3>") for line in lines[4:])


def test_the_journal_is_known_by_its_own_stream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "err").open("w") as err:
        monkeypatch.setattr(sys, "stderr", err)
        assert not logs._under_systemd()
        there = os.fstat(err.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{there.st_dev}:{there.st_ino}")
        assert logs._under_systemd()
        monkeypatch.setenv("JOURNAL_STREAM", "8:1")
        assert not logs._under_systemd()


def test_what_a_command_tells_names_the_room_that_speaks_in_the_log_and_is_a_plain_line_without_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    logs.tell("port is no number.", "settings", logging.ERROR)
    assert capsys.readouterr().err == "boardref: port is no number.\n"
    out = written(monkeypatch, "text", "info")
    logs.tell("port is no number.", "settings", logging.ERROR)
    logs.tell("It is damaged.", "record")
    said = [line.split(" ", 2)[2] for line in out.getvalue().splitlines()]
    assert said == ["error: settings: port is no number", "warning: record: It is damaged"]


def test_json_has_a_bug_in_one_field_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    out = written(monkeypatch, "json", "info")
    LOG.warning("the camera %s failed", "rtsp://user:word@host/stream?token=abc\nnext")
    bug(LOG)
    first, second = (json.loads(line) for line in out.getvalue().splitlines())
    assert (first["level"], first["room"], first["thread"]) == ("warning", "table", "MainThread")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", first["time"])
    assert "word" not in out.getvalue()
    assert "abc" not in out.getvalue()
    assert "Traceback" in second["exception"]


def test_what_was_said_is_not_said_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    out = written(monkeypatch, "json", "info")
    for _ in range(50):
        bug(LOG)
        LOG.warning("the record can't be written (%s)", "full")
        LOG.info("an edge")
        now_s[0] += 0.1
    LOG.warning("the record can't be written (%s)", "read-only")
    said = [json.loads(line)["message"] for line in out.getvalue().splitlines()]
    assert [said.count(one) for one in dict.fromkeys(said)] == [1, 1, 1, 1]
    now_s[0] += logs.QUIET_S
    bug(LOG)
    assert json.loads(out.getvalue().splitlines()[-1])["message"] == "a frame could not be judged (and 49 times more)"


def test_many_different_things_are_not_kept_for_ever() -> None:
    once = Once()
    for number in range(logs.MOST_KEPT * 3):
        record = logging.LogRecord("x", logging.ERROR, "", 0, f"fault {number}", (), None)
        assert once.filter(record)
    assert len(once._said) <= logs.MOST_KEPT
    assert len(once._alike) <= logs.MOST_KEPT


def test_a_fault_that_is_never_the_same_twice_is_a_few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    out = written(monkeypatch, "json", "info")
    for number in range(2000):
        LOG.warning("picture %d could not be kept", number)
        LOG.error("something else is wrong")
        now_s[0] += 0.1
    said = [json.loads(line)["message"] for line in out.getvalue().splitlines()]
    assert len(said) == logs.MOST_ALIKE + 1
    now_s[0] += logs.QUIET_S
    LOG.warning("picture %d could not be kept", 2000)
    held = 2000 - logs.MOST_ALIKE
    assert [*said, f"picture 2000 could not be kept (and {held} times more)"] == [
        json.loads(line)["message"] for line in out.getvalue().splitlines()
    ]


def test_every_line_is_lazy_and_ends_without_a_full_stop() -> None:
    top = Path(controller.__file__).parent.parent
    packages = [top / name for name in ("controller", "vision", "firmware_bridge", "calibration")]
    seen, wrong = 0, []
    for file in (file for package in packages for file in package.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        if "logging" not in text:
            continue
        for call in ast.walk(ast.parse(text)):
            if not isinstance(call, ast.Call) or not call.args:
                continue
            name = ast.unparse(call.func)
            assert name in LOGGING or not re.fullmatch(rf"\w*log(ger|ging)?\.({'|'.join(LEVELS)})", name), file
            if name not in LOGGING:
                continue
            seen += 1
            said = call.args[0]
            if not (isinstance(said, ast.Constant) and isinstance(said.value, str)) or said.value.endswith("."):
                wrong.append(f"{file.name}:{call.lineno}")
    assert seen > 15
    assert wrong == []


def test_a_table_that_logs_json_writes_nothing_else_to_standard_error(
    tmp_path: Path, started: Callable[..., subprocess.Popen[str]]
) -> None:
    settings = tmp_path / "table.toml"
    settings.write_text(
        'host = "127.0.0.1"\nport = 0\nlights = "none"\ndata = "data"\ncamera = "rtsp://me:hidden@127.0.0.1:9/"\n'
        'log = { format = "json" }\nfoo = 1\n'
    )
    table = started([sys.executable, "-m", "controller.cli", "serve", "--config", "table.toml"], cwd=tmp_path)
    assert table.stdout is not None
    assert table.stderr is not None
    said = []

    def line() -> dict[str, str]:
        said.append(table.stderr.readline() if table.stderr is not None else "")
        assert said[-1], f"it ended, or said nothing for a minute, after {said[:-1]}"
        told: dict[str, str] = json.loads(said[-1])
        return told

    assert "says what is wrong" in table.stdout.readline()
    first = line()
    assert (first["level"], first["room"]) == ("error", "settings")
    assert "line 7: foo: unknown key" in first["message"]
    settings.write_text(settings.read_text().replace("foo = 1\n", ""))
    while "camera" not in line()["message"]:
        pass
    table.terminate()
    rest, errors = table.communicate(timeout=10)
    assert table.returncode == 0
    assert all(json.loads(line)["message"] for line in errors.splitlines())
    assert "hidden" not in rest + errors + "".join(said)
