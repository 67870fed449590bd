"""The fold against a simple model, and replaying records by the rules."""

import csv
import io
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.journal.export import as_csv, as_json, as_text
from controller.journal.fold import fold
from controller.journal.store import Row
from controller.journal.verify import verify
from controller.rules.registry import game_named

GAME = game_named("transet")


def row(number, event, **data):
    told = {"event": event, "t": number, **data}
    return Row(number, 1, 1, event, event == "belief", "2026-11-30T12:00:00+00:00", told)


def turn(number, n, position, player="South", legal=True):
    return row(number, "turn", n=n, player=player, text=f"to {position}", legal=legal, position=position, revised=False)


@st.composite
def histories(draw):
    """Rows as a referee may write them, and the list of positions that stands after them."""
    rows, model = [row(1, "setup_complete", position="start", **{"as": "start"})], []
    for number in range(2, draw(st.integers(2, 30))):
        what = draw(st.sampled_from(["next", "next", "revise", "withdraw"]))
        if what == "next" or not model:
            model.append(f"p{number}")
            rows.append(turn(number, len(model), model[-1]))
        elif what == "revise":
            n = draw(st.integers(max(1, len(model) - 1), len(model)))
            model[n - 1] = f"p{number}"
            rows.append(turn(number, n, model[n - 1]))
        else:
            n = draw(st.integers(max(1, len(model) - 1), len(model)))
            del model[n - 1 :]
            rows.append(row(number, "withdrawn", n=n, player="South"))
    return rows, model


@given(histories(), st.data())
def test_the_record_is_what_stands(history, data):
    rows, model = history
    record = fold(rows)
    assert [at.position for at in record.turns] == model
    assert [at.n for at in record.turns] == list(range(1, len(model) + 1))
    assert record.position == (model[-1] if model else "start")
    twice = data.draw(st.integers(0, len(rows) - 1))
    assert fold([*rows[: twice + 1], rows[twice], *rows[twice + 1 :]]) == record
    assert fold([*rows, *rows]) == record


def played(turns=4):
    """A game of the first legal turns, as rows."""
    position = GAME.start()
    rows = [
        row(1, "board_found", game="transet", set="transet"),
        row(2, "setup_complete", position=GAME.position_text(position), **{"as": "start"}),
    ]
    for n in range(1, turns + 1):
        chosen, player = next(iter(GAME.legal_turns(position))), GAME.to_move(position)
        text, position = GAME.turn_text(position, chosen), GAME.after(position, chosen)
        told = {"n": n, "player": player, "text": text, "legal": True, "position": GAME.position_text(position)}
        rows.append(row(2 + n, "turn", **told))
    return rows


def changed(rows, n, **data):
    return [replace(at, data={**at.data, **data}) if at.data.get("n") == n else at for at in rows]


def test_a_legal_record_follows():
    assert verify(fold(played()), GAME) is None


@pytest.mark.parametrize(
    ("n", "data", "said"),
    [
        (2, {"text": "a5-a1"}, "not legal"),
        (3, {"position": "rbkbr/5/5/5/RBKBR N"}, "leads to"),
        (2, {"player": "South"}, "North's turn"),
        (1, {"text": "a1 over"}, "can't be read"),
    ],
)
def test_the_first_turn_that_does_not_follow_is_named(n, data, said):
    fault = verify(fold(changed(played(), n, **data)), GAME)
    assert fault is not None
    assert fault.n == n
    assert said in fault.sentence


def test_a_missing_turn_is_named():
    fault = verify(fold([at for at in played() if at.data.get("n") != 2]), GAME)
    assert fault is not None
    assert fault.sentence == "turn 2 is missing"


def test_a_turn_accepted_as_played_is_a_ruling_and_the_replay_goes_on_from_it():
    rows = played(1)
    rows.append(
        row(9, "turn", n=2, player="North", text="a5-e3", legal=False, position="1bkbr/5/4r/R4/1BKBR S", revised=False)
    )
    record = fold(rows)
    assert verify(record, GAME) is None
    assert [(ruling.n, ruling.what) for ruling in record.rulings] == [(2, "accepted")]
    assert "accepted as played" in as_text(record, 1)


