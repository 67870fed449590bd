"""LightMap: what a Scene means for the lights that are there."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.errors import LightsError
from firmware_bridge.lightmap import LightMap, light_of
from firmware_bridge.mapfile import made_for, map_text, read_map
from firmware_bridge.power import current_ma
from firmware_bridge.rhythm import DRIVE, Rgb
from firmware_bridge.scene import Bar, Hue, Light, Rhythm, Scene
from firmware_bridge.wire.native import encode

BLUE, AMBER = Light(Hue.BLUE), Light(Hue.AMBER, Rhythm.BLINK)
MAP = LightMap.of(["a1", "b1", "c1"], ("South", "North"), leds=5)


def test_the_default_map_counts_in_order() -> None:
    assert MAP.sites == {"a1": 0, "b1": 1, "c1": 2}
    assert MAP.bars == {"South": (0, 5), "North": (1, 5)}
    assert MAP.n_sites == 3


@pytest.mark.parametrize(
    ("scene", "entries"),
    [
        (Scene("dark", 0), ()),
        (Scene("site", 0, {"c1": AMBER, "a1": Light()}), ((2, 0x33),)),
        (Scene("unknown site", 0, {"h8": AMBER}), ()),
        (Scene("lamp", 0, lamp=BLUE), ((0x7FFF, 0x02),)),
        (Scene("whole bar", 0, bars={"North": Bar(BLUE)}), ((0x41FF, 0x02),)),
        (Scene("no such player", 0, bars={"Red": Bar(BLUE)}), ()),
        (Scene("middle", 0, bars={"South": Bar(middle=AMBER)}), ((0x4002, 0x33),)),
        (Scene("dark middle", 0, bars={"South": Bar(BLUE, middle=Light())}), ((0x40FF, 0x02), (0x4002, 0x00))),
        (Scene("share", 0, bars={"North": Bar(BLUE, share=0.4)}), ((0x4100, 0x02), (0x4101, 0x02))),
        (Scene("all", 0, bars={"North": Bar(BLUE, share=1.0)}), tuple((0x4100 + i, 0x02) for i in range(5))),
        (Scene("hardly", 0, bars={"North": Bar(BLUE, share=0.01)}), ((0x4100, 0x02),)),
        (Scene("nearly", 0, bars={"North": Bar(BLUE, share=0.99)}), tuple((0x4100 + i, 0x02) for i in range(4))),
        (Scene("none", 0, bars={"North": Bar(BLUE, share=0.0)}), ()),
    ],
    ids=lambda value: value.state if isinstance(value, Scene) else "",
)
def test_entries(scene: Scene, entries: tuple[tuple[int, int], ...]) -> None:
    assert MAP.entries(scene) == entries


def test_a_smaller_device_gets_what_it_has() -> None:
    scene = Scene("x", 1, {"a1": BLUE, "c1": BLUE}, {"South": Bar(BLUE, share=1.0)})
    assert MAP.entries(scene, n_sites=2, n_bar=3) == ((0x4000, 2), (0x4001, 2), (0x4002, 2), (0, 2))
    assert MAP.entries(scene, n_sites=0, n_bar=0) == ()


def test_a_great_board_is_cut_to_one_frame_with_the_bars_first() -> None:
    great = LightMap.of([f"s{i}" for i in range(361)], ("South", "North"))
    scene = Scene("x", 1, dict.fromkeys(great.sites, BLUE), {"South": Bar(AMBER)}, BLUE)
    message = great.message(scene, 1)
    assert message.lights[:2] == ((0x7FFF, 0x02), (0x40FF, 0x33))
    assert len(encode(message, 1)) <= 515


@given(st.sampled_from(Hue), st.sampled_from(Rhythm))
def test_codes_round_trip(hue: Hue, rhythm: Rhythm) -> None:
    assert light_of(Light(hue, rhythm).code) == Light(hue, rhythm)


FRAME = LightMap(  # no lights of their own: ten LEDs round the frame, the row's at the left, the column's below
    marks={"a1": (0, 4), "a2": (1, 4), "b1": (0, 5)},
    stretches={"South": (4, 5, 6), "North": (7, 8, 9)},
    lamp=False,
)


def test_a_strip_marks_sites_by_row_and_column() -> None:
    white = Light(Hue.WHITE)
    assert dict(FRAME.entries(Scene("x", 0, {"a2": white}))) == {1: 0x01, 4: 0x01}
    # where two sites share an LED the louder one shows
    assert dict(FRAME.entries(Scene("x", 0, {"a1": AMBER, "b1": white}))) == {0: 0x33, 4: 0x33, 5: 0x01}
    assert dict(FRAME.entries(Scene("x", 0, {"b1": white, "a1": AMBER}))) == {0: 0x33, 4: 0x33, 5: 0x01}


def test_a_stretch_of_the_strip_is_a_bar() -> None:
    assert dict(FRAME.entries(Scene("x", 0, bars={"North": Bar(BLUE)}))) == {7: 2, 8: 2, 9: 2}
    assert dict(FRAME.entries(Scene("x", 0, bars={"North": Bar(BLUE, share=0.4)}))) == {7: 2}
    assert dict(FRAME.entries(Scene("x", 0, bars={"North": Bar(BLUE, middle=Light())}))) == {7: 2, 9: 2}
    walk = Light(Hue.BLUE, Rhythm.WALK)  # single lights can't walk: neighbours alternate
    assert dict(FRAME.entries(Scene("x", 0, bars={"South": Bar(walk)}))) == {4: 0x52, 5: 0x62, 6: 0x52}
    # a mark on the bar shows, but not in its middle, which says more
    both = Scene("x", 0, {"a1": AMBER, "b1": AMBER}, {"South": Bar(BLUE, middle=Light(Hue.WHITE))})
    assert dict(FRAME.entries(both)) == {0: 0x33, 4: 0x33, 5: 0x01, 6: 2}


def test_a_bar_mounted_the_other_way_round_fills_from_its_own_end() -> None:
    turned = LightMap({}, {"South": (0, 5)}, mirrored=frozenset({"South"}))
    assert dict(turned.entries(Scene("x", 0, bars={"South": Bar(BLUE, share=0.4)}))) == {0x4004: 2, 0x4003: 2}


@pytest.mark.parametrize(("sites", "limit_ma"), [(64, 450), (64, 100), (361, 500), (4, 20_000)])
def test_the_computed_current_stays_within_the_limit(sites: int, limit_ma: int) -> None:
    table = LightMap.of([f"s{i}" for i in range(sites)], ("South", "North"))
    table = replace(table, limit_ma=limit_ma, brightness=255)
    white = Light(Hue.WHITE)
    bright = Scene("x", 1, dict.fromkeys(table.sites, white), {"South": Bar(white), "North": Bar(white)}, white, 255)
    message = table.message(bright, 1)
    frame: list[Rgb] = []
    for address, code in message.lights:
        red, green, blue = (round(drive * message.brightness / 255) for drive in DRIVE[light_of(code).hue])
        frame += [(red, green, blue)] * (8 if address in (0x40FF, 0x41FF) else 1)
    frame += [(0, 0, 0)] * (table.leds - len(frame))
    assert table.leds == sites + 17
    assert current_ma(frame) <= max(limit_ma, table.leds) * 1.02
    if limit_ma == 20_000:
        assert message.brightness == 255  # enough for all: nothing is taken away
    elif limit_ma > table.leds:
        assert current_ma(frame) > 0.9 * limit_ma  # no darker than it must be



def test_the_ceiling_is_respected_and_can_be_raised() -> None:
    scene = Scene("x", 1, {"a1": BLUE}, brightness=64)
    assert MAP.message(scene, 1).brightness == 64
    assert replace(MAP, brightness=128).message(scene, 1).brightness == 128
    assert replace(MAP, brightness=16).message(scene, 1).brightness == 16
    assert replace(MAP, brightness=16).message(replace(scene, brightness=255), 1).brightness == 16
    assert replace(MAP, brightness=128).message(replace(scene, brightness=19), 1).brightness == 38


def test_every_light_has_its_place_in_one_chain() -> None:
    assert sorted(MAP.pixels.values()) == list(range(MAP.leds))
    assert (MAP.pixels[2], MAP.pixels[0x4000], MAP.pixels[0x4100], MAP.pixels[0x7FFF]) == (2, 3, 8, 13)
    assert sorted(FRAME.pixels.values()) == list(range(10))


numbers = st.integers(0, 400)
maps = st.builds(
    LightMap,
    st.dictionaries(st.text(min_size=1, max_size=3), numbers, max_size=5).filter(
        lambda sites: len(set(sites.values())) == len(sites)
    ),
    st.sampled_from([{}, {"South": (0, 8)}, {"South": (1, 3), "North": (0, 5)}]),
    st.booleans(),
    st.dictionaries(st.text(min_size=4, max_size=6), st.lists(numbers, min_size=1, max_size=3, unique=True).map(tuple)),
    st.sampled_from([{}, {"Red": (3, 4, 5)}]),
    brightness=st.integers(1, 255),
    limit_ma=st.integers(20, 9000),
)


@given(maps)
def test_a_map_round_trips(lightmap: LightMap) -> None:
    assert read_map(map_text(lightmap), "map.json") == lightmap
    turned = replace(lightmap, mirrored=frozenset(lightmap.bars))
    text = map_text(turned, "transet")
    assert read_map(text, "map.json") == turned
    assert made_for(text) == "transet"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("[]", r"the whole: \[\] is not a table"),
        ("7", "the whole: 7"),
        ("{}", "sites: missing"),
        ('{"sites": 3}', "sites: 3 is not a table"),
        ('{"sites": {"a": -1}}', "sites.a: -1 is not a whole number from 0"),
        ('{"sites": {"a": true}}', "sites.a: true"),
        ('{"sites": {"a": 1.5}}', "sites.a: 1.5"),
        ('{"sites": {"a": []}}', r"sites.a: \[\] is not a list"),
        ('{"sites": {"a": [1, 1]}}', "sites.a: a light is named twice"),
        ('{"sites": {"a1": 1, "b1": 1}}', "sites.a1 and sites.b1 have the same light 1"),
        ('{"sites": {}, "bars": {"S": 1}}', "bars.S: 1 is not a table"),
        ('{"sites": {}, "bars": {"S": {"leds": 3}}}', "bars.S.side: missing"),
        ('{"sites": {}, "bars": {"S": {"side": 2, "leds": 3}}}', "bars.S.side: 2 is not a whole number from 0 to 1"),
        ('{"sites": {}, "bars": {"S": {"side": 0, "leds": 0}}}', "bars.S.leds: 0"),
        ('{"sites": {}, "bars": {"S": {"side": 0, "led": 3}}}', "did you mean leds"),
        ('{"sites": {}, "bars": {"S": {"side": 0, "leds": 3}, "N": {"side": 0, "leds": 3}}}', "bars.S and bars.N"),
        ('{"sites": {}, "bars": {"S": {"side": 0, "lights": [3]}}}', "bars.S: a bar is either"),
        ('{"sites": {}, "lamp": 1}', "lamp: 1 is neither"),
        ('{"sites": {}, "brightnes": 3}', "did you mean brightness"),
        ('{"sites": {}, "brightness": 256}', "brightness: 256"),
        ('{"sites": {}, "limit_mA": 1}', "limit_mA: 1"),
        ('{"format": 2, "sites": {}}', "format: 2 is not 1"),
    ],
)
def test_a_bad_map_is_named(text: str, said: str) -> None:
    with pytest.raises(LightsError, match=rf"map\.json is not a light map: .*{said}"):
        read_map(text, "map.json")
