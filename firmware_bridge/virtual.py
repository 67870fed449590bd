"""A lights device on a pseudo-terminal that speaks the native wire and misbehaves on request."""

from __future__ import annotations

import os
import select
import threading
import time
import tty
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from firmware_bridge.lightmap import BAR_LEDS, LightMap, light_of, middle_leds
from firmware_bridge.rhythm import FULL_BRIGHTNESS, Rgb, lamp_light, level, screen_rgb
from firmware_bridge.scene import OFF, Hue, Light, Rhythm
from firmware_bridge.wire.native import (
    BAR,
    BAR_WHOLE,
    FRAME_LIMIT,
    LAMP,
    NACK_BAD_SITE,
    NACK_UNKNOWN,
    VERSION,
    Ack,
    Brightness,
    ButtonEvent,
    Clear,
    Decoder,
    DeviceHealth,
    Fault,
    Frame,
    Heartbeat,
    Hello,
    HelloAck,
    Identify,
    Message,
    Nack,
    Reboot,
    SceneMessage,
    encode,
)

SIDES = 2
FIRMWARE = 0x0100
IDENTIFY_S = 3.0
EVENT_REPEAT_S = 0.2
STATUS_S = 5.0
_HOST_LOST = Light(Hue.AMBER, Rhythm.BREATHE)


@dataclass(frozen=True)
class DeviceState:
    """What the device shows, as it received it. `sites`: index -> Light if lit; `bars`: side -> each LED's Light.

    `since_s`: wire address -> when that light became what it is, on the device's clock (`time.monotonic`).
    """

    sites: Mapping[int, Light] = field(default_factory=dict)
    bars: Mapping[int, tuple[Light, ...]] = field(default_factory=dict)
    lamp: Light = OFF
    brightness: int = FULL_BRIGHTNESS
    epoch: int = 0
    scene: int = 0
    host_lost: bool = True
    since_s: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Colours:
    """sRGB of every light at one moment: `sites` index -> colour (lit ones), `bars` side -> LED by LED."""

    sites: Mapping[int, Rgb]
    bars: Mapping[int, tuple[Rgb, ...]]
    lamp: Rgb


def colours(state: DeviceState, t_s: float) -> Colours:
    """What each LED shows at `t_s` (`time.monotonic`), its rhythm rendered, for drawing on a screen."""
    strength = state.brightness / FULL_BRIGHTNESS

    def shown(light: Light, address: int, led: int = 0, leds: int = 1) -> Rgb:
        since_s = state.since_s.get(address, 0.0)
        return screen_rgb(light.hue, strength * level(light.rhythm, t_s, since_s, led, leds))

    return Colours(
        {index: shown(light, index) for index, light in state.sites.items()},
        {
            side: tuple(shown(light, BAR + side * 0x100 + i, i, len(lights)) for i, light in enumerate(lights))
            for side, lights in state.bars.items()
        },
        shown(lamp_light(state.lamp, t_s), LAMP),
    )


