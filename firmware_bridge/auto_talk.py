"""Find out which wire a device speaks by asking in all of them, in an order and with bytes that upset none of them."""

from __future__ import annotations

from firmware_bridge.lightmap import LightMap
from firmware_bridge.linkstate import Capabilities, Pace, Standing
from firmware_bridge.native_talk import NativeTalk
from firmware_bridge.pixel_talk import FILL, PixelTalk
from firmware_bridge.saying import Reason
from firmware_bridge.scene import DARK, Scene
from firmware_bridge.talk import Lost, Talk
from firmware_bridge.wire.adalight import Adalight
from firmware_bridge.wire.awa import Awa
from firmware_bridge.wire.native import WAKE, Decoder, Frame, Hello, HelloAck, encode
from firmware_bridge.wire.pixels import RESERVED, PixelWire
from firmware_bridge.wire.tpm2 import ACKNOWLEDGED, Tpm2
from firmware_bridge.wire.wled import Wled

BAUD = 115200
HEARD_MOST = 16384
_HELLOS = [wire for seq in range(1, 256) if not RESERVED & set(wire := WAKE + encode(Hello(), seq))]
_QUESTIONS: tuple[tuple[float, bytes], ...] = (
    (0.0, _HELLOS[0]),
    (0.15, _HELLOS[1]),
    (0.3, Wled.probe),
    (0.6, Awa.probe),
    (0.65, Tpm2.probe),
)
ROUND_S = 2.2  # ends with a pause in which Adalight's firmware says by itself that it is there
_ALL = Capabilities("auto", scenes=False, acknowledges=False, handshake=True, buttons=False, lease_s=None)


class AutoTalk:
    """One connection whose wire is not known yet; once it is, the talk of that wire.

    Recognised are native, WLED, AWA at 115200, Adalight by its banner, and TPM2 that answers. Others must be named.
    """

    def __init__(self, lightmap: LightMap, pace: Pace, name: str = "the port") -> None:
        self._map, self._pace, self._name = lightmap, pace, name
        self._talk: Talk | None = None
        self._scene, self._epoch = DARK, 0
        self._decoder = Decoder()
        self._heard = bytearray()
        self._first = b""  # what the talk that was found wants to send first
        self._begun_s = 0.0
        self._asked = 0
        self._hinted: tuple[type[PixelWire], int] | None = None  # a sign that may be another's too, and when it counts

    @property
    def baud(self) -> int:
        """The line's speed."""
        return self._talk.baud if self._talk else BAUD

    @property
    def capabilities(self) -> Capabilities:
        """Of the wire that was found."""
        return self._talk.capabilities if self._talk else _ALL

    @property
    def standing(self) -> Standing:
        """How it stands."""
        return self._talk.standing if self._talk else Standing()

    @property
    def acknowledged(self) -> tuple[int, Scene | None]:
        """What is shown for sure."""
        return self._talk.acknowledged if self._talk else (0, None)

    def begin(self, now_s: float) -> bytes:
        """Zeros end a half frame of any wire."""
        self._begun_s = now_s
        return bytes(3 * self._map.leds + 3)

    def show(self, scene: Scene, epoch: int, lightmap: LightMap) -> None:
        """The scene to be shown."""
        self._scene, self._epoch, self._map = scene, epoch, lightmap
        if self._talk:
            self._talk.show(scene, epoch, lightmap)

    def take(self, data: bytes, now_s: float) -> None:
        """Listen for an answer in any wire."""
        if self._talk:
            return self._talk.take(data, now_s)
        self._heard = (self._heard + data)[-HEARD_MOST:]
        heard = bytes(self._heard)
        greeted = any(isinstance(f, Frame) and isinstance(f.message, HelloAck) for f in self._decoder.feed(data))
        if greeted:
            self._found(NativeTalk(self._map, self._pace, self._name), now_s)
        elif Wled().answer(heard):
            self._found(PixelTalk(Wled(), self._map, self._pace, self._name), now_s)
        elif Awa().answer(heard):
            self._found(PixelTalk(Awa(), self._map, self._pace, self._name, BAUD), now_s)
        elif b"Ada\n" in heard:
            self._found(PixelTalk(Adalight(), self._map, self._pace, self._name), now_s)
        elif self._hinted is None and Adalight().answer(heard):
            self._hinted = Adalight, self._round(now_s) + 2  # WLED says so too, but answers the next round
        elif self._hinted is None and heard == 2 * ACKNOWLEDGED:  # nothing else, twice
            self._hinted = Tpm2, self._round(now_s) + 1  # WLED answers so too, but not only so
        return None

    def due(self, now_s: float) -> bytes:
        """The next question, or what the wire that was found has to say."""
        if self._talk:
            first, self._first = self._first, b""
            return first or self._talk.due(now_s)
        if now_s - self._begun_s >= self._pace.boot_s:
            raise Lost(Reason("no_wire", port=self._name))
        if self._hinted and self._round(now_s) >= self._hinted[1]:
            self._found(PixelTalk(self._hinted[0](), self._map, self._pace, self._name), now_s)
            return self.due(now_s)
        if now_s < self._next_question_s():
            return b""
        rounds, index = divmod(self._asked, len(_QUESTIONS))
        self._asked += 1
        fill = FILL if rounds and not index else 0
        return bytes(fill) + _QUESTIONS[index][1]

    def next_s(self, now_s: float) -> float:
        """When something is due."""
        if self._talk:
            return now_s if self._first else self._talk.next_s(now_s)
        return min(self._next_question_s(), self._begun_s + self._pace.boot_s)

    def end(self, now_s: float) -> bytes:
        """All lights off."""
        return self._talk.end(now_s) if self._talk else b""

    def presses(self) -> list[tuple[int, int]]:
        """Buttons pressed since the last call."""
        return self._talk.presses() if self._talk else []

    def _round(self, now_s: float) -> int:
        return int((now_s - self._begun_s) * self._pace.haste / ROUND_S)

    def _next_question_s(self) -> float:
        rounds, index = divmod(self._asked, len(_QUESTIONS))
        return self._begun_s + (rounds * ROUND_S + _QUESTIONS[index][0]) / self._pace.haste

    def _found(self, talk: Talk, now_s: float) -> None:
        self._talk = talk
        self._first = talk.begin(now_s)
        talk.show(self._scene, self._epoch, self._map)
        talk.take(bytes(self._heard), now_s)
