"""Events as the outside reads them: sentences added, in one language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from controller.referee.events import Event
from controller.rules.api import Reason
from controller.words import say, sentence


def reason_json(reason: Reason, language: str) -> dict[str, Any]:
    """One reason as the contract writes it."""
    return {"code": reason.code, "sites": list(reason.sites), "rule": reason.rule, "why": sentence(reason, language)}


def event_json(event: Event, language: str) -> dict[str, Any]:
    """One event as `watch --json` writes it, its `why` in the language asked for."""
    told = event.as_json()
    if event.reasons:
        told["reasons"] = [reason_json(reason, language) for reason in event.reasons]
        told["why"] = told["reasons"][0]["why"]
    elif isinstance(told.get("why"), str):
        told["why"] = say(told["why"], language)
    return told


def event_line(told: Mapping[str, Any]) -> str:
    """One event as the line `watch --json` prints: `t` always with its 3 decimals."""
    rest = {key: value for key, value in told.items() if key not in ("event", "t")}
    return f'{{"event": {json.dumps(told["event"])}, "t": {told["t"]:.3f}, {json.dumps(rest, ensure_ascii=False)[1:]}'


def journal_row(event: Event, game: str, set_name: str) -> dict[str, Any]:
    """One event as the journal keeps it: codes and English sentences, `internal` for what only a restart needs.

    Reasons keep their `facts`, so that the record can say them in another language later.
    """
    row = event.as_json() if event.internal else event_json(event, "en")
    for told, reason in zip(row.get("reasons", ()), event.reasons, strict=False):
        told["facts"] = dict(reason.facts)
    if event.event == "setup_complete":
        row |= {"game": game, "set": set_name}
    row["internal"] = event.internal
    return row
