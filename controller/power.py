"""What a Raspberry Pi says of its supply and its heat, as the bits of `vcgencmd get_throttled`."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

SOC = Path("/sys/devices/platform/soc")
HWMON = Path("/sys/class/hwmon")
ASK_S = 2.0

UNDER_VOLTAGE, SLOWED, THROTTLED, TOO_HOT = 1 << 0, 1 << 1, 1 << 2, 1 << 3
SINCE_BOOT = 16
"""How far the same bits stand to the left for "at some time since the machine was started"."""


def throttled(soc: Path = SOC, hwmon: Path = HWMON) -> int | None:
    """The bits; None on other machines, and where nobody may ask.

    The firmware's file knows all of them, as does `vcgencmd`; the kernel's voltage sensor only UNDER_VOLTAGE.
    """
    try:
        return int((soc / "soc:firmware" / "get_throttled").read_text(encoding="ascii").strip(), 16)
    except (OSError, ValueError):
        pass
    said = _vcgencmd()
    return _sensor(hwmon) if said is None else said


def _vcgencmd() -> int | None:
    program = shutil.which("vcgencmd")
    if program is None:
        return None
    try:
        told = subprocess.run([program, "get_throttled"], capture_output=True, timeout=ASK_S, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(rb"throttled=0x([0-9a-fA-F]+)", told)
    return int(found[1], 16) if found else None


def _sensor(hwmon: Path) -> int | None:
    """rpi_volt(4): an alarm that is on while the voltage is too low."""
    try:
        folders = sorted(hwmon.iterdir())
    except OSError:
        return None
    for folder in folders:
        try:
            if (folder / "name").read_text(encoding="ascii").strip() == "rpi_volt":
                return UNDER_VOLTAGE if int((folder / "in0_lcrit_alarm").read_text(encoding="ascii")) else 0
        except (OSError, ValueError):
            continue
    return None
