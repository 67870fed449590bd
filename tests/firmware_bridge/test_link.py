"""The link against a device on a real pseudo-terminal: pulled, silent, damaged, wrong, old, taken. It heals itself."""

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest
import serial
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from firmware_bridge.drills import bad_line, reconnects
from firmware_bridge.errors import LightsError
from firmware_bridge.lightmap import LightMap, light_of
from firmware_bridge.link import Link, LinkState, Pace
from firmware_bridge.ports import finder
from firmware_bridge.scene import OFF, Bar, Hue, Light, Rhythm, Scene
from firmware_bridge.virtual import VirtualDevice
from firmware_bridge.wire.native import Ack, Clear, Frame, Heartbeat, SceneMessage, encode

MAP = LightMap.of([f"{file}{rank}" for rank in "54321" for file in "abcde"], ("South", "North"))
QUICK = Pace(
    resend_s=0.03, down_after_s=0.3, handshake_s=0.3, heartbeat_s=0.1, refresh_s=0.1, back_off_s=(0.02,), look_s=0.02
)
WRONG = Scene(
    "illegal",
    14,
    {"c3": Light(Hue.AMBER, Rhythm.DOUBLE), "c2": Light(Hue.WHITE, Rhythm.ALT_A)},
    {"South": Bar(Light(Hue.AMBER, Rhythm.BLINK)), "North": Bar(Light(Hue.WHITE), share=0.5)},
    Light(Hue.AMBER, Rhythm.BLINK),
)
TURN = Scene("to_move", 17, {}, {"North": Bar(Light(Hue.BLUE))}, Light(Hue.BLUE, Rhythm.BREATHE), brightness=19)


def wait_for(condition: Callable[[], bool], what: str, limit_s: float = 20.0) -> None:
    ends_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < ends_s, what
        time.sleep(0.002)


def shows(device: VirtualDevice, scene: Scene) -> bool:
    """Whether the device shows exactly what was asked for, every light of it, nothing else."""
    state = device.lit()
    if state.host_lost or (state.scene, state.brightness, state.lamp) != (scene.number, scene.brightness, scene.lamp):
        return False
    sites = {MAP.sites[site]: light for site, light in scene.sites.items()}
    bars = {side: [OFF] * device.n_bar for side in (0, 1)}
    for address, code in MAP.entries(scene):
        if 0x4000 <= address < 0x4200:
            side, led = divmod(address - 0x4000, 0x100)
            if led == 0xFF:
                bars[side] = [light_of(code)] * device.n_bar
            else:
                bars[side][led] = light_of(code)
    return state.sites == sites and state.bars == {side: tuple(bar) for side, bar in bars.items()}


@pytest.fixture
def device() -> Iterator[VirtualDevice]:
    made = VirtualDevice(MAP)
    yield made
    made.close()


@pytest.fixture
def link(device: VirtualDevice) -> Iterator[Link]:
    made = Link(lambda: device.path, MAP, pace=QUICK)
    yield made
    made.close()


def is_ready(link: Link) -> bool:
    return link.status().state is LinkState.READY


def test_what_is_asked_is_what_is_shown(device: VirtualDevice, link: Link) -> None:
    for scene in (WRONG, TURN, WRONG):
        epoch = link.show(scene)
        wait_for(lambda epoch=epoch: link.acknowledged_epoch == epoch, "acknowledged")
        assert shows(device, scene)
        assert device.lit().epoch == epoch
        assert link.acknowledged_scene == scene
        assert link.show(scene) == epoch  # the same scene is no news
    status = link.status()
    assert (status.state, status.reason, status.port, status.attempts) == (LinkState.READY, "", device.path, 0)
    assert status.device is not None
    assert (status.device.sites, status.device.bar) == (25, 8)


def test_the_device_is_greeted_before_anything_is_lit(device: VirtualDevice) -> None:
    link = Link(device.path, MAP, pace=QUICK)  # a path is a port to find, too
    link.show(WRONG)
    wait_for(lambda: shows(device, WRONG), "shown")
    link.close()
    kinds = [type(message).__name__ for message in device.received]
    assert kinds[0] == "Hello"
    assert kinds.index("Heartbeat") < kinds.index("SceneMessage")
    assert Heartbeat(1500, 0) in device.received or Heartbeat(1500, 1) in device.received
    wait_for(lambda: Clear() in device.received, "darkened on leaving")
    assert link.status().state is LinkState.CLOSED
    link.close()  # twice is no harm
    assert link.show(TURN) > 0


def test_the_whole_state_is_repeated_though_nothing_changed(device: VirtualDevice, link: Link) -> None:
    link.show(WRONG)
    wait_for(lambda: sum(isinstance(m, SceneMessage) and m.scene == 14 for m in device.received) >= 4, "repeated")


