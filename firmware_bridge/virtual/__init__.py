"""Lights that are none: a device on a pseudo-terminal that speaks every wire and misbehaves on request."""

from firmware_bridge.virtual.core import FAULTS, DeviceCore, Faults
from firmware_bridge.virtual.device import VirtualDevice
from firmware_bridge.virtual.look import Colours, DeviceState, StripState, colours, strip_colours

__all__ = [
    "FAULTS",
    "Colours",
    "DeviceCore",
    "DeviceState",
    "Faults",
    "StripState",
    "VirtualDevice",
    "colours",
    "strip_colours",
]
