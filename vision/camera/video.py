"""A video file as a recording."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np

from vision.camera.frame import Frame
from vision.errors import VisionError

_MOST_FAILURES = 25
"""Decoding failures in a row after which a video is over: one failure is not yet its end."""


class VideoRecording:
    """Every frame of a video file, with its own time stamps or at `fps`."""

    def __init__(self, path: str | Path, fps: float | None, on_skip: Callable[[str], None]) -> None:
        self.name = str(path)
        self._fps = fps
        self._on_skip = on_skip
        if not Path(path).exists():
            raise VisionError(
                f"there is no recording {path}; give a folder of pictures, a video file, a camera or a URL"
            )
        self._capture = self._open()
        ok = self._capture.isOpened() and self._capture.grab()
        self._capture.release()
        if not ok:
            raise VisionError(
                f"{path} is no video that can be read here; convert it to MP4 or AVI, or give a folder of pictures"
            )

    def _open(self) -> cv2.VideoCapture:
        try:
            return cv2.VideoCapture(self.name, cv2.CAP_FFMPEG)
        except cv2.error:
            return cv2.VideoCapture()

    def __iter__(self) -> Iterator[Frame]:
        self._capture = capture = self._open()
        rate = capture.get(cv2.CAP_PROP_FPS)
        step_s = 1 / self._fps if self._fps else 1 / rate if 0.1 < rate < 1000 else 0.1
        total = capture.get(cv2.CAP_PROP_FRAME_COUNT)
        index = failures = 0
        first_s: float | None = None
        last_s = -step_s
        while failures < _MOST_FAILURES:
            ok, image = capture.read()
            if not ok or image is None:
                failures += 1
                if index + failures > total:
                    break
                continue
            for lost in range(index, index + failures):
                self._on_skip(f"frame {lost} of {self.name} is left out: it can't be decoded")
            index += failures
            failures = 0
            stamp_s = capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            first_s = stamp_s if first_s is None else first_s
            t_s = index * step_s if self._fps else stamp_s - first_s
            if index and t_s <= last_s:  # a file without time stamps of its own
                t_s = last_s + step_s
            last_s = t_s
            yield Frame(np.asarray(image, np.uint8), t_s, index)
            index += 1
        capture.release()

    def close(self) -> None:
        """Let the file go."""
        self._capture.release()
