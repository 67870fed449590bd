"""The host's half of the native wire: greeting, whole scenes one at a time, heartbeats, and the device's buttons."""

from __future__ import annotations

from dataclasses import dataclass, replace

from firmware_bridge.lightmap import LightMap
from firmware_bridge.linkstate import NATIVE, Device, LinkState, Pace, Standing
from firmware_bridge.saying import NOTHING, Reason
from firmware_bridge.scene import DARK, Scene
from firmware_bridge.talk import NOTHING_SHOWN, Lost
from firmware_bridge.wire.native import (
    CAN_LAMP,
    HAS_BUTTONS,
    NACK_BAD_SITE,
    NACK_BUSY,
    NACK_CRC,
    NACK_TOO_LONG,
    NACK_UNKNOWN,
    VERSION,
    WAKE,
    Ack,
    ButtonEvent,
    Clear,
    Decoder,
    DeviceHealth,
    Fault,
    Frame,
    Heartbeat,
    Hello,
    HelloAck,
    Message,
    Nack,
    encode,
)

_REFUSED = {
    NACK_TOO_LONG: "refused_long",
    NACK_UNKNOWN: "refused_unknown",
    NACK_BAD_SITE: "refused_light",
    NACK_BUSY: "refused_busy",
}

REPEATED_S = 10.0
"""A press heard again so soon is the same one: a device repeats it every 0.2 s until it hears our answer."""


@dataclass
class _InFlight:
    """The one frame that waits for its answer."""

    wire: bytes
    seq: int
    epoch: int
    scene: Scene
    first_s: float
    sent_s: float
    tries: int = 1


