"""One watcher of the table for all screens: a thread waits for news, every stream wakes up and reads the newest state.

Nothing is queued for a slow screen: it gets what is true when it is ready to read, never a backlog.
"""

from __future__ import annotations

import asyncio
import logging

from controller.web.ports import Snapshot, TableLike

_log = logging.getLogger(__name__)

PERIOD_S = 0.1  # at most ten messages a second for each screen


class Hub:
    """`newest` is the latest snapshot; `next()` waits for the one after it. Started and stopped with the app."""

    def __init__(self, table: TableLike) -> None:
        self._table = table
        self.newest: Snapshot = table.snapshot()
        self.closed = False
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        """Start watching; called once, in the web loop."""
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._task = asyncio.create_task(self._watch())

    async def stop(self) -> None:
        """Stop watching and let every stream end."""
        self._end()
        if self._task is not None:
            await asyncio.wait([self._task], timeout=1.0)

    def close(self) -> None:
        """Let every stream end; may be called from any thread, before the server is asked to stop."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        self.closed = True
        self._news.set()

    async def next(self) -> Snapshot:
        """The newest snapshot, after the next look at the table."""
        news = self._news
        await news.wait()
        return self.newest

    async def _watch(self) -> None:
        while not self.closed:
            started = asyncio.get_running_loop().time()
            try:
                self.newest = await asyncio.to_thread(self._table.wait, self.newest.rev, PERIOD_S)
            except Exception:
                # The screens must come back by themselves when the table does.
                _log.exception("the table could not be asked for its state")
                await asyncio.sleep(1.0)
                continue
            news, self._news = self._news, asyncio.Event()
            news.set()
            # A table that changes with every frame must not flood the screens.
            await asyncio.sleep(max(0.0, PERIOD_S - (asyncio.get_running_loop().time() - started)))
