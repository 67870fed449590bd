"""LightMap: where this table's lights are, and what a Scene means for them on the wire."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firmware_bridge.errors import LightsError
from firmware_bridge.scene import Bar, Hue, Light, Rhythm, Scene
from firmware_bridge.wire.native import BAR, BAR_WHOLE, LAMP, SceneMessage

BAR_LEDS = 8
MOST_LIGHTS = 255  # the count of a native SCENE is one byte


@dataclass(frozen=True)
class LightMap:
    """`sites`: site id -> index of its light; `bars`: player -> (side index, LEDs of that bar). Absent = no light."""

    sites: Mapping[str, int] = field(default_factory=dict)
    bars: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    lamp: bool = True

    @classmethod
    def of(cls, site_ids: Sequence[str], players: Sequence[str] = (), leds: int = BAR_LEDS) -> LightMap:
        """The default map: lights in the order of `site_ids`, and a bar of `leds` for each player in order."""
        return cls(
            {site: index for index, site in enumerate(site_ids)},
            {player: (side, leds) for side, player in enumerate(players)},
        )

    @classmethod
    def parse(cls, text: str, source: str) -> LightMap:
        """Read a map that `as_json` wrote. Raises LightsError that names `source` and what is wrong."""
        try:
            data: Any = json.loads(text)
            sites = {str(site): _index(index) for site, index in data["sites"].items()}
            bars = {player: (_index(bar["side"]), _index(bar["leds"])) for player, bar in data.get("bars", {}).items()}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise LightsError(
                f"{source} is not a light map ({type(error).__name__}: {error}); "
                "write one with `boardref lights map` and change its numbers"
            ) from None
        if len(set(sites.values())) != len(sites):
            raise LightsError(f"{source} gives two sites the same light; give each its own number")
        return cls(sites, bars, bool(data.get("lamp", True)))

    @property
    def n_sites(self) -> int:
        """How many site lights a device must have for this map."""
        return max(self.sites.values(), default=-1) + 1

    def entries(
        self, scene: Scene, n_sites: int | None = None, n_bar: int | None = None, *, lamp: bool = True
    ) -> tuple[tuple[int, int], ...]:
        """`scene` as (address, code), only what is lit; what the map or the device (its counts) lacks is left out."""
        found: list[tuple[int, int]] = []
        if lamp and self.lamp and scene.lamp.hue:
            found.append((LAMP, scene.lamp.code))
        for player, (side, leds) in self.bars.items():
            if player in scene.bars:
                found += _bar_entries(scene.bars[player], side, leds if n_bar is None else min(leds, n_bar))
        for site, light in scene.sites.items():
            index = self.sites.get(site)
            if index is not None and light.hue and (n_sites is None or index < n_sites):
                found.append((index, light.code))
        return tuple(found)

    def message(
        self,
        scene: Scene,
        epoch: int,
        n_sites: int | None = None,
        n_bar: int | None = None,
        max_payload: int = 500,
        *,
        lamp: bool = True,
    ) -> SceneMessage:
        """`scene` as the native wire's SCENE, cut to what a device can take in one frame (lamp and bars first)."""
        most = max(0, min(MOST_LIGHTS, (max_payload - 5) // 3))
        lights = self.entries(scene, n_sites, n_bar, lamp=lamp)[:most]
        return SceneMessage(epoch, scene.number & 0xFF, max(0, min(255, scene.brightness)), lights)

    def as_json(self) -> str:
        """The map as one JSON object; `parse` reads it."""
        bars = {player: {"side": side, "leds": leds} for player, (side, leds) in self.bars.items()}
        return json.dumps({"sites": dict(self.sites), "bars": bars, "lamp": self.lamp}, indent=2)


def _index(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < BAR:
        raise ValueError(f"{value!r} is not a light's number")
    return value


def _bar_entries(bar: Bar, side: int, leds: int) -> list[tuple[int, int]]:
    base = BAR + side * 0x100
    if leds <= 0:
        return []
    found: list[tuple[int, int]] = []
    if bar.share is not None:
        # A share that is neither nothing nor all must look so, however few LEDs there are.
        lit = min(leds, max(0, round(bar.share * leds)))
        if leds > 1 and 0 < bar.share < 1:
            lit = min(leds - 1, max(1, lit))
        found = [(base + i, bar.light.code) for i in range(lit) if bar.light.hue]
    elif bar.light.hue:
        found = [(base + BAR_WHOLE, bar.light.code)]
    if bar.middle is not None and (bar.middle.hue or found):
        found += [(base + i, bar.middle.code) for i in middle_leds(leds)]
    return found


def middle_leds(leds: int) -> tuple[int, ...]:
    """The middle of a bar: one LED of an odd number, two of an even one; the last where there are one or two."""
    if leds <= 2:
        return (leds - 1,) if leds else ()
    return (leds // 2,) if leds % 2 else (leds // 2 - 1, leds // 2)


def light_of(code: int) -> Light:
    """The Light of a wire code. Raises ValueError for a hue or rhythm that does not exist."""
    return Light(Hue(code & 0x0F), Rhythm(code >> 4))
