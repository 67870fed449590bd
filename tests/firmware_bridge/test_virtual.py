"""The virtual device by itself: its own host-lost display, and what its lights look like from moment to moment."""

import os
import time
from collections.abc import Callable, Iterator

import pytest
import serial

from firmware_bridge.rhythm import PULSE_S, level, screen_rgb
from firmware_bridge.scene import OFF, Hue, Light, Rhythm
from firmware_bridge.virtual import DeviceState, VirtualDevice, colours
from firmware_bridge.wire.native import (
    NACK_BAD_SITE,
    NACK_CRC,
    NACK_UNKNOWN,
    Ack,
    Brightness,
    Clear,
    Decoder,
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

BREATHING = Light(Hue.AMBER, Rhythm.BREATHE)


def wait_for(condition: Callable[[], bool], what: str) -> None:
    ends_s = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < ends_s, what
        time.sleep(0.002)


@pytest.fixture
def device() -> Iterator[VirtualDevice]:
    made = VirtualDevice(n_sites=16, n_bar=5)
    yield made
    made.close()


def answers(device: VirtualDevice, *wires: bytes) -> list[Frame | Fault]:
    """What the device answers to each of `wires`, one answer each."""
    decoder, found = Decoder(), []
    with serial.Serial(device.path, timeout=0.01) as port:
        for count, wire in enumerate(wires, 1):
            port.write(wire)

            def answered(count: int = count) -> bool:
                found.extend(decoder.feed(port.read(200)))
                return len(found) >= count

            wait_for(answered, f"answer {count}")
    return found


def test_until_somebody_speaks_it_says_that_nobody_does(device: VirtualDevice) -> None:
    state = device.lit()
    assert state.host_lost
    assert state.sites == {}
    assert state.bars == dict.fromkeys((0, 1), (OFF, OFF, BREATHING, OFF, OFF))


def test_the_lease_ends_and_heartbeat_with_scene_begins_it(device: VirtualDevice) -> None:
    scene = encode(SceneMessage(4, 5, 64, ((3, 2),)), 3)
    answers(device, encode(Heartbeat(100, 4), 2) + scene)
    wait_for(lambda: device.lit().host_lost, "the lease is over")
    assert device.lit().sites == {}
    answers(device, encode(SceneMessage(5, 5, 64, ((3, 2),)), 4))
    assert device.lit().host_lost  # a scene alone is not a living host
    answers(device, encode(Heartbeat(60000, 4), 5) + encode(SceneMessage(6, 5, 64, ((3, 2),)), 6))
    assert not device.lit().host_lost
    assert device.lit().sites == {3: Light(Hue.BLUE)}


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (Hello(), HelloAck(1, 0x0100, 16, 5, 3, 512, b"virtual\0")),
        (SceneMessage(1, 1, 64, ((15, 0x33), (0x40FF, 2), (0x4104, 1), (0x7FFF, 1))), Ack()),
        (SceneMessage(1, 1, 64, ((16, 1),)), Nack(NACK_BAD_SITE)),
        (SceneMessage(1, 1, 64, ((0x4005, 1),)), Nack(NACK_BAD_SITE)),
        (SceneMessage(1, 1, 64, ((0x42FF, 1),)), Nack(NACK_BAD_SITE)),
        (SceneMessage(1, 1, 64, ((0, 0x84),)), Nack(NACK_UNKNOWN)),
        (Clear(), Ack()),
        (Brightness(9), Ack()),
        (Identify(15), Ack()),
        (Identify(16), Nack(NACK_BAD_SITE)),
        (Reboot(), Ack()),
    ],
)
def test_answers(device: VirtualDevice, message: Message, answer: Message) -> None:
    assert answers(device, encode(message, 9)) == [Frame(answer, 9)]


def test_a_damaged_frame_is_refused_by_its_number(device: VirtualDevice) -> None:
    damaged = bytearray(encode(Brightness(9), 7))
    damaged[4] ^= 1
    assert answers(device, bytes(damaged)) == [Frame(Nack(NACK_CRC), 7)]


