"""A table that is led back: nothing is judged meanwhile, and the game goes on with the same lines."""

from __future__ import annotations

import json
from random import Random

import pytest
from pretend import Table, brief
from pretend_taasen import playing
from pretend_transfer import TransferTable

from controller.referee import reducer
from controller.referee.signals import signals
from controller.referee.timing import Timing
from controller.web.message import message


def knocked_over(seed: int = 1) -> Table:
    """Two turns, then everything lies about."""
    table = Table()
    table.begin()
    table.play("c1-c2")
    table.play("c5-c4")
    table.events.clear()
    rng = Random(seed)
    kinds = list(table.on.values())
    table.wait(0.5, hand=True, moving=True)
    table.on = dict(zip(rng.sample(sorted(table.game.sites), len(kinds)), kinds, strict=True))
    table.wait(0.5, hand=True, moving=True)
    table.wait(3)
    return table


def follow(table: Table, most: int = 12) -> int:
    """Do what the guide says, first things first; how many pieces were carried."""
    carried = 0
    while table.view is not None and table.view.guiding and table.view.wrong:
        step = table.view.wrong[0]
        assert carried <= most
        table.wait(0.3, hand=True, moving=True)
        if step.origin:
            table.on.pop(step.origin)
            carried += 1
            if not step.to:
                table.off.append(step.piece)
        else:
            table.off.remove(step.piece)
        if step.to:
            assert step.to not in table.on
            table.on[step.to] = step.piece
        table.wait(0.3, hand=True, moving=True)
        table.wait(0.5)
    table.wait(2)
    return carried


def shown(table: Table) -> str:
    assert table.view is not None
    return signals(table.view).state


def rows(table: Table) -> list[dict[str, object]]:
    told = [{**event.as_json(), "internal": event.internal} for event in table.events]
    return [json.loads(json.dumps(row)) for row in told]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("by", ["tap", "command"])
def test_a_table_that_was_knocked_over_is_led_back(seed: int, by: str) -> None:
    table = knocked_over(seed)
    assert table.view is not None
    assert table.view.rearranging
    lines = table.state.lines
    if by == "tap":
        table.press(None, "guide")
    else:
        table.command("guide")
    table.wait(0.5)
    assert shown(table) == "setup"
    assert table.view.total == 10
    follow(table)
    assert not table.view.guiding
    assert table.state.lines == lines
    word = ["ruling guide"] if by == "command" else []
    assert brief(table.told()) == ["rearranging", *word, "guide", "guide"]
    assert table.told("guide")[-1].data == {"state": "ended", "stands": True}
    table.play("c2-c3")
    assert table.texts() == ["c2-c3"]
    assert table.told("turn")[-1].data["n"] == 3


def test_a_tap_means_nothing_while_the_game_goes_on() -> None:
    table = Table()
    table.begin()
    table.press("South", "guide")
    assert table.view is not None
    assert not table.view.guiding


def test_an_operator_leads_back_from_an_offence() -> None:
    table = Table()
    table.begin()
    table.play("a1-c3")
    assert brief(table.told())[-1] == "illegal South TOO_FAR"
    table.command("guide")
    assert table.view is not None
    assert table.view.offence is None
    table.wait(3)
    assert follow(table) == 1
    table.play("c1-c2")
    assert brief(table.told())[-3:] == ["guide", "guide", "turn 1 c1-c2"]


def test_an_operator_leads_to_another_position() -> None:
    table = Table()
    table.begin()
    table.play("c1-c2")
    table.command("guide", position="rbkbr/5/2K2/5/RB1BR N")
    table.wait(1)
    assert follow(table) == 1
    table.play("c5-c4")
    assert table.told("turn")[-1].data["position"] == "rb1br/2k2/2K2/5/RB1BR S"
    table.command("guide", position="no such thing")
    assert table.view is not None
    assert not table.view.guiding


