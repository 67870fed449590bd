"""Who may speak for the players, how often, and where other devices find the page."""

from __future__ import annotations

import socket
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import HTTPConnection
from starlette.testclient import TestClient

from controller.referee.events import Press
from controller.referee.view import View
from controller.rules.registry import game_names
from controller.web.app import create_app
from controller.web.callers import Callers
from controller.web.phrases import LANGUAGES, phrase
from controller.web.players import BURST, CONTROLS, MANY_CLIENTS, REFILL_S, Passes, Players, RateLimit, kept_secret
from controller.web.playing import told
from controller.web.sharing import address_in_network, address_of
from controller.words import rules_in_short

PHONE = ("192.168.1.77", 50_000)
TABLE = ("127.0.0.1", 50_000)
RESIGN = {"player": "South", "button": "resign", "sure": True}


def opened(stage, players, client):
    return TestClient(create_app(stage, players=players), base_url="http://localhost", client=client)


def view(phase, game_no):
    return View(t_s=1.0, phase=phase, game_no=game_no)


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_every_game_has_a_token_of_its_own(game_no, later):
    passes = Passes(b"s" * 32)
    token = passes.invite(view("play", game_no))
    assert passes.fit(token, view("play", game_no))
    assert not passes.fit(token, view("play", game_no + later))
    assert not Passes(b"t" * 32).fit(token, view("play", game_no))
    assert Passes(b"s" * 32).fit(token, view("play", game_no))  # the same after a restart


@given(st.integers(0, 10**6), st.sampled_from(["searching", "setup", "over"]))
def test_a_code_that_is_shown_before_a_game_is_that_games(game_no, phase):
    passes = Passes()
    token = passes.invite(view(phase, game_no))
    assert passes.fit(token, view(phase, game_no))
    assert passes.fit(token, view("play", game_no + 1))
    assert passes.fit(passes.of(game_no), view("over", game_no))  # those who played it see its end
    assert not passes.fit(passes.of(game_no), view("setup", game_no))


@pytest.mark.parametrize("token", ["", "x", "AAAAAAAAAAAAAAAA"])
def test_a_phone_without_this_games_token_says_nothing(stage, token):
    with opened(stage, Players(), PHONE) as phone:
        for button in CONTROLS:
            body = {"player": "South", "button": button, "sure": True, "token": token}
            assert phone.post("/api/press", json=body).status_code in (403, 429)
        assert phone.get(f"/play?t={token}").status_code == 403
        assert phone.post("/api/press", json={"token": "ü" * 3}).status_code in (422, 429)
    assert stage.sent == []


def test_a_phone_with_this_games_token_speaks_until_the_next_game(stage):
    players = Players()
    token = players.passes.invite(stage.view)
    with opened(stage, players, PHONE) as phone:
        assert phone.get(f"/play?t={token}").status_code == 200
        body = {"player": "North", "button": "offer_draw", "token": token}
        assert phone.post("/api/press", json=body).status_code == 202
        stage.show(game_no=2)
        refused = phone.post("/api/press?lang=nl", json={"player": "North", "button": "done", "token": token})
        assert (refused.status_code, refused.json()["error"]) == (403, phrase("press_old", "nl"))
        page = phone.get(f"/play?t={token}&lang=nl")
        assert page.status_code == 403
        assert phrase("play_old", "nl") in page.text
        assert "<button" not in page.text
        assert "<script" not in page.text
    assert stage.sent == [Press(10.0, "North", "offer_draw")]


