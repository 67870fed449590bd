"""Reports of wrong calls and backups on the pages: who may, what is kept, and what is said where it can't be."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from axe_playwright_python.sync_playwright import Axe
from starlette.testclient import TestClient

from controller.journal.store import Journal
from controller.keeping import MOST_REPORTS, Keeping, KeepingError, Settings
from controller.referee.events import Tick
from controller.referee.reducer import initial, reduce
from controller.rules.registry import game_named
from controller.sightings.file import LogReader
from controller.sightings.ring import SightingLog
from controller.web.app import create_app
from controller.web.phrases import LANGUAGES, phrases
from controller.web.players import Players
from tests.web.conftest import PIN, log_in, some_access

PHONE = ("192.168.1.77", 50_000)


class Kept:
    """What a table keeps, and the rows that it wrote."""

    def __init__(self, folder, stage, seen=True):
        self.folder, self.rows, self.now_s = folder, [], 100.0
        log = SightingLog()
        if seen:
            state = initial(game_named("transet"), set_name="transet")
            log.note(state, Tick(1.0), reduce(state, Tick(1.0)).state)
        with Journal.open(folder / "boardref.db") as journal:
            journal.append([{"event": "operator", "t": 1.0, "game_no": 0, "internal": False, "state": "called"}])
        self.keeping = Keeping(folder, log, stage.snapshot, self.rows.append, Settings(), clock=lambda: self.now_s)

    def app(self, stage, **more):
        return create_app(stage, access=some_access(), keeping=self.keeping, **more)


@pytest.fixture
def kept(tmp_path, stage):
    return Kept(tmp_path, stage)


@pytest.fixture
def desk(kept, stage):
    with TestClient(kept.app(stage), base_url="http://localhost") as client:
        told = client.post("/api/operator/login", json={"pin": PIN}).json()
        client.headers |= {"x-csrf-token": told["csrf"], "origin": "http://localhost"}
        yield client


def test_an_operator_reports(desk, kept):
    answer = desk.post("/api/operator/report", json={"note": "the\nPIAS went   too far"})
    assert answer.status_code == 201
    name = answer.json()["file"]
    assert LogReader(kept.folder / name).fault is None
    (row,) = kept.rows
    assert (row["event"], row["file"], row["by"], row["note"]) == (
        "reported", name, "operator", "the PIAS went too far",
    )  # fmt: skip
    assert row["game_no"] == 1
    assert "PIAS went" not in (kept.folder / name).read_text()
    told = desk.get("/api/operator/records").json()
    assert [one["name"] for one in told["reports"]] == [name]
    assert desk.get(f"/api/operator/reports/{name}").content == (kept.folder / name).read_bytes()
    for other in ("boardref.db", "..%2Fboardref.db", "x"):
        assert desk.get(f"/api/operator/reports/{other}").status_code == 404
    assert desk.post("/api/operator/report", json={}).status_code == 429, "one at a time"
    kept.now_s += 60
    assert desk.post("/api/operator/report", json={}).status_code == 201
    assert len(kept.rows) == 2
    assert desk.post("/api/operator/report", json={"note": "x" * 501}).status_code == 422


def test_players_report_only_where_they_may(kept, stage):
    players = Players(may=frozenset({"done", "report"}))
    token = players.passes.of(1)
    with TestClient(kept.app(stage, players=players), base_url="http://localhost", client=PHONE) as phone:
        assert phone.post("/api/report", json={}).status_code == 403
        assert phone.post("/api/report", json={"token": token, "player": "South"}).status_code == 201
        assert kept.rows[0]["by"] == "player"
        assert kept.rows[0]["player"] == "South"
        assert phone.post("/api/report", json={"token": token, "note": "typed"}).status_code == 422
        assert phone.post("/api/report?lang=de", json={"token": token}).json()["error"].startswith("Das wurde gerade")
        assert phone.post("/api/operator/report", json={}).status_code == 401
        assert 'id="report-block"' in phone.get(f"/play?t={token}").text
    with TestClient(kept.app(stage), base_url="http://localhost", client=("127.0.0.1", 1)) as own:
        assert own.post("/api/report", json={}).status_code == 403, "not in players_may"
    assert len(kept.rows) == 1


def test_what_keeps_a_report_from_being_made_is_said_in_every_language(desk, kept, stage, tmp_path):
    for number in range(MOST_REPORTS):
        (tmp_path / f"wrong-call-{number}.sightings").touch()
    said = {desk.post(f"/api/operator/report?lang={lang}", json={}).json()["error"] for lang in LANGUAGES}
    assert len(said) == len(LANGUAGES)
    with pytest.raises(KeepingError, match="50 reports"):
        kept.keeping.report("player")
    assert kept.rows == []
    empty = Kept(tmp_path, stage, seen=False)
    with TestClient(empty.app(stage), base_url="http://localhost") as client:
        key = {"authorization": "Bearer k3yForTheScoreboard-0123456789"}
        assert "Nothing has been seen" in client.post("/api/operator/report", json={}, headers=key).json()["error"]
    with TestClient(create_app(stage, access=some_access()), base_url="http://localhost") as client:
        assert client.post("/api/operator/report", json={}, headers=key).status_code == 409
        assert client.get("/api/operator/backup", headers=key).status_code == 409
        assert client.get("/api/operator/records", headers=key).json()["reports"] == []


def test_a_backup_is_taken_away_and_nothing_stays_behind(desk, kept):

    def there():  # beside what SQLite keeps for itself
        return sorted(path.name for path in kept.folder.iterdir() if not path.name.startswith("boardref.db-"))

    before = there()
    answer = desk.get("/api/operator/backup")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert json.loads(archive.read("backup.json"))["contents"]["rows"] == 1
    assert there() == before
    made = kept.keeping.nightly()
    assert desk.get(f"/api/operator/backups/{made.name}").content == made.read_bytes()
    assert [one["name"] for one in desk.get("/api/operator/records").json()["backups"]] == [made.name]
    (kept.folder / "boardref.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 9000)
    failed = desk.get("/api/operator/backup?lang=nl")
    assert failed.status_code == 507
    assert failed.json()["error"].startswith("Er kon geen reservekopie")
    assert not list(kept.folder.glob(".*"))


def test_the_page_speaks_every_language(desk):
    for lang in LANGUAGES:
        page = desk.get(f"/operator/records?lang={lang}").text
        assert phrases(lang, "records")["report_go"] in page
        assert phrases(lang)["records_title"] in page
        assert phrases(lang, "records").keys() == phrases("en", "records").keys()


def test_report_and_backup_in_a_browser(serve, stage, page, tmp_path):
    kept = Kept(tmp_path, stage)
    site = serve(stage, keeping=kept.keeping)
    page.goto(f"{site.url}operator/login")
    page.locator("#pin").fill(PIN)
    page.locator("#go").click()
    page.wait_for_url("**/operator")
    page.locator("#report-call").click()  # one tap, wherever the operator is
    page.locator("#report-told[data-state=ok]").wait_for()
    assert [row["note"] for row in kept.rows] == [""]
    kept.rows.clear()
    kept.now_s += 60
    page.goto(f"{site.url}operator/records")
    page.locator("#note").fill("wrong")
    page.locator("#report button").click()
    page.locator("#report-told[data-state=ok]").wait_for()
    assert kept.rows[0]["note"] == "wrong"
    page.locator("#reports a").first.wait_for()  # two were made
    with page.expect_download() as download:
        page.locator("#backup").click()
    assert download.value.suggested_filename.startswith("boardref-")
    assert zipfile.ZipFile(download.value.path()).testzip() is None
    for width in (360, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_the_records_page(serve, stage, browser, tmp_path, scheme):
    kept = Kept(tmp_path, stage)
    kept.keeping.report("operator")
    kept.keeping.nightly()
    site = serve(stage, keeping=kept.keeping)
    opened = browser.new_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    log_in(opened, site)
    opened.goto(f"{site.url}operator/records?lang=fr")
    opened.locator("#backups a").wait_for()
    found = Axe().run(opened).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []
    opened.close()
