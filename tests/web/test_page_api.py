from __future__ import annotations

import json
import re
import time
from importlib.resources import files
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from controller.referee.events import Press
from controller.web.app import create_app
from controller.web.guard import HEADERS, known_host, own_names


@pytest.fixture
def client(stage):
    app = create_app(stage, allowed_hosts=["table.cafe.example"])
    with TestClient(app, base_url="http://localhost", client=("127.0.0.1", 50_000)) as client:
        yield client


@pytest.fixture
def demo(demo_stage):
    with TestClient(create_app(demo_stage), base_url="http://localhost") as client:
        yield client


def tokens(client):
    return client.get("/api/state").json()["world"]["tokens"]


@pytest.mark.parametrize(
    ("host", "answered"),
    [
        ("localhost:8000", True),
        ("127.0.0.1:8000", True),
        ("[::1]:8000", True),
        ("192.168.1.20", True),
        ("table.cafe.example", True),
        ("TABLE.cafe.example:80", True),
        ("table.cafe.example.", True),
        ("evil.example", False),  # a foreign name that was made to point here
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("[::1", False),
        ("", False),
    ],
)
def test_only_own_names_and_addresses_are_answered(client, host, answered):
    response = client.get("/healthz", headers={"host": host})
    assert response.status_code == (200 if answered else 400)
    assert answered or "IP address" in response.json()["error"]
    assert known_host(host, own_names(["table.cafe.example"])) is answered


@pytest.mark.parametrize("path", ["/", "/healthz", "/api/state", "/set.svg", "/static/page.js", "/nothing"])
def test_every_answer_has_the_security_headers(client, path):
    response = client.get(path)
    assert {name: response.headers[name] for name in HEADERS} == HEADERS
    assert response.headers["cache-control"] in ("no-store", "no-cache")


BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize(
    ("path", "status", "told"),
    [
        ("/nope?lang=nl&theme=dark", 404, "Op dit adres staat niets."),
        ("/nope?lang=xx", 404, "There is nothing at this address."),
        ("/static/nope.css?lang=de", 404, "Unter dieser Adresse steht nichts."),
        ("/?lang=fr&theme=pink", 422, "quelque chose ne s&#39;y lit pas"),
        ("/token.svg?kind=%3Cb%3E", 404, "&lt;b&gt;"),
    ],
)
def test_a_browser_is_shown_a_page_and_a_program_told_in_json(client, path, status, told):
    page = client.get(path, headers=BROWSER)
    assert (page.status_code, page.headers["content-type"]) == (status, "text/html; charset=utf-8")
    assert told in page.text
    assert {name: page.headers[name] for name in HEADERS} == HEADERS
    for other in ({}, {"accept": "application/json"}, {"accept": "image/png,*/*"}):
        answer = client.get(path, headers=other)
        assert answer.status_code == status
        assert answer.json()["error"]


@pytest.mark.parametrize("path", ["/api/nope", "/api", "/api/state?lang=xx"])
def test_what_belongs_to_the_api_stays_json_for_everybody(client, path):
    assert client.get(path, headers=BROWSER).json()["error"]
    assert client.post("/nope", headers=BROWSER).json()["error"]


def test_state_is_whole_and_in_the_language_asked_for(client, stage, played):
    stage.show(turns=played, to_move="North")
    told = client.get("/api/state?lang=nl").json()
    assert told["message"]["headline"] == "Noord"
    assert told["message"]["lead"] == "Zuid speelde c1-c2 ✓"
    assert told["turns"] == [{"n": 1, "player": "South", "text": "c1-c2", "legal": True, "passed": False}]
    assert told["rev"] == 2
    assert told["age_s"] == pytest.approx(0.05)
    assert {player["id"]: player["kind"] for player in told["players"]} == {"South": "dark-PIAS", "North": "light-PIAS"}


def test_an_age_before_the_first_frame_is_null(client, stage):
    stage.tell(age_s=float("inf"))
    assert client.get("/api/state").json()["age_s"] is None


