"""Words to systemd: ready, alive, how it goes. sd_notify(3): one datagram to the socket that NOTIFY_SOCKET names."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Callable

_log = logging.getLogger(__name__)


def notify(*words: str) -> bool:
    """Send such as `READY=1`; False where nobody listens. Never raises: a table does not stop for its supervisor."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    if address.startswith("@"):  # an abstract socket
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as line:
            line.connect(address)
            line.sendall("\n".join(words).encode())
    except OSError:
        return False
    return True


def watchdog_s() -> float | None:
    """How long systemd waits for a sign of life from this process; None where it does not."""
    try:
        wait_s = int(os.environ.get("WATCHDOG_USEC", "")) / 1e6
        meant = int(os.environ.get("WATCHDOG_PID", os.getpid()))
    except ValueError:
        return None
    return wait_s if wait_s > 0 and meant == os.getpid() else None


class Alive:
    """Tells systemd that the table is alive, as long as it is: a loop that hangs is restarted.

    `idle_s`: seconds since the loop last turned; `status`: a sentence. A missing camera is no reason to fall silent.
    """

    def __init__(self, idle_s: Callable[[], float], status: Callable[[], str]) -> None:
        self._idle_s, self._status = idle_s, status
        self._stop = threading.Event()
        self._wait_s = watchdog_s()
        self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)

    def start(self) -> None:
        """Ready; from now on a sign of life comes at least twice in the time that systemd waits."""
        notify("READY=1", f"STATUS={self._status()}")
        self._thread.start()

    def stop(self) -> None:
        """The end is meant."""
        self.rest()
        notify("STOPPING=1")

    def rest(self) -> None:
        """No more signs of life from this table; another takes its place."""
        self._stop.set()

    def _run(self) -> None:
        pause_s = self._wait_s / 3 if self._wait_s else 5.0
        said = ""
        while not self._stop.wait(pause_s):
            words = ["WATCHDOG=1"] if self._wait_s and self._idle_s() < self._wait_s else []
            try:
                status = self._status()
            except Exception:  # a fault in saying how it goes is no reason to be restarted
                _log.exception("the supervisor can't be told how the table is")
                status = said
            if status != said:
                words.append(f"STATUS={status}")
                said = status
            if words:
                notify(*words)
