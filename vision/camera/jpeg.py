"""JPEG pictures in a stream of bytes: where each begins and ends, and whether it is whole.

The decoders fill what is missing of a damaged picture with grey and say nothing; it must not be judged.
"""

from __future__ import annotations

import re

import numpy as np

from vision.camera.frame import Image
from vision.decoding import decode

LARGEST_BYTES = 16_000_000
_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
_LONGEST_SEGMENT = 2_000
_RESTARTS = range(0xD0, 0xD8)
_MARKER_IN_DATA = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)


class Splitter:
    """Cuts bytes into whole JPEGs, whatever stands between them. `damaged`: pictures that broke off."""

    def __init__(self) -> None:
        self.damaged = 0
        self._data = bytearray()
        self._open = False  # the data begin with a picture
        self._at = 0  # the next marker, or coded data not yet looked at
        self._coded = False

    def feed(self, chunk: bytes) -> list[bytes]:
        """The pictures that these bytes complete."""
        self._data += chunk
        whole: list[bytes] = []
        while self._step(whole):
            pass
        if len(self._data) > LARGEST_BYTES:
            self._restart(len(self._data))
        return whole

    def _step(self, whole: list[bytes]) -> bool:
        """Go on by one marker; False when more bytes are needed."""
        data = self._data
        if not self._open:
            begin = data.find(b"\xff\xd8\xff")
            del data[: begin if begin >= 0 else max(0, len(data) - 2)]
            self._open, self._at, self._coded = begin >= 0, 2, False
            return self._open
        if self._coded:
            found = _MARKER_IN_DATA.search(data, self._at)
            if found is None:
                self._at = max(self._at, len(data) - 1)
                return False
            self._at, self._coded = found.start(), False
        if len(data) < self._at + 2:
            return False
        if data[self._at] != 0xFF:
            self._restart(2)
            return True
        marker = data[self._at + 1]
        if marker == 0xFF:
            self._at += 1
        elif marker == _EOI:
            whole.append(bytes(data[: self._at + 2]))
            del data[: self._at + 2]
            self._open = False
        elif marker == _SOI:
            self._restart(self._at)
        elif marker in _RESTARTS or marker == 0x01:
            self._at += 2
        else:
            if len(data) < self._at + 4:
                return False
            length = int.from_bytes(data[self._at + 2 : self._at + 4], "big")
            foreign = 0xE0 <= marker <= 0xEF or marker == 0xFE  # only what isn't JPEG's own may be long
            if marker < 0xC0 or not 2 <= length <= (65_535 if foreign else _LONGEST_SEGMENT):
                self._restart(2)
                return True
            self._at += 2 + length
            self._coded = marker == _SOS
        return True

    def _restart(self, after: int) -> None:
        self.damaged += 1
        del self._data[:after]
        self._open = False


class Decoder:
    """The pictures of one camera, whole ones only.

    A camera that never sends a picture without a fault has that as its way, and is believed in the end.
    """

    _BELIEVED = 10

    def __init__(self) -> None:
        self._in_a_row = 0
        self._wholeness = Wholeness()

    def decode(self, jpeg: bytes) -> Image | None:
        """A picture as BGR (h, w, 3), or None for one that is none, or not whole."""
        image, damage = decode(jpeg)
        if image is None:
            return None
        self._in_a_row = self._in_a_row + 1 if damage else 0
        believed = self._in_a_row == 0 or self._in_a_row > self._BELIEVED
        return image if self._wholeness.fits(image) and believed else None


class Wholeness:
    """Tells pictures whose end the decoder had to fill in: what it had no data for is 128 grey to the last bit.

    A scene that really looks so goes on looking so, and is believed from the third picture on.
    """

    _BELIEVED = 3

    def __init__(self) -> None:
        self._in_a_row = 0

    def fits(self, image: Image) -> bool:
        """Whether a picture (h, w, 3) can be whole."""
        self._in_a_row = self._in_a_row + 1 if np.all(image[-4:, -8:] == 128) else 0
        return not 0 < self._in_a_row < self._BELIEVED