def test_readyz_says_why_not(client, stage):
    assert client.get("/readyz").json() == {"ready": True}
    stage.is_ready = False
    stage.show(phase="searching")
    response = client.get("/readyz")
    assert response.status_code == 503
    assert "under the camera" in response.json()["reason"]
    stage.show(trouble="too_dark")
    assert "dark" in client.get("/readyz").json()["reason"]
    stage.tell(camera={"state": "lost", "sentence": "The camera is gone."})
    assert client.get("/readyz").json()["reason"] == "The camera is gone."
    assert client.get("/healthz").status_code == 200


def test_health_names_what_is_not_well(client, stage):
    stage.tell(link={"state": "ready", "sentence": ""})
    told = client.get("/api/health").json()
    assert told["level"] == "ok"
    assert [check["name"] for check in told["checks"]] == ["camera", "pictures", "lights", "record"]
    stage.tell(camera={"state": "lost", "sentence": "The camera is gone.", "since": 12.5})
    told = client.get("/api/health").json()
    assert told["level"] == "problem"
    (camera,) = [check for check in told["checks"] if check["name"] == "camera"]
    assert (camera["said"], camera["since"]) == ("The camera is gone.", 12.5)
    assert camera["hint"]


def test_board_and_pieces_are_drawn_from_the_set(client, stage):
    assert "data-site" in client.get("/set.svg").text
    assert client.get("/token.svg?kind=dark-PIAS").headers["content-type"].startswith("image/svg+xml")
    missing = client.get("/token.svg?kind=green-DOG")
    assert missing.status_code == 404
    assert "green-DOG" in missing.json()["error"]
    geometry = client.get("/api/set").json()
    assert geometry["sites"]["c3"]["centre"] == [148.5, 210.0]
    south, north = geometry["bars"]["South"], geometry["bars"]["North"]
    assert south["from"][1] > 335
    assert north["from"][1] < 85
    assert south["from"][0] < south["to"][0]
    assert north["from"][0] > north["to"][0]  # left to right for the one who sits there
    stage.tell(set=None)
    assert client.get("/set.svg").status_code == 404


def test_an_unknown_language_is_refused_in_one_sentence(client):
    assert client.get("/?lang=xx").status_code == 422
    assert "lang" in client.get("/?lang=xx").json()["error"]


def test_a_press_reaches_the_table(client, stage):
    assert client.post("/api/press", json={"player": "North", "button": "done"}).status_code == 202
    assert client.post("/api/press", json={}).status_code == 202
    assert client.post("/api/press", json={"player": "South", "button": "offer_draw"}).status_code == 202
    assert client.post("/api/press", json={"button": "call_operator"}).status_code == 202
    assert stage.sent == [
        Press(10.0, "North", "done"),
        Press(10.0, None, "done"),
        Press(10.0, "South", "offer_draw"),
        Press(10.0, None, "call_operator"),
    ]


def test_words_that_only_a_player_can_say_need_one(client, stage):
    refused = client.post("/api/press", json={"button": "resign"})
    assert refused.status_code == 422
    assert "resign" in refused.json()["error"]
    assert stage.sent == []


@pytest.mark.parametrize(
    ("body", "status", "names"),
    [
        (b"{", 422, "JSON"),
        (b"\xff\xfe", 422, "JSON"),
        (b"[]", 422, ""),
        (b'{"player": 3}', 422, "player"),
        (b'{"button": "explode"}', 422, "button"),
        (b'{"who": "me"}', 422, "who"),
        (b'{"player": "East"}', 404, "East"),
        (b'{"player": "' + b"x" * 5000 + b'"}', 413, "4096"),
    ],
)
def test_bad_presses_are_refused(client, stage, body, status, names):
    response = client.post("/api/press", content=body, headers={"content-type": "application/json"})
    assert response.status_code == status
    assert names in response.json()["error"]
    assert stage.sent == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:1"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"origin": "http://localhost", "sec-fetch-site": "same-origin"}, 202),
    ],
)
def test_only_the_tables_own_page_may_act(client, stage, headers, status):
    response = client.post("/api/press", content=b"{}", headers={"content-type": "application/json"} | headers)
    assert response.status_code == status
    assert len(stage.sent) == (status == 202)