def test_each_light_is_where_it_was_sent(device: VirtualDevice) -> None:
    lights = ((15, 0x33), (0x40FF, 0x02), (0x4002, 0x00), (0x4104, 0x71), (0x7FFF, 0x51))
    answers(device, encode(Heartbeat(60000, 1), 1) + encode(SceneMessage(7, 14, 19, lights), 2))
    state = device.lit()
    blue = Light(Hue.BLUE)
    assert state.sites == {15: Light(Hue.AMBER, Rhythm.BLINK)}
    assert state.bars == {0: (blue, blue, OFF, blue, blue), 1: (OFF, OFF, OFF, OFF, Light(Hue.WHITE, Rhythm.WALK))}
    assert (state.lamp, state.brightness, state.epoch) == (Light(Hue.WHITE, Rhythm.ALT_A), 19, 7)


def test_a_repeated_scene_does_not_start_a_pulse_again(device: VirtualDevice) -> None:
    pulse = ((2, 0x12),)
    answers(device, encode(Heartbeat(60000, 1), 1) + encode(SceneMessage(1, 13, 64, pulse), 2))
    began = device.lit().since_s[2]
    answers(device, encode(SceneMessage(1, 13, 64, pulse), 3))
    assert device.lit().since_s[2] == began
    answers(device, encode(SceneMessage(2, 17, 64), 4), encode(SceneMessage(3, 13, 64, pulse), 5))
    assert device.lit().since_s[2] > began


@pytest.mark.parametrize(
    ("rhythm", "lit_ms"),
    [
        (Rhythm.STEADY, [(0, 4000)]),
        (Rhythm.PULSE, [(0, 700)]),
        (Rhythm.BLINK, [(0, 500), (1000, 1500), (2000, 2500), (3000, 3500)]),
        (Rhythm.DOUBLE, [(0, 150), (300, 450), (1650, 1800), (1950, 2100), (3300, 3450), (3600, 3750)]),
        (Rhythm.ALT_A, [(0, 500), (1000, 1500), (2000, 2500), (3000, 3500)]),
        (Rhythm.ALT_B, [(500, 1000), (1500, 2000), (2500, 3000), (3500, 4000)]),
    ],
)
def test_rhythms(rhythm: Rhythm, lit_ms: list[tuple[int, int]]) -> None:
    for ms in range(5, 4000, 10):
        lit = any(begin <= ms < end for begin, end in lit_ms)
        assert level(rhythm, ms / 1000, 0.0) == (1.0 if lit else 0.0), ms


def test_breathing_never_goes_dark_and_walking_has_one_light() -> None:
    breath = [level(Rhythm.BREATHE, i / 100, 0.0) for i in range(400)]
    assert min(breath) == pytest.approx(0.2, abs=0.001)
    assert max(breath) == pytest.approx(1.0, abs=0.001)
    for i in range(80):
        walking = [level(Rhythm.WALK, i / 20 + 0.01, 0.0, led, 8) for led in range(8)]
        assert sorted(walking) == [0.0] * 7 + [1.0]


def test_colours_for_a_screen() -> None:
    bars = {0: (Light(Hue.BLUE), OFF), 1: (OFF, OFF)}
    state = DeviceState({1: Light(Hue.WHITE, Rhythm.PULSE)}, bars, OFF, 64, since_s={1: 5.0})
    shown = colours(state, 5.0)
    assert shown.sites == {1: screen_rgb(Hue.WHITE, 1.0)}
    assert shown.bars == {0: (screen_rgb(Hue.BLUE, 1.0), (0, 0, 0)), 1: ((0, 0, 0), (0, 0, 0))}
    assert shown.lamp == (0, 0, 0)
    assert colours(state, 5.0 + PULSE_S).sites == {1: (0, 0, 0)}
    dim = colours(DeviceState({1: Light(Hue.WHITE)}, brightness=19), 5.0).sites[1]
    assert 0 < dim[0] < shown.sites[1][0]


def test_a_pulled_port_is_never_somebody_elses() -> None:
    device = VirtualDevice()
    before = device.path
    try:
        device.drop()
        others = [os.openpty() for _ in range(3)]  # the system hands out the number that is free again
        names = {os.ttyname(slave) for _, slave in others}
        assert not os.path.exists(device.path)
        assert os.path.exists(device.replug())
        assert device.path not in {before, *names}
        for descriptor in (end for pair in others for end in pair):
            os.close(descriptor)
    finally:
        device.close()
