"""The journal's file: nothing is changed, nothing is lost, and every fault is one sentence."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading

import pytest

from controller.journal.errors import JournalError
from controller.journal.schema import VERSION
from controller.journal.store import LONGEST_TEXT, Journal


def event(name, game_no=1, **data):
    return {"event": name, "t": 0.5, "frame": 3, "game_no": game_no, "internal": False, **data}


def begin(game_no=1):
    return event("setup_complete", game_no, position="P", **{"as": "start"})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "boardref.db"


def test_what_was_written_is_read_in_order(path):
    events = [event("board_found", 0, game="transet", set="transet"), begin(), event("turn", n=1, text="é")]
    with Journal.open(path) as journal:
        journal.append(events[:1])
        journal.append(events[1:])
        assert journal.events() == events
    with Journal.open(path) as journal:
        rows = list(journal.rows())
        assert [row.as_event() for row in rows] == events
        assert [row.id for row in rows] == [1, 2, 3]
        assert {row.session for row in rows} == {1}
        assert journal.events(1) == events
        assert journal.warning is None


def test_every_commit_is_on_the_disk(path):
    with Journal.open(path) as journal:
        assert journal._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert journal._connection.execute("PRAGMA synchronous").fetchone() == (2,)


@pytest.mark.parametrize("table", ["row", "session"])
@pytest.mark.parametrize("words", ["UPDATE {} SET id = id + 1", "DELETE FROM {}"])
def test_rows_are_never_changed_or_deleted(path, table, words):
    with Journal.open(path) as journal:
        journal.append([begin()])
    other = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        other.execute(words.format(table))
    other.close()


def test_games_have_one_number_in_the_file_over_restarts(path):
    with Journal.open(path) as journal:
        journal.append([event("board_found", 0, game="transet", set="transet"), begin(1), event("turn", 1, n=1)])
        journal.append([begin(2), event("turn", 2, n=1)])
    for n in (2, 3):  # the table is restarted twice in one game
        with Journal.open(path) as journal:
            saved = journal.last_session()
            turns = [(row["game_no"], row["n"]) for row in saved if row["event"] == "turn"]
            assert turns == [(2, k) for k in range(1, n)]
            assert saved[0]["event"] == "board_found"
            journal.append([event("turn", 2, n=n)])
    with Journal.open(path) as journal:
        journal.last_session()
        journal.append([begin(3)])
        assert journal.games() == (1, 2, 3)
        assert [row.data.get("n") for row in journal.rows(2) if row.event == "turn"] == [1, 2, 3]
    with Journal.open(path) as journal:  # another table, which does not go on with the last game
        journal.append([begin(1)])
        journal.append([begin(1)])  # its set was changed: the table counts from 1 again
        assert journal.games() == (1, 2, 3, 4, 5)


def test_resume_chooses_a_game(path):
    with Journal.open(path) as journal:
        journal.append([begin(1), event("turn", 1, n=1), begin(2)])
        assert journal.last_session() == [begin(2)]
    with Journal.open(path) as journal:
        journal.append([event("resume", 1, game=1), event("belief", 1)])
    with Journal.open(path) as journal:
        assert [row["event"] for row in journal.last_session()] == ["setup_complete", "turn", "resume", "belief"]
        journal.append([event("turn", 1, n=2), begin(2)])
        assert journal.games() == (1, 2, 3)
        assert [row.data["n"] for row in journal.rows(1) if row.event == "turn"] == [1, 2]


def test_an_empty_journal_has_no_session(path):
    with Journal.open(path) as journal:
        assert journal.last_session() == []
        assert journal.games() == ()


@pytest.mark.parametrize(
    "value", [b"\xff\xd8\xff", bytearray(2), {1: "a"}, {"deep": [{"er": b"x"}]}, {1, 2}, float("nan"), "A" * 20_000]
)
def test_nothing_but_plain_values_enters(path, value):
    assert LONGEST_TEXT < 20_000
    with Journal.open(path) as journal:
        with pytest.raises(JournalError):
            journal.append([begin(), event("turn", n=1, value=value)])
        assert journal.events() == []


def test_a_batch_is_all_or_nothing(path):
    with Journal.open(path) as journal:
        journal.append([begin()])
        with pytest.raises(KeyError):
            journal.append([event("turn", n=1), {"t": 1.0}])
        journal.append([event("turn", n=1)])
        assert [row["event"] for row in journal.events()] == ["setup_complete", "turn"]


def test_a_newer_journal_is_left_alone(path):
    with Journal.open(path) as journal:
        journal.append([begin()])
    other = sqlite3.connect(path)
    other.execute(f"PRAGMA user_version={VERSION + 1}")
    other.close()
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(JournalError, match=r"newer Boardref.*update Boardref"):
            Journal.open(path, read_only=read_only)
    assert path.read_bytes() == before


@pytest.mark.parametrize("damage", ["middle", "zeros", "row"])
def test_a_damaged_journal_is_kept_aside_and_a_fresh_one_begun(path, damage):
    with Journal.open(path) as journal:
        journal.append([event("turn", n=n, text="x" * 200) for n in range(300)])
    if damage == "row":
        bytes_ = path.read_bytes().replace(b'{"event": "turn"', b'{"event"\x00\x00"turn"', 1)
    elif damage == "zeros":
        bytes_ = bytes(path.stat().st_size)
    else:
        bytes_ = path.read_bytes()
        bytes_ = bytes_[:8192] + random.Random(1).randbytes(len(bytes_) - 12288) + bytes_[-4096:]
    path.write_bytes(bytes_)
    with Journal.open(path) as journal:
        assert journal.warning is not None
        assert "damaged" in journal.warning
        journal.append([begin()])
        assert journal.games() == (1,)
    (aside,) = path.parent.glob("boardref.db.damaged-*")
    assert aside.read_bytes() == bytes_
    with Journal.open(path) as journal:
        assert journal.warning is None


def test_a_damaged_journal_is_only_named_by_a_reader(path):
    path.write_bytes(bytes(8192))
    with pytest.raises(JournalError, match="damaged"):
        Journal.open(path, read_only=True)
    assert path.read_bytes() == bytes(8192)


@pytest.mark.parametrize(
    "ask",
    [Journal.games, Journal.events, Journal.contents, Journal.last_session, lambda journal: journal.events(1)],
    ids=["games", "events", "contents", "last_session", "events of one"],
)
def test_a_disk_that_fails_while_a_journal_is_open_is_one_sentence(path, ask):
    with Journal.open(path) as journal:
        journal.append([begin(), *(event("turn", n=n, text="x" * 200) for n in range(1, 400))])
    with Journal.open(path, create=False, read_only=True, checked=True) as reader:
        with path.open("r+b") as file:
            file.seek(4096)  # behind the first page, which says what tables there are
            file.write(b"\xff" * (path.stat().st_size - 4096))
        with pytest.raises(JournalError, match=r"can't be read \(.*\); check the disk"):
            ask(reader)


def test_places_where_no_journal_can_be(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("my shopping list, long enough to be read as a header\n" * 9, encoding="utf-8")
    foreign = tmp_path / "foreign.db"
    other = sqlite3.connect(foreign)
    other.execute("CREATE TABLE recipes (name TEXT)")
    other.close()
    (tmp_path / "empty.db").touch()
    cases = [
        (tmp_path, False, "is a folder"),
        (text, False, "is not a journal"),
        (foreign, False, "another program"),
        (tmp_path / "none" / "j.db", False, "no folder"),
        (tmp_path / "none.db", True, "no journal"),
        (tmp_path / "empty.db", True, "empty"),
    ]
    for place, read_only, said in cases:
        with pytest.raises(JournalError, match=said):
            Journal.open(place, read_only=read_only)
    assert text.read_text(encoding="utf-8").startswith("my shopping list")


def test_a_folder_without_rights_is_one_sentence(tmp_path):
    # Root may write anywhere but into the kernel's own folder.
    folder = "/proc" if os.geteuid() == 0 else str(tmp_path)
    if folder != "/proc":
        tmp_path.chmod(0o500)
    with pytest.raises(JournalError, match="permissions"):
        Journal.open(f"{folder}/boardref.db")
    tmp_path.chmod(0o700)


def test_a_reader_lists_while_a_table_writes(path):
    with Journal.open(path) as table:
        table.append([begin()])
        with Journal.open(path, read_only=True) as reader:
            stop = threading.Event()

            def write():
                n = 0
                while not stop.is_set():
                    n += 1
                    table.append([event("turn", n=n)])

            thread = threading.Thread(target=write)
            thread.start()
            counts = []
            while len(counts) < 20 or counts[-1] < 5:
                numbers = [row.data["n"] for row in reader.rows() if row.event == "turn"]
                assert numbers == list(range(1, len(numbers) + 1))
                counts.append(len(numbers))
            stop.set()
            thread.join()
            assert counts == sorted(counts)
            with pytest.raises(JournalError, match="reading only"):
                reader.append([begin()])


def test_two_tables_may_share_a_file(path):
    with Journal.open(path) as one, Journal.open(path) as other:
        one.append([begin(1)])
        other.append([begin(1)])
        one.append([event("turn", 1, n=1), begin(2)])
        other.append([event("turn", 1, n=1)])
        assert one.games() == (1, 2, 3)
        assert [row.game for row in one.rows()] == [1, 2, 1, 3, 2]


WRITER = """
import sys
from controller.journal.store import Journal
journal = Journal.open(sys.argv[1])
n = int(sys.argv[2])
while True:
    n += 1
    journal.append([{"event": "turn", "t": 0.0, "frame": 0, "game_no": 1, "internal": False, "n": n, "half": h}
                    for h in (1, 2)])
    print(n, flush=True)
"""


def test_nothing_committed_is_lost_by_kill_9(path):
    chance = random.Random(20261130)
    promised = 0
    for _ in range(25):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(promised)], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        for _ in range(chance.randrange(1, 40)):
            promised = int(writer.stdout.readline())
        threading.Event().wait(chance.random() / 500)
        writer.send_signal(signal.SIGKILL)
        rest = writer.stdout.read().split()
        writer.wait()
        writer.stdout.close()
        if rest:
            promised = int(rest[-1])
        with Journal.open(path) as journal:
            assert journal.warning is None
            written = [(row.data["n"], row.data["half"]) for row in journal.rows()]
        # All that was promised, once, whole; at most one more whose promise was never printed.
        last = written[-1][0]
        assert last in (promised, promised + 1)
        assert written == [(n, half) for n in range(1, last + 1) for half in (1, 2)]
        promised = last