def test_a_pulled_cable_costs_nothing(device: VirtualDevice) -> None:
    link = Link(lambda: device.path, MAP)  # at its real pace
    try:
        link.show(WRONG)
        wait_for(lambda: shows(device, WRONG), "shown")
        before = device.path
        feeding = threading.Event()

        def feed() -> None:
            turn = 0
            while not feeding.wait(0.001):  # so that the cable is pulled in the middle of a frame
                link.show(Scene("busy", turn % 250, WRONG.sites))
                turn += 1

        feeder = threading.Thread(target=feed)
        feeder.start()
        wait_for(lambda: len(device.received) > 20, "busy")
        device.drop()
        wait_for(lambda: link.status().state is LinkState.DOWN, "noticed")
        down = link.status()
        assert down.reason
        assert down.next_try_s is not None
        assert down.next_try_s >= down.since_s
        feeding.set()
        feeder.join()
        assert link.show(WRONG) > 0  # the game goes on
        assert device.lit().host_lost
        assert device.replug() != before
        wait_for(lambda: shows(device, WRONG), "the full state again")
        assert is_ready(link) or link.status().state is LinkState.SUSPECT
        assert link.status().port == device.path
    finally:
        link.close()


def test_silence_is_suspected_then_down_then_healed(device: VirtualDevice) -> None:
    pace = Pace(resend_s=0.05, down_after_s=1.0, heartbeat_s=0.1, lease_ms=300, refresh_s=0.2, handshake_s=0.3)
    link = Link(lambda: device.path, MAP, pace=pace)
    seen: list[LinkState] = []
    try:
        link.show(WRONG)
        wait_for(lambda: shows(device, WRONG), "shown")
        device.silent = True

        def passes(state: LinkState) -> bool:
            seen.append(link.status().state)
            return seen[-1] is state

        wait_for(lambda: passes(LinkState.SUSPECT), "suspect")
        wait_for(lambda: passes(LinkState.DOWN), "down")
        assert "stopped answering" in link.status().reason
        assert device.lit().host_lost  # the lease ended: the device says by itself that nobody speaks to it
        link.show(TURN)
        device.silent = False
        wait_for(lambda: shows(device, TURN), "healed")
        wait_for(lambda: is_ready(link), "ready")
    finally:
        link.close()
    assert [state for state, before in zip(seen, [None, *seen], strict=False) if state is not before] == [
        LinkState.READY,
        LinkState.SUSPECT,
        LinkState.DOWN,
    ]


def test_a_short_silence_is_only_suspected(device: VirtualDevice) -> None:
    pace = Pace(resend_s=0.02, refresh_s=0.05, down_after_s=60)
    link = Link(lambda: device.path, MAP, pace=pace)
    try:
        link.show(WRONG)
        wait_for(lambda: shows(device, WRONG), "shown")
        device.silent = True
        wait_for(lambda: link.status().state is LinkState.SUSPECT, "suspect")
        device.silent = False
        wait_for(lambda: is_ready(link), "ready again")
        assert link.status().attempts == 0
    finally:
        link.close()


@pytest.mark.parametrize("every", [3, 5, 7])
def test_a_corrupting_line_loses_nothing(device: VirtualDevice, link: Link, every: int) -> None:
    device.corrupt_every = every
    for turn in range(20):
        scene = Scene("x", turn, {"a1": Light(Hue(1 + turn % 3))})
        link.show(scene)
        wait_for(lambda scene=scene: shows(device, scene), f"scene {turn}")


def test_a_reset_in_mid_frame_heals(device: VirtualDevice, link: Link) -> None:
    link.show(WRONG)
    wait_for(lambda: shows(device, WRONG), "shown")
    for _ in range(5):
        device.reset_mid_frame = True
        wait_for(lambda: not device.reset_mid_frame, "reset")
        wait_for(lambda: shows(device, WRONG), "shown again")


def test_a_slow_device_is_waited_for(device: VirtualDevice, link: Link) -> None:
    device.slow_ms = 40  # longer than the quick pace's resend: every frame is sent twice, and done once
    epoch = link.show(WRONG)
    wait_for(lambda: link.acknowledged_epoch == epoch, "acknowledged")
    assert shows(device, WRONG)


