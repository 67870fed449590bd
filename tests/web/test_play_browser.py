"""The players' page in a real browser."""

from __future__ import annotations

import re

import cv2
import numpy as np
import pytest
from playwright.sync_api import expect

from controller.referee.view import Offence, Played
from controller.rules.api import Reason, Shift

SIZES = {"phone": (390, 844), "laptop": (1280, 800), "kiosk": (1920, 1080)}
PHONE_HEADERS = {"X-Forwarded-For": "192.168.1.77"}  # as through a proxy: not the table's own screen
QUESTION = ({"text": "c1-c2", "player": "South", "position": None},)
ILLEGAL = Offence(
    "South", None, (Reason("TOO_FAR", ("c3",), "transet 2.1"),), (Shift("dark-PIAS", "c3", "c1"),)
)


def play(site, query=""):
    return f"{site.url}play{query}"


def said(stage):
    return [(press.player, press.button) for press in stage.sent]


def press(page, name):
    with page.expect_response("**/api/press**") as answer:
        page.get_by_role("button", name=name, exact=True).click()
    return answer.value


def test_the_tables_own_screen_leads_to_the_players_page(page, site):
    page.goto(site.url)
    page.get_by_role("link", name=re.compile("Players' page")).click()
    page.wait_for_url("**/play**")
    expect(page.locator("#headline")).to_have_text("South")
    expect(page.locator("#own")).to_be_hidden()  # first: who are you?
    page.get_by_role("button", name="North").click()
    expect(page.get_by_role("button", name="North")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Done", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="North")).to_have_attribute("aria-pressed", "true")


def test_a_camera_reads_the_code_on_the_display(page, site, stage):
    read = []
    for game_no in (1, 2):
        stage.show(game_no=game_no)
        page.goto(f"{site.url}?lang=nl&theme=dark")
        expect(page.locator("#qr")).to_be_visible()
        page.wait_for_function("() => document.getElementById('qr').naturalWidth > 0")
        wanted = f"http://192.168.1.20:{site.port}/play?lang=nl&t={site.players.passes.invite(stage.view)}"
        for _ in range(10):  # a busy machine paints what it has loaded a moment later
            shot = np.frombuffer(page.locator("#invite").screenshot(), np.uint8)
            picture = cv2.resize(cv2.imdecode(shot, cv2.IMREAD_GRAYSCALE), None, fx=3, fy=3)
            text, _, _ = cv2.QRCodeDetector().detectAndDecode(picture)
            if text == wanted:
                break
            page.wait_for_timeout(200)
        assert text == wanted
        read.append(wanted)
    assert read[0] != read[1]


def test_done_and_answers_are_said_for_the_chosen_side(page, site, stage):
    page.goto(play(site, "?player=North"))
    assert press(page, "Done").status == 202
    expect(page.locator("#answer")).to_have_text("The referee has heard it.")
    stage.show(question=QUESTION)
    assert press(page, "Yes").status == 202
    expect(page.get_by_role("button", name="Done", exact=True)).to_be_hidden()
    assert press(page, "No").status == 202
    assert said(stage) == [("North", "done"), ("North", "yes"), ("North", "no")]


def test_a_question_can_be_answered_by_nobody_in_particular(page, site, stage):
    stage.show(question=QUESTION)
    page.goto(play(site))
    assert press(page, "Yes").status == 202
    assert said(stage) == [(None, "yes")]


def test_resigning_is_asked_twice(page, site, stage):
    page.goto(play(site, "?player=South"))
    page.get_by_role("button", name="Resign", exact=True).click()
    expect(page.get_by_role("alertdialog")).to_have_accessible_name("Resign this game?")
    expect(page.get_by_role("button", name="No, play on")).to_be_focused()
    page.get_by_role("button", name="No, play on").click()
    expect(page.get_by_role("alertdialog")).to_be_hidden()
    page.get_by_role("button", name="Resign", exact=True).click()
    page.get_by_role("button", name="Yes, resign").click()
    expect(page.get_by_role("alertdialog")).to_have_accessible_name("Are you sure? North then wins at once.")
    assert stage.sent == []
    assert press(page, "Yes, resign").status == 202
    assert said(stage) == [("South", "resign")]
    expect(page.get_by_role("alertdialog")).to_be_hidden()


def test_a_game_that_changed_meanwhile_is_not_resigned(page, site, stage):
    page.goto(play(site, "?player=South"))
    page.get_by_role("button", name="Resign", exact=True).click()
    stage.show(game_no=2)
    expect(page.get_by_role("alertdialog")).to_be_hidden()


def test_a_draw_is_offered_taken_back_and_accepted_by_the_other(page, site, stage):
    page.goto(play(site, "?player=South"))
    assert press(page, "Offer a draw").status == 202
    stage.show(offer="South")
    expect(page.locator("#draw-told")).to_have_text("You have offered a draw.")
    expect(page.get_by_role("button", name="Accept the draw")).to_be_hidden()
    assert press(page, "Take the offer back").status == 202
    page.get_by_role("button", name="North").click()
    expect(page.locator("#draw-told")).to_have_text("South offers a draw.")
    expect(page.get_by_text("South offers a draw.")).to_have_count(1)
    assert press(page, "Play on").status == 202
    assert press(page, "Accept the draw").status == 202
    assert said(stage) == [
        ("South", "offer_draw"), ("South", "decline_draw"), ("North", "decline_draw"), ("North", "accept_draw"),
    ]


def test_done_is_not_offered_while_the_board_is_being_set_up(page, site, stage):
    page.goto(play(site, "?player=South"))
    done = page.get_by_role("button", name="Done", exact=True)
    expect(done).to_be_visible()
    stage.show(rearranging=True)
    expect(done).to_be_hidden()
    stage.show(rearranging=False)
    expect(done).to_be_visible()


def test_the_operator_is_called_and_no_longer_needed(page, site, stage):
    page.goto(play(site))
    assert press(page, "Call the operator").status == 202
    stage.show(operator=True)
    assert press(page, "No longer needed").status == 202
    assert said(stage) == [(None, "call_operator"), (None, "dismiss_operator")]


def test_what_is_wrong_and_the_rules_are_told_in_the_players_language(page, site, stage):
    stage.show(offence=ILLEGAL)
    page.goto(play(site, "?player=South"))
    page.get_by_role("link", name="nl").click()
    page.wait_for_url("**lang=nl**")
    expect(page.locator("#headline")).to_have_text("Zuid")
    expect(page.locator("#steps")).to_contain_text("donkere Pias: c3 → c1")
    expect(page.locator(".rules li").first).to_contain_text("beginlijn")
    expect(page.get_by_role("button", name="Zuid")).to_have_attribute("aria-pressed", "true")  # still the same side


def test_a_phone_hears_when_its_game_is_over(browser, site, stage):
    token = site.players.passes.invite(stage.view)
    context = browser.new_context(extra_http_headers=PHONE_HEADERS, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(play(site, f"?t={token}&player=South"))
    assert press(page, "Done").status == 202
    stage.show(phase="over", winner="South", why="end_move", to_move=None)
    expect(page.locator("#headline")).to_have_text("South wins")
    expect(page.locator("#old")).to_be_hidden()
    stage.show(phase="setup", winner=None, why=None)
    expect(page.locator("#old")).to_be_visible()
    expect(page.locator("#valid")).to_be_hidden()
    page.reload()
    expect(page.get_by_role("heading", name="This code is of another game")).to_be_visible()
    assert page.locator("button").count() == 0
    expect(page.locator(".rules li").first).to_be_visible()
    page.get_by_role("link", name="Watch the game").click()
    expect(page.locator("#headline")).to_have_text("Set up")
    expect(page.locator("#invite")).to_be_hidden()  # the code is on the table's own screen
    context.close()
    assert said(stage) == [("South", "done")]


def test_a_refusal_is_told_in_a_friendly_sentence(browser, site, stage):
    page = browser.new_page()
    page.goto(play(site, "?player=South&lang=fr"))
    for _ in range(9):
        press(page, "Terminé")
    expect(page.locator("#answer")).to_have_text("C'était beaucoup à la fois. Attendez un instant, puis réessayez.")
    page.close()


def test_a_server_that_goes_is_told_here_too(page, site, stage):
    page.goto(play(site, "?player=South"))
    expect(page.locator("#age")).to_have_text("live")
    site.stop()
    expect(page.locator("#stale")).to_be_visible(timeout=10_000)
    site.start()
    expect(page.locator("#stale")).to_be_hidden(timeout=15_000)


# ---- how it looks, and for whom ----

RATIOS = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const mix = (colours) => {
    canvas.clearRect(0, 0, 1, 1);
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((value) => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = [];
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest("svg, [hidden]") || !element.checkVisibility()) continue;
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) continue;
    const grounds = [];
    for (let at = element; at; at = at.parentElement) grounds.unshift(getComputedStyle(at).backgroundColor);
    const style = getComputedStyle(element);
    const [ground, ink] = [light(mix(["white", ...grounds])), light(mix(["white", ...grounds, style.color]))];
    const ratio = (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05);
    const px = parseFloat(style.fontSize);
    const large = px >= 24 || (px >= 18.66 && Number(style.fontWeight) >= 700);
    found.push([element.id || element.className || element.tagName, Math.round(ratio * 100) / 100, large ? 3 : 4.5]);
  }
  return found;
}"""

UNNAMED = """() => [...document.querySelectorAll("a, button, summary, [role=region], [role=img], nav, section")]
  .filter((element) => element.checkVisibility() && ["A", "BUTTON", "SUMMARY", "NAV"].includes(element.tagName))
  .filter((element) => !(element.getAttribute("aria-label") || element.textContent.trim()))
  .map((element) => element.outerHTML)"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_both_pages_fit_and_can_be_read(browser, site, stage, theme, size):
    width, height = SIZES[size]
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
    states = [
        {"offence": ILLEGAL}, {"offence": None, "question": QUESTION}, {"question": (), "offer": "North"},
        {"offer": None, "phase": "over", "winner": "South", "why": "end_move"},
    ]
    pages = {"play?player=South&lang=de": "de", "?lang=fr": "fr", "play?lang=nl&contrast=more": "nl"}
    for path, language in pages.items():
        stage.show(phase="play", winner=None, why=None, question=(), offence=None, offer=None)
        page.goto(site.url + path)
        for change in states:
            stage.show(**change)
            code = {"offence": "illegal", "question": "question", "winner": "over"}
            wanted = next((code[key] for key in change if change[key] and key in code), "to_move")
            expect(page.locator("body")).to_have_attribute("data-code", wanted)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, change)
            told = page.evaluate(RATIOS)
            assert len(told) > 8
            assert [one for one in told if one[1] < one[2]] == [], (path, change)
            assert page.evaluate(UNNAMED) == []
        assert page.evaluate("document.documentElement.lang") == language
        assert page.locator("h1:visible").count() == 1
        assert page.locator("main").count() == 1
    page.close()


