"""`boardref games`, as a person types it; and a table that comes back from what it wrote."""

import json

import pytest

from controller.cli import main
from controller.journal.importing import read_game
from controller.journal.store import Journal
from controller.referee.reducer import resume
from controller.referee.timing import Timing
from controller.rules.registry import game_named

GAME = game_named("transet")


def fill(path, turns=3, over=False):
    """A journal with one game of the first legal turns; the position after it."""
    position = GAME.start()
    head = {"t": 1.0, "frame": 1, "game_no": 1, "internal": False}
    with Journal.open(path) as journal:
        journal.append([{**head, "event": "board_found", "game": "transet", "set": "transet", "game_no": 0}])
        begun = GAME.position_text(position)
        journal.append([{**head, "event": "setup_complete", "position": begun, "as": "start"}])
        for n in range(1, turns + 1):
            turn, player = next(iter(GAME.legal_turns(position))), GAME.to_move(position)
            text, position = GAME.turn_text(position, turn), GAME.after(position, turn)
            told = {"n": n, "player": player, "text": text, "legal": True, "position": GAME.position_text(position)}
            journal.append([{**head, "event": "turn", **told, "revised": False}])
        if over:
            ended = {"winner": "South", "result": "South wins", "why": "North resigned"}
            journal.append([{**head, "event": "game_over", **ended}])
    return position


def test_list_show_export_verify(tmp_path, capsys):
    position = GAME.position_text(fill(tmp_path / "boardref.db"))
    where = ["--data", str(tmp_path)]
    assert main(["games", "list", *where]) == 0
    assert "transet" in (listed := capsys.readouterr().out)
    assert "3 turns  not finished" in listed
    assert main(["games", "show", "1", *where]) == 0
    assert position in capsys.readouterr().out
    out = tmp_path / "game.json"
    assert main(["games", "export", "1", "--format", "json", "-o", str(out), *where]) == 0
    assert json.loads(out.read_text(encoding="utf-8"))["position"] == position
    for which in ("1", "--all"):
        assert main(["games", "verify", which, "--journal", str(tmp_path / "boardref.db")]) == 0
        assert capsys.readouterr().out == "game 1: all 3 turns follow by the rules\n"


def test_the_settings_say_where_the_games_are(tmp_path, capsys):
    fill(tmp_path / "boardref.db")
    (tmp_path / "empty").mkdir()
    for name, folder in (("table.toml", tmp_path), ("other.toml", tmp_path / "empty")):
        (tmp_path / name).write_text(f"data = {json.dumps(str(folder))}\n")
    Journal.open(tmp_path / "empty" / "boardref.db").close()
    for action in (("list",), ("show", "1"), ("verify", "--all"), ("backup", str(tmp_path / "b.zip"))):
        assert main(["games", *action, "--config", str(tmp_path / "table.toml")]) == 0
        assert capsys.readouterr().out
    outranked = ["--config", str(tmp_path / "table.toml"), "--data", str(tmp_path / "empty")]
    for where in (["--config", str(tmp_path / "other.toml")], outranked):
        assert main(["games", "list", *where]) == 0
        said = capsys.readouterr()
        assert (said.out, "No games are recorded yet in" in said.err) == ("", True)
    assert main(["games", "list", "--player", "nobody", "--data", str(tmp_path)]) == 0
    assert capsys.readouterr() == ("", "boardref: None of the recorded games fits.\n")
    assert main(["games", "list", "--config", str(tmp_path / "nope.toml")]) == 1
    assert "nope.toml" in capsys.readouterr().err
    wrong = tmp_path / "wrong.toml"
    wrong.write_text((tmp_path / "table.toml").read_text() + "camra = 1\n")
    assert main(["games", "list", "--config", str(wrong)]) == 1
    assert "camra" in capsys.readouterr().err
    assert main(["games", "backup", str(tmp_path / "b.zip"), "--config", str(wrong)]) == 0


