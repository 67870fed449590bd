"""Old games go when the owner wants it: whole, finished, never the running one, and the journal stays append-only."""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller import keeping as keeping_module
from controller.journal import store
from controller.journal.deleting import delete_game
from controller.journal.errors import JournalError
from controller.journal.retention import Rules, due
from controller.journal.store import Journal
from controller.keeping import Keeping, Settings
from controller.referee.view import View
from controller.sightings.ring import SightingLog

HEAD = {"t": 1.0, "frame": 1, "internal": False}
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def game(journal, number, *, over=True, named=False, report=None):
    head = {**HEAD, "game_no": number}
    journal.append(
        [{**head, "event": "setup_complete", "position": f"secret{number}", "as": "start", "game": "transet"}]
    )
    if named:
        journal.append([{**head, "event": "players", "names": {"South": f"Anna{number}"}, "by": "operator"}])
    if report:
        journal.append([{**head, "event": "reported", "file": report, "by": "operator", "note": ""}])
    if over:
        journal.append([{**head, "event": "game_over", "winner": None, "result": "draw", "why": "agreed"}])


class Clock:
    """The wall clock that the journal writes down."""

    def __init__(self, monkeypatch):
        self.now, self.right = NOW, None
        clock = self

        class Now(datetime):
            @classmethod
            def now(cls, tz=None):
                return clock.now

        monkeypatch.setattr(store, "datetime", Now)
        monkeypatch.setattr(store, "clock_synchronised", lambda: clock.right)
        monkeypatch.setattr(keeping_module, "clock_synchronised", lambda: clock.right)


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


def numbers(path):
    with Journal.open(path, read_only=True) as journal:
        return journal.games()


def filled(path, clock, days, **each):
    """One game for each entry: so many days old."""
    with Journal.open(path) as journal:
        for number, age in enumerate(days, 1):
            clock.now = NOW - timedelta(days=age)
            game(journal, number, **{key: number in wanted for key, wanted in each.items()})
        clock.now = NOW
    return path


def planned(path, now=NOW, **rules):
    with Journal.open(path, read_only=True) as journal:
        return due(journal, Rules(**rules), now)


def test_which_games_go(tmp_path, clock):
    path = filled(tmp_path / "boardref.db", clock, [90, 60, 50, 40, 10, 5], over={1, 2, 4, 5, 6}, named={2})
    assert planned(path) == ()
    assert planned(path, keep_days=30) == (1, 4)  # 2 is named, 3 was never finished
    assert planned(path, keep_days=30, keep_named=False) == (1, 2, 4)
    assert planned(path, keep_unfinished_days=30) == (3,)
    assert planned(path, keep_games=2) == (1, 4)
    assert planned(path, keep_games=1, keep_named=False) == (1, 2, 4, 5)
    assert planned(path, keep_days=1) == (1, 4, 5)  # the newest stays whatever its age
    assert planned(path, keep_days=1, now=NOW - timedelta(days=365)) == ()  # a clock that went back


@given(ages=st.lists(st.integers(0, 60), min_size=2, max_size=6), back=st.integers(1, 800), at=st.integers(0, 6))
@settings(max_examples=25, deadline=None)
def test_a_clock_that_was_put_back_for_a_while_makes_no_game_old(tmp_path_factory, ages, back, at):
    """Though the system held that clock for right: no game is older than those that were played before it."""
    with pytest.MonkeyPatch.context() as patched:
        clock = Clock(patched)
        real = sorted(ages, reverse=True)
        told = [age + (back if number >= at else 0) for number, age in enumerate(real)]
        path = filled(tmp_path_factory.mktemp("back") / "boardref.db", clock, [*told, 0], over=set(range(1, 9)))
    gone = planned(path, keep_days=30)
    assert all(min(told[:number]) >= 30 for number in gone)
    if at >= len(told):
        assert gone == tuple(number for number, age in enumerate(real, 1) if age >= 30)


def test_a_game_that_was_played_last_stays_though_it_is_old(tmp_path, clock):
    path = filled(tmp_path / "boardref.db", clock, [90, 80, 70], over={1, 2, 3})
    with Journal.open(path) as journal:
        clock.now = NOW - timedelta(days=60)
        journal.append([{**HEAD, "event": "resume", "game_no": 1, "game": 1, "position": "x"}])
        clock.now = NOW
    assert planned(path, keep_days=30) == (2,)
    with pytest.raises(JournalError, match="played last"):
        delete_game(path, 1)
    with pytest.raises(JournalError, match="newest"):
        delete_game(path, 3)
    assert numbers(path) == (1, 2, 3)


