"""The host's half of the wire against the chip's, on the chip's clock, over a line that loses and damages bytes."""

import random

from board import Board, Report, Rgb

from firmware_bridge.lightmap import LightMap
from firmware_bridge.linkstate import LinkState, Pace
from firmware_bridge.native_talk import NativeTalk
from firmware_bridge.scene import Hue, Light, Scene

SITES = [str(i) for i in range(64)]
MAP = LightMap.of(SITES, ("South", "North"))
STEP_S = 0.005
HOST_LOST = frozenset({67, 68, 75, 76})


class BadLine:
    """Carries bytes both ways; each is lost, damaged or doubled with this probability."""

    def __init__(self, board: Board, talk: NativeTalk, share: float, seed: int) -> None:
        self._board, self._talk, self._share = board, talk, share
        self._rng = random.Random(seed)
        self._next_s = 0.0
        board.send(self._spoiled(talk.begin(board.now_s)))

    def _spoiled(self, data: bytes) -> bytes:
        out = bytearray()
        for byte in data:
            if self._rng.random() >= self._share:
                out.append(byte)
            elif kind := self._rng.randrange(3):
                out += bytes([byte ^ 1 << self._rng.randrange(8)]) if kind == 1 else bytes([byte, byte])
        return bytes(out)

    def step(self) -> Report:
        """Both sides go on for 5 ms."""
        now_s = self._board.now_s
        if now_s >= self._talk.next_s(now_s):
            self._board.send(self._spoiled(self._talk.due(now_s)))
        report = self._board.run(STEP_S)
        for _, data in report.said:
            self._talk.take(self._spoiled(data), self._board.now_s)
        return report


def lit(colours: tuple[Rgb, ...]) -> frozenset[int]:
    return frozenset(i for i, colour in enumerate(colours) if any(colour))


def test_a_minute_on_a_bad_line(board: Board):
    """One byte in a hundred is bad: every scene arrives, nothing else is ever shown, each press counts once."""
    talk = NativeTalk(MAP, Pace())
    line = BadLine(board, talk, 0.01, 4)
    rng = random.Random(9)
    allowed = {HOST_LOST, frozenset()}
    pressed: list[tuple[int, int]] = []
    heard: list[tuple[int, int]] = []
    late = 0
    for epoch in range(1, 41):
        sites = rng.sample(SITES, rng.randrange(1, 12))
        wanted = frozenset(map(int, sites))
        allowed.add(wanted)
        talk.show(Scene("test", 40, {site: Light(Hue(rng.randrange(1, 4))) for site in sites}), epoch, MAP)
        button = rng.randrange(2)
        for step in range(300):
            if step in (10, 30):
                board.tell(f"{'press' if step == 10 else 'release'} {button}")
                pressed += [(button, 0)] if step == 30 else []
            for _, colours in line.step().leds:
                assert lit(colours) in allowed
            heard += talk.presses()
            acknowledged = talk.acknowledged[0] == epoch
            if acknowledged:  # lost heartbeats may end the lease; the next one mends it
                assert lit(board.shown) in (wanted, HOST_LOST)
            if step >= 100 and acknowledged and lit(board.shown) == wanted and len(heard) == len(pressed):
                break
        else:
            late += 1
    assert late == 0
    assert heard == pressed
    assert talk.standing.state in (LinkState.READY, LinkState.SUSPECT)


def test_a_clean_line_asks_for_nothing_twice(board: Board):
    talk = NativeTalk(MAP, Pace())
    line = BadLine(board, talk, 0, 4)
    for epoch in range(1, 11):
        site = str(epoch)
        talk.show(Scene("test", 40, {site: Light(Hue.BLUE)}), epoch, MAP)
        began_s = board.now_s
        while talk.acknowledged[0] != epoch:
            line.step()
        assert board.now_s - began_s < 0.05
        assert lit(board.shown) == {epoch}
        for _ in range(50):
            line.step()
    health = None
    while (health := talk.standing.health) is None:
        line.step()
    assert (health.damaged, health.overrun) == (0, 0)
