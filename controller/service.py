"""A table and its page: start both, answer until told to stop, end both."""

from __future__ import annotations

import errno
import gc
import socket
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import uvicorn

from controller.errors import CommandError
from controller.health import Check
from controller.keeping import Keeping
from controller.notify import Alive, notify
from controller.watchman import Watchman
from controller.web.access import Access
from controller.web.app import create_app
from controller.web.door import Door
from controller.web.players import Players
from controller.web.ports import TableLike
from controller.web.sharing import address_of
from controller.web.shelf import Records


def listening_socket(host: str, port: int, by: str = "`port` in the settings") -> socket.socket:
    """A bound socket; port 0 takes a free one. Raises CommandError with what to do when the port can't be had.

    `by`: how the command that asks lets people choose another port.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, OverflowError, ValueError):  # a ValueError: no name at all, as "a..b"
        raise CommandError(f"there is no address {host}:{port} on this machine; choose another host or port") from None
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise CommandError(f"port {port} is in use; stop what uses it, or choose another with {by}") from None
        if error.errno == errno.EACCES:
            raise CommandError(f"port {port} needs more rights; choose one above 1023 with {by}") from None
        raise CommandError(f"can't listen on {host}:{port} ({error.strerror}); choose another host or port") from None
    return listener


@dataclass(frozen=True)
class Beside:
    """What there is beside a table when it is served.

    `players`: what they may say on pages; `access`: who may operate, nobody where left out. `folder`: that of the
    records, where somebody is to look after it. `keeping`: what the table does for its records; `records`: what pages
    show of them. `names`: further ones that the page answers to.
    """

    players: Players = field(default_factory=Players)
    access: Access | None = None
    folder: Path | None = None
    keeping: Keeping | None = None
    records: Records | None = None
    names: Sequence[str] = ()


class PageServer:
    """The page of one table on a bound socket, in a thread of its own. `stop` ends within a few seconds.

    `machine`: the checks of the machine that it runs on.
    """

    def __init__(
        self,
        table: TableLike,
        listener: socket.socket,
        beside: Beside | None = None,
        machine: Callable[[], Sequence[Check]] = tuple,
    ) -> None:
        beside = beside or Beside()
        self._app = create_app(
            table,
            allowed_hosts=beside.names,
            players=replace(beside.players, address=address_of(listener)),
            access=beside.access,
            machine=machine,
            keeping=beside.keeping,
            records=beside.records,
        )
        self._socket = listener
        settings = uvicorn.Config(
            self._app,
            log_config=None,
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=1,
            server_header=False,
            http=Door,
        )
        self._server = uvicorn.Server(settings)
        self._thread = threading.Thread(target=self._server.run, args=([listener],), name="web", daemon=True)

    def start(self, timeout_s: float = 10.0) -> None:
        """Answer from now on; returns when the page answers."""
        self._thread.start()
        pause = threading.Event()
        waited_s = 0.0
        while not self._server.started and self._thread.is_alive() and waited_s < timeout_s:
            pause.wait(0.01)
            waited_s += 0.01
        if not self._server.started:
            raise CommandError("the page could not be started; try again with BOARDREF_DEBUG=1 to see why")

    def idle_s(self) -> float:
        """Seconds since the page's loop last came round: a large number means that it hangs."""
        return time.monotonic() - float(self._app.state.hub.turned_s)

    def stop(self) -> None:
        """End every open stream, then the server."""
        self._app.state.hub.close()
        self._server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(timeout=3.0)
        self._socket.close()


class Keeper(TableLike, Protocol):
    """A table, or what stands in for one."""

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def idle_s(self) -> float: ...
    def status(self) -> str: ...


@contextmanager
def answering(
    table: Keeper,
    listener: socket.socket,
    ready: Callable[[str], None],
    beside: Beside,
) -> Iterator[str]:
    """The table is started and its page answers meanwhile; the supervisor hears of it. Yields the page's address.

    `listener` stays open: what knocks while one table makes room for another waits a moment.
    """
    keeping = beside.keeping
    watchman = Watchman(table, beside.folder) if beside.folder is not None else None

    def checks() -> tuple[Check, ...]:
        return (*(watchman.checks() if watchman else ()), *(keeping.checks() if keeping else ()))

    server = PageServer(table, listener.dup(), beside, checks)
    alive = Alive(lambda: max(table.idle_s(), server.idle_s()), table.status)
    try:
        table.start()
        server.start()
        host, port = listener.getsockname()[:2]
        address = f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else host}:{port}/"
        gc.collect()
        gc.freeze()  # what runs now stays: a full search for garbage would hold up a frame for 20 ms
        ready(address)
        alive.start()
        if watchman is not None:
            watchman.start()
        if keeping is not None:
            keeping.start()
        yield address
    finally:
        if keeping is not None:
            keeping.stop()
        if watchman is not None:
            watchman.stop()
        alive.rest()
        server.stop()
        table.stop()


def serve(
    table: Keeper,
    listener: socket.socket,
    beside: Beside,
    *,
    ready: Callable[[str], None],
    browser: bool = False,
) -> None:
    """Run until Ctrl-C or SIGTERM. `ready` gets the page's address once; `browser` opens it there."""
    try:
        with answering(table, listener, ready, beside) as address:
            if browser:
                threading.Thread(target=webbrowser.open, args=(address,), name="browser", daemon=True).start()
            threading.Event().wait()
    finally:
        notify("STOPPING=1")
        listener.close()
