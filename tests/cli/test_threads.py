"""Small matrix products are quickest on one thread, which numpy must be told before it is first imported."""

import os
import subprocess
import sys


def test_numpy_is_told_before_any_command_imports_it() -> None:
    told = "import os, sys, controller.cli; print(os.environ.get('OPENBLAS_NUM_THREADS'), 'numpy' in sys.modules)"
    plain = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    run = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True, env=plain)
    assert run.stdout.split() == ["1", "False"]
