"""The device at the other end, for the commands: wait until it answers, say what it is, show it a Scene."""

from __future__ import annotations

import time
from collections.abc import Sequence

from firmware_bridge.errors import LightsError
from firmware_bridge.lightmap import LightMap
from firmware_bridge.link import Link, LinkState
from firmware_bridge.linkstate import Device
from firmware_bridge.scene import Scene

ANSWER_S = 12.0  # a WLED board starts for up to eight seconds when its port is opened


def told(device: Device) -> str:
    """What a device is, in words."""
    said = [f"{device.name} by {device.capabilities.wire}"]
    said += [f"{device.sites} site lights"] if device.sites is not None else []
    said += [f"{device.bar} LEDs in each bar"] if device.bar is not None else []
    said += [f"firmware {device.firmware}"] if device.firmware else []
    return ", ".join(said)


def device_of(link: Link) -> Device:
    """Wait until the lights are there; LightsError says why not."""
    ends_s = time.monotonic() + ANSWER_S
    while (status := link.status()).state is not LinkState.READY or status.device is None:
        if status.state is LinkState.DOWN or time.monotonic() > ends_s:
            raise LightsError(status.reason or f"the lights on {status.port} do not answer; check cable and power")
        time.sleep(0.02)
    return status.device


def answered(link: Link) -> str:
    """The same, as a line for the screen."""
    device, status = device_of(link), link.status()
    return f"{status.port}: {told(device)}.{f' {status.reason}' if status.reason else ''}"


def shown(link: Link, scene: Scene) -> None:
    """Show a Scene and wait until it is shown."""
    epoch = link.show(scene)
    ends_s = time.monotonic() + ANSWER_S
    while link.acknowledged_epoch != epoch:
        if time.monotonic() > ends_s:
            raise LightsError(link.status().reason or "the lights stopped answering; check cable and power")
        time.sleep(0.01)


def greetings(paths: Sequence[str]) -> dict[str, tuple[Device | None, str]]:
    """What answers on each of these ports, asked all at once, or why nothing does."""
    links = {path: Link(path, LightMap()) for path in paths}
    found: dict[str, tuple[Device | None, str]] = {}
    try:
        ends_s = time.monotonic() + ANSWER_S
        while len(found) < len(links) and time.monotonic() < ends_s:
            for path, link in links.items():
                status = link.status()
                if path not in found and (status.device is not None or status.state is LinkState.DOWN):
                    found[path] = (status.device, status.reason)
            time.sleep(0.02)
        return {path: found.get(path, (None, f"{path} does not answer.")) for path in paths}
    finally:
        for link in links.values():
            link.close()
