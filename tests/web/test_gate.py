"""Everything of the operator's is closed, whoever wrote the route; what opens it, and what a cookie alone does not."""

from __future__ import annotations

import pytest
from fastapi import APIRouter, FastAPI
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from controller.web.access import FREE_TRIES, IDLE_S, Access
from controller.web.app import create_app
from controller.web.gate import COOKIE, Operator, closed
from controller.web.phrases import phrase

PIN = "2468"
KEY, READING_KEY = "k3yForTheScoreboard-0123456789", "r3adingKey-9876543210-abcdef"  # as in conftest
BACKUP_KEY = "b4ckupKey-1357924680-fedcba"

PUBLIC = {
    "/", "/display", "/events", "/api/state", "/api/set", "/set.svg", "/token.svg",
    "/healthz", "/api/health", "/readyz", "/play", "/qr.svg", "/api/press", "/api/report", "/api/world", "/static",
    "/operator/login", "/api/operator/login",
    "/games", "/games/{number}", "/api/games", "/api/games/{number}", "/api/games/{number}/export",  # records.shown_to
    "/sets/{name}.svg", "/sets/{name}/token.svg", "/api/openapi.json",
    "/metrics",  # numbers only
}  # fmt: skip
"""Every address that anybody may use. Whoever adds one says so here, after thinking about it."""

SPELT = ("/operator%2Fforgotten", "/%6fperator/forgotten", "/operator/forgotten?a=/operator/login")
ELSEWHERE = ("//evil.example", "https://evil.example/operator", "/operator//evil", "/operator/../", "/x")

FORGOTTEN = ("/operator/forgotten", "/operator/a/{b}", "/api/operator/forgotten")


def forget(app: FastAPI) -> None:
    """Routes of somebody who has not thought of access at all."""
    router = APIRouter()
    methods = ["GET", "POST", "PUT", "DELETE"]
    for path in FORGOTTEN:
        router.add_api_route(path, lambda: {"secret": True}, methods=methods, include_in_schema=False)
    app.include_router(router)


@pytest.fixture
def app(stage, operator):
    app = operator.app
    forget(app)
    return app


@pytest.fixture
def stranger(app):
    return TestClient(app, base_url="http://localhost")


def routes(app):
    """Address and methods of all that the app answers. A kind of route that isn't known here is an error."""
    found = []
    for route in app.routes:
        if isinstance(route, Mount):
            found.append((route.path, {"GET"}))
        elif isinstance(route, Route):
            found.append((route.path, route.methods or {"GET"}))
        else:  # a router of its own
            found += [(inner.path, inner.methods) for inner in route.effective_route_contexts()]
    return found


def test_every_route_but_the_public_ones_refuses_a_stranger(app, stranger):
    met = set()
    for path, methods in routes(app):
        met.add(path)
        if path in PUBLIC:
            continue
        for method in methods:
            address = path.replace("{", "").replace("}", "")
            answer = stranger.request(method, address, json={}, follow_redirects=False)
            assert answer.status_code in (303, 401), f"{method} {path} is open to anybody ({answer.status_code})"
            assert "secret" not in answer.text
            if answer.status_code == 303:
                assert answer.headers["location"].startswith("/operator/login?")
    assert set(FORGOTTEN) < met


def test_the_operator_and_scripts_pass(app, operator, stranger):
    for path in FORGOTTEN[::2]:
        assert operator.get(path).json() == {"secret": True}
        assert operator.post(path, json={}).json() == {"secret": True}
        assert stranger.post(path, json={}, headers={"authorization": f"Bearer {KEY}"}).json() == {"secret": True}


@pytest.mark.parametrize(
    ("path", "shut"),
    [
        ("/operator", True),
        ("/operator/", True),
        ("//operator", True),
        ("/operator/./x", True),
        ("/Operator/x", True),
        ("/api//operator/x", True),
        ("/api/operator", True),
        ("/operator/login/", True),
        ("/operator/login", False),
        ("/operators", False),
        ("/api/state", False),
        ("/", False),
    ],
)
def test_what_is_the_operators(path, shut):
    assert closed(path) is shut


@pytest.mark.parametrize("path", SPELT)
def test_another_spelling_of_an_address_opens_nothing(stranger, path):
    answer = stranger.get(path, follow_redirects=False)
    assert answer.status_code == 303
    assert "secret" not in answer.text


