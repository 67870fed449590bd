"""Every wire against its device on a real pseudo-terminal, with every fault: the lights show the last scene again."""

import time
from collections.abc import Callable, Iterator

import pytest
import serial

from firmware_bridge.errors import LightsError
from firmware_bridge.lightmap import LightMap
from firmware_bridge.link import Link, LinkState, LinkStatus, Pace
from firmware_bridge.rendering import Rendering
from firmware_bridge.rhythm import DRIVE
from firmware_bridge.scene import Bar, Hue, Light, Rhythm, Scene
from firmware_bridge.talks import split_wire
from firmware_bridge.virtual import VirtualDevice

MAP = LightMap.of([f"{file}{rank}" for rank in "54321" for file in "abcde"], ("South", "North"))
HASTE = 20.0
QUICK = Pace(
    resend_s=0.03, down_after_s=0.3, handshake_s=0.3, heartbeat_s=0.1, refresh_s=0.1, back_off_s=(0.02,), look_s=0.02,
    boot_s=0.5, probe_s=0.1, haste=HASTE,
)
STRIPS = ("adalight", "awa", "wled", "wled-json", "tpm2")
WIRES = ("native", *STRIPS)
ONE = Scene("one", 1, {"a5": Light(Hue.BLUE), "c3": Light(Hue.AMBER)}, {"South": Bar(Light(Hue.WHITE), share=0.5)})
TWO = Scene("two", 2, {"e1": Light(Hue.WHITE)}, {"North": Bar(Light(Hue.AMBER))}, Light(Hue.BLUE), brightness=30)


def wait_for(condition: Callable[[], bool], what: str, limit_s: float = 20.0) -> None:
    ends_s = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < ends_s, what
        time.sleep(0.002)


def picture(scene: Scene) -> list[tuple[int, int, int]]:
    """A steady scene as the strip should show it, from what a light is and where it is, not from the rendering."""
    shown = [(0, 0, 0)] * MAP.leds
    for site, light in scene.sites.items():
        shown[MAP.sites[site]] = drive(light, scene)
    for place, player in ((25, "South"), (33, "North")):
        bar = scene.bars.get(player, Bar())
        for i in range(8 if bar.share is None else round(8 * bar.share)):
            shown[place + i] = drive(bar.light, scene)
    shown[41] = drive(scene.lamp, scene)
    return shown


def drive(light: Light, scene: Scene) -> tuple[int, int, int]:
    red, green, blue = DRIVE[light.hue]
    return red * scene.brightness // 255, green * scene.brightness // 255, blue * scene.brightness // 255


def shows(device: VirtualDevice, scene: Scene) -> bool:
    if device.host_lost:
        return False
    if device.wire == "native":
        return device.lit().scene == scene.number and len(device.lit().sites) == len(scene.sites)
    strip = device.strip()
    assert strip.commands == b""
    return list(strip.pixels) == picture(scene)[: len(strip.pixels)]


