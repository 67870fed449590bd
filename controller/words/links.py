"""How the connection to the lights is, in a language: from the codes and facts that it tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controller.words.catalogue import catalogue


def link_sentence(parts: Sequence[Mapping[str, Any]], language: str = "en") -> str:
    """The sentences of `parts` ({"code", "facts"}), one after another. KeyError for an unknown code."""
    texts = catalogue(language)
    return " ".join(texts[f"link.{part['code']}"].format_map(part["facts"]) for part in parts)
