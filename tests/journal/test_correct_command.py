"""`boardref games correct`: a finished game corrected with a reason; the record keeps both."""

import json

import pytest

from controller.cli import main
from controller.journal.fold import fold
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.referee.reducer import resume
from controller.referee.timing import Timing
from controller.rules.registry import game_named

GAME = game_named("transet")
TURNS = ("c1-c2", "c5-c4", "c2-c3", "a5-a4", "c3xc4@c5")
WON = ("c1-c2", "a5-a4", "c2-c3", "a4-a3", "c3-c4", "a3-a2", "c4xc5")


def fill(path, turns=TURNS, why="resigned"):
    """A journal with a finished game of these turns, and one that has begun since."""
    position = GAME.start()
    head = {"t": 1.0, "frame": 1, "game_no": 1, "internal": False}
    begun = {"event": "setup_complete", "position": GAME.position_text(position), "as": "start"}
    with Journal.open(path) as journal:
        journal.append([{**head, "event": "board_found", "game": "transet", "set": "transet", "game_no": 0}])
        journal.append([{**head, **begun}])
        for n, text in enumerate(turns, 1):
            verdict = GAME.judge_turn(position, text)
            assert verdict.complete, text
            player = GAME.to_move(position)
            position = verdict.position
            told = {"n": n, "player": player, "text": text, "legal": True, "position": GAME.position_text(position)}
            journal.append([{**head, "t": 10.0 * n, "event": "turn", **told, "revised": False}])
        outcome = GAME.outcome(position)
        result, why = (outcome.result, outcome.why) if outcome else ("North wins", why)
        winner = result.split()[0]
        journal.append([{**head, "event": "game_over", "winner": winner, "result": result, "why": why}])
        journal.append([{**head, **begun, "game_no": 2}])


def record(path, number=1):
    with Journal.open(path, read_only=True) as journal:
        return fold(journal.rows(number))


def correct(path, *words):
    return main(["games", "correct", "1", *words, "--journal", str(path)])


def test_a_turn_is_corrected_and_all_that_was_written_stays(tmp_path, capsys):
    path = tmp_path / "boardref.db"
    fill(path)
    with Journal.open(path) as journal:
        before = journal.events()
    assert correct(path, "--turn", "4", "--text", "e5-e4", "--reason", "It was the other corner.") == 0
    assert capsys.readouterr().out == "Game 1, turn 4: North e5-e4 (it said a5-a4).\n"
    found = record(path)
    assert [turn.text for turn in found.turns] == ["c1-c2", "c5-c4", "c2-c3", "e5-e4", "c3xc4@c5"]
    assert [turn.took_s for turn in found.turns] == [9.0, 10.0, 10.0, 10.0, 10.0]  # made when they were made
    assert any("It was the other corner." in ruling.text for ruling in found.rulings)
    assert found.result["why"] == "resigned"
    assert verify(found, GAME) is None
    with Journal.open(path) as journal:
        assert journal.events()[: len(before)] == before
        state = resume(GAME, "transet", Timing(), journal.last_session())
        assert state.game_no == 2  # the game on the table is still the last one played
        assert max(row.id for row in journal.rows(2)) < max(row.id for row in journal.rows(1))
    assert main(["games", "verify", "--all", "--journal", str(path)]) == 0
    assert main(["games", "show", "1", "--journal", str(path)]) == 0
    assert "It was the other corner." in capsys.readouterr().out


def test_what_no_longer_follows_is_said_before_it_falls(tmp_path, capsys):
    path = tmp_path / "boardref.db"
    fill(path)
    wanted = ("--turn", "1", "--text", "b1-a2", "--reason", "Seen again.")
    assert correct(path, *wanted) == 1
    said = capsys.readouterr().err
    assert "turns 3 to 5 would no longer follow: 3. South c2-c3" in said
    assert "--drop 3" in said
    assert [turn.text for turn in record(path).turns] == list(TURNS)
    assert correct(path, *wanted, "--drop", "4") == 1
    assert correct(path, *wanted, "--drop", "3") == 0
    assert [turn.text for turn in record(path).turns] == ["b1-a2", "c5-c4"]
    assert record(path).result["result"] == "North wins"  # who resigned has resigned
    assert verify(record(path), GAME) is None