class Seen:
    """Every state and reason that a link passes through."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self.all: list[tuple[LinkState, str]] = []

    def status(self) -> LinkStatus:
        status = self._link.status()
        if (status.state, status.reason) not in self.all:
            self.all.append((status.state, status.reason))
        return status

    def is_in(self, state: LinkState) -> bool:
        return self.status().state is state


@pytest.fixture
def device(wire: str) -> Iterator[VirtualDevice]:
    made = VirtualDevice(MAP, wire=wire, haste=1.0 if wire == "native" else HASTE)
    yield made
    made.close()


@pytest.fixture
def link(device: VirtualDevice) -> Iterator[Link]:
    made = Link(lambda: device.path, MAP, wire=device.wire, pace=QUICK)
    yield made
    made.close()


every_wire = pytest.mark.parametrize("wire", WIRES)
every_strip = pytest.mark.parametrize("wire", STRIPS)


def reach(device: VirtualDevice, link: Link, scene: Scene) -> None:
    link.show(scene)
    wait_for(lambda: shows(device, scene) and link.acknowledged_scene == scene, f"{scene.state} on {device.wire}")


@every_wire
def test_one_scene_after_another(device: VirtualDevice, link: Link) -> None:
    for scene in (ONE, TWO, ONE):
        reach(device, link, scene)
    status = link.status()
    assert (status.state, status.reason) == (LinkState.READY, "")
    assert status.device is not None
    able = status.device.capabilities
    assert able.wire == device.wire
    assert able.scenes == able.acknowledges == able.buttons == (device.wire == "native")


@every_wire
def test_leaving_darkens(device: VirtualDevice, link: Link) -> None:
    reach(device, link, ONE)
    link.close()

    def dark() -> bool:
        if device.wire == "native":
            return not device.lit().sites
        return device.strip().host_lost or not any(map(any, device.strip().pixels))

    wait_for(dark, "dark")


@every_wire
def test_a_pulled_cable(device: VirtualDevice, link: Link) -> None:
    reach(device, link, ONE)
    seen = Seen(link)
    device.drop()
    wait_for(lambda: seen.is_in(LinkState.DOWN), "noticed")
    assert link.status().reason
    link.show(TWO)
    device.replug()
    wait_for(lambda: shows(device, TWO), "the last scene")
    wait_for(lambda: seen.is_in(LinkState.READY), "ready")


@every_wire
def test_silence(device: VirtualDevice, link: Link) -> None:
    """Where a device can be asked, or speaks by itself, its silence is noticed."""
    reach(device, link, ONE)
    if device.wire == "adalight":
        wait_for(lambda: device.said > 5, "it speaks in every pause")
    seen = Seen(link)
    device.silent = True
    wait_for(lambda: seen.is_in(LinkState.SUSPECT), "suspected")
    wait_for(lambda: seen.is_in(LinkState.DOWN), "given up")
    assert any("stopped answering" in reason for _, reason in seen.all)
    link.show(TWO)
    device.silent = False
    wait_for(lambda: shows(device, TWO), "the last scene")
    wait_for(lambda: seen.is_in(LinkState.READY) and not link.status().reason, "ready, and nothing to say")


@every_wire
@pytest.mark.parametrize("every", [2, 5])
def test_a_damaging_line(device: VirtualDevice, link: Link, every: int) -> None:
    reach(device, link, ONE)
    device.corrupt_every = every
    for scene in (TWO, ONE, TWO, ONE, TWO):
        link.show(scene)
        wait_for(lambda scene=scene: shows(device, scene), scene.state)


@every_wire
def test_a_slow_device(device: VirtualDevice, link: Link) -> None:
    reach(device, link, ONE)
    device.slow_ms = 40 if device.wire == "native" else 400  # of its own hasty clock
    for scene in (TWO, ONE):
        link.show(scene)
        wait_for(lambda scene=scene: shows(device, scene), scene.state)


@every_wire
def test_a_restart_in_mid_frame(device: VirtualDevice, link: Link) -> None:
    reach(device, link, ONE)
    for scene in (TWO, ONE, TWO):
        device.reset_mid_frame = True
        link.show(scene)
        wait_for(lambda: not device.reset_mid_frame, "reset")
        wait_for(lambda scene=scene: shows(device, scene), scene.state)


@every_wire
def test_a_wrong_led_count(device: VirtualDevice) -> None:
    device.claimed_sites = 10
    device.drop()
    device.replug()
    link = Link(lambda: device.path, MAP, wire=device.wire, pace=QUICK)
    try:
        link.show(ONE)
        wait_for(lambda: link.acknowledged_scene == ONE, "sent")
        if device.wire == "native":
            wait_for(lambda: device.lit().sites == {0: Light(Hue.BLUE)}, "what there is")
        else:
            wait_for(lambda: list(device.strip().pixels) == picture(ONE)[:10], "what there is")
        said = link.status().reason
        counted = {"native": "10 site lights", "wled": "10 lights", "wled-json": "10 lights"}.get(device.wire)
        assert said == "" if counted is None else f"says it has {counted}, the light map names" in said
    finally:
        link.close()


@every_wire
def test_old_firmware(device: VirtualDevice) -> None:
    """Nothing is lit on what must answer and doesn't; what can't answer is lit, and the status says that it can't."""
    device.old_firmware = True
    device.drop()
    device.replug()
    link = Link(lambda: device.path, MAP, wire=device.wire, pace=QUICK)
    seen = Seen(link)
    try:
        link.show(ONE)
        if device.wire in ("adalight", "tpm2"):
            wait_for(lambda: shows(device, ONE), "shown")
            wait_for(lambda: "not known to be there" in seen.status().reason, "said")
            assert link.status().state is LinkState.READY
        else:
            wait_for(lambda: seen.is_in(LinkState.DOWN), "refused")
            assert ("too old" if device.wire == "native" else "does not answer") in link.status().reason
            assert device.host_lost
        device.old_firmware = False
        device.drop()
        device.replug()
        wait_for(lambda: shows(device, ONE), "updated")
        wait_for(lambda: seen.is_in(LinkState.READY) and not link.status().reason, "nothing to say")
    finally:
        link.close()