def test_a_position_that_was_set_is_followed():
    belief = {"lines": [{"anchor": "rbkbr/5/5/2K2/RB1BR S", "to_move": "South", "n": 1, "turns": [], "weak": False}]}
    rows = [*played(1), row(8, "belief", **belief)]
    record = fold(rows)
    assert record.position == "rbkbr/5/5/2K2/RB1BR S"
    assert [(ruling.n, ruling.what) for ruling in record.rulings] == [(1, "position")]
    rows.append(turn(9, 2, "rbkbr/5/2K2/5/RB1BR N"))
    rows[-1].data["text"] = "c2-c3"
    assert verify(fold(rows), GAME) is None


def test_of_a_game_taken_up_in_the_middle_the_first_turn_says_whose_it_was():
    rows = [
        row(1, "setup_complete", position="rbkbr/5/5/2K2/RB1BR ?", **{"as": "midgame"}),
        row(2, "turn", n=1, player="North", text="c5-c4", legal=True, position="rb1br/2k2/5/2K2/RB1BR S"),
    ]
    assert verify(fold(rows), GAME) is None


def test_a_finished_game_must_say_so():
    rows = [
        row(1, "setup_complete", position="1bkbr/R4/5/5/1BKBR S", **{"as": "midgame"}),
        row(2, "turn", n=1, player="South", text="a4-a5", legal=True, position="Rbkbr/5/5/5/1BKBR N"),
    ]
    fault = verify(fold(rows), GAME)
    assert fault is not None
    assert "has no result" in fault.sentence
    over = {"winner": "South", "result": "South wins", "why": "end_move"}
    assert verify(fold([*rows, row(3, "game_over", **over)]), GAME) is None


def test_exports_say_the_same():
    record = fold(played())
    told = json.loads(as_json(record, 7))
    lines = list(csv.DictReader(io.StringIO(as_csv(record, 7))))
    assert told["number"] == 7
    assert [at["text"] for at in told["turns"]] == [at["text"] for at in lines] == [at.text for at in record.turns]
    assert [at["since_previous_s"] for at in lines] == ["", "1.000", "1.000", "1.000"]
    assert all(at.text in as_text(record, 7) for at in record.turns)


def test_what_people_said_stands_in_the_record():
    rows = played(2)
    rows += [
        row(20, "draw_offer", player="South", state="made"),
        row(21, "draw_offer", player="South", state="declined"),
        row(22, "ruling", what="paused", by="operator"),
        row(23, "ruling", what="resumed", by="operator"),
        row(24, "ruling", what="taken_back", by="operator", n=2),
        row(25, "withdrawn", n=2, player="North"),
        row(26, "ruling", what="resigned", by="player", player="North"),
        row(27, "game_over", winner="South", result="South wins", why="resigned"),
    ]
    record = fold(rows)
    said = [(ruling.n, ruling.what, ruling.text) for ruling in record.rulings]
    assert said == [
        (2, "draw_offer", "South made"),
        (2, "draw_offer", "South declined"),
        (2, "paused", ""),
        (2, "resumed", ""),
        (2, "taken_back", ""),
    ]
    text = as_text(record, 1)
    assert text.endswith("Result: South wins (resigned)\n")
    told = [line.strip() for line in text.splitlines() if line.startswith("     (")]
    assert told[0] == "(draw offer: South made)"
    assert told[-1] == "(turn taken back)"
    assert len(told) == 5
    assert "taken_back" in as_json(record, 1)


def test_a_pass_is_a_turn_of_the_record():
    game = game_named("transfer")
    start = game.parse_position("g/ooooo/vvvvv/yyyy/ppppp/-/sssss/ygggg/bbbbb S 3-2")
    turn_made = game.parse_turn(start, "LA1 UD1")
    after = game.after(start, turn_made)
    passed = game.after(after, game.forced_pass(after))
    rows = [
        row(1, "setup_complete", position=game.position_text(start), **{"as": "midgame"}),
        row(2, "turn", n=1, player="South", text="LA1 UD1", legal=True, position=game.position_text(after)),
        row(3, "pass", n=2, player="North", text="--", legal=True, position=game.position_text(passed), why="passed"),
    ]
    record = fold(rows)
    assert [(one.n, one.player, one.text) for one in record.turns] == [(1, "South", "LA1 UD1"), (2, "North", "--")]
    assert record.position == game.position_text(passed)
    assert verify(record, game) is None
    assert "  2. North  --" in as_text(record, 1)
    early = [rows[0], row(2, "pass", n=1, player="South", text="--", legal=True, position=rows[0].data["position"])]
    fault = verify(fold(early), game)
    assert fault is not None
    assert fault.n == 1
