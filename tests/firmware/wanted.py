"""What the LEDs of the default board must show for a scene, from the host's own definition of the rhythms."""

from __future__ import annotations

from collections.abc import Mapping

from board import Rgb

from firmware_bridge.rhythm import DRIVE, lamp_light, level
from firmware_bridge.scene import OFF, Light
from firmware_bridge.wire.native import BAR, BAR_WHOLE, LAMP

SITES, BAR_LEDS = 64, 8
STEP_S = 0.025
SLACK_S = 0.035  # a step, and the LEDs' own time


def places(lights: Mapping[int, Light]) -> dict[int, tuple[Light, int, int]]:
    """LED on the chain -> its light, its place, and of how many: the addresses of a scene, spelled out."""
    found: dict[int, tuple[Light, int, int]] = {}
    for address, light in lights.items():
        if address == LAMP:
            found[SITES + 2 * BAR_LEDS] = (light, 0, 1)
        elif address < SITES:
            found[address] = (light, 0, 1)
        else:
            side, led = divmod(address - BAR, 0x100)
            for place in range(BAR_LEDS) if led == BAR_WHOLE else (led,):
                found[SITES + side * BAR_LEDS + place] = (light, place, BAR_LEDS)
    return found


def drive(light: Light, brightness: int, share: float) -> tuple[float, ...]:
    return tuple(value * brightness / 255 * share for value in DRIVE[light.hue])


def differs(shown: Rgb, light: Light, brightness: int, share: float) -> bool:
    return any(abs(have - want) > 1.5 for have, want in zip(shown, drive(light, brightness, share), strict=True))


def check(
    leds: list[tuple[float, tuple[Rgb, ...]]],
    lights: Mapping[int, Light],
    brightness: int,
    since_s: float | Mapping[int, float],
) -> None:
    """Every picture agrees with the rhythms, give or take a step where one changes. `since_s`: of all, or by LED."""
    wanted = places(lights)
    for time_s, colours in leds:
        for led, colour in enumerate(colours):
            light, place, of = wanted.get(led, (OFF, 0, 1))
            near = [time_s - SLACK_S, time_s, time_s + SLACK_S]
            forms = [lamp_light(light, t_s) if led == SITES + 2 * BAR_LEDS else light for t_s in near]
            began_s = since_s if isinstance(since_s, float | int) else since_s.get(led, 0)
            shares = [level(form.rhythm, t_s, began_s, place, of) for form, t_s in zip(forms, near, strict=True)]
            assert not all(differs(colour, f, brightness, s) for f, s in zip(forms, shares, strict=True)), (
                f"LED {led} shows {colour} at {time_s} s, not {light}"
            )
