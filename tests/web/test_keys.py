"""The PIN that a table makes for itself."""

from __future__ import annotations

import os
import stat

import pytest

from controller.config import TableConfig
from controller.web.keys import FILE, MADE_DIGITS, access_of


@pytest.fixture(autouse=True)
def _empty_environment(monkeypatch):
    for name in os.environ:
        if name.startswith("BOARDREF_") or name == "CREDENTIALS_DIRECTORY":
            monkeypatch.delenv(name)


def opens(access, pin):
    return not isinstance(access.log_in(pin, "a"), float)


def test_a_pin_is_made_once_and_told_only_where_it_stands(tmp_path):
    said = []
    access = access_of(TableConfig(), tmp_path, said.append)
    file = tmp_path / FILE
    pin = file.read_text().strip()
    assert len(pin) == MADE_DIGITS
    assert pin.isdigit()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert access.made
    assert opens(access, pin)
    assert opens(access_of(TableConfig(), tmp_path, said.append), pin)  # the same after a restart
    assert len(said) == 2
    assert all(str(file) in sentence and pin not in sentence for sentence in said)
    assert {entry.name for entry in tmp_path.iterdir()} == {FILE}


@pytest.mark.parametrize("text", ["", "12", "letters", "1234 5678", "٤٤٤٤", "9" * 40])
def test_a_file_that_holds_no_pin_is_replaced(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    access = access_of(TableConfig(), tmp_path, lambda sentence: None)
    pin = (tmp_path / FILE).read_text().strip()
    assert len(pin) == MADE_DIGITS
    assert not opens(access, text)
    assert opens(access, pin)


def test_where_nothing_can_be_kept_the_pin_is_told(tmp_path):
    said = []
    access = access_of(TableConfig(), tmp_path / "not there", said.append)
    (sentence,) = said
    (pin,) = [word for word in sentence.split() if word.isdigit()]
    assert opens(access, pin)


def test_a_pin_of_ones_own_makes_none(tmp_path):
    config = TableConfig(operator_pin="4711")
    access = access_of(config, tmp_path, lambda sentence: pytest.fail(sentence))
    assert opens(access, "4711")
    assert not access.made
    assert list(tmp_path.iterdir()) == []


def test_without_a_folder_nobody_comes_in():
    access = access_of(TableConfig(), None, lambda sentence: pytest.fail(sentence))
    assert not access.possible
    assert not opens(access, "")
