"""The light map as a file: JSON, written by `boardref lights map`, described in docs/lights.md. Faults are named."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import Any

from firmware_bridge.errors import LightsError
from firmware_bridge.lightmap import SIDES, LightMap
from firmware_bridge.power import USB_MA
from firmware_bridge.scene import FULL_BRIGHTNESS
from firmware_bridge.wire.native import BAR, BAR_WHOLE

FORMAT = 1
_KEYS = ("format", "set", "sites", "bars", "lamp", "brightness", "limit_mA")
_BAR_KEYS = ("side", "leds", "mirrored", "lights")


class _Fault(Exception):
    """What is wrong, and where."""


def map_text(lightmap: LightMap, set_name: str | None = None) -> str:
    """The map as the text of a file, one site a line; `read_map` reads it. `set_name`: of the set it was made for."""
    sites: dict[str, Any] = {site: list(indices) for site, indices in lightmap.marks.items()}
    sites |= lightmap.sites
    bars: dict[str, Any] = {
        player: {"side": side, "leds": leds} | ({"mirrored": True} if player in lightmap.mirrored else {})
        for player, (side, leds) in lightmap.bars.items()
    }
    bars |= {player: {"lights": list(indices)} for player, indices in lightmap.stretches.items()}
    whole = {
        "format": FORMAT,
        **({"set": set_name} if set_name else {}),
        "sites": sites,
        "bars": bars,
        "lamp": lightmap.lamp,
        "brightness": lightmap.brightness,
        "limit_mA": lightmap.limit_ma,
    }
    lines = []
    for key, value in whole.items():
        if isinstance(value, dict) and value:
            inner = ",\n".join(f"    {json.dumps(name)}: {json.dumps(one)}" for name, one in value.items())
            lines.append(f"  {json.dumps(key)}: {{\n{inner}\n  }}")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}"


def read_map(text: str, source: str) -> LightMap:
    """Read what `map_text` wrote, or a person changed. Raises LightsError that names `source` and what is wrong."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise LightsError(_said(source, f"it is not JSON ({error})")) from None
    try:
        return _map(data)
    except _Fault as fault:
        raise LightsError(_said(source, str(fault))) from None


def made_for(text: str) -> str | None:
    """The set that a map's text says it was made for, if it says."""
    try:
        named = json.loads(text)["set"]
    except (ValueError, KeyError, TypeError):
        return None
    return named if isinstance(named, str) else None


def _said(source: str, what: str) -> str:
    return f"{source} is not a light map: {what}; `boardref lights map` writes one"


def _map(data: Any) -> LightMap:
    _table(data, "the whole", _KEYS)
    if data.get("format", FORMAT) != FORMAT:
        raise _Fault(f"format: {data['format']!r} is not {FORMAT}; it was written by another Boardref")
    if "sites" not in data:
        raise _Fault("sites: missing; {} where there are no lights at the sites")
    sites, marks = {}, {}
    for site, value in _named(data["sites"], "sites").items():
        if isinstance(value, list):
            marks[site] = _indices(value, f"sites.{site}")
        else:
            sites[site] = _number(value, f"sites.{site}", 0, BAR - 1)
    owner: dict[int, str] = {}
    for site, index in sites.items():
        if index in owner:
            raise _Fault(f"sites.{owner[index]} and sites.{site} have the same light {index}; give each its own number")
        owner[index] = site
    bars, stretches, mirrored = _bars(data.get("bars", {}))
    lamp = data.get("lamp", True)
    if not isinstance(lamp, bool):
        raise _Fault(f"lamp: {lamp!r} is neither true nor false")
    return LightMap(
        sites,
        bars,
        lamp,
        marks,
        stretches,
        mirrored,
        _number(data.get("brightness", FULL_BRIGHTNESS), "brightness", 1, 255),
        _number(data.get("limit_mA", USB_MA), "limit_mA", 20, 100_000),
    )


def _bars(data: Any) -> tuple[dict[str, tuple[int, int]], dict[str, tuple[int, ...]], frozenset[str]]:
    bars: dict[str, tuple[int, int]] = {}
    stretches: dict[str, tuple[int, ...]] = {}
    mirrored = set()
    for player, value in _named(data, "bars").items():
        where = f"bars.{player}"
        _table(value, where, _BAR_KEYS)
        if "lights" in value:
            if len(value) > 1:
                raise _Fault(f"{where}: a bar is either lights, or side and leds, not both")
            stretches[player] = _indices(value["lights"], f"{where}.lights")
            continue
        for key in ("side", "leds"):
            if key not in value:
                raise _Fault(f"{where}.{key}: missing")
        side = _number(value["side"], f"{where}.side", 0, SIDES - 1)
        other = next((name for name, (taken, _) in bars.items() if taken == side), None)
        if other is not None:
            raise _Fault(f"bars.{other} and {where} have the same side {side}")
        bars[player] = (side, _number(value["leds"], f"{where}.leds", 1, BAR_WHOLE - 1))
        if not isinstance(value.get("mirrored", False), bool):
            raise _Fault(f"{where}.mirrored: {value['mirrored']!r} is neither true nor false")
        if value.get("mirrored", False):
            mirrored.add(player)
    return bars, stretches, frozenset(mirrored)


def _named(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _Fault(f"{where}: {_short(value)} is not a table of names")
    return value


def _table(value: Any, where: str, keys: tuple[str, ...]) -> None:
    for key in _named(value, where):
        if key not in keys:
            near = difflib.get_close_matches(key, keys, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(keys)}"
            raise _Fault(f"{where}: unknown key {key!r}{hint}")


def _indices(value: Any, where: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not value:
        raise _Fault(f"{where}: {_short(value)} is not a list of lights' numbers")
    found = tuple(_number(one, where, 0, BAR - 1) for one in value)
    if len(set(found)) != len(found):
        raise _Fault(f"{where}: a light is named twice")
    return found


def _number(value: Any, where: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise _Fault(f"{where}: {_short(value)} is not a whole number from {least} to {most}")
    return value


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
