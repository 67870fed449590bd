"""Whatever is wrong with the lights is said in every language, and the catalogue's English is the link's own."""

from __future__ import annotations

import ast
import re
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from controller.lighting import link_json
from controller.web.state import lights_json
from controller.words import LANGUAGES, link_sentence
from controller.words.catalogue import catalogue
from firmware_bridge.linkstate import LinkState, LinkStatus
from firmware_bridge.saying import NOTHING, REASONS, Reason

FACTS = {name: f"<{name}>" for text in REASONS.values() for name in re.findall(r"{(\w+)}", text)}


def test_the_catalogue_and_the_link_say_the_same() -> None:
    assert {f"link.{code}": text for code, text in REASONS.items()} == {
        key: text for key, text in catalogue("en").items() if key.startswith("link.")
    }
    both = Reason("unknown", port="/dev/ttyUSB0").then(Reason("no_ada"))
    assert both == "The lights on /dev/ttyUSB0 are not known to be there. " + REASONS["no_ada"]
    assert link_json(LinkStatus(LinkState.READY, both, 0.0))["sentence"] == both
    assert not NOTHING
    assert NOTHING.parts == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_is_whole_in_every_language(language: str) -> None:
    for code in REASONS:
        reason = Reason(code, **FACTS)
        told = link_sentence(link_json(LinkStatus(LinkState.DOWN, reason, 0.0))["parts"], language)
        assert set(re.findall(r"<\w+>", told)) == set(re.findall(r"<\w+>", reason))
        assert "{" not in told
        assert (told == reason) == (language == "en")


def test_every_code_that_is_said_is_known_and_every_known_one_is_said() -> None:
    spec = find_spec("firmware_bridge")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    said: set[str] = set()
    for file in Path(next(iter(spec.submodule_search_locations))).rglob("*.py"):
        if file.name != "saying.py":
            texts = (node.value for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Constant))
            said |= {text for text in texts if isinstance(text, str)} & set(REASONS)
    assert said == set(REASONS)


def test_a_page_is_told_in_its_own_language() -> None:
    link = link_json(LinkStatus(LinkState.DOWN, Reason("port_gone", port="/dev/ttyUSB0"), 0.0))
    snapshot: Any = SimpleNamespace(camera={}, lights={}, journal={}, link=link, fault=None)
    told = [lights_json(snapshot, language)["link"]["sentence"] for language in LANGUAGES]
    assert len(set(told)) == len(LANGUAGES)
    assert all("/dev/ttyUSB0" in sentence for sentence in told)
