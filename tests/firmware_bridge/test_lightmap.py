"""LightMap: what a Scene means for the lights that are there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.errors import LightsError
from firmware_bridge.lightmap import LightMap, light_of
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


def test_json_round_trips() -> None:
    assert LightMap.parse(MAP.as_json(), "map.json") == MAP


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"sites": 3}', '{"sites": {"a": -1}}', '{"sites": {}, "bars": {"S": 1}}', "7"],
)
def test_a_bad_map_is_named(text: str) -> None:
    with pytest.raises(LightsError, match=r"map\.json is not a light map"):
        LightMap.parse(text, "map.json")


def test_two_sites_on_one_light_are_named() -> None:
    with pytest.raises(LightsError, match="same light"):
        LightMap.parse('{"sites": {"a1": 1, "b1": 1}}', "map.json")
