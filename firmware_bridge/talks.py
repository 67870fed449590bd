"""Which wires there are, by name, and a Talk for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from firmware_bridge.auto_talk import AutoTalk
from firmware_bridge.errors import SpecError
from firmware_bridge.lightmap import LightMap
from firmware_bridge.linkstate import Pace
from firmware_bridge.native_talk import NativeTalk
from firmware_bridge.pixel_talk import PixelTalk
from firmware_bridge.talk import Talk
from firmware_bridge.wire.adalight import Adalight
from firmware_bridge.wire.awa import Awa
from firmware_bridge.wire.pixels import PixelWire
from firmware_bridge.wire.tpm2 import Tpm2
from firmware_bridge.wire.wled import Wled, WledJson

PIXEL_WIRES: Mapping[str, Callable[[], PixelWire]] = {
    wire.name: wire for wire in (Adalight, Awa, Wled, WledJson, Tpm2)
}
WIRES = ("auto", "native", *PIXEL_WIRES)
BAUDS = range(9600, 4_000_001)


def split_wire(spec: str, default: str = "auto") -> tuple[str, str]:
    """A port's spec and its wire: `/dev/ttyUSB0,awa@1000000` -> that path and `awa@1000000`."""
    port, comma, wire = spec.rpartition(",")
    name = wire.partition("@")[0]
    return (port, wire) if comma and name.isascii() and "/" not in wire else (spec, default)


def check_wire(wire: str) -> None:
    """Raises SpecError for a wire that is none."""
    name, at, baud = wire.partition("@")
    if name not in WIRES:
        raise SpecError(f"there is no wire {name!r} for lights; there are {', '.join(WIRES)}")
    if at and (name not in PIXEL_WIRES or not baud.isdecimal() or int(baud) not in BAUDS):
        raise SpecError(f"{wire} is no speed for {name}" if name in PIXEL_WIRES else f"{name} has its own speed")


def talk_for(wire: str, lightmap: LightMap, pace: Pace, name: str) -> Talk:
    """A new talk over `wire` (NAME or NAME@BAUD) for the port `name`. Raises SpecError for a wire that is none."""
    check_wire(wire)
    kind, _, baud = wire.partition("@")
    if kind == "native":
        return NativeTalk(lightmap, pace, name)
    if kind == "auto":
        return AutoTalk(lightmap, pace, name)
    return PixelTalk(PIXEL_WIRES[kind](), lightmap, pace, name, int(baud) if baud else None)
