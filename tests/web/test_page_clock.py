"""The players' clock on pages: big digits for each side, who runs, whose flag has fallen, why it waits."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from controller.referee.view import ClockView, Offence
from controller.rules.api import Reason, Shift
from controller.web.state import beat_json, view_json
from controller.words import LANGUAGES

RUNNING = ClockView("fischer", {"South": 754_000}, "North", 10_000 + 65_400)
SIZES = ((390, 844), (1280, 800), (1920, 1080))


def face(page: Page, name: str):
    return page.locator(".face", has_text=name)


def test_without_a_clock_nothing_is_shown(page, site, stage):
    assert view_json(stage.snapshot(), "en")["clock"] is None
    page.goto(site.url)
    expect(page.locator("#headline")).to_have_text("South")
    expect(page.locator("#clock")).to_be_hidden()


def test_each_side_has_its_digits_and_one_runs(page, site, stage):
    stage.show(clock=RUNNING, to_move="North")
    page.goto(site.url)
    expect(face(page, "South").locator("b")).to_have_text("12:34")
    expect(face(page, "North").locator("b")).to_have_text(re.compile("^1:0[3-6]$"))  # 65.4 s, and it counts on
    expect(face(page, "North")).to_have_attribute("data-runs", "1")
    expect(face(page, "South")).to_have_attribute("data-runs", "")
    stage.show(t_s=20.0)
    expect(face(page, "North").locator("b")).to_have_text(re.compile("^0:5[3-6]$"))
    stage.show(t_s=62.5)
    expect(face(page, "North").locator("b")).to_contain_text("0:1")
    expect(face(page, "North").locator("b")).to_contain_text(".")


def test_between_two_messages_time_goes_by_and_never_back(page, site, stage):
    stage.show(clock=RUNNING, to_move="North", t_s=64.0)  # 11.4 s left
    page.goto(site.url)
    digits = face(page, "North").locator("b")
    expect(digits).to_contain_text("0:1")
    page.evaluate(
        """() => { window.seen = []; setInterval(() => window.seen.push(
        document.querySelectorAll(".face b")[1].textContent), 20); }"""
    )
    page.wait_for_function("() => new Set(window.seen).size > 3")
    seen = [float(text.split(":")[1]) for text in page.evaluate("window.seen")]
    assert seen == sorted(seen, reverse=True)


@pytest.mark.parametrize(("lang", "said"), [("en", "Time is up"), ("de", "Die Zeit ist um")])
def test_a_fallen_flag_is_shown_and_counts_on(page, site, stage, lang, said):
    stage.show(clock=ClockView("turn", {"South": 30_000}, "North", 1_000, fallen=("North",)), to_move="North")
    page.goto(f"{site.url}?lang={lang}")
    north = page.locator(".face").nth(1)
    expect(north).to_contain_text(said)
    expect(north.locator("b")).to_contain_text("−0:0")
    expect(page.locator(".face").nth(0)).not_to_contain_text(said)


@pytest.mark.parametrize("stop", ["first", "question", "illegal", "check", "setup", "blind", "paused"])
def test_it_says_why_it_waits(stage, stop):
    stage.show(clock=ClockView("fischer", {"South": 1_000, "North": 2_000}, stop=stop))
    said = {view_json(stage.snapshot(), lang)["clock"]["why"] for lang in ("en", "nl", "de", "fr")}
    assert len(said) == 4
    assert all(text.endswith(".") for text in said)


def test_a_beat_carries_the_tables_time(stage):
    assert beat_json(stage.snapshot(), 5.0)["t_s"] == 10.0


@pytest.mark.parametrize(
    ("query", "size"), [("?theme=light", size) for size in SIZES] + [("play?player=South&theme=dark", SIZES[0])]
)
def test_no_size_overflows_with_the_longest_digits(page, site, stage, size, query):
    stage.show(
        clock=ClockView("fischer", {"South": 35_999_000}, "North", -590_000, fallen=("North", "South")),
        to_move="North",
        offence=Offence(
            "North", None, (Reason("TOO_FAR", ("c3",), "transet 2.1"),), (Shift("light-PIAS", "c3", "c5"),)
        ),
    )
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(site.url + query)
    expect(face(page, "North").locator("b")).to_have_text("−10:00")
    expect(face(page, "South").locator("b")).to_have_text("9:59:59")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for one in page.locator(".face").all():
        assert one.evaluate("face => face.querySelector('b').scrollWidth <= face.clientWidth")
        assert one.evaluate("face => face.scrollWidth <= face.clientWidth + 1")


OVER = """() => {
  const seen = (one) => one.checkVisibility() && one.getBoundingClientRect().height > 0;
  const foot = document.querySelector("footer").getBoundingClientRect().top, found = [];
  for (const one of document.querySelectorAll(".record > *"))
    if (seen(one) && one.getBoundingClientRect().bottom > foot + 1) found.push(one.className || one.id);
  const message = document.querySelector(".message");
  return message.scrollHeight > message.clientHeight + 1 ? [...found, "message"] : found;
}"""


@pytest.mark.parametrize("lang", LANGUAGES)
def test_clock_points_and_what_there_is_to_say_of_the_demo_find_room_together(page, serve, demo_stage, lang):
    site = serve(demo_stage)
    page.goto(f"{site.url}?lang={lang}")
    for shown in ({"paused": True}, {"paused": False, "to_move": "South"}):
        demo_stage.show(clock=RUNNING, score=(12, 10), **shown)
        for width, height in ((1280, 720), (1366, 768), (1280, 800), (1920, 1080)):
            page.set_viewport_size({"width": width, "height": height})
            expect(page.locator("#score")).to_be_visible()
            expect(page.locator("#clock")).to_be_visible()
            try:  # the picture of the moment before may still stand there
                page.wait_for_function(f"() => ({OVER})().length === 0", timeout=5_000)
            except PlaywrightTimeout:
                raise AssertionError((page.evaluate(OVER), width, height, shown)) from None
