"""A disk that fails under a running table: play goes on, the fault is said, nothing counts before it is written.

The disk is the shim's: it refuses writes (EIO, read-only, full) or everything (it has gone), for as long as asked.
"""

import json
import subprocess
import sys

import pytest
from cutting import shimmed

PLAYED = """
import json, sys, time
from pathlib import Path
from kills import Line, Pictures, Unlit
from controller.journal.fold import fold
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.recording import AGAIN_S, Recorder, open_recording
from controller.rules.registry import game_named
from controller.sloppy import Report
from controller.sloppy.evening import lay_out
from controller.sloppy.games import manners_at
from controller.sloppy.hands import rest
from controller.sloppy.sitting import Sitting
from controller.table import Table
from controller.watcher import chosen_sets
from controller.web.message import message

root, flag, failing_from = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
path = root / "boardref.db"
if failing_from == "start":
    flag.touch()
Recorder.__init__.__defaults__ = tuple(0.05 if one == AGAIN_S else one for one in Recorder.__init__.__defaults__)
journal, watcher, warning = open_recording(path, lambda rows: Pictures(chosen_sets("transet", None), rows=rows))
lit = []

class Lights(Unlit):
    def show(self, scene):
        lit.append(scene.state)
        return 0

table = Table(watcher, Line(None), lights=Lights(), journal=journal, journal_warning=warning,
              reopen=lambda: Journal.open(path))

class Played(Sitting):
    def take(self, item):
        step = watcher.take(item)
        table._publish(step, judged=True)
        self.state = step.state
        self.record.take(step.events)

sitting = Played(game_named("transet"), 5, Report())
manners = manners_at(sitting)

def play(turns):
    for _ in range(turns):
        turn = sitting.rng.choice(manners.tidy_turns())
        manners.carry_out(turn, brisk=True)
        sitting.stay(1.6)
        sitting.played(turn)

def look():
    snapshot = table.snapshot()
    return {
        "turns": len(snapshot.view.turns), "unwritten": snapshot.view.unwritten, "to_move": snapshot.view.to_move,
        "accepted": lit.count("accepted"), "state": snapshot.journal["state"],
        "sentence": snapshot.journal["sentence"], "lead": message(snapshot.view, "en").lead,
        "real": len(sitting.state.played), "mover": sitting.game.to_move(sitting.position),
    }

lay_out(manners, sitting.game.start())
play(3)
before = look()
flag.touch()
lit.clear()
play(4)
during = look()
flag.unlink()
ends_s = time.monotonic() + 20
while table._recorder.waits and time.monotonic() < ends_s:
    time.sleep(0.02)
lit.clear()
play(2)
after = look()
table.stop()
with Journal.open(path) as kept:
    record = fold(kept.rows(kept.games()[-1]))
    rows = [row.event for row in kept.rows()].count("turn")
fault = verify(record, sitting.game)
same = [(turn.player, turn.text) for turn in record.turns] == [(row.player, row.text) for row in sitting.truth]
kept = {"turns": len(record.turns), "rows": rows, "fault": str(fault), "same": same}
print(json.dumps([before, during, after, kept]))
"""


@pytest.mark.parametrize(
    ("fault", "since", "said"),
    [
        ("EIO", "later", "disk I/O error"),
        ("GONE", "later", ""),
        ("ROFS", "start", ""),
    ],
)
def test_play_goes_on_and_nothing_counts_before_it_is_written(shim, tmp_path, fault, since, said):
    root, flag = tmp_path / "data", tmp_path / "flag"
    root.mkdir()
    environment = shimmed(shim, root, tmp_path / "calls", **{fault: str(flag)})
    environment["PYTHONPATH"] = str(shim.parent) + ":" + __file__.rpartition("/")[0]
    ran = subprocess.run(
        [sys.executable, "-c", PLAYED, str(root), str(flag), since], env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    before, during, after, kept = json.loads(ran.stdout)
    if since == "later":
        assert (before["turns"], before["state"], before["accepted"] > 0) == (3, "ok", True)
    shown = 3 if since == "later" else 0
    assert (during["turns"], during["unwritten"], during["real"]) == (shown, 7 - shown, 7)
    assert during["accepted"] == 0
    assert during["to_move"] == during["mover"]  # whoever plays on is followed
    assert said in during["sentence"]
    assert during["sentence"].startswith(("The record can't be written", "No record is kept"))
    assert f"The last {7 - shown} turns are not in the record yet" in during["lead"]
    assert (after["turns"], after["unwritten"], after["state"], after["sentence"]) == (9, 0, "ok", "")
    assert after["accepted"] > 0
    assert not list(root.glob("*damaged*"))
    assert kept == {"turns": 9, "rows": 9, "fault": "None", "same": True}
