"""`mode = record`: every turn is written as far as the rules explain it, and nobody is accused of anything."""

from __future__ import annotations

import random
from itertools import islice

import pytest
from pretend import Table, brief
from pretend_transfer import P0, TransferTable, picture
from test_words_at_random import Talk, rows_of

from controller.journal.fold import fold
from controller.journal.store import Row
from controller.journal.verify import verify
from controller.referee import reducer
from controller.referee.signals import signals
from controller.referee.timing import Timing
from controller.rules.api import Placement
from controller.rules.registry import game_named, game_names


def recording(name: str = "transet") -> Table:
    game = game_named(name)
    return Table(state=reducer.initial(game, set_name=name, mode="record"), game=game)


def shown(table: Table) -> str:
    assert table.view is not None
    return signals(table.view).state


def test_legal_turns_are_written_as_ever() -> None:
    tables = [recording(), Table()]
    for table in tables:
        table.begin()
        for turn in (("c1-c2",), ("c5-c4",), ("a1-a2", "c2-c1")):
            table.play(*turn)
    assert brief(tables[0].told()) == brief(tables[1].told())


def test_what_nothing_explains_is_written_down_once_and_accuses_nobody() -> None:
    table = recording()
    table.begin()
    table.play("a1-c3", hold=12)
    assert brief(table.told())[2:] == ["unexplained"]
    told = table.told("unexplained")[0].data
    assert told["sites"] == ["a1", "c3"]
    assert told["position"].startswith("rbkbr/5/2R2/5/1BKBR")
    assert told["placement"]["c3"] == ["dark-PINET"]
    assert shown(table) == "to_move"
    table.press("South")
    table.wait(3)
    assert brief(table.told())[2:] == ["unexplained"]


def test_put_back_and_the_game_goes_on_as_before() -> None:
    table = recording()
    table.begin()
    table.play("a1-c3")
    table.play("c3-a1")
    table.play("c1-c2")
    assert table.texts() == ["c1-c2"]
    assert table.told("turn")[-1].data["position"] == "rbkbr/5/5/2K2/RB1BR N"


def test_played_on_and_the_record_goes_on_from_what_stood() -> None:
    table = recording()
    table.begin()
    table.play("c1-c2")
    table.play("c5-a3")
    table.play("a1-a2")
    assert table.texts() == ["c1-c2", "a1-a2"]
    assert table.told("turn")[-1].data["position"] == "rb1br/5/k4/R1K2/1B1BR N"
    assert not table.told("illegal", "question", "answered")


def test_the_record_of_it_is_sound_and_says_where_it_went_on() -> None:
    table = recording()
    table.begin()
    for turn in ("c1-c2", "c5-a3", "a1-a2", "d5-e4"):
        table.play(turn)
    rows = rows_of(table)
    told = [Row(i, 1, 1, row["event"], row["internal"], "2026-01-01T00:00:00+00:00", row) for i, row in enumerate(rows)]
    record = fold(told)
    assert [turn.text for turn in record.turns] == ["c1-c2", "a1-a2", "d5-e4"]
    assert [one.n for one in record.gone_on] == [1]
    assert verify(record, table.game) is None
    again = reducer.resume(table.game, "transet", Timing(), rows)
    assert again.lines == table.state.lines


def test_what_can_be_no_position_is_written_too() -> None:
    table = recording()
    table.begin()
    table.play("-c3:K")
    assert table.told("unexplained")[-1].data["position"] is None
    table.play("c3-")
    table.play("c1-c2")
    assert table.texts() == ["c1-c2"]


def test_turns_that_nobody_saw_don_t_end_the_record() -> None:
    table = recording()
    table.begin()
    table.play("c1-c2")
    table.hand("a1-a2", "b1-b3", "e1-e2", "a5-a4", "d5-d4", "e5-e4")
    table.wait(5)
    assert brief(table.told())[-1] == "rearranging"
    table.wait(10)
    assert brief(table.told())[-1] == "unexplained"
    table.play("c5-c4")
    assert table.texts() == ["c1-c2", "c5-c4"]
    table.put("rbkbr/5/5/5/RBKBR")
    table.wait(3)
    assert brief(table.told())[-1] == "setup_complete start"


def test_a_board_that_is_cleared_and_set_up_slowly_begins_a_new_game() -> None:
    table = recording()
    table.begin()
    table.play("c1-c2")
    for site in sorted(table.on):
        table.play(f"{site}-", hold=12)
    for rank, letters in (("1", "RBKBR"), ("5", "rbkbr")):
        for file, letter in zip("abcde", letters, strict=True):
            table.play(f"-{file}{rank}:{letter}", hold=12)
    assert brief(table.told())[-1] == "setup_complete start"
    assert not table.told("illegal", "question")


def test_transfer_too() -> None:
    table = TransferTable(state=reducer.initial(game_named("transfer"), set_name="transfer", mode="record"))
    table.on = picture(P0)
    table.wait(1.5)
    table.show("sgyo/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp")  # a piece from one end of a row to the other
    table.show("sgyo/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", hold=10)
    assert not table.told("illegal", "question")
    assert len(table.told("unexplained", "turn")) >= 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", game_names())
def test_whatever_is_done_nobody_is_accused(name: str, seed: int) -> None:
    talk = Talk(name, seed)
    game = talk.game
    rng = random.Random(seed)
    talk.table.state = reducer.initial(game, set_name=name, mode="record")
    talk.show(game.picture(game.start()), 2)
    for _ in range(8):
        state = talk.table.state
        position = state.line.position if state.lines else game.start()
        turns = list(islice(game.legal_turns(position), 200))
        on = dict(game.picture(position).on)
        if turns and rng.random() < 0.5:
            on = dict(game.picture(game.after(position, rng.choice(turns))).on)
        if rng.random() < 0.6:
            site, to = rng.choice(sorted(on)), rng.choice(sorted(game.sites))
            *stay, kind = on.pop(site)
            on |= {site: tuple(stay)} if stay else {}
            on[to] = (*on.get(to, ()), kind)
        talk.show(Placement(on), rng.choice((2.0, 3.0)))
        if rng.random() < 0.3:
            talk.table.press(rng.choice(game.players))
            talk.table.wait(1)
        assert talk.table.view is not None
        assert talk.table.view.offence is None
        assert signals(talk.table.view).state != "illegal"
    assert not talk.table.told("illegal")