def test_the_game_that_the_table_goes_on_with_stays_whatever_else_was_written_since(tmp_path, clock):
    path = filled(tmp_path / "boardref.db", clock, [90, 80], over={1})
    with Journal.open(path) as journal:  # game 2 is on the table; another one is imported, and game 1 gets a name
        journal.append([{**HEAD, "event": "setup_complete", "game_no": 1, "position": "x", "as": "start"},
                        {**HEAD, "event": "imported", "game_no": 1, "format": "text", "file": "x"}])  # fmt: skip
    with Journal.open(path) as journal:
        named = {**HEAD, "event": "players", "game_no": 0, "game": 1, "names": {"South": ""}, "by": "operator"}
        journal.append([named])
    assert planned(path, now=NOW + timedelta(days=90), keep_days=1, keep_unfinished_days=1) == (1,)
    with pytest.raises(JournalError, match="played last"):
        delete_game(path, 2)
    with Journal.open(path) as journal:
        assert [event["position"] for event in journal.last_session()] == ["secret2"]


def test_times_of_a_clock_that_was_not_set_count_from_the_first_right_one(tmp_path, clock):
    path = tmp_path / "boardref.db"
    with Journal.open(path) as journal:
        clock.now, clock.right = datetime(1970, 1, 1, tzinfo=UTC), 0
        game(journal, 1)
        game(journal, 2)
        assert due(journal, Rules(keep_days=1), NOW) == ()  # nobody knows
        clock.now, clock.right = NOW - timedelta(days=3), 1
        game(journal, 3)
    assert planned(path, keep_days=2) == (1, 2)
    assert planned(path, keep_days=5) == ()


def test_a_deleted_game_is_gone_from_the_file_and_the_guards_are_back(tmp_path, clock):
    path = filled(tmp_path / "boardref.db", clock, [9, 8, 7], over={1, 2, 3}, named={1, 2, 3})
    with Journal.open(path) as journal:
        before = {number: list(journal.rows(number)) for number in (1, 3)}
        assert delete_game(path, 2) == ()  # while a table has it open
        assert journal.games() == (1, 3)
        assert {number: list(journal.rows(number)) for number in (1, 3)} == before
        for statement in ("DELETE FROM row", "UPDATE row SET game = 1", "DELETE FROM session"):
            with pytest.raises(Exception, match="append-only"):
                journal.connection.execute(statement)
        clock.now = NOW
        game(journal, 9)
        assert journal.games() == (1, 3, 4)  # no number is given twice
    for file in tmp_path.glob("boardref.db*"):
        assert b"secret2" not in file.read_bytes()
        assert b"Anna2" not in file.read_bytes()
    assert b"Anna3" in path.read_bytes()


@pytest.mark.parametrize("at", range(1, 12))
def test_a_deletion_that_is_cut_short_leaves_all_of_it(tmp_path, clock, monkeypatch, at):
    """Whatever statement is the last one that is carried out."""
    path = filled(tmp_path / "boardref.db", clock, [9, 8, 7], over={1, 2, 3})
    before = numbers(path)

    class Cut(Exception):
        pass

    import sqlite3

    from controller.journal import deleting

    class Connection(sqlite3.Connection):
        done = 0

        def execute(self, *words):
            Connection.done += 1
            if words[0] == "COMMIT" or Connection.done > at:
                raise Cut
            return super().execute(*words)

    class Module:
        Error = sqlite3.Error

        @staticmethod
        def connect(*words, **more):
            return sqlite3.connect(*words, **more, factory=Connection)

    monkeypatch.setattr(deleting, "sqlite3", Module)
    with pytest.raises(Cut):
        delete_game(path, 2)
    assert numbers(path) == before
    with Journal.open(path) as journal, pytest.raises(Exception, match="append-only"):
        journal.connection.execute("DELETE FROM row")


