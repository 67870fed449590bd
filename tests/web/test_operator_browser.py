"""The operator's page in a real browser: coming in, each control on a demo's table, sizes, and what axe-core finds."""

from __future__ import annotations

import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from controller.cli.demo import demo_parts
from controller.referee.view import Offence
from controller.rules.api import Reason, Shift
from controller.web.phrases import LANGUAGES, phrases

PIN = "2468"
SIZES = {"phone": (390, 844), "laptop": (1280, 800), "kiosk": (1920, 1080)}
EN = phrases("en", "operator")
ILLEGAL = Offence("South", None, (Reason("TOO_FAR", ("c3",), "transet 2.1"),), (Shift("dark-PIAS", "c3", "c1"),))
QUESTION = tuple({"text": f"c1-c{n}", "player": "South", "position": f"after {n}"} for n in (2, 3))


@pytest.fixture
def phone(browser):
    opened = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    faults = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    yield opened
    opened.close()
    assert faults == []


def come_in(page, site, address="operator"):
    page.goto(f"{site.url}{address}")
    page.locator("#pin").fill(PIN)
    page.locator("#go").click()
    page.wait_for_url(f"**/{address}")


def test_a_wrong_pin_is_told_and_a_right_one_leads_on(phone, site):
    phone.goto(f"{site.url}operator?lang=fr&theme=dark")
    expect(phone).to_have_title("Responsable · Boardref")
    phone.locator("#pin").fill("1111")
    phone.locator("#pin").press("Enter")
    expect(phone.locator("#told")).to_have_text(phrases("fr", "operator")["login_wrong"])
    expect(phone.locator("#pin")).to_have_value("")
    phone.locator("#pin").fill(PIN)
    phone.locator("#go").tap()
    phone.wait_for_url("**/operator?lang=fr&theme=dark")
    expect(phone.locator("#headline")).to_have_text("Sud")
    phone.get_by_role("link", name="de", exact=True).tap()
    expect(phone.locator("#headline")).to_have_text("Süd")
    phone.locator("#log-out").tap()
    phone.wait_for_url("**/operator/login?lang=de**")
    phone.goto(f"{site.url}operator")
    phone.wait_for_url("**/operator/login**")


def test_whoever_guesses_waits_and_sees_how_long(phone, site):
    phone.goto(f"{site.url}operator")
    for _ in range(3):
        phone.locator("#pin").fill("1111")
        phone.locator("#go").tap()
        expect(phone.locator("#told")).not_to_have_text("")
        expect(phone.locator("#pin")).to_have_value("")
    expect(phone.locator("#told")).to_contain_text("Too many wrong PINs")
    expect(phone.locator("#go")).to_be_disabled()
    expect(phone.locator("#go")).to_be_enabled(timeout=10_000)
    phone.locator("#pin").fill(PIN)
    phone.locator("#go").tap()
    phone.wait_for_url("**/operator")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390), (1280, 900), (1920, 1080)])
def test_the_log_in_is_one_small_card_whatever_it_says(phone, site, width, height):
    phone.set_viewport_size({"width": width, "height": height})
    phone.goto(f"{site.url}operator/login?lang=de")
    phone.locator("#pin").fill("1111")
    phone.locator("#go").click()
    expect(phone.locator("#told")).not_to_have_text("")
    card, pin, go, told = (phone.locator(one).bounding_box() for one in ("main", "#pin", "#go", "#told"))
    assert abs(2 * card["x"] + card["width"] - width) < 2, "not in the middle"
    assert card["width"] <= max(420, width / 3)
    assert card["x"] >= 10
    assert card["height"] <= 660
    assert max(pin["height"], go["height"]) < 110
    for upper, lower in ((pin, go), (go, told)):
        assert 0 < lower["y"] - upper["y"] - upper["height"] < 40
    assert card["x"] < told["x"]
    assert told["x"] + told["width"] < card["x"] + card["width"]
    assert phone.evaluate("document.documentElement.scrollWidth") <= width


