"""How the `boardref` command starts and is stopped, and that numpy is told to use one thread."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMMANDS = ("demo", "serve", "watch", "look", "bench", "doctor")


def python(code: str) -> list[str]:
    """What this code prints in a fresh interpreter, to which nobody has named a number of threads."""
    plain = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=plain)
    return run.stdout.split()


@pytest.mark.parametrize("command", COMMANDS)
def test_numpy_is_told_before_any_command_imports_it(command: str) -> None:
    """Small matrix products are quickest on one thread, which numpy must hear before it is first imported."""
    listen = (
        "import os, sys\n"
        "class Ear:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'numpy': print(os.environ.get('OPENBLAS_NUM_THREADS'))\n"
        "sys.meta_path.insert(0, Ear())\n"
        f"from controller.cli import main\nsys.stdout.flush()\nmain(['{command}', '--help'])\n"
    )
    said = python(listen)
    assert f"usage: boardref {command}" in " ".join(said)
    assert "None" not in said[:1]


def test_nothing_is_imported_before_the_command_can_be_stopped() -> None:
    """A signal that comes before `main` listens ends the command with a traceback; so little comes before it."""
    late = python(
        "import atexit, collections.abc, re, signal, sys, __future__\n"
        "before = set(sys.modules)\nimport controller.cli\n"
        "print(*sorted(name for name in set(sys.modules) - before))"
    )
    assert late == ["controller", "controller.cli"]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_stop_that_python_drops_is_not_lost(name: str) -> None:
    """Exceptions vanish in a destructor, and in libraries in C; the command must end all the same, without a word."""
    code = f"""
import os, signal, sys, time
from controller import cli

class Swallows:
    def __del__(self):
        os.kill(os.getpid(), signal.{name})
        time.sleep(0.01)

def answer(argv):
    Swallows()
    time.sleep(60)
    return 3

cli._answer = answer
sys.exit(cli.main([]))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_closed_is_not_taken_by_a_file(closed: str, tmp_path: Path) -> None:
    """What the command, or a library, writes to it would else land in whatever was opened next."""
    code = (
        "import os, sys\nfrom controller import cli\n"
        "def answer(argv):\n"
        "    kept = open('kept', 'w')\n"
        "    print('said')\n    print('told', file=sys.stderr)\n"
        "    for number in (1, 2): os.write(number, b'written')\n"
        "    assert sys.stdin.read() == '' and kept.fileno() > 2\n"
        "    return 7\n"
        "cli._answer = answer\nsys.exit(cli.main([]))\n"
    )
    shell = f'exec "$0" -c "$1" {closed}'
    run = subprocess.run(
        ["sh", "-c", shell, sys.executable, code],
        cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert run.returncode == 7, run.stderr
    assert (tmp_path / "kept").read_bytes() == b""


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_stop_while_python_tidies_up_leaves_the_answer(name: str) -> None:
    code = (
        "import os, signal, sys\nfrom controller import cli\n"
        "class Late:\n"
        f"    def __del__(self, kill=os.kill, pid=os.getpid(), word=signal.{name}): kill(pid, word)\n"
        "late = Late()\n"
        "cli._answer = lambda argv: 2\nsys.exit(cli.main([]))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    assert (run.returncode, run.stderr) == (2, "")
