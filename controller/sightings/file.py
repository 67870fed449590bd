"""`*.sightings`: one JSON object a line. A header, how the referee stood, its inputs, and a last line that counts them:

{"boardref": "sightings", "format": 1, "version": …, "game", "set", "language", …}
{"begin": {"game", "set", "options", "mode", "start", "timing", "belief", "state"}}     also where it begins anew
{"fresh": true}                                                     the next frame is told whole
{"t": 12.3, "f": 123, "game": …, "tokens": [0, 1, {"of": 2, "site": "c4"}], …}       what has changed
{"press": [t, player, button]}   {"command": [t, name, {…}]}   {"tick": t}
{"end": {"lines": 4711, "crc32": 123456789}}                        of all lines before it
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import IO, Any

from controller.referee.events import Input
from controller.referee.state import State
from controller.sightings.beginning import Beginning, beginning_from, beginning_told
from controller.sightings.coding import FRESH, Decoder, Encoder
from controller.sightings.errors import SightingLogError
from controller.sightings.ring import Piece
from controller.wholefile import sync_folder

ENDING = ".sightings"
FORMAT = 1
LONGEST_LINE = 4 * 1024 * 1024
MOST_BYTES = 512 * 1024 * 1024
_CHANGED = "it was changed or damaged after it was written"


@dataclass(frozen=True)
class Logged:
    """One input of the referee. `fault`: what went wrong when it was judged; `line`: where it stands, from 1."""

    given: Input
    fault: str | None
    line: int


class LogFile:
    """A sighting log that is being written; it has its name only once it is whole. Use as a context.

    Raises OSError where the disk won't have it; nothing is left behind then.
    """

    def __init__(self, path: Path, language: str = "en") -> None:
        self.path = path
        self._part = path.with_name(f"{path.name}.part")
        self._language = language
        self._out: IO[bytes] | None = None
        self._lines = self._crc = 0
        self._expected: State | None = None
        self._encoder = Encoder()

    def __enter__(self) -> LogFile:
        self._out = self._part.open("wb")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # A recording that was stopped by hand is whole as far as it goes.
        stopped = kind is not None and not issubclass(kind, Exception)
        if kind is None or (stopped and self._lines):
            self._finish()
        else:
            self._drop()

    def note(self, before: State, given: Input, after: State | None, fault: str | None = None) -> None:
        """As `SightingLog.note`."""
        if before is not self._expected:
            self._begin(before)
            self._put({FRESH: True})
            self._encoder = Encoder()
        self._write(self._encoder.line(given, fault).encode())
        self._expected = before if after is None else after

    def add(self, pieces: Sequence[Piece]) -> None:
        """What a table has kept."""
        for index, piece in enumerate(pieces):
            if index == 0 or not piece.joined:
                self._begin(piece.begin)
            for line in piece.text().splitlines():
                self._write(line)

    def _begin(self, state: State) -> None:
        told = beginning_told(state)
        if not self._lines:
            head = {"boardref": "sightings", "format": FORMAT, "version": metadata.version("boardref")}
            about = ("game", "set", "options", "mode", "timing")
            self._put(head | {"language": self._language} | {key: told[key] for key in about})
        self._put({"begin": told})

    def _put(self, told: Mapping[str, Any]) -> None:
        self._write(json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode())

    def _write(self, line: bytes) -> None:
        assert self._out is not None
        try:
            self._out.write(line + b"\n")
        except OSError:
            self._drop()
            raise
        self._crc = zlib.crc32(line + b"\n", self._crc)
        self._lines += 1

    def _finish(self) -> None:
        if not self._lines:
            self._drop()
            raise SightingLogError(f"{self.path} was not written: nothing has been seen yet")
        out = self._out
        assert out is not None
        try:
            self._put({"end": {"lines": self._lines, "crc32": self._crc}})
            out.flush()
            os.fsync(out.fileno())
            out.close()
            self._part.replace(self.path)
            sync_folder(self.path.parent)
        except OSError:
            self._drop()
            raise

    def _drop(self) -> None:
        if self._out is not None:
            with contextlib.suppress(OSError):  # closing writes what was held back, and there may be no room for it
                self._out.close()
        self._part.unlink(missing_ok=True)


class LogReader:
    """An opened sighting log. `header`; `fault`: what is wrong with the file as a whole, known before it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self.header = _header(path, file.readline(LONGEST_LINE))
            if path.stat().st_size > MOST_BYTES:
                raise SightingLogError(f"{path} is too long for a sighting log ({MOST_BYTES // 2**20} MB at most)")
            self.fault = self._checked()
        except OSError as error:
            raise SightingLogError(f"{path} can't be read ({error.strerror}); check the name") from None

    def _checked(self) -> str | None:
        crc = lines = 0
        with self.path.open("rb") as file:
            while line := file.readline(LONGEST_LINE):
                if line.startswith(b'{"end"'):
                    return None if _ends(line, lines, crc) and not file.read(1) else _CHANGED
                crc = zlib.crc32(line, crc)
                lines += 1
        return f"it breaks off after line {lines}"

    def entries(self) -> Iterator[Beginning | Logged]:
        """What is in it, in order. SightingLogError at the first line that can't be read; what came before counts."""
        decoder = Decoder()
        begun = False
        with self.path.open("rb") as file:
            file.readline(LONGEST_LINE)
            number = 1
            while line := file.readline(LONGEST_LINE):
                number += 1
                try:
                    told = _object(line)
                    if "end" in told:
                        return
                    if "begin" in told:
                        begun = True
                        yield beginning_from(_inner(told["begin"]))
                        continue
                    if not begun:
                        raise SightingLogError("it does not say how the referee stood")
                    given, fault = decoder.given(told)
                except SightingLogError as error:
                    said = f"line {number} of {self.path} can't be used ({error}); give a whole log"
                    raise SightingLogError(said) from None
                if given is not None:
                    yield Logged(given, fault, number)


def _ends(line: bytes, lines: int, crc32: int) -> bool:
    """Whether a last line fits the lines before it."""
    try:
        end = _inner(_object(line)["end"])
    except (SightingLogError, KeyError):
        return False
    return (end.get("lines"), end.get("crc32")) == (lines, crc32)


def _object(line: bytes) -> dict[str, Any]:
    try:
        return _inner(json.loads(line))
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError
        raise SightingLogError("it is no JSON") from None


def _inner(told: Any) -> dict[str, Any]:
    if not isinstance(told, dict):
        raise SightingLogError("it is no JSON object")
    return told


def _header(path: Path, line: bytes) -> dict[str, Any]:
    foreign = f"{path} is no sighting log of Boardref; give one that `boardref report` or `watch --sightings` wrote"
    try:
        told = _object(line)
    except SightingLogError:
        raise SightingLogError(foreign) from None
    if told.get("boardref") != "sightings" or not isinstance(told.get("format"), int):
        raise SightingLogError(foreign)
    if told["format"] > FORMAT:
        raise SightingLogError(
            f"{path} was written by a newer Boardref ({told.get('version')}: format {told['format']}, this one knows"
            f" {FORMAT}); update Boardref; nothing was changed"
        )
    return told
