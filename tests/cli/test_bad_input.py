"""Bad input: one sentence on stderr, the right exit code, no traceback, and nothing lost."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from importlib.resources import files
from pathlib import Path

import cv2
import pytest

from controller.cli import main
from controller.journal.store import Journal

FRAMES = Path(__file__).parents[1] / "data" / "frames" / "transet-a"
PICTURE = FRAMES / "frame_000000.jpg"
BOARDREF = [sys.executable, "-m", "controller.cli"]
SET = (files("calibration") / "sets" / "transet.toml").read_text(encoding="utf-8")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("empty", "broken", "folder"):
        (tmp_path / folder).mkdir()
    (tmp_path / "broken" / "a.jpg").write_bytes(b"no picture")
    (tmp_path / "empty.mp4").write_bytes(b"")
    (tmp_path / "junk.mp4").write_bytes(bytes(range(256)) * 20)
    cv2.VideoWriter(str(tmp_path / "noframes.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 25.0, (64, 48)).release()
    (tmp_path / "cut.jpg").write_bytes(PICTURE.read_bytes()[:5000])
    whole = PICTURE.read_bytes()
    (tmp_path / "half.jpg").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "hole.jpg").write_bytes(whole[: len(whole) // 2] + whole[len(whole) // 2 + 500 :])
    (tmp_path / "empty.jpg").write_bytes(b"")
    (tmp_path / "junk.db").write_text("this is no journal, whatever its name says")
    (tmp_path / "key.toml").write_text(SET.replace("game =", "gaem ="))
    (tmp_path / "lens.toml").write_text("[lens]\nfocal_per_width = nan\nk1 = 0\n")
    with Journal.open(tmp_path / "newer.db"):
        pass
    with sqlite3.connect(tmp_path / "newer.db") as connection:
        connection.execute("PRAGMA user_version=99")
    connection.close()
    return tmp_path


def told(capsys, *words):
    try:
        code = main(list(words))
    except SystemExit as end:
        code = end.code
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    assert "internal fault" not in said.err
    return code, said.out, said.err


W = ("watch", str(FRAMES))
BAD = [
    (2, "COMMAND", ()),
    (2, "frobnicate", ("frobnicate",)),
    (1, "no recording", ("watch", "nofile")),
    (2, "SOURCE is empty", ("watch", "")),
    (1, "holds no", ("watch", "empty")),
    (1, "no frame of broken", ("watch", "broken")),
    (1, "no video", ("watch", "empty.mp4")),
    (1, "no video", ("watch", "junk.mp4")),
    (1, "single picture", ("watch", "cut.jpg")),
    (1, "no camera /dev/video97", ("watch", "/dev/video97")),
    (1, "no camera /dev/video97", ("watch", "97")),
    (1, "did you mean game", (*W, "--set", "key.toml")),
    (1, "no set file", (*W, "--set", "none.toml")),
    (1, "profile", (*W, "--profile", "none.toml")),
    (1, "usable lens", (*W, "--profile", "lens.toml")),
    (1, "is a folder", (*W, "--journal", "folder")),
    (1, "not a journal", (*W, "--journal", "junk.db")),
    (1, "newer Boardref", (*W, "--journal", "newer.db")),
    (1, "no folder", (*W, "--journal", "no/such/x.db")),
    (2, "JOURNAL is empty", (*W, "--journal", "")),
    (2, "(column 1)", (*W, "--position", "foo")),
    (2, "(column 19)", (*W, "--position", "rbkbr/5/5/5/RBKBR X")),
    (2, "NAME=VALUE", (*W, "--option", "foo")),
    (2, "no option 'foo'", (*W, "--game", "transet", "--option", "foo=bar")),
    (2, "no game here takes foo=bar;", (*W, "--option", "foo=bar")),
    (2, "swop_wins=true and null_turn=allow", (*W, "--option", "swop_wins=true", "--option", "null_turn=allow")),
    (2, "no game 'nope'", (*W, "--game", "nope")),
    (2, "invalid choice: 'es'", (*W, "--language", "es")),
    *[(2, "--fps", (*W, f"--fps={fps}")) for fps in ("0", "nan", "-1", "inf", "x", "0.001")],
    (1, "no picture nofile", ("look", "nofile.jpg")),
    (1, "cut short", ("look", "cut.jpg")),
    (1, "cut short", ("look", "half.jpg")),
    (1, "damaged", ("look", "hole.jpg")),
    (1, "is empty", ("look", "empty.jpg")),
    (1, "is a folder", ("look", "folder")),
    (2, "IMAGES is empty", ("look", "")),
    (1, "profile", ("look", str(PICTURE), "--profile", "folder")),
    (2, "no set for 'nope'", ("kit", "nope", "-o", "x.pdf")),
    (1, "nofile.txt: it can't be read", ("games", "import", "nofile.txt", "--journal", "folder/new.db")),
    (2, "line 1, column 1", ("games", "import", "empty.jpg", "half.jpg", "--journal", "folder/new.db")),
    (2, "OUTPUT is empty", ("kit", "transet", "-o", "")),
    (2, "--scale", ("kit", "transet", "-o", "x.pdf", "--scale", "nan")),
    (1, "can't be written", ("kit", "transet", "-o", "folder")),
    (1, "no video", ("watch", "noframes.avi")),
    (1, "can't be written", ("kit", "transet", "-o", "no/x.pdf")),
    (2, "no game", ("rules", "turns", "nope")),
    (2, "(column 1)", ("rules", "judge", "transet", "--turn", "zzz")),
    (2, "(column 2)", ("rules", "judge", "transet", "--placement", "{")),
    (2, "object", ("rules", "judge", "transet", "--placement", "[]")),
    (1, "no site 'z9'", ("rules", "judge", "transet", "--placement", '{"placement": {"z9": ["dark-PINET"]}}')),
    (1, "nofile", ("rules", "judge", "transet", "--placement", "nofile")),
    (2, "DEPTH", ("rules", "perft", "transet", "-1")),
    (2, "DEPTH", ("rules", "perft", "transet", "99999999")),
    (1, "no journal", ("games", "list", "--journal", "none.db")),
    (1, "not a journal", ("games", "list", "--journal", "junk.db")),
    (1, "newer Boardref", ("games", "show", "1", "--journal", "newer.db")),
    (1, "/dev/ttyNONE", ("lights", "test", "--port", "/dev/ttyNONE")),
    (1, "light map", ("lights", "test", "--map", "none.json")),
    *[(2, "--seconds", ("lights", "test", f"--seconds={seconds}")) for seconds in ("-1", "nan", "inf", "x", "61")],
    (2, "no set for", ("lights", "map", "--game", "nope")),
    (1, "no readable picture", ("bench", "--frames", "broken")),
    (2, "--port", ("demo", "--port", "99999")),
    (1, "data folder", ("demo", "--port", "0", "--no-browser", "--data", "junk.db")),
    (2, "no game", ("demo", "--port", "0", "--no-browser", "--game", "nope")),
]


@pytest.mark.parametrize(("code", "part", "words"), BAD, ids=[" ".join(words[:1] + words[2:]) for _, _, words in BAD])
def test_one_sentence_and_the_right_code(place, capsys, code, part, words):
    there = {path.name for path in place.iterdir()}
    before = {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}
    assert told(capsys, *words)[0] == code
    got, out, err = told(capsys, *words)
    assert (got, out) == (code, "")
    assert part in err
    after = {name: (place / name).read_bytes() for name in before}
    assert after == before
    left = {path.name for path in place.iterdir() if not path.name.endswith(("-wal", "-shm"))}
    assert left == there


def test_a_self_crossing_site_is_named(place, capsys):
    crossing = place / "crossing.toml"
    crossing.write_text(SET + '\n[[sites]]\nid = "bow"\npolygon = [[50, 50], [90, 90], [90, 50], [50, 90]]\n')
    code, _, err = told(capsys, "look", str(PICTURE), "--set", str(crossing))
    assert code == 1
    assert "crossing.toml" in err
    assert "crosses itself" in err


def test_a_port_in_use_is_named(place, capsys):
    from controller.service import listening_socket

    taken = listening_socket("127.0.0.1", 0)
    try:
        code, _, err = told(capsys, "demo", "--no-browser", "--port", str(taken.getsockname()[1]))
    finally:
        taken.close()
    assert code == 1
    assert "is in use" in err
    assert "with --port" in err


@pytest.mark.parametrize(
    ("words", "choices"),
    [
        ((), ("demo", "serve", "watch", "doctor")),
        (("games",), ("list", "show", "export", "verify", "resume")),
        (("rules",), ("turns", "judge", "perft", "options")),
        (("lights",), ("list", "test", "identify", "map", "virtual")),
        (("calibrate",), ("lens",)),
    ],
)
def test_a_command_or_action_left_out_is_named_with_the_choices(capsys, words, choices):
    code, out, err = told(capsys, *words)
    assert (code, out) == (2, "")
    last = err.splitlines()[-1]
    assert last.endswith(")")
    assert set(choices) <= set(re.split(r"[ (),]+", last.partition("required:")[2]))
    code, _, err = told(capsys, "rules", "turns")
    assert (code, err.splitlines()[-1].rpartition(": ")[2]) == (2, "GAME")


def test_the_version_is_told(capsys):
    code, out, err = told(capsys, "--version")
    assert (code, err) == (0, "")
    assert re.fullmatch(r"boardref \d+\.\d+\S*\n", out)


@pytest.mark.parametrize("host", ["a..b", "a" * 70, ".", "999.1.1.1", "::g", "no such host", "\0"])
def test_a_host_that_is_none_is_named(place, capsys, host):
    code, _, err = told(capsys, "demo", "--no-browser", "--port", "0", "--host", host)
    assert code == 1
    assert "there is no address" in err


def test_a_reader_that_goes_away_is_no_fault():
    process = subprocess.Popen([*BOARDREF, "rules", "turns", "transet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.wait(20) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.parametrize("word", [signal.SIGINT, signal.SIGTERM])
def test_a_table_without_camera_and_lights_answers_and_ends(place, word, started):
    """Its journal can't be opened either: the page says all three."""
    (place / "data" / "boardref.db").mkdir(parents=True)
    (place / "bare.toml").write_text(
        'camera = "/dev/video97"\nport = 0\nhost = "127.0.0.1"\nlights = "/dev/ttyNONE"\ndata = "data"\n'
    )
    process = started([*BOARDREF, "serve", "--config", "bare.toml"], env={**os.environ, "PYTHONUNBUFFERED": "1"})
    address = re.search(r"http://\S+/", process.stdout.readline())[0]
    for _ in range(50):
        with urllib.request.urlopen(f"{address}api/state", timeout=5) as answer:
            state = json.load(answer)
        if state["camera"]["state"] == "lost" and state["link"]["sentence"]:
            break
        time.sleep(0.1)
    assert "/dev/video97" in state["camera"]["sentence"]
    assert "/dev/ttyNONE" in state["link"]["sentence"]
    assert "is a folder" in state["journal"]["sentence"]
    process.send_signal(word)
    _, err = process.communicate(timeout=5)
    assert process.returncode == 0
    assert "Traceback" not in err
    assert "No record is kept" in err


@pytest.mark.parametrize(
    "words", [("lights", "virtual"), ("rules", "perft", "transet", "9", "--divide"), ("bench", "--endurance")]
)
def test_long_commands_end_when_told(words):
    process = subprocess.Popen([*BOARDREF, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=5)
    assert (process.returncode, err) == (0, "")


@pytest.mark.parametrize("words", [("kit", "transet"), ("lights", "map"), ("bundle",)])
def test_a_device_is_written_to_and_not_replaced(tmp_path, capsys, words):
    sink = tmp_path / "sink"
    sink.symlink_to(os.devnull)
    assert told(capsys, *words, "-o", str(sink))[0] == 0
    assert Path(os.devnull).is_char_device()
    assert [path.name for path in tmp_path.iterdir()] == ["sink"]
    assert sink.is_symlink()


def test_a_backup_takes_the_place_of_no_device(tmp_path, capsys):
    with Journal.open(tmp_path / "boardref.db"):
        pass
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for target in (pipe, Path(os.devnull)):
        code, _, err = told(capsys, "games", "backup", str(target), "--data", str(tmp_path))
        assert (code, err) == (1, f"boardref: {target} is no file; name the backup's file\n")
    assert pipe.is_fifo()
