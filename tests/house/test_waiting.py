"""A test that talks with a command fails; it never waits for ever."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable


def test_a_command_that_says_nothing_is_not_waited_for(started: Callable[..., subprocess.Popen[str]]) -> None:
    silent = started([sys.executable, "-c", "import time; time.sleep(600)"], limit_s=0.3)
    assert silent.stdout is not None
    assert silent.stdout.readline() == ""
    assert silent.wait(10) < 0
