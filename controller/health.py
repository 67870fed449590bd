"""Named checks of a table and of the machine it runs on: level, since when, and what to do.

Every check is a pure reading of files and states; what can't be read is left out rather than guessed.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any, Literal, Protocol

from controller.canary import Canary
from controller.journal.walltime import synchronised
from controller.power import SINCE_BOOT, THROTTLED, UNDER_VOLTAGE, throttled
from controller.supervision import camera_said
from controller.words import decimal, fault_rest, fault_sentence, link_sentence, record_sentence, say_health
from controller.words.catalogue import catalogue

Level = Literal["ok", "warning", "problem"]
LEVELS: tuple[Level, ...] = ("ok", "warning", "problem")

LOW_DISK_MB, FULL_DISK_MB = 1000, 200
LOW_MEMORY_MB = 300
HOT_C = 80.0
LOW_LIGHTS_MV = 4100
"""A 5 V controller measures itself against a reference that is 10 % off at worst: this is below 4.6 V for sure."""

STALE_S = 5.0
"""Age of the last judged picture from which the table isn't working."""


@dataclass(frozen=True)
class Check:
    """One thing that can be well or not. `since`: seconds of the wall clock, where known; `hint`: what to do.

    `key`, `advice` and `facts` say it in any language (`health.KEY` in the catalogue); empty where it is said already.
    """

    name: str
    level: Level
    said: str
    hint: str = ""
    since: float | None = None
    key: str = ""
    advice: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, level: Level, key: str, advice: str = "", **facts: object) -> Check:
        """A check whose sentences stand in the catalogue, in English for now."""
        told = {fact: str(value) for fact, value in facts.items()}
        return cls(name, level, "", key=key, advice=advice, facts=told).into("en")

    def into(self, language: str) -> Check:
        """The same in a language."""
        if not self.key:
            return self
        said = say_health(self.key, self.facts, language)
        return replace(self, said=said, hint=say_health(self.advice, self.facts, language) if self.advice else "")

    def as_json(self) -> dict[str, Any]:
        """For `--json` and the API."""
        return {name: getattr(self, name) for name in ("name", "level", "said", "hint", "since")}


class TableState(Protocol):
    """What is asked of a running table. `age_s`: since the newest judged frame (inf before the first)."""

    @property
    def age_s(self) -> float: ...
    @property
    def camera(self) -> Mapping[str, Any]: ...
    @property
    def link(self) -> Mapping[str, Any]: ...
    @property
    def journal(self) -> Mapping[str, Any]: ...
    @property
    def fault(self) -> Mapping[str, Any] | None: ...


def worst(checks: Iterable[Check]) -> Level:
    """The worst level among checks; ok for none."""
    return max((check.level for check in checks), key=LEVELS.index, default="ok")


def table_checks(state: TableState, language: str = "en") -> tuple[Check, ...]:
    """Of a running table: camera, pictures, lights, record; of one that can't start: why, and its lights."""
    texts = catalogue(language)
    if fault := state.fault:
        said = fault_sentence(fault["code"], fault["facts"], language)
        return (
            Check("settings", "problem", said, fault_rest(language)[0], fault.get("since")),
            _lights(state.link, language),
        )
    camera = state.camera
    good = camera.get("state") == "ok"
    seen = str(camera.get("sentence") or "") if language == "en" else camera_said(camera, language)
    level: Level = "ok" if good else "warning" if camera.get("state") == "starting" else "problem"
    hint = "" if good else texts["health.camera.hint"]
    camera_check = Check("camera", level, seen or texts["health.camera.ok"], hint, camera.get("since"))
    if good and state.age_s > STALE_S:
        never = state.age_s == float("inf")
        said = texts["health.pictures.none"] if never else texts["health.pictures.old"].format(s=f"{state.age_s:.0f}")
        pictures = Check("pictures", "problem", said, texts["health.pictures.hint"])
    else:
        pictures = Check("pictures", "ok", texts["health.pictures.ok"])
    return camera_check, pictures, _lights(state.link, language), _kept(state.journal, language)


def _kept(journal: Mapping[str, Any], language: str) -> Check:
    texts = catalogue(language)
    told = record_sentence(journal["parts"], language) if journal.get("parts") else str(journal.get("sentence") or "")
    if journal.get("state") == "ok" and not told:
        return Check("record", "ok", texts["health.record.ok"])
    level: Level = "problem" if journal.get("state") == "failing" else "warning"
    return Check("record", level, told or texts["health.record.none"], texts["health.record.hint"])


