"""`boardref rules` on Transfer, through main()."""

import json

import pytest

from controller.cli import main

LATE = "-/ooooo/vvvvv/gyyyy/ppppp/-/sssss/ygggg/bbbbb"
SMALL = "ooooo/sssss/gggg/yyyy/bbbbb/vvvvv/ppppp/gy/-"
START = "osgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp"


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["rules", *words]) == 0
    return capsys.readouterr().out


def test_perft_and_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "perft", "transfer", "3", "--position", f"{LATE} S") == "854\n"
    assert run(capsys, "perft", "transfer", "1", "--position", f"{LATE} N") == "1\n"
    *parts, total = run(capsys, "perft", "transfer", "2", "--position", f"{SMALL} S", "--divide").splitlines()
    assert (len(parts), total) == (14, "97")
    assert sum(int(part.rpartition(" ")[2]) for part in parts) == 97
    assert run(capsys, "perft", "transfer", "1", "--position", f"{SMALL} S", "--option", "null_turn=forbid") == "13\n"


def test_turns_of_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "turns", "transfer", "--position", f"{LATE} N") == "--\n"
    lines = [
        json.loads(line)
        for line in run(capsys, "turns", "transfer", "--position", f"{SMALL} ?", "--json").split("\n")
        if line
    ]
    assert [line["player"] for line in lines] == ["South"] * 14 + ["North"] * 14
    assert len({line["position"] for line in lines}) == 28
    assert {line["text"][:3] for line in lines} == {"S: ", "N: "}


def test_a_turn_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(run(capsys, "judge", "transfer", "--turn", "la3 ui2 ub1", "--json"))
    assert told == {
        "legal": True, "complete": True, "text": "LA3 UI2 UB1", "result": None, "owed": [], "reasons": [],
        "position": "y/obvpo/sgyb/vpos/gybv/posg/ybvp/osgy/sgbvp N 0-0",
    }  # fmt: skip
    told = json.loads(run(capsys, "judge", "transfer", "--turn", "LA1", "--json", "--language", "de"))
    assert (told["legal"], told["complete"], told["position"]) == (False, False, None)
    assert [(r["code"], r["sites"], r["rule"]) for r in told["reasons"]] == [
        ("OWN_PLATFORM_NOT_EMPTY", ["south.1"], "transfer 2.2")
    ]
    assert told["reasons"][0]["why"].startswith("Der Schieber von Süd")
    last = "oooo/sssss/ggggg/yyyyy/bbbbb/vvvvv/ppppp/o/- S 2-4"
    told = json.loads(run(capsys, "judge", "transfer", "--turn", "LH1 UA1", "--position", last, "--json"))
    assert (told["text"], told["result"]) == ("LH1 UA1*", "North wins")
    told = json.loads(run(capsys, "judge", "transfer", "--turn", "LH1 UA1", "--position", last[:-3] + "?-?", "--json"))
    assert told["result"] == "score unknown"


@pytest.mark.parametrize("words", [["--turn", "--"], ["--turn=--"]], ids=len)
def test_a_pass_as_text(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    told = json.loads(run(capsys, "judge", "transfer", *words, "--position", f"{LATE} N", "--json"))
    assert (told["legal"], told["text"], told["position"]) == (True, "--", f"{LATE} S 0-0")
    told = json.loads(run(capsys, "judge", "transfer", "--json", *words))
    assert (told["legal"], told["text"], [r["code"] for r in told["reasons"]]) == (False, "--", ["NOT_A_TURN"])
    assert main(["rules", "judge", "transet", *words]) == 2
    assert "(column 1)" in capsys.readouterr().err


def test_texts_that_cannot_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--turn", "LA1 UZ1"], ["--turn", "LA1", "--position", "osgy S"]):
        assert main(["rules", "judge", "transfer", *words]) == 2
        assert "column" in capsys.readouterr().err


def test_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run(capsys, "options", "transfer").splitlines()
    assert [line.partition("  ")[0] for line in lines] == [
        "starter = B", "adjacency = order", "platform = lifo", "push_test = stroke", "overpush = false",
        "null_turn = allow", "no_turn = pass", "early_end = false",
    ]  # fmt: skip
