"""A players' clock as an argument: `5+3` is Fischer with 5 minutes and 3 seconds a turn, `30` 30 seconds a turn."""

from __future__ import annotations

import argparse
import re

from controller.referee.playclock import NO_CLOCK, ClockRules

_FISCHER = re.compile(r"(\d{1,4}(?:\.\d+)?)\+(\d{1,4}(?:\.\d+)?)")
_TURN = re.compile(r"\d{1,5}(?:\.\d+)?")


def clock_rules(text: str) -> ClockRules:
    """The rules that `text` names. ArgumentTypeError says what is expected."""
    if text == "none":
        return NO_CLOCK
    if (found := _FISCHER.fullmatch(text)) and float(found[1]) > 0:
        return ClockRules("fischer", main_s=float(found[1]) * 60, increment_s=float(found[2]))
    if _TURN.fullmatch(text) and float(text) > 0:
        return ClockRules("turn", turn_s=float(text))
    raise argparse.ArgumentTypeError(f"{text!r} is no clock; write 5+3 (minutes+seconds), 30 (seconds a turn), or none")