@pytest.mark.parametrize("size", ["laptop", "kiosk"])
def test_the_code_stays_on_the_display_with_much_to_say(browser, serve, stage, size):
    width, height = SIZES[size]
    stage.show(offence=Offence("South", None, ILLEGAL.reasons, (*ILLEGAL.way_back, Shift("dark-PINET", "a2", "a1"))))
    site = serve(stage)
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(f"{site.url}?lang=de")
    expect(page.locator(".steps li")).to_have_count(2)
    expect(page.locator("#qr")).to_be_visible()
    box = page.locator("#qr").bounding_box()
    assert box["width"] > 70
    assert box["y"] + box["height"] <= height
    assert box["y"] > page.locator(".steps li").last.bounding_box()["y"]
    page.close()


@pytest.mark.parametrize("size", SIZES)
def test_the_newest_turn_is_in_sight_beside_the_code(browser, site, stage, size):
    width, height = SIZES[size]
    turns = tuple(Played(n, ("South", "North")[(n + 1) % 2], f"a{n}-b{n}") for n in range(1, 41))
    stage.show(turns=turns)
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(site.url)
    expect(page.locator("#qr")).to_be_visible()
    for _ in range(50):  # the list is laid out anew when the code has come
        newest, shown = page.locator("td.newest").bounding_box(), page.locator("#scroll").bounding_box()
        if newest["y"] + newest["height"] <= shown["y"] + shown["height"] + 1:
            break
        page.wait_for_timeout(50)
    assert newest["y"] >= shown["y"]
    assert newest["y"] + newest["height"] <= shown["y"] + shown["height"] + 1
    page.close()