def test_hands_move_the_world_and_nothing_else(demo, demo_stage):
    token = next(token for token in tokens(demo) if token["kind"] == "dark-PIAS")
    view = demo_stage.view
    assert demo.post("/api/world", json={"op": "lift", "token": token["id"]}).status_code == 200
    assert next(one for one in tokens(demo) if one["id"] == token["id"])["held"]
    demo.post("/api/world", json={"op": "move", "token": token["id"], "x_mm": -20, "y_mm": 200})
    demo.post("/api/world", json={"op": "drop", "token": token["id"]})
    moved = next(one for one in tokens(demo) if one["id"] == token["id"])
    assert (moved["x_mm"], moved["y_mm"], moved["held"]) == (-20, 200, False)
    assert demo_stage.view is view
    assert demo.post("/api/world", json={"op": "reset"}).status_code == 200
    assert all(one["x_mm"] > -1 for one in tokens(demo))


@pytest.mark.parametrize(
    ("body", "status", "names"),
    [
        ({"op": "lift"}, 422, "token"),
        ({"op": "lift", "token": "soup"}, 422, "token"),
        ({"op": "lift", "token": 999}, 404, "999"),
        ({"op": "throw", "token": 1}, 422, "op"),
        ({"op": "move", "token": 1}, 422, "x_mm"),
        ({"op": "slide", "rail": "south"}, 422, "x_mm"),
        ({"op": "slide", "rail": "south", "x_mm": 100}, 404, "no platform 'south'"),
        ({"op": "move", "token": 1, "x_mm": "left", "y_mm": 0}, 422, "x_mm"),
        ({"op": "move", "token": 1, "x_mm": 1e300, "y_mm": 0}, 422, "x_mm"),
    ],
)
def test_bad_hands_are_refused(demo, body, status, names):
    before = tokens(demo)
    response = demo.post("/api/world", json=body)
    assert response.status_code == status
    assert names in response.json()["error"]
    assert tokens(demo) == before


def test_not_a_number_is_no_place(demo):
    body = b'{"op": "move", "token": 1, "x_mm": NaN, "y_mm": Infinity}'
    assert demo.post("/api/world", content=body, headers={"content-type": "application/json"}).status_code == 422


def test_a_real_table_has_no_world_to_move(client):
    response = client.post("/api/world", json={"op": "reset"})
    assert response.status_code == 404
    assert "by hand" in response.json()["error"]
    assert "demo" not in client.get("/api/state").json()


def test_the_page_names_its_language_and_escapes(client):
    page = client.get("/?lang=fr")
    assert '<html lang="fr">' in page.text
    start = page.text.index('data-words="') + len('data-words="')
    words = page.text[start : page.text.index('"', start)].replace("&#34;", '"').replace("&#39;", "'")
    assert json.loads(words)["label_turns"] == "Coups"


def test_streams_go_on_after_the_table_failed_to_answer(stage, monkeypatch):
    waits = stage.wait
    monkeypatch.setattr(stage, "wait", lambda rev, timeout_s: 1 / 0)
    app = create_app(stage)
    with TestClient(app, base_url="http://localhost"):
        monkeypatch.setattr(stage, "wait", waits)
        stage.show(to_move="North")
        deadline = time.monotonic() + 10
        while app.state.hub.newest.view.to_move != "North" and time.monotonic() < deadline:
            time.sleep(0.05)
        assert app.state.hub.newest.view.to_move == "North"


INLINE = re.compile(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|javascript:", re.I)


def test_no_page_carries_what_the_policy_forbids():
    """Scripts and styles stand in files of their own: an inline one would not run, and nobody would hear of it."""
    pages = sorted(Path(str(files("controller.web").joinpath("templates"))).iterdir())
    assert len(pages) > 3
    assert [page.name for page in pages if INLINE.search(page.read_text(encoding="utf-8"))] == []
    assert INLINE.search('<p onclick="x()">')
    assert "unsafe" not in HEADERS["content-security-policy"]
