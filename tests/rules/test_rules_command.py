"""`boardref rules`, through main(): streams, exit codes, the contract's keys."""

import io
import json
from pathlib import Path

import pytest

from controller.cli import main
from controller.rules.registry import UnknownGameError, game_named, game_names

MID = "r1kbr/5/3b1/3K1/RBB1R S"
CAPTURED = {
    "a5": ["light-PINET"], "c5": ["light-PIAS"], "d5": ["light-PIOKER"], "e5": ["light-PINET"], "d3": ["dark-PIAS"],
    "a1": ["dark-PINET"], "b1": ["dark-PIOKER"], "c1": ["dark-PIOKER"], "e1": ["dark-PINET"],
}  # fmt: skip


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["rules", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_turns(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "turns", "transet")
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 9
    code, out, _ = run(capsys, "turns", "transet", "--position", MID, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) == 14
    assert {"text": "d2xd3@b5", "player": "South", "position": "rbkbr/5/3K1/5/RBB1R N"} in lines
    code, out, _ = run(capsys, "turns", "transet", "--option", "swop_exchange=true")
    assert len(out.splitlines()) == 13
    code, out, _ = run(capsys, "turns", "transet", "--position", "rbkbr/5/5/5/RBKBR ?", "--json")
    assert {json.loads(line)["player"] for line in out.splitlines()} == {"South", "North"}


def test_perft(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "perft", "transet", "3")
    assert (code, out) == (0, "855\n")
    assert err.strip()
    _, out, _ = run(capsys, "perft", "transet", "2", "--divide")
    assert out.splitlines()[-1] == "81"
    assert "c1-c2 9" in out.splitlines()
    _, out, _ = run(capsys, "perft", "transet", "2", "--json")
    assert json.loads(out) == {"game": "transet", "position": "rbkbr/5/5/5/RBKBR S", "depth": 2, "nodes": 81}


def test_judge_a_turn(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "judge", "transet", "--turn", "d2xd3@b5", "--position", MID, "--json")
    assert code == 0
    assert json.loads(out) == {
        "legal": True, "complete": True, "text": "d2xd3@b5", "position": "rbkbr/5/3K1/5/RBB1R N", "result": None,
        "owed": [], "reasons": [],
    }  # fmt: skip
    code, out, _ = run(capsys, "judge", "transet", "--turn", "d2xd3", "--position", MID, "--json", "--language", "de")
    told = json.loads(out)
    assert (code, told["legal"], told["position"]) == (0, False, None)
    (reason,) = told["reasons"]
    assert (reason["code"], reason["sites"], reason["rule"]) == ("NO_REPLACEMENT", ["d3"], "transet 2.2")
    assert "Reihe 5" in reason["why"]
    position = "rbk1r/2K2/3b1/B4/R2BR S"
    _, out, _ = run(capsys, "judge", "transet", "--turn", "c4xc5", "--position", position, "--json")
    assert (json.loads(out)["text"], json.loads(out)["result"]) == ("c4xc5#", "South wins")
    _, out, _ = run(capsys, "judge", "transet", "--turn", "a1-b2")
    assert "WRONG_STEP" in out


def test_judge_a_placement(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look = json.dumps(
        {"image": "x.jpg", "placement": CAPTURED, "off": ["light-PIOKER"], "hidden": [], "platforms": None}
    )
    file = tmp_path / "look.json"
    file.write_text(look + "\n", encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO(look))
    answers = [
        run(capsys, "judge", "transet", "--position", MID, "--json", "--placement", given)
        for given in (look, str(file), "-")
    ]
    assert len({out for _, out, _ in answers}) == 1
    told = json.loads(answers[0][1])
    assert list(told) == ["answer", "turns", "extendable", "owed", "missing", "reasons", "way_back", "nearest"]
    assert told["answer"] == "partial"
    assert told["owed"] == [{"player": "South", "act": "return", "piece": "light-PIOKER", "sites": [], "to": ["b5"]}]
    done = json.dumps({"placement": {**CAPTURED, "b5": ["light-PIOKER"]}})
    _, out, _ = run(capsys, "judge", "transet", "--position", MID, "--json", "--placement", done)
    assert json.loads(out)["turns"] == [{"text": "d2xd3@b5", "position": "rbkbr/5/3K1/5/RBB1R N"}]
    wrong = json.dumps({"placement": {**CAPTURED, "b4": ["light-PIOKER"]}})
    _, out, _ = run(capsys, "judge", "transet", "--position", MID, "--json", "--placement", wrong)
    told = json.loads(out)
    assert [r["code"] for r in told["reasons"]] == ["BAD_REPLACEMENT"]
    assert told["way_back"] == [
        {"piece": "dark-PIAS", "from": "d3", "to": "d2"},
        {"piece": "light-PIOKER", "from": "b4", "to": "d3"},
    ]
    code, out, _ = run(capsys, "judge", "transet", "--position", MID, "--placement", wrong)
    assert code == 0
    assert "BAD_REPLACEMENT" in out
    both = tmp_path / "two.json"
    both.write_text(f"{look}\n{done}\n", encoding="utf-8")
    _, out, _ = run(capsys, "judge", "transet", "--position", MID, "--json", "--placement", str(both))
    assert [json.loads(line)["answer"] for line in out.splitlines()] == ["partial", "complete"]


@pytest.mark.parametrize("game", ["transet", "taasen", "transfer"])
def test_a_picture_without_a_board_leaves_everything_unclear(capsys: pytest.CaptureFixture[str], game: str) -> None:
    blank = {"image": "x.jpg", "game": None, "set": None, "placement": {}, "off": [], "hidden": [], "platforms": None}
    code, out, _ = run(capsys, "judge", game, "--json", "--placement", json.dumps(blank))
    told = json.loads(out)
    assert (code, told["answer"], told["reasons"], told["way_back"]) == (0, "unclear", [], [])


def test_options(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "options", "transet")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["swop_exchange", "swop_wins", "repetition_draw"]


WRONG = [
    (["turns", "transett"], 2, "did you mean 'transet'"),
    (["turns", "transet", "--position", "rbkbr/5/5 S"], 2, "column 10"),
    (["turns", "transet", "--position", "rbkbr/5/5/5/RBKBR"], 2, "side to move"),
    (["turns", "transet", "--option", "swop_exchange"], 2, "NAME=VALUE"),
    (["turns", "transet", "--option", "swop_exchange=2"], 2, "swop_exchange"),
    (["judge", "transet", "--turn", "a1-z2"], 2, "column 4"),
    (["judge", "transet", "--placement", "{not json"], 2, "column"),
    (["judge", "transet", "--placement", "{}x"], 2, "column"),
    (["judge", "transet", "--placement", '{"placement": {"a1": "dark-PIAS"}}'], 2, "list of pieces"),
    (["judge", "transet", "--placement", '{"placement": {"z9": ["dark-PIAS"]}}'], 1, "z9"),
    (["judge", "transet", "--placement", '{"error": "no board"}'], 1, "no board"),
    (["judge", "transet", "--placement", "[" * 100_000], 2, "no JSON"),
    (["judge", "transet", "--placement", '{"placement": {}, "ms": ' + "1" * 5000 + "}"], 2, "no JSON"),
    (["judge", "transfer", "--placement", '{"placement": {}, "hidden": ["z9"]}'], 1, "no site 'z9' in Transfer"),
    (["judge", "taasen", "--placement", '{"placement": {}, "hidden": ["z9"]}'], 1, "no site 'z9' in Taasen"),
    (["judge", "transfer", "--placement", '{"platforms": {"north": {"slots": 1}}}'], 2, "slots"),
    (["judge", "transfer", "--placement", '{"platforms": {"north": {"slots": "sky"}}}'], 2, "slots"),
    (["judge", "transet", "--placement", "/nowhere/at/all.json"], 1, "nowhere"),
    (["perft", "transet", "-1"], 2, ""),
]


@pytest.mark.parametrize(("words", "code", "told"), WRONG, ids=lambda v: str(v)[:40])
def test_wrong_usage_is_one_sentence(
    capsys: pytest.CaptureFixture[str], words: list[str], code: int, told: str
) -> None:
    try:
        got, out, err = run(capsys, *words)
    except SystemExit as stop:  # argparse's own
        got, (out, err) = int(str(stop.code)), capsys.readouterr()
    assert (got, out) == (code, "")
    assert told in err
    assert "Traceback" not in err


def test_the_registry_finds_games_by_entry_point() -> None:
    assert "transet" in game_names()
    assert game_named("transet").author == "Harm van Veen"
    with pytest.raises(UnknownGameError, match="no game"):
        game_named("chess")


def test_a_picture_that_could_not_be_read_keeps_no_other_from_being_judged(capsys, tmp_path):
    start = {"a1": ["dark-PINET"]}
    lines = [{"image": "none.jpg", "error": "there is no such file"}, {"placement": start}]
    file = tmp_path / "looked.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    assert main(["rules", "judge", "transet", "--placement", str(file), "--json"]) == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["answer"] for line in out.splitlines()] == ["partial"]
    assert "no such file" in err


@pytest.mark.parametrize("game", game_names())
@pytest.mark.parametrize("seen", [{"placement": {"Q9": ["stone"]}}, {"hidden": ["Q9"]}, {"error": "cut short"}])
def test_a_placement_that_cannot_be_judged_says_what_to_give(
    capsys: pytest.CaptureFixture[str], game: str, seen: dict[str, object]
) -> None:
    code, out, err = run(capsys, "judge", game, "--placement", json.dumps(seen))
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "; " in err
