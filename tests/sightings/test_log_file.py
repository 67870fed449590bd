"""Damaged, cut, foreign and newer sighting logs: a clear sentence, and what can be read of them is judged."""

import json
import os
import zlib
from dataclasses import replace
from itertools import pairwise

import pytest

from controller.cli import main
from controller.referee.reducer import initial
from controller.rules.registry import game_named
from controller.sightings.beginning import Beginning, beginning_from, beginning_told
from controller.sightings.errors import SightingLogError
from controller.sightings.file import LogFile, LogReader
from controller.sightings.ring import SightingLog
from controller.sightings.values import as_value, from_value
from controller.sloppy import Report
from controller.sloppy.evening import evening
from controller.sloppy.games import manners_at
from controller.sloppy.sitting import Sitting


class Kept(Sitting):
    def __init__(self, name, *, turns, seed=5, **ring):
        self.log = SightingLog(**ring)
        super().__init__(game_named(name), seed, Report())
        evening(manners_at(self), turns)

    def judge(self, item):
        before = self.state
        step = super().judge(item)
        self.log.note(before, item, self.state)
        return step


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "whole.sightings"
    with LogFile(path) as file:
        file.add(Kept("transet", turns=6).log.pieces())
    return path


def watch(capsys, path, *more):
    capsys.readouterr()
    code = main(["watch", str(path), "--json", *more])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    assert code == 0 or err.rstrip().splitlines()[-1].startswith("boardref: ")
    return code, out.splitlines(), err


def sealed(lines):
    """The lines with a last one that fits them: as if they had been written so."""
    text = b"".join(line + b"\n" for line in lines)
    end = json.dumps({"end": {"lines": len(lines), "crc32": zlib.crc32(text)}}).encode()
    return text + end + b"\n"


