from __future__ import annotations

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect

from controller.referee.view import Offence
from controller.rules.api import Owed, Reason, Shift

PHONE, LAPTOP, KIOSK = {"width": 390, "height": 844}, {"width": 1366, "height": 768}, {"width": 1920, "height": 1080}
TOO_FAR = Offence(
    "South",
    None,
    (Reason("TOO_FAR", ("c3",), "transet 2.1", {"piece": "dark-PIAS", "from": "c1", "to": "c3", "site": "c3"}),),
    (Shift("dark-PIAS", "c3", "c1"),),
)


def moved(view, origin, to):
    placement = dict(view.observed)
    placement[to] = placement.pop(origin)
    return placement


def test_whose_turn_what_happened_and_the_record(page, site, stage, played):
    page.goto(site.url)
    expect(page.locator("#headline")).to_have_text("South")
    expect(page.locator("#sub")).to_have_text("to move")
    expect(page.locator("#turns")).to_contain_text("No turn yet")
    expect(page.locator(".piece.seen")).to_have_count(10)
    after = moved(stage.view, "c1", "c2")
    stage.show(turns=played, to_move="North", observed=after, placement=after)
    expect(page.locator("#headline")).to_have_text("North")
    expect(page.locator("#lead")).to_have_text("South played c1-c2 ✓")
    expect(page.locator("#turns td.newest")).to_have_text("c1-c2")
    expect(page.locator(".area.last.to")).to_have_attribute("data-site", "c2")
    expect(page).to_have_title("North to move · Boardref")


def test_an_offence_is_explained_and_the_way_back_drawn(page, site, stage):
    page.goto(site.url)
    expect(page.locator("#headline")).to_have_text("South")
    stage.show(offence=TOO_FAR, observed=moved(stage.view, "c1", "c3"))
    arrow = page.locator(".arrow.back")
    expect(arrow).to_have_count(1)
    expect(arrow).to_have_attribute("data-from", "c3")
    expect(arrow).to_have_attribute("data-to", "c1")
    expect(page.locator("#lead")).not_to_be_empty()
    expect(page.locator("#steps")).to_contain_text("dark Pias: c3 → c1")
    expect(page.locator(".area.fault")).to_have_attribute("data-site", "c3")
    expect(page.locator(".piece.missing")).to_have_attribute("data-site", "c1")
    expect(page.locator("body")).to_have_attribute("data-tone", "amber")
    stage.show(offence=None)
    expect(arrow).to_have_count(0)


def test_what_is_owed_is_marked_on_the_board(page, site, stage):
    owed = (Owed("South", "return", "light-PIOKER", None, frozenset({"b5", "c5"})),)
    stage.show(owed=owed, hint=True, placement=stage.view.placement)
    page.goto(site.url)
    expect(page.locator("#lead")).to_have_text(re.compile("light Pioker.*b5, c5"))
    expect(page.locator(".target")).to_have_count(2)


def test_setting_up_draws_the_next_piece(page, site, stage):
    wrong = (Shift("dark-PIAS", "c3", "c1"), Shift("dark-PINET", None, "a1"))
    stage.show(phase="setup", wrong=wrong, right=8, total=10, to_move=None)
    page.goto(site.url)
    expect(page.locator("#headline")).to_have_text("Set up")
    expect(page.locator(".arrow.place")).to_have_attribute("data-from", "c3")
    expect(page.locator(".piece.wanted")).to_have_count(2)


@pytest.mark.parametrize(
    ("change", "headline"),
    [
        ({"phase": "over", "winner": "South", "why": "end_move"}, "South wins"),
        ({"trouble": "lost"}, "I cannot see"),
        ({"board_moved": True}, "The board has moved"),
        ({"phase": "searching"}, "Where is the board?"),
        ({"question": ({"text": "c1-c2", "player": "South", "position": None},)}, "Is it this?"),
        ({"rearranging": True}, "One moment"),
        ({"hidden": frozenset({"c1"}), "hand": True}, "South"),
    ],
)
def test_each_state_has_its_words(page, site, stage, change, headline):
    page.goto(site.url)
    stage.show(**change)
    expect(page.locator("#headline")).to_have_text(headline)


