"""Power cuts at every moment of a table's evening, rebuilt from the shim's record: a script, and what the suite uses.

A sloppy table writes its journal under the shim (the journal opened anew now and then, as after a restart). For each
moment a cut could come at, a state is drawn that it could leave (`cutting.Disk.cut`), and there the journal must open
undamaged, with every row whose `append` had returned, none twice, and no half of what was being written.

    python tests/power/cuts.py [--game transet] [--turns 60] [--each 3] [--seed N] [--synchronous FULL]
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from cutting import Call, Disk, build_shim, lay_out, watch

from controller.journal.fold import fold
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.referee.reducer import resume
from controller.referee.timing import Timing
from controller.rules.registry import game_named

JOURNAL, MARKS, SAID = "boardref.db", "marks", "said"

PLAYED = """
import json, os, sys
from pathlib import Path
from controller.journal.store import Journal
from controller.referee.reducer import reduce
from controller.rules.registry import game_named
from controller.sloppy import Report
from controller.sloppy.evening import evening
from controller.sloppy.games import manners_at
from controller.sloppy.sitting import Sitting

root, name, seed, turns, synchronous = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
# what is about to be written, and how much of it has been: seen by the shim, never read back from a cut disk
said, marks = (os.open(root / file, os.O_WRONLY | os.O_CREAT) for file in ("said", "marks"))

def opened():
    journal = Journal.open(root / "boardref.db")
    if synchronous != "FULL":
        journal._connection.execute(f"PRAGMA synchronous={synchronous}")
    journal.last_session()
    return journal

class Written(Sitting):
    journal, batches = opened(), 0

    def take(self, item):
        events = reduce(self.state, item).events
        super().take(item)
        if not events:
            return
        rows = [{**event.as_json(), "internal": event.internal} for event in events]
        os.write(said, json.dumps(rows).encode())
        self.journal.append(rows)
        self.batches += 1
        os.write(marks, b"+")
        if self.batches % 61 == 0:  # the table is stopped and started
            self.journal.close()
            self.journal = opened()

table = Written(game_named(name), seed, Report())
evening(manners_at(table), turns)
table.journal.close()
"""


def evening_of(shim: Path, root: Path, game: str, seed: int, turns: int, synchronous: str = "FULL") -> list[Call]:
    """The calls of a table that plays so many turns."""
    root.mkdir()
    return watch(shim, root, PLAYED, str(root), game, str(seed), str(turns), synchronous)


class Evening:
    """What was promised when. `spots`: the indices of calls before which a cut is worth trying."""

    def __init__(self, game: str, calls: Sequence[Call]) -> None:
        self.game, self.calls = game, calls
        self.named = {call.id: call.one.decode() for call in calls if call.op == "c"}
        self.spots = [i for i, call in enumerate(calls) if self.named.get(call.id) not in (MARKS, SAID)]

    def faults(self, each: int, chance: random.Random, most: int | None = None) -> tuple[int, list[str]]:
        """How many states were looked at, and what was wrong with them."""
        chosen = set(self.spots if most is None else chance.sample(self.spots, min(most, len(self.spots))))
        disk, batches, promised, looked = Disk(), [], 0, 0
        found: list[str] = []
        fast = Path("/dev/shm")
        with tempfile.TemporaryDirectory(prefix="boardref-cut-", dir=fast if fast.is_dir() else None) as place:
            for i, call in enumerate(self.calls):
                if i in chosen:
                    for _ in range(each):
                        looked += 1
                        fault = self._look(disk, batches, promised, chance, Path(place) / "state", looked % 10 == 0)
                        found += [f"call {i} ({call.op} {self.named.get(call.id, '')}): {fault}"] if fault else []
                name = self.named.get(call.id)
                if name == SAID and call.op == "w":
                    batches.append(json.loads(call.one))
                elif name == MARKS and call.op == "w":
                    promised += 1
                if name not in (SAID, MARKS):
                    disk.take(call)
        return looked, found

    def _look(
        self,
        disk: Disk,
        batches: Sequence[list[Any]],
        promised: int,
        chance: random.Random,
        folder: Path,
        thorough: bool,
    ) -> str | None:
        """One state a cut could leave now; what is wrong with it."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        state = disk.cut(chance)
        lay_out(state, folder)
        if JOURNAL in state and chance.random() < 0.1:
            (folder / f"{JOURNAL}-shm").write_bytes(chance.randbytes(32768))  # mapped memory may leave anything
        with Journal.open(folder / JOURNAL) as journal:
            if journal.warning or list(folder.glob("*damaged*")):
                return f"put aside: {journal.warning}"
            rows = journal.events()
            expected = [row for batch in batches[:promised] for row in batch]
            begun = batches[promised] if promised < len(batches) else []
            if rows not in (expected, [*expected, *begun]):
                return f"{len(expected)} rows were promised, {len(begun)} more begun, {len(rows)} are there"
            if thorough:
                return self._goes_on(journal)
        return None

    def _goes_on(self, journal: Journal) -> str | None:
        """The record follows by the rules, and the referee comes back to its end."""
        game = game_named(self.game)
        for number in journal.games():
            record = fold(journal.rows(number))
            fault = verify(record, game)
            if fault is not None or [turn.n for turn in record.turns] != list(range(1, len(record.turns) + 1)):
                return f"game {number}: {fault}, {len(record.turns)} turns"
        if journal.games():
            state = resume(game, self.game, Timing(), journal.last_session())
            if state.lines and game.position_text(state.line.position) != record.position:
                return f"the record is at {record.position}, the referee at {state.line.position}"
        return None


def main() -> int:
    parser = argparse.ArgumentParser(description="Rebuild what power cuts would leave of a table's journal.")
    parser.add_argument("--game", default="transet")
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--each", type=int, default=3, help="states tried before each call")
    parser.add_argument("--most", type=int, help="try only so many calls")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--synchronous", default="FULL", help="OFF and NORMAL must be caught")
    args = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="boardref-cuts-") as folder:
        shim = build_shim(Path(folder))
        calls = evening_of(shim, Path(folder) / "data", args.game, args.seed, args.turns, args.synchronous)
        looked, found = Evening(args.game, calls).faults(args.each, random.Random(args.seed), args.most)
    print(f"{args.game}, seed {args.seed}: {len(calls)} calls, {looked} states, {len(found)} faults; "
          f"{time.monotonic() - began:.1f} s")  # fmt: skip
    print("\n".join(found[:20]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
