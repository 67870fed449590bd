"""Finds pictures in whatever a table has written: by signature, as raw bytes, in archives, in databases, as text."""

from __future__ import annotations

import gzip
import io
import re
import shutil
import sqlite3
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

SQLITE = b"SQLite format 3\0"
SIGNATURES = {
    "JPEG": rb"\xff\xd8\xff[\xc0-\xfe]",
    "PNG": rb"\x89PNG\r\n\x1a\n",
    "GIF": rb"GIF8[79]a",
    "WebP": rb"RIFF....WEBP",
    "AVI": rb"RIFF....AVI ",
    "MP4, HEIC, AVIF": rb"\0\0\0.ftyp[\x20-\x7e]{4}",
    "Matroska, WebM": rb"\x1aE\xdf\xa3",
    "TIFF": rb"II\*\0|MM\0\*",
    "JPEG 2000": rb"\xff\x4f\xff\x51|jP  \r\n\x87\n",
    "NumPy": rb"\x93NUMPY",
    "PNM": rb"(?:^|\0)P[1-7][ \n]\d+[ \n]\d+",
    "QOI": rb"qoif\0",
}
AS_TEXT = {
    "base64": rb"[A-Za-z0-9+/_-]{400,}",
    "hex": rb"(?:[0-9a-fA-F]{2}[ ,:]?){400,}",
    "numbers": rb"(?:\d{1,3}(?:\.\d+)?[,;\s]+){400,}",
    "data URL": rb"data:image/",
}
WINDOW = 2048
"""Bytes that are looked at together: a grey picture of 64 x 32 points, and far less than any frame."""


def pictures_in(data: bytes, name: str = "it") -> Iterator[str]:
    """What of `data` is a picture, or may be one."""
    for kind, sign in SIGNATURES.items():
        if re.search(sign, data, re.S):
            yield f"{name}: the signature of {kind}"
    for at in re.finditer(rb"BM", data):  # two letters are no signature: size, reserved zeros and offset must fit
        padded = data[at.start() : at.start() + 18].ljust(18, b"\1")
        size, reserved, offset, header = struct.unpack_from("<IIII", padded, 2)
        if reserved == 0 and header in (12, 40, 108, 124) and 26 <= offset < size <= len(data) - at.start():
            yield f"{name}: the signature of BMP"
    if data.startswith(SQLITE):
        yield from _in_database(data, name)
    elif zipfile.is_zipfile(io.BytesIO(data)):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.namelist():
                yield from pictures_in(archive.read(member), f"{name}/{member}")
    elif (unpacked := _unpacked(data)) is not None:
        yield from pictures_in(unpacked, f"{name} (unpacked)")
    elif data.startswith((b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")):  # SQLite's log: pages of the database
        yield from _as_text(data, name)
    else:
        yield from _raw(data, name)
        yield from _as_text(data, name)


def pictures_under(folder: Path) -> list[str]:
    """The same of every file in a folder, hidden ones too; of a database with what its log adds to it."""
    found: list[str] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()):
        data, name = path.read_bytes(), str(path.relative_to(folder))
        found += pictures_in(data, name)
        log = path.with_name(f"{path.name}-wal")
        if data.startswith(SQLITE) and log.exists():
            with tempfile.TemporaryDirectory() as place:
                for file in (path, log):
                    shutil.copy(file, place)
                database = sqlite3.connect(Path(place) / path.name)
                found += _values(database, name)
                database.close()
    return found


def _as_text(data: bytes, name: str) -> Iterator[str]:
    for kind, sign in AS_TEXT.items():
        if re.search(sign, data):
            yield f"{name}: so much {kind} that it may be a picture"


def _raw(data: bytes, name: str) -> Iterator[str]:
    """Bytes that are no text: points of a picture without a header."""
    for start in range(0, len(data) - WINDOW + 1, WINDOW // 2):
        part = data[start : start + WINDOW]
        letters = sum(byte in b"\t\n\r" or 32 <= byte < 127 for byte in part)
        if letters < WINDOW * 0.8 and part.count(0) < WINDOW * 0.8:
            yield f"{name}: {WINDOW} bytes from {start} that are no text"
            return


def _unpacked(data: bytes) -> bytes | None:
    try:
        return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else zlib.decompress(data)
    except (OSError, EOFError, zlib.error):
        return None


def _in_database(data: bytes, name: str) -> Iterator[str]:
    """Every value of every table; what lies in its free pages is found by signature."""
    database = sqlite3.connect(":memory:")
    try:
        database.deserialize(data[:18] + b"\1\1" + data[20:])  # as a file without a log: there is none in memory
        yield from _values(database, name)
    finally:
        database.close()


def _values(database: sqlite3.Connection, name: str) -> Iterator[str]:
    for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for row in database.execute(f'SELECT * FROM "{table}"'):
            for value in row:
                if isinstance(value, bytes):
                    yield f"{name}: bytes in the table {table}"
                elif isinstance(value, str):
                    yield from _as_text(value.encode(), f"{name}: the table {table}")
