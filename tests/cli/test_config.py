"""Settings: what they mean, where they come from, and how a wrong one is named."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.config import TableConfig, line_of, load_config
from controller.errors import CommandError
from controller.rules.options import chosen_of
from controller.watcher import Watcher, chosen_sets

KEYS = tuple(TableConfig.model_fields)


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("BOARDREF_") or name == "CREDENTIALS_DIRECTORY":
            monkeypatch.delenv(name)


def written(folder: Path, text: str) -> str:
    path = folder / "table.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_everything_may_be_left_out(tmp_path: Path) -> None:
    assert load_config(None) == load_config(written(tmp_path, "")) == TableConfig()


def test_the_environment_wins_over_credentials_and_these_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, 'camera = "1"\nport = 1001\nlights = "none"\n[options]\nflying = "true"\n')
    folder = tmp_path / "credentials"
    folder.mkdir()
    (folder / "boardref_camera").write_text("rtsp://user:word@host/\n")
    (folder / "boardref_port").write_text("1002\n")
    (folder / "somebody_elses").write_text("x")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(folder))
    monkeypatch.setenv("BOARDREF_PORT", "1003")
    monkeypatch.setenv("BOARDREF_OPTIONS__SLOW", "no")
    monkeypatch.setenv("BOARDREF_DEBUG", "1")
    found = load_config(path)
    assert (found.camera, found.port, found.lights) == ("rtsp://user:word@host/", 1003, "none")
    assert found.options == {"flying": "true", "slow": "no"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('# a comment\n\ncamra = "0"\n', ("line 3", "camra: unknown key", "did you mean camera?")),
        ('game = "transet"\nport = 99999\n', ("line 2", "port", "65535")),
        ('port = "many"\n', ("line 1", "port", "integer")),
        ("mains_hz = 55\n", ("line 1", "mains_hz", "50 or 60")),
        ('trusted_proxies = ["127.0.0.1", "nginx"]\n', ("line 1", "trusted_proxies", "nginx is no address")),
        ('[options]\nflying = ["a"]\n', ("line 2", "options.flying", "string")),
        ('options = "no"\n', ("line 1", "options", "dict")),
        ('"po rt" = 1\n', ("line 1", "po rt: unknown key")),
        ("[[\nx", ("not valid TOML", "line 1")),
        ("port = 1\nport = 2\n", ("not valid TOML", "line 2")),
    ],
)
def test_a_wrong_setting_is_named_with_its_line(tmp_path: Path, text: str, says: tuple[str, ...]) -> None:
    path = written(tmp_path, text)
    with pytest.raises(CommandError) as told:
        load_config(path)
    assert str(told.value).startswith(f"the configuration {path}")
    for words in says:
        assert words in str(told.value)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("BOARDREF_PORT", "many", ("the environment (BOARDREF_PORT)", "integer")),
        ("BOARDREF_CAMRA", "0", ("BOARDREF_CAMRA", "did you mean BOARDREF_CAMERA?")),
        ("BOARDREF_MAINS_HZ", "55", ("the environment (BOARDREF_MAINS_HZ)", "50 or 60")),
    ],
)
def test_a_wrong_word_in_the_environment_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: tuple[str, ...]
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(CommandError) as told:
        load_config(written(tmp_path, "port = 1\n"))
    for words in says:
        assert words in str(told.value)


def test_a_wrong_credential_is_named_but_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "boardref_port").write_text("s3cret")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    with pytest.raises(CommandError) as told:
        load_config(None)
    assert "boardref_port" in str(told.value)
    assert "s3cret" not in str(told.value)


@pytest.mark.parametrize(("make", "says"), [(False, "check the name"), (True, "UTF-8")])
def test_a_file_that_cannot_be_read(tmp_path: Path, make: bool, says: str) -> None:
    path = tmp_path / "table.toml"
    if make:
        path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CommandError, match=says):
        load_config(str(path))


NAMES = st.from_regex(r"[a-z][a-z_-]{1,8}", fullmatch=True)


@given(st.lists(NAMES, min_size=1, max_size=6, unique=True), st.data())
def test_the_line_of_any_key_is_found(names: list[str], data: st.DataObject) -> None:
    lines, places = [], {}
    table: list[str] = []
    for name in names:
        lines += ["# " + name + " = 0"] * data.draw(st.integers(0, 2))
        if data.draw(st.booleans()):
            table = ["t" + name]
            lines.append(f"[{table[0]}]  # {name}")
        quote = data.draw(st.sampled_from(["", '"', "'"]))
        lines.append(f"{data.draw(st.sampled_from(['', '  ']))}{quote}{name}{quote} = 1")
        places[(*table, name)] = len(lines)
    for place, line in places.items():
        assert line_of("\n".join(lines), list(place)) == line


@pytest.mark.parametrize(
    ("given", "may"),
    [("done, draw", ("done", "draw")), ("done", ("done",)), ("", ()), ("operator,answer", ("operator", "answer"))],
)
def test_a_list_in_the_environment_has_commas(
    given: str, may: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOARDREF_PLAYERS_MAY", given)
    assert load_config(None).players_may == may


def test_a_list_in_the_file_and_in_a_credential(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "table.toml"
    file.write_text('players_may = ["done", "resign"]\n', encoding="utf-8")
    assert load_config(str(file)).players_may == ("done", "resign")
    file.write_text("players_may = []\n", encoding="utf-8")
    assert load_config(str(file)).players_may == ()
    credentials = tmp_path / "credentials"
    credentials.mkdir()
    (credentials / "boardref_players_may").write_text("draw,operator", encoding="utf-8")
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(credentials))
    assert load_config(str(file)).players_may == ("draw", "operator")


def test_a_word_that_players_cannot_say_is_named_with_the_line(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text('\nplayers_may = ["done", "win"]\n', encoding="utf-8")
    with pytest.raises(CommandError, match=r"line 2: players_may\.1: .*'draw'"):
        load_config(str(file))


def test_a_table_in_one_variable_that_is_no_json_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOARDREF_OPTIONS", "swop_wins=false")
    with pytest.raises(CommandError, match="BOARDREF_OPTIONS is not JSON; or set BOARDREF_OPTIONS__NAME"):
        load_config(None)
    monkeypatch.setenv("BOARDREF_OPTIONS", '{"swop_wins": "false"}')
    assert load_config(None).options == {"swop_wins": "false"}


def test_every_setting_is_described() -> None:
    told = (Path(__file__).parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
    assert [key for key in KEYS if f"`{key}`" not in told and f"`[{key}]`" not in told] == []
    assert all(TableConfig.model_fields[key].description for key in KEYS)


KEY = "0f1e2d3c4b5a69788796a5b4"


@pytest.mark.parametrize("text", ['operator_pin = "0042"', "operator_pin = 123456"])
def test_a_pin_is_digits_and_is_not_shown(tmp_path: Path, text: str) -> None:
    found = load_config(written(tmp_path, text))
    assert found.operator_pin is not None
    pin = found.operator_pin.get_secret_value()
    assert pin in text
    assert pin not in repr(found)


@pytest.mark.parametrize("pin", ['"123"', "12", '"12a4"', '"٤٤٤٤"', "true", "1.5", '""', f'"{"1" * 33}"', "[1234]"])
def test_what_is_no_pin_is_refused_without_being_told(tmp_path: Path, pin: str) -> None:
    with pytest.raises(CommandError, match="at least 4 digits") as told:
        load_config(written(tmp_path, f"port = 1\noperator_pin = {pin}\n"))
    assert "line 2" in str(told.value)
    assert "12a4" not in str(told.value)


def test_the_credential_of_the_unit_is_the_pin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    assert load_config(None).operator_pin is None
    file = tmp_path / "operator-pin"
    for text, pin in (("none\n", None), ("", None), ("2468\n", "2468")):
        file.write_text(text)
        found = load_config(written(tmp_path, "")).operator_pin
        assert (found and found.get_secret_value()) == pin
    monkeypatch.setenv("BOARDREF_OPERATOR_PIN", "1357")
    assert load_config(None).operator_pin.get_secret_value() == "1357"  # type: ignore[union-attr]
    monkeypatch.delenv("BOARDREF_OPERATOR_PIN")
    file.write_text("hunter2")
    with pytest.raises(CommandError, match=r"credential .*operator-pin.* at least 4 digits") as told:
        load_config(None)
    assert "hunter2" not in str(told.value)


def test_keys_of_scripts_have_names_and_rights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"[[api_keys]]\nname = 'door'\napi_key = '{KEY}'\nmay = 'read'\n[[api_keys]]\nname = 'x'\napi_key = '{KEY}1'"
    found = load_config(written(tmp_path, text))
    assert [(key.name, key.may) for key in found.api_keys] == [("door", "read"), ("x", "operate")]
    assert KEY not in repr(found)
    monkeypatch.setenv("BOARDREF_API_KEYS", f'[{{"name": "env", "api_key": "{KEY}"}}]')
    assert [key.name for key in load_config(None).api_keys] == ["env"]


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ("name = 'a'\napi_key = 'short'", "at least 20 characters"),
        ("name = 'a'\napi_key = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa'", "drawn at random"),
        (f"name = 'a'\napi_key = '{KEY} {KEY}'", "drawn at random"),
        (f"name = 'a b'\napi_key = '{KEY}'", "name"),
        (f"api_key = '{KEY}'", "name"),
        (f"name = 'a'\napi_key = '{KEY}'\nmay = 'all'", "may"),
        (f"name = 'a'\napi_key = '{KEY}'\n[[api_keys]]\nname = 'a'\napi_key = '{KEY}1'", "two API keys are called a"),
    ],
)
def test_keys_that_are_no_keys_are_refused_without_being_told(tmp_path: Path, keys: str, says: str) -> None:
    with pytest.raises(CommandError, match=says) as told:
        load_config(written(tmp_path, f"[[api_keys]]\n{keys}\n"))
    assert KEY not in str(told.value)


@pytest.mark.parametrize("key", ["keep_days", "keep_unfinished_days"])
def test_no_time_is_longer_than_the_calendar(tmp_path: Path, key: str) -> None:
    with pytest.raises(CommandError, match=key):
        load_config(written(tmp_path, f"[records]\n{key} = 99999999999999999\n"))


def test_options_may_be_written_as_they_are_printed(tmp_path: Path) -> None:
    plain = load_config(written(tmp_path, "[options]\nswop_wins = true\nrepetition_draw = 3\n"))
    quoted = load_config(written(tmp_path, '[options]\nswop_wins = "true"\nrepetition_draw = "3"\n'))
    assert plain == quoted
    assert plain.options == {"swop_wins": "true", "repetition_draw": "3"}
    with pytest.raises(CommandError, match=r"options\.swop_wins"):
        load_config(written(tmp_path, "[options]\nswop_wins = [1]\n"))


def test_the_settings_that_the_manual_shows_are_taken(tmp_path):
    told = (Path(__file__).parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```toml\n(.*?)^```", told, re.M | re.S)
    assert any("[options]" in one for one in shown)
    for number, text in enumerate(shown):
        file = tmp_path / f"{number}.toml"
        file.write_text(text, encoding="utf-8")
        config = load_config(str(file))
        watcher = Watcher(chosen_sets(config.game, config.set), options=config.options)
        assert config.options.items() <= chosen_of(watcher.state.game).items()
        assert not config.options or config.game is not None
