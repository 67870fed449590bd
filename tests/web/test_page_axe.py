"""Nothing that axe-core finds serious on any page, in light and dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from controller.referee.view import ClockView, Offence
from controller.rules.api import Reason, Shift

ILLEGAL = Offence("South", None, (Reason("TOO_FAR", ("c3",), "transet 2.1"),), (Shift("dark-PIAS", "c3", "c1"),))
STATES = {
    "to_move": {},
    "illegal": {"offence": ILLEGAL, "clock": ClockView("turn", {"South": 9_000}, "North", 1_000, "", ("North",))},
    "question": {"question": ({"text": "c1-c2", "player": "South", "position": None},)},
    "over": {"phase": "over", "winner": "South", "why": "end_move"},
}


def findings(page):
    found = Axe().run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("path", ["", "play?player=South&lang=de"])
@pytest.mark.parametrize("table", ["site", "demo_site"])
def test_axe_finds_nothing_serious(browser, request, table, path, theme):
    site = request.getfixturevalue(table)
    stage, plain = site.table, site.table.view
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=theme)
    page.goto(site.url + path)
    for code, change in STATES.items():
        stage.tell(view=plain)
        stage.show(**change)
        expect(page.locator("body")).to_have_attribute("data-code", code)
        assert findings(page) == [], code
    page.close()
