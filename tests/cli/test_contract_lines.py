"""What the outside may rely on, line by line: `watch`, `look`, `games` on a small recording made of still pictures."""

import json
import re
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.cli import main
from controller.journal.store import Journal
from controller.rules.registry import game_named
from controller.table import Table
from controller.watcher import Watcher, chosen_sets
from firmware_bridge.scene import Scene
from vision.camera.frame import CameraStatus, Frame

FRAMES = Path(__file__).parents[1] / "data" / "frames" / "transet-b"
STORY = [(0, 20), (4, 3), (8, 22), (12, 3), (17, 22), (20, 3), (24, 22), (37, 3), (17, 14)]
"""A set-up, South d1-c2, North a5-a4, South's illegal e1-d2, put back: (picture, how many frames of 0.1 s)."""


@pytest.fixture(scope="session")
def recording(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recording")
    rows = ["file,t_s"]
    for number, count in STORY:
        name = f"frame_{number:06}.jpg"
        shutil.copy(FRAMES / name, folder)
        rows += [f"{name},{5 + len(rows) * 0.1 + n * 0.1:.2f}" for n in range(count)]
    (folder / "timestamps.csv").write_text("\n".join(rows) + "\n")
    return folder


def lines_of(capsys, *words):
    assert main(list(words)) == 0
    return capsys.readouterr().out


def test_every_event_has_the_keys_and_types_of_the_contract(recording, capsys):
    text = lines_of(capsys, "watch", str(recording), "--json")
    events = [json.loads(line) for line in text.splitlines()]
    told = [event["event"] for event in events]
    assert told == ["board_found", "setup_complete", "turn", "turn", "illegal", "restored"]
    for line, event in zip(text.splitlines(), events, strict=True):
        assert re.match(r'\{"event": "\w+", "t": \d+\.\d{3}, ', line)
        assert {"event", "t", "frame", "game_no"} <= set(event)
        assert type(event["frame"]) is int
        assert event["game_no"] == 1
    found, setup, first, second, illegal, restored = events
    assert found | {"game": "transet", "set": "transet"} == found
    assert setup | {"position": "rbkbr/5/5/5/RBKBR S", "as": "start"} == setup
    turns = [(turn["n"], turn["player"], turn["text"], turn["legal"], turn["revised"]) for turn in (first, second)]
    assert turns == [(1, "South", "d1-c2", True, False), (2, "North", "a5-a4", True, False)]
    assert second["position"] == "1bkbr/r4/5/2B2/RBK1R S"
    assert (illegal["player"], illegal["code"], set(illegal["sites"])) == ("South", "WRONG_STEP", {"e1", "d2"})
    first_reason = illegal["reasons"][0]
    assert {key: illegal[key] for key in ("code", "sites", "why")} == {
        key: first_reason[key] for key in ("code", "sites", "why")
    }
    assert first_reason["rule"] == "transet 2.1"
    assert illegal["way_back"] == [{"piece": "dark-PINET", "from": "d2", "to": "e1"}]
    assert restored["by"] == "put_back"
    assert lines_of(capsys, "watch", str(recording), "--json") == text


def test_a_sighting_log_of_a_recording_says_the_same_again(recording, capsys, tmp_path):
    log = str(tmp_path / "recording.sightings")
    text = lines_of(capsys, "watch", str(recording), "--json", "--sightings", log)
    assert text
    assert lines_of(capsys, "watch", log, "--json") == text


@pytest.mark.parametrize("language", ["nl", "de", "fr"])
def test_only_the_sentences_follow_the_language(capsys, language):
    question = ["rules", "judge", "transet", "--turn", "c1-c3", "--json"]
    english = json.loads(lines_of(capsys, *question))
    other = json.loads(lines_of(capsys, *question, "--language", language))
    assert set(other) == {"legal", "complete", "text", "position", "result", "owed", "reasons"}
    whys = [told["reasons"][0].pop("why") for told in (english, other)]
    assert english == other
    assert whys[0] != whys[1]


def test_what_watch_records_can_be_exported_and_verified(recording, capsys, tmp_path):
    journal = str(tmp_path / "j.db")
    lines_of(capsys, "watch", str(recording), "--json", "--journal", journal)
    record = json.loads(lines_of(capsys, "games", "export", "1", "--journal", journal, "--format", "json"))
    assert [turn["text"] for turn in record["turns"]] == ["d1-c2", "a5-a4"]
    assert record["game"] == "transet"
    assert len(lines_of(capsys, "games", "list", "--journal", journal).splitlines()) == 1
    assert "all 2 turns" in lines_of(capsys, "games", "verify", "--all", "--journal", journal)


def test_look_has_every_key_and_feeds_the_judge(capsys, tmp_path):
    picture = str(FRAMES / "frame_000008.jpg")
    assert main(["look", "none.jpg", picture, "--json"]) == 1
    failed, seen = map(json.loads, capsys.readouterr().out.splitlines())
    assert set(failed) == {"image", "error"}
    assert set(seen) == {"image", "game", "set", "placement", "off", "hidden", "uncertain", "ms"}
    assert seen["image"] == picture
    assert seen["placement"]["c2"] == ["dark-PIOKER"]
    (tmp_path / "seen.json").write_text(json.dumps(seen))
    answer = json.loads(
        lines_of(capsys, "rules", "judge", "transet", "--placement", str(tmp_path / "seen.json"), "--json")
    )
    assert set(answer) >= {"answer", "turns", "extendable", "owed", "missing", "reasons", "way_back"}
    assert answer["answer"] == "complete"
    assert [turn["text"] for turn in answer["turns"]] == ["d1-c2"]


def test_perft_and_turns_lines(capsys):
    assert json.loads(lines_of(capsys, "rules", "perft", "transet", "2", "--json")) == {
        "game": "transet", "position": "rbkbr/5/5/5/RBKBR S", "depth": 2, "nodes": 81,
    }  # fmt: skip
    *parts, total = lines_of(capsys, "rules", "perft", "transet", "2", "--divide").splitlines()
    assert sum(int(part.split()[1]) for part in parts) == int(total) == 81
    turns = [json.loads(line) for line in lines_of(capsys, "rules", "turns", "transet", "--json").splitlines()]
    assert all(set(turn) == {"text", "player", "position"} for turn in turns)
    assert len(turns) == 9


def test_bench_writes_objects_and_nothing_else(capsys):
    lines = lines_of(capsys, "bench", "--endurance", "--turns", "5", "--json").splitlines()
    assert len(lines) == 3
    assert all(isinstance(json.loads(line), dict) for line in lines)


SAVED = {"t": 0.0, "frame": 0, "game_no": 1}


def rows(game="transet", position="rbkbr/5/5/5/RBKBR S", options=None):
    line = {"anchor": position, "to_move": "South", "n": 0, "turns": [], "weak": False}
    return [
        {"event": "setup_complete", **SAVED, "position": position, "as": "start", "game": game, "set": game},
        {"event": "belief", **SAVED, "phase": "play", "lines": [line], "options": options or {}, "written": 0},
    ]


def test_a_game_goes_on_under_its_own_options_unless_told_otherwise():
    name, option = next((name, option) for name, option in game_named("transet").options.items())
    other = next(choice for choice in option.choices if choice != option.default)
    sets = chosen_sets(None, None)
    assert Watcher(sets, rows=rows(options={name: other})).game.chosen[name] == other
    again = Watcher(sets, rows=rows(options={name: other}), options={name: option.default})
    assert again.game.chosen[name] == option.default
    assert again.warning is None


@pytest.mark.parametrize(
    "saved",
    [rows(game="chess"), rows(position="nonsense"), rows(options={"foo": "x"}), [{"event": "belief", "lines": [{}]}]],
)
def test_a_record_that_cannot_go_on_begins_a_new_game_and_says_so(saved):
    watcher = Watcher(chosen_sets(None, None), rows=saved)
    assert "can't be taken up" in watcher.warning
    assert (watcher.state.phase, watcher.state.lines) == ("searching", ())


class Nothing:
    """A camera that shows nothing."""

    def latest(self, after_index, timeout_s):
        return None

    def status(self):
        return CameraStatus("lost", "gone", 0.0)

    def close(self):
        pass


def test_the_page_hears_of_a_journal_put_aside(tmp_path):
    with Journal.open(tmp_path / "j.db") as journal:
        table = Table(
            Watcher(chosen_sets(None, None)), Nothing(), journal=journal, journal_warning="It was damaged."
        )
        assert {"state": "ok", "sentence": "It was damaged."}.items() <= table.snapshot().journal.items()
        assert isinstance(table.snapshot().scene, Scene)
        table.stop()


@pytest.mark.parametrize(("game", "known"), [(None, False), ("transet", True)])
def test_no_game_is_named_before_it_is_known(tmp_path, game, known):
    with Journal.open(tmp_path / "j.db") as journal:
        table = Table(Watcher(chosen_sets(game, None)), Nothing(), journal=journal)
        told = table.snapshot()
        assert (told.view.game, told.set and told.set.name) == ((game, game) if known else (None, None))
        assert told.view.players == (("South", "North") if known else ("", ""))
        assert bool(told.view.options) is known
        assert told.scene.state == "searching"
        table.stop()


def test_a_board_that_was_seen_or_played_on_stays_known():
    watcher = Watcher(chosen_sets(None, None))
    assert not watcher.recognised
    nothing = [{"event": "cannot_see", "t": 1.0, "frame": 0, "game_no": 0, "code": "lost", "sites": []}]
    assert not Watcher(chosen_sets(None, None), rows=nothing).recognised
    watcher.see(Frame(cv2.imread(str(FRAMES / "frame_000000.jpg")), 1.0, 1))
    assert (watcher.recognised, watcher.board.game) == (True, "transet")
    watcher.see(Frame(np.full((720, 1280, 3), 90, np.uint8), 2.0, 2))
    assert watcher.recognised
    found = [{"event": "board_found", "t": 1.0, "frame": 0, "game_no": 0, "game": "transet", "set": "transet"}]
    assert Watcher(chosen_sets(None, None), rows=found).recognised
