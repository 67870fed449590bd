"""JPEG pictures one after another from a descriptor: newest only, damaged ones left out, never waiting for ever."""

from __future__ import annotations

import select
import time
from collections.abc import Mapping

from vision.camera.feed import STEP_S, FeedError, Patience
from vision.camera.frame import Image
from vision.camera.jpeg import Decoder, Splitter

_CHUNK = 1 << 16
_DRAIN_S = 0.05
"""A source that sends faster than pictures can be decoded is read for so long before one is."""


class JpegStream:
    """The part that all byte streams share; a subclass says where the bytes come from and closes it."""

    frozen_s = 2.0

    def __init__(self, who: Mapping[str, str], patience: Patience) -> None:
        self.who = who
        self.damaged = 0
        self._splitter = Splitter()
        self._decoder = Decoder()
        self._undecodable = 0
        self._patience = patience
        self._due_s = time.monotonic() + patience.picture_s
        self._damaged_before = 0

    def read(self) -> Image | None:
        """The newest whole picture; None when none came for a moment."""
        if self._ready(STEP_S):
            jpegs = self._splitter.feed(self._receive(_CHUNK))
            enough_s = time.monotonic() + _DRAIN_S
            while self._ready(0.0) and time.monotonic() < enough_s:
                jpegs += self._splitter.feed(self._receive(_CHUNK))
                del jpegs[:-1]
            image = self._decoder.decode(jpegs[-1]) if jpegs else None
            self._undecodable += bool(jpegs) and image is None
            self.damaged = self._splitter.damaged + self._undecodable
            if image is not None:
                self._due_s = time.monotonic() + self._patience.picture_s
                self._damaged_before = self.damaged
                return image
        if time.monotonic() > self._due_s:
            raise FeedError("damaged" if self.damaged > self._damaged_before else "silent", **self.who)
        return None

    def fileno(self) -> int:
        """The descriptor that is read."""
        raise NotImplementedError

    def _ready(self, timeout_s: float) -> bool:
        return bool(select.select([self.fileno()], [], [], timeout_s)[0])

    def _receive(self, most: int) -> bytes:
        """Bytes that are there; FeedError when there will be no more."""
        raise NotImplementedError
