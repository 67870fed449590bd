"""The virtual device's port: a pseudo-terminal that can be pulled, and a thread that serves it."""

from __future__ import annotations

import os
import select
import threading
import time
import tty

from firmware_bridge.errors import LightsError
from firmware_bridge.lightmap import BAR_LEDS, SIDES, LightMap
from firmware_bridge.virtual.core import DeviceCore, Faults
from firmware_bridge.virtual.look import Colours, DeviceState, StripState, colours, strip_colours
from firmware_bridge.virtual.native import NativeBrain
from firmware_bridge.virtual.strips import AdalightBrain, AwaBrain, StripBrain, Tpm2Brain
from firmware_bridge.virtual.wled import WledBrain, WledJsonBrain
from firmware_bridge.wire.native import Message

STRIPS: dict[str, type[StripBrain]] = {
    "adalight": AdalightBrain,
    "awa": AwaBrain,
    "wled": WledBrain,
    "wled-json": WledJsonBrain,
    "tpm2": Tpm2Brain,
}
TICK_S = 0.02


def brain_of(wire: str, faults: Faults, n_sites: int, n_bar: int, leds: int) -> NativeBrain | StripBrain:
    """The device proper for a wire. Raises LightsError for a wire that is none."""
    if wire == "native":
        return NativeBrain(n_sites, n_bar, faults)
    if wire not in STRIPS:
        raise LightsError(f"there is no wire {wire!r} to pretend; there are native, {', '.join(STRIPS)}")
    return STRIPS[wire](leds, faults)


class VirtualDevice(Faults):
    """A device with its own thread, from construction until `close`. Its faults can be set at any moment.

    `haste`: how many times faster than real its own waiting times are (other than 1 for strips only).
    """

    def __init__(
        self,
        lightmap: LightMap | None = None,
        *,
        n_sites: int = 64,
        n_bar: int = BAR_LEDS,
        wire: str = "native",
        haste: float = 1.0,
    ) -> None:
        super().__init__()
        if lightmap is not None:
            n_sites = lightmap.n_sites
            n_bar = max((leds for _, leds in lightmap.bars.values()), default=n_bar)
        leds = lightmap.leds if lightmap is not None else n_sites + SIDES * n_bar + 1
        self.wire, self.n_sites, self.n_bar, self._haste = wire, n_sites, n_bar, haste
        self._brain = brain_of(wire, self, n_sites, n_bar, leds)
        self._core = DeviceCore(self._brain, self, self._now_s())
        self._lock = threading.RLock()
        self._closing = threading.Event()
        self._master = self._slave = -1
        self._path = ""
        self._open()
        self._thread = threading.Thread(target=self._run, name="virtual-lights", daemon=True)
        self._thread.start()

    @property
    def path(self) -> str:
        """The port to open. After `drop` it names none: the system may have given the number to somebody else."""
        return self._path if self._master >= 0 else f"{self._path}-pulled"

    @property
    def received(self) -> list[Message]:
        """The newest thousand messages on the native wire, for tests."""
        return self._native.received

    @property
    def unanswered_presses(self) -> int:
        """How many presses the host has not acknowledged."""
        with self._lock:
            return len(self._native.events)

    @property
    def said(self) -> int:
        """How many messages it has sent."""
        return self._core.said

    def lit(self) -> DeviceState:
        """What a device on the native wire shows now."""
        with self._lock:
            return self._native.lit(self._now_s())

    def strip(self) -> StripState:
        """What a strip shows now."""
        if isinstance(self._brain, NativeBrain):
            raise TypeError("this device is no strip")
        with self._lock:
            return self._brain.strip(self._now_s())

    def drawn(self, lightmap: LightMap) -> Colours:
        """What it shows now, on whatever wire, for drawing on a screen."""
        if isinstance(self._brain, NativeBrain):
            return colours(self.lit(), time.monotonic())
        return strip_colours(self.strip(), lightmap)

    @property
    def host_lost(self) -> bool:
        """Whether it knows that nobody speaks to it."""
        return self.lit().host_lost if isinstance(self._brain, NativeBrain) else self.strip().host_lost

    def press(self, button: int, action: int = 0) -> None:
        """Press a button: its event is repeated until the host acknowledges it."""
        with self._lock:
            self._native.press(button, action)

    def drop(self) -> None:
        """Pull the cable: the port is gone, and with the USB power the device's memory."""
        with self._lock:
            self._close_port()
            self._core.power_up(self._now_s())

    def replug(self) -> str:
        """Plug it in again; it comes back under another name. Returns the new path."""
        with self._lock:
            self._close_port()
            self._core.power_up(self._now_s())
            self._open()
            return self._path

    def close(self) -> None:
        """End the device."""
        self._closing.set()
        self._thread.join(timeout=2)
        with self._lock:
            self._close_port()

    @property
    def _native(self) -> NativeBrain:
        if not isinstance(self._brain, NativeBrain):
            raise TypeError("this device is a strip; it knows no scenes and has no buttons")
        return self._brain

    def _now_s(self) -> float:
        return time.monotonic() * self._haste

    def _open(self) -> None:
        before, kept = self._path, []
        while True:
            master, slave = os.openpty()
            if os.ttyname(slave) != before:
                break
            kept.append((master, slave))  # the system hands the freed number out again: hold it, take the next
        for descriptor in (end for pair in kept for end in pair):
            os.close(descriptor)
        tty.setraw(slave)
        os.set_blocking(master, False)
        self._master, self._slave, self._path = master, slave, os.ttyname(slave)

    def _close_port(self) -> None:
        for descriptor in (self._master, self._slave):
            if descriptor >= 0:
                os.close(descriptor)
        self._master = self._slave = -1

    def _run(self) -> None:
        while not self._closing.is_set():
            with self._lock:
                master = self._master
            if master < 0:
                self._closing.wait(0.01)
                continue
            try:
                ready, _, _ = select.select([master], [], [], min(TICK_S, TICK_S / self._haste))
                with self._lock:
                    if master != self._master:
                        continue
                    data = os.read(master, 4096) if ready else b""
                    now_s = self._now_s()
                    self._send(self._core.hear(data, now_s) if data else self._core.due(now_s))
            except (OSError, ValueError):  # the port was closed under us; there may be a new one
                self._closing.wait(0.01)

    def _send(self, data: bytes) -> None:
        if not data or self._master < 0:
            return
        try:
            os.write(self._master, data)
        except BlockingIOError:
            return  # nobody listens: a real UART drops it too
