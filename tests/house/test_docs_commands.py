"""Each command that README and docs show (their ```sh blocks) is run, as a reader would type it.

What can't be run here stands in a table below with its reason; a row that no page shows any more is a failure, too.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PICTURES = ROOT / "tests" / "data" / "frames"

ELSEWHERE = {
    "python3 deploy/start.py demo": ".ci/run starts it from a clean checkout",
    "python3 deploy/start.py test": "this suite is what it runs",
    "make -C firmware_bridge/firmware": "tests/firmware builds and runs it",
    "make -C firmware_bridge/firmware SITES=45 BAR=12 MAX_MA=1600": "tests/firmware builds with options",
    "make -C firmware_bridge/firmware flash PORT=/dev/ttyUSB0": "needs the board itself",
    "sudo apt-get install -y --no-install-recommends make gcc-avr avr-libc avrdude": "changes the machine",
    ".venv/bin/pip install ./docs/your-own-game": "tests/rules/test_plugin_package.py installs it",
    ".venv/bin/boardref rules perft breakthrough 3": "tests/rules/test_plugin_package.py",
    ".venv/bin/boardref kit breakthrough -o kit.pdf": "tests/rules/test_plugin_package.py",
    ".venv/bin/boardref demo --game breakthrough": "tests/rules/test_plugin_package.py",
    "curl 'http://127.0.0.1:8000/api/health?lang=nl'": "tests/web asks it of a running table",
    "curl 'http://127.0.0.1:8000/api/state?lang=nl'": "tests/web asks it of a running table",
    "curl 'http://127.0.0.1:8000/api/openapi.json'": "tests/web asks it of a running table",
    "curl http://127.0.0.1:8000/metrics": "tests/web asks it of a running table",
    "pip install 'boardref[metrics]'": "the tests have it installed",
    "sudo install -m 600 /dev/stdin /etc/boardref/operator-pin <<< 482913": "changes the machine",
    "sudo systemctl restart boardref": "changes the machine",
    "sudo cat /var/lib/boardref/operator-pin": "needs a table that has run as a service; tests/web reads such a file",
    'curl -H "Authorization: Bearer $KEY" http://table.local:8000/api/operator/table': "tests/web asks it with a key",
    'curl -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" '
    """-d '{"name": "pause", "reason": "the bell rang"}' http://table.local:8000/api/operator/order""": "tests/web",
    'boardref games correct 3 --turn 7 --text c4-c5 --reason "Both remember it so."': "tests/journal corrects a game",
    "boardref watch wrong-call-20261130T151322.sightings": "tests/sightings replays logs",
    "boardref lights virtual --wire wled --fault drop=20 --link /tmp/lights": "tests/cli runs every wire and fault",
    "chromium --kiosk 'http://127.0.0.1:8000/display?lang=nl&theme=dark'": "needs a screen; tests/web opens the page",
}
# These need a camera or lights that aren't here: then they end with one sentence that says so.
NO_DEVICE = {
    "boardref lights map --ask -o lights.json",
    "boardref calibrate lens 0 --paper a4",
    "boardref doctor",
    'boardref report --note "the swap was complete"',  # no table is running
    "boardref doctor --config table.toml",
}
RUNS_ON = ("demo", "serve", "lights virtual")


TRIED_BY = {"recording.md": "tests/records/test_filmed_match.py"}  # a whole page


def shown() -> Iterator[tuple[str, str]]:
    """Page and command, from blocks and lines that stand apart; remarks taken off, lines that go on joined."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
        for block in [*blocks, *re.findall(r"^ {4,6}(boardref .*)$", text, re.M)]:
            for line in re.sub(r"\\\n\s*", " ", block).splitlines():
                command = re.sub(r"\s+# .*|\s{4,}.*", "", line.strip()).strip()
                if command and page.name not in TRIED_BY:
                    yield page.name, re.sub(r"\s+", " ", command)


PLACEHOLDER = re.compile(r"[][|…]|(?<![\w./-])[A-Z]+(?:\.\w+)?(?![\w.=/-])|--turn n")
SHOWN = list(dict.fromkeys(shown()))
SAID = [(page, command) for page, command in SHOWN if command not in ELSEWHERE]
RUN = [(page, command) for page, command in SAID if not PLACEHOLDER.search(command)]
FORMS = [(page, command) for page, command in SAID if PLACEHOLDER.search(command)]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what a reader would have: settings, a picture, a film, and the journal of a game."""
    folder = tmp_path_factory.mktemp("reader")
    data = folder / "data"
    data.mkdir()
    (data / "boardref").mkdir()
    (folder / "game.txt").write_text("Game: transet\nPlayer South: Anna\n\n1. c1-c2\n", encoding="utf-8")
    assert main(["games", "import", str(folder / "game.txt"), "--data", str(data / "boardref")]) == 0
    pictures = sorted((PICTURES / "transet-a").glob("*.jpg"))
    shutil.copy(pictures[0], folder / "picture.jpg")
    (folder / "table.toml").write_text('camera = "nothing-here.mp4"\nlights = "none"\nport = 0\n', encoding="utf-8")
    return folder


def words_of(command: str) -> list[str]:
    """What is typed, with this Python's `boardref`; long-running ones open no window and take any port."""
    words = shlex.split(command)
    assert words[0] in ("boardref", ".venv/bin/boardref"), f"say in ELSEWHERE where {command!r} is tried"
    return [sys.executable, "-m", "controller.cli", *words[1:]]


@pytest.mark.parametrize(("page", "command"), RUN)
def test_what_a_page_shows_can_be_typed(page: str, command: str, desk: Path) -> None:
    environment = {**os.environ, "XDG_DATA_HOME": str(desk / "data"), "PYTHONUNBUFFERED": "1", "BROWSER": "true"}
    words = words_of(command)
    if " ".join(words[3:]).startswith(RUNS_ON):
        if words[3] == "demo":
            words += ["--no-browser", "--port", "0"]
        process = subprocess.Popen(
            words, cwd=desk, env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        stop = threading.Timer(60, process.kill)
        stop.start()
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
        stop.cancel()
        assert first, errors
        assert process.returncode == 0, errors
    else:
        done = subprocess.run(
            words, cwd=desk, env=environment, text=True, input="", capture_output=True, timeout=120, check=False
        )
        errors = done.stderr
        assert done.returncode in ((0, 1) if command in NO_DEVICE else (0,)), done.stdout + errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(("page", "form"), FORMS)
def test_what_a_page_shows_as_a_form_is_what_the_command_takes(page: str, form: str) -> None:
    words = form.split()
    named = [words[0], *(word for word in words[1:3] if word.isalpha() and word.islower())]
    asked = subprocess.run(
        [sys.executable, "-m", "controller.cli", *named[1:], "--help"], capture_output=True, text=True, check=False
    )
    assert asked.returncode == 0, asked.stderr
    for option in re.findall(r"--[a-z-]+", form):
        assert option in asked.stdout, option


def test_every_exception_is_still_shown_somewhere() -> None:
    commands = {command for _, command in SHOWN}
    assert ELSEWHERE.keys() <= commands
    assert commands >= NO_DEVICE


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_page_of_docs_is_linked_from_the_readme_or_another_page() -> None:
    linked = {
        (page.parent / target).resolve()
        for page in PAGES
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        if "://" not in target
    }
    assert {page.resolve() for page in PAGES[1:]} <= linked
