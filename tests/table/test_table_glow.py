"""Which lights may shine in a picture, whatever the delays of line and camera; what a page draws of a strip."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from calibration.lightmaps import default_map, frame_map, lit_areas
from controller.lighting import AFTERGLOW_S, SCENES_KEPT, Glow, TableLights, link_json, map_source, shown_by
from controller.wallclock import SLIP_S
from firmware_bridge.errors import LightsError
from firmware_bridge.lightmap import LightMap
from firmware_bridge.link import Link, LinkState
from firmware_bridge.linkstate import LinkStatus
from firmware_bridge.mapfile import map_text
from firmware_bridge.saying import NOTHING, Reason
from firmware_bridge.scene import Bar, Hue, Light, Scene
from firmware_bridge.virtual import VirtualDevice
from firmware_bridge.wire.native import BAR, DeviceHealth
from vision.boardset import installed_sets

BOARD = installed_sets()["transet"]
PLAYERS = ("South", "North")
ON = Bar(Light(Hue.BLUE))
A, B, C = ((((float(i), 0.0), (1.0, 1.0), (0.0, 1.0)),) for i in range(3))


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_the_scene_before_the_one_after_and_the_ones_on_the_way_all_count(clock: Clock) -> None:
    glow = Glow(clock)
    assert glow.areas(0) == ()
    glow.sent(1, A)
    assert glow.areas(0) == A  # sent, not acknowledged: it may be shown already
    clock.now_s += 5
    glow.sent(2, B)
    assert set(glow.areas(1)) == {*A, *B}  # the device may show the old one still
    assert set(glow.areas(2)) == {*A, *B}  # and pictures of it may still be on their way
    clock.now_s += AFTERGLOW_S + 0.1
    assert glow.areas(2) == B
    assert set(glow.areas(1)) == {*A, *B}  # a link that hangs: the device shows what it acknowledged last
    glow.sent(2, B)
    glow.sent(3, C)
    assert set(glow.areas(3)) == {*B, *C}


def test_an_epoch_that_is_not_known_means_anything_that_was_sent(clock: Clock) -> None:
    glow = Glow(clock)
    for epoch, areas in ((65534, A), (65535, B), (1, C)):  # it begins again
        glow.sent(epoch, areas)
        clock.now_s += 10
    assert glow.areas(1) == C
    assert set(glow.areas(65535)) == {*B, *C}
    assert set(glow.areas(7)) == {*A, *B, *C}


def test_a_table_that_runs_for_years_keeps_few_scenes(clock: Clock) -> None:
    glow = Glow(clock)
    for epoch in range(1, 1000):
        glow.sent(epoch, A if epoch % 2 else B)
    assert len(glow._sent) == SCENES_KEPT
    assert len(glow._ended_s) <= SCENES_KEPT


@pytest.fixture
def bare() -> Iterator[TableLights]:
    """Sites alone, and nobody there."""
    lightmap = default_map(BOARD, PLAYERS, leds=0)
    link = Link(lambda: None, lightmap)
    yield TableLights(link, lightmap, lambda _: lightmap, board=BOARD)
    link.close()


def test_without_bars_the_last_light_says_that_the_host_is_lost(bare: TableLights) -> None:
    assert bare.glow(0) == lit_areas(BOARD, default_map(BOARD, PLAYERS, leds=0), Scene("x", 0, {"e1": Light(Hue.BLUE)}))


def test_a_page_draws_what_a_strip_means() -> None:
    lightmap = frame_map(BOARD, PLAYERS, 60)
    device = VirtualDevice(lightmap)
    link = Link(lambda: device.path, lightmap)
    try:
        epoch = link.show(Scene("x", 1, {"b2": Light(Hue.BLUE)}, {"South": Bar(Light(Hue.WHITE))}))
        while link.acknowledged_epoch != epoch:
            pass
        drawn = shown_by(device, lightmap)
        assert set(drawn["sites"]) == {"b2"}
        assert len(set(drawn["bars"]["South"])) == 2  # white, but for a mark of b2
        assert set(drawn["bars"]["North"]) == {"#000000"}
    finally:
        link.close()
        device.close()


def test_a_map_is_for_the_set_it_was_made_for(tmp_path) -> None:
    path = tmp_path / "map.json"
    made = default_map(BOARD, PLAYERS, leds=3)
    path.write_text(map_text(made, "transet"), encoding="utf-8")
    map_of = map_source(str(path))
    assert map_of(BOARD) == made
    taasen = installed_sets()["taasen"]
    assert map_of(taasen).bars == {"Red": (0, 3), "Green": (1, 3)}
    path.write_text(map_text(made), encoding="utf-8")  # it doesn't say which
    with pytest.raises(LightsError, match=r"map\.json names a5, which the set taasen does not have"):
        map_source(str(path))(taasen)
    with pytest.raises(LightsError, match="can't be read"):
        map_source(str(tmp_path / "none.json"))


@pytest.mark.parametrize(
    "made",
    [
        replace(default_map(BOARD, PLAYERS, leds=5), limit_ma=200, brightness=30, mirrored=frozenset({"North"})),
        replace(default_map(BOARD, PLAYERS, leds=5, lamp=False), bars={"North": (0, 5), "South": (1, 5)}),
        default_map(BOARD, PLAYERS, leds=0),
        default_map(BOARD, PLAYERS, sites=False),
        frame_map(BOARD, PLAYERS, 60),
    ],
    ids=["dim", "swapped", "sites alone", "bars alone", "strip"],
)
def test_under_another_set_the_lights_stay_where_they_are(tmp_path, made: LightMap) -> None:
    path = tmp_path / "map.json"
    path.write_text(map_text(made, "transet"), encoding="utf-8")
    taasen = installed_sets()["taasen"]
    found = map_source(str(path))(taasen)
    assert (found.brightness, found.limit_ma, found.lamp) == (made.brightness, made.limit_ma, made.lamp)
    assert found.pixels == made.pixels  # nothing has moved in the chain
    assert sorted(found.bars.values()) == sorted(made.bars.values())
    assert len(found.mirrored) == len(made.mirrored)
    sites = [taasen.names.get(site.id, site.id) for site in taasen.sites]
    scene = Scene("x", 1, dict.fromkeys(sites, Light(Hue.WHITE)), dict.fromkeys(("Red", "Green"), ON))
    of_bars = {index for lights in made.stretches.values() for index in lights}
    lit = {address for address, _ in found.entries(scene) if address < BAR}
    assert lit == (of_bars if made.marks else set())  # no wrong site is ever pointed at
    assert bool(lit_areas(taasen, found, scene)) == bool(made.bars or made.marks)


def test_how_a_link_is_told() -> None:
    reason = Reason("silent", port="X")
    told = link_json(LinkStatus(LinkState.DOWN, reason, 20.0, 3, 24.0, "/dev/ttyUSB0", losses=2, away_since_s=10.0))
    apart_s = time.time() - time.monotonic()
    assert told["since"] == pytest.approx(apart_s + 10.0, abs=SLIP_S + 0.1)
    assert told["next_try"] - told["since"] == pytest.approx(14.0)
    assert (told["state"], told["attempts"]) == ("down", 3)
    assert "X have stopped answering" in told["sentence"]
    assert (told["losses"], told["device"], told["health"]) == (2, None, None)
    health = DeviceHealth(60, 70, 1, 0, 4980)
    assert link_json(LinkStatus(LinkState.READY, NOTHING, 20.0, health=health))["health"]["supply_mv"] == 4980
