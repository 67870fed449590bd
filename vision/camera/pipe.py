"""JPEG pictures from a named pipe, whatever program writes them."""

from __future__ import annotations

import os
import time

from vision.camera import saying
from vision.camera.feed import STEP_S, FeedError, Patience
from vision.camera.stream import JpegStream


class PipeFeed(JpegStream):
    """A fifo. Until a writer comes it is waited for; when the writer leaves, the feed is over."""

    def __init__(self, path: str, patience: Patience) -> None:
        super().__init__(saying.pipe(path), patience)
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            raise FeedError("pipe_not_opened", **self.who, reason=str(error.strerror)) from None
        self._written = False

    def fileno(self) -> int:
        """The pipe's."""
        return self._descriptor

    def close(self) -> None:
        """Let the pipe go."""
        os.close(self._descriptor)

    def _receive(self, most: int) -> bytes:
        try:
            data = os.read(self._descriptor, most)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise FeedError("pipe_not_read", **self.who, reason=str(error.strerror)) from None
        if data:
            self._written = True
        elif self._written:
            raise FeedError("pipe_left", **self.who)
        else:
            time.sleep(STEP_S / 5)  # without a writer a pipe is always "ready", with nothing in it
        return data

    def _ready(self, timeout_s: float) -> bool:
        return (timeout_s > 0 or self._written) and super()._ready(timeout_s)
