"""What a Scene looks like on a table's lights, as the five dimensions in which Scenes must differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from firmware_bridge.lightmap import LightMap, light_of
from firmware_bridge.scene import OFF, Light, Scene
from firmware_bridge.wire.native import BAR, BAR_WHOLE, LAMP

Look = tuple[object, object, object, object, object]


def lit(scene: Scene, lightmap: LightMap) -> tuple[dict[tuple[int, int], Light], dict[int, Light]]:
    """What the device is told: bars LED by LED as (side, LED) -> Light, and sites; only what is lit."""
    bars = {side: [OFF] * leds for side, leds in lightmap.bars.values()}
    sites = {}
    for address, code in lightmap.entries(scene):
        side, led = divmod(address - BAR, 0x100)
        if address == LAMP:
            continue
        if address < BAR:
            sites[address] = light_of(code)
        elif led == BAR_WHOLE:
            bars[side] = [light_of(code)] * len(bars[side])
        else:
            bars[side][led] = light_of(code)
    return {(side, i): one for side, bar in bars.items() for i, one in enumerate(bar) if one.hue}, sites


def look(scene: Scene, lightmap: LightMap) -> Look:
    """Bar hue, bar rhythm, bar place, site hue and site rhythm; hues and rhythms with their place along the bar."""
    bars, sites = lit(scene, lightmap)
    stretches = {index for indices in lightmap.stretches.values() for index in indices}
    bars |= {(9, index): light for index, light in sites.items() if index in stretches}
    sites = {index: light for index, light in sites.items() if index not in stretches}
    hues, rhythms = {light.hue for light in bars.values()}, {light.rhythm for light in bars.values()}
    return (
        frozenset(hues if len(hues) < 2 else {(led, light.hue) for (_, led), light in bars.items()}),
        frozenset(rhythms if len(rhythms) < 2 else {(led, light.rhythm) for (_, led), light in bars.items()}),
        frozenset(bars),
        frozenset(light.hue for light in sites.values()),
        frozenset(light.rhythm for light in sites.values()),
    )


def alike(
    scenes: Iterable[Scene], lightmap: LightMap, least: int, *, hueless: bool = True
) -> list[tuple[str, str, Look, Look]]:
    """Two states that differ in fewer than `least` dimensions, or only by hue."""
    looks: Mapping[str, set[Look]] = {}
    for scene in scenes:
        looks = {**looks, scene.state: looks.get(scene.state, set()) | {look(scene, lightmap)}}
    return [
        (one, other, a, b)
        for one, other in combinations(looks, 2)
        for a in looks[one]
        for b in looks[other]
        if sum(x != y for x, y in zip(a, b, strict=True)) < least
        or (hueless and (a[1], a[2], a[4]) == (b[1], b[2], b[4]))
    ]