@settings(max_examples=12, deadline=None)
@given(
    games=st.lists(st.tuples(st.integers(0, 100), st.booleans(), st.booleans()), min_size=1, max_size=7),
    rules=st.builds(Rules, *[st.none() | st.integers(1, 90)] * 3, st.booleans()),
)
def test_what_is_deleted_is_never_what_somebody_wants(games, rules):
    with pytest.MonkeyPatch.context() as patch:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "boardref.db"
            clock = Clock(patch)
            days = sorted((age for age, _, _ in games), reverse=True)
            filled(path, clock, days, over={n for n, one in enumerate(games, 1) if one[1]},
                   named={n for n, one in enumerate(games, 1) if one[2]})  # fmt: skip
            with Journal.open(path, read_only=True) as journal:
                gone = due(journal, rules, NOW)
            assert len(games) not in gone
            for number in gone:
                age, (_, over, named) = days[number - 1], games[number - 1]
                assert not (named and rules.keep_named)
                assert over or (rules.keep_unfinished_days is not None and age >= rules.keep_unfinished_days)
                if over:
                    old = rules.keep_days is not None and age >= rules.keep_days
                    assert old or rules.keep_games is not None
                delete_game(path, number)
            left = numbers(path)
            assert set(left) == set(range(1, len(games) + 1)) - set(gone)
            if rules.keep_games is not None:
                finished = [n for n in left if games[n - 1][1] and not (games[n - 1][2] and rules.keep_named)]
                assert len([n for n in finished if days[n - 1] > 0]) <= rules.keep_games + 1


class Snapshot:
    def __init__(self):
        self.rev, self.view = 1, View(5.0, "play", game="transet", game_no=3, hand=False)


def keeping(folder, rules, **more):
    rows, snapshot = [], Snapshot()
    made = Keeping(folder, SightingLog(), lambda: snapshot, rows.append, Settings(rules, **more), now=lambda: NOW)
    return made, rows, snapshot


def test_the_table_tidies_up_while_it_rests_and_takes_reports_along(tmp_path, clock, monkeypatch):
    path = tmp_path / "boardref.db"
    with Journal.open(path) as journal:
        for number, age in enumerate([90, 60, 50, 2], 1):
            clock.now = NOW - timedelta(days=age)
            game(journal, number, report=f"wrong-call-{number}.sightings")
            (tmp_path / f"wrong-call-{number}.sightings").write_text("x")
        clock.now = NOW
    for name, age in (("stray-old", 40), ("stray-new", 20)):
        stray = tmp_path / f"wrong-call-{name}.sightings"
        stray.write_text("x")
        os.utime(stray, ((NOW - timedelta(days=age)).timestamp(),) * 2)
    keeper, rows, snapshot = keeping(tmp_path, Rules(keep_days=30))
    now_s = [0.0]
    monkeypatch.setattr(keeper, "_clock", lambda: now_s[0])
    assert not keeper.at_rest()
    now_s[0] = 30.0
    assert not keeper.at_rest()
    snapshot.rev = 2
    assert not keeper.at_rest()
    now_s[0] = 89.0
    assert not keeper.at_rest(), "somebody played half a minute ago"
    assert keeper.tidy() == ()
    now_s[0] = 5000.0
    assert keeper.at_rest()
    assert keeper.tidy() == (1, 2, 3)
    assert sorted(file.name for file in tmp_path.glob("*.sightings")) == [
        "wrong-call-4.sightings", "wrong-call-stray-new.sightings",
    ]  # fmt: skip
    assert [row["games"] for row in rows] == [[1, 2, 3]]
    assert keeper.tidy() == ()
    clock.right = 0
    now_s[0] = 99999.0
    assert keeper.tidy() == (), "nobody knows how old anything is"


def test_a_full_disk_or_a_damaged_journal_only_keeps_the_games(tmp_path, clock):
    path = filled(tmp_path / "boardref.db", clock, [90, 60, 2], over={1, 2, 3})
    text = path.read_bytes()
    path.write_bytes(text[:6000] + b"\xff" * 4000 + text[10000:])
    keeper, rows, snapshot = keeping(tmp_path, Rules(keep_days=30))
    snapshot.view = View(1.0, "over")
    assert keeper.tidy() == ()
    assert rows == []
    assert path.exists()
    assert not list(tmp_path.glob("*damaged*")), "a table may be writing to it"


