"""What a power cut leaves on a disk: the shim's record of a process, and every state a cut could have made of it.

The disk of the model is as bad as a disk may be that keeps its promises: what was synced is there; of what was not,
each write may be there, or be missing, or be there in some of its 512-byte sectors, in any order, whatever came after
it; a file that has grown may hold zeros; a name that was made, moved or taken away since its folder was last synced
may be so or not, each on its own. (A name synced with its folder stays, whatever becomes of the file's contents.)
"""

from __future__ import annotations

import os
import random
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SECTOR = 512
_HEAD = struct.Struct("=cIQII")


@dataclass(frozen=True)
class Call:
    """One call. `op`: c create, o open, w write, t truncate, s sync, d sync a folder, r rename, l link, u unlink."""

    op: str
    id: int
    offset: int
    one: bytes
    two: bytes


def build_shim(folder: Path) -> Path:
    """The shim, built with the system's compiler."""
    shim, source = folder / "cut.so", Path(__file__).with_name("cut.c")
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", shim, source],
        check=True, capture_output=True,
    )  # fmt: skip
    return shim


def shimmed(shim: Path, root: Path, log: Path, **more: str) -> dict[str, str]:
    """The environment of a process that is watched. `more`: BOARDREF_CUT_... without its beginning."""
    told = {f"BOARDREF_CUT_{name}": value for name, value in more.items()}
    return {**os.environ, "LD_PRELOAD": str(shim), "BOARDREF_CUT_ROOT": str(root.resolve()),
            "BOARDREF_CUT_LOG": str(log), **told}  # fmt: skip


def watch(shim: Path, root: Path, program: str, *arguments: str) -> list[Call]:
    """Run a Python program that writes below `root`; every call it made there."""
    log = root.parent / f"{root.name}.calls"
    subprocess.run([sys.executable, "-c", program, *arguments], env=shimmed(shim, root, log), check=True)
    return list(calls(log))


def calls(log: Path) -> Iterator[Call]:
    """The calls in a shim's log."""
    data, at = log.read_bytes(), 0
    while at < len(data):
        op, number, offset, n, m = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        yield Call(op.decode(), number, offset, data[at : at + n], data[at + n : at + n + m])
        at += n + m


@dataclass
class _File:
    safe: bytes = b""
    loose: list[tuple[int, bytes] | int] = field(default_factory=list)  # writes, and lengths cut to

    def now(self) -> bytes:
        return _applied(self.safe, self.loose)

    def left(self, chance: random.Random, mood: float) -> bytes:
        """The contents after a cut; `mood`: how much of what was not synced has reached the disk."""
        some: list[tuple[int, bytes] | int] = []
        for change in self.loose:
            draw = chance.random()
            if isinstance(change, int):
                some += [change] if draw < mood else []
            elif draw < mood * 0.7:
                some.append(change)
            elif draw < mood:
                some += [part for part in _sectors(*change) if chance.random() < 0.5]
        if chance.random() < 0.5:
            chance.shuffle(some)  # what was written twice may keep the older contents
        return _applied(self.safe, some)


def _folder(name: str) -> str:
    return name.rpartition("/")[0]


def _sectors(offset: int, data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(data):
        n = min(SECTOR - (offset + at) % SECTOR, len(data) - at)
        yield offset + at, data[at : at + n]
        at += n


def _applied(safe: bytes, changes: Sequence[tuple[int, bytes] | int]) -> bytes:
    contents = bytearray(safe)
    for change in changes:
        if isinstance(change, int):
            del contents[change:]
            contents += bytes(change - len(contents))
        else:
            offset, data = change
            contents += bytes(max(0, offset - len(contents)))
            contents[offset : offset + len(data)] = data
    return bytes(contents)


class Disk:
    """A folder on a disk, call by call."""

    def __init__(self) -> None:
        self.files: dict[int, _File] = {}
        self.names: dict[str, int] = {}  # as the process sees them
        self.safe: dict[str, int] = {}  # as they were when the folder was last synced
        self.loose: list[tuple[str, int | None]] = []  # name -> file, or gone, since then

    def take(self, call: Call) -> None:
        """One more call."""
        file = self.files.setdefault(call.id, _File())
        one, two = call.one.decode("utf-8", "replace"), call.two.decode("utf-8", "replace")
        if call.op == "c":
            self._name(one, call.id)
        elif call.op == "w":
            file.loose.append((call.offset, call.one))
        elif call.op == "t":
            file.loose.append(call.offset)
        elif call.op == "s":
            file.safe, file.loose = file.now(), []
        elif call.op == "d":
            kept = [change for change in self.loose if _folder(change[0]) != one]
            self.safe = {name: n for name, n in self.safe.items() if _folder(name) != one}
            self.safe |= {name: n for name, n in self.names.items() if _folder(name) == one}
            self.loose = kept
        elif call.op == "r":
            self._name(two, self.names[one])
            self._name(one, None)
        elif call.op == "l":
            self._name(two, self.names[one])
        elif call.op == "u":
            self._name(one, None)

    def _name(self, name: str, number: int | None) -> None:
        self.loose.append((name, number))
        if number is None:
            self.names.pop(name, None)
        else:
            self.names[name] = number

    def cut(self, chance: random.Random) -> dict[str, bytes]:
        """What may be there after the power has gone now."""
        mood = chance.choice((0.0, 0.2, 0.5, 0.8, 1.0))
        names: dict[str, int | None] = dict(self.safe)
        for name, number in self.loose:
            if chance.random() < mood:
                names[name] = number
        contents = {number: file.left(chance, mood) for number, file in sorted(self.files.items())}
        return {name: contents[number] for name, number in sorted(names.items()) if number is not None}


def lay_out(state: Mapping[str, bytes], folder: Path) -> None:
    """Put the files of a state into an empty folder."""
    for name, contents in state.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
