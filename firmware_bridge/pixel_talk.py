"""The host's half of a wire that carries colours: frames rendered here, kept alive, and signs of life asked for."""

from __future__ import annotations

from firmware_bridge.lightmap import LightMap
from firmware_bridge.linkstate import Capabilities, Device, LinkState, Pace, Standing
from firmware_bridge.rendering import BLACK, Rendering
from firmware_bridge.saying import NOTHING, Reason
from firmware_bridge.scene import DARK, Scene
from firmware_bridge.talk import NOTHING_SHOWN, Lost
from firmware_bridge.wire.pixels import Answer, PixelWire, Rgb

FRAME_S = 0.05  # of lights that move: the shortest flash is 0.15 s
LINE_SHARE = 0.8  # of the line's speed at most, so that nothing piles up before it
FILL = 4096  # zeros before each further question: a header that lost a byte may have announced thousands of LEDs
FILLER, FILLER_PIECE = 2048, 512  # zeros after a still frame where a receiver can't be asked, for the same reason
HEARD_MOST = 16384  # bytes kept while the answer is not yet whole


class PixelTalk:
    """One connection over `wire`. `name`: of the port, for the reasons.

    A frame is sent when its colours differ from the last one's, and at least every `Pace.refresh_s`. Nothing is lit
    before the device has answered; one that never does (where a wire leaves that open) is lit after `Pace.boot_s`.
    """

    def __init__(
        self, wire: PixelWire, lightmap: LightMap, pace: Pace, name: str = "the port", baud: int | None = None
    ) -> None:
        self._wire, self._map, self._pace, self._name = wire, lightmap, pace, name
        self.baud = baud or wire.baud
        self.capabilities = Capabilities(
            wire.name, scenes=False, acknowledges=False, handshake=wire.must_answer, buttons=False, lease_s=wire.lease_s
        )
        self.standing = Standing()
        self.acknowledged = NOTHING_SHOWN
        self._rendering = Rendering()
        self._scene, self._epoch = DARK, 0
        self._rendered: tuple[Scene, LightMap] | None = None
        self._heard = b""
        self._answer: Answer | None = None
        self._note = NOTHING
        self._sent: list[Rgb] = []
        self._give_up_s = self._next_probe_s = self._next_frame_s = self._next_refresh_s = self._free_s = 0.0
        self._wrote_s = self._heard_s = 0.0
        self._signs = self._probes = 0
        self._asks = False
        self._fill_left = 0
        self._asked_s: float | None = None  # when a sign of life was first missed, or asked for

    def begin(self, now_s: float) -> bytes:
        """Zeros end whatever half frame the device still waits for."""
        self._give_up_s = now_s + self._pace.boot_s
        self._next_probe_s = now_s
        self._rendering.show(DARK, self._map, now_s)
        return self._write(self._wire.flush(max(1, self._rendering.leds)), now_s)

    def show(self, scene: Scene, epoch: int, lightmap: LightMap) -> None:
        """The scene to be shown, and where its lights are."""
        if lightmap != self._map:
            self._map = lightmap
            self._note_count()
        self._scene, self._epoch = scene, epoch

    def end(self, now_s: float) -> bytes:
        """All lights off."""
        return self._wire.frame([BLACK] * len(self._sent)) * 2 if self._sent else b""  # one may be damaged

    def presses(self) -> list[tuple[int, int]]:
        """Strips have no buttons."""
        return []

    def take(self, data: bytes, now_s: float) -> None:
        """What the device says."""
        self._heard = (self._heard + data)[-HEARD_MOST:]
        if self._answer is None:
            answer = self._wire.answer(self._heard)
            if answer is not None:
                self._answered(answer)
        if self._answer is not None and self._wire.is_alive(self._heard):
            self._heard, self._heard_s, self._asked_s = b"", now_s, None
            self._signs += 1
            if self.standing.state is LinkState.SUSPECT:
                self._stand(LinkState.READY, self._note)

    def next_s(self, now_s: float) -> float:
        """When something is due."""
        if self.standing.state is LinkState.HANDSHAKE:
            return min(self._next_probe_s, self._give_up_s)
        fresh = self._rendered != (self._scene, self._map) or self._epoch != self.acknowledged[0] or self._fill_left
        return max(self._free_s, now_s if fresh else min(self._next_frame_s, self._next_refresh_s))

    def due(self, now_s: float) -> bytes:
        """The question until it is answered, then frames."""
        if self.standing.state is LinkState.HANDSHAKE:
            return self._greeting(now_s)
        if now_s < self._free_s:
            return b""
        self._doubt(now_s)
        self.acknowledged = (self._epoch, self._scene)
        if self._rendered != (self._scene, self._map):
            self._rendering.show(self._scene, self._map, now_s)
            self._rendered = (self._scene, self._map)
        elif now_s < min(self._next_frame_s, self._next_refresh_s):
            return self._filler(now_s)
        frame = self._rendering.frame(now_s)
        refresh = now_s >= self._next_refresh_s
        out = self._question(now_s) if refresh else b""
        if frame and (refresh or frame != self._sent):
            out += self._wire.frame(frame)
            self._sent = frame
        if refresh:
            self._next_refresh_s = now_s + self._refresh_s()
            self._fill_left = 0 if self._wire.ping or self._rendering.moves else int(FILLER / self._pace.haste)
        self._write(out, now_s)
        listens = self._beats and self.standing.state is LinkState.SUSPECT  # then it gets its pause, moving or not
        moves = self._rendering.moves and not listens
        self._next_frame_s = now_s + FRAME_S if moves else self._next_refresh_s
        return out

    def _filler(self, now_s: float) -> bytes:
        """In pieces, so that a new scene never waits long."""
        piece = min(self._fill_left, FILLER_PIECE)
        self._fill_left -= piece
        return self._write(bytes(piece), now_s)

    def _write(self, out: bytes, now_s: float) -> bytes:
        if out:
            self._wrote_s = now_s
            self._free_s = now_s + len(out) * 10 / self.baud / LINE_SHARE
        return out

    def _greeting(self, now_s: float) -> bytes:
        if now_s >= self._give_up_s:
            if self._wire.must_answer:
                advice = Reason(self._wire.unanswered)
                raise Lost(Reason("no_answer_as", port=self._name, wire=self._wire.name).then(advice))
            self._note = Reason("unknown", port=self._name).then(Reason(self._wire.unanswered))
            self._ready(Device(self._wire.name, sites=self._map.n_sites, capabilities=self.capabilities))
            return b""
        if now_s < self._next_probe_s or now_s < self._free_s:
            return b""
        self._next_probe_s = now_s + self._pace.probe_s
        self._probes += 1
        fill = FILL if self._probes > 2 and self._wire.probe else 0
        return self._write(bytes(fill) + self._wire.probe, now_s)

    def _answered(self, answer: Answer) -> None:
        self._answer = answer
        self._note_count()
        sites = self._map.n_sites if answer.leds is None else min(answer.leds, self._map.n_sites)
        self._ready(Device(answer.name, answer.version, sites, uid=answer.uid, capabilities=self.capabilities))

    def _note_count(self) -> None:
        if self._answer is None:
            return
        self._rendering.show(DARK, self._map, 0.0)
        self._rendered = None
        self._note, wanted = self._answer.note, self._rendering.leds
        if self._answer.leds is not None and self._answer.leds < wanted:
            self._note = Reason("too_few_leds", has=self._answer.leds, wanted=wanted)
        if self.standing.state is LinkState.READY:
            self._stand(LinkState.READY, self._note)

    def _ready(self, device: Device) -> None:
        self.standing = Standing(LinkState.READY, self._note, device)
        self._asked_s = None

    def _stand(self, state: LinkState, reason: Reason) -> None:
        self.standing = Standing(state, reason, self.standing.device)

    @property
    def _beats(self) -> bool:
        """Whether this is a device that speaks by itself in every pause: it has done so again after its greeting."""
        return self._wire.idle_s > 0 and self._signs > 1

    def _refresh_s(self) -> float:
        """A device that may speak in pauses is given some, as long as its lease allows."""
        return max(self._pace.refresh_s, 2 * self._wire.idle_s / self._pace.haste)

    def _question(self, now_s: float) -> bytes:
        """Ask for a sign of life, or look whether the last pause brought one."""
        if self._wire.ping and self._answer is not None:
            self._asks = not self._asks  # with every second frame: a fault that hits each second message hits both
            if not self._asks:
                return b""
            if self._asked_s is None:
                self._asked_s = now_s
            return self._wire.ping
        paused = now_s - self._wrote_s >= 1.5 * self._wire.idle_s / self._pace.haste
        if self._beats and paused and self._asked_s is None and self._heard_s < self._wrote_s:
            self._asked_s = now_s
        return b""

    def _doubt(self, now_s: float) -> None:
        if self._asked_s is None:
            return
        asked_for_s = now_s - self._asked_s
        if asked_for_s >= self._pace.down_after_s:
            raise Lost(Reason("silent", port=self._name))
        if self.standing.state is LinkState.READY and asked_for_s >= (0 if self._beats else self._pace.refresh_s):
            self._stand(LinkState.SUSPECT, Reason("asked_again"))
