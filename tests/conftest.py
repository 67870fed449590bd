"""The suite tries the same examples each time, however slow; BOARDREF_EXPLORE=1 lets hypothesis look for new ones."""

import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("explore", max_examples=300, deadline=None)
settings.load_profile("explore" if os.environ.get("BOARDREF_EXPLORE") else "same")

LIMIT_S = 60.0


@pytest.fixture
def started() -> Iterator[Callable[..., "subprocess.Popen[str]"]]:
    """Start a command that a test talks with, its standard output and error as text.

    Whoever waits for a line that never comes gets an end of file after `limit_s`, and a test that fails half-way leaves
    nothing running behind it.
    """
    running: list[tuple[subprocess.Popen[str], threading.Timer]] = []

    def start(command: list[str], *, limit_s: float = LIMIT_S, **more: Any) -> "subprocess.Popen[str]":
        more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        process = subprocess.Popen(command, text=True, **more)
        limit = threading.Timer(limit_s, process.kill)
        limit.start()
        running.append((process, limit))
        return process

    yield start
    for process, limit in running:
        limit.cancel()
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
