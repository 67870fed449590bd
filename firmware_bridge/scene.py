"""Scene: the vocabulary of what lights can say. Three hues, then rhythm and place carry the meaning.

White/blue/amber is the only triple whose smallest chroma distance stays usable for every common colour vision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum

FULL_BRIGHTNESS = 64
"""Of 255: the default of a Scene and of the ceiling. A screen shows it at full strength."""


class Hue(IntEnum):
    """Hue nibble of the native wire's code."""

    OFF = 0
    WHITE = 1
    BLUE = 2
    AMBER = 3


class Rhythm(IntEnum):
    """Rhythm nibble of the native wire's code; all at most 2 Hz (WCAG 2.3.1)."""

    STEADY = 0
    PULSE = 1
    BREATHE = 2
    BLINK = 3
    DOUBLE = 4
    ALT_A = 5
    ALT_B = 6
    WALK = 7


@dataclass(frozen=True)
class Light:
    """One light: hue and rhythm."""

    hue: Hue = Hue.OFF
    rhythm: Rhythm = Rhythm.STEADY

    @property
    def code(self) -> int:
        """`rhythm << 4 | hue`."""
        return int(self.rhythm) << 4 | int(self.hue)


OFF = Light()


@dataclass(frozen=True)
class Bar:
    """The strip at one player's seat: `light` for all of it or its first `share` 0..1; `middle`, if given, differs."""

    light: Light = OFF
    middle: Light | None = None
    share: float | None = None


@dataclass(frozen=True)
class Scene:
    """Everything the lights say at one moment: whole state, never a change. `state`: its name in the vocabulary.

    `sites`: site id -> Light (absent = off). `bars`: player -> Bar. `brightness` 0..255.
    """

    state: str
    number: int
    sites: Mapping[str, Light] = field(default_factory=dict)
    bars: Mapping[str, Bar] = field(default_factory=dict)
    lamp: Light = OFF
    brightness: int = FULL_BRIGHTNESS


DARK = Scene("dark", 0)
"""Nothing lit."""

_CALM_LAMP = {  # a lamp says all by itself: there every rhythm needs another that is like no other
    Light(Hue.AMBER, Rhythm.BLINK): Light(Hue.AMBER, Rhythm.BREATHE),
    Light(Hue.AMBER, Rhythm.DOUBLE): Light(Hue.AMBER),
    Light(Hue.AMBER, Rhythm.ALT_A): Light(Hue.WHITE, Rhythm.BREATHE),
}


def calm(scene: Scene) -> Scene:
    """The same Scene for people who can't bear flashing: nothing blinks, alternates or walks, all that breathes."""

    def slow(light: Light) -> Light:
        return light if light.rhythm in (Rhythm.STEADY, Rhythm.PULSE) else Light(light.hue, Rhythm.BREATHE)

    bars = {
        player: replace(bar, light=slow(bar.light), middle=None if bar.middle is None else slow(bar.middle))
        for player, bar in scene.bars.items()
    }
    sites = {site: slow(light) for site, light in scene.sites.items()}
    return replace(scene, sites=sites, bars=bars, lamp=_CALM_LAMP.get(scene.lamp, scene.lamp))
