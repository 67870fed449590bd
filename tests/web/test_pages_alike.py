"""What all pages have in common: a foot at the bottom, the same head for the operator's, places named for people."""

from __future__ import annotations

import re

import pytest

from controller.journal.store import Journal
from controller.referee.view import Offence
from controller.rules.api import Reason, Shift
from controller.web.message import message
from controller.web.operators import LINKS
from controller.web.phrases import place_of
from controller.web.shelf import Records
from controller.words import LANGUAGES


@pytest.mark.parametrize("size", [(390, 844), (1366, 768), (1920, 1080)], ids=["phone", "laptop", "kiosk"])
def test_the_foot_stands_at_the_bottom_and_its_choices_in_one_row(page, serve, stage, tmp_path, size):
    Journal.open(tmp_path / "boardref.db").close()
    site = serve(stage, records=Records(tmp_path / "boardref.db"))
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for path in ("", "play", "games", "operator/login"):
        page.goto(f"{site.url}{path}?lang=en")
        assert page.evaluate("document.querySelector('footer').getBoundingClientRect().bottom >= innerHeight - 1"), path
        rows = page.locator("footer nav").evaluate_all("all => all.map((one) => one.getBoundingClientRect().top)")
        assert max(rows) - min(rows) < 1, path


def test_every_page_of_the_operator_leads_to_the_others_and_says_which_it_is(operator):
    heads = {}
    for address, _ in (("/operator", ""), *LINKS):
        if address == "/operator/games":  # shown to everybody elsewhere: its own head
            continue
        told = operator.get(address).text
        heads[address] = re.findall(r'<a href="(/operator/\w+)', re.search(r"<header.*?</header>", told, re.S)[0])
        here = re.findall(r'href="(/operator/\w+)[^"]*" aria-current="page"', told)
        assert here == [address][: address != "/operator"]
        assert told.count("<h1") == 1
    assert set(map(tuple, heads.values())) == {tuple(address for address, _ in LINKS)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_slot_of_a_platform_is_named_for_people(stage, language):
    back = (Shift("sky", "south.3", "A1"), Shift("blue", "north.1", None))
    stage.show(offence=Offence("South", None, (Reason("NOT_A_TURN", (), "2"),), back))
    told = [step.text for step in message(stage.view, language).steps]
    assert not any("south." in text or "north." in text for text in told)
    assert place_of("south.3", language) in told[0]
    assert place_of("north.1", language) in told[1]
    assert [place_of(site, language) for site in ("A1", "12", "strange.7")] == ["A1", "12", "strange.7"]
