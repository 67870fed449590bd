"""A backup of a table that plays, and its way back: whole or refused, and nothing is lost on the way."""

import contextlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import pytest

from controller import backup
from controller.backup import restore_backup, write_backup
from controller.cli import main
from controller.journal.fold import fold
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.rules.registry import game_named
from controller.sloppy import Report
from controller.sloppy.evening import evening
from controller.sloppy.games import manners_at
from controller.sloppy.sitting import Sitting

GAME = game_named("transet")


class Enough(Exception):
    """The evening is over."""


class Writing(Sitting):
    """A sitting whose events go to a journal."""

    def __init__(self, journal, seed=3):
        self.journal, self.enough = journal, threading.Event()
        super().__init__(GAME, seed, Report())

    def judge(self, item):
        if self.enough.is_set():
            raise Enough
        step = super().judge(item)
        self.journal.append([{**event.as_json(), "internal": event.internal} for event in step.events])
        return step


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A data folder with a few games."""
    folder = tmp_path_factory.mktemp("played")
    with Journal.open(folder / "boardref.db") as journal:
        evening(manners_at(Writing(journal)), 20)
    (folder / "wrong.sightings").write_text("a report\n")
    return folder


@pytest.fixture
def data(played, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    for file in played.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


def rows(path):
    with Journal.open(path, read_only=True) as journal:
        return list(journal.rows())


def run(capsys, *words):
    capsys.readouterr()
    code = main([str(word) for word in words])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    assert "internal" not in err
    return code, out, err


def test_backups_of_a_table_that_plays(tmp_path, capsys):
    path = tmp_path / "boardref.db"
    made = []
    with Journal.open(path) as journal:
        table = Writing(journal)

        def play():
            with contextlib.suppress(Enough):
                evening(manners_at(table), 1000)

        player = threading.Thread(target=play)
        player.start()
        while journal.contents().games == 0:
            player.join(0.05)
        for number in range(4):
            made.append(tmp_path / f"backup-{number}.zip")
            write_backup(made[-1], path)
            assert player.is_alive()
        table.enough.set()
        player.join()
    whole = rows(path)
    for target in made:
        back = tmp_path / target.stem
        back.mkdir()
        assert main(["games", "restore", str(target), "--data", str(back)]) == 0
        restored = rows(back / "boardref.db")
        assert restored == whole[: len(restored)], "a backup is what was committed at one moment"
    assert len(restored) > 0
    capsys.readouterr()
    with Journal.open(back / "boardref.db") as journal:
        assert all(verify(fold(journal.rows(number)), GAME) is None for number in journal.games())
        journal.append([{"event": "turn", "t": 1.0, "internal": False, "game_no": 0}])
        with pytest.raises(Exception, match="append-only"):
            journal._connection.execute("DELETE FROM row")


def test_back_to_the_backup_and_the_old_file_is_kept(data, tmp_path, capsys):
    config = tmp_path / "table.toml"
    config.write_text('camera = "http://me:hunter2@10.0.0.7/cam"\nprofile = "gone.toml"\n')
    target = tmp_path / "backup.zip"
    before = rows(data / "boardref.db")
    code, out, _ = run(capsys, "games", "backup", target, "--data", data, "--config", config)
    assert code == 0
    assert "1 sighting logs" in out
    with zipfile.ZipFile(target) as archive:
        settings = archive.read("settings/table.toml").decode()
    assert "hunter2" not in settings
    assert "10.0.0.7" in settings
    with Journal.open(data / "boardref.db") as journal:
        journal.append([{"event": "operator", "t": 1.0, "internal": False, "game_no": 0, "state": "called"}])
        # a table that runs keeps its file
        code, _, err = run(capsys, "games", "restore", target, "--data", data)
        assert code == 1
        assert "stop it first" in err
    later = rows(data / "boardref.db")
    assert len(later) == len(before) + 1
    (data / "wrong.sightings").unlink()
    code, out, _ = run(capsys, "games", "restore", target, "--data", data)
    assert code == 0
    assert rows(data / "boardref.db") == before
    assert (data / "wrong.sightings").read_text() == "a report\n"
    (aside,) = data.glob("boardref.db.before-restore-*")
    assert str(aside) in out
    assert rows(aside) == later


class Cut(BaseException):
    """The power fails."""


@pytest.mark.parametrize("at", range(14))
@pytest.mark.parametrize("read", [False, True])
def test_a_restore_that_is_cut_short_leaves_the_old_journal_or_the_new_one(data, tmp_path, monkeypatch, at, read):
    """`read`: somebody looks at the old games meanwhile, so that their log can't be folded in."""
    target = tmp_path / "backup.zip"
    old = rows(data / "boardref.db")
    write_backup(target, data / "boardref.db")
    with Journal.open(data / "boardref.db") as journal:
        journal.append([{"event": "operator", "t": 1.0, "internal": False, "game_no": 0, "state": "called"}])
    (data / "wrong.sightings").unlink()
    done = [0]
    reader = sqlite3.connect(data / "boardref.db", isolation_level=None)
    if read:
        with Journal.open(data / "boardref.db") as journal:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM row").fetchone()
            journal.append([{"event": "operator", "t": 2.0, "internal": False, "game_no": 0, "state": "answered"}])

    def counted(act):
        def instead(*words, **more):
            if str(tmp_path) in str(words[0]) and ".restore-" not in str(words[-1]):
                if done[0] == at:
                    raise Cut
                done[0] += 1
            return act(*words, **more)

        return instead

    with monkeypatch.context() as patch:
        patch.setattr(backup, "FOLD_S", 0.01)
        patch.setattr(os, "link", counted(os.link))
        patch.setattr(os, "open", counted(os.open))
        for name in ("replace", "unlink"):
            patch.setattr(Path, name, counted(getattr(Path, name)))
        with contextlib.suppress(Cut):
            restore_backup(target, data / "boardref.db")
    left = {path: path.read_bytes() for path in data.glob("boardref.db*")}
    reader.close()
    for path, content in left.items():  # as they were at that moment, not as the last one to leave tidies them
        path.write_bytes(content)
    found, later = rows(data / "boardref.db"), len(old) + 1 + read
    assert found[: len(old)] == old
    assert len(found) in (len(old), later)
    kept = [rows(path) for path in data.glob("boardref.db.before-restore-*") if path.suffix not in ("-wal", "-shm")]
    assert len(found) == later or len(kept[0]) == later, "nothing is lost"
    assert len(found) == later or (data / "wrong.sightings").exists(), "what the new journal names is there"