@every_wire
def test_its_wire_is_found_out(device: VirtualDevice) -> None:
    link = Link(device.path, MAP, pace=QUICK)
    try:
        reach(device, link, ONE)
        found = link.status().device
        assert found is not None
        assert found.capabilities.wire == device.wire.removesuffix("-json")
        assert not link.status().reason
    finally:
        link.close()


@every_strip
def test_nothing_is_lit_before_the_answer(device: VirtualDevice) -> None:
    device.silent = True
    link = Link(lambda: device.path, MAP, wire=device.wire, pace=QUICK)
    try:
        link.show(ONE)
        wait_for(lambda: link.status().state is LinkState.HANDSHAKE, "asking")
        assert link.acknowledged_scene is None
        assert device.host_lost
    finally:
        link.close()


@pytest.mark.parametrize("wire", ["awa", "wled-json"])
def test_lights_that_move(device: VirtualDevice, link: Link) -> None:
    moving = Scene(
        "moving",
        3,
        {"a5": Light(Hue.AMBER, Rhythm.BLINK), "b5": Light(Hue.BLUE, Rhythm.ALT_B), "c5": Light(Hue.WHITE)},
        {"North": Bar(Light(Hue.WHITE, Rhythm.WALK))},
    )
    link.show(moving)
    wait_for(lambda: link.acknowledged_scene == moving, "sent")
    rendering = Rendering()
    rendering.show(moving, MAP, 0.0)
    possible = {tuple(rendering.frame(i / 200)) for i in range(801)}
    shown: set[tuple[tuple[int, int, int], ...]] = set()

    def everything_was_shown() -> bool:
        pixels = device.strip().pixels
        if not device.host_lost and pixels[2] == drive(Light(Hue.WHITE), moving):
            shown.add(pixels)
        return len({frame[0] for frame in shown}) == 2 and len({frame[33:41] for frame in shown}) == 8

    wait_for(everything_was_shown, "blinking and walking")
    assert shown <= possible


def test_the_wire_stands_behind_a_comma() -> None:
    assert split_wire("/dev/ttyUSB0") == ("/dev/ttyUSB0", "auto")
    assert split_wire("usb:1a86:7523,awa@1000000") == ("usb:1a86:7523", "awa@1000000")
    assert split_wire("auto,wled") == ("auto", "wled")
    assert split_wire("/dev/serial/by-path/a,b/tty0") == ("/dev/serial/by-path/a,b/tty0", "auto")


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("/dev/x,adalite", "there is no wire 'adalite'"),
        ("/dev/x,awa@fast", "is no speed for awa"),
        ("/dev/x,native@9600", "native has its own speed"),
    ],
)
def test_a_wire_that_is_none_is_named_at_once(spec: str, sentence: str) -> None:
    with pytest.raises(LightsError, match=sentence):
        Link(spec, MAP)


def test_a_speed_that_the_port_cannot_do_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pseudo-terminal takes any speed, so the refusal of a real port is put in its place."""

    def refuse(_: serial.Serial, speed: int) -> None:
        if speed != 9600:
            raise ValueError(f"Failed to set custom baud rate ({speed})")

    device = VirtualDevice(MAP, wire="awa")
    monkeypatch.setattr(serial.Serial, "_set_special_baudrate", refuse)
    link = Link(f"{device.path},awa@1234567", MAP, pace=QUICK)
    try:
        wait_for(lambda: link.status().state is LinkState.DOWN, "down")
        assert "can't work at 1234567 baud. Name another speed after the wire, awa@BAUD" in link.status().reason
    finally:
        link.close()
        device.close()