class VirtualDevice:
    """A device with its own thread, from construction until `close`. Set the faults below at any moment.

    silent: hears and says nothing. corrupt_every: damages every n-th frame both ways (0 = none). slow_ms: waits before
    each answer. reset_mid_frame: restarts in the middle of the next frame, once. claimed_sites: a wrong LED count.
    old_firmware: speaks an older version of the wire only.
    """

    def __init__(self, lightmap: LightMap | None = None, *, n_sites: int = 64, n_bar: int = BAR_LEDS) -> None:
        if lightmap is not None:
            n_sites = lightmap.n_sites
            n_bar = max((leds for _, leds in lightmap.bars.values()), default=n_bar)
        self.n_sites, self.n_bar = n_sites, n_bar
        self.silent = False
        self.corrupt_every = 0
        self.slow_ms = 0
        self.reset_mid_frame = False
        self.claimed_sites: int | None = None
        self.old_firmware = False
        self.received: list[Message] = []  # the newest thousand, for tests
        self._lock = threading.RLock()
        self._closing = threading.Event()
        self._master = self._slave = -1
        self._path = ""
        self._sent = self._heard = 0
        self._started_s = time.monotonic()
        self._counters = {"received": 0, "damaged": 0}
        self._event_seq = 0
        self._power_up()
        self._open()
        self._thread = threading.Thread(target=self._run, name="virtual-lights", daemon=True)
        self._thread.start()

    @property
    def path(self) -> str:
        """The port to open. After `drop` it names a port that is gone."""
        return self._path

    def lit(self) -> DeviceState:
        """What the device shows now."""
        with self._lock:
            self._check_lease()
            return self._state

    def press(self, button: int, action: int = 0) -> None:
        """Press a button: its event is repeated until the host acknowledges it."""
        with self._lock:
            self._event_seq = self._event_seq % 255 + 1
            self._events[self._event_seq] = (ButtonEvent(button, action), 0.0)

    def drop(self) -> None:
        """Pull the cable: the port is gone, and with the USB power the device's memory."""
        with self._lock:
            self._close_port()
            self._power_up()

    def replug(self) -> str:
        """Plug it in again; it comes back under another name. Returns the new path."""
        with self._lock:
            self._close_port()
            self._power_up()
            self._open()
            return self._path

    def close(self) -> None:
        """End the device."""
        self._closing.set()
        self._thread.join(timeout=2)
        with self._lock:
            self._close_port()

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

    def _power_up(self) -> None:
        self._decoder = Decoder()
        self._last: tuple[int, Message] | None = None  # sequence number done last, and what was answered
        self._events: dict[int, tuple[ButtonEvent, float]] = {}
        self._lease_until_s = 0.0
        self._lost_since_s = time.monotonic()
        self._identify_until_s = 0.0
        self._state = self._asleep(0)
        self._health_due_s = time.monotonic() + STATUS_S

    def _asleep(self, epoch: int) -> DeviceState:
        """The device's own HOST LOST: the middle of the bars breathes amber; after a minute one pixel only."""
        dark = (OFF,) * self.n_bar
        late = time.monotonic() - self._lost_since_s > 60
        marks = middle_leds(self.n_bar)[: 1 if late else None]
        bar = tuple(_HOST_LOST if i in marks else OFF for i in range(self.n_bar))
        bars = {side: dark if late and side else bar for side in range(SIDES)}
        return DeviceState(bars=bars, epoch=epoch, host_lost=True, brightness=16 if late else FULL_BRIGHTNESS)

    def _run(self) -> None:
        while not self._closing.is_set():
            with self._lock:
                master = self._master
            if master < 0:
                self._closing.wait(0.01)
                continue
            try:
                ready, _, _ = select.select([master], [], [], 0.02)
                with self._lock:
                    if master != self._master:
                        continue
                    if ready:
                        self._hear(os.read(master, 4096))
                    self._check_lease()
                    self._speak_unasked()
            except (OSError, ValueError):  # the port was closed under us; there may be a new one
                self._closing.wait(0.01)

    def _hear(self, data: bytes) -> None:
        if self.silent:
            return
        if self.reset_mid_frame and len(data) > 1:
            self.reset_mid_frame = False
            self._decoder.feed(data[: len(data) // 2])
            self._power_up()
            data = data[len(data) // 2 :]
        for found in self._decoder.feed(self._damaged_on_the_way(data)):
            if isinstance(found, Fault):
                self._counters["damaged"] += 1
                if found.seq is not None:
                    self._send(Nack(found.reason), found.seq)
            else:
                self._counters["received"] += 1
                self.received = [*self.received[-999:], found.message]
                self._take(found)

    def _damaged_on_the_way(self, data: bytes) -> bytes:
        damaged = bytearray(data)
        first = True
        for i, byte in enumerate(data):
            if first and byte and self.corrupt_every and self._heard % self.corrupt_every == self.corrupt_every - 1:
                damaged[i] ^= 0x20
            first = byte == 0
            self._heard += byte == 0
        return bytes(damaged)

    def _take(self, frame: Frame) -> None:
        message = frame.message
        if isinstance(message, Ack | Nack):
            self._events.pop(frame.seq, None)
            return
        if isinstance(message, Heartbeat):
            self._lease_until_s = time.monotonic() + message.lease_ms / 1000
            return
        if isinstance(message, Hello):
            self._events.clear()
            self._last = None
        if self._last is not None and frame.seq == self._last[0]:
            self._send(self._last[1], frame.seq)  # our answer was lost: say it again, do nothing twice
            return
        answer = self._do(message)
        self._last = (frame.seq, answer)
        if frame.wants_ack:
            self._send(answer, frame.seq)

    def _do(self, message: Message) -> Message:
        match message:
            case Hello():
                sites = self.n_sites if self.claimed_sites is None else self.claimed_sites
                version = 0 if self.old_firmware else VERSION
                return HelloAck(version, FIRMWARE, sites, self.n_bar, 3, FRAME_LIMIT, b"virtual\0")
            case _ if self.old_firmware:
                return Nack(NACK_UNKNOWN)
            case SceneMessage():
                return self._show(message)
            case Clear():
                self._state = DeviceState(bars=self._dark_bars(), epoch=self._state.epoch, host_lost=False)
            case Identify(site):
                if site >= self.n_sites:
                    return Nack(NACK_BAD_SITE)
                self._identify_until_s = time.monotonic() + IDENTIFY_S
                lights = {site: Light(Hue.WHITE, Rhythm.BLINK)}
                self._state = DeviceState(lights, self._dark_bars(), epoch=self._state.epoch, host_lost=False)
            case Brightness(value):
                self._state = replace(self._state, brightness=value)
            case Reboot():
                self._power_up()
            case _:
                return Nack(NACK_UNKNOWN)
        return Ack()

    def _dark_bars(self) -> dict[int, tuple[Light, ...]]:
        return dict.fromkeys(range(SIDES), (OFF,) * self.n_bar)

    def _show(self, message: SceneMessage) -> Message:
        sites: dict[int, Light] = {}
        bars = {side: [OFF] * self.n_bar for side in range(SIDES)}
        lamp = OFF
        for address, code in message.lights:
            try:
                light = light_of(code)
            except ValueError:
                return Nack(NACK_UNKNOWN)
            side, led = divmod(address - BAR, 0x100)
            if address == LAMP:
                lamp = light
            elif address < self.n_sites:
                sites[address] = light
            elif side in bars and led == BAR_WHOLE:
                bars[side] = [light] * self.n_bar
            elif side in bars and led < self.n_bar:
                bars[side][led] = light
            else:
                return Nack(NACK_BAD_SITE)
        now_s = time.monotonic()
        before, began = _addresses(self._state), self._state.since_s
        whole = {side: tuple(bar) for side, bar in bars.items()}
        state = DeviceState(sites, whole, lamp, message.brightness, message.epoch, message.scene, host_lost=False)
        since_s = {
            address: began.get(address, now_s) if before.get(address) == light else now_s
            for address, light in _addresses(state).items()
        }
        lost = now_s >= self._lease_until_s
        if not lost and now_s >= self._identify_until_s:
            self._state = replace(state, since_s=since_s)
        return Ack()

    def _check_lease(self) -> None:
        now_s = time.monotonic()
        if now_s < self._lease_until_s:
            self._lost_since_s = now_s
        else:
            self._state = self._asleep(self._state.epoch)

    def _speak_unasked(self) -> None:
        now_s = time.monotonic()
        for seq, (event, said_s) in list(self._events.items()):
            if now_s - said_s >= EVENT_REPEAT_S:
                self._events[seq] = (event, now_s)
                self._send(event, seq)
        if now_s >= self._health_due_s:
            self._health_due_s = now_s + STATUS_S
            uptime_s = int(now_s - self._started_s)
            received, damaged = (self._counters[name] % 65536 for name in ("received", "damaged"))
            self._send(DeviceHealth(uptime_s, received, damaged, 0, 5000), 0)

    def _send(self, message: Message, seq: int) -> None:
        if self.silent or self._master < 0:
            return
        if self.slow_ms:
            self._closing.wait(self.slow_ms / 1000)
        data = bytearray(encode(message, seq))
        self._sent += 1
        if self.corrupt_every and self._sent % self.corrupt_every == 0:
            data[1] ^= 0x20
        try:
            os.write(self._master, data)
        except BlockingIOError:
            return  # nobody listens: a real UART drops it too


def _addresses(state: DeviceState) -> dict[int, Light]:
    """Every lit light of a state by its wire address."""
    found = dict(state.sites)
    for side, bar in state.bars.items():
        found |= {BAR + side * 0x100 + i: light for i, light in enumerate(bar) if light.hue}
    if state.lamp.hue:
        found[LAMP] = state.lamp
    return found
