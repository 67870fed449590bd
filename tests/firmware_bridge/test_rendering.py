"""Scenes as frames for strips, and when they are sent: on a simulated clock, host's half against the device's."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge.auto_talk import AutoTalk
from firmware_bridge.lightmap import LightMap
from firmware_bridge.linkstate import LinkState, Pace
from firmware_bridge.pixel_talk import FRAME_S, PixelTalk
from firmware_bridge.power import current_ma
from firmware_bridge.rendering import Rendering
from firmware_bridge.rhythm import DRIVE, PULSE_S, level
from firmware_bridge.scene import Bar, Hue, Light, Rhythm, Scene
from firmware_bridge.talk import Lost, Talk
from firmware_bridge.talks import PIXEL_WIRES, talk_for
from firmware_bridge.virtual import DeviceCore, Faults
from firmware_bridge.virtual.device import brain_of
from firmware_bridge.virtual.strips import StripBrain
from firmware_bridge.wire.pixels import RESERVED

SITES = [f"{file}{rank}" for rank in "54321" for file in "abcde"]
MAP = LightMap.of(SITES, ("South", "North"))
CALM = Scene("calm", 1, {"c3": Light(Hue.BLUE)}, {"South": Bar(Light(Hue.WHITE))})
LIVELY = Scene("lively", 2, {"c3": Light(Hue.AMBER, Rhythm.BREATHE)}, {"North": Bar(Light(Hue.BLUE, Rhythm.WALK))})
TURN = Scene("turn", 3, {"a1": Light(Hue.AMBER)}, {"North": Bar(Light(Hue.BLUE))})
PACE = Pace()

every_strip = pytest.mark.parametrize("wire", list(PIXEL_WIRES))
lights = st.builds(Light, st.sampled_from(Hue), st.sampled_from(Rhythm))
bars = st.builds(Bar, lights, st.none() | lights, st.none() | st.floats(0, 1))
scenes = st.builds(
    Scene,
    st.just("any"),
    st.integers(0, 255),
    st.dictionaries(st.sampled_from(SITES), lights, max_size=25),
    st.dictionaries(st.sampled_from(["South", "North"]), bars),
    lights,
    st.integers(0, 255),
)


class Bench:
    """A talk and a device, joined by a line without delay, on one simulated clock."""

    def __init__(self, wire: str, talk: Talk | None = None) -> None:
        self.faults = Faults()
        brain = brain_of(wire, self.faults, MAP.n_sites, 8, MAP.leds)
        assert isinstance(brain, StripBrain)
        self.brain = brain
        self.device = DeviceCore(brain, self.faults)
        self.now_s = 0.0
        self.talk = talk or talk_for(wire, MAP, PACE, "the port")
        self.sent: list[tuple[float, bytes]] = []
        self._deliver(self.talk.begin(0.0))

    def _deliver(self, data: bytes) -> None:
        if data:
            self.sent.append((self.now_s, data))
        answer = self.device.hear(data, self.now_s) if data else self.device.due(self.now_s)
        if answer:
            self.talk.take(answer, self.now_s)

    def run(
        self, seconds: float, scene: Scene = CALM, epoch: int = 1, until: Callable[[], bool] = lambda: False
    ) -> bool:
        end_s = self.now_s + seconds
        while self.now_s < end_s and not until():
            self.talk.show(scene, epoch, MAP)
            self._deliver(self.talk.due(self.now_s))
            self.now_s = max(self.now_s + 0.001, min(self.talk.next_s(self.now_s), self.now_s + 0.02))
        return until()

    @property
    def state(self) -> LinkState:
        return self.talk.standing.state

    def shows(self, scene: Scene) -> bool:
        strip = self.brain.strip(self.now_s)
        rendering = Rendering()
        rendering.show(scene, MAP, 0.0)
        return not strip.host_lost and list(strip.pixels) == rendering.frame(0.0)


@given(
    scene=scenes,
    leds=st.integers(1, 20),
    limit_ma=st.integers(60, 900),
    ceiling=st.integers(1, 255),
    ms=st.integers(0, 9000),
)
def test_no_scene_is_brighter_or_draws_more_than_it_may(
    scene: Scene, leds: int, limit_ma: int, ceiling: int, ms: int
) -> None:
    of = LightMap.of(SITES, ("South", "North"), leds)
    lightmap = LightMap(of.sites, of.bars, brightness=ceiling, limit_ma=max(limit_ma, of.leds))
    rendering = Rendering()
    rendering.show(scene, lightmap, 0.0)
    frame = rendering.frame(ms / 1000)
    assert len(frame) == lightmap.leds
    assert current_ma(frame) <= lightmap.limit_ma
    assert max(map(max, frame)) <= ceiling


@given(light=lights, ms=st.integers(0, 5000))
def test_each_light_is_where_it_belongs_and_what_its_rhythm_says(light: Light, ms: int) -> None:
    rendering = Rendering()
    rendering.show(Scene("x", 1, {"b4": light}, {"North": Bar(light)}), MAP, 0.0)
    frame = rendering.frame(ms / 1000)
    share = level(light.rhythm, ms / 1000, 0.0) * 64 / 255
    assert frame[SITES.index("b4")] == tuple(int(drive * share) for drive in DRIVE[light.hue])
    if light.rhythm is Rhythm.WALK and light.hue:
        assert sum(map(any, frame[33:41])) == 1
    elif light.hue and share:
        assert frame[33:41] == [frame[SITES.index("b4")]] * 8
    assert not any(map(any, frame[25:33]))


@pytest.mark.parametrize("wire", ["adalight", "awa", "wled", "tpm2"])
def test_half_a_frame_of_a_host_before_us_spoils_nothing(wire: str) -> None:
    bench = Bench(wire)
    assert bench.run(8, until=lambda: bench.shows(CALM))
    whole = PIXEL_WIRES[wire]().frame([(9, 9, 9)] * MAP.leds)
    for cut in (*range(1, 12), len(whole) // 2, len(whole) - 1):
        bench.device.hear(whole[:cut], bench.now_s)
        bench.talk = talk_for(wire, MAP, PACE, "the port")
        flush = bench.talk.begin(bench.now_s)
        assert not any(flush)
        assert len(flush) >= 3 * MAP.leds
        bench._deliver(flush)
        assert bench.run(3, until=lambda: bench.state is LinkState.READY)
        assert bench.run(0.1, TURN, 2, until=lambda: bench.shows(TURN)), cut
        bench.run(1.5)
    assert bench.brain.strip(bench.now_s).commands == b""


def test_a_pulse_begins_with_its_scene_and_not_again() -> None:
    rendering = Rendering()
    pulse = Scene("x", 1, {"a5": Light(Hue.WHITE, Rhythm.PULSE)})
    rendering.show(pulse, MAP, 100.0)
    rendering.show(Scene("y", 2, pulse.sites, {}, Light(Hue.BLUE)), MAP, 100.5)
    assert any(rendering.frame(100.6)[0])
    assert not any(rendering.frame(100.0 + PULSE_S)[0])


@every_strip
def test_nothing_is_lit_before_it_has_answered_then_at_once(wire: str) -> None:
    bench = Bench(wire)
    bench.faults.silent = True
    assert not bench.run(5, until=lambda: bench.state is LinkState.READY)
    frame = len(PIXEL_WIRES[wire]().frame([(1, 1, 1)] * MAP.leds))
    assert all(len(data.lstrip(b"\0")) < frame for _, data in bench.sent)
    bench.faults.silent = False
    assert bench.run(2.5, until=lambda: bench.shows(CALM))


@every_strip
def test_a_frame_a_second_keeps_it_awake_and_no_more_are_sent(wire: str) -> None:
    bench = Bench(wire)
    assert bench.run(8, until=lambda: bench.shows(CALM))
    bench.sent.clear()
    assert not bench.run(60, until=lambda: not bench.shows(CALM))
    gaps = [later - earlier for (earlier, _), (later, _) in zip(bench.sent, bench.sent[1:], strict=False)]
    assert max(gaps) <= 2.3  # below every lease, Adalight's pauses included
    assert sum(any(data) for _, data in bench.sent) <= 61
    assert sum(len(data) for _, data in bench.sent) < 0.2 * 60 * bench.talk.baud / 10
    assert bench.state is LinkState.READY


@every_strip
def test_moving_lights_stay_below_the_speed_of_the_line(wire: str) -> None:
    bench = Bench(wire)
    assert bench.run(8, until=lambda: bench.shows(CALM))
    bench.sent.clear()
    began_s = bench.now_s
    bench.run(30, LIVELY, 2)
    assert sum(len(data) for _, data in bench.sent) * 10 < bench.talk.baud * 0.9 * (bench.now_s - began_s)
    assert 30 / FRAME_S / 3 < len(bench.sent) <= 30 / FRAME_S + 1
    assert bench.state is LinkState.READY
    assert bench.brain.strip(bench.now_s).commands == b""


@every_strip
def test_silence_is_suspected_then_lost_with_the_reason(wire: str) -> None:
    bench = Bench(wire)
    assert bench.run(30, until=lambda: bench.shows(CALM) and bench.now_s > 20)
    bench.faults.silent = True
    if wire == "adalight":
        bench.run(20, LIVELY, 2)  # no pause in which it could speak: nothing is held against it
        assert bench.state is LinkState.READY
    assert bench.run(6, until=lambda: bench.state is LinkState.SUSPECT)
    with pytest.raises(Lost, match="stopped answering"):
        bench.run(8)


@every_strip
def test_a_short_silence_is_forgiven(wire: str) -> None:
    bench = Bench(wire)
    assert bench.run(30, until=lambda: bench.shows(CALM) and bench.now_s > 20)
    bench.faults.silent = True
    assert bench.run(6, until=lambda: bench.state is LinkState.SUSPECT)
    bench.faults.silent = False
    assert bench.run(3, until=lambda: bench.state is LinkState.READY)
    assert bench.talk.standing.reason == ""


@every_strip
@pytest.mark.parametrize("every", [2, 3, 7])
def test_a_damaging_line_for_minutes(wire: str, every: int) -> None:
    """The last scene always comes through, no damage is taken for a command, and nothing grows."""
    bench = Bench(wire)
    assert bench.run(8, until=lambda: bench.shows(CALM))
    bench.faults.corrupt_every = every
    for turn in range(25):
        scene = Scene("turn", turn, {SITES[turn % 25]: Light(Hue(1 + turn % 3))}, {"South": Bar(Light(Hue.BLUE))})
        try:
            assert bench.run(12, scene, turn + 2, until=lambda scene=scene: bench.shows(scene)), turn
            bench.run(2, scene, turn + 2)
        except Lost:  # so many answers were damaged that it was given up; the link opens it again
            bench.talk = talk_for(wire, MAP, PACE, "the port")
            bench._deliver(bench.talk.begin(bench.now_s))
    assert bench.brain.strip(bench.now_s).commands == b""


@pytest.mark.parametrize("auto", [False, True])
@pytest.mark.parametrize("wire", ["wled", "awa", "adalight"])
def test_a_header_that_lost_a_byte_and_announced_thousands_of_leds_heals(wire: str, auto: bool) -> None:
    """Without its first count byte a header of few LEDs, the first of them dark, is one of very many, and sound."""
    bench = Bench(wire)
    assert bench.run(8, until=lambda: bench.shows(CALM))
    frame = PIXEL_WIRES[wire]().frame([(0, 0, 0)] * MAP.leds)
    bench.device.hear(frame[:3] + frame[4:], bench.now_s)
    lost = 0
    while not bench.shows(TURN):
        try:
            bench.run(20, TURN, 2, until=lambda: bench.shows(TURN))
        except Lost:
            lost += 1
            bench.talk = talk_for("auto" if auto else wire, MAP, PACE, "the port")
            bench._deliver(bench.talk.begin(bench.now_s))
        assert bench.now_s < 60
    assert (lost > 0) == (wire == "wled")  # AWA's receiver takes no such number, Adalight's can't be asked
    bench.run(5, TURN, 2)
    assert bench.state is LinkState.READY


@every_strip
def test_a_line_that_harms_bytes_at_random(wire: str) -> None:
    """Both ways one byte in two thousand is lost or has a wrong bit: each scene is shown, and soon."""
    chance = random.Random(3)
    bench = Bench(wire)
    assert bench.run(9, until=lambda: bench.shows(CALM))
    sound = bench.device.hear

    def harmed(data: bytes) -> bytes:
        harms = {place for place in range(len(data)) if chance.random() < 1 / 2000}
        lost = {place for place in harms if chance.random() < 0.5}
        flips = {place: 1 << chance.randrange(8) for place in harms}
        return bytes(byte ^ flips.get(place, 0) for place, byte in enumerate(data) if place not in lost)

    bench.device.hear = lambda data, now_s: harmed(sound(harmed(data), now_s))  # type: ignore[method-assign]
    for turn in range(150):
        scene = Scene("turn", turn, {SITES[turn % 25]: Light(Hue(1 + turn % 3))}, {"South": Bar(Light(Hue.BLUE))})
        began_s = bench.now_s
        while not bench.shows(scene):
            assert bench.now_s - began_s < 60, turn
            try:
                bench.run(60, scene, turn + 2, until=lambda scene=scene: bench.shows(scene))
                bench.run(2, scene, turn + 2)
            except Lost:
                bench.talk = talk_for(wire, MAP, PACE, "the port")
                bench._deliver(bench.talk.begin(bench.now_s))
    assert bench.brain.strip(bench.now_s).commands == b""


def test_adalight_without_a_banner_is_lit_in_the_end_and_said_not_to_be_known() -> None:
    bench = Bench("adalight")
    bench.faults.old_firmware = True
    bench.device.power_up(0.0)
    assert bench.run(12, until=lambda: bench.shows(CALM))
    assert bench.now_s >= PACE.boot_s
    assert "not known to be there" in bench.talk.standing.reason
    bench.run(60)
    assert bench.shows(CALM)
    assert bench.state is LinkState.READY


def test_a_board_that_says_ada_only_once_is_not_doubted_later() -> None:
    """WLED, spoken to in Adalight, says it at its start and never again."""
    bench = Bench("wled", talk_for("adalight", MAP, PACE, "the port"))
    assert bench.run(8, until=lambda: bench.shows(CALM))
    bench.run(120)
    assert bench.state is LinkState.READY
    assert bench.shows(CALM)


@pytest.mark.parametrize("wire", ["adalight", "awa", "wled", "tpm2"])
def test_the_wire_is_found_out_without_upsetting_the_device(wire: str) -> None:
    bench = Bench(wire, AutoTalk(MAP, PACE))
    assert bench.run(8, until=lambda: bench.shows(CALM))
    assert bench.talk.capabilities.wire == wire
    assert bench.brain.strip(bench.now_s).commands == b""
    lighting = next(i for i, (_, data) in enumerate(bench.sent) if len(data) > 100 and any(data))
    asked = b"".join(data for _, data in bench.sent[:lighting])
    assert {byte for byte in asked if byte in RESERVED} <= set(b'{vA\xc9')


def test_what_answers_in_no_wire_is_said_to() -> None:
    bench = Bench("tpm2", AutoTalk(MAP, PACE, "/dev/x"))
    bench.faults.silent = True
    with pytest.raises(Lost, match="/dev/x does not answer in any wire that can be recognised"):
        bench.run(20)


@every_strip
def test_another_map_is_followed(wire: str) -> None:
    talk = PixelTalk(PIXEL_WIRES[wire](), MAP, PACE)
    bench = Bench(wire, talk)
    assert bench.run(8, until=lambda: bench.shows(CALM))
    mirrored = LightMap({site: 24 - index for site, index in MAP.sites.items()}, MAP.bars)
    scene = Scene("x", 9, {"a5": Light(Hue.BLUE)})
    for _ in range(100):
        talk.show(scene, 3, mirrored)
        bench._deliver(talk.due(bench.now_s))
        bench.now_s += 0.02
    lit = [place for place, rgb in enumerate(bench.brain.strip(bench.now_s).pixels) if any(rgb)]
    assert lit == [24]


@settings(max_examples=50)
@given(noise=st.binary(max_size=200))
@every_strip
def test_no_noise_ends_a_talk(wire: str, noise: bytes) -> None:
    for talk in (talk_for(wire, MAP, PACE, "x"), AutoTalk(MAP, PACE)):
        talk.begin(0.0)
        talk.show(CALM, 1, MAP)
        talk.take(noise, 0.1)
        talk.due(0.2)
        talk.take(noise, 0.3)
        talk.due(0.4)
        talk.end(0.5)
