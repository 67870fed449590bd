"""The screens' watcher of the table ends without a word, whatever of the loop has been taken down before it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from controller.web.hub import PERIOD_S, Hub


def in_a_loop(work: Coroutine[Any, Any, None]) -> None:
    """In a thread of its own, as the page runs; the test's may have a loop already."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


def test_a_loop_without_its_threads_still_hears_of_the_table(stage, caplog):
    async def run() -> None:
        hub = Hub(stage)
        await hub.start()
        await asyncio.get_running_loop().shutdown_default_executor()  # as at the end of a loop
        stage.show(to_move="North")
        while hub.newest.view.to_move != "North":
            await asyncio.wait_for(hub.next(), 10)
        await hub.stop()

    in_a_loop(run())
    assert caplog.records == []


def test_a_loop_that_is_gone_ends_the_watcher_silently(stage, caplog):
    hub = Hub(stage)
    in_a_loop(hub.start())  # ended without stop
    stage.show(to_move="North")
    for thread in threading.enumerate():
        if thread.name == "hub":
            thread.join(10 + PERIOD_S)
            assert not thread.is_alive()
    hub.close()
    assert caplog.records == []


def test_every_stream_wakes_up_when_it_closes(stage):
    async def run() -> None:
        hub = Hub(stage)
        await hub.start()
        waiting = [asyncio.create_task(hub.next()) for _ in range(5)]
        threading.Thread(target=hub.close).start()
        await asyncio.wait_for(asyncio.gather(*waiting), 10)
        while not hub.closed:
            await asyncio.sleep(0.01)
        await hub.next()  # and never waits again
        await hub.stop()

    in_a_loop(run())
