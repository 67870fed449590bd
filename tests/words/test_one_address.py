"""People are spoken to in one way in each language: du in German, je in Dutch, vous in French."""

import re
from pathlib import Path

import pytest

LOCALES = Path(__file__).parents[2] / "controller" / "words" / "locale"
OTHER = {
    "de": r"\b[a-zäöü]+(?:en|ern) Sie\b|\b(?:Ihnen|Ihrem|Ihren)\b",
    "nl": r"\b[Uu]w?\b",
    "fr": r"\b(?:[Tt]u|[Tt]oi|[Tt]on|[Tt]es)\b|-toi\b",
}


@pytest.mark.parametrize("language", OTHER)
def test_everybody_is_spoken_to_alike(language: str) -> None:
    files = sorted((LOCALES / language / "LC_MESSAGES").glob("*.po"))
    assert files
    told = [
        line for file in files for line in file.read_text("utf-8").splitlines() if not line.startswith(("#", "msgid"))
    ]
    assert [line for line in told if re.search(OTHER[language], line)] == []
