"""Whatever can be said of a camera is said in every language, and the catalogue's English is the camera's own."""

from __future__ import annotations

import re

import pytest

from controller.words import LANGUAGES, camera_sentence, held_sentence, held_why, wrong_board
from controller.words.catalogue import catalogue
from vision.camera import saying
from vision.camera.controls import WHYS, Lock, Why
from vision.camera.saying import SENTENCES, WHO, Said

FACTS = {
    "seconds": "4", "reason": "Connection refused", "status": "503", "type": "text/html", "program": "rpicam-vid",
}  # fmt: skip
SETTINGS = ("exposure", "gain", "white_balance", "focus", "mains")
PI = [saying.pi(0), saying.pi(1)]
CAMERAS = [saying.device("/dev/video0"), saying.stream("http://host/x"), saying.pipe("a.mjpg"), *PI]


def test_the_catalogue_and_the_camera_say_the_same() -> None:
    texts = catalogue("en")
    ours = {f"camera.{code}": text for code, text in SENTENCES.items()}
    ours |= {f"camera.the.{kind}": text for kind, text in WHO.items()}
    assert {key: texts.get(key) for key in ours} == ours
    for code in SENTENCES:
        for who in CAMERAS:
            assert camera_sentence(code, {**who, **FACTS}) == Said(code, {**who, **FACTS}).sentence


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_whole_in_every_language(language: str) -> None:
    for code in SENTENCES:
        for who in CAMERAS:
            told = camera_sentence(code, {**who, **FACTS}, language, again=True)
            assert re.match(r"[A-ZÀ-Ý]", told)
            assert told.endswith(".")
            assert not re.search(r"[{}…]|\.\.", told)
            if "{camera}" in SENTENCES[code]:
                assert who["name"] in told
    several = wrong_board("Taasen", ["Transet", "Transfer"], language)
    assert all(name in several for name in ("Taasen", "Transet", "Transfer"))
    assert "Transfer" not in wrong_board("Taasen", ["Transet"], language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_held_is_said_in_every_language(language: str) -> None:
    facts = {"reason": "No such device", "value": "20000 us"}
    for code in WHYS:
        why = held_why(code, facts, language)
        assert why
        assert "{" not in why
        held, not_held = dict.fromkeys(SETTINGS, "5"), dict.fromkeys(SETTINGS, why)
        for locked, loose in (({}, {}), (held, {}), ({}, not_held), ({"gain": "5"}, {"focus": why})):
            told = held_sentence(locked, loose, language)
            assert told.endswith(".")
            assert "{" not in told
            if language == "en":
                assert told == Lock(locked, {name: Why(code, **facts) for name in loose}).sentence
                assert why == Why(code, **facts)


def test_languages_differ() -> None:
    said = {camera_sentence("silent", saying.device("0"), language) for language in LANGUAGES}
    assert len(said) == len(LANGUAGES)