def test_lights_glow_in_the_colours_the_device_shows(page, site, stage):
    lights = {
        "connected": True,
        "state": "illegal",
        "sites": {"c3": "#cc7f00", "c1": "#000000"},
        "bars": {"South": ["#cc7f00"] * 4 + ["#000000"], "North": []},
        "lamp": "#000000",
        "brightness": 64,
    }
    stage.tell(lights=lights)
    page.goto(site.url)
    expect(page.locator(".lamp")).to_have_count(1)
    expect(page.locator(".lamp")).to_have_attribute("data-site", "c3")
    expect(page.locator(".lamp .core")).to_have_attribute("stroke", "rgb(255 159 0)")
    expect(page.locator('.bar[data-player="South"] .lit')).to_have_count(4)
    stage.tell(lights={"connected": False}, link={"state": "lost", "sentence": "The cable is out; looking for it."})
    expect(page.locator(".lamp")).to_have_count(0)
    expect(page.locator("#lights")).to_have_text("Lights: The cable is out; looking for it.")


def test_old_pictures_are_greyed_out(page, site, stage):
    page.goto(site.url)
    expect(page.locator("#age")).to_have_text("live")
    expect(page.locator("#stale")).to_be_hidden()
    stage.tell(age_s=9.0)
    expect(page.locator("#stale")).to_contain_text("No news for 9 s")
    expect(page.locator("#stale-why")).to_contain_text("camera")
    stage.tell(age_s=0.1)
    expect(page.locator("#stale")).to_be_hidden()


def test_a_server_that_goes_is_told_and_found_again(page, site, stage):
    page.goto(site.url)
    expect(page.locator("#headline")).to_have_text("South")
    site.stop()
    expect(page.locator("#stale")).to_be_visible(timeout=10_000)
    expect(page.locator("#stale-why")).to_contain_text("trying by itself")
    expect(page.locator("body")).to_have_attribute("data-stale", "server")
    stage.show(to_move="North")  # what happened meanwhile is not replayed: the newest state is shown
    site.start()
    expect(page.locator("#stale")).to_be_hidden(timeout=15_000)
    expect(page.locator("#headline")).to_have_text("North")


@pytest.mark.parametrize(
    ("language", "size"),
    [("en", PHONE), ("nl", PHONE), ("de", PHONE), ("fr", PHONE), ("de", LAPTOP), ("fr", KIOSK)],
)
def test_nothing_is_wider_than_the_screen(page, demo_site, demo_stage, language, size):
    page.set_viewport_size(size)
    demo_stage.show(offence=TOO_FAR, observed=moved(demo_stage.view, "c1", "c3"))
    page.goto(f"{demo_site.url}?lang={language}")
    expect(page.locator(".arrow.back")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert page.locator("#board").bounding_box()["width"] > 0.3 * min(size.values())
    if size["width"] > 860:
        box = page.locator("#headline").bounding_box()
        assert box["height"] > size["height"] * 0.1  # read from three metres


def test_the_language_is_chosen_on_the_screen(page, site):
    page.goto(site.url)
    page.get_by_role("link", name="nl").click()
    expect(page.locator("#headline")).to_have_text("Zuid")
    expect(page.locator("#sub")).to_have_text("is aan zet")


def test_dragging_changes_only_the_world(page, demo_site, demo_stage):
    page.goto(demo_site.url)
    piece = page.locator('.loose[data-kind="dark-PIAS"]')
    expect(page.locator(".loose")).to_have_count(10)
    box, target = piece.bounding_box(), page.locator("#board").bounding_box()
    rev = demo_stage.snapshot().rev
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(target["x"] + 30, target["y"] + target["height"] / 2, steps=8)
    expect(piece).to_have_class("loose held")
    page.mouse.up()
    expect(piece).to_have_class("loose")
    token = next(one for one in demo_stage.world.as_json()["tokens"] if one["kind"] == "dark-PIAS")
    assert token["x_mm"] < 0  # beside the sheet
    assert not token["held"]
    assert demo_stage.snapshot().rev == rev
    assert demo_stage.sent == []
    expect(page.locator('.piece.thought[data-site="c1"]')).to_have_count(1)  # the referee still believes it there
    page.get_by_role("button", name="Set up again").click()
    expect(page.locator(".piece.thought")).to_have_count(0)


def test_touch_drags_too(browser, demo_site, demo_stage):
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(demo_site.url)
    piece = page.locator('.loose[data-kind="light-PIAS"]')
    piece.scroll_into_view_if_needed()
    box = piece.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    wire = context.new_cdp_session(page)
    wire.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for step in range(1, 6):
        wire.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y + 8 * step}]})
    wire.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(page.locator(".loose.held")).to_have_count(0)
    token = next(one for one in demo_stage.world.as_json()["tokens"] if one["kind"] == "light-PIAS")
    assert token["y_mm"] > 125
    context.close()


