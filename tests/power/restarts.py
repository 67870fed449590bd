"""Power cuts without processes: the referee is built again from the rows that had been written, many times a second.

    python tests/power/restarts.py --cuts 3000 [--game transet] [--seed N]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Sequence
from typing import Any

from outages import CLOCK, ENOUGH, Lost, Outages, play

from controller.journal.fold import Record, fold
from controller.journal.store import Row
from controller.referee.events import Input, Tick
from controller.referee.reducer import State, Step
from controller.rules.registry import game_named
from controller.sloppy.sitting import Wrong
from controller.telling import journal_row
from controller.watcher import Watcher

EACH = 60
"""Cuts of one seed."""


class Restarts(Outages):
    """A table that is only a referee, and a journal that is only a list."""

    def come_back(self) -> State:
        last = max((row["game_no"] for row in self.written if row["event"] == "setup_complete"), default=0)
        kept: list[dict[str, Any]] = json.loads(json.dumps([row for row in self.written if row["game_no"] == last]))
        watcher = Watcher(self.sets, rows=kept, clock=CLOCK)
        if watcher.warning is not None:
            raise Lost(watcher.warning)
        begun = watcher.take(Tick(0.0))  # as a table does when it is made
        self.written += [journal_row(event, self.game.name, watcher.board.name) for event in begun.events]
        return begun.state

    def shows(self, item: Input, step: Step, rows: Sequence[dict[str, Any]], due: bool) -> bool:
        self.busy += due and bool(rows)
        return not due

    def found(self, rows: Sequence[dict[str, Any]]) -> bool:
        return bool(rows) and self.chance.random() < 0.5

    def games_written(self) -> Sequence[Record]:
        last = max((row["game_no"] for row in self.written if row["event"] == "setup_complete"), default=0)
        rows = [
            Row(i, 1, last, row["event"], row["internal"], "", row)
            for i, row in enumerate(self.written)
            if row["game_no"] == last
        ]
        return [fold(rows)] if last else []


def main() -> int:
    parser = argparse.ArgumentParser(description="Build a referee again from its rows at random moments.")
    parser.add_argument("--cuts", type=int, default=3000)
    parser.add_argument("--each", type=int, default=EACH)
    parser.add_argument("--every", type=int, default=150)
    parser.add_argument("--game", default="transet")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    args = parser.parse_args()
    faults = cuts = turns = nested = dark = meddled = 0
    began = time.monotonic()
    seed = args.seed
    while cuts < args.cuts:
        table = Restarts(game_named(args.game), seed, args.each, args.every)
        try:
            play(table)
        except (Lost, Wrong) as fault:
            faults += 1
            print(f"FAULT: {args.game}, seed {seed}, cut {table.kills}: {fault}", flush=True)
        cuts, turns = cuts + table.kills, turns + table.report.turns % ENOUGH
        nested, dark, meddled = nested + table.nested, dark + table.dark, meddled + table.meddled
        seed += 1
    print(
        f"{args.game}, seeds {args.seed} to {seed - 1}: {cuts} cuts ({nested} while the board was looked at after one, "
        f"{dark} after which play went on unseen, {meddled} with a piece moved in the dark), {turns} turns, "
        f"{faults} faults; {time.monotonic() - began:.1f} s"
    )
    return faults > 0


if __name__ == "__main__":
    sys.exit(main())
