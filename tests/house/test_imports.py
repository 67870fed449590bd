"""Imports point one way: each room may import only what the design names."""

import ast
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOMS = {
    "vision": ("vision",),
    "firmware_bridge": ("firmware_bridge",),
    "calibration": ("calibration", "vision", "firmware_bridge"),
    "controller.rules": ("controller.rules",),
    "controller.words": ("controller.words", "controller.rules"),
    "controller.referee": ("controller.referee", "controller.rules", "vision.sighting", "firmware_bridge.scene"),
    "controller.journal": ("controller.journal", "controller.rules"),
    "controller.sightings": (
        "controller.sightings", "controller.referee", "controller.rules", "controller.wholefile", "vision.sighting",
    ),
    "controller.wholefile": (),
    "controller.sloppy": ("controller.sloppy", "controller.referee", "controller.rules", "vision.sighting"),
}
OURS = ("controller", "vision", "firmware_bridge", "calibration")
PURE = ("controller.rules", "controller.referee")
IMPURE = {"time", "random", "socket", "threading", "subprocess", "numpy", "cv2", "serial", "sqlite3", "os", "datetime"}


def modules() -> list[tuple[str, Path]]:
    found = []
    for package in OURS:
        spec = find_spec(package)
        assert spec is not None
        assert spec.submodule_search_locations is not None
        root = Path(next(iter(spec.submodule_search_locations)))
        for file in sorted(root.rglob("*.py")):
            parts = file.relative_to(root.parent).with_suffix("").parts
            found.append((".".join(parts[:-1] if parts[-1] == "__init__" else parts), file))
    return found


def imported(name: str, file: Path) -> set[str]:
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, *([node.module] if node.module else [])])
            names |= {f"{base}.{alias.name}" for alias in node.names} if node.module is None or base in OURS else {base}
    return names


def within(name: str, rooms: tuple[str, ...]) -> bool:
    return any(name == room or name.startswith(room + ".") for room in rooms)


def test_every_room_is_found():
    names = {name for name, _ in modules()}
    assert {"vision.sighting", "controller.rules.api", "firmware_bridge.scene", "calibration.sets"} <= names


@pytest.mark.parametrize(("name", "file"), modules(), ids=[name for name, _ in modules()])
def test_a_module_imports_only_what_its_room_may(name, file):
    room = next((room for room in ROOMS if within(name, (room,))), None)
    if room is None:
        assert name.split(".")[0] == "controller"
        return
    wrong = sorted(other for other in imported(name, file) if within(other, OURS) and not within(other, ROOMS[room]))
    assert not wrong, f"{name} may not import {wrong}"


@pytest.mark.parametrize(
    ("name", "file"), [m for m in modules() if within(m[0], PURE)], ids=[n for n, _ in modules() if within(n, PURE)]
)
def test_rules_and_referee_are_pure(name, file):
    wrong = {other.split(".")[0] for other in imported(name, file)} & IMPURE
    assert not wrong, f"{name} must have no clock, no randomness and no I/O, but imports {sorted(wrong)}"
