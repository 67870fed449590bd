"""The host's half of the native wire, without a port and on a clock of its own."""

from __future__ import annotations

from itertools import pairwise

import pytest

from firmware_bridge.lightmap import LightMap
from firmware_bridge.linkstate import LinkState, Pace
from firmware_bridge.native_talk import REPEATED_S, NativeTalk
from firmware_bridge.scene import Bar, Hue, Light, Scene
from firmware_bridge.talk import Lost
from firmware_bridge.virtual.core import Faults
from firmware_bridge.virtual.native import NativeBrain
from firmware_bridge.wire.native import (
    CAN_LAMP,
    HAS_BUTTONS,
    LAMP,
    NACK_BUSY,
    Ack,
    ButtonEvent,
    Decoder,
    Frame,
    Heartbeat,
    Hello,
    HelloAck,
    Message,
    Nack,
    SceneMessage,
    encode,
)

MAP = LightMap.of(["a1", "b1", "c1"], ("South", "North"), leds=5)
BLUE = Light(Hue.BLUE)
SCENE = Scene("x", 7, {"b1": BLUE}, {"South": Bar(BLUE)}, BLUE)
ANSWER = HelloAck(1, 0x0102, 3, 5, CAN_LAMP | HAS_BUTTONS, 512, b"12345678")


class Line:
    """A talk, and what it says, frame by frame."""

    def __init__(self, answer: HelloAck = ANSWER) -> None:
        self.talk, self.decoder, self.answer = NativeTalk(MAP, Pace(), "X"), Decoder(), answer
        assert self.decoder.feed(self.talk.begin(0.0)) == []

    def said(self, now_s: float, scene: Scene = SCENE, epoch: int = 1, lightmap: LightMap = MAP) -> list[Frame]:
        self.talk.show(scene, epoch, lightmap)
        found = self.decoder.feed(self.talk.due(now_s))
        assert all(isinstance(one, Frame) for one in found)
        return found  # type: ignore[return-value]

    def hears(self, message: Message, seq: int, now_s: float) -> None:
        self.talk.take(encode(message, seq), now_s)

    def greeted(self) -> Line:
        (hello,) = self.said(0.0)
        self.hears(self.answer, hello.seq, 0.01)
        return self


def test_nothing_is_lit_before_the_device_has_answered() -> None:
    line = Line()
    kinds = {type(frame.message) for tick in range(29) for frame in line.said(tick / 10)}
    assert kinds == {Hello}
    assert line.talk.end(2.9) == b""
    with pytest.raises(Lost, match="X does not answer"):
        line.said(3.01)


def test_leaving_darkens_though_any_one_bit_is_damaged() -> None:
    line = Line().greeted()
    brain = NativeBrain(3, 5, Faults())
    number = line.said(0.02)[-1].seq
    wire = line.talk.end(0.1)
    for bit in range(8 * len(wire)):
        bad = bytearray(wire)
        bad[bit // 8] ^= 1 << bit % 8
        brain.power_up(0.0)
        brain.hear(encode(Heartbeat(1500, 1), 1) + encode(MAP.message(SCENE, 1), number), 0.0)
        assert brain.lit(0.1).lamp == BLUE
        brain.hear(bytes(bad), 0.1)
        brain.hear(b"\0", 0.1)  # what is cut off here is cut off by the next frame on a line
        assert not brain.lit(0.1).sites
        assert not brain.lit(0.1).lamp.hue


def test_what_a_device_does_not_have_is_not_sent() -> None:
    line = Line(HelloAck(1, 0x0102, 1, 3, 0, 512, b"12345678")).greeted()
    heartbeat, scene = line.said(0.02)
    assert isinstance(heartbeat.message, Heartbeat)
    assert isinstance(scene.message, SceneMessage)
    assert [address for address, _ in scene.message.lights] == [0x40FF]  # no lamp, no light 1
    assert line.talk.standing.device is not None
    assert (line.talk.standing.device.lamp, line.talk.standing.device.buttons) == (False, False)
    assert "the light map names 3" in line.talk.standing.reason


def test_the_lease_is_kept_while_scenes_are_sent_again_and_again() -> None:
    line = Line().greeted()
    beats = []
    for tick in range(1, 300):
        now_s = tick / 100
        try:
            beats += [now_s for frame in line.said(now_s) if isinstance(frame.message, Heartbeat)]
        except Lost:
            break
    assert max(b - a for a, b in pairwise(beats)) < Pace().lease_ms / 1000
    assert line.talk.standing.state is LinkState.SUSPECT


def test_repeats_of_two_buttons_that_come_mixed_are_two_presses() -> None:
    line = Line().greeted()
    for now_s in (1.0, 1.2, 1.4):  # our answers are lost
        line.hears(ButtonEvent(0, 0), 1, now_s)
        line.hears(ButtonEvent(1, 0), 2, now_s)
        answers = [frame.seq for frame in line.said(now_s) if isinstance(frame.message, Ack)]
        assert answers == [1, 2]
    assert line.talk.presses() == [(0, 0), (1, 0)]
    assert line.talk.presses() == []
    line.hears(ButtonEvent(0, 1), 1, 1.5)  # the device has restarted and counts from one again
    line.hears(ButtonEvent(0, 0), 1, 2.0 + REPEATED_S)
    assert line.talk.presses() == [(0, 1), (0, 0)]


def test_a_refusal_is_said_and_the_scene_sent_again() -> None:
    line = Line().greeted()
    *_, scene = line.said(0.02)
    line.hears(Nack(NACK_BUSY), scene.seq, 0.03)
    assert line.talk.standing.state is LinkState.SUSPECT
    assert "busy" in line.talk.standing.reason
    (again,) = line.said(0.2)
    assert again == scene
    line.hears(Ack(), scene.seq, 0.21)
    assert line.talk.standing.state is LinkState.READY
    assert line.talk.standing.reason == ""
    assert line.talk.acknowledged == (1, SCENE)


def test_another_map_is_sent_at_once() -> None:
    line = Line().greeted()
    *_, scene = line.said(0.02)
    line.hears(Ack(), scene.seq, 0.03)
    turned = LightMap({"b1": 0}, {}, lamp=False)
    (again,) = line.said(0.04, SCENE, 2, turned)
    assert isinstance(again.message, SceneMessage)
    assert again.message.lights == ((0, BLUE.code),)
    assert LAMP not in dict(again.message.lights)