def test_the_keyboard_moves_a_piece_one_place(page, demo_site, demo_stage):
    page.goto(demo_site.url)
    piece = page.locator('.loose[data-kind="dark-PIAS"]')
    piece.focus()
    page.keyboard.press("Enter")
    expect(piece).to_have_class("loose held")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(piece).to_have_class("loose")
    token = next(one for one in demo_stage.world.as_json()["tokens"] if one["kind"] == "dark-PIAS")
    assert demo_stage.world.board_set.site_at(token["x_mm"], token["y_mm"])[0].id == "c2"


def test_the_demo_has_the_buttons_that_its_table_has_not(page, demo_site, demo_stage):
    page.goto(demo_site.url)
    with page.expect_response("**/api/press**"):
        page.get_by_role("button", name="Done · South").click()
    demo_stage.show(question=({"text": "c1-c2", "player": "South", "position": None},))
    with page.expect_response("**/api/press**"):
        page.get_by_role("button", name="Yes").click()
    expect(page.get_by_role("button", name="No")).to_be_visible()
    demo_stage.show(question=())
    with page.expect_response("**/api/press**"):
        page.get_by_role("button", name="Call the operator").click()
    demo_stage.show(operator=True)
    expect(page.locator("#headline")).to_have_text("One moment, please")
    with page.expect_response("**/api/press**"):
        page.get_by_role("button", name="No longer needed").click()
    assert [(press.player, press.button) for press in demo_stage.sent] == [
        ("South", "done"),
        (None, "yes"),
        (None, "call_operator"),
        (None, "dismiss_operator"),
    ]


def test_the_keys_1_and_2_are_the_two_players_buttons(page, site, stage):
    page.goto(f"{site.url}?keys=1")
    expect(page.locator("#headline")).to_have_text("South")
    with page.expect_response("**/api/press**"):
        page.keyboard.press("2")
    with page.expect_response("**/api/press**"):
        page.keyboard.down("1")  # held for a second
    page.keyboard.up("1")
    with page.expect_response("**/api/press**"):
        page.keyboard.press("1")
    assert [(press.player, press.button) for press in stage.sent] == [
        ("North", "done"),
        ("South", "call_operator"),
        ("South", "done"),
    ]


def test_a_keypad_elsewhere_counts_where_every_screen_shows_the_code(browser, site, stage):
    for everywhere, said in ((False, []), (True, [("North", "done")])):
        site.stop()
        site.players = replace(site.players, everywhere=everywhere)
        site.start()
        page = browser.new_page(extra_http_headers={"X-Forwarded-For": "192.168.1.77"})
        page.goto(f"{site.url}?keys=1")
        expect(page.locator("#headline")).to_have_text("South")
        expect(page.locator("#invite")).to_be_visible(visible=everywhere)
        with page.expect_response("**/api/press**"):
            page.keyboard.press("2")
        assert [(press.player, press.button) for press in stage.sent] == said
        expect(page.locator("#said")).to_have_text("" if everywhere else re.compile("of another game"))
        page.close()


def test_a_spectators_screen_has_no_buttons_and_no_keys(page, site, stage):
    page.goto(site.url)
    expect(page.locator("#headline")).to_have_text("South")
    expect(page.get_by_role("button")).to_have_count(0)
    page.keyboard.press("1")
    page.wait_for_timeout(200)
    assert stage.sent == []


@pytest.mark.parametrize(
    ("mode", "said"), [("referee", ""), ("record", " · records only, judges nothing"), ("teach", " · teaches")]
)
def test_the_display_says_where_nothing_is_judged(page, site, stage, mode, said):
    stage.show(mode=mode)
    page.goto(site.url)
    expect(page.locator("#brand")).to_have_text(f"Boardref · Transet{said}")