def test_a_log_that_breaks_off_is_judged_as_far_as_it_goes(log, tmp_path, capsys):
    _, whole, _ = watch(capsys, log)
    text = log.read_bytes()
    cut = tmp_path / "cut.sightings"
    for length in (len(text) - 2, len(text) - 40, len(text) * 2 // 3, len(text) // 3):
        cut.write_bytes(text[:length])
        code, told, err = watch(capsys, cut)
        assert code == 1
        assert told == whole[: len(told)]
        assert str(cut) in err
    assert told


def test_any_changed_byte_is_noticed(log, tmp_path, capsys):
    text = log.read_bytes()
    odd = tmp_path / "odd.sightings"
    for place in range(7, len(text), len(text) // 25):
        changed = bytes([text[place] ^ 1])
        odd.write_bytes(text[:place] + changed + text[place + 1 :])
        code, _, err = watch(capsys, odd)
        assert code == 1, f"byte {place}"
        assert "internal" not in err, err
        assert str(odd) in err


@pytest.mark.parametrize(
    "text",
    [b"", b"hello\n", b"\xff\xfe\x00", b"[" * 100_000, b"{}", b'{"boardref": "journal"}\n', b"SQLite format 3\0"],
)
def test_a_foreign_file_is_named_so(tmp_path, capsys, text):
    path = tmp_path / "foreign.sightings"
    path.write_bytes(text)
    code, told, err = watch(capsys, path)
    assert (code, told) == (1, [])
    assert "is no sighting log" in err
    assert path.read_bytes() == text


def test_a_newer_file_asks_for_an_update(log, tmp_path, capsys):
    head, rest = log.read_bytes().split(b"\n", 1)
    newer = tmp_path / "newer.sightings"
    newer.write_bytes(json.dumps(json.loads(head) | {"format": 2}).encode() + b"\n" + rest)
    code, told, err = watch(capsys, newer)
    assert (code, told) == (1, [])
    assert "newer Boardref" in err
    assert "update" in err


def test_no_file_and_no_log(tmp_path, capsys):
    assert watch(capsys, tmp_path / "none.sightings")[0] == 1
    (tmp_path / "folder.sightings").mkdir()
    assert watch(capsys, tmp_path / "folder.sightings")[0] == 1
    assert watch(capsys, tmp_path, "--sightings", str(tmp_path / "x.txt"))[0] == 2


@pytest.mark.parametrize(
    "more", [["--game", "taasen"], ["--position", "setup", "--option", "x=y"], ["--option", "advance=7"]]
)
def test_what_the_log_says_itself_can_not_be_asked_otherwise(log, capsys, more):
    assert watch(capsys, log, *more)[0] == 2
    assert watch(capsys, log, "--game", "transet")[0] == 0


def test_a_log_of_another_version_begins_with_the_belief(tmp_path, capsys):
    table = Kept("taasen", turns=14, keep_s=15.0)
    pieces = table.log.pieces()
    begin = next(piece.begin for piece in pieces if piece.begin.lines)
    told = beginning_told(begin)
    assert beginning_from(told).warning is None
    assert beginning_from(json.loads(json.dumps(told))).state == replace(begin, memo=None)
    told["state"]["of_another_version"] = 1
    other = beginning_from(told)
    assert other.warning is not None
    assert "of_another_version" in other.warning
    assert [line.position for line in other.state.lines] == [line.position for line in begin.lines]
    assert [line.record for line in other.state.lines] == [line.record for line in begin.lines]
    assert (other.state.game_no, other.state.phase) == (begin.game_no, begin.phase)
    # and the file as a whole
    path, older = tmp_path / "this.sightings", tmp_path / "other.sightings"
    with LogFile(path) as file:
        file.add(pieces)
    lines = path.read_bytes().splitlines()[:-1]
    first = json.loads(lines[1])
    del first["begin"]["state"]["seen"]
    older.write_bytes(sealed([lines[0], json.dumps(first).encode(), *lines[2:]]))
    _, here, _ = watch(capsys, path)
    code, told_there, err = watch(capsys, older)
    assert code == 0
    assert "what the referee believed" in err

    def turns(lines):
        found = {}
        for one in map(json.loads, lines):
            if one["event"] == "turn":
                found[one["game_no"], one["n"]] = one["position"]
        return found

    assert turns(told_there) == turns(here)
    assert turns(here)


def test_only_frozen_data_comes_out_of_a_file():
    assert from_value(as_value(initial(game_named("transet"), set_name="x").timing), "")
    for name in ("os.system", "subprocess.Popen", "controller.referee.reducer.reduce", "controller.rules.api.Game",
                 "controller.rules.transet.game.Transet", "controller.referee.state.Draft", "controller.rules.x.Y",
                 "controller.journal.store.Row", "pathlib.Path", "Path", ""):  # fmt: skip
        with pytest.raises(SightingLogError):
            from_value({"is": name, "state": 1}, "")
    for odd in ({}, {"set": 1}, {"set": [{"map": []}]}, {"map": [1]}, {"x": 1}):
        with pytest.raises(SightingLogError):
            from_value(odd, "")


def test_a_beginning_that_is_none_is_refused(log):
    told = json.loads(log.read_bytes().splitlines()[1])["begin"]
    assert isinstance(beginning_from(told), Beginning)
    for key, value in [("game", "chess"), ("mode", "x"), ("options", {"x": "y"}), ("game", None), ("options", 3)]:
        with pytest.raises(SightingLogError):
            beginning_from(told | {key: value})
    for key in ("game", "options", "mode"):
        with pytest.raises(SightingLogError):
            beginning_from({name: value for name, value in told.items() if name != key})


def test_the_ring_stays_small_and_forgets_the_oldest():
    table = Kept("transfer", turns=6, keep_s=1e9, most_bytes=6_000)
    kept = table.log.pieces()
    assert table.log.held_bytes < 6_000 + 64 * 1024 + 4000
    assert kept[0].from_s > 0
    assert all(after.joined and after.from_s >= before.until_s for before, after in pairwise(kept))


def test_a_disk_without_room_leaves_nothing_behind(log, tmp_path):
    """/dev/full has no room for anything."""
    path = tmp_path / "reported.sightings"
    os.symlink("/dev/full", tmp_path / "reported.sightings.part")
    pieces = Kept("transet", turns=2).log.pieces()
    with pytest.raises(OSError, match="No space"), LogFile(path) as file:
        file.add(pieces)
    assert list(tmp_path.iterdir()) == []


def test_nothing_seen_writes_nothing(tmp_path):
    with pytest.raises(SightingLogError, match="nothing has been seen"), LogFile(tmp_path / "empty.sightings"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_reader_says_at_once_whether_the_file_is_whole(log):
    assert LogReader(log).fault is None
