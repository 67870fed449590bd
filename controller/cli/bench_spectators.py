"""What spectators cost: the frame rate of a running table alone and with many screens on its event stream.

Both are measured in one run, with somebody carrying a piece to and fro, so that there is news to be told. The screens
are real sockets in a process of their own, as browsers would be.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from controller.cli.demo import Demo, demo_parts
from controller.service import PageServer, listening_socket
from vision.boardset import installed_sets

SCREENS = 200
MEASURE_S = 8.0
SETTLE_S = 2.0
LEAST = 0.9
"""So much of the frame rate must be left."""

WATCHERS = """
import asyncio, sys
port, screens = int(sys.argv[1]), int(sys.argv[2])
heard = [0] * screens
async def watch(number):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lang = ("en", "nl", "de", "fr")[number % 4]
    writer.write(f"GET /events?lang={lang} HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n"
                 f"X-Forwarded-For: 10.0.{number // 250}.{number % 250}\\r\\n\\r\\n".encode())
    while data := await reader.read(65536):
        heard[number] += data.count(b"event: beat")
async def told():
    await asyncio.gather(asyncio.to_thread(sys.stdin.readline), return_exceptions=True)
    print(sum(count > 0 for count in heard), sum(heard), flush=True)
async def main():
    screens_open = [asyncio.create_task(watch(number)) for number in range(screens)]
    await asyncio.sleep(0.5)
    print("open", flush=True)
    await told()
    for task in screens_open:
        task.cancel()
    await asyncio.gather(*screens_open, return_exceptions=True)
asyncio.run(main())
"""


def rows(screens: int = SCREENS, measure_s: float = MEASURE_S) -> Iterator[dict[str, Any]]:
    """Frame rates and their ratio; and how many of the screens were told something."""
    with tempfile.TemporaryDirectory(prefix="boardref-bench-") as folder:
        demo = demo_parts("transet", Path(folder))
        listener = listening_socket("127.0.0.1", 0)
        server = PageServer(demo.table, listener)
        demo.table.start()
        server.start()
        try:
            _carry(demo, SETTLE_S)
            alone, alone_s = _rate(demo, measure_s)
            command = [sys.executable, "-c", WATCHERS, str(listener.getsockname()[1]), str(screens)]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as watching:
                assert watching.stdout is not None
                watching.stdout.readline()
                _carry(demo, SETTLE_S)
                watched, watched_s = _rate(demo, measure_s)
                told, _ = watching.communicate("\n", timeout=10)
        finally:
            server.stop()
            demo.table.stop()
            demo.device.close()
    reached = int(told.split()[0])
    yield {"what": "table alone: frames a second", "value": round(alone, 2), "unit": "Hz"}
    yield {"what": "table alone: a frame's look", "value": round(1000 * alone_s, 1), "unit": "ms"}
    yield {"what": f"with {screens} screens: a frame's look", "value": round(1000 * watched_s, 1), "unit": "ms"}
    ratio = round(watched / alone, 3)
    yield {
        "what": f"with {screens} screens: frames a second", "value": round(watched, 2), "unit": "Hz",
        "ratio": ratio, "target_ratio": LEAST, "ok": ratio >= LEAST and reached == screens,
        "why": f"{reached} of them were told",
    }  # fmt: skip


def _rate(demo: Demo, measure_s: float) -> tuple[float, float]:
    """Frames a second and the mean time for one, while a piece is carried about."""
    before, began_s = demo.table.counts.vision, time.monotonic()
    _carry(demo, measure_s)
    now, took_s = demo.table.counts.vision, time.monotonic() - began_s
    frames = now.count - before.count
    return frames / took_s, (now.sum_s - before.sum_s) / max(1, frames)


def _carry(demo: Demo, for_s: float) -> None:
    """A piece to a neighbouring site and back, now and then."""
    board = installed_sets()["transet"]
    (x0, y0), (x1, y1) = board.centre("c1"), board.centre("c2")
    piece = min(demo.world.snapshot().pieces, key=lambda one: (one.x_mm - x0) ** 2 + (one.y_mm - y0) ** 2)
    ends_s, there = time.monotonic() + for_s, False
    while time.monotonic() < ends_s:
        demo.world.lift(piece.id)
        time.sleep(0.3)
        demo.world.move(piece.id, *((x0, y0) if there else (x1, y1)))
        time.sleep(0.3)
        demo.world.drop(piece.id)
        there = not there
        time.sleep(min(2.0, max(0.0, ends_s - time.monotonic())))
