"""Why a table can't start, in a language: from the code and facts of a `controller.errors.Fault`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controller.words.catalogue import catalogue


def fault_sentence(code: str, facts: Mapping[str, str], language: str = "en") -> str:
    """Where the fault is, what it is and, where known, what was meant. KeyError for an unknown code."""
    texts = catalogue(language)
    at = next((place for place in ("variable", "credential", "file") if place in facts), None)
    if at == "file" and "line" not in facts:
        at = "file_only"
    wanted = texts[f"fault.wanted.{facts['wanted']}"].format_map(facts) if "wanted" in facts else ""
    told = texts[f"fault.{code}"].format_map({**facts, "wanted": wanted})
    named = f"fault.at.{at}"
    if at is not None and f"{{{at.partition('_')[0]}}}" not in texts[f"fault.{code}"]:
        told = f"{texts[named].format_map(facts)} {told}"
    else:
        told = told[:1].upper() + told[1:]
    return f"{told} {texts['fault.meant'].format_map(facts)}" if "meant" in facts else told


def record_sentence(parts: Sequence[Mapping[str, Any]], language: str = "en") -> str:
    """What is wrong with the record, one sentence after another: parts of a `controller.recording.Told`."""
    texts = catalogue(language)

    def told(part: Mapping[str, Any]) -> str:
        facts, because = part["facts"], part.get("because")
        if because is not None and language != "en":  # English has it in its own words
            facts = {**facts, "why": texts[f"fault.journal.{because['code']}"].format_map(because["facts"])}
        return texts[f"fault.record.{part['code']}"].format_map(facts)

    return " ".join(told(part) for part in parts)


def fault_rest(language: str = "en") -> tuple[str, str]:
    """What else is to be said beside it: that mending is enough, and that nothing is lost."""
    texts = catalogue(language)
    return texts["fault.mend"], texts["fault.kept"]
