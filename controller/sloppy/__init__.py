"""The sloppy table: random legal games played the way people do, and the referee must understand every one of them.

It ships with the product so that `boardref bench --endurance` can run it for a million turns.
"""

from __future__ import annotations

import time

from controller.rules.api import Game
from controller.sloppy.evening import evening
from controller.sloppy.games import manners_at
from controller.sloppy.record import Fault, Report
from controller.sloppy.sitting import Sitting, Wrong

TURNS_A_TABLE = 60

__all__ = ["Fault", "Report", "play", "play_table"]


def play(seed: int, turns: int, game: Game) -> Report:
    """Honest play at as many tables as it takes for `turns` turns; table i has seed `seed + i`."""
    report = Report()
    while report.turns < turns:
        play_table(seed + report.tables, min(TURNS_A_TABLE, turns - report.turns), game, report)
    return report


def play_table(seed: int, turns: int, game: Game, report: Report | None = None) -> Report:
    """One table with a fresh referee: `turns` turns or more, unless a fault ends it. The same seed, the same table."""
    report = Report() if report is None else report
    started = time.process_time()
    before = report.turns
    table = Sitting(game, seed, report)
    try:
        evening(manners_at(table), turns)
        if table.questioned:
            table.fault("question", table.questioned)
    except Wrong as wrong:
        table.fault(wrong.kind, wrong.text)
        report.turns = max(report.turns, before + 1)  # a table that fails at once must not go on for ever
    report.tables += 1
    report.frames += table.mat.frames
    report.cpu_s += time.process_time() - started
    return report
