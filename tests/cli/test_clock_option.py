"""A players' clock as an argument of `demo` and as a setting."""

import argparse

import pytest

from controller.cli.clock import clock_rules
from controller.config import load_config
from controller.errors import CommandError
from controller.referee.playclock import NO_CLOCK, ClockRules


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("5+3", ClockRules("fischer", main_s=300, increment_s=3)),
        ("0.5+0", ClockRules("fischer", main_s=30, increment_s=0)),
        ("30", ClockRules("turn", turn_s=30)),
        ("none", NO_CLOCK),
    ],
)
def test_what_can_be_written(text, rules):
    assert clock_rules(text) == rules


@pytest.mark.parametrize("text", ["", "0", "0+5", "5+", "+3", "-5", "5 + 3", "five", "1e9", "99999+1"])
def test_what_is_no_clock_is_told_how_to_write_one(text):
    with pytest.raises(argparse.ArgumentTypeError, match="minutes"):
        clock_rules(text)


def test_the_setting(tmp_path):
    file = tmp_path / "table.toml"
    file.write_text('[clock]\nkind = "fischer"\nmain_s = 1500\nincrement_s = 10\n', encoding="utf-8")
    assert load_config(str(file)).clock.rules() == ClockRules("fischer", main_s=1500, increment_s=10)
    file.write_text("", encoding="utf-8")
    assert load_config(str(file)).clock.rules().kind == "none"


@pytest.mark.parametrize("text", ['kind = "sand"', "main_s = 0", "increment_s = -1", "minutes = 5", "turn_s = 0"])
def test_a_setting_that_is_wrong_is_named_with_its_line(tmp_path, text):
    file = tmp_path / "table.toml"
    file.write_text(f"[clock]\n{text}\n", encoding="utf-8")
    with pytest.raises(CommandError, match=r"line 2: clock\."):
        load_config(str(file))