def test_a_page_leads_to_the_log_in_and_back(stranger):
    answer = stranger.get("/operator/a/x?lang=nl&view=all", follow_redirects=False)
    assert answer.headers["location"] == "/operator/login?lang=nl&to=%2Foperator%2Fa%2Fx%3Flang%3Dnl%26view%3Dall"
    page = stranger.get(answer.headers["location"])
    assert 'data-to="/operator/a/x?lang=nl&amp;view=all"' in page.text
    assert "Pincode" in page.text


@pytest.mark.parametrize("to", ELSEWHERE)
def test_a_log_in_leads_nowhere_else(stranger, to):
    page = stranger.get("/operator/login", params={"to": to})
    assert 'data-to="/operator' in page.text
    assert "evil" not in page.text or to == "/operator//evil"


def test_an_api_says_what_to_do_in_the_language_asked_for(stranger):
    told = {lang: stranger.get(f"/api/operator/forgotten?lang={lang}") for lang in ("en", "nl", "de", "fr", "xx")}
    assert {answer.status_code for answer in told.values()} == {401}
    sentences = {lang: answer.json()["error"] for lang, answer in told.items()}
    assert len({sentences[lang] for lang in ("en", "nl", "de", "fr")}) == 4
    assert sentences["xx"] == sentences["en"]
    assert "/operator" in sentences["en"]


def test_a_cookie_alone_changes_nothing(app, operator):
    path = FORGOTTEN[0]
    csrf = operator.headers["x-csrf-token"]
    assert operator.post(path, json={}).status_code == 200
    for headers in (
        {"x-csrf-token": ""},
        {"x-csrf-token": csrf[:-1] + "x"},
        {"origin": "http://evil.example"},
        {"origin": ""},
        {"origin": "null"},
    ):
        answer = operator.post(path, json={}, headers=headers)
        assert answer.status_code == 403, headers
        assert answer.json()["error"]
    for method in ("PUT", "DELETE"):
        assert operator.request(method, path, json={}, headers={"x-csrf-token": ""}).status_code == 403


def test_another_sessions_token_does_not_count(app, operator, stranger):
    other = stranger.post("/api/operator/login", json={"pin": PIN}).json()["csrf"]
    assert operator.post(FORGOTTEN[0], json={}, headers={"x-csrf-token": other}).status_code == 403


def test_the_cookie_is_for_no_script_and_no_other_site(stranger, app):
    cookie = stranger.post("/api/operator/login", json={"pin": PIN}).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "secure" not in cookie
    assert "max-age" not in cookie
    assert "expires" not in cookie
    safe = TestClient(app, base_url="https://localhost")
    assert "secure" in safe.post("/api/operator/login", json={"pin": PIN}).headers["set-cookie"].lower()


def test_logging_out_closes_everything(operator, app):
    token = operator.cookies[COOKIE]
    assert operator.get("/operator").status_code == 200
    assert operator.post("/api/operator/logout", json={}).status_code == 200
    assert COOKIE not in operator.cookies
    operator.cookies.set(COOKIE, token)
    assert operator.get("/api/operator/session").status_code == 401
    assert operator.post("/api/operator/logout", json={}).status_code == 401


def test_a_script_says_who_it_is_and_may_be_kept_to_reading(stranger):
    def asked(method, path, key):
        return stranger.request(method, path, json={}, headers={"authorization": f"Bearer {key}"})

    assert asked("GET", "/api/operator/session", KEY).json() == {"key": "scoreboard", "may": "operate", "csrf": None}
    assert asked("GET", "/api/operator/forgotten", READING_KEY).status_code == 200
    refused = asked("POST", "/api/operator/forgotten", READING_KEY)
    assert refused.status_code == 403
    assert "only read" in refused.json()["error"]
    for wrong in ("", "x", KEY[:-1], KEY + "x", KEY.upper(), "Bearer " + KEY):
        assert asked("GET", "/api/operator/session", wrong).status_code == 401