class Leading:
    """A phone in the operator's hand, over a demo's table that runs."""

    def __init__(self, page, site, demo):
        self.page, self.site, self.table, self.world = page, site, demo.table, demo.world

    def until(self, true, seconds=20.0):
        deadline = time.monotonic() + seconds
        while not true(self.table.snapshot().view):
            view = self.table.snapshot().view
            assert time.monotonic() < deadline, {name: value for name, value in vars(view).items() if value}
            time.sleep(0.03)

    def tap(self, name, *, sure=None):
        self.page.get_by_role("button", name=name, exact=True).tap()
        if sure is not None:
            expect(self.page.locator("#sure-words")).to_have_text(sure)
            self.page.locator("#sure-yes").tap()

    def told(self, key):
        expect(self.page.locator("#answer")).to_have_text(EN[key])

    def open(self, key):
        self.page.locator("summary").filter(has_text=EN[key]).tap()

    def carry(self, site, to):
        places = {one.id: self.world.board_set.centre(one) for one in self.world.board_set.sites}
        x, y = places[site]
        token = min(self.world.as_json()["tokens"], key=lambda one: abs(one["x_mm"] - x) + abs(one["y_mm"] - y))
        self.world.lift(token["id"])
        self.world.move(token["id"], *places[to])
        self.world.drop(token["id"])


@pytest.fixture
def leading(phone, serve, tmp_path):
    demo = demo_parts("transet", tmp_path)
    demo.table.start()
    site = serve(demo.table)
    leading = Leading(phone, site, demo)
    leading.until(lambda view: view.phase == "play")
    come_in(phone, site)
    yield leading
    demo.table.stop()


def test_every_control_leads_the_table(leading):
    page = leading.page
    leading.tap("Take back")
    leading.told("not_no_turn")
    leading.tap("Accept as played")
    leading.told("not_nothing_to_accept")
    page.locator("#reason").fill("tea")
    leading.tap("Pause")
    leading.told("done_pause")
    expect(page.locator("#reason")).to_have_value("")
    expect(page.locator("body")).to_have_attribute("data-code", "paused")
    leading.carry("c1", "c4")  # nobody knows what happened in the pause: it is asked about
    leading.tap("Go on")
    leading.told("done_resume")
    leading.tap("As the record has it: South to move")
    leading.told("done_choose")
    leading.until(lambda view: view.guiding)
    leading.carry("c4", "c1")
    leading.until(lambda view: not view.guiding)

    leading.carry("c1", "c4")
    expect(page.locator("body")).to_have_attribute("data-code", "illegal")
    leading.tap("Accept as played", sure=EN["sure_accept"])
    leading.told("done_accept_as_played")
    page.get_by_role("button", name="Take back", exact=True).tap()
    expect(page.locator("#sure-words")).to_contain_text("South")
    page.locator("#sure-no").tap()
    expect(page.locator("#deeds")).to_be_visible()
    assert len(leading.table.snapshot().view.turns) == 1
    page.get_by_role("button", name="Take back", exact=True).tap()
    page.locator("#sure-yes").tap()
    leading.told("done_take_back")
    leading.tap("Put it back")
    leading.until(lambda view: view.guiding)
    leading.carry("c4", "c1")
    leading.until(lambda view: not view.guiding)

    leading.open("desk_players")
    page.get_by_label("South", exact=True).fill("Ann")
    leading.tap("Save names")
    leading.told("done_name_players")
    leading.until(lambda view: view.names == {"South": "Ann"})

    leading.open("desk_lights")
    leading.tap("Blue")
    leading.told("done_lights")
    page.locator("#which-light").select_option("site:c3")
    leading.tap("Show where it is")
    leading.told("done_lights")

    leading.open("desk_say")
    south = page.locator(".side").filter(has_text="South")
    south.get_by_role("button", name="Offers a draw").tap()
    south.get_by_role("button", name="Withdraws the offer").tap()
    south.get_by_role("button", name="Offers a draw").tap()
    page.locator(".side").filter(has_text="North").get_by_role("button", name="Declines").tap()
    expect(south.get_by_role("button", name="Offers a draw")).to_be_visible()
    south.get_by_role("button", name="Resigns").tap()
    expect(page.locator("#sure-words")).to_have_text("Does South resign?")
    page.locator("#sure-yes").tap()
    leading.told("done_resign")
    leading.until(lambda view: view.winner == "North" or view.game_no == 2)  # on the set-up a new game begins at once

    leading.open("desk_next")
    page.locator("select[name=swop_wins]").select_option("false")
    leading.tap("New game", sure=EN["sure_new"])
    leading.told("done_new_game_options")
    leading.until(lambda view: view.phase == "play" and view.options["swop_wins"] == "false")


