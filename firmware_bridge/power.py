"""How much current lights draw, computed, and kept within what the supply can give.

WS2812 LEDs: 20 mA for each of the three channels at full drive, in proportion below it, and 1 mA even when dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from firmware_bridge.rhythm import DRIVE, Rgb
from firmware_bridge.scene import Hue

CHANNEL_MA = 20.0
DARK_MA = 1.0
USB_MA = 450
"""What a USB port gives, less the controller itself."""


def current_ma(frame: Sequence[Rgb]) -> float:
    """The current of LEDs driven so (0..255 a channel), dark ones included."""
    return DARK_MA * len(frame) + CHANNEL_MA / 255 * sum(map(sum, frame))


def brightness_within(lit: Iterable[tuple[Hue, int]], brightness: int, leds: int, limit_ma: float) -> int:
    """The highest brightness (of 255) up to `brightness` at which all `lit` (hue, how many) stay within the limit.

    Blinking lights count as lit: they may all be so at one moment. `leds`: how many there are, dark ones included.
    """
    full_ma = CHANNEL_MA / 255 * sum(sum(DRIVE[hue]) * count for hue, count in lit)
    left_ma = max(0.0, limit_ma - DARK_MA * leds)
    if full_ma * brightness / 255 <= left_ma:
        return brightness
    return int(left_ma / full_ma * 255)