def test_only_a_key_that_may_takes_backups_away_and_none_but_an_operators_changes_anything(app, stranger):
    """Of all that the operator may ask for, whatever it is called next year: everything that says backup is one."""
    backups = 0
    for path, methods in routes(app):
        if not closed(path) or path.startswith("/operator"):
            continue
        address = path.replace("{", "").replace("}", "")
        for method in methods - {"HEAD"}:
            answers = {
                key: stranger.request(method, address, json={}, headers={"authorization": f"Bearer {key}"})
                for key in (KEY, READING_KEY, BACKUP_KEY)
            }
            told = {key: answer.status_code for key, answer in answers.items()}
            assert told[KEY] not in (401, 403), address
            assert (told[BACKUP_KEY] == 403) is (method != "GET"), address
            assert (told[READING_KEY] == 403) is (method != "GET" or "backup" in path), address
            backups += "backup" in path
    assert backups == 2
    for written in ("/api/operator//backup", "/API/operator/backup", "/api/operator/./backup", "/api/operator/backup/"):
        answer = stranger.get(written, headers={"authorization": f"Bearer {READING_KEY}"})
        assert answer.status_code in (403, 404), written
    refused = stranger.get("/api/operator/backup?lang=de", headers={"authorization": f"Bearer {READING_KEY}"})
    assert refused.json()["error"] == phrase("operator_may_backup", "de", domain="operator")


def test_a_wrong_key_is_not_mended_by_a_cookie(operator):
    assert operator.get("/api/operator/session", headers={"authorization": "Bearer nonsense"}).status_code == 401


@pytest.mark.parametrize("body", [{}, {"pin": 2468}, {"pin": None}, {"pin": "1" * 33}, {"pin": PIN, "x": 1}, [], "x"])
def test_no_pin_at_all_is_one_sentence(stranger, body):
    answer = stranger.post("/api/operator/login", json=body)
    assert answer.status_code == 422
    assert answer.json()["error"].endswith(".")
    assert PIN not in answer.text


def test_wrong_pins_are_told_to_wait(stranger):
    for _ in range(FREE_TRIES - 1):
        answer = stranger.post("/api/operator/login?lang=de", json={"pin": "1111"})
        assert answer.status_code == 403
        assert "PIN" in answer.json()["error"]
    for pin in ("1111", PIN):
        answer = stranger.post("/api/operator/login?lang=de", json={"pin": pin})
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) == answer.json()["wait_s"] >= 1
        assert str(answer.json()["wait_s"]) in answer.json()["error"]
        assert "set-cookie" not in answer.headers


def test_a_page_that_only_looks_keeps_nobody_logged_in(stage):
    now_s = [0.0]
    access = Access(PIN, clock=lambda: now_s[0])
    client = TestClient(create_app(stage, access=access), base_url="http://localhost")
    client.post("/api/operator/login", json={"pin": PIN})
    for _ in range(3):
        now_s[0] += IDLE_S * 0.7
        assert client.get("/operator").status_code == 200  # somebody opened it
    for _ in range(3):
        now_s[0] += IDLE_S * 0.4
        answer = client.get("/api/operator/session")
    assert answer.status_code == 401


@pytest.mark.parametrize("access", [None, Access()])
def test_a_table_without_a_pin_is_closed_and_says_how_to_set_one(stage, access):
    client = TestClient(create_app(stage, access=access), base_url="http://localhost")
    page = client.get("/operator")
    assert "operator_pin" in page.text
    assert "<form" not in page.text
    for pin in ("", "0000", "None"):
        answer = client.post("/api/operator/login", json={"pin": pin})
        assert answer.status_code == 403
        assert "operator_pin" in answer.json()["error"]
    assert client.get("/api/operator/session").status_code == 401


def test_a_websocket_finds_no_way_round(app, stranger):
    from starlette.websockets import WebSocket, WebSocketDisconnect

    async def talk(socket: WebSocket) -> None:
        await socket.accept()

    app.add_api_websocket_route("/operator/socket", talk)
    with pytest.raises(WebSocketDisconnect), stranger.websocket_connect("/operator/socket"):
        pass


def test_a_route_learns_who_asks(app, operator, stranger):
    @app.get("/api/operator/me")
    def me(who: Operator) -> dict[str, str]:
        return who.facts

    assert operator.get("/api/operator/me").json() == {}
    assert stranger.get("/api/operator/me", headers={"authorization": f"Bearer {KEY}"}).json() == {"key": "scoreboard"}
