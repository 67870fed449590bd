"""The operator's timeline and look through the camera, over a whole table: camera, referee, journal, lights."""

import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from controller.cli.demo import demo_parts
from controller.journal.fold import fold
from controller.preview import LIMIT_S, UNWATCHED_S, Preview
from controller.referee.events import Command


def log_in(page, site):
    page.goto(f"{site.url}operator/login")
    page.locator("#pin").fill("2468")
    page.locator("#go").click()
    page.wait_for_url("**/operator")


def findings(page):
    found = Axe().run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]


class Played:
    """A demo's table, its pieces carried by a hand."""

    def __init__(self, folder):
        demo = demo_parts("transet", folder)
        self.table, self.world = demo.table, demo.world
        self.board = demo.world.board_set
        self.now_s = 1000.0
        self.table.preview = Preview(clock=lambda: self.now_s)
        self.table.start()
        self.until(lambda view: view.phase == "play")

    def until(self, holds, timeout_s=20.0):
        ends = time.monotonic() + timeout_s
        while not holds(self.table.snapshot().view):
            assert time.monotonic() < ends, self.table.snapshot().view
            time.sleep(0.05)

    def centre(self, site):
        return self.board.centre(next(one for one in self.board.sites if one.id == site))

    def carry(self, origin, to):
        (x0, y0), (x1, y1) = self.centre(origin), self.centre(to)
        tokens = self.world.as_json()["tokens"]
        token = min(tokens, key=lambda one: (one["x_mm"] - x0) ** 2 + (one["y_mm"] - y0) ** 2)["id"]
        self.world.lift(token)
        for step in range(1, 4):
            self.world.move(token, x0 + (x1 - x0) * step / 3, y0 + (y1 - y0) * step / 3)
            time.sleep(0.06)
        self.world.drop(token)

    def texts(self):
        journal = self.table.journal
        return [turn.text for turn in fold(journal.rows(journal.games()[-1])).turns]


@pytest.fixture
def played(tmp_path):
    table = Played(tmp_path)
    yield table
    table.table.stop()


def test_an_illegal_turn_stands_in_the_timeline_and_is_ruled_on(played, serve, page):
    site = serve(played.table)
    played.carry("c1", "c2")
    played.until(lambda view: len(view.turns) == 1)
    played.carry("c5", "c3")
    played.until(lambda view: view.offence is not None)
    log_in(page, site)
    page.get_by_role("link", name="Timeline").click()
    illegal = page.locator(".entry[data-verdict='illegal']")
    expect(illegal).to_have_count(1)
    expect(illegal.locator("h2")).to_have_text("North: not allowed")
    expect(illegal.locator("p").first).to_contain_text("c5")
    assert illegal.locator(".diagram image").count() == 10
    assert illegal.locator(".diagram .mark.changed").count() == 2
    assert page.locator(".diagram image").count() == 30
    assert findings(page) == []
    titles = page.locator(".entry h2").all_text_contents()
    assert titles == ["North: not allowed", "1. South c1-c2", "The game begins"]

    # what it was meant to be, among the turns nearest to this board
    illegal.get_by_role("button", name="This was the turn").click()
    expect(illegal.locator(".panel")).to_contain_text("Turn 2, North: what was it?")
    assert findings(page) == []
    illegal.locator(".turns").first.get_by_role("button", name="c5-c4", exact=True).click()
    expect(illegal.locator(".panel")).to_contain_text("Turn 2 will be: North c5-c4")
    illegal.locator(".reason").fill("Put down too far.")
    illegal.get_by_role("button", name="Yes, do it").click()
    expect(page.locator(".entry").first.locator("h2")).to_have_text("Turn 2 was c5-c4")
    assert played.texts() == ["c1-c2", "c5-c4"]
    played.until(lambda view: view.guiding)  # the board is led there
    played.carry("c3", "c4")
    played.until(lambda view: not view.guiding)

    # an earlier turn: the later one still follows
    first = page.locator(".entry", has_text="1. South c1-c2").last
    first.get_by_role("button", name="This was the turn").click()
    first.locator(".typed input").fill("c1-c5")
    first.get_by_role("button", name="Check").click()
    expect(page.locator("#answer")).to_contain_text("not allowed")
    first.locator(".typed input").fill("b1-a2")
    first.get_by_role("button", name="Check").click()
    expect(first.locator(".panel")).to_contain_text("All later turns still follow.")
    first.locator(".reason").fill("It was the other pawn.")
    first.get_by_role("button", name="Yes, do it").click()
    expect(page.locator(".entry").first.locator("h2")).to_have_text("Turn 1 was b1-a2, not c1-c2")
    assert played.texts() == ["b1-a2", "c5-c4"]
    replaced = page.locator(".entry[data-replaced]")
    expect(replaced.first).to_contain_text("No longer stands")

    # back to the beginning, and what stands is led there
    start = page.locator(".entry", has_text="The game begins")
    start.get_by_role("button", name="Take back to here").click()
    expect(start.locator(".panel")).to_contain_text("Turns 1 to 2 will be taken back.")
    start.get_by_role("button", name="Yes, do it").click()
    expect(page.locator(".entry").first.locator("h2")).to_have_text("Taken back from turn 1 on")
    assert played.texts() == []


def test_the_camera_is_looked_through_only_when_asked_and_ends_by_itself(played, serve, page, browser, tmp_path):
    site = serve(played.table)
    display = browser.new_page()
    display.goto(site.url)
    expect(display.locator("#looking")).to_be_hidden()
    log_in(page, site)
    page.goto(f"{site.url}operator/preview")
    expect(page.locator("#answer")).to_contain_text("Pause it")  # a game is being judged
    expect(page.locator("#start")).to_be_disabled()
    played.table.order(Command(0.0, "pause"))
    page.locator("#start:enabled").click()
    expect(page.locator("#sheet image")).to_have_count(1)
    expect(display.locator("#looking")).to_have_text("The operator sees the camera's picture.")
    with page.expect_response("**/preview.jpg*") as answered:
        played.now_s += 1.0
    assert answered.value.headers["cache-control"] == "no-store"
    expect(page.locator("#sites tr.fits")).to_have_count(10)
    assert findings(page) == []
    expect(page.locator("#left")).to_have_text("Ends by itself in 9:59")
    for _ in range(int(LIMIT_S / UNWATCHED_S) + 1):  # the page goes on asking
        played.now_s += UNWATCHED_S - 1
        time.sleep(0.02)
        played.table.preview.shot()
    played.until(lambda view: not played.table.preview.wants(view))  # the last picture for now
    newest = played.table.preview.shot().number
    expect(page.locator(f'#sheet image[href$="n={newest}"]')).to_have_count(1)
    expect(page.locator("#sheet image")).to_have_count(1)  # it is there: no request is on its way
    played.now_s += UNWATCHED_S
    expect(page.locator("#left")).to_have_text("The picture is off.")
    expect(page.locator("#picture")).to_be_hidden()
    expect(display.locator("#looking")).to_be_hidden()
    assert page.request.get(f"{site.url}api/operator/preview.jpg").status == 404
    display.close()
    for file in tmp_path.rglob("*"):  # the whole data folder: journal, its log, codes
        assert not file.is_file() or b"\xff\xd8\xff" not in file.read_bytes(), file
