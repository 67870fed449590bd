"""Which wires there are, by name, and a Talk for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from firmware_bridge.errors import LightsError
from firmware_bridge.lightmap import LightMap
from firmware_bridge.linkstate import Pace
from firmware_bridge.native_talk import NativeTalk
from firmware_bridge.talk import Talk

WIRES: Mapping[str, Callable[[LightMap, Pace, str], Talk]] = {"native": NativeTalk}


def talk_for(wire: str, lightmap: LightMap, pace: Pace, name: str) -> Talk:
    """A new talk over `wire` for the port `name`. Raises LightsError for a wire that is none."""
    if wire not in WIRES:
        raise LightsError(f"there is no wire {wire!r} for lights; there are {', '.join(WIRES)}")
    return WIRES[wire](lightmap, pace, name)