def test_a_wrong_led_count_is_said_and_the_rest_is_lit(device: VirtualDevice) -> None:
    device.claimed_sites = 10
    link = Link(lambda: device.path, MAP, pace=QUICK)
    try:
        link.show(Scene("x", 1, {"a5": Light(Hue.BLUE), "e1": Light(Hue.BLUE)}, {"South": Bar(Light(Hue.BLUE))}))
        wait_for(lambda: device.lit().sites == {0: Light(Hue.BLUE)}, "what there is")
        wait_for(lambda: is_ready(link), "ready")
        assert "10 site lights, the light map names 25" in link.status().reason
        assert device.lit().bars[0] == (Light(Hue.BLUE),) * 8
    finally:
        link.close()


def test_old_firmware_is_named(device: VirtualDevice) -> None:
    device.old_firmware = True
    link = Link(lambda: device.path, MAP, pace=QUICK)
    try:
        wait_for(lambda: link.status().state is LinkState.DOWN, "down")
        assert "too old" in link.status().reason
        assert not any(isinstance(message, SceneMessage) for message in device.received)
        device.old_firmware = False
        wait_for(lambda: is_ready(link), "updated")
    finally:
        link.close()


def test_a_port_that_is_taken_is_named(device: VirtualDevice) -> None:
    with serial.Serial(device.path, exclusive=True):
        link = Link(lambda: device.path, MAP, pace=QUICK)
        wait_for(lambda: link.status().state is LinkState.DOWN, "down")
        assert "held by another program" in link.status().reason
        assert link.status().next_try_s is not None
    wait_for(lambda: is_ready(link), "taken once it is free")
    link.close()


def test_a_missing_port_is_looked_for_for_ever(device: VirtualDevice, tmp_path: object) -> None:
    name = f"{tmp_path}/lights"
    link = Link(name, MAP, pace=QUICK)
    try:
        wait_for(lambda: link.status().attempts > 20, "tried again and again")
        assert f"{name} is not there" in link.status().reason
        os.symlink(device.path, name)
        link.show(WRONG)
        wait_for(lambda: shows(device, WRONG), "found")
        assert link.status().attempts == 0
    finally:
        link.close()


def test_a_port_that_appears_is_tried_at_once(device: VirtualDevice) -> None:
    paths: list[str] = []
    link = Link(lambda: tuple(paths), MAP, pace=Pace(back_off_s=(3600.0,), look_s=0.01))
    try:
        wait_for(lambda: link.status().state is LinkState.DOWN, "nothing there")
        paths.append(device.path)
        wait_for(lambda: is_ready(link), "found long before the hour is over")
    finally:
        link.close()


def test_among_several_ports_the_one_that_answers_is_taken(device: VirtualDevice) -> None:
    other = VirtualDevice(MAP)
    other.silent = True
    link = Link(lambda: (other.path, device.path), MAP, pace=QUICK)
    try:
        link.show(WRONG)
        wait_for(lambda: shows(device, WRONG), "found")
        assert link.status().port == device.path
    finally:
        link.close()
        other.close()


