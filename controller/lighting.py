"""The lights as a page draws them: what the device received and shows now, site by site and LED by LED."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from firmware_bridge.lightmap import LightMap, light_of
from firmware_bridge.link import Link, LinkState, LinkStatus
from firmware_bridge.rhythm import Rgb
from firmware_bridge.scene import OFF, Light, Scene
from firmware_bridge.virtual import DeviceState, VirtualDevice, colours
from firmware_bridge.wire.native import BAR, BAR_WHOLE, LAMP
from vision.boardset import BoardSet


def default_map(board: BoardSet, players: Sequence[str]) -> LightMap:
    """The lights under a set in the order of its sites, named as its game names them, and a bar for each player."""
    return LightMap.of([board.names.get(site.id, site.id) for site in board.sites], players)


class TableLights:
    """A link to the lights that speaks of the set that lies there, whichever that is. `map_of`: a set's light map.

    `device`: the virtual device at the link's other end, where there is one.
    """

    def __init__(
        self,
        link: Link,
        lightmap: LightMap,
        map_of: Callable[[BoardSet], LightMap],
        device: VirtualDevice | None = None,
    ) -> None:
        self._link, self._map, self._map_of, self._device = link, lightmap, map_of, device

    def follow(self, board: BoardSet) -> None:
        """From now on this set lies over the lights."""
        self._map = self._map_of(board)
        self._link.remap(self._map)

    def show(self, scene: Scene) -> int:
        """Show a Scene; returns its epoch."""
        return self._link.show(scene)

    def status(self) -> LinkStatus:
        """How the connection is doing."""
        return self._link.status()

    def shown(self) -> Mapping[str, Any]:
        """What is lit now, for pages."""
        return shown_by(self._device, self._map) if self._device else shown_by_link(self._link, self._map)

    def close(self) -> None:
        """Darken the lights and end the connection."""
        self._link.close()


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
