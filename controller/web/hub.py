"""One watcher of the table for all screens: a thread waits for news, every stream wakes up and reads the newest state.

Nothing is queued for a slow screen: it gets what is true when it is ready to read, never a backlog.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from functools import partial

from controller.web.ports import Snapshot, TableLike

_log = logging.getLogger(__name__)

PERIOD_S = 0.1  # at most ten messages a second for each screen
AFTER_FAULT_S = 1.0


class Hub:
    """`newest` is the latest snapshot; `next()` waits for the one after it. Started and stopped with the app.

    `turned_s`: when the web loop last came round, monotonic; long ago means that it hangs.
    """

    def __init__(self, table: TableLike) -> None:
        self._table = table
        self.newest: Snapshot = table.snapshot()
        self.closed = False
        self.turned_s = time.monotonic()
        self._news = asyncio.Event()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        """Start watching; called once, in the web loop."""
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._thread = threading.Thread(target=self._watch, args=(self._loop,), name="hub", daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """Stop watching and let every stream end."""
        self._end()
        patience = 100
        while self._thread is not None and self._thread.is_alive() and patience:
            patience -= 1
            await asyncio.sleep(0.01)

    def close(self) -> None:
        """Let every stream end; may be called from any thread, before the server is asked to stop."""
        if self._loop is not None:
            _tell(self._loop, self._end)

    def _end(self) -> None:
        self.closed = True
        self._ended.set()
        self._news.set()

    async def next(self) -> Snapshot:
        """The newest snapshot, after the next look at the table."""
        news = self._news
        await news.wait()
        return self.newest

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """The thread; its own, for the loop's pool of threads is taken down before the loop's last word."""
        seen = self.newest.rev
        while not self._ended.is_set():
            started = time.monotonic()
            try:
                snapshot = self._table.wait(seen, PERIOD_S)
            except Exception:
                # The screens must come back by themselves when the table does.
                _log.exception("the table could not be asked for its state")
                self._ended.wait(AFTER_FAULT_S)
                continue
            seen = snapshot.rev
            if not _tell(loop, partial(self._heard, snapshot)):
                return
            # A table that changes with every frame must not flood the screens.
            self._ended.wait(max(0.0, PERIOD_S - (time.monotonic() - started)))

    def _heard(self, snapshot: Snapshot) -> None:
        self.newest = snapshot
        self.turned_s = time.monotonic()
        if self.closed:
            return  # the streams were woken for good
        news, self._news = self._news, asyncio.Event()
        news.set()


def _tell(loop: asyncio.AbstractEventLoop, do: Callable[[], None]) -> bool:
    """Have the loop do something from any thread; False when it has ended."""
    try:
        loop.call_soon_threadsafe(do)
    except RuntimeError:
        return False
    return True