class NativeTalk:
    """One connection over the native wire. `name`: of the port, for the reasons."""

    baud = 115200
    capabilities = NATIVE

    def __init__(self, lightmap: LightMap, pace: Pace, name: str = "the port") -> None:
        self._map, self._pace, self._name = lightmap, pace, name
        self.standing = Standing()
        self.acknowledged = NOTHING_SHOWN
        self._scene, self._epoch = DARK, 0
        self._decoder = Decoder()
        self._hello: HelloAck | None = None
        self._seq = 0
        self._flying: _InFlight | None = None
        self._answers = bytearray()
        self._give_up_s = self._next_hello_s = self._next_heartbeat_s = self._next_refresh_s = 0.0
        self._heard_presses: dict[tuple[int, int, int], float] = {}
        self._presses: list[tuple[int, int]] = []
        self._note = NOTHING

    def begin(self, now_s: float) -> bytes:
        """Two zeros end whatever half frame the device still holds."""
        self._next_hello_s = now_s
        self._give_up_s = now_s + self._pace.handshake_s
        return WAKE

    def show(self, scene: Scene, epoch: int, lightmap: LightMap) -> None:
        """The scene to be shown, by this map."""
        self._scene, self._epoch = scene, epoch
        if lightmap is not self._map:
            self._map = lightmap
            if self._hello is not None:
                self._compare_with_map(self._hello)

    def end(self, now_s: float) -> bytes:
        """All lights off. Said twice under one number: nobody waits for the answer, and one may be damaged."""
        clear = encode(Clear(), self._next_seq()) if self._hello is not None else b""
        return clear + WAKE[:1] + clear if clear else b""  # one more zero between: the first one's may be damaged

    def presses(self) -> list[tuple[int, int]]:
        """Presses since the last call."""
        found, self._presses = self._presses, []
        return found

    def next_s(self, now_s: float) -> float:
        """When something is due."""
        if self._answers:
            return now_s
        if self._hello is None:
            return min(self._next_hello_s, self._give_up_s)
        if self._flying is not None:
            return self._flying.sent_s + self._pace.resend_s
        if self._epoch != self.acknowledged[0] or self.acknowledged[1] is None:
            return now_s
        return min(self._next_heartbeat_s, self._next_refresh_s)

    def due(self, now_s: float) -> bytes:
        """Answers first, then a heartbeat, then the scene; one scene at a time waits for its answer."""
        out, self._answers = bytes(self._answers), bytearray()
        if self._hello is None:
            return out + self._greeting(now_s)
        resend = self._flying is not None and now_s >= self._flying.sent_s + self._pace.resend_s
        if (self._flying is None or resend) and now_s >= self._next_heartbeat_s:
            out += encode(Heartbeat(self._pace.lease_ms, self._epoch), self._next_seq())
            self._next_heartbeat_s = now_s + self._pace.heartbeat_s
        if self._flying is None:
            fresh = self._epoch != self.acknowledged[0] or self.acknowledged[1] is None
            if fresh or now_s >= self._next_refresh_s:
                out += self._launch(now_s, now_s, 1)
        elif resend:
            out += self._again(self._flying, now_s)
        return out

    def take(self, data: bytes, now_s: float) -> None:
        """What the device says. A damaged answer is none: the frame it belonged to is sent again in time."""
        for frame in self._decoder.feed(data):
            if not isinstance(frame, Fault):
                self._hear(frame, now_s)

    def _next_seq(self) -> int:
        self._seq = self._seq % 255 + 1
        return self._seq

    def _greeting(self, now_s: float) -> bytes:
        if now_s >= self._give_up_s:
            raise Lost(Reason("no_answer", port=self._name))
        if now_s < self._next_hello_s:
            return b""
        self._next_hello_s = now_s + self._pace.resend_s
        return encode(Hello(), self._next_seq())

    def _greeted(self, hello: HelloAck) -> None:
        if hello.version < VERSION:
            raise Lost(Reason("too_old", port=self._name, version=hello.version, needed=VERSION))
        self._hello = hello
        device = Device(
            "Boardref lights",
            f"{hello.firmware >> 8}.{hello.firmware & 255}",
            hello.sites,
            hello.bar,
            bool(hello.capabilities & CAN_LAMP),
            bool(hello.capabilities & HAS_BUTTONS),
            hello.uid.hex(),
        )
        self.standing = Standing(LinkState.READY, NOTHING, device)
        self._compare_with_map(hello)

    def _compare_with_map(self, hello: HelloAck) -> None:
        wanted = self._map.n_sites
        self._note = NOTHING
        if hello.sites < wanted:
            self._note = Reason("too_few", has=hello.sites, wanted=wanted)
        if self.standing.state is LinkState.READY:
            self.standing = replace(self.standing, reason=self._note)

    def _again(self, flying: _InFlight, now_s: float) -> bytes:
        if now_s - flying.first_s >= self._pace.down_after_s:
            raise Lost(Reason("silent", port=self._name))
        if flying.tries >= self._pace.tries and self.standing.state is LinkState.READY:
            self._doubt(Reason("asked_again"))
        if self._epoch != flying.epoch:  # something newer is to be shown: the old one need not arrive any more
            return self._launch(now_s, flying.first_s, flying.tries + 1)
        flying.sent_s = now_s
        flying.tries += 1
        return flying.wire

    def _launch(self, now_s: float, first_s: float, tries: int) -> bytes:
        hello = self._hello
        assert hello is not None
        message = self._map.message(
            self._scene,
            self._epoch,
            hello.sites,
            hello.bar,
            hello.max_payload - 5,
            lamp=bool(hello.capabilities & CAN_LAMP),
        )
        seq = self._next_seq()
        self._flying = _InFlight(encode(message, seq), seq, self._epoch, self._scene, first_s, now_s, tries)
        self._next_refresh_s = now_s + self._pace.refresh_s
        return self._flying.wire

    def _doubt(self, reason: Reason) -> None:
        self.standing = replace(self.standing, state=LinkState.SUSPECT, reason=reason)

    def _hear(self, frame: Frame, now_s: float) -> None:
        message: Message = frame.message
        flying = self._flying
        if isinstance(message, HelloAck):
            if self._hello is None:
                self._greeted(message)
        elif isinstance(message, ButtonEvent):
            self._answers += encode(Ack(), frame.seq)
            self._press(frame.seq, message, now_s)
        elif isinstance(message, DeviceHealth):
            self.standing = replace(self.standing, health=message)
        elif flying is not None and frame.seq == flying.seq:
            if isinstance(message, Ack):
                self._landed(flying)
            elif isinstance(message, Nack) and message.reason == NACK_CRC:
                soon_s = now_s + 0.01 - self._pace.resend_s  # at once, but no storm
                flying.sent_s = min(flying.sent_s, soon_s)
            elif isinstance(message, Nack):
                code = _REFUSED.get(message.reason)
                self._doubt(Reason(code) if code else Reason("refused", number=message.reason))

    def _landed(self, flying: _InFlight) -> None:
        self._flying = None
        self.acknowledged = (flying.epoch, flying.scene)
        if self.standing.state is not LinkState.READY:
            self.standing = replace(self.standing, state=LinkState.READY, reason=self._note)

    def _press(self, seq: int, event: ButtonEvent, now_s: float) -> None:
        """Repeats of several buttons may come mixed, and a device that restarted counts from one again."""
        key = (seq, event.button, event.action)
        known = now_s - self._heard_presses.get(key, float("-inf")) < REPEATED_S
        self._heard_presses = {k: t_s for k, t_s in self._heard_presses.items() if now_s - t_s < REPEATED_S}
        self._heard_presses[key] = now_s
        if not known:
            self._presses.append((event.button, event.action))
