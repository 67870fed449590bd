"""From a Scene to the colour of each LED on one strip at one moment, for devices that can't animate by themselves."""

from __future__ import annotations

from collections.abc import Mapping

from firmware_bridge.lightmap import LightMap, light_of
from firmware_bridge.rhythm import DRIVE, Rgb, lamp_light, level
from firmware_bridge.scene import Light, Rhythm, Scene
from firmware_bridge.wire.native import BAR, BAR_WHOLE, LAMP

BLACK: Rgb = (0, 0, 0)


def lights_of(scene: Scene, lightmap: LightMap) -> dict[int, Light]:
    """Each lit address with its light, a bar that is lit as a whole LED by LED."""
    lengths = dict(lightmap.bars.values())
    found: dict[int, Light] = {}
    for address, code in lightmap.entries(scene):
        side, led = divmod(address - BAR, 0x100)
        if address != LAMP and side in lengths and led == BAR_WHOLE:
            found |= dict.fromkeys(range(address - BAR_WHOLE, address - BAR_WHOLE + lengths[side]), light_of(code))
        else:
            found[address] = light_of(code)
    return {address: light for address, light in found.items() if light.hue}


class Rendering:
    """One scene after another on one strip, each light in its own rhythm, as bright as the map's limits allow."""

    def __init__(self) -> None:
        self._lightmap: LightMap | None = None
        self._places: Mapping[int, int] = {}
        self._lengths: dict[int, int] = {}
        self._lights: dict[int, Light] = {}
        self._since_s: dict[int, float] = {}
        self._brightness = 0

    @property
    def leds(self) -> int:
        """How many LEDs the strip has."""
        return len(self._places)

    @property
    def moves(self) -> bool:
        """Whether the colours change by themselves."""
        return any(light.rhythm is not Rhythm.STEADY for light in self._lights.values())

    def show(self, scene: Scene, lightmap: LightMap, now_s: float) -> None:
        """From now on this scene. A light that stays what it was goes on with its rhythm."""
        if lightmap != self._lightmap:
            self._lightmap, self._places, self._lights = lightmap, lightmap.pixels, {}
            self._lengths = dict(lightmap.bars.values())
        lights = lights_of(scene, lightmap)
        self._since_s = {
            address: self._since_s[address] if self._lights.get(address) == light else now_s
            for address, light in lights.items()
        }
        self._lights = lights
        self._brightness = lightmap.brightness_of(scene, lightmap.entries(scene))

    def frame(self, now_s: float) -> list[Rgb]:
        """Linear drive, 0..255 a channel, of every LED of the strip in its order."""
        colours = [BLACK] * self.leds
        for address, light in self._lights.items():
            place = self._places.get(address)
            if place is not None:
                colours[place] = self._colour(address, light, now_s)
        return colours

    def _colour(self, address: int, light: Light, now_s: float) -> Rgb:
        side, led = divmod(address - BAR, 0x100)
        leds = 1
        if address == LAMP:
            light, led = lamp_light(light, now_s), 0
        elif side in self._lengths:
            leds = self._lengths[side]
        share = level(light.rhythm, now_s, self._since_s[address], led, leds) * self._brightness / 255
        red, green, blue = DRIVE[light.hue]
        return int(red * share), int(green * share), int(blue * share)
