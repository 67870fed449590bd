"""The guide and the lifted piece on the pages: what is drawn, what is said, and the tap that starts it."""

from __future__ import annotations

from typing import get_args

import pytest
from playwright.sync_api import expect

from controller.referee.events import Button
from controller.referee.view import Lifted
from controller.rules.api import Reason, Shift
from controller.web.phrases import LANGUAGES, phrase
from controller.web.players import CONTROLS
from controller.web.state import view_json

KNOCKED = {"c3": ("dark-PIAS",), "b3": ("light-PINET",)}
BACK = (Shift("dark-PIAS", "c3", "c1"), Shift("light-PINET", "b3", "a5"))


def test_every_button_has_a_control() -> None:
    assert set(CONTROLS) == set(get_args(Button))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_tap_leads_a_table_back_that_was_knocked_over(page, site, stage, language) -> None:
    tap = phrase("play_back", language)
    page.goto(f"{site.url}play?lang={language}")
    expect(page.locator("#headline")).to_have_text(phrase_of_player(stage, language))
    expect(page.get_by_role("button", name=tap)).to_be_hidden()
    stage.show(rearranging=True, observed=KNOCKED)
    page.get_by_role("button", name=tap).click()
    stage.show(rearranging=False, guiding=True, observed=KNOCKED, wrong=BACK, right=8, total=10)
    expect(page.get_by_role("button", name=tap)).to_be_hidden()
    expect(page.locator("#steps")).to_contain_text("c3")
    assert [(press.player, press.button) for press in stage.sent] == [(None, "guide")]


def phrase_of_player(stage, language):
    return next(one["name"] for one in view_json(stage.snapshot(), language)["players"] if one["id"] == "South")


def test_the_guide_is_drawn_piece_by_piece(stage) -> None:
    stage.show(guiding=True, observed=KNOCKED, wrong=BACK, right=8, total=10)
    told = view_json(stage.snapshot(), "en")
    assert told["message"]["code"] == "guide"
    assert [(step["from"], step["to"]) for step in told["message"]["steps"]] == [("c3", "c1")]
    drawn = [(piece["site"], piece["state"]) for piece in told["board"]["pieces"]]
    assert drawn == [("b3", "seen"), ("c3", "seen"), ("c1", "wanted"), ("a5", "wanted")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lifted_piece_says_where_it_may_go_and_why_not_elsewhere(stage, language) -> None:
    facts = {"site": "c3", "piece": "dark-PIAS", "origin": "c1", "target": "c3", "player": "South"}
    why = {"c3": Reason("TOO_FAR", ("c1", "c3"), "transet 2.1", facts)}
    stage.show(lifted=Lifted("South", "dark-PIAS", "c1", ("b2", "c2"), (), why))
    told = view_json(stage.snapshot(), language)
    assert told["message"]["code"] == "lifted"
    assert told["board"]["targets"] == ["b2", "c2"]
    assert "b2, c2" in told["message"]["lead"]
    assert len(told["message"]["more"]) == 1
    stage.show(lifted=Lifted("South", "dark-PIAS", "c1"))
    assert view_json(stage.snapshot(), language)["message"]["lead"]
