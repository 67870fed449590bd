"""A table on a disk that is full: it goes on, shows nothing as accepted that is not kept, and recovers by itself."""

import json
import subprocess
import sys

from controller.journal.fold import fold
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.rules.registry import game_named

TABLE = """
import json, pathlib, resource, sys, time
from controller.cli.demo import demo_parts
from controller.config import RecordsConfig
from controller.keeping import KeepingError, keeping_of
from tests.table.test_demo import centre

folder = pathlib.Path(sys.argv[1])
demo = demo_parts("transet", folder)
table, world = demo.table, demo.world
keeping = keeping_of(table, folder, RecordsConfig(), {})
table.start()

def until(holds, seconds=40):
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        seen = table.snapshot()
        if holds(seen):
            return seen
        time.sleep(0.1)
    sys.exit(f"never happened: {seen.view}")

def carry(origin, to):
    (x0, y0), (x1, y1) = centre(origin), centre(to)
    token = min(world.as_json()["tokens"], key=lambda t: (t["x_mm"] - x0) ** 2 + (t["y_mm"] - y0) ** 2)["id"]
    world.lift(token)
    for step in range(1, 5):
        world.move(token, x0 + (x1 - x0) * step / 4, y0 + (y1 - y0) * step / 4)
        time.sleep(0.1)
    world.drop(token)

def room(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

told = {}
until(lambda seen: seen.view.phase == "play")
carry("c1", "c2")
until(lambda seen: len(seen.view.turns) == 1)
room(4096)  # no file may grow any more
carry("c5", "c4")
full = until(lambda seen: seen.journal["state"] == "failing" and seen.view.unwritten == 1)
told["full"] = {"turns": len(full.view.turns), "said": full.journal["sentence"],
                "accepted_s": full.view.accepted_s}
for name, act in (("report", lambda: keeping.report("operator")), ("backup", keeping.backup)):
    try:
        act()
    except Exception as error:
        told[name] = f"{type(error).__name__}: {error}"
carry("c2", "c3")
until(lambda seen: seen.view.unwritten == 2)
room(resource.RLIM_INFINITY)
again = until(lambda seen: len(seen.view.turns) == 3 and seen.view.unwritten == 0)
told["again"] = {"state": again.journal["state"], "lost": again.journal["lost"]}
told["reported"] = keeping.report("operator")
table.stop()
print(json.dumps(told))
"""


def test_a_full_disk_stops_no_table(tmp_path):
    done = subprocess.run([sys.executable, "-c", TABLE, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["full"]["turns"] == 1
    assert told["full"]["accepted_s"] is None
    assert "can't be written" in told["full"]["said"]
    assert "room" in told["report"]
    assert told["report"].startswith("KeepingError")
    assert told["backup"].startswith(("CommandError", "KeepingError"))
    assert told["again"] == {"state": "ok", "lost": 0}
    with Journal.open(tmp_path / "boardref.db") as journal:
        record = fold(journal.rows(1))
        assert [turn.n for turn in record.turns] == [1, 2, 3]
        assert verify(record, game_named("transet")) is None
    assert not [path.name for path in tmp_path.rglob("*") if path.name.endswith(".part") or path.name.startswith(".")]
