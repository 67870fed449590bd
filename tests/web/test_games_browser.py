"""The recorded games in a real browser: search, step, play, keys, addresses, sizes, and what axe-core says."""

from __future__ import annotations

import base64
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from controller.journal.importing import events_of
from controller.journal.notation import record_from_text
from controller.journal.store import Journal
from controller.web.shelf import Records

TEXTS = {
    "transet": (
        "Game: transet\nPlayer South: Anna\nPlayer North: Zoë Featherstonehaugh-Cholmondeley\n"
        "Begun: 2026-11-30T14:03:00Z\n"
        "1. c1-c2 [4.0 s]\n2. c5-c4 [71.5 s]\n(illegal: South TOO_FAR a1 a3: Too far.)\n(paused)\n3. a1-a2 [9.9 s]\n"
        "Result: North wins (resigned)"
    ),
    "taasen": "Game: taasen\n1. RS=10\n2. WS=2\n",
    "transfer": "Game: transfer\n1. LA2 UH2^1 OD1 [1.0 s]\n2. LA2 UB1 UH1^1 OA1 [2.0 s]\n",
}
SIZES = ((390, 844), (1280, 800), (1920, 1080))


@pytest.fixture
def shelf(serve, stage, tmp_path):
    path = tmp_path / "boardref.db"
    with Journal.open(path) as journal:
        rows = [events_of(record_from_text(text), "text", "", no) for no, text in enumerate(TEXTS.values(), 1)]
        journal.append([event for game in rows for event in game])
    return serve(stage, records=Records(path))


def pieces(page):
    return sorted(page.locator("#board .piece").evaluate_all("all => all.map((one) => one.dataset.site)"))


def test_a_game_is_found_stepped_and_played(page, shelf):
    page.emulate_media(reduced_motion="reduce")
    page.goto(shelf.url + "games?lang=en")
    expect(page.locator("tbody tr")).to_have_count(3)
    page.get_by_label("Player’s name").fill("anna")
    page.get_by_role("button", name="Find").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    assert "player=anna" in page.url
    page.get_by_role("link", name="Anna – Zoë").click()
    expect(page.locator("#caption")).to_have_text("Start")
    start = pieces(page)
    assert len(start) == 10
    page.keyboard.press("ArrowRight")
    expect(page.locator("#caption")).to_have_text("1. Anna c1-c2")
    assert pieces(page) == sorted([*(site for site in start if site != "c1"), "c2"])
    assert page.url.endswith("#1")
    page.keyboard.press("End")
    expect(page.locator("#note")).to_contain_text("Zoë Featherstonehaugh-Cholmondeley wins")
    expect(page.locator("#next")).to_be_disabled()
    page.keyboard.press("ArrowLeft")  # what was illegal before the last turn
    expect(page.locator("#list a[aria-current]")).to_have_text("Illegal, Anna")
    page.keyboard.press("Home")
    assert pieces(page) == start
    assert "#" not in page.url
    page.locator("#speed").select_option("4")
    page.locator("h1").click()
    page.keyboard.press(" ")
    expect(page.locator("#play")).to_have_attribute("aria-label", "Pause")
    expect(page.locator("#caption")).to_have_text("3. Anna a1-a2", timeout=10_000)
    expect(page.locator("#play")).to_have_attribute("aria-label", "Play")


def test_an_address_leads_to_its_turn_and_language_keeps_it(page, shelf):
    page.goto(shelf.url + "games/1?lang=de#2")
    expect(page.locator("#caption")).to_have_text("2. Zoë Featherstonehaugh-Cholmondeley c5-c4")
    page.evaluate("location.hash = '#1'")
    expect(page.locator("#caption")).to_have_text("1. Anna c1-c2")
    page.locator("footer").get_by_role("link", name="nl").click()
    expect(page.locator("#caption")).to_have_text("1. Anna c1-c2")
    expect(page.locator("html")).to_have_attribute("lang", "nl")
    page.locator("#list a").last.click()
    expect(page).to_have_url(re.compile("#3$"))
    page.goto(shelf.url + "games/1#99")
    expect(page.locator("#next")).to_be_disabled()  # there are fewer turns: the last one


def test_a_kiosk_goes_back_to_its_display_by_itself(page, shelf):
    page.clock.install()
    page.goto(shelf.url + "?lang=nl&theme=dark")
    page.get_by_role("link", name="Partijen").click()
    page.locator("tbody a").first.click()
    expect(page.locator("#caption")).to_have_text("Begin")
    page.clock.run_for(170_000)
    page.keyboard.press("ArrowRight")
    page.clock.run_for(170_000)
    assert "/games/" in page.url
    page.clock.run_for(20_000)
    expect(page).to_have_url(shelf.url + "?lang=nl&theme=dark")


def test_pieces_travel_and_downloads_come(page, shelf):
    page.goto(shelf.url + "games/1")
    page.locator("#next").click()
    moving = "document.getAnimations().filter((one) => one.effect.target.closest('.layer-pieces')).length"
    assert page.evaluate(moving) == 1
    with page.expect_download() as taken:
        page.locator("#diagram").click()
    assert taken.value.suggested_filename == "game-1-1.svg"
    with page.expect_download(timeout=60_000) as taken:
        page.get_by_role("link", name="Film GIF").click()
    assert taken.value.suggested_filename == "game-1.gif"


PAGES = {"light": ("games/1?lang=nl#2.3", "games/2?lang=de#1"), "dark": ("games?lang=fr", "games/1?lang=fr#2")}


def test_the_film_that_is_offered_is_played_by_a_browser(page, shelf):
    page.goto(shelf.url + "games/2?lang=en")
    with page.expect_download(timeout=60_000) as found:
        page.get_by_role("link", name="Film MP4").click()
    assert found.value.suggested_filename.endswith(".mp4")
    film = base64.b64encode(found.value.path().read_bytes()).decode()
    page.goto("about:blank")
    page.set_content(f'<video muted src="data:video/mp4;base64,{film}"></video>')
    page.wait_for_function("document.querySelector('video').readyState === HTMLMediaElement.HAVE_ENOUGH_DATA")
    length_s, wide = page.evaluate("(v => [v.duration, v.videoWidth])(document.querySelector('video'))")
    assert length_s == pytest.approx(1.4 + 2 * 0.583 + 0.95 + 3.0, abs=0.3)  # a beginning, two turns, the end
    assert wide == 960
    page.evaluate("document.querySelector('video').play()")
    page.wait_for_function("document.querySelector('video').currentTime > 0.3")


@pytest.mark.parametrize("theme", PAGES)
def test_every_size_and_nothing_serious_for_axe(browser, shelf, theme):
    page = browser.new_page(color_scheme=theme)
    for address in PAGES[theme]:
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.goto(shelf.url + address)
            page.wait_for_function("document.querySelector('#caption')?.textContent ?? true")
            wide = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            assert wide[0] <= wide[1], (address, width)
            if width == SIZES[0][0]:
                found = Axe().run(page).response["violations"]
                serious = [one for one in found if one["impact"] in ("serious", "critical")]
                assert not serious, [(one["id"], one["nodes"][0]["html"][:200]) for one in serious]
    page.close()
