"""A record as text for people, as JSON, and its timings as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from controller.journal.fold import Illegal, Record, Ruling, TurnRow

UNSET = " (the clock was not set)"
"""Behind a time that nobody should trust."""


def as_text(record: Record, number: int) -> str:
    """Head lines, one line for each turn with its time, what else happened where it did, the result.

    `controller.journal.notation` reads it again.
    """
    lines = [
        f"Game {number}: {record.game or 'unknown'}",
        f"Set: {record.set or 'unknown'}",
        f"Begun: {record.begun_utc or 'unknown'}" + (UNSET if record.begun_clock_synchronised is False else ""),
        *(f"Player {side}: {name}" for side, name in sorted(record.names.items())),
        f"Start: {record.start or 'unknown'}" + (" (taken up in mid-game)" if record.begun == "midgame" else ""),
    ]
    lines += [f"Option: {name}={value}" for name, value in sorted(record.options.items())]
    lines.append("")
    said = _said(record)
    for turn in record.turns:
        while said and said[0][0] < turn.n:
            lines.append(f"     ({said.pop(0)[1]})")
        lines.append(_turn_line(turn))
    lines += [f"     ({text})" for _, text in said]
    lines += ["", f"Position: {record.position or 'unknown'}", f"Result: {result_text(record.result)}"]
    if record.result is not None and record.result.get("score"):
        lines.append("Score: {}-{}".format(*record.result["score"]))
    return "\n".join(lines) + "\n"


def _turn_line(turn: TurnRow) -> str:
    line = f"{turn.n:3}. {turn.player:<6} {turn.text}"
    if not turn.legal:
        line += f"  (accepted as played: {turn.position})"
    return line + (f"  [{turn.took_s:.1f} s]" if turn.took_s is not None else "")


def _said(record: Record) -> list[tuple[int, str]]:
    """After which turn, and what; `accepted` stands beside the turn."""
    told = [(illegal.n, _illegal_text(illegal)) for illegal in record.illegal]
    told += [(ruling.n, _ruling_text(ruling)) for ruling in record.rulings if ruling.what != "accepted"]
    return sorted(told, key=lambda one: one[0])


def _illegal_text(illegal: Illegal) -> str:
    sites = f" {' '.join(illegal.sites)}" if illegal.sites else ""
    return f"illegal: {illegal.player} {illegal.code}{sites}" + (f": {illegal.why}" if illegal.why else "")


WHAT = {
    "position": "position set", "taken_back": "turn taken back", "draw_offer": "draw offer", "paused": "paused",
    "resumed": "resumed", "corrected": "turn corrected", "guide": "guide", "unexplained": "unexplained",
    "reported": "wrong call reported", "flag": "flag",
}  # fmt: skip
"""Rulings, as the text calls them; what there is to add follows after a colon."""


def _ruling_text(ruling: Ruling) -> str:
    return WHAT.get(ruling.what, ruling.what) + (f": {ruling.text}" if ruling.text else "")


def result_text(result: Mapping[str, Any] | None) -> str:
    """How it ended, in a few words. `result`: that of a record."""
    if result is None:
        return "not finished"
    why = result.get("why")
    return f"{result.get('result')}" + (f" ({why})" if why else "")


def as_json(record: Record, number: int) -> str:
    """One object, keys as in `Record`, and `number`, `position`. That it was imported is told by the journal only."""
    told = {"number": number, **asdict(record), "position": record.position}
    del told["imported"]
    return json.dumps(told, ensure_ascii=False, indent=2) + "\n"


COLUMNS = (
    "game", "n", "player", "text", "legal", "session", "t_s", "since_previous_s", "written_utc", "took_s",
    "name", "illegal_before", "clock_synchronised", "left_s",
)  # fmt: skip


def _cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula: with an apostrophe before what would begin one."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") and len(text) > 1 else text


def as_csv(record: Record, number: int) -> str:
    """One line for each turn: when it was accepted, and how long after the turn before (empty over a restart).

    `took_s`: the same, for the first turn since the game began; `illegal_before`: placements judged illegal since the
    turn before; `clock_synchronised`: whether `written_utc` can be trusted, empty where nobody could tell;
    `left_s`: on the player's clock, where there was one.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for index, turn in enumerate(record.turns):
        took = f"{turn.took_s:.3f}" if turn.took_s is not None else ""
        wrong = sum(illegal.n == turn.n - 1 for illegal in record.illegal)
        writer.writerow(
            [
                number, turn.n, turn.player, _cell(turn.text), str(turn.legal).lower(), turn.session, f"{turn.t_s:.3f}",
                took if index else "", _cell(turn.written_utc), took, _cell(record.names.get(turn.player, "")), wrong,
                "" if turn.clock_synchronised is None else str(turn.clock_synchronised).lower(),
                f"{turn.clock[turn.player]:.3f}" if turn.clock and turn.player in turn.clock else "",
            ]
        )  # fmt: skip
    return out.getvalue()


FORMATS: dict[str, Callable[[Record, int], str]] = {"text": as_text, "json": as_json, "csv": as_csv}
