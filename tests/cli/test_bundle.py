"""`boardref bundle`: what is in it, and what must never be."""

from __future__ import annotations

import json
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.bundle import HIDDEN, redacted, without_names
from controller.cli import main
from controller.journal.store import Journal

SECRETS = ("hunter2", "4711", "s3cret-key")
WORDS = st.text("abcdefghijklmnopqrstuvwxyz0123456789-_.", min_size=6, max_size=20)
IMAGES = (b"\xff\xd8\xff", b"\x89PNG\r\n", b"\x93NUMPY", b"RIFF", b"GIF8")


@pytest.fixture(autouse=True)
def _keep_the_handler() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@given(WORDS, WORDS, st.sampled_from(["pin", "password", "api_key", "operator.token", "webhook_secret", "PASSWD"]))
def test_no_secret_is_left(secret: str, user: str, key: str) -> None:
    lines = [
        f'camera = "rtsp://{user}:{secret}@10.0.0.7:554/live"',
        f'{key} = "{secret}"',
        f"x = 'http://h/?token={secret}&a=1'",
        f'api_keys = [{{name = "door", {key} = "{secret}"}}, {{{key} = \'{secret}\', may = "read"}}]',
    ]
    for line in lines:
        if secret in line.replace(f'"{secret}"', "").replace(f":{secret}@", "").replace(f"token={secret}", ""):
            continue  # the same letters stand elsewhere in the line
        assert secret not in redacted(line)
    assert "10.0.0.7:554/live" in redacted(lines[0])
    for mark in ('"' * 3, "'" * 3):
        for end in (mark, ""):  # also where somebody forgot to close it
            assert "S3cr" not in redacted(f"{key} = {mark}\nS3cr-{secret}{end}")
    assert "S3cr" not in redacted(f'camera = "rtsp://{user}:p@S3cr@10.0.0.7:554/live"')


@given(st.text("abc =\n#\"'0123[]", max_size=60))
def test_what_is_no_secret_stays(text: str) -> None:
    assert redacted(text) == text


def test_what_people_typed_is_hidden_at_any_depth() -> None:
    event = {"event": "ruling", "reason": "Ann said so", "players": [{"name": "Ann", "side": "South"}], "n": 3}
    assert without_names(event) == {
        "event": "ruling", "reason": HIDDEN, "players": [{"name": HIDDEN, "side": "South"}], "n": 3,
    }  # fmt: skip


def test_a_bundle_holds_checks_settings_and_matches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with Journal.open(data / "boardref.db") as journal:
        begun = {"event": "setup_complete", "t": 0.0, "frame": 0, "game_no": 1, "position": "rbkbr/5/5/5/RBKBR S"}
        journal.append([{**begun, "as": "start", "game": "transet", "set": "transet", "names": ["Ann", "Bob"]}])
    config = tmp_path / "table.toml"
    config.write_text(
        f'camera = "http://admin:{SECRETS[0]}@127.0.0.1:9/"\nlights = "none"\nport = 9\ndata = "{data}"\n'
    )
    target = tmp_path / "out.zip"
    assert main(["bundle", "--config", str(config), "-o", str(target)]) == 0
    assert "no pictures" in capsys.readouterr().out
    with zipfile.ZipFile(target) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert {"README.txt", "doctor.json", "settings.toml", "packages.txt", "games.txt"} <= set(parts)
    checks = {check["name"]: check for check in json.loads(parts["doctor.json"])}
    assert checks["camera"]["level"] == "problem"
    assert b"opencv" in parts["packages.txt"]
    assert b"127.0.0.1:9" in parts["settings.toml"]
    assert any(name.startswith("game-") and b"rbkbr" in text for name, text in parts.items())
    everything = b"".join(parts.values())
    assert not any(secret.encode() in everything for secret in (*SECRETS, "Ann", "Bob"))
    assert not any(mark in everything for mark in IMAGES)


@pytest.mark.parametrize("settings", ['camra = "0"\n', "[[", 'pin = "4711"\n'])
def test_wrong_settings_are_no_reason_to_refuse(
    tmp_path: Path, settings: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    config, target = tmp_path / "table.toml", tmp_path / "out.zip"
    config.write_text(settings)
    assert main(["bundle", "--config", str(config), "-o", str(target)]) == 0
    err = capsys.readouterr().err
    assert "table.toml" in err
    assert "made all the same" in err
    with zipfile.ZipFile(target) as archive:
        assert archive.read("settings.toml")
        assert b"4711" not in b"".join(archive.read(name) for name in archive.namelist())


@pytest.mark.parametrize(
    ("name", "text"), [("nope.toml", None), ("table.toml", 'data = "/proc/none"\nlights = "none"\nport = 9\n')]
)
def test_settings_or_records_that_cannot_be_had_are_said_and_the_bundle_is_made(
    tmp_path: Path, name: str, text: str | None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    config, target = tmp_path / name, tmp_path / "out.zip"
    if text is not None:
        config.write_text(text)
    assert main(["bundle", "--config", str(config), "-o", str(target)]) == 0
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1
    assert "the bundle is made all the same" in said[0]
    with zipfile.ZipFile(target) as archive:
        assert any(check["level"] == "problem" for check in json.loads(archive.read("doctor.json")))


def test_nothing_is_left_of_a_bundle_that_could_not_be_written(tmp_path: Path) -> None:
    config, target = tmp_path / "table.toml", tmp_path / "out.zip"
    config.write_text(f'camera = "/dev/none"\nlights = "none"\nport = 9\ndata = "{tmp_path}"\n')
    target.mkdir()  # a folder has that name
    assert main(["bundle", "--config", str(config), "-o", str(target)]) == 1
    assert not list(tmp_path.glob("*.part"))


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "table.toml"
    config.write_text(f'camera = "/dev/none"\nlights = "none"\nport = 9\ndata = "{tmp_path}"\n')
    assert main(["bundle", "--config", str(config), "-o", str(tmp_path / "no" / "out.zip")]) == 1
    assert "-o" in capsys.readouterr().err
