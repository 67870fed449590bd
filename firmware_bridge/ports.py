"""Which serial port the lights are on: looked up anew at every attempt, for a replugged device gets another name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from serial.tools import list_ports

from firmware_bridge.errors import SpecError

Find = Callable[[], str | Sequence[str] | None]


@dataclass(frozen=True)
class Port:
    """One USB serial port: its path now, USB ids in hexadecimal, serial number, and what it calls itself.

    `place`: the socket it is plugged into, as the kernel counts them (`1-1.4`), the same after a replug there.
    """

    path: str
    vid: str
    pid: str
    serial: str
    name: str
    place: str = ""

    @property
    def identity(self) -> str:
        """What stays the same when it is plugged in elsewhere: `vid:pid:serial` (serial may be empty)."""
        return f"{self.vid}:{self.pid}:{self.serial}"

    @property
    def spec(self) -> str:
        """What to write into the settings to mean this device: without a serial number its socket must tell."""
        at = f"@{self.place}" if self.place and not self.serial else ""
        return f"usb:{self.identity.rstrip(':')}{at}"


def usb_ports() -> tuple[Port, ...]:
    """The USB serial ports that are plugged in, by path. The machine's own UARTs are never among them."""
    return tuple(
        Port(
            port.device,
            f"{port.vid:04x}",
            f"{port.pid:04x}",
            port.serial_number or "",
            port.description or "",
            (port.location or "").partition(":")[0],
        )
        for port in sorted(list_ports.comports(), key=lambda port: str(port.device))
        if port.vid is not None and port.pid is not None
    )


def spec_of(path: str) -> str | None:
    """What names the device on `path` for good, None where it is no USB serial port."""
    return next((port.spec for port in usb_ports() if port.path == path), None)


def usb_serial_port() -> tuple[str, ...]:
    """Every USB serial port, to be tried in turn: the one that answers the handshake is ours."""
    return tuple(port.path for port in usb_ports())


def finder(spec: str) -> Find:
    """The look-up for `auto`, `usb:VID:PID[:SERIAL][@PLACE]` or a path. Raises SpecError for a spec that is none.

    Cheap adapters all have one identity and no serial number: two of them differ by their place only.
    """
    if spec == "auto":
        return usb_serial_port
    if spec.startswith("usb:"):
        ids, _, place = spec[4:].partition("@")
        wanted = ids.lower().split(":", 2)
        if len(wanted) < 2 or not all(len(part) == 4 for part in wanted[:2]):
            raise SpecError(f"{spec} is not usb:VID:PID[:SERIAL][@PLACE]; `boardref lights list` prints them")
        return lambda: tuple(
            port.path
            for port in usb_ports()
            if port.identity.lower().split(":", 2)[: len(wanted)] == wanted and place in ("", port.place)
        )
    return lambda: spec if Path(spec).exists() else None


def holder(path: str) -> str | None:
    """Which other program holds `path`, as far as this user may see: "NAME (process N)", else None."""
    try:
        target = os.stat(path)
        processes = [entry for entry in os.listdir("/proc") if entry.isdigit()]
    except OSError:
        return None
    for process in processes:
        try:
            opened = [entry.stat() for entry in Path(f"/proc/{process}/fd").iterdir() if entry.exists()]
            name = Path(f"/proc/{process}/comm").read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            continue  # it ended meanwhile, or belongs to somebody else
        if int(process) != os.getpid() and any(os.path.samestat(target, entry) for entry in opened):
            return f"{name} (process {process})"
    return None