def test_a_result_that_no_longer_follows_goes_and_the_game_can_be_resumed(tmp_path, capsys):
    path = tmp_path / "boardref.db"
    fill(path, WON)
    assert record(path).result["result"] == "South wins"
    at = GAME.parse_position(record(path).turns[5].position)
    text = next(GAME.turn_text(at, t) for t in GAME.legal_turns(at) if GAME.outcome(GAME.after(at, t)) is None)
    assert correct(path, "--turn", "7", "--text", text, "--reason", "Not taken.") == 0
    assert "open again" in capsys.readouterr().out
    assert record(path).result is None
    assert main(["games", "resume", "1", "--journal", str(path)]) == 0
    with Journal.open(path) as journal:
        assert resume(GAME, "transet", Timing(), journal.last_session()).game_no == 1


def test_a_deciding_turn_corrected_by_another_one_that_decides_leaves_the_result(tmp_path, capsys):
    path = tmp_path / "boardref.db"
    fill(path, (*WON[:5], "b5-a4", WON[6]))
    before = record(path).result
    assert correct(path, "--turn", "2", "--text", "e5-e4", "--reason", "x", "--drop", "4") == 0
    assert "open again" in capsys.readouterr().out
    fill(tmp_path / "other.db", WON)
    assert correct(tmp_path / "other.db", "--turn", "6", "--text", "e5-e4", "--reason", "x") == 0
    assert "result" not in capsys.readouterr().out
    assert record(tmp_path / "other.db").result == before


def test_a_turn_as_played(tmp_path):
    path = tmp_path / "boardref.db"
    fill(path, TURNS[:2])
    stood = "rb1br/2k2/2K2/5/RB1BR N"
    words = ("--turn", "1", "--text", "as played", "--reason", "Both agreed.")
    assert correct(path, *words) == 1
    assert correct(path, *words, "--position", stood.replace("2k2", "5").replace("rb1br", "rbkbr"), "--drop", "2") == 0
    turn = record(path).turns[0]
    assert (turn.text, turn.legal) == ("c1-c3", False)
    assert verify(record(path), GAME) is None


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--turn", "9", "--text", "c1-c2", "--reason", "x"), 1, "no turn with this number"),
        (("--turn", "1", "--text", "c1-c4", "--reason", "x"), 1, "not legal"),
        (("--turn", "1", "--text", "nonsense", "--reason", "x"), 2, "column"),
        (("--turn", "1", "--text", "c1-c2", "--reason", "x"), 1, "says already"),
        (("--turn", "1", "--text", "c1-c2", "--reason", " "), 2, "--reason"),
    ],
)
def test_what_cannot_be_corrected_is_said(tmp_path, capsys, words, code, said):
    path = tmp_path / "boardref.db"
    fill(path)
    assert correct(path, *words) == code
    assert said in capsys.readouterr().err
    assert [turn.text for turn in record(path).turns] == list(TURNS)


def test_a_game_that_is_not_over_is_corrected_on_the_page(tmp_path, capsys):
    path = tmp_path / "boardref.db"
    fill(path)
    words = ("--turn", "1", "--text", "c1-c2", "--reason", "x", "--data", str(tmp_path))
    assert main(["games", "correct", "2", *words]) == 1
    assert "not over" in capsys.readouterr().err
    assert main(["games", "correct", "7", *words]) == 1
    assert "no game 7" in capsys.readouterr().err


def test_a_correction_is_one_commit(tmp_path):
    path = tmp_path / "boardref.db"
    fill(path)
    assert correct(path, "--turn", "4", "--text", "e5-e4", "--reason", "x") == 0
    with Journal.open(path) as journal:
        rows = [row for row in journal.rows(1) if row.data.get("afterwards")]
    assert len({row.written_utc for row in rows}) == 1
    assert [row.event for row in rows] == ["ruling", "turn", "turn"]
    assert json.dumps(rows[0].data)