def test_ours_is_taken_first_when_it_comes_back_under_another_name(
    device: VirtualDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two devices that would answer: the one that was the table's is the table's again."""
    other = VirtualDevice(MAP)

    def bus() -> list[ListPortInfo]:
        ports = []
        for serial_number, path in (("OTHER", other.path), ("OURS", device.path)):
            port = ListPortInfo(path)
            port.vid, port.pid, port.serial_number = 0x0403, 0x6001, serial_number
            ports.append(port)
        return sorted(ports, key=lambda port: (port.serial_number == "OURS") == ours_first)

    ours_first = False
    monkeypatch.setattr(list_ports, "comports", bus)
    link = Link(lambda: tuple(port.device for port in bus()), MAP, pace=QUICK)
    try:
        ours_first = True
        wait_for(lambda: is_ready(link), "ready")
        mine = link.status().port
        ours, stranger = (device, other) if mine == device.path else (other, device)
        ours_first = not ours_first
        for _ in range(5):
            ours.replug()
            wait_for(lambda: link.status().port == ours.path and is_ready(link), "ours again")
        assert not any(isinstance(message, SceneMessage) for message in stranger.received)
    finally:
        link.close()
        other.close()


def test_a_failing_search_or_button_ends_nothing(device: VirtualDevice) -> None:
    broken = True
    pressed: list[tuple[int, int]] = []

    def find() -> str:
        if broken:
            raise RuntimeError("no bus")
        return device.path

    def on_button(button: int, action: int) -> None:
        pressed.append((button, action))
        raise RuntimeError("no effect")

    link = Link(find, MAP, pace=QUICK, on_button=on_button)
    try:
        wait_for(lambda: "no bus" in link.status().reason, "said")
        broken = False
        wait_for(lambda: is_ready(link), "ready")
        device.press(1)
        wait_for(lambda: bool(pressed), "pressed")
        link.show(WRONG)
        wait_for(lambda: shows(device, WRONG), "alive")
    finally:
        link.close()


def test_a_press_counts_once_however_often_it_is_repeated(device: VirtualDevice) -> None:
    pressed: list[tuple[int, int]] = []
    pace = Pace(resend_s=0.03, heartbeat_s=0.1, refresh_s=0.1, down_after_s=60)
    link = Link(lambda: device.path, MAP, pace=pace, on_button=lambda *press: pressed.append(press))
    try:
        wait_for(lambda: is_ready(link), "ready")
        for press in ((0, 0), (1, 0), (0, 1)):
            device.corrupt_every = 3  # acknowledgements get lost, so presses are repeated
            device.press(*press)
            wait_for(lambda press=press: press in pressed, "pressed")
            wait_for(lambda: not device.unanswered_presses, "acknowledged")
        assert pressed == [(0, 0), (1, 0), (0, 1)]
    finally:
        link.close()


def test_two_hundred_reconnects_lose_and_leak_nothing() -> None:
    """`boardref bench --lights` does ten thousand."""
    pulled = reconnects(200)
    assert pulled.faults == ()
    assert pulled.left == (0, 0)
    assert pulled.grown_kb < 2048


@pytest.mark.parametrize("every", [150, 60])
def test_ten_minutes_of_a_bad_line_lose_nothing(every: int) -> None:
    """On a simulated clock; `boardref bench --lights` takes an hour of it."""
    line = bad_line(600, seed=7, every=every)
    assert line.faults == []
    assert line.latest_s < 3.0  # on a live line, however bad
    assert line.scenes > 200
    assert line.presses > 20
    assert line.losses > 0  # it was dead at times


def test_a_duplicate_does_nothing_twice_and_is_answered(device: VirtualDevice) -> None:
    from firmware_bridge.wire.native import Decoder

    decoder, found = Decoder(), []
    with serial.Serial(device.path, timeout=0.01) as port:
        port.write(encode(Heartbeat(60000, 1), 1))
        port.write(encode(SceneMessage(1, 5, 64, ((0, 1),)), 2))
        port.write(encode(SceneMessage(2, 6, 64, ((1, 1),)), 3))
        port.write(encode(SceneMessage(9, 9, 64, ((2, 1),)), 3))  # the same number again: a resend

        def answered() -> bool:
            found.extend(decoder.feed(port.read(100)))
            return len(found) >= 3

        wait_for(answered, "three answers")
    assert found == [Frame(Ack(), 2), Frame(Ack(), 3), Frame(Ack(), 3)]
    assert device.lit().epoch == 2


@pytest.mark.parametrize("spec", ["usb:", "usb:1", "usb:12345:1", "usb:zz"])
def test_a_spec_that_is_none_is_refused(spec: str) -> None:
    with pytest.raises(LightsError, match="usb:VID:PID"):
        finder(spec)


def test_lights_that_are_not_there_are_no_news_for_months(
    device: VirtualDevice, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "firmware_bridge.link")
    there = [False]
    link = Link(lambda: device.path if there[0] else None, MAP, pace=QUICK)
    try:
        for _ in range(2):
            wait_for(lambda: link.status().attempts > 10, "tried again and again")
            there[0] = True
            wait_for(lambda: is_ready(link), "ready")
            there[0] = False
            device.drop()
            wait_for(lambda: link.status().losses > 0, "lost")
            device.replug()
    finally:
        link.close()
    said = [record.getMessage() for record in caplog.records if record.levelno == logging.DEBUG]
    assert said.count("lights: ready") == 2
    assert [record for record in caplog.records if record.levelno > logging.DEBUG] == []


def test_every_state_says_since_when_and_losses_are_counted(device: VirtualDevice) -> None:
    link = Link(lambda: device.path, MAP, pace=QUICK)
    try:
        started = link.status().away_since_s
        assert started is not None
        wait_for(lambda: is_ready(link), "ready")
        ready = link.status()
        assert (ready.away_since_s, ready.connections, ready.losses) == (None, 1, 0)
        assert ready.since_s >= started
        device.drop()
        wait_for(lambda: link.status().attempts > 3, "tried again and again")
        down = link.status()
        assert down.losses == 1
        assert down.away_since_s is not None
        assert down.away_since_s >= ready.since_s
        wait_for(lambda: link.status().attempts > 6, "and again")
        assert link.status().away_since_s == down.away_since_s  # since it was lost, not since the last attempt
        device.replug()
        wait_for(lambda: is_ready(link), "back")
        back = link.status()
        assert (back.away_since_s, back.connections, back.losses, back.attempts) == (None, 2, 1, 0)
    finally:
        link.close()
