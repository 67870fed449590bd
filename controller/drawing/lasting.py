"""How long each picture of an MP4 is shown: the file as OpenCV writes it gives every picture the same time.

Written afterwards, a picture at rest has to be compressed once and not twenty times a second. Boxes: ISO/IEC 14496-12.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

SCALE = 1000  # units a second
_PARENTS = (b"moov", b"trak", b"edts", b"mdia", b"minf", b"stbl")
_LEAST = {b"mvhd": 20, b"tkhd": 24, b"mdhd": 20, b"elst": 20, b"stts": 8, b"stsz": 12}


class Strange(ValueError):
    """The file is not laid out as it is known here."""


def show_for(path: Path, seconds: Sequence[float]) -> None:
    """Let picture i of the film be shown for `seconds[i]`. Strange, with nothing changed, for another kind of file."""
    data = path.read_bytes()
    top = list(_boxes(data))
    if [kind for kind, _ in top][-2:] != [b"mdat", b"moov"]:  # then nothing that is counted from the start moves
        raise Strange("the index does not stand at the end")
    ends = [round(SCALE * sum(seconds[: i + 1])) for i in range(len(seconds))]
    lasting = [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
    index = top[-1][1]
    if _samples(index) != len(lasting):
        raise Strange("it has another number of pictures")
    with path.open("r+b") as file:
        file.seek(len(data) - len(index) - 8)
        file.write(_box(b"moov", _rewritten(index, lasting)))
        file.truncate()


def _boxes(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at < len(data):
        if at + 8 > len(data):
            raise Strange("a box is cut off")
        size, kind = struct.unpack_from(">I4s", data, at)
        if size < 8 or at + size > len(data):
            raise Strange("a box has no plain size")
        yield kind, data[at + 8 : at + size]
        at += size


def _box(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(body), kind) + body


def _samples(body: bytes) -> int:
    """How many pictures the index names; there is one track."""
    counts = []

    def walk(body: bytes) -> None:
        for kind, inner in _boxes(body):
            if kind in _LEAST and (len(inner) < _LEAST[kind] or inner[0]):
                raise Strange("it is of a newer version")
            if kind == b"ctts":
                raise Strange("its pictures are not in order")
            if kind == b"stsz":
                counts.append(struct.unpack_from(">I", inner, 8)[0])
            if kind in _PARENTS:
                walk(inner)

    walk(body)
    if len(counts) != 1:
        raise Strange("it has not one track")
    return int(counts[0])


def _rewritten(body: bytes, lasting: Sequence[int]) -> bytes:
    """The index with the new times: those of the pictures, and of the whole wherever it stands."""
    whole = sum(lasting)

    def header(at: int) -> Callable[[bytes], bytes]:
        """Scale and duration stand side by side."""
        return lambda inner: inner[:at] + struct.pack(">II", SCALE, whole) + inner[at + 8 :]

    def times(inner: bytes) -> bytes:
        runs = [(len(list(run)), each) for each, run in groupby(lasting)]
        return inner[:4] + struct.pack(">I", len(runs)) + b"".join(struct.pack(">II", *run) for run in runs)

    changes: dict[bytes, Callable[[bytes], bytes]] = {
        b"mvhd": header(12),
        b"mdhd": header(12),
        b"tkhd": lambda inner: inner[:20] + struct.pack(">I", whole) + inner[24:],
        b"elst": lambda inner: inner[:4] + struct.pack(">IIiI", 1, whole, 0, 1 << 16),  # all of it, from the beginning
        b"stts": times,
    }

    def told(body: bytes) -> bytes:
        parts = []
        for kind, inner in _boxes(body):
            if kind in changes:
                inner = changes[kind](inner)
            elif kind in _PARENTS:
                inner = told(inner)
            parts.append(_box(kind, inner))
        return b"".join(parts)

    return told(body)
