"""docs/rooms.md is the map of the house: what stands in it is there, and what is there stands in it."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAP = (ROOT / "docs" / "rooms.md").read_text(encoding="utf-8")
OURS = ("controller", "vision", "firmware_bridge", "calibration")
FILES = [file for package in OURS for file in sorted((ROOT / package).rglob("*.py"))]
LONGEST = 450
PRETENDED = {"paced lights", "virtual-lights", "simulated camera", "browser"}  # no threads of a real table


def test_every_file_of_the_service_is_on_the_map():
    files = {file.name for file in (ROOT / "controller").glob("*.py")} - {"__init__.py"}
    named = set(re.findall(r"`(\w+\.py)`", MAP))
    assert sorted(files - named) == []


def test_every_thread_has_a_name_and_is_on_the_map():
    named, found = set(re.findall(r"\| `([\w ]+)[ …]*` \|", MAP)), set()
    for file in FILES:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "threading.Thread":
                name = next(ast.unparse(word.value) for word in node.keywords if word.arg == "name")
                found.add(re.split(r"[{]", name.strip("f'\""))[0].strip())
    assert len(found) > 10
    assert sorted(found - {name.strip() for name in named} - PRETENDED) == []


@pytest.mark.parametrize("file", FILES, ids=[str(file.relative_to(ROOT)) for file in FILES])
def test_no_file_holds_too_much(file):
    assert len(file.read_text(encoding="utf-8").splitlines()) <= LONGEST
