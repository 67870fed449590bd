"""What a hue and a rhythm look like at one moment: the device's animations, for drawing them and for testing them."""

from __future__ import annotations

from math import pi, sin

from firmware_bridge.scene import FULL_BRIGHTNESS as FULL_BRIGHTNESS
from firmware_bridge.scene import Hue, Light, Rhythm

Rgb = tuple[int, int, int]

DRIVE: dict[Hue, Rgb] = {  # linear drive 0..255; the triple that stays apart for every common colour vision
    Hue.OFF: (0, 0, 0),
    Hue.WHITE: (150, 150, 150),
    Hue.BLUE: (0, 40, 255),
    Hue.AMBER: (255, 90, 0),
}
PULSE_S = 0.7
WALK_STEP_S = 0.25
_DOUBLE_CYCLE_S = 0.15 * 3 + 1.2  # flash, gap, flash, then dark


def level(rhythm: Rhythm, t_s: float, since_s: float, led: int = 0, leds: int = 1) -> float:
    """How bright, 0..1, at `t_s`: `since_s`: when this light began (PULSE, DOUBLE), `led` of `leds`: its place."""
    match rhythm:
        case Rhythm.PULSE:
            return 1.0 if t_s - since_s < PULSE_S else 0.0
        case Rhythm.BREATHE:
            return 0.6 + 0.4 * sin(2 * pi * t_s / 4)
        case Rhythm.BLINK | Rhythm.ALT_A:
            return 1.0 if t_s % 1.0 < 0.5 else 0.0
        case Rhythm.ALT_B:
            return 0.0 if t_s % 1.0 < 0.5 else 1.0
        case Rhythm.DOUBLE:
            phase_s = (t_s - since_s) % _DOUBLE_CYCLE_S
            return 1.0 if phase_s < 0.15 or 0.3 <= phase_s < 0.45 else 0.0
        case Rhythm.WALK:
            return 1.0 if leds < 2 or int(t_s / WALK_STEP_S) % leds == led else 0.0
        case _:
            return 1.0


def screen_rgb(hue: Hue, share: float) -> Rgb:
    """`hue` at `share` 0..1 of full strength as sRGB for a screen."""
    red, green, blue = (round(255 * (drive / 255 * min(1.0, max(0.0, share))) ** (1 / 2.2)) for drive in DRIVE[hue])
    return red, green, blue


def lamp_light(light: Light, t_s: float) -> Light:
    """A lamp has no partner to alternate with, so ALT on it alternates its own hue with white."""
    if light.rhythm not in (Rhythm.ALT_A, Rhythm.ALT_B):
        return light
    own = (t_s % 1.0 < 0.5) == (light.rhythm is Rhythm.ALT_A)
    return Light(light.hue if own else Hue.WHITE)
