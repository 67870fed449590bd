"""The virtual device on the native wire: it is told what the lights mean and moves them itself."""

from __future__ import annotations

from dataclasses import replace

from firmware_bridge.lightmap import SIDES, light_of, middle_leds
from firmware_bridge.scene import FULL_BRIGHTNESS, OFF, Hue, Light, Rhythm
from firmware_bridge.virtual.core import Faults
from firmware_bridge.virtual.look import DeviceState
from firmware_bridge.wire.native import (
    BAR,
    BAR_WHOLE,
    CAN_LAMP,
    FRAME_LIMIT,
    HAS_BUTTONS,
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

FIRMWARE = 0x0100
IDENTIFY_S = 3.0
EVENT_REPEAT_S = 0.2
STATUS_S = 5.0
UID = b"virtual\0"
_HOST_LOST = Light(Hue.AMBER, Rhythm.BREATHE)


class NativeBrain:
    """The device proper. `received`: the newest thousand messages, for tests."""

    frame_start = b"\0"

    def __init__(self, n_sites: int, n_bar: int, faults: Faults) -> None:
        self.n_sites, self.n_bar, self._faults = n_sites, n_bar, faults
        self.received: list[Message] = []
        self.events: dict[int, tuple[ButtonEvent, float]] = {}
        self._event_seq = 0
        self._counters = {"received": 0, "damaged": 0}
        self.power_up(0.0)

    def power_up(self, now_s: float) -> None:
        """Start anew."""
        self._decoder = Decoder()
        self._out: list[bytes] = []
        self._last: tuple[int, Message] | None = None  # sequence number done last, and what was answered
        self.events.clear()
        self._lease_until_s = now_s
        self._started_s = self._lost_since_s = now_s
        self._identify_until_s = now_s
        self._state = self._asleep(0, now_s)
        self._health_due_s = now_s + STATUS_S

    def lit(self, now_s: float) -> DeviceState:
        """What it shows now."""
        if now_s < self._lease_until_s:
            self._lost_since_s = now_s
        else:
            self._state = self._asleep(self._state.epoch, now_s)
        return self._state

    def press(self, button: int, action: int) -> None:
        """Press a button: its event is repeated until the host acknowledges it."""
        self._event_seq = self._event_seq % 255 + 1
        self.events[self._event_seq] = (ButtonEvent(button, action), float("-inf"))

    def hear(self, data: bytes, now_s: float) -> None:
        """Frames from the host."""
        for found in self._decoder.feed(data):
            if isinstance(found, Fault):
                self._counters["damaged"] += 1
                if found.seq is not None:
                    self._say(Nack(found.reason), found.seq)
            else:
                self._counters["received"] += 1
                self.received = [*self.received[-999:], found.message]
                self._take(found, now_s)

    def speak(self, now_s: float) -> list[bytes]:
        """Answers, button events that nobody acknowledged, and its health."""
        self.lit(now_s)
        for seq, (event, said_s) in list(self.events.items()):
            if now_s - said_s >= EVENT_REPEAT_S:
                self.events[seq] = (event, now_s)
                self._say(event, seq)
        if now_s >= self._health_due_s:
            self._health_due_s = now_s + STATUS_S
            received, damaged = (self._counters[name] % 65536 for name in ("received", "damaged"))
            self._say(DeviceHealth(int(now_s - self._started_s), received, damaged, 0, 5000), 0)
        out, self._out = self._out, []
        return out

    def _say(self, message: Message, seq: int) -> None:
        self._out.append(encode(message, seq))

    def _asleep(self, epoch: int, now_s: float) -> DeviceState:
        """The device's own HOST LOST: the middle of the bars breathes amber; after a minute one pixel only."""
        dark = (OFF,) * self.n_bar
        late = now_s - self._lost_since_s > 60
        marks = middle_leds(self.n_bar)[: 1 if late else None]
        bar = tuple(_HOST_LOST if i in marks else OFF for i in range(self.n_bar))
        bars = {side: dark if late and side else bar for side in range(SIDES)}
        return DeviceState(bars=bars, epoch=epoch, host_lost=True, brightness=16 if late else FULL_BRIGHTNESS)

    def _take(self, frame: Frame, now_s: float) -> None:
        message = frame.message
        if isinstance(message, Ack | Nack):
            self.events.pop(frame.seq, None)
            return
        if isinstance(message, Heartbeat):
            self._lease_until_s = now_s + message.lease_ms / 1000
            return
        if isinstance(message, Hello):
            self.events.clear()
            self._last = None
        if self._last is not None and frame.seq == self._last[0]:
            self._say(self._last[1], frame.seq)  # our answer was lost: say it again, do nothing twice
            return
        answer = self._do(message, now_s)
        self._last = (frame.seq, answer)
        if frame.wants_ack:
            self._say(answer, frame.seq)

    def _do(self, message: Message, now_s: float) -> Message:
        match message:
            case Hello():
                claimed = self._faults.claimed_sites
                sites = self.n_sites if claimed is None else claimed
                version = 0 if self._faults.old_firmware else VERSION
                return HelloAck(version, FIRMWARE, sites, self.n_bar, CAN_LAMP | HAS_BUTTONS, FRAME_LIMIT, UID)
            case _ if self._faults.old_firmware:
                return Nack(NACK_UNKNOWN)
            case SceneMessage():
                return self._show(message, now_s)
            case Clear():
                self._state = DeviceState(bars=self._dark_bars(), epoch=self._state.epoch, host_lost=False)
            case Identify(site):
                if site >= self.n_sites:
                    return Nack(NACK_BAD_SITE)
                self._identify_until_s = now_s + IDENTIFY_S
                lights = {site: Light(Hue.WHITE, Rhythm.BLINK)}
                self._state = DeviceState(lights, self._dark_bars(), epoch=self._state.epoch, host_lost=False)
            case Brightness(value):
                self._state = replace(self._state, brightness=value)
            case Reboot():
                self.power_up(now_s)
            case _:
                return Nack(NACK_UNKNOWN)
        return Ack()

    def _dark_bars(self) -> dict[int, tuple[Light, ...]]:
        return dict.fromkeys(range(SIDES), (OFF,) * self.n_bar)

    def _show(self, message: SceneMessage, now_s: float) -> Message:
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
        before, began = _addresses(self._state), self._state.since_s
        whole = {side: tuple(bar) for side, bar in bars.items()}
        state = DeviceState(sites, whole, lamp, message.brightness, message.epoch, message.scene, host_lost=False)
        since_s = {
            address: began.get(address, now_s) if before.get(address) == light else now_s
            for address, light in _addresses(state).items()
        }
        if now_s < self._lease_until_s and now_s >= self._identify_until_s:
            self._state = replace(state, since_s=since_s)
        return Ack()


def _addresses(state: DeviceState) -> dict[int, Light]:
    """Every lit light of a state by its wire address."""
    found = dict(state.sites)
    for side, bar in state.bars.items():
        found |= {BAR + side * 0x100 + i: light for i, light in enumerate(bar) if light.hue}
    if state.lamp.hue:
        found[LAMP] = state.lamp
    return found
