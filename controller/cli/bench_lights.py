"""Rows of `boardref bench` about the lights: how late they are, and what a bad line and pulled cables cost."""

from __future__ import annotations

import os
import random
import select
import statistics
import threading
import time
import tty
from collections.abc import Iterator
from typing import Any

from controller.referee.signals import signals
from controller.referee.view import View
from controller.rules.api import Shift
from firmware_bridge.drills import bad_line, reconnects
from firmware_bridge.lightmap import LightMap
from firmware_bridge.link import Link
from firmware_bridge.linkstate import LinkState
from firmware_bridge.virtual.core import DeviceCore, Faults
from firmware_bridge.virtual.native import NativeBrain

LIGHTS, VERDICTS = 64, 200
BYTE_S = 10 / 115200
LED_S = 30e-6
RECONNECTS, HOUR_S = 10_000, 3600.0


class PacedDevice:
    """A device on a pseudo-terminal whose bytes take as long as on a line of 115200: a pseudo-terminal has no speed.

    `scenes`: scene number -> when the last byte of its message had left the wire.
    """

    def __init__(self, lightmap: LightMap) -> None:
        self._leds = lightmap.leds
        self._brain = NativeBrain(lightmap.n_sites, 8, Faults())
        self._core = DeviceCore(self._brain, Faults(), time.monotonic())
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self.scenes: dict[int, float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="paced lights", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it."""
        self._stop.set()
        self._thread.join(timeout=2)
        os.close(self._master)
        os.close(self._slave)

    def _run(self) -> None:
        wire_s = 0.0  # when the wire is free again
        while not self._stop.is_set():
            ready, _, _ = select.select([self._master], [], [], 0.02)
            data = os.read(self._master, 4096) if ready else b""
            wire_s = max(wire_s, time.monotonic()) + len(data) * BYTE_S
            self._sleep_until(wire_s)
            before = self._brain.lit(wire_s).epoch
            said = self._core.hear(data, wire_s) if data else self._core.due(time.monotonic())
            state = self._brain.lit(wire_s)
            if state.epoch != before:
                self.scenes.setdefault(state.epoch, wire_s)
                self._sleep_until(wire_s + self._leds * LED_S)
            if said:
                self._sleep_until(time.monotonic() + len(said) * BYTE_S)
                os.write(self._master, said)

    def _sleep_until(self, at_s: float) -> None:
        while (left_s := at_s - time.monotonic()) > 0:
            time.sleep(left_s)


def latency(verdicts: int = VERDICTS, lights: int = LIGHTS) -> dict[str, Any]:
    """From the referee's View to the last byte of the Scene that lights all lights, in ms."""
    sites = [f"s{i}" for i in range(lights)]
    lightmap = LightMap.of(sites, ("South", "North"))
    device = PacedDevice(lightmap)
    link = Link(device.path, lightmap, wire="native")
    rng = random.Random(1)
    took_ms = []
    try:
        ends_s = time.monotonic() + 10
        while link.status().state is not LinkState.READY and time.monotonic() < ends_s:
            time.sleep(0.01)
        for number in range(verdicts):
            # now and then after a pause, so that a refresh may be on its way
            time.sleep(rng.uniform(1.0, 1.05) if number % 20 == 19 else rng.uniform(0.05, 0.15))
            wrong = (Shift("piece", None, "s0"),)
            view = View(float(number), "play", "any", "any", 1, ("South", "North"), "South", seen=True,
                        changed=frozenset(sites[number % 2 :]), wrong=wrong)  # fmt: skip
            began_s = time.monotonic()
            epoch = link.show(signals(view))
            ends_s = began_s + 2
            while epoch not in device.scenes and time.monotonic() < ends_s:
                time.sleep(0.002)
            took_ms.append((device.scenes.get(epoch, ends_s) - began_s) * 1000)
    finally:
        link.close()
        device.close()
    took_ms.sort()
    return {
        "what": f"verdict to the last byte on the wire, {lights} lights",
        "median": round(statistics.median(took_ms), 1),
        "p95": round(took_ms[int(len(took_ms) * 0.95)], 1),
        "worst": round(took_ms[-1], 1),
        "unit": "ms",
        "target_ms": 30,
    }


def endurance(times: int = RECONNECTS, seconds: float = HOUR_S) -> Iterator[dict[str, Any]]:
    """An hour of a bad line on a simulated clock, and thousands of pulled cables; `ok`: nothing was lost."""
    line = bad_line(seconds)
    yield {
        "what": f"{seconds / 60:.0f} minutes of a bad line",
        "value": len(line.faults),
        "unit": "lost",
        "ok": not line.faults,
        "why": f"{line.damaged} bytes harmed, {line.scenes} scenes, {line.presses} presses, {line.losses} reconnects, "
        f"latest {line.latest_s:.2f} s{''.join(f'; {fault}' for fault in line.faults[:3])}",
    }
    pulled = reconnects(times)
    well = not pulled.faults and pulled.left == (0, 0) and pulled.grown_kb < 2048
    yield {
        "what": f"{times} reconnects",
        "value": len(pulled.faults),
        "unit": "lost",
        "ok": well,
        "why": f"slowest {pulled.slowest_s:.2f} s, {pulled.grown_kb} kB more memory, {pulled.left[0]} descriptors and "
        f"{pulled.left[1]} threads left behind{''.join(f'; {fault}' for fault in pulled.faults)}",
    }
