"""What libcamera says of each picture, and the settings that keep it so: for the command and for the library."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vision.camera.controls import Lock, Why

SIZE = (1280, 720)
FPS = 15
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_SETTLING = Why("settling")
_UNSAID = Why("unsaid")


def numbers(value: Any) -> tuple[float, ...]:
    """The numbers in a metadata value: `9988`, `[ 1.5, 1.9 ]`, (1.5, 1.9)."""
    if isinstance(value, str):
        return tuple(float(found) for found in _NUMBER.findall(value))
    if isinstance(value, Sequence):
        return tuple(float(part) for part in value)
    return (float(value),)


@dataclass(frozen=True)
class PiSettings:
    """Exposure in microseconds, analogue gain, red and blue gain, lens position in dioptres (None: fixed lens)."""

    exposure_us: int
    gain: float
    colour_gains: tuple[float, float]
    lens: float | None

    @classmethod
    def of(cls, metadata: Mapping[str, Any]) -> PiSettings | None:
        """From the metadata of one picture; None where they don't say enough."""
        try:
            red, blue = numbers(metadata["ColourGains"])[:2]
            exposure, gain = numbers(metadata["ExposureTime"])[0], numbers(metadata["AnalogueGain"])[0]
            lens = numbers(metadata["LensPosition"])[0] if "LensPosition" in metadata else None
        except (KeyError, IndexError, ValueError, TypeError):
            return None
        return cls(round(exposure), gain, (red, blue), lens)

    def arguments(self) -> list[str]:
        """For `rpicam-vid`."""
        red, blue = self.colour_gains
        held = ["--shutter", str(self.exposure_us), "--gain", f"{self.gain:.4f}", "--awbgains", f"{red:.4f},{blue:.4f}"]
        if self.lens is not None:
            held += ["--autofocus-mode", "manual", "--lens-position", f"{self.lens:.4f}"]
        return held

    def controls(self) -> dict[str, Any]:
        """For libcamera itself. Fixed colour gains are what really ends the automatic white balance."""
        held: dict[str, Any] = {
            "AeEnable": False,
            "ExposureTime": self.exposure_us,
            "AnalogueGain": self.gain,
            "AwbEnable": False,
            "ColourGains": self.colour_gains,
        }
        if self.lens is not None:
            held |= {"AfMode": 0, "LensPosition": self.lens}
        return held

    def against(self, metadata: Mapping[str, Any]) -> Lock:
        """Which of them a later picture was really taken with. Sensors round to lines and steps: 3 % is the same."""
        now = PiSettings.of(metadata)
        if now is None:
            return Lock(loose=dict.fromkeys(("exposure", "gain", "white_balance"), _UNSAID))
        pairs: dict[str, tuple[tuple[float, ...], tuple[float, ...], str]] = {
            "exposure": ((self.exposure_us,), (now.exposure_us,), f"{now.exposure_us} us"),
            "gain": ((self.gain,), (now.gain,), f"{now.gain:.2f}"),
            "white_balance": (self.colour_gains, now.colour_gains, "{:.2f} {:.2f}".format(*now.colour_gains)),
        }
        if self.lens is not None:
            pairs["focus"] = ((self.lens,), (now.lens if now.lens is not None else -1.0,), f"{now.lens or 0:.2f}")
        locked, loose = {}, {}
        for name, (wanted, found, text) in pairs.items():
            near = all(abs(a - b) <= 0.03 * abs(a) + 0.01 for a, b in zip(wanted, found, strict=True))
            if near:
                locked[name] = text
            else:
                loose[name] = Why("stays", value=text)
        return Lock(locked, loose)


class PiControls:
    """The Pi camera's settings, held over restarts. `mains_hz`: 50 or 60."""

    def __init__(self, mains_hz: int) -> None:
        self.mains_hz = mains_hz
        self.says = True  # whether the camera tells its settings at all
        self.mains_set = True
        self._guard = threading.Lock()
        self._wanted: PiSettings | None = None
        self._asked = False
        self._latest: Mapping[str, Any] = {}
        self._held: Lock | None = None

    @property
    def wanted(self) -> PiSettings | None:
        """What must be held; None: nothing."""
        return self._wanted

    @property
    def flicker_us(self) -> int:
        """The period in which the lamps' light comes and goes."""
        return round(1e6 / self.mains_hz / 2)

    def lock(self) -> Lock:
        """Hold the camera as it was for the newest picture."""
        with self._guard:
            self._asked = True
            self._wanted = PiSettings.of(self._latest)
            names = ("exposure", "gain", "white_balance")
            self._held = Lock(loose=dict.fromkeys(names, _SETTLING if self._wanted else _UNSAID))
            return self._held

    def release(self) -> None:
        """Let it adjust itself again."""
        with self._guard:
            self._asked, self._wanted, self._held = False, None, None

    def held(self) -> Lock | None:
        """What the newest picture was taken with; None while nothing is to be held."""
        return self._held

    def told(self, metadata: Mapping[str, Any], applied: PiSettings | None) -> None:
        """The settings with which a picture was taken by a camera that was given `applied`."""
        with self._guard:
            self._latest = dict(metadata)
            if not self._asked:
                return
            if self._wanted is None:
                self._wanted = PiSettings.of(metadata)
            elif self._wanted is applied:
                lock = self._wanted.against(metadata)
                mains = {"mains": f"{self.mains_hz} Hz"} if self.mains_set else {}
                unset = {} if self.mains_set else {"mains": Why("too_old")}
                self._held = Lock({**lock.locked, **mains}, {**lock.loose, **unset})