def test_verify_fails_on_a_turn_that_does_not_follow(tmp_path, capsys):
    fill(tmp_path / "boardref.db")
    row = {"event": "turn", "t": 2.0, "frame": 2, "game_no": 1, "n": 2, "player": "North", "text": "a5-a1"}
    with Journal.open(tmp_path / "boardref.db") as journal:
        journal.last_session()
        journal.append([{**row, "legal": True, "position": "1bkbr/5/5/5/rBKBR S", "revised": True}])
    assert main(["games", "verify", "--all", "--data", str(tmp_path)]) == 1
    assert "turn 2 (North a5-a1) is not legal: TOO_FAR" in capsys.readouterr().out


def test_the_table_comes_back_with_the_resumed_game(tmp_path, capsys):
    path = tmp_path / "boardref.db"
    position = fill(path)
    with Journal.open(path) as journal:  # another game has begun since
        begun = {"event": "setup_complete", "position": GAME.position_text(GAME.start()), "as": "start"}
        journal.append([{**begun, "t": 0.0, "frame": 0, "game_no": 1}])
    assert main(["games", "resume", "1", "--data", str(tmp_path)]) == 0
    assert GAME.position_text(position) in capsys.readouterr().out
    with Journal.open(path) as journal:
        state = resume(GAME, "transet", Timing(), journal.last_session())
    assert state.phase == "play"
    assert state.game_no == 1
    assert [line.position for line in state.lines] == [position]
    assert state.guiding is not None  # whatever stands, the table leads to it
    assert [played.n for played in state.played] == [1, 2, 3]
    assert main(["games", "verify", "1", "--data", str(tmp_path)]) == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["show", "9"], 1, "no game 9"),
        (["resume", "1"], 1, "is over"),
        (["verify"], 2, "--all"),
        (["export", "1", "-o", "{}/none/x.csv"], 1, "check the name"),
        (["list", "--journal", "{}/none.db"], 1, "no journal"),
        (["list", "--journal", "{}"], 1, "is a folder"),
    ],
)
def test_faults_are_one_sentence(tmp_path, capsys, words, code, said):
    fill(tmp_path / "boardref.db", over=True)
    words = [word.format(tmp_path) for word in words]
    where = [] if "--journal" in words else ["--data", str(tmp_path)]
    assert main(["games", *words, *where]) == code
    told = capsys.readouterr().err
    assert told.startswith("boardref: ")
    assert told.count("\n") == 1
    assert said in told


def test_the_state_folder_is_the_default(tmp_path, monkeypatch, capsys):
    fill(tmp_path / "boardref.db")
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    assert main(["games", "list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.parametrize(("clock", "mark"), [(0, "?"), (1, " "), (None, " ")])
def test_times_of_a_clock_that_was_not_set_are_marked(tmp_path, capsys, monkeypatch, clock, mark):
    monkeypatch.setattr("controller.journal.store.clock_synchronised", lambda: clock)
    fill(tmp_path / "boardref.db")
    told = {}
    for what in ("list", "text", "json", "csv"):
        words = ["list"] if what == "list" else ["export", "1", "--format", what]
        assert main(["games", *words, "--data", str(tmp_path)]) == 0
        told[what] = capsys.readouterr().out
    known = None if clock is None else bool(clock)
    assert told["list"][22] == mark
    assert ("the clock was not set" in told["text"]) is (known is False)
    record = json.loads(told["json"])
    said = [record["begun_clock_synchronised"], *(turn["clock_synchronised"] for turn in record["turns"])]
    assert said == [known] * 4
    heads, *rows = (line.split(",") for line in told["csv"].splitlines())
    assert {row[heads.index("clock_synchronised")] for row in rows} == {"" if known is None else str(known).lower()}
    for form in ("text", "json"):  # it comes in again with its mark
        read, _ = read_game(told[form])
        assert read.begun_clock_synchronised is (known if form == "json" or known is False else None)
