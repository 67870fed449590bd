"""The README's line, broken off: it says so, and the same line goes on."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

START = Path(__file__).parents[2] / "deploy" / "start.py"
NAMED = ("controller", "vision", "firmware_bridge", "calibration")


def test_ctrl_c_in_the_making_of_the_environment_is_one_sentence(
    tmp_path: Path, started: Callable[..., subprocess.Popen[str]]
) -> None:
    (tmp_path / "deploy").mkdir()
    shutil.copy(START, tmp_path / "deploy")
    for name in NAMED:
        (tmp_path / name).mkdir()
    for name in ("pyproject.toml", "constraints.txt"):
        (tmp_path / name).touch()
    run = started([sys.executable, str(tmp_path / "deploy" / "start.py"), "demo"], start_new_session=True)
    assert run.stderr is not None
    first = run.stderr.readline()
    assert "making a virtual environment" in first
    os.killpg(run.pid, signal.SIGINT)  # as a terminal's Ctrl-C does
    told = run.stderr.read()
    assert run.wait() == 130
    assert "Traceback" not in told
    assert "the same line goes on" in told


def test_an_environment_whose_making_was_broken_off_is_made_again(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("start", START)
    assert spec is not None
    assert spec.loader is not None
    start: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(start)
    start.VENV, start.PYTHON = str(tmp_path), str(tmp_path / "bin" / "python")
    assert not start.whole_venv()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path], check=True)
    assert not start.whole_venv()
    subprocess.run([sys.executable, "-m", "venv", tmp_path], check=True)
    assert start.whole_venv()