@pytest.mark.parametrize(
    "header",
    ["x-forwarded-for", "X-Forwarded-Proto", "x-forwarded-host", "x-forwarded", "forwarded", "Via", "x-real-ip"],
)
@pytest.mark.parametrize("said", ["192.168.1.77", "127.0.0.1", ""])
def test_a_proxy_on_the_table_is_not_its_screen(stage, header, said):
    with opened(stage, Players(), TABLE) as screen:
        assert screen.post("/api/press", json={}).status_code == 202
        assert screen.post("/api/press", json={}, headers={header: said}).status_code == 403


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("localhost:8000", True), ("127.0.0.1", True), ("[::1]:8000", True), ("LOCALHOST", True),
        ("192.168.1.20:8000", False), ("table.cafe.example", False), ("localhost.cafe.example", False),
    ],
)  # fmt: skip
def test_a_proxy_that_hands_on_the_name_asked_for_is_not_the_tables_screen(stage, host, own):
    app = create_app(stage, players=Players(), allowed_hosts=["table.cafe.example", "localhost.cafe.example"])
    with TestClient(app, base_url="http://localhost", client=TABLE) as proxy:
        answer = proxy.post("/api/press", json={}, headers={"host": host})
        assert answer.status_code == (202 if own else 403)


@pytest.mark.parametrize("proxies", [["127.0.0.1"], ["127.0.0.0/8", "::1"], ["::1", "127.0.0.1"]])
def test_a_proxy_that_says_nothing_of_itself_is_named_in_the_settings(stage, proxies):
    players = Players(callers=Callers.behind(proxies))
    with opened(stage, players, TABLE) as proxy:
        assert proxy.post("/api/press", json={}).status_code == 403
        assert proxy.post("/api/press", json={}, headers={"x-forwarded-for": "127.0.0.1"}).status_code == 403
        assert proxy.post("/api/press", json={"token": players.passes.invite(stage.view)}).status_code == 202


@given(
    st.sampled_from(["127.0.0.1", "::ffff:127.0.0.1", "172.17.0.2", "192.168.1.9", "fe80::1%eth0", "", "x"]),
    st.sampled_from([None, "192.168.1.77", "10.0.0.1, 192.168.1.77", ", ", "192.168.1.77,"]),
    st.booleans(),
)
def test_who_is_counted(peer, passed_on, listed):  # fmt: skip
    """What anybody says of itself counts for nothing; what a proxy says of whoever asked it, does."""
    headers = [] if passed_on is None else [(b"x-forwarded-for", passed_on.encode())]
    request = HTTPConnection({"type": "http", "client": (peer, 1), "headers": headers})
    callers = Callers.behind(["172.17.0.0/16"] if listed else [])
    believed = "127.0.0.1" in peer or (listed and peer == "172.17.0.2")
    named = believed and passed_on is not None and passed_on.endswith("77")
    assert callers.address(request) == ("192.168.1.77" if named else peer)
    assert not callers.own_screen(request)  # it doesn't say whom it asks for


@pytest.mark.parametrize("control", sorted(set(CONTROLS.values())))
def test_what_the_owner_left_out_cannot_be_said(stage, control):
    players = Players(may=frozenset(CONTROLS.values()) - {control})
    buttons = [button for button, its in CONTROLS.items() if its == control]
    with opened(stage, players, TABLE) as screen:
        for button in buttons:
            refused = screen.post("/api/press?lang=fr", json={"player": "South", "button": button, "sure": True})
            assert (refused.status_code, refused.json()["error"]) == (403, phrase("press_off", "fr"))
        assert stage.sent == []
        others = [button for button, its in CONTROLS.items() if its != control][: BURST - len(buttons)]
        for button in others:
            body = {"player": "South", "button": button, "sure": True}
            assert screen.post("/api/press", json=body).status_code == 202
    assert [press.button for press in stage.sent] == others


def test_resigning_takes_that_one_is_sure(stage):
    with opened(stage, Players(), TABLE) as screen:
        assert screen.post("/api/press", json={**RESIGN, "sure": False}).status_code == 409
        assert stage.sent == []
        assert screen.post("/api/press", json=RESIGN).status_code == 202
    assert stage.sent == [Press(10.0, "South", "resign")]


