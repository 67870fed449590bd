"""The display for players and spectators: how a screen looks, the way back as it should be carried, never old news."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

from controller.referee.view import Offence
from controller.rules.api import Owed, Reason, Shift
from controller.web.app import create_app
from controller.web.screen import Screen
from vision.boardset import installed_sets

BACK = (Shift("dark-PIAS", "c3", "c1"), Shift("dark-PINET", "a2", "a1"))
ILLEGAL = Offence("South", None, (Reason("TOO_FAR", ("c3",), "transet 2.1"),), BACK)
DARK, LIGHT = "rgb(27, 22, 19)", "rgb(247, 242, 232)"


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_or_dark_as_the_device_unless_the_screen_chooses(page, site, scheme):
    page.emulate_media(color_scheme=scheme)
    page.goto(site.url)
    assert background(page) == {"light": LIGHT, "dark": DARK}[scheme]
    page.get_by_role("link", name="dark").click()
    page.wait_for_url("**theme=dark**")
    assert background(page) == DARK
    page.get_by_role("link", name="nl").click()
    page.wait_for_url("**lang=nl**")
    assert background(page) == DARK  # kept with another language
    page.get_by_role("link", name="licht").click()
    page.wait_for_url("**theme=light**")
    assert background(page) == LIGHT


@pytest.mark.parametrize(
    ("query", "contrast", "scheme", "ground"),
    [
        ("", "more", "light", "rgb(255, 255, 255)"),
        ("?contrast=more", "no-preference", "dark", "rgb(0, 0, 0)"),
        ("?contrast=more&theme=light", "no-preference", "dark", "rgb(255, 255, 255)"),
        ("?theme=dark", "more", "light", "rgb(0, 0, 0)"),
    ],
)
def test_more_contrast_by_the_device_or_by_choice(page, site, query, contrast, scheme, ground):
    page.emulate_media(color_scheme=scheme, contrast=contrast)
    page.goto(site.url + query)
    assert background(page) == ground


def test_an_address_keeps_what_a_screen_chose():
    chosen = Screen(lang="fr", theme="dark", motion="less", keys=True)
    assert chosen.address(theme="light") == "?lang=fr&theme=light&motion=less&keys=1"
    assert Screen().address(lang="de") == "?lang=de"


def journeys(page):
    """How far each ghost gets, in sheet millimetres, and whether it moves for ever."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".ghost")].map((ghost) => {
          const [animation] = ghost.getAnimations();
          const frames = animation.effect.getKeyframes();
          const place = (frame) => frame.transform.match(/translate\\(([-\\d.]+)px, ([-\\d.]+)px/).slice(1).map(Number);
          const { iterations, duration } = animation.effect.getTiming();
          return { from: place(frames[0]), to: place(frames.at(-1)), forever: iterations === Infinity, duration };
        })"""
    )


def test_the_way_back_is_shown_by_ghosts_one_after_the_other(page, site, stage):
    stage.show(offence=ILLEGAL)
    page.goto(site.url)
    expect(page.locator(".ghost")).to_have_count(2)
    shown = journeys(page)
    sites = page.evaluate("fetch('/api/set').then((answer) => answer.json())")["sites"]
    centre = {name: site["centre"] for name, site in sites.items()}
    for journey, shift in zip(shown, BACK, strict=True):
        assert journey["from"] == pytest.approx(centre[shift.origin], abs=0.01)
        assert journey["to"] == pytest.approx(centre[shift.to], abs=0.01)
        assert journey["forever"]
        assert journey["duration"] > 2000 * len(BACK)
    assert page.locator(".arrow.back").count() == 2
    stage.show(offence=None)
    expect(page.locator(".ghost")).to_have_count(0)


def test_the_same_way_goes_on_when_something_else_changes(page, site, stage):
    stage.show(offence=ILLEGAL)
    page.goto(site.url)
    expect(page.locator(".ghost")).to_have_count(2)
    page.evaluate("document.querySelector('.ghost').mark = true")
    stage.show(hidden=frozenset({"e5"}))
    expect(page.locator(".area.hidden")).to_have_count(1)
    assert page.evaluate("document.querySelector('.ghost').mark") is True


def test_a_single_way_owed_is_shown_and_a_choice_is_not(page, site, stage):
    stage.show(owed=(Owed("South", "return", "dark-PIAS", "c3", frozenset({"c1"})),))
    page.goto(site.url)
    expect(page.locator(".ghost")).to_have_count(1)
    stage.show(owed=(Owed("South", "return", "dark-PIAS", "c3", frozenset({"c1", "d2"})),))
    expect(page.locator(".ghost")).to_have_count(0)
    expect(page.locator(".arrow.owed")).to_have_count(2)


@pytest.mark.parametrize(("motion", "query"), [("reduce", ""), ("no-preference", "?motion=less")])
def test_with_little_motion_there_are_arrows_only(page, site, stage, motion, query):
    page.emulate_media(reduced_motion=motion)
    stage.show(offence=ILLEGAL)
    page.goto(site.url + query)
    expect(page.locator(".arrow.back")).to_have_count(2)
    expect(page.locator(".ghost")).to_have_count(0)
    assert page.evaluate("document.getAnimations().length") == 0


def test_a_machine_that_slept_asks_anew_at_once(page, site, stage):
    page.goto(site.url)
    expect(page.locator("#age")).to_have_text("live")
    with page.expect_request("**/events?**"):
        page.evaluate("{ const now = Date.now; Date.now = () => now() + 3600e3; }")  # its steady clock stood still
    expect(page.locator("#age")).to_have_text("live")
    site.stop()
    page.evaluate("{ const now = Date.now; Date.now = () => now() + 3600e3; }")
    expect(page.locator("#stale")).to_be_visible(timeout=2500)  # old, without waiting for silence
    site.start()
    expect(page.locator("#stale")).to_be_hidden(timeout=15_000)


def test_a_board_that_could_not_be_had_is_asked_for_again(page, site):
    refusals = []

    def refuse_first(route):
        if refusals:
            route.continue_()
        else:
            refusals.append(route.abort())

    page.route("**/api/set", refuse_first)
    page.goto(site.url)
    expect(page.locator("#headline")).to_have_text("South")  # said at once, with or without a board
    expect(page.locator(".piece.seen")).to_have_count(10)
    assert len(refusals) == 1


def test_points_are_told_where_a_game_counts(page, site, stage):
    page.goto(site.url)
    expect(page.locator("#score")).to_be_hidden()
    stage.show(score=(4, 2))
    expect(page.locator("#score")).to_have_text("South 4North 2")
    expect(page.locator("#score .ahead")).to_have_text("South 4")


@pytest.mark.parametrize("game", ["transet", "taasen", "transfer"])
def test_every_site_is_named_once_where_no_piece_covers_it(stage, game):
    stage.tell(set=installed_sets()[game])
    with TestClient(create_app(stage), base_url="http://localhost") as client:
        told = client.get("/api/set").json()
        assert "<text" not in client.get("/set.svg").text
    names = [name for name, *_ in told["labels"]]
    assert len(names) == len(set(names))
    beside = [(x, y) for _, x, y, where in told["labels"] if where == "beside"]
    own = {name: one["polygon"] for name, one in told["sites"].items() if "." not in name}
    for x, y in beside:
        for polygon in own.values():
            xs, ys = [px for px, _ in polygon], [py for _, py in polygon]
            assert not (min(xs) < x < max(xs) and min(ys) < y < max(ys))
    if beside:
        assert {column + row for column in names if column.isalpha() for row in names if row.isdigit()} == set(own)
    else:
        assert set(names) == set(own)


def test_a_sheet_with_platforms_is_shown_whole(stage):
    stage.tell(set=installed_sets()["transfer"])
    with TestClient(create_app(stage), base_url="http://localhost") as client:
        told = client.get("/api/set").json()
    (left, top, width, height), (wide, high) = told["table"], told["sheet"]
    assert left < 0 < wide < left + width
    assert top < 0 < high < top + height


@pytest.mark.parametrize("path", ["/", "/display"])
def test_a_real_tables_display_has_no_control(page, site, stage, path):
    page.goto(site.url.rstrip("/") + path)
    expect(page.locator("#headline")).to_have_text("South")
    stage.show(question=({"text": "c1-c2", "player": "South", "position": None},))
    expect(page.locator("#headline")).to_have_text("Is it this?")
    assert page.locator("button, input, select, form, [role=button]").count() == 0
