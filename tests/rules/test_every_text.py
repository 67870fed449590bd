"""Texts of every game: what is printed is read back the same; anything else is read or refused with its column."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from walks import GAMES, scenes

from controller.rules.api import TextError
from controller.rules.registry import game_named
from controller.words import LANGUAGES, sentence


def attempt(read: Callable[[str], Any], text: str) -> Any:
    """What was read; None where it was refused with a column of the text. No other exception may leave here."""
    column = 1
    found = None
    try:
        found = read(text)
    except TextError as error:
        column = error.column
    assert 1 <= column <= len(text) + 1, text
    return found


def damaged(text: str, rng: random.Random) -> str:
    """A few letters changed, doubled, dropped or moved, as people and clipboards do."""
    letters = list(text)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(letters) + 1)
        what = rng.random()
        if what < 0.35 and at < len(letters):
            letters[at] = rng.choice(text + " -=<>/?#*&@^x0123456789abcéK")
        elif what < 0.6:
            letters.insert(at, rng.choice(text + " -/?"))
        elif what < 0.85 and at < len(letters):
            del letters[at]
        else:
            letters = letters[at:] + letters[:at]
    return "".join(letters)


@pytest.mark.parametrize("name", GAMES)
def test_printed_positions_and_turns_are_read_back_the_same(name: str) -> None:
    rng = random.Random(1)
    for scene in scenes(name):
        game, position = scene.game, scene.position
        text = game.position_text(position)
        assert game.parse_position(text) == position
        assert game.parse_position(f"  {text}\n") == position
        turns = list(game.legal_turns(position))
        for turn in rng.sample(turns, min(12, len(turns))):
            written = game.turn_text(position, turn)
            read = game.parse_turn(position, f" {written} ")
            assert game.turn_text(position, read) == written
            assert game.after(position, read) == game.after(position, turn)
            after = game.after(position, turn)
            assert game.parse_position(game.position_text(after)) == after


@pytest.mark.parametrize("name", GAMES)
def test_a_damaged_position_is_refused_with_its_column_or_prints_as_what_it_is(name: str) -> None:
    rng = random.Random(2)
    refused = 0
    for scene in scenes(name):
        game = scene.game
        text = game.position_text(scene.position)
        for _ in range(10):
            wrong = damaged(text, rng)
            position = attempt(game.parse_position, wrong)
            if position is None:
                refused += 1
                continue
            printed = game.position_text(position)
            assert game.parse_position(printed) == position, wrong
            assert game.position_text(game.parse_position(printed)) == printed
    assert refused > 500


@pytest.mark.parametrize("name", GAMES)
def test_a_damaged_turn_is_refused_judged_or_prints_as_what_it_is(name: str) -> None:
    rng = random.Random(3)
    refused = illegal = legal = 0
    told = {}
    for scene in scenes(name):
        game, position = scene.game, scene.position
        turn = rng.choice(list(game.legal_turns(position)))
        text = game.turn_text(position, turn)
        for _ in range(10):
            wrong = damaged(text, rng)
            verdict = attempt(partial(game.judge_turn, position), wrong)
            if verdict is None:
                refused += 1
                continue
            assert verdict.legal == (not verdict.reasons), wrong
            told |= {(reason.code, reason.facts.get("form")): reason for reason in verdict.reasons}
            legal += verdict.complete
            illegal += not verdict.legal
            if verdict.complete:
                printed = game.turn_text(position, verdict.turn)
                assert game.judge_turn(position, printed).position == verdict.position, wrong
    assert refused > 500
    assert illegal > 20
    assert legal > 20
    assert len(told) > 4
    for reason in told.values():
        for language in LANGUAGES:
            assert "…" not in sentence(reason, language), (reason, language)


@pytest.mark.parametrize("name", GAMES)
@settings(max_examples=150, deadline=None)
@given(text=st.text(max_size=60))
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    game = game_named(name)
    attempt(game.parse_position, text)
    attempt(partial(game.judge_turn, game.start()), text)
