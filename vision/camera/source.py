"""From a SOURCE on the command line to a recording or a live camera."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from vision.camera.feeds import is_live
from vision.camera.folder import SUFFIXES, FolderRecording
from vision.camera.live import LiveCamera, open_live
from vision.camera.video import VideoRecording
from vision.errors import VisionError


def say_on_stderr(sentence: str) -> None:
    """The default for frames that had to be left out."""
    print(f"boardref: {sentence}", file=sys.stderr, flush=True)


def open_source(
    source: str,
    fps: float | None = None,
    on_skip: Callable[[str], None] = say_on_stderr,
    epoch: Callable[[], int] = lambda: 0,
    wait: bool = True,
    mains_hz: int = 50,
) -> FolderRecording | VideoRecording | LiveCamera:
    """Open a folder, a video file, a camera (number or device) or a stream (URL). Raises VisionError in one sentence.

    `fps` counts for folders without time stamps and for videos; `on_skip` hears of frames that were left out. A live
    camera must show a picture first; with `wait` false it is handed out at once, and looks for its device for ever.
    `mains_hz`: 50 or 60, for lamps. docs/cameras.md lists the names of live cameras.
    """
    if fps is not None and not 0.01 <= fps <= 1000:
        raise VisionError(f"--fps must be from 0.01 to 1000 frames a second, not {fps:g}")
    if is_live(source):
        return open_live(source, epoch, mains_hz=mains_hz) if wait else LiveCamera(source, epoch, mains_hz=mains_hz)
    path = Path(source)
    if path.is_dir():
        return FolderRecording(path, fps, on_skip)
    if path.suffix.lower() in SUFFIXES and path.is_file():
        raise VisionError(f"{source} is a single picture; give its folder, or ask `boardref look {source}`")
    return VideoRecording(path, fps, on_skip)
