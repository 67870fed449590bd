"""Drills for the link: an hour of a bad line on a simulated clock, and thousands of pulled cables on a real one.

They ship with the product, so that `boardref bench --lights` can run them anywhere; the tests run shorter ones.
"""

from __future__ import annotations

import gc
import os
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from firmware_bridge.lightmap import LightMap
from firmware_bridge.link import Link
from firmware_bridge.linkstate import Pace
from firmware_bridge.native_talk import NativeTalk
from firmware_bridge.scene import Hue, Light, Rhythm, Scene
from firmware_bridge.talk import Lost
from firmware_bridge.virtual import VirtualDevice
from firmware_bridge.virtual.core import DeviceCore, Faults
from firmware_bridge.virtual.native import NativeBrain

MAP = LightMap.of([f"{file}{rank}" for rank in range(1, 6) for file in "abcde"], ("South", "North"))
TICK_S = 0.01


@dataclass
class BadLine:
    """What came of it. `latest_s`: the longest that a scene took on a live line; `faults`: what was lost."""

    scenes: int = 0
    presses: int = 0
    damaged: int = 0
    losses: int = 0
    latest_s: float = 0.0
    faults: list[str] = field(default_factory=list)


class _Line:
    """Damages, drops and invents bytes, about one in `every`."""

    def __init__(self, rng: random.Random, every: int) -> None:
        self._rng, self._every = rng, every
        self.harmed = 0

    def through(self, data: bytes) -> bytes:
        out = bytearray()
        for byte in data:
            if self._rng.random() * self._every >= 1:
                out.append(byte)
                continue
            self.harmed += 1
            how = self._rng.random()
            if how < 0.6:
                out.append(byte ^ 1 << self._rng.randrange(8))
            elif how < 0.8:
                out += bytes((byte, self._rng.randrange(256)))
        return bytes(out)


def bad_line(seconds: float, seed: int = 1, every: int = 150) -> BadLine:
    """So many simulated seconds of play over a line that harms one byte in `every`, both ways, and at times is dead.

    Each scene must be shown in the end, each press arrive exactly once, in order.
    """
    rng = random.Random(seed)
    line, found, faults = _Line(rng, every), BadLine(), Faults()
    brain = NativeBrain(MAP.n_sites, 8, faults)
    core = DeviceCore(brain, faults)
    pace = Pace()
    talk: NativeTalk | None = None
    scene, epoch, asked_s = Scene("dark", 0), 0, 0.0
    opens_s = next_scene_s = 0.0
    next_press_s, dead_from_s, dead_to_s = 3.0, 300.0, 305.0
    pressed: list[tuple[int, int]] = []
    arrived: list[tuple[int, int]] = []
    attempts, died_s = 0, 0.0
    for tick in range(round(seconds / TICK_S)):
        now_s = tick * TICK_S
        if now_s >= dead_to_s:
            dead_from_s, dead_to_s = now_s + 300, now_s + 300 + rng.choice((1.0, 4.0, 20.0))
        dead = dead_from_s <= now_s < dead_to_s
        if dead or talk is None or talk.standing.device is None:
            died_s = now_s
        if now_s >= next_scene_s and scene.number == brain.lit(now_s).scene:
            found.scenes += 1
            epoch += 1
            light = Light(rng.choice((Hue.WHITE, Hue.BLUE, Hue.AMBER)), rng.choice(list(Rhythm)))
            lit = dict.fromkeys(rng.sample(sorted(MAP.sites), rng.randrange(9)), light)
            scene, asked_s = Scene("x", epoch % 251 + 1, lit, lamp=light), now_s
            next_scene_s = now_s + rng.uniform(0.2, 3.0)
        if now_s >= next_press_s:
            next_press_s = now_s + rng.uniform(2.0, 20.0)
            if talk is not None and talk.standing.device is not None and now_s + 10 < dead_from_s:
                press = (rng.randrange(2), rng.randrange(2))
                pressed.append(press)
                brain.press(*press)
        try:
            if talk is None and now_s >= opens_s:
                talk = NativeTalk(MAP, pace)
                core.hear(b"" if dead else line.through(talk.begin(now_s)), now_s)
            if talk is not None:
                talk.show(scene, epoch, MAP)
                sent = talk.due(now_s)
                said = core.hear(b"" if dead else line.through(sent), now_s) + core.due(now_s)
                talk.take(b"" if dead else line.through(said), now_s)
                arrived += talk.presses()
                attempts = 0 if talk.standing.device is not None else attempts
        except Lost:
            talk = None
            found.losses += 1
            opens_s = now_s + pace.back_off_s[min(attempts, len(pace.back_off_s) - 1)]
            attempts += 1
        state = brain.lit(now_s)
        if state.scene == scene.number and asked_s >= 0:
            if state.sites != {MAP.sites[site]: light for site, light in scene.sites.items()}:
                found.faults.append(f"{now_s:.1f} s: the device shows other lights than it was told")
            if asked_s > died_s:
                found.latest_s = max(found.latest_s, now_s - asked_s)
            asked_s = -1.0
    found.presses, found.damaged = len(pressed), line.harmed
    if arrived != pressed[: len(arrived)] or len(pressed) - len(arrived) > 1:
        found.faults.append(f"{len(pressed)} presses, {len(arrived)} arrived, or in another order")
    return found


@dataclass(frozen=True)
class Reconnects:
    """What thousands of pulled cables cost. `grown_kb`: memory, after the first tenth. `left`: descriptors, threads."""

    count: int
    slowest_s: float
    grown_kb: int
    left: tuple[int, int]
    faults: tuple[str, ...]


def reconnects(count: int, told: Callable[[int], object] = lambda _done: None) -> Reconnects:
    """Pull the cable so often; each time it comes back under another name, and a new scene must be shown."""
    device = VirtualDevice(MAP)
    link = Link(lambda: device.path, MAP, pace=Pace(resend_s=0.03, refresh_s=0.1, back_off_s=(0.001,), look_s=0.001))
    faults: list[str] = []
    slowest_s, memory_kb = 0.0, 0
    left = (0, 0)
    try:
        before = (0, 0)
        for turn in range(count):
            if turn == count // 10:
                _shown(device, turn % 250)
                before, memory_kb = _held(), _memory_kb()
            began_s = time.monotonic()
            link.show(Scene("x", (turn + 1) % 250, {"c3": Light(Hue.BLUE)}))
            device.replug()
            if not _shown(device, (turn + 1) % 250):
                faults.append(f"reconnect {turn}: {link.status().reason}")
                break
            slowest_s = max(slowest_s, time.monotonic() - began_s)
            told(turn + 1)
        ends_s = time.monotonic() + 5
        while (left := _since(before)) > (0, 0) and time.monotonic() < ends_s:
            time.sleep(0.01)
    finally:
        link.close()
        device.close()
    return Reconnects(count, slowest_s, _memory_kb() - memory_kb, left, tuple(faults))


def _shown(device: VirtualDevice, number: int, limit_s: float = 20.0) -> bool:
    ends_s = time.monotonic() + limit_s
    while device.lit().scene != number or device.lit().host_lost:
        if time.monotonic() > ends_s:
            return False
        time.sleep(0.0005)
    return True


def _held() -> tuple[int, int]:
    return len(os.listdir("/proc/self/fd")), threading.active_count()


def _since(before: tuple[int, int]) -> tuple[int, int]:
    now = _held()
    return now[0] - before[0], now[1] - before[1]


def _memory_kb() -> int:
    gc.collect()
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0
