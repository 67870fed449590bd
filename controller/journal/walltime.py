"""Whether the wall clock is right: a Pi has no battery for its clock, and starts with whatever time it last knew."""

from __future__ import annotations

import ctypes
import struct
from pathlib import Path

TIMESYNC = Path("/run/systemd/timesync")
_TIMEX_BYTES = 256  # larger than any `struct timex`
_STATUS_AT = 40 if ctypes.sizeof(ctypes.c_long) == 8 else 20  # adjtimex(2): the fifth field, after padding
_UNSYNC = 0x0040  # STA_UNSYNC


def synchronised() -> bool | None:
    """What the kernel says, whoever sets the clock (chrony, ntpd, systemd-timesyncd); else systemd; None: unknown."""
    said = _kernel()
    return _systemd() if said is None else said


def _kernel() -> bool | None:
    """By adjtimex(2), asked and not set. None where there is none, or where it is forbidden."""
    timex = ctypes.create_string_buffer(_TIMEX_BYTES)  # modes = 0: nothing is changed
    try:
        if ctypes.CDLL(None).adjtimex(timex) < 0:
            return None
    except (OSError, AttributeError, TypeError):  # no such library, or no such call in it
        return None
    status: int = struct.unpack_from("=i", timex, _STATUS_AT)[0]
    return not status & _UNSYNC


def _systemd(folder: Path = TIMESYNC) -> bool | None:
    return (folder / "synchronized").exists() if folder.is_dir() else None
