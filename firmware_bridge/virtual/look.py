"""What a virtual device shows, and as which colours on a screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from firmware_bridge.lightmap import LightMap
from firmware_bridge.rhythm import Rgb, lamp_light, level, screen_rgb
from firmware_bridge.scene import FULL_BRIGHTNESS, OFF, Light
from firmware_bridge.wire.native import BAR, LAMP


@dataclass(frozen=True)
class DeviceState:
    """What a device on the native wire shows. `sites`: index -> Light if lit; `bars`: side -> each LED's Light.

    `since_s`: wire address -> when that light became what it is, on the device's clock (`time.monotonic`).
    """

    sites: Mapping[int, Light] = field(default_factory=dict)
    bars: Mapping[int, tuple[Light, ...]] = field(default_factory=dict)
    lamp: Light = OFF
    brightness: int = FULL_BRIGHTNESS
    epoch: int = 0
    scene: int = 0
    host_lost: bool = True
    since_s: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class StripState:
    """What a strip shows. `pixels`: linear drive, LED by LED. `host_lost`: dark, or its own look: nobody speaks to it.

    `frames`: how many it has shown, `damaged`: how many it refused (where the wire lets it), `commands`: bytes outside
    of frames that it took for commands nobody meant.
    """

    pixels: tuple[Rgb, ...]
    host_lost: bool
    frames: int = 0
    damaged: int = 0
    commands: bytes = b""


@dataclass(frozen=True)
class Colours:
    """sRGB of every light at one moment: `sites` index -> colour (lit ones), `bars` side -> LED by LED."""

    sites: Mapping[int, Rgb]
    bars: Mapping[int, tuple[Rgb, ...]]
    lamp: Rgb


def colours(state: DeviceState, t_s: float) -> Colours:
    """What each LED shows at `t_s` (`time.monotonic`), its rhythm rendered, for drawing on a screen."""
    strength = state.brightness / FULL_BRIGHTNESS

    def shown(light: Light, address: int, led: int = 0, leds: int = 1) -> Rgb:
        since_s = state.since_s.get(address, 0.0)
        return screen_rgb(light.hue, strength * level(light.rhythm, t_s, since_s, led, leds))

    return Colours(
        {index: shown(light, index) for index, light in state.sites.items()},
        {
            side: tuple(shown(light, BAR + side * 0x100 + i, i, len(lights)) for i, light in enumerate(lights))
            for side, lights in state.bars.items()
        },
        shown(lamp_light(state.lamp, t_s), LAMP),
    )


def strip_colours(state: StripState, lightmap: LightMap) -> Colours:
    """What each LED of a strip shows, for drawing on a screen."""

    def shown(address: int) -> Rgb:
        place = places.get(address, len(state.pixels))
        red, green, blue = state.pixels[place] if place < len(state.pixels) else (0, 0, 0)
        return _screen(red), _screen(green), _screen(blue)

    places = lightmap.pixels
    return Colours(
        {index: shown(index) for index in range(lightmap.n_sites) if any(shown(index))},
        {side: tuple(shown(BAR + side * 0x100 + i) for i in range(leds)) for side, leds in lightmap.bars.values()},
        shown(LAMP),
    )


def _screen(drive: int) -> int:
    return round(255 * float(min(1.0, drive / FULL_BRIGHTNESS) ** (1 / 2.2)))