def test_a_position_is_laid_out_by_tapping(leading):
    page = leading.page
    leading.open("desk_position")
    text = page.locator("#position-text")
    expect(text).to_have_value("rbkbr/5/5/5/RBKBR S")
    tap = lambda site: page.locator(f'#laying polygon[data-site="{site}"]').tap()  # noqa: E731
    tap("c1")  # with nothing in hand: taken away
    expect(page.locator("#position-wrong")).to_have_text(EN["not_a_position"])  # a pawn is missing
    page.get_by_role("button", name="dark PIAS").tap()
    tap("c3")
    expect(text).to_have_value("rbkbr/5/2K2/5/RB1BR S")
    tap("d3")  # one too many
    expect(page.locator("#position-wrong")).to_have_text(EN["not_a_position"])
    tap("d3")
    expect(page.locator("#position-wrong")).to_be_hidden()
    page.locator("#mover").select_option("North")
    expect(text).to_have_value("rbkbr/5/2K2/5/RB1BR N")
    leading.tap("Lead the table there", sure=EN["sure_lead"])
    leading.told("done_guide_to")
    leading.until(lambda view: view.guiding)
    leading.carry("c1", "c3")
    leading.until(lambda view: not view.guiding and view.to_move == "North")
    text.fill("rbkbr/5/5/5/RBK")
    leading.tap("Go on from here", sure=EN["sure_set"])
    expect(page.locator("#answer")).to_contain_text("This position can't be read")
    text.fill("rbkbr/5/5/2K2/RB1BR S")
    leading.tap("Go on from here", sure=EN["sure_set"])
    leading.told("done_set_position")
    leading.until(lambda view: view.position == "rbkbr/5/5/2K2/RB1BR S")


def test_a_question_is_answered_by_choosing(phone, site, stage):
    stage.show(question=QUESTION, asked_about="lines")
    come_in(phone, site)
    phone.get_by_role("button", name="South played c1-c3").tap()
    expect(phone.locator("#answer")).to_have_text(EN["done_choose"])
    assert [(one.name, dict(one.arguments)) for one in stage.sent] == [("choose", {"position": "after 3"})]


def test_a_session_that_is_over_leads_to_the_log_in(phone, site):
    come_in(phone, site)
    for token in list(site.access.sessions._known):
        del site.access.sessions._known[token]
    phone.evaluate("document.getElementById('pause').click()")
    phone.wait_for_url("**/operator/login**")


STATES = {
    "to_move": {},
    "illegal": {"offence": ILLEGAL, "turns": ()},
    "question": {"question": QUESTION, "asked_about": "lines"},
    "paused": {"paused": True},
}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser, site, stage, theme):
    page = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=theme)
    page.goto(f"{site.url}operator")
    assert findings(page) == []
    page.locator("#pin").fill(PIN)
    page.locator("#go").click()
    page.wait_for_url("**/operator")
    expect(page.locator("#checks li")).to_have_count(4)
    unfold(page)
    plain = stage.view
    for code, change in STATES.items():
        stage.tell(view=plain)
        stage.show(**change)
        expect(page.locator("body")).to_have_attribute("data-code", code)
        expect(page.locator("#asking")).to_be_visible(visible=code == "question")
        assert findings(page) == [], code
    page.close()


def test_nothing_overflows_at_any_size_in_any_language(browser, site, stage):
    stage.show(**STATES["question"])
    page = browser.new_page()
    come_in(page, site)
    for lang in LANGUAGES:
        page.goto(f"{site.url}operator?lang={lang}")
        expect(page.locator("#checks li")).to_have_count(4)
        unfold(page)
        for width, height in SIZES.values():
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (lang, width)
            wide = page.evaluate(
                """() => [...document.querySelectorAll("button, summary, strong, label span")]
                     .filter(one => one.offsetParent && one.scrollWidth > one.clientWidth + 1 && one.clientWidth)
                     .map(one => one.textContent)"""
            )
            assert wide == [], (lang, width)
    page.close()


def unfold(page):
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")


def findings(page):
    found = Axe().run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]
