"""From a live source's name to its feed. docs/cameras.md lists the names."""

from __future__ import annotations

import stat
from pathlib import Path

from vision.camera.capture import open_device, open_stream, usb_device
from vision.camera.feed import Feed, Patience
from vision.camera.http_stream import HttpFeed, OtherKind, masked
from vision.camera.pipe import PipeFeed


def is_live(source: str) -> bool:
    """Whether this names a live source, no recording."""
    if source == "usb" or source.isdigit() or "://" in source or source.startswith("/dev/"):
        return True
    return is_pipe(source)


def is_pipe(source: str) -> bool:
    """Whether this is the path of a named pipe."""
    try:
        return stat.S_ISFIFO(Path(source).stat().st_mode)
    except (OSError, ValueError):
        return False


def label(source: str) -> str:
    """The source as it may be shown: without a password."""
    return masked(source)


def open_feed(source: str, patience: Patience) -> Feed:
    """Open a live source. Raises FeedError in one sentence."""
    if is_pipe(source):
        return PipeFeed(source, patience)
    if source.partition("://")[0].lower() in ("http", "https"):
        try:
            return HttpFeed(source, patience)
        except OtherKind:
            return open_stream(source, patience)
    if "://" in source:
        return open_stream(source, patience)
    if source == "usb":
        return open_device(usb_device())
    return open_device(f"/dev/video{source}" if source.isdigit() else source)
