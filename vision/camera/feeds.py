"""From a live source's name to what opens it. docs/cameras.md lists the names."""

from __future__ import annotations

import importlib.util
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from vision.camera import saying
from vision.camera.capture import open_device, open_stream
from vision.camera.command import PiCommand, program
from vision.camera.controls import Controls, NoControls, Why
from vision.camera.devices import Device
from vision.camera.feed import Feed, Opener, Patience
from vision.camera.http_stream import HttpFeed, OtherKind, masked
from vision.camera.pi_library import PiLibrary
from vision.camera.pipe import PipeFeed
from vision.camera.v4l2 import V4l2Controls

_PI = re.compile(r"(pi|rpicam|picamera2)(?::(\d{1,2}))?")


def is_live(source: str) -> bool:
    """Whether this names a live source, no recording."""
    if source == "usb" or source.isdecimal() or "://" in source or source.startswith("/dev/"):
        return True
    return _PI.fullmatch(source) is not None or is_pipe(source)


def is_pipe(source: str) -> bool:
    """Whether this is the path of a named pipe."""
    try:
        return stat.S_ISFIFO(Path(source).stat().st_mode)
    except (OSError, ValueError):
        return False


@dataclass(frozen=True)
class _Plain:
    """A source that needs to remember nothing but its settings."""

    who: Mapping[str, str]
    controls: Controls
    make: Callable[[Patience], Feed]

    def open(self, patience: Patience) -> Feed:
        return self.make(patience)


def opener_of(source: str, mains_hz: int = 50) -> Opener:
    """What opens a live source. Nothing is opened yet; `mains_hz`: 50 or 60, for lamps that flicker with it."""
    if pi := _PI.fullmatch(source):
        how, number = pi[1], int(pi[2] or 0)
        library = how == "picamera2" or (how == "pi" and program() is None and importlib.util.find_spec("picamera2"))
        return PiLibrary(number, mains_hz) if library else PiCommand(number, mains_hz)
    fixed = NoControls(Why("elsewhere"))
    if is_pipe(source):
        return _Plain(saying.pipe(source), fixed, lambda patience: PipeFeed(source, patience))
    if source.partition("://")[0].lower() in ("http", "https"):
        return _Plain(saying.stream(masked(source)), fixed, lambda patience: _open_http(source, patience))
    if "://" in source:
        return _Plain(saying.stream(masked(source)), fixed, lambda patience: open_stream(source, patience))

    device = Device(source)
    controls = V4l2Controls(device.path, mains_hz)

    def open_usb(_: Patience) -> Feed:
        path = device.path()
        feed = open_device(path)
        device.opened(path)
        controls.prepare()
        return feed

    return _Plain(saying.device(source), controls, open_usb)


def _open_http(url: str, patience: Patience) -> Feed:
    try:
        return HttpFeed(url, patience)
    except OtherKind:
        return open_stream(url, patience)
