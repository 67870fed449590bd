"""What a power cut leaves of a table's files, at every moment: rebuilt from what the shim has seen of real processes.

`tests/power/cuts.py` tries every call of a long evening.
"""

import random
from collections import Counter

import pytest
from cuts import Evening, evening_of
from cutting import Disk, lay_out, watch

from controller.backup import read_backup
from controller.journal.store import Journal
from controller.sightings.file import LogReader

SEED = 20261130


@pytest.mark.parametrize(
    ("game", "turns", "states"), [("transet", 40, 220), ("taasen", 20, 110), ("transfer", 12, 110)]
)
def test_no_accepted_turn_is_lost_and_none_is_there_twice(shim, tmp_path, game, turns, states):
    calls = evening_of(shim, tmp_path / "data", game, SEED, turns)
    assert Counter(call.op for call in calls)["s"] > turns
    looked, found = Evening(game, calls).faults(1, random.Random(SEED), states)
    assert looked == states
    assert not found, f"seed {SEED}: {found[:5]}"


@pytest.mark.parametrize("synchronous", ["OFF", "NORMAL"])
def test_a_journal_that_does_not_wait_for_the_disk_is_caught(shim, tmp_path, synchronous):
    calls = evening_of(shim, tmp_path / "data", "transet", SEED, 8, synchronous)
    _, found = Evening("transet", calls).faults(1, random.Random(SEED), 60)
    assert any("rows were promised" in fault for fault in found)


KEPT = """
import os, sys
from pathlib import Path
from controller.wholefile import write_whole as keep

root = Path(sys.argv[1])
marks = os.open(root / "marks", os.O_WRONLY | os.O_CREAT)
if len(sys.argv) > 2:
    def keep(path, contents):  # as nearly everybody does it
        part = path.with_suffix(".part")
        part.write_text(contents)
        part.replace(path)
for contents in ("a" * 3000, "b" * 5000, "c" * 700):
    keep(root / "profile.toml", contents)
    os.write(marks, b"+")
"""


def states_of(calls, each, chance):
    """Every moment between two calls, with the promises made so far, and some states that a cut could leave then."""
    disk, marks, promised = Disk(), None, 0
    for call in [*calls, None]:
        for _ in range(each):
            yield promised, disk.cut(chance)
        if call is None:
            return
        if call.op == "c" and call.one == b"marks":
            marks = call.id
        elif call.id == marks:
            promised += call.op == "w"
        else:
            disk.take(call)


def broken_profiles(calls):
    said = [b"a" * 3000, b"b" * 5000, b"c" * 700]
    return [
        (promised, state.get("profile.toml"))
        for promised, state in states_of(calls, 20, random.Random(SEED))
        if state.get("profile.toml") not in [*([None] if not promised else said[promised - 1 : promised]),
                                             *said[promised : promised + 1]]
    ]  # fmt: skip


def test_a_small_file_is_the_old_one_or_the_new_one(shim, tmp_path):
    (tmp_path / "data").mkdir()
    assert not broken_profiles(watch(shim, tmp_path / "data", KEPT, str(tmp_path / "data")))


def test_a_rename_that_does_not_wait_for_the_disk_is_caught(shim, tmp_path):
    (tmp_path / "data").mkdir()
    assert broken_profiles(watch(shim, tmp_path / "data", KEPT, str(tmp_path / "data"), "hasty"))


SERVED = """
import os, sys
from pathlib import Path
from controller.backup import restore_backup, write_backup
from controller.journal.store import Journal
from controller.referee.events import Tick
from controller.referee.reducer import initial, reduce
from controller.rules.transet import TRANSET
from controller.sightings.file import LogFile
from controller.web.keys import kept_pin
from controller.web.players import kept_secret

root = Path(sys.argv[1])
marks = os.open(root / "marks", os.O_WRONLY | os.O_CREAT)
done = lambda: os.write(marks, b"+")
kept_secret(root / "players.key")
done()
kept_pin(root / "operator-pin", lambda said: None)
done()
with LogFile(root / "reported.sightings") as log:
    state = initial(TRANSET, set_name="transet")
    for k in range(40):
        after = reduce(state, Tick(k / 4)).state
        log.note(state, Tick(k / 4), after)
        state = after
done()
def write(numbers):
    with Journal.open(root / "boardref.db") as journal:
        for n in numbers:
            journal.append([{"event": "turn", "t": 0.0, "frame": 0, "game_no": 1, "internal": False, "n": n}])
write(range(5))
done()
write_backup(root / "kept.zip", root / "boardref.db")
done()
write(range(5, 9))
done()
restore_backup(root / "kept.zip", root / "boardref.db")
done()
"""


def test_whatever_the_service_keeps_is_whole(shim, tmp_path):
    root, place = tmp_path / "data", tmp_path / "left"
    root.mkdir()
    calls = watch(shim, root, SERVED, str(root))
    chance = random.Random(SEED)
    for promised, state in states_of(calls, 1, chance):
        if chance.random() < 0.4:
            continue
        key, pin = state.get("players.key"), state.get("operator-pin")
        assert (key is None and promised < 1) or len(key) == 32
        assert (pin is None and promised < 2) or pin.strip().isdigit()
        folder = place / str(chance.random())
        lay_out(state, folder)
        if promised >= 3 or "reported.sightings" in state:
            assert LogReader(folder / "reported.sightings").fault is None
        if promised >= 5 or "kept.zip" in state:
            assert len(read_backup(folder / "kept.zip").logs) == 1
        if promised < 4:
            continue
        with Journal.open(folder / "boardref.db") as journal:
            assert journal.warning is None
            found = [row["n"] for row in journal.events()]
        longest = {4: 5, 5: 9, 6: 9, 7: 5}[promised]  # how many rows there may be at most; 9 again before the restoring
        assert found == list(range(len(found)))
        assert (9 if promised == 6 and len(found) > 5 else 5) <= len(found) <= longest
        if promised == 7:
            (aside,) = folder.glob("boardref.db.before-restore*[0-9]")
            with Journal.open(aside) as old:
                assert len(old.events()) == 9
