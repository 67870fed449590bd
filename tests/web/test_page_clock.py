"""The players' clock on pages: big digits for each side, who runs, whose flag has fallen, why it waits."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from controller.referee.view import ClockView, Offence
from controller.rules.api import Game, Reason, Shift
from controller.rules.registry import game_named
from controller.web.state import beat_json, view_json
from controller.words import LANGUAGES
from vision.boardset import installed_sets

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
    if (seen(one) && one.getBoundingClientRect().bottom > foot + 1) found.push(one.className || one.id || one.tagName);
  const message = document.querySelector(".message");
  return message.scrollHeight > message.clientHeight + 1 ? [...found, "message"] : found;
}"""


SMALLEST = """() => {
  const all = [...document.querySelectorAll(".lead, .more li, .steps li")].filter((one) => one.checkVisibility());
  return all.length ? Math.min(...all.map((one) => parseFloat(getComputedStyle(one).fontSize))) : 0;
}"""
"""In pixels; all at once, for between two questions the words may be drawn anew."""


def fits(page: Page, where: object) -> None:
    try:  # the picture of the moment before may still stand there
        page.wait_for_function(f"() => ({OVER})().length === 0", timeout=5_000)
    except PlaywrightTimeout:
        raise AssertionError((page.evaluate(OVER), where)) from None


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
            fits(page, (width, height, shown))


def long(code: str, sites: tuple[str, ...], **facts: str) -> Reason:
    return Reason(code, sites, "2.1", facts)


PAWNS = {"piece": "light-PIOKER", "from": "b5", "to": "d1", "player": "North"}
THAUM = {"piece": "white-THAUM", "from": "0", "player": "Red"}
MUCH = {  # of each game the sentences that are long in one language or another
    "transet": (
        long("NOT_CAPTURED", ("b5", "d1"), **PAWNS),
        long("OWN_PAWN_THERE", ("e1", "d1"), **PAWNS, other="dark-PIOKER"),
        long("WRONG_STEP", ("b5", "d1"), **PAWNS),
    ),
    "taasen": (
        long("NOT_ADJACENT", ("0", "12"), **THAUM, to="12"),
        long("SEA_REST", ("0", "6"), **THAUM, to="6", form="inland"),
        long("NOT_PRESSED", ("0", "2"), **THAUM, to="2", other="white-PAUPIL"),
    ),
    "transfer": (
        long("LOAD_AFTER_UNLOAD", ("C1",), player="South", other="North", row="C", piece="blue", site="C1"),
        long("FAR_END", ("A1",), player="South", other="North", row="A", piece="sky", site="A3", form="between"),
        long("OVERPUSH", ("G1",), player="South", other="North", row="G", piece="vermilion", site="G1"),
    ),
}


def crowded(game: Game) -> dict[str, dict[str, Any]]:
    """What a table may have to say at once, each time with a clock that waits."""
    start = game.picture(game.start()).on
    first, second = game.players
    text = game.turn_text(game.start(), next(iter(game.legal_turns(game.start()))))
    back = tuple(Shift(kinds[0], "there", site) for site, kinds in sorted(start.items())[:3])
    none = {"question": (), "doubts": (), "offence": None}
    asked = ({"text": text, "player": first, "position": "x"}, {"text": None, "player": second, "position": "y"})
    few, all_of_it = (Offence(second, None, MUCH[game.name][:n], back[:n]) for n in (1, 3))
    return {
        "asked": none | {"question": asked, "doubts": MUCH[game.name][:1], "asked_about": "lines", "position": "x"},
        "one to put right": none | {"offence": few},
        "much to put right": none | {"offence": all_of_it},
        "a turn that was meant": none | {"offence": replace(few, nearest=back[0], nearest_turn=text)},
    }


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("game", ["transet", "taasen", "transfer"])
def test_a_question_or_an_offence_is_read_whole_beside_a_clock(page, site, stage, game, lang):
    rules = game_named(game)
    first, second = rules.players
    on = rules.picture(rules.start()).on
    clock = ClockView("fischer", {first: 754_000, second: 65_400}, stop="question")
    stage.tell(set=installed_sets()[game])
    stage.show(game=game, set_name=game, players=rules.players, to_move=first, placement=on, observed=on,
               clock=clock, score=(12, 10) if game == "transfer" else None)  # fmt: skip
    page.goto(f"{site.url}?lang={lang}")
    expect(page.locator("#qr")).to_be_visible()
    for what, shown in crowded(rules).items():
        stage.show(**shown)
        expect(page.locator("body")).to_have_attribute("data-code", "question" if shown["question"] else "illegal")
        for width, height in ((1366, 768), (1280, 720), (1280, 800)):
            page.set_viewport_size({"width": width, "height": height})
            fits(page, (what, width, height))
            page.wait_for_function(f"() => ({SMALLEST})() >= 16", timeout=5_000)
    stage.show(question=(), doubts=(), offence=None)
    expect(page.locator("body")).to_have_attribute("data-code", "to_move")
    expect(page.locator("#message")).to_have_attribute("style", re.compile("--fit: 1.00"))
    expect(page.locator("#qr")).to_be_visible()  # with little to say all is as large as before