def test_a_log_that_was_not_folded_in_is_kept_and_never_read_into_the_new_file(data, tmp_path, capsys):
    target = tmp_path / "backup.zip"
    before = rows(data / "boardref.db")
    write_backup(target, data / "boardref.db")
    with Journal.open(data / "boardref.db") as journal:
        journal.append([{"event": "operator", "t": 1.0, "internal": False, "game_no": 0, "state": "called"}])
        crash = {side: (data / f"boardref.db{side}").read_bytes() for side in ("", "-wal")}
    for side, content in crash.items():
        (data / f"boardref.db{side}").write_bytes(content)  # as a power cut leaves them
    assert run(capsys, "games", "restore", target, "--data", data)[0] == 0
    assert rows(data / "boardref.db") == before
    (aside,) = data.glob("boardref.db.before-restore-*")
    assert len(rows(aside)) == len(before) + 1


def test_a_damaged_backup_is_refused_or_harmless(data, tmp_path, capsys):
    target, odd = tmp_path / "backup.zip", tmp_path / "odd.zip"
    write_backup(target, data / "boardref.db")
    whole, text = rows(data / "boardref.db"), target.read_bytes()
    (data / "boardref.db").unlink()
    refused = 0
    for place in range(3, len(text), len(text) // 40):
        odd.write_bytes(text[:place] + bytes([text[place] ^ 0x41]) + text[place + 1 :])
        code, _, err = run(capsys, "games", "restore", odd, "--data", data)
        if code == 0:  # a byte of no meaning, such as the year of a file
            assert rows(data / "boardref.db") == whole
            (data / "boardref.db").unlink()
        else:
            refused += 1
            assert code == 1
            assert str(odd) in err
            assert not (data / "boardref.db").exists()
    assert refused > 30
    for length in (0, 1, 100, len(text) // 2, len(text) - 1):
        odd.write_bytes(text[:length])
        assert run(capsys, "games", "restore", odd, "--data", data)[0] == 1
    assert not list(data.glob(".restore*"))


def with_manifest(target, **changes):
    other = target.with_name("other.zip")
    with zipfile.ZipFile(target) as old, zipfile.ZipFile(other, "w") as new:
        for name in old.namelist():
            told = old.read(name)
            new.writestr(name, json.dumps(json.loads(told) | changes) if name == "backup.json" else told)
    return other


def test_foreign_and_newer_files_are_refused(data, tmp_path, capsys):
    target = tmp_path / "backup.zip"
    write_backup(target, data / "boardref.db")
    before = rows(data / "boardref.db")
    code, _, err = run(capsys, "games", "restore", with_manifest(target, format=2), "--data", data)
    assert code == 1
    assert "newer Boardref" in err
    for odd in ({"boardref": "x"}, {"sha256": {}}, {"contents": 1}, {"contents": {"games": 1}}, {"sha256": 3},
                {"contents": {"games": 1, "rows": 1, "last_row": 1, "format": 1}}):  # fmt: skip
        assert run(capsys, "games", "restore", with_manifest(target, **odd), "--data", data)[0] == 1, odd
    other = tmp_path / "a.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("x", "y")
    assert run(capsys, "games", "restore", other, "--data", data)[0] == 1
    assert run(capsys, "games", "restore", data / "boardref.db", "--data", data)[0] == 1
    assert run(capsys, "games", "restore", tmp_path / "none.zip", "--data", data)[0] == 1
    assert run(capsys, "games", "restore", target, "--data", tmp_path / "none")[0] == 1
    assert rows(data / "boardref.db") == before
    # a journal of a newer format inside
    newer = tmp_path / "newer.db"
    newer.write_bytes((data / "boardref.db").read_bytes())
    with Journal.open(newer) as journal:
        journal._connection.execute("PRAGMA user_version=99")
    code, _, err = run(capsys, "games", "backup", tmp_path / "n.zip", "--journal", newer)
    assert code == 1
    assert "newer" in err


def test_a_damaged_journal_makes_no_backup(data, tmp_path, capsys):
    target = tmp_path / "backup.zip"
    target.write_bytes(b"an older backup")
    text = (data / "boardref.db").read_bytes()
    (data / "boardref.db").write_bytes(text[:8000] + b"\xff" * 9000 + text[17000:])
    code, _, err = run(capsys, "games", "backup", target, "--data", data)
    assert code == 1
    assert "damaged" in err
    assert target.read_bytes() == b"an older backup"


LIMITED = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2); " \
    "from controller.cli import main; sys.exit(main(sys.argv[2:]))"  # fmt: skip


@pytest.mark.parametrize("action", ["backup", "restore"])
def test_no_room(data, tmp_path, action):
    target = tmp_path / "backup.zip"
    write_backup(target, data / "boardref.db")
    before, kept = rows(data / "boardref.db"), target.read_bytes()
    limit = len(kept) // 2
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(limit), "games", action, str(target), "--data", str(data)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "room" in done.stderr
    assert rows(data / "boardref.db") == before
    assert target.read_bytes() == kept
    assert sorted(file.name for file in tmp_path.iterdir()) == ["backup.zip", "data"]
    assert not list(data.glob(".*"))


@pytest.mark.parametrize(("free_mb", "fits"), [(0, False), (1, False), (500, True)])
def test_room_is_looked_for_before_anything_is_copied(data, tmp_path, monkeypatch, capsys, free_mb, fits):
    target = tmp_path / "backup.zip"
    write_backup(target, data / "boardref.db")
    before = sorted(data.iterdir())
    monkeypatch.setattr(backup.shutil, "disk_usage", lambda folder: shutil._ntuple_diskusage(9**12, 0, free_mb * 10**6))
    code, _, err = run(capsys, "games", "restore", target, "--data", data)
    assert (code == 0) is fits
    assert fits or ("make room" in err and f"{free_mb} MB are free" in err)
    assert fits or sorted(data.iterdir()) == before


KILLED = """
import sys
from pathlib import Path
from controller import backup
from controller.backup import restore_backup
print("ready", flush=True)
restore_backup(Path(sys.argv[1]), Path(sys.argv[2]))
"""


def test_a_restore_that_is_killed_leaves_the_old_data_or_the_new(data, tmp_path, started):
    """At random moments, by the kernel; from time to time it is finished before that."""
    target, journal = tmp_path / "backup.zip", data / "boardref.db"
    old = rows(journal)
    write_backup(target, journal)
    chance, seen = random.Random(3), set()
    for n in range(4):
        with Journal.open(journal) as opened:
            opened.append([{"event": "operator", "t": 1.0, "internal": False, "game_no": 0, "state": str(n)}])
        later = len(rows(journal))
        process = started([sys.executable, "-c", KILLED, str(target), str(journal)])
        assert process.stdout.readline() == "ready\n"
        time.sleep(chance.random() * 0.12)
        process.kill()
        process.wait()
        found = rows(journal)
        assert found[: len(old)] == old
        assert len(found) in (len(old), later)
        seen.add(len(found) == later)
        assert all(len(rows(aside)) > len(old) for aside in data.glob("boardref.db.before-restore-*[0-9]"))
    assert seen


def test_a_backup_whose_list_fills_the_memory_is_none(data, tmp_path, capsys):
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("backup.json", " " * 50_000_000)
    code, _, err = run(capsys, "games", "restore", bomb, "--data", data)
    assert (code, "is no backup of Boardref" in err) == (1, True)


@pytest.mark.parametrize("words", [
    ("games", "backup", "{}"), ("games", "export", "1", "-o", "{}"),
    ("games", "export", "1", "--format", "gif", "-o", "{}"),
    ("bundle", "-o", "{}"), ("kit", "transet", "-o", "{}"),
])  # fmt: skip
def test_nothing_is_written_over_a_journal(data, capsys, words):
    before = {file.name: file.read_bytes() for file in data.iterdir()}
    for name in before:
        if name.startswith("boardref.db") and not name.endswith(".lock"):
            ending = ("--data", data) if words[0] == "games" else ()
            code, _, err = run(capsys, *(word.format(data / name) for word in words), *ending)
            assert (code, "is a journal or another database" in err) == (2, True)
    assert {file.name: file.read_bytes() for file in data.iterdir() if file.name in before} == before
