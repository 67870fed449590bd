"""Every code and key has a text in every language, with the same facts, and a player can read it."""

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from controller.rules.api import Placement, Reason
from controller.rules.transet import TRANSET as G
from controller.words import LANGUAGES, keys, say, sentence
from controller.words.catalogue import catalogue, parse_po

FRENCH = Path(str(files("controller.words"))) / "locale" / "fr" / "LC_MESSAGES"
CODES = [
    "OUT_OF_TURN",
    "WRONG_PIECE",
    "EXTRA_PIECE",
    "TWO_ON_A_SITE",
    "MISSING_PIECE",
    "NOT_A_TURN",
    "NOT_YOUR_PAWN",
    "NO_REPLACEMENT",
    "BAD_REPLACEMENT",
    "WRONG_PAWN_RETURNED",
    "NOT_CAPTURED",
    "SWOP_TARGET_TAKEN",
    "SWOP_SAME_TARGET",
    "SWOP_NOT_OPPOSITE",
    "SIDEWAYS_ALONE",
    "BACKWARD_ALONE",
    "OWN_PAWN_THERE",
    "WRONG_STEP",
    "TOO_FAR",
]
TROUBLES = ["hand", "markers", "no_board", "too_dark", "too_bright", "glare", "blurred", "frozen", "lost"]
ACTS = ["return", "second_half", "reply", "choose", "remove", "unload", "clear"]
ENDS = ["end_move", "repetition", "resigned", "agreed"]


def test_every_code_trouble_act_and_end_has_a_text() -> None:
    wanted = {*CODES, *ENDS, *(f"owed.{act}" for act in ACTS)}
    wanted |= {f"{what}.{code}" for what in ("cannot_see", "sees_again") for code in TROUBLES}
    wanted.add("sees_again.not_yet")
    assert wanted <= keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_key_with_the_same_facts(language: str) -> None:
    assert keys(language) == keys("en")
    for key, text in catalogue(language).items():
        facts = set(re.findall(r"\{(\w+)\}", text))
        assert facts == set(re.findall(r"\{(\w+)\}", catalogue("en")[key])), key
        assert text.strip() == text
        assert "swop" not in text.lower()


@pytest.mark.parametrize("file", sorted(p.name for p in FRENCH.iterdir() if p.suffix == ".po"))
def test_in_french_no_line_begins_with_a_mark(file: str) -> None:
    """The space before such a mark is one that no line is broken at."""
    for key, text in parse_po((FRENCH / file).read_text(encoding="utf-8")).items():
        assert not re.search(" [:;?!»]|« ", text), (key, text)


def reasons() -> Iterator[Reason]:
    """What the rules really say, over many written turns and placements."""
    texts = ["rbkbr/5/5/5/RBKBR S", "r1kbr/5/3b1/3K1/RBB1R S", "rbk1r/2K2/3b1/B4/R2BR N", "1bkbr/B4/r4/1K3/R2BR S"]
    for text in texts:
        position = G.parse_position(text)
        sites = sorted(G.sites)
        for origin in sites:
            for to in sites:
                yield from G.judge_turn(position, f"{origin}-{to}").reasons
                yield from G.judge_turn(position, f"{origin}x{to}@b4").reasons
                yield from G.judge_turn(position, f"{origin}-{to}&a1-a2").reasons
                on = dict(G.picture(position).on)
                kinds = on.pop(origin, ("dark-PIAS",))
                seen = Placement({**on, to: (*on.get(to, ()), *kinds)})
                for done in (None, *G.players):
                    yield from G.judge(position, seen, done).reasons


def test_every_reason_of_the_rules_is_a_whole_sentence_in_every_language() -> None:
    told = {(r.code, tuple(r.facts.items()), r.sites): r for r in reasons()}
    assert {r.code for r in told.values()} >= set(CODES) - {"MISSING_PIECE", "WRONG_PIECE", "WRONG_PAWN_RETURNED"}
    for reason in told.values():
        for language in LANGUAGES:
            text = sentence(reason, language)
            assert text[0].isupper()
            assert text[-1] in ".?"
            assert "…" not in text, (reason, text)
            assert "{" not in text
            assert "dark-" not in text


def test_a_sentence_a_player_understands() -> None:
    (reason,) = G.judge_turn(G.start(), "e1-d2").reasons
    assert sentence(reason) == "A Pinet moves straight ahead only; it can't go from e1 to d2."
    assert sentence(reason, "nl").startswith("Een Pinet gaat alleen recht vooruit")
    assert say("to_move", "de", player="South") == "Süd ist am Zug."
    assert say("no_news", n=12) == "No news for 12 s."


def test_unknown_keys_codes_and_languages_are_errors() -> None:
    with pytest.raises(KeyError):
        say("nothing_of_the_kind")
    with pytest.raises(KeyError):
        sentence(Reason("NO_SUCH_CODE", (), "x"))
    with pytest.raises(KeyError):
        say("end_move", "tlh")
    assert "…" in sentence(Reason("NO_REPLACEMENT", ("d3",), "transet 2.2"))  # a fact too few still gives a sentence


def test_catalogues_are_read_as_gettext_writes_them() -> None:
    assert parse_po('msgid ""\nmsgstr "head"\n\n# note\nmsgid "a"\nmsgstr ""\n"one "\n"tw\\"o"\n') == {"a": 'one tw"o'}
    for broken in ('msgid "a"\nmsgstr "x"\n\nmsgid "a"\nmsgstr "y"\n', 'msgctxt "a"\n', "msgid a\n"):
        with pytest.raises(ValueError, match="line"):
            parse_po(broken)
