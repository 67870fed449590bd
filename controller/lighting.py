"""The lights as a page draws them: what the device received and shows now, site by site and LED by LED."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from firmware_bridge.lightmap import LightMap, light_of
from firmware_bridge.link import Link, LinkState
from firmware_bridge.rhythm import Rgb
from firmware_bridge.scene import OFF, Light
from firmware_bridge.virtual import DeviceState, VirtualDevice, colours
from firmware_bridge.wire.native import BAR, BAR_WHOLE, LAMP


def _hex(colour: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _drawn(state: DeviceState, lightmap: LightMap, connected: bool, said: str) -> dict[str, Any]:
    now = colours(state, time.monotonic())
    sites = {index: site for site, index in lightmap.sites.items()}
    return {
        "connected": connected,
        "state": said,
        "sites": {sites[index]: _hex(rgb) for index, rgb in now.sites.items() if index in sites and rgb != (0, 0, 0)},
        "bars": {player: [_hex(rgb) for rgb in now.bars.get(side, ())] for player, (side, _) in lightmap.bars.items()},
        "lamp": _hex(now.lamp),
        "brightness": state.brightness,
    }


def shown_by(device: VirtualDevice, lightmap: LightMap) -> Mapping[str, Any]:
    """What a virtual device shows now, as it received it over its wire."""
    state = device.lit()
    return _drawn(state, lightmap, not state.host_lost, "host lost" if state.host_lost else "shown")


def shown_by_link(link: Link, lightmap: LightMap) -> Mapping[str, Any]:
    """What a real device has acknowledged; nothing is lit on the page while the link is down."""
    status = link.status()
    scene = link.acknowledged_scene
    if status.state is not LinkState.READY or scene is None:
        return _drawn(DeviceState(), lightmap, False, str(status.state))
    sites: dict[int, Light] = {}
    bars = {side: [OFF] * leds for side, leds in lightmap.bars.values()}
    lamp = OFF
    for address, code in lightmap.entries(scene):
        light = light_of(code)
        if address == LAMP:
            lamp = light
        elif address >= BAR:
            side, led = (address - BAR) >> 8, address & 0xFF
            bar = bars[side]
            bars[side] = [light] * len(bar) if led == BAR_WHOLE else [*bar[:led], light, *bar[led + 1 :]]
        else:
            sites[address] = light
    state = DeviceState(
        sites, {side: tuple(lights) for side, lights in bars.items()}, lamp, scene.brightness, host_lost=False
    )
    return _drawn(state, lightmap, True, "shown")