def test_who_says_too_much_is_asked_to_wait_and_nobody_else(stage):
    now = [100.0]
    players = Players(rate=RateLimit(lambda: now[0]))
    token = players.passes.invite(stage.view)
    body = {"button": "done", "token": token}
    app = create_app(stage, players=players)
    with TestClient(app, base_url="http://localhost", client=PHONE) as phone:
        answers = [phone.post("/api/press?lang=de", json=body) for _ in range(BURST + 3)]
        assert [answer.status_code for answer in answers] == [202] * BURST + [429] * 3
        assert answers[-1].json()["error"] == phrase("press_often", "de")
        other = TestClient(app, base_url="http://localhost", client=("192.168.1.78", 1))
        assert other.post("/api/press", json=body).status_code == 202
        now[0] += REFILL_S
        assert phone.post("/api/press", json=body).status_code == 202
        assert phone.post("/api/press", json=body).status_code == 429
    assert len(stage.sent) == BURST + 2


@given(st.lists(st.floats(0, 30), max_size=60))
def test_nobody_speaks_more_often_than_the_measure(waits):
    now = [0.0]
    rate = RateLimit(lambda: now[0])
    said = 0
    for wait in waits:
        now[0] += wait
        said += rate.allows("somebody")
        assert said <= BURST + now[0] / REFILL_S + 1e-6


def test_a_crowd_does_not_fill_the_memory():
    now = [0.0]
    rate = RateLimit(lambda: now[0])
    for number in range(5000):
        now[0] += 0.1
        assert rate.allows(f"client {number}")
    assert len(rate._left) <= MANY_CLIENTS


@pytest.mark.parametrize(
    ("client", "everywhere", "shown", "valid"),
    [(TABLE, False, True, True), (PHONE, False, False, False), (PHONE, True, True, False), (TABLE, True, True, True)],
)
def test_only_the_tables_own_screen_shows_the_code_unless_all_do(stage, client, everywhere, shown, valid):
    players = Players(address=lambda: "http://192.168.1.20:8000", everywhere=everywhere)
    asking = HTTPConnection({"type": "http", "client": client, "headers": [(b"host", b"localhost:8000")]})
    heard = told(asking, "", stage, players, stage.snapshot())
    token = players.passes.invite(stage.view)
    assert heard["valid"] is valid
    assert heard["invite"] == ({"token": token, "address": "http://192.168.1.20:8000"} if shown else None)
    assert told(asking, token, stage, players, stage.snapshot())["valid"]


def test_no_code_leads_nowhere(stage):
    with opened(stage, Players(), TABLE) as screen:
        assert screen.get("/qr.svg?t=abc").status_code == 404
        assert screen.get("/qr.svg?t=<svg>").status_code == 422
    with opened(stage, Players(address=lambda: "http://192.168.1.20:8000"), PHONE) as phone:
        assert phone.get("/qr.svg?t=abc").headers["content-type"] == "image/svg+xml"


@pytest.mark.parametrize(
    ("host", "port", "address"),
    [
        ("192.168.1.20", 8000, "http://192.168.1.20:8000"),
        ("192.168.1.20", 80, "http://192.168.1.20"),
        ("fd00::20", 8000, "http://[fd00::20]:8000"),
        ("127.0.0.1", 8000, None),
        ("::1", 8000, None),
    ],
)
def test_where_others_find_a_page(host, port, address):
    assert address_in_network(host, port) == address


def test_a_page_for_everybody_is_found_by_the_machines_own_address_or_not_at_all():
    with socket.socket() as listener:
        listener.bind(("0.0.0.0", 0))
        told = address_of(listener)()
        assert told is None or (told.startswith("http://") and "0.0.0.0" not in told and "127." not in told)


def test_the_secret_is_kept_and_nobody_elses(tmp_path):
    file = tmp_path / "players.key"
    secret = kept_secret(file)
    assert kept_secret(file) == secret
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_bytes(b"cut short")
    assert kept_secret(file) != secret
    assert len(file.read_bytes()) == 32


def test_a_folder_that_takes_no_file_stops_nothing(tmp_path):
    assert len(kept_secret(tmp_path / "missing" / "players.key")) == 32


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", game_names())
def test_every_game_has_its_rules_in_short(game, language):
    rules = rules_in_short(game, language)
    assert len(rules) >= 4
    assert all(rule[0].isupper() and rule.endswith(".") for rule in rules)
    assert rules_in_short("nothing", language) == ()
