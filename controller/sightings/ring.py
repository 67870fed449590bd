"""The last ten minutes of one table's inputs, in memory: changes only, packed, bounded; no images.

Kept in pieces of at most half a minute. Each piece knows how the referee stood at its beginning, so that the oldest
can be dropped and the log still begins with a belief.
"""

from __future__ import annotations

import threading
import zlib
from dataclasses import dataclass, replace
from typing import Protocol

from controller.referee.events import Input
from controller.referee.state import State
from controller.sightings.coding import FRESH, Encoder

KEEP_S = 600.0
PIECE_S, PIECE_BYTES = 30.0, 64 * 1024  # packing a piece takes a few milliseconds
MOST_BYTES = 8 * 1024 * 1024  # a table where hands never rest; then fewer minutes are kept
_FRESH_LINE = f'{{"{FRESH}":true}}\n'.encode()


class Notes(Protocol):
    """Whatever keeps the referee's inputs."""

    def note(self, before: State, given: Input, after: State | None, fault: str | None = None) -> None: ...


@dataclass(frozen=True)
class Piece:
    """Inputs in a row. `begin`: the state before the first; `joined`: it is the one that the piece before led to."""

    begin: State
    joined: bool
    packed: bytes
    from_s: float
    until_s: float
    inputs: int

    def text(self) -> bytes:
        """The lines."""
        return zlib.decompress(self.packed)


class SightingLog:
    """What a table's referee was given last. `note` is called by one thread, everything else by any."""

    def __init__(self, keep_s: float = KEEP_S, most_bytes: int = MOST_BYTES) -> None:
        self._keep_s = keep_s
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._closed: list[Piece] = []
        self._bytes = 0
        self._open: _Open | None = None
        self._expected: State | None = None

    def note(self, before: State, given: Input, after: State | None, fault: str | None = None) -> None:
        """One input, the state before it and after it (None: it could not be judged, the `fault` says why)."""
        with self._lock:
            joined = before is self._expected
            piece = self._open
            if piece is None or not joined or piece.full(given.t_s):
                self._close()
                piece = self._open = _Open(replace(before, memo=None), joined, given.t_s)
            piece.add(given, fault)
            self._expected = before if after is None else after
            self._drop(given.t_s)

    def pieces(self) -> tuple[Piece, ...]:
        """All that is kept, oldest first."""
        with self._lock:
            return (*self._closed, *([self._open.closed()] if self._open is not None else []))

    @property
    def held_bytes(self) -> int:
        """How much text is held, packed, and unpacked of the newest piece."""
        with self._lock:
            return self._bytes + (len(self._open.lines) if self._open is not None else 0)

    def _close(self) -> None:
        if self._open is not None:
            piece = self._open.closed()
            self._closed.append(piece)
            self._bytes += len(piece.packed)
            self._open = None

    def _drop(self, now_s: float) -> None:
        """Forget the oldest pieces that nobody needs, or that are too much."""
        while self._closed:
            after_s = self._closed[1].from_s if len(self._closed) > 1 else self._open.from_s if self._open else now_s
            if now_s - after_s < self._keep_s and self._bytes <= self._most_bytes:
                return
            self._bytes -= len(self._closed.pop(0).packed)


class _Open:
    """The piece that is being written."""

    def __init__(self, begin: State, joined: bool, from_s: float) -> None:
        self.begin, self.joined = begin, joined
        self.from_s = self.until_s = from_s
        self.inputs = 0
        self.lines = bytearray(_FRESH_LINE)
        self._encoder = Encoder()

    def full(self, t_s: float) -> bool:
        return t_s - self.from_s >= PIECE_S or len(self.lines) >= PIECE_BYTES

    def add(self, given: Input, fault: str | None) -> None:
        self.lines += self._encoder.line(given, fault).encode()
        self.lines += b"\n"
        self.until_s = given.t_s
        self.inputs += 1

    def closed(self) -> Piece:
        packed = zlib.compress(bytes(self.lines), 1)
        return Piece(self.begin, self.joined, packed, self.from_s, self.until_s, self.inputs)
