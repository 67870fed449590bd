"""A record as text for people, as JSON, and its timings as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import asdict

from controller.journal.fold import Record, Ruling


def as_text(record: Record, number: int) -> str:
    """Head lines, one line for each turn, rulings where they were made, the result."""
    lines = [
        f"Game {number}: {record.game or 'unknown'}",
        f"Set: {record.set or 'unknown'}",
        f"Begun: {record.begun_utc or 'unknown'}",
        f"Start: {record.start or 'unknown'}" + (" (taken up in mid-game)" if record.begun == "midgame" else ""),
    ]
    lines += [f"Option: {name}={value}" for name, value in sorted(record.options.items())]
    lines.append("")
    said = [ruling for ruling in record.rulings if ruling.what != "accepted"]  # that stands beside the turn
    for turn in record.turns:
        while said and said[0].n < turn.n:
            lines.append(f"     ({_ruling_text(said.pop(0))})")
        lines.append(f"{turn.n:3}. {turn.player:<6} {turn.text}" + ("" if turn.legal else "  (accepted as played)"))
    lines += [f"     ({_ruling_text(ruling)})" for ruling in said]
    lines += ["", f"Position: {record.position or 'unknown'}", f"Result: {result_text(record)}"]
    return "\n".join(lines) + "\n"


def _ruling_text(ruling: Ruling) -> str:
    said = {"position": "position set: ", "taken_back": "turn taken back", "draw_offer": "draw offer: "}
    return said.get(ruling.what, ruling.what) + ruling.text


def result_text(record: Record) -> str:
    """How it ended, in a few words."""
    if record.result is None:
        return "not finished"
    why = record.result.get("why")
    return f"{record.result.get('result')}" + (f" ({why})" if why else "")


def as_json(record: Record, number: int) -> str:
    """One object, keys as in `Record`, and `number`, `position`."""
    told = {"number": number, **asdict(record), "position": record.position}
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


def as_csv(record: Record, number: int) -> str:
    """One line for each turn: when it was accepted, and how long after the turn before (empty over a restart)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["game", "n", "player", "text", "legal", "session", "t_s", "since_previous_s", "written_utc"])
    before = None
    for turn in record.turns:
        since = f"{turn.t_s - before.t_s:.3f}" if before is not None and before.session == turn.session else ""
        legal = str(turn.legal).lower()
        writer.writerow(
            [number, turn.n, turn.player, turn.text, legal, turn.session, f"{turn.t_s:.3f}", since, turn.written_utc]
        )
        before = turn
    return out.getvalue()


FORMATS: dict[str, Callable[[Record, int], str]] = {"text": as_text, "json": as_json, "csv": as_csv}
