"""Where the tools are missing, the tests of the firmware fail and say what to install; they are never left out."""

import os
import subprocess
import sys
from pathlib import Path


def test_missing_tools_are_named(tmp_path: Path):
    test = Path(__file__).parent / "test_firmware_board.py"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", f"{test}::test_hello"],
        env=dict(os.environ, PATH=str(tmp_path)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stdout
    assert "apt-get install -y --no-install-recommends gcc gcc-avr make" in done.stdout
    assert "skipped" not in done.stdout
