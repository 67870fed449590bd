"""LightMap: where this table's lights are, and what a Scene means for them on the wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from firmware_bridge.power import USB_MA, brightness_within
from firmware_bridge.scene import FULL_BRIGHTNESS, Bar, Hue, Light, Rhythm, Scene
from firmware_bridge.wire.native import BAR, BAR_WHOLE, LAMP, SceneMessage

BAR_LEDS = 8
SIDES = 2
MOST_LIGHTS = 255  # the count of a native SCENE is one byte
_LOUD = (Hue.OFF, Hue.BLUE, Hue.WHITE, Hue.AMBER)  # where two sites share an LED, the louder one shows


@dataclass(frozen=True)
class LightMap:
    """What of a Scene this table can show, and with which lights. What is in none of these has no light.

    `sites`: site id -> index of its own light. `marks`: site id -> indices of LEDs that mark it from afar, as those of
    a strip round the frame do, at the end of its row and of its column; several sites share them. `bars`: player ->
    (side, LEDs of the bar at that seat), side 0 or 1. `stretches`: player -> indices of the LEDs that are the bar of a
    player who has none, in order from the player's left. `mirrored`: players whose bar is mounted the other way round.
    `brightness`: the ceiling of 255; `limit_ma`: what the supply gives, in milliamperes.
    """

    sites: Mapping[str, int] = field(default_factory=dict)
    bars: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    lamp: bool = True
    marks: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    stretches: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    mirrored: frozenset[str] = frozenset()
    brightness: int = FULL_BRIGHTNESS
    limit_ma: int = USB_MA

    @classmethod
    def of(cls, site_ids: Sequence[str], players: Sequence[str] = (), leds: int = BAR_LEDS) -> LightMap:
        """The default map: lights in the order of `site_ids`, and a bar of `leds` for each player in order."""
        return cls(
            {site: index for index, site in enumerate(site_ids)},
            {player: (side, leds) for side, player in enumerate(players)},
        )

    @property
    def n_sites(self) -> int:
        """How many lights, those of bars and the lamp not counted, a device must have for this map."""
        many = [index for group in (self.marks, self.stretches) for indices in group.values() for index in indices]
        return max([*self.sites.values(), *many], default=-1) + 1

    @property
    def leds(self) -> int:
        """How many LEDs there are in all."""
        return self.n_sites + sum(leds for _, leds in self.bars.values()) + self.lamp

    @property
    def pixels(self) -> Mapping[int, int]:
        """Wire address of each light -> its place in one long chain: lights by index, the bars by side, the lamp."""
        addresses = list(range(self.n_sites))
        for side, leds in sorted(self.bars.values()):
            addresses += [BAR + side * 0x100 + i for i in range(leds)]
        return {address: place for place, address in enumerate([*addresses, LAMP] if self.lamp else addresses)}

    def entries(
        self, scene: Scene, n_sites: int | None = None, n_bar: int | None = None, *, lamp: bool = True
    ) -> tuple[tuple[int, int], ...]:
        """`scene` as (address, code), only what is lit; what the map or the device (its counts) lacks is left out.

        The lamp comes first, then bars, then sites: where a frame is too short for all, the most important is in it.
        """
        found: dict[int, Light] = {}
        if lamp and self.lamp and scene.lamp.hue:
            found[LAMP] = scene.lamp
        for player, (side, leds) in self.bars.items():
            if player in scene.bars:
                count = leds if n_bar is None else min(leds, n_bar)
                found |= _bar(scene.bars[player], side, count, player in self.mirrored)
        kept: set[int] = set()  # the middle of a stretch says more than a mark would
        for player, indices in self.stretches.items():
            if player in scene.bars:
                found |= _stretch(scene.bars[player], indices)
                if scene.bars[player].middle is not None:
                    kept |= {indices[i] for i in middle_leds(len(indices))}
        found |= self._marked(scene, kept)
        found |= {self.sites[site]: light for site, light in scene.sites.items() if site in self.sites}
        return tuple(
            (address, light.code)
            for address, light in found.items()
            if (light.hue or BAR <= address < LAMP)  # a dark LED in a lit bar must be said
            and (address >= BAR or n_sites is None or address < n_sites)
        )

    def _marked(self, scene: Scene, kept: set[int]) -> dict[int, Light]:
        found: dict[int, Light] = {}
        for site, light in scene.sites.items():
            for index in self.marks.get(site, ()):
                other = found.get(index)
                if index not in kept and (other is None or _LOUD.index(light.hue) > _LOUD.index(other.hue)):
                    found[index] = light
        return found

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
        return SceneMessage(epoch, scene.number & 0xFF, self.brightness_of(scene, lights, n_bar), lights)

    def brightness_of(self, scene: Scene, lights: Sequence[tuple[int, int]], n_bar: int | None = None) -> int:
        """How bright `scene` may be: the Scene's wish, the ceiling's share of it, and what the supply gives."""
        wish = round(max(0, min(255, scene.brightness)) * self.brightness / FULL_BRIGHTNESS)
        counts = {side: leds if n_bar is None else min(leds, n_bar) for side, leds in self.bars.values()}

        def lit() -> Iterator[tuple[Hue, int]]:
            for address, code in lights:
                hue = light_of(code).hue
                whole = BAR <= address < LAMP and address & 0xFF == BAR_WHOLE
                yield hue, counts.get((address - BAR) >> 8, BAR_LEDS) if whole else 1
                if address == LAMP and light_of(code).rhythm in (Rhythm.ALT_A, Rhythm.ALT_B):
                    yield Hue.WHITE, 1  # a lamp alternates with white, which draws more

        return brightness_within(lit(), min(wish, self.brightness, 255), self.leds, self.limit_ma)


def _bar(bar: Bar, side: int, leds: int, mirrored: bool) -> dict[int, Light]:
    """A bar's lights by address: at once where it is all one light, otherwise LED by LED."""
    base = BAR + side * 0x100
    if bar.share is None and bar.middle is None:
        return {base + BAR_WHOLE: bar.light} if bar.light.hue and leds > 0 else {}
    if bar.share is None and leds > 0:
        whole = {base + BAR_WHOLE: bar.light} if bar.light.hue else {}
        return whole | _middle(bar, base, leds, bool(whole))
    places = [leds - 1 - i if mirrored else i for i in range(lit_leds(bar.share, leds))]
    found = {base + i: bar.light for i in places if bar.light.hue}
    return found | _middle(bar, base, leds, bool(found))


