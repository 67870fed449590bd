"""A table whose power fails at random moments; `tests/power/kills.py --kills 200` is the long way."""

import subprocess
import sys
from pathlib import Path

import pytest

KILLS = Path(__file__).with_name("kills.py")


@pytest.mark.parametrize(("game", "seed", "kills"), [("transet", 1, 8), ("taasen", 2, 6), ("transfer", 9, 6)])
def test_nothing_shown_is_lost_and_the_board_is_checked(game, seed, kills):
    told = subprocess.run(
        [sys.executable, str(KILLS), "--game", game, "--seed", str(seed), "--kills", str(kills)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stdout + told.stderr
    assert f"{kills} kills" in told.stdout
    assert "Traceback" not in told.stderr