def test_a_pause_a_new_game_and_a_result_end_it() -> None:
    for word, argument in (("new_game", {}), ("draw", {}), ("set_position", {"position": "rbkbr/5/5/5/RBKBR N"})):
        table = knocked_over()
        table.command("guide")
        table.wait(1)
        table.command(word, **argument)
        assert table.told("guide")[-1].data == {"state": "ended", "stands": False}
    table = knocked_over()
    table.command("guide")
    table.command("pause")
    table.wait(1)
    assert shown(table) == "paused"
    table.command("resume")
    table.wait(1)
    assert shown(table) == "setup"


def test_what_stands_may_be_accepted_instead() -> None:
    table = Table()
    table.begin()
    table.play("a1-c3")
    table.command("guide")
    table.wait(1)
    table.command("accept_as_played")
    assert table.view is not None
    assert not table.view.guiding
    table.play("c5-c4")
    assert brief(table.told())[-1] == "turn 1 c5-c4"


def test_a_restart_in_the_middle_goes_on_leading() -> None:
    table = Table()
    table.begin()
    table.play("c1-c2")
    table.wait(0.5, hand=True, moving=True)
    table.put("5/rbkbr/5/2K2/RB1BR")
    table.wait(3)
    table.command("guide")
    table.wait(1)
    later = Table(state=reducer.resume(table.game, "transet", Timing(), rows(table)))
    later.on = dict(table.on)
    later.wait(1)
    assert follow(later) == 5
    assert later.state.lines == table.state.lines
    later.play("c5-c4")
    assert brief(later.told()) == ["board_found", "guide", "turn 2 c5-c4"]
    again = reducer.resume(table.game, "transet", Timing(), [*rows(table), *rows(later)])
    assert again.guiding is None


def test_a_piece_in_the_hand_is_still_led_to_its_place() -> None:
    table = Table()
    table.begin()
    table.play("a1-c3")
    table.command("guide")
    table.wait(1)
    table.play("c3-")
    assert table.view is not None
    assert [(s.origin, s.to) for s in table.view.wrong] == [(None, "a1")]


def test_hidden_sites_are_waited_for_and_named() -> None:
    table = Table()
    table.begin()
    table.play("a1-c3")
    table.command("guide")
    piece = table.on.pop("c3")
    table.wait(2, hidden=frozenset({"c3"}))
    assert table.view is not None
    assert table.view.waits == {"c3"}
    for language in ("en", "nl", "de", "fr"):
        assert "c3" in message(table.view, language).lead
    table.wait(4, hidden=frozenset({"c3"}))
    assert table.view.trouble == "glare"
    table.on["c3"] = piece
    table.wait(1)
    assert follow(table) == 1
    assert not table.view.guiding


def test_taasen_and_transfer_are_led_back_too() -> None:
    taasen = playing("RT=10 RS=9 RP=9 GT=15 GS=15 GP=15 WT=0 WS=0 WP=0 G")
    taasen.play("RS=3", "GP=7", "WT=12")
    taasen.command("guide")
    taasen.wait(1)
    assert taasen.view is not None
    assert len(taasen.view.wrong) == 3
    taasen.play("RS=9", "GP=15", "WT=0")
    assert not taasen.view.guiding
    transfer = TransferTable.at("osgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp S")
    transfer.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bv", "po")
    transfer.command("guide")
    transfer.wait(1)
    assert transfer.view is not None
    assert [(s.origin, s.to) for s in transfer.view.wrong] == [("south.1", "I3"), ("south.1", "A1")]
    transfer.show("osgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp")
    assert not transfer.view.guiding


def test_the_words_lead_in_four_languages() -> None:
    table = knocked_over()
    table.command("guide")
    assert table.view is not None
    told = {message(table.view, language).lead for language in ("en", "nl", "de", "fr")}
    assert len(told) == 4
    table.wait(1)
    assert len({message(table.view, language).headline for language in ("en", "nl", "de", "fr")}) == 4
    assert len(message(table.view, "en").steps) == 1