def _lights(link: Mapping[str, Any], language: str) -> Check:
    texts = catalogue(language)
    linked, since = str(link.get("state", "off")), link.get("since")
    supply_mv = (link.get("health") or {}).get("supply_mv", 0)
    if linked == "off":
        return Check("lights", "ok", texts["health.lights.none"])
    if linked == "ready" and 0 < supply_mv < LOW_LIGHTS_MV:
        said = texts["health.lights.weak"].format(volts=decimal(supply_mv / 1000, language))
        return Check("lights", "warning", said, texts["health.lights.weak_hint"], since)
    well = linked == "ready"
    told = link_sentence(link["parts"], language) if link.get("parts") else str(link.get("sentence") or "")
    said = told or (texts["health.lights.ok"] if well else texts["health.lights.state"].format(state=linked))
    return Check("lights", "ok" if well else "warning", said, "" if well else texts["health.lights.hint"], since)


def machine_checks(data: Path) -> tuple[Check, ...]:
    """Of this machine: software, disk, memory, clock, power. `data`: the folder of the records."""
    return *_software(), *live_checks(data)


def live_checks(data: Path) -> tuple[Check, ...]:
    """What of the machine may change while a table runs."""
    found = (_disk(data), _memory(), _clock(synchronised()), _power(throttled()), _heat())
    return tuple(check for check in found if check is not None)


def _software() -> Iterator[Check]:
    facts = {"version": platform.python_version(), "machine": platform.machine()}
    if sys.maxsize > 2**32:
        yield Check.of("python", "ok", "python", **facts, bits=64)
    else:
        yield Check.of("python", "warning", "python", "python.old", **facts, bits=32)
    copies = sorted(
        name
        for name in (
            "opencv-python",
            "opencv-python-headless",
            "opencv-contrib-python",
            "opencv-contrib-python-headless",
        )
        if _installed(name)
    )
    try:
        import cv2
    except ImportError as error:
        yield Check.of("opencv", "problem", "opencv.none", "opencv.install", why=error)
        return
    if len(copies) > 1:
        listed = {"copies": ", ".join(copies), "all": " ".join(copies)}
        yield Check.of("opencv", "warning", "opencv.many", "opencv.one", v=cv2.__version__, n=len(copies), **listed)
    else:
        yield Check.of("opencv", "ok", "opencv", v=cv2.__version__)


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _disk(data: Path) -> Check:
    folder = data
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not os.access(folder, os.W_OK):
        return Check.of("disk", "problem", "disk.closed", "disk.owner", data=data)
    free_mb = shutil.disk_usage(folder).free // 10**6
    level: Level = "problem" if free_mb < FULL_DISK_MB else "warning" if free_mb < LOW_DISK_MB else "ok"
    return Check.of("disk", level, "disk", "" if level == "ok" else "disk.free", mb=free_mb, data=data)


def _memory(path: Path = Path("/proc/meminfo")) -> Check | None:
    try:
        lines = path.read_text(encoding="ascii").splitlines()
        free_mb = next(int(line.split()[1]) // 1000 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        return None
    low = free_mb < LOW_MEMORY_MB
    return Check.of("memory", "warning" if low else "ok", "memory", "memory.low" if low else "", mb=free_mb)


def _clock(right: bool | None) -> Check | None:
    """`right`: what is known of it; nothing where nobody can tell."""
    if right is None:
        return None
    if right:
        return Check.of("clock", "ok", "clock")
    return Check.of("clock", "warning", "clock.unset", "clock.network")


def _power(bits: int | None) -> Check | None:
    """The Raspberry Pi's own word on its supply; None on other machines."""
    if bits is None:
        return None
    if bits & UNDER_VOLTAGE:
        return Check.of("power", "problem", "power.weak", "power.supply")
    if bits & (UNDER_VOLTAGE << SINCE_BOOT):
        return Check.of("power", "warning", "power.was_weak", "power.supply")
    if bits & THROTTLED:
        return Check.of("power", "warning", "power.slow", "power.air")
    return Check.of("power", "ok", "power")


STORAGE: Mapping[str, tuple[Level, str]] = {
    "kept": ("ok", ""),
    "forgot": ("problem", "card"),
    "not_reread": ("problem", "card"),
    "in_memory": ("warning", "disk"),
    "unwritable": ("problem", "room"),
}
"""What the canary found -> how bad that is, and which advice it takes."""


def storage_check(canary: Canary) -> Check:
    """Whether the storage keeps what it is told to."""
    level, advice = STORAGE[canary.finding]
    return Check.of("storage", level, f"storage.{canary.finding}", f"storage.to.{advice}" if advice else "")


def _heat(zone: Path = Path("/sys/class/thermal/thermal_zone0/temp")) -> Check | None:
    try:
        celsius = int(zone.read_text(encoding="ascii").strip()) / 1000
    except (OSError, ValueError):
        return None
    hot = celsius >= HOT_C
    return Check.of("heat", "warning" if hot else "ok", "heat", "heat.air" if hot else "", c=f"{celsius:.0f}")
