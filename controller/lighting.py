"""The lights as a page draws them: what the device received and shows now, site by site and LED by LED."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from calibration.lightmaps import bar_places, default_map, lit_areas, unknown_places
from controller.rules.registry import game_named
from controller.wallclock import WallClock
from firmware_bridge.errors import LightsError
from firmware_bridge.lightmap import LightMap, light_of
from firmware_bridge.link import Link, LinkState, LinkStatus
from firmware_bridge.mapfile import made_for, read_map
from firmware_bridge.rhythm import Rgb
from firmware_bridge.scene import OFF, Hue, Light, Scene, calm
from firmware_bridge.virtual import Colours, DeviceState, VirtualDevice, colours
from firmware_bridge.wire.native import BAR, BAR_WHOLE, LAMP
from vision.boardset import BoardSet
from vision.camera.shine import Spot
from vision.glow import Area

AFTERGLOW_S = 1.0
"""How long after a Scene has ended pictures of it may still be looked at: an exposure, the camera's queue, the line."""
SCENES_KEPT = 16
LED_STRENGTH, BAR_STRENGTH = 0.4, 3.0
SITE_REACH_MM, BAR_REACH_MM = 25.0, 14.0
_clock = WallClock()


def map_source(file: str | None) -> Callable[[BoardSet], LightMap]:
    """The light map of any set: the file's for the set it was made for; for others what of it holds there, too.

    LightsError for a file that can't be read, and when it is asked for a set that lacks what the file names.
    """
    text = None if file is None else read_text(file)
    whole = None if text is None or file is None else read_map(text, file)
    meant = None if text is None else made_for(text)

    def map_of(board: BoardSet) -> LightMap:
        players = game_named(board.game).players
        if whole is None:
            return default_map(board, players)
        if meant not in (None, board.name):
            return under_another_set(whole, players)
        if strange := unknown_places(board, whole):
            raise LightsError(f"{file} names {strange[0]}, which the set {board.name} does not have; correct the map")
        return whole

    return map_of


def under_another_set(whole: LightMap, players: Sequence[str]) -> LightMap:
    """What of a table's lights is the same whatever lies over them: bars, lamp, places in the chain, supply.

    Where its sites' lights are under another set nobody knows, so they stay dark. Sides follow the order of players.
    """
    seated = {player: players[side] for player, (side, _) in whole.bars.items()}
    # lights at sites that serve as bars may lie anywhere here; those of a strip stay at the frame
    strip = () if whole.sites else tuple(zip(players, whole.stretches.values(), strict=False))
    dark = tuple(range(whole.n_sites))
    return replace(
        whole,
        sites={f"light {index}": index for index in dark} if whole.sites else {},
        marks={"the strip": dark} if dark and not whole.sites else {},
        bars={seated[player]: bar for player, bar in whole.bars.items()},
        stretches={player: lights for player, lights in strip if player not in seated.values()},
        mirrored=frozenset(seated[player] for player in whole.mirrored),
    )


def read_text(file: str) -> str:
    """A light map's text. LightsError where it can't be read."""
    try:
        return Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise LightsError(f"the light map {file} can't be read ({error.strerror}); check the name") from None
    except UnicodeDecodeError:
        raise LightsError(f"the light map {file} is no text; write one with `boardref lights map`") from None