def test_what_a_power_cut_left_half_made_goes_with_the_next_start(tmp_path):
    (tmp_path / "backups").mkdir()
    left = [tmp_path / "wrong-call-1.sightings.part", tmp_path / "backups" / ".backup-1.zip.part"]
    for path in left:
        path.write_text("x")
    for folder in (tmp_path / ".download-x", tmp_path / "backups" / ".backup-y"):
        folder.mkdir()
        (folder / "boardref.db").write_text("x")
        left.append(folder)
    kept = [tmp_path / "wrong-call-2.sightings", tmp_path / "boardref.db", tmp_path / "now.sightings.part"]
    for path in kept:
        path.write_text("x")
    for path in (*left, *kept[:2]):
        os.utime(path, ((NOW - timedelta(hours=2)).timestamp(),) * 2)
    os.utime(kept[2], (NOW.timestamp(),) * 2)
    keeping(tmp_path, Rules())[0].sweep()
    assert not [path for path in left if path.exists()]
    assert all(path.exists() for path in kept)


def test_what_a_broken_download_left_goes_while_the_table_runs_on(tmp_path, monkeypatch):
    monkeypatch.setattr("controller.keeping.LOOK_S", 0.01)
    keeper, _, _ = keeping(tmp_path, Rules())
    now_s = [0.0]
    monkeypatch.setattr(keeper, "_clock", lambda: now_s[0])
    left = tmp_path / ".download-x"

    def goes() -> bool:
        ends_s = time.monotonic() + 10
        while left.exists() and time.monotonic() < ends_s:
            time.sleep(0.01)
        return not left.exists()

    def leave() -> None:
        left.mkdir()
        os.utime(left, ((NOW - timedelta(hours=2)).timestamp(),) * 2)

    leave()
    keeper.start()
    try:
        assert goes()
        leave()
        now_s[0] = 3700.0
        assert goes()
    finally:
        keeper.stop()


def test_one_backup_a_day_and_only_the_last_few_stay(tmp_path, clock, monkeypatch):
    filled(tmp_path / "boardref.db", clock, [3, 2, 1], over={1, 2, 3})
    keeper, _, _ = keeping(tmp_path, Rules(), backups=2)
    now = [NOW]
    monkeypatch.setattr(keeper, "_now", lambda: now[0])
    names = []
    for hours in (0, 1, 24, 25, 48, 49):
        now[0] = NOW + timedelta(hours=hours)
        with Journal.open(tmp_path / "boardref.db") as journal:
            journal.append([{**HEAD, "event": "operator", "game_no": 0, "state": "called"}])
        made = keeper.nightly()
        names += [made.name] if made else []
    assert len(names) == 3
    with Journal.open(tmp_path / "boardref.db", read_only=True) as journal:
        for hours, same in ((72, False), (96, True), (120, True)):  # one for what came since, then nothing more comes
            now[0] = NOW + timedelta(hours=hours)
            names = [*names[:-1], keeper.nightly().name] if same else [*names, keeper.nightly().name]
    assert len(names) == 4
    names.pop(0)
    assert [path.name for path in keeper.backups()] == names[1:]
    assert [check.level for check in keeper.checks()] == ["ok"]
    now[0] = NOW + timedelta(days=19)
    assert [check.level for check in keeper.checks()] == ["warning"]
    (tmp_path / "boardref.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    assert keeper.nightly() is None
    assert [path.name for path in keeper.backups()] == names[1:]
    assert "failed" in next(iter(keeper.checks())).said
    filled(tmp_path / "other.db", clock, [3])
    (tmp_path / "other.db").replace(tmp_path / "boardref.db")
    ahead = tmp_path / "backups" / "backup-20991231T000000.zip"
    ahead.write_bytes(b"made by a clock that was wrong")
    now[0] = NOW + timedelta(days=30)
    made = keeper.nightly()
    assert made is not None
    assert made.exists()
    assert not ahead.exists(), "what is dated ahead is older than what was made since"
    now[0] = NOW - timedelta(days=365)  # the clock is put back by a year: the night's backup is the newest all the same
    for _ in range(4):
        now[0] += timedelta(days=1)
        filled(tmp_path / "boardref.db", clock, [3])
        made = keeper.nightly()
        assert made is not None
        assert made.exists()
    off, _, _ = keeping(tmp_path, Rules(), backups=0)
    assert off.nightly() is None
    assert list(off.checks()) == []
