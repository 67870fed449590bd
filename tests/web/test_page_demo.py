"""The demo as it is served: pretend table, simulated camera, referee, journal, lights on a pseudo-terminal, page."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from controller.cli.demo import demo_table

PATIENCE_MS = 20_000


@pytest.fixture
def demo(tmp_path, serve):
    table = demo_table("transet", tmp_path)
    table.start()
    yield serve(table)
    table.stop()


def drag(page, origin, to):
    """Carry whatever stands on one site to another, as a mouse does."""
    place = """([file, rank]) => {
        const point = new DOMPoint(48.5 + 50 * file, 310 - 50 * rank);
        const {x, y} = point.matrixTransform(document.querySelector('#board').getScreenCTM());
        return [x, y];
    }"""
    for site, step in ((origin, page.mouse.down), (to, page.mouse.up)):
        x, y = page.evaluate(place, ["abcde".index(site[0]), int(site[1]) - 1])
        page.mouse.move(x, y, steps=8)
        step()


def test_a_dragged_piece_is_seen_judged_lit_and_recorded(page, demo):
    page.goto(demo.url)
    headline, lead = page.locator("#headline"), page.locator("#lead")
    expect(headline).to_have_text("South", timeout=PATIENCE_MS)
    expect(page.locator('.bar[data-player="South"] .lit').first).to_be_visible(timeout=PATIENCE_MS)

    drag(page, "c1", "c2")
    expect(headline).to_have_text("North", timeout=PATIENCE_MS)
    expect(lead).to_have_text("South played c1-c2 ✓")
    expect(page.locator("#turns td.newest")).to_have_text("c1-c2")
    expect(page.locator('.bar[data-player="North"] .lit').first).to_be_visible(timeout=PATIENCE_MS)

    drag(page, "a5", "b4")
    expect(page.locator("body")).to_have_attribute("data-code", "illegal", timeout=PATIENCE_MS)
    expect(lead).to_contain_text("straight ahead")
    expect(page.locator(".arrow.back")).to_have_attribute("data-to", "a5")
    expect(page.locator(".lamp").first).to_be_visible(timeout=PATIENCE_MS)

    drag(page, "b4", "a5")
    expect(page.locator("body")).to_have_attribute("data-code", "to_move", timeout=PATIENCE_MS)
    drag(page, "a5", "a4")
    expect(headline).to_have_text("South", timeout=PATIENCE_MS)
    expect(page.locator("#turns td.newest")).to_have_text("a5-a4")

    page.get_by_role("button", name="Set up again").click()
    expect(page.locator("#turns")).to_contain_text("No turn yet", timeout=PATIENCE_MS)
    expect(page.locator("#game-no")).to_have_text("Game 2")


def test_a_lost_camera_is_said_and_found_again(page, demo):
    page.goto(demo.url)
    expect(page.locator("#headline")).to_have_text("South", timeout=PATIENCE_MS)
    demo.table.world.lose()
    expect(page.locator("#headline")).to_have_text("I cannot see", timeout=PATIENCE_MS)
    expect(page.locator("#camera")).to_have_attribute("data-state", "bad")
    demo.table.world.lose(False)
    expect(page.locator("#headline")).to_have_text("South", timeout=PATIENCE_MS)
    expect(page.locator("#camera")).to_have_attribute("data-state", "ok")


def test_two_players_agree_on_a_draw_from_their_pages(browser, page, demo):
    page.goto(demo.url)
    expect(page.locator("#headline")).to_have_text("South", timeout=PATIENCE_MS)
    drag(page, "c1", "c2")  # on an untouched board the next game would begin at once
    expect(page.locator("#headline")).to_have_text("North", timeout=PATIENCE_MS)
    south, north = browser.new_context().new_page(), browser.new_context().new_page()
    south.goto(f"{demo.url}play?player=South")
    north.goto(f"{demo.url}play?player=North&lang=nl")
    south.get_by_role("button", name="Offer a draw").click()
    expect(page.locator("#more")).to_contain_text("South offers a draw.", timeout=PATIENCE_MS)
    north.get_by_role("button", name="Doorspelen").click()
    expect(south.get_by_role("button", name="Offer a draw")).to_be_visible(timeout=PATIENCE_MS)
    north.get_by_role("button", name="Remise aanbieden").click()
    south.get_by_role("button", name="Accept the draw").click(timeout=PATIENCE_MS)
    expect(page.locator("#headline")).to_have_text("Draw", timeout=PATIENCE_MS)
    expect(north.locator("#headline")).to_have_text("Remise", timeout=PATIENCE_MS)
    expect(south.locator("#own")).to_be_hidden()
    south.context.close()
    north.context.close()