class Glow:
    """Which lights may shine in a picture: not only those of the Scene that the device had acknowledged before it.

    A Scene that was sent may be shown long before its answer is here, and one that ended is in pictures taken while it
    did. `clock`: seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._sent: deque[tuple[int, tuple[Area, ...]]] = deque(maxlen=SCENES_KEPT)
        self._ended_s: dict[int, float] = {}

    def sent(self, epoch: int, areas: tuple[Area, ...]) -> None:
        """From now on a Scene is shown, or will be, that lights these places."""
        if self._sent:
            if self._sent[-1][0] == epoch:
                return
            self._ended_s[self._sent[-1][0]] = self._clock()
        self._sent.append((epoch, areas))
        self._ended_s = {kept: self._ended_s[kept] for kept, _ in self._sent if kept in self._ended_s}

    def areas(self, epoch: int) -> tuple[Area, ...]:
        """Where lights may shine in a picture before which the device had acknowledged `epoch`."""
        now_s = self._clock()
        found: dict[Area, None] = {}
        known = any(kept == epoch for kept, _ in self._sent)
        since = not known
        for kept, areas in self._sent:
            since = since or kept == epoch
            if since or now_s - self._ended_s.get(kept, now_s) < AFTERGLOW_S:
                found |= dict.fromkeys(areas)
        return tuple(sorted(found))


class TableLights:
    """A link to the lights that speaks of the set that lies there, whichever that is. `map_of`: a set's light map.

    `device`: the virtual device at the link's other end, where there is one. `calm_only`: nothing may flash.
    """

    def __init__(
        self,
        link: Link,
        lightmap: LightMap,
        map_of: Callable[[BoardSet], LightMap],
        device: VirtualDevice | None = None,
        *,
        board: BoardSet,
        calm_only: bool = False,
    ) -> None:
        self._link, self._map, self._map_of, self._device = link, lightmap, map_of, device
        self._board, self._calm = board, calm_only
        self._glow = Glow()

    def follow(self, board: BoardSet) -> None:
        """From now on this set lies over the lights."""
        self._board, self._map = board, self._map_of(board)
        self._link.remap(self._map)

    def show(self, scene: Scene) -> int:
        """Show a Scene; returns its epoch."""
        epoch = self._link.show(calm(scene) if self._calm else scene)
        self._glow.sent(epoch, lit_areas(self._board, self._map, scene))
        return epoch

    def glow(self, epoch: int) -> tuple[Area, ...]:
        """Where the lights may shine in a picture with this epoch on it."""
        areas = self._glow.areas(epoch)
        if not self._map.bars and self._map.sites and self._link.status().state is not LinkState.READY:
            # without bars a device shows with its last light that nobody speaks to it
            last = max(self._map.sites, key=lambda site: self._map.sites[site])
            areas += lit_areas(self._board, self._map, Scene("host lost", 1, {last: Light(Hue.AMBER)}))
        return areas

    def player_at(self, button: int) -> str | None:
        """Whose seat a button is at: that of the bar with the same number, None where there is none."""
        return next((player for player, (side, _) in self._map.bars.items() if side == button), None)

    def status(self) -> LinkStatus:
        """How the connection is doing."""
        return self._link.status()

    def shown(self) -> Mapping[str, Any]:
        """What is lit now, for pages."""
        return shown_by(self._device, self._map) if self._device else shown_by_link(self._link, self._map)

    def close(self) -> None:
        """Darken the lights and end the connection."""
        self._link.close()


def link_json(status: LinkStatus) -> dict[str, Any]:
    """How the connection is doing, for pages and programs; times in seconds of the wall clock.

    `since`: since when no device has answered, while none does; otherwise since when it stands so. `health`: what the
    device last told of itself (uptime_s, received, damaged, overrun, supply_mv).
    """
    return {
        "state": str(status.state),
        "sentence": str(status.reason),
        "parts": [{"code": code, "facts": dict(facts)} for code, facts in status.reason.parts],
        "since": _clock.at(status.since_s if status.away_since_s is None else status.away_since_s),
        "port": status.port,
        "device": None if status.device is None else status.device.name,
        "attempts": status.attempts,
        "next_try": None if status.next_try_s is None else _clock.at(status.next_try_s),
        "connections": status.connections,
        "losses": status.losses,
        "health": None if status.health is None else asdict(status.health),
    }


def _hex(colour: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _drawn(state: DeviceState, lightmap: LightMap, connected: bool, said: str) -> dict[str, Any]:
    now = colours(state, time.monotonic())
    dark = (0, 0, 0)
    lit = {site: now.sites.get(index, dark) for site, index in lightmap.sites.items()}
    for site, marks in lightmap.marks.items():  # a site that is marked from afar is lit where all its marks are alike
        shown = {now.sites.get(index, dark) for index in marks}
        lit[site] = shown.pop() if len(shown) == 1 else dark
    bars = {player: now.bars.get(side, ()) for player, (side, _) in lightmap.bars.items()}
    bars |= {
        player: tuple(now.sites.get(index, dark) for index in indices)
        for player, indices in lightmap.stretches.items()
    }
    return {
        "connected": connected,
        "state": said,
        "sites": {site: _hex(rgb) for site, rgb in lit.items() if rgb != dark},
        "bars": {player: [_hex(rgb) for rgb in leds] for player, leds in bars.items()},
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


def spots(board: BoardSet, lightmap: LightMap, now: Colours, strength: float = LED_STRENGTH) -> list[Spot]:
    """What the LEDs add to the pretend camera's picture: `strength` of a good room's light at a site at full white."""
    own = {name: ours for ours, name in board.names.items()}
    names = {index: own.get(site, site) for site, index in lightmap.sites.items()}
    found = []
    for index, rgb in now.sites.items():
        if index in names and any(rgb):
            x_mm, y_mm = board.centre(names[index])
            reach_mm = min(SITE_REACH_MM, board.tokens.size_mm * 0.7)
            found.append(Spot(x_mm, y_mm, reach_mm, _linear(rgb, strength)))
    for player, (side, _) in lightmap.bars.items():
        leds = now.bars.get(side, ())
        for place, rgb in zip(bar_places(board, player, len(leds)), leds, strict=True):
            if any(rgb):
                found.append(Spot(*place, BAR_REACH_MM, _linear(rgb, BAR_STRENGTH * strength)))
    return found


def _linear(rgb: Rgb, strength: float) -> tuple[float, float, float]:
    red, green, blue = (strength * (channel / 255) ** 2.2 for channel in rgb)
    return red, green, blue
