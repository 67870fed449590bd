"""A compressed picture decoded, and what the decoder complained of: it fills what is missing and only grumbles.

libjpeg tells of damage by one line on the C library's stderr and hands the picture out as good. While a picture is
decoded that stream leads to a pipe of ours: damage is known, and nothing is printed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import re
import threading
from collections.abc import Iterator

import cv2
import numpy as np
import numpy.typing as npt

_SAYS = 4096
_SURPLUS = re.compile(r"(\d+) extraneous bytes")
_FEW = 4
"""Surplus bytes up to here are some cameras' own carelessness; the picture before them is whole."""


class _Ears:
    """The C library's stderr, led into a pipe while somebody listens. Where that can't be done nothing is heard."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._stream: ctypes.c_void_p | None = None
        if platform.libc_ver()[0] != "glibc":  # elsewhere the variable may be constant
            return
        library = ctypes.CDLL(None)
        library.fdopen.restype = ctypes.c_void_p
        library.fdopen.argtypes = [ctypes.c_int, ctypes.c_char_p]
        library.setvbuf.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_size_t]
        self._heard, other_end = os.pipe()
        os.set_blocking(self._heard, False)
        os.set_blocking(other_end, False)
        self._ours = library.fdopen(other_end, b"w")  # never closed: a thread may still be writing to it
        library.setvbuf(self._ours, None, 2, 0)
        self._stream = ctypes.c_void_p.in_dll(library, "stderr")

    @contextlib.contextmanager
    def listening(self) -> Iterator[list[str]]:
        """While this lasts; what was said is in the list afterwards."""
        said: list[str] = []
        if self._stream is None:
            yield said
            return
        with self._guard:
            theirs, self._stream.value = self._stream.value, self._ours
            try:
                yield said
            finally:
                self._stream.value = theirs
                with contextlib.suppress(BlockingIOError):
                    said.append(os.read(self._heard, _SAYS).decode("utf-8", "replace").strip())


_ears = _Ears()


def decode(data: bytes) -> tuple[npt.NDArray[np.uint8] | None, str]:
    """A JPEG or PNG as BGR (h, w, 3), or None for what is none; and how it is damaged, "" where it isn't."""
    if not data:
        return None, ""
    with _ears.listening() as said:
        try:
            image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        except cv2.error:
            image = None
    if image is None:
        return None, ""
    told = next((line for line in "\n".join(said).splitlines() if line.startswith("Corrupt")), "")
    surplus = _SURPLUS.search(told)
    if surplus is not None and int(surplus[1]) <= _FEW:
        told = ""
    return np.asarray(image, np.uint8), told


def cut_short(data: bytes) -> bool:
    """Whether a JPEG or PNG ends before its end mark."""
    if data[:2] == b"\xff\xd8":
        return b"\xff\xd9" not in data[-4096:]
    return data[:4] == b"\x89PNG" and b"IEND" not in data[-64:]