def _middle(bar: Bar, base: int, leds: int, shown: bool) -> dict[int, Light]:
    if bar.middle is None or not (bar.middle.hue or shown):
        return {}
    return {base + i: bar.middle for i in middle_leds(leds)}


def _stretch(bar: Bar, indices: Sequence[int]) -> dict[int, Light]:
    """A bar on LEDs that are lights by themselves: for them WALK is an alternation of neighbours."""

    def at(place: int, light: Light) -> Light:
        if light.rhythm is not Rhythm.WALK:
            return light
        return Light(light.hue, Rhythm.ALT_B if place % 2 else Rhythm.ALT_A)

    count = len(indices) if bar.share is None else lit_leds(bar.share, len(indices))
    found = {indices[i]: at(i, bar.light) for i in range(count) if bar.light.hue}
    if bar.middle is not None:
        found |= {indices[i]: at(i, bar.middle) for i in middle_leds(len(indices))}
    return found


def lit_leds(share: float | None, leds: int) -> int:
    """How many of a bar's LEDs stand for a share: one that is neither nothing nor all looks so, if it can."""
    if share is None:
        return leds
    lit = min(leds, max(0, round(share * leds)))
    return min(leds - 1, max(1, lit)) if leds > 1 and 0 < share < 1 else lit


def middle_leds(leds: int) -> tuple[int, ...]:
    """The middle of a bar: one LED of an odd number, two of an even one; the last where there are one or two."""
    if leds <= 2:
        return (leds - 1,) if leds else ()
    return (leds // 2,) if leds % 2 else (leds // 2 - 1, leds // 2)


def light_of(code: int) -> Light:
    """The Light of a wire code. Raises ValueError for a hue or rhythm that does not exist."""
    return Light(Hue(code & 0x0F), Rhythm(code >> 4))
