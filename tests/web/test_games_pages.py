"""The pages of recorded games: what they show, to whom, and what can be taken away."""

from __future__ import annotations

import json
import threading
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import cv2
import pytest
from fastapi.testclient import TestClient

from controller.journal import search as searching
from controller.journal.errors import JournalError
from controller.journal.importing import read_game
from controller.journal.search import Query
from controller.journal.store import Journal
from controller.rules.registry import game_named
from controller.web.app import create_app
from controller.web.replaying import PAGE
from controller.web.shelf import Busy, Records, Shelf
from controller.words import LANGUAGES

GAME = game_named("transet")
TURNS = ("c1-c2", "c5-c4", "a1-a2")


def head(no, **more):
    return {"t": 1.0, "frame": 1, "game_no": no, "internal": False, **more}


def game(no, turns=3, names=None, illegal=False, over=False, **more):
    """The rows of a game as a table writes them."""
    position = GAME.start()
    start = {"position": GAME.position_text(position), "as": "start", "game": "transet", "set": "transet", **more}
    rows = [head(no, event="setup_complete", **start)]
    if names:
        rows.append(head(no, event="players", names=names, by="operator"))
    for n, text in enumerate(TURNS[:turns], 1):
        player = GAME.to_move(position)
        position = GAME.judge_turn(position, text).position
        told = {"n": n, "player": player, "text": text, "legal": True, "position": GAME.position_text(position)}
        rows.append(head(no, event="turn", **told, revised=False) | {"t": 1.0 + 12.5 * n})
        if illegal and n == 2:
            facts = {"piece": "dark-PINET", "from": "a1", "to": "a3"}
            reason = {
                "code": "TOO_FAR",
                "sites": ["a1", "a3"],
                "rule": "transet 2.1",
                "why": "Too far.",
                "facts": facts,
            }
            way_back = [{"piece": "dark-PINET", "from": "a3", "to": "a1"}]
            rows.append(head(no, event="illegal", player="South", code="TOO_FAR", sites=["a1", "a3"], why="Too far.",
                             reasons=[reason], way_back=way_back))  # fmt: skip
            rows.append(head(no, event="guide", state="begun", by="player"))
    if over:
        why = "The other side resigned."
        rows.append(head(no, event="game_over", winner="South", result="South wins", why=why))
    return rows


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "boardref.db"
    with Journal.open(path) as book:
        book.append(game(1))
        book.append(game(2, names={"South": "Anna", "North": "<b>Ben</b>"}, illegal=True, over=True))
        book.append(game(3, turns=0))
    return path


def client_of(stage, records):
    return TestClient(create_app(stage, records=records), base_url="http://localhost")


@pytest.fixture
def client(stage, journal):
    with client_of(stage, Records(journal)) as client:
        yield client


def test_the_list_and_its_search(client):
    told = client.get("/api/games").json()
    assert [row["number"] for row in told["games"]] == [3, 2, 1]
    assert told["before"] is None
    row = told["games"][1]
    assert row["players"] == "Anna – <b>Ben</b>"
    assert (row["turns"], row["took"], row["result"], row["illegal"]) == (3, "37.5 s", "Anna wins", 1)
    for asked, numbers in (
        ("player=ben", [2]), ("illegal=1", [2]), ("turn=C5-C4", [2, 1]), ("result=open", [3, 1]), ("game=taasen", []),
        ("since=2999-01-01", []), ("before=2", [1]), ("result=South wins&player=anna", [2]),
    ):  # fmt: skip
        assert [row["number"] for row in client.get(f"/api/games?{asked}").json()["games"]] == numbers
    page = client.get("/games?player=anna&lang=nl").text
    assert "Partijen" in page
    assert "&lt;b&gt;Ben&lt;/b&gt;" in page
    assert "<b>Ben" not in page
    assert "Geen partij past" in client.get("/games?player=nobody&lang=nl").text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_replay_in_every_language(client, language):
    told = client.get(f"/api/games/2?lang={language}").json()
    assert [board["kind"] for board in told["boards"]] == ["start", "turn", "turn", "illegal", "turn"]
    assert ["c2", "dark-PIAS"] in [piece[:2] for piece in told["boards"][1]["pieces"]]
    wrong = told["boards"][3]
    assert ["a3", "dark-PINET"] in [piece[:2] for piece in wrong["pieces"]]
    assert wrong["fault"] == ["a1", "a3"]
    assert "…" not in wrong["note"]
    assert "{" not in wrong["note"]
    assert (wrong["note"] == "Too far.") is False
    kinds = [one["kind"] for one in told["list"]]
    assert kinds == ["start", "turn", "turn", "illegal", "ruling", "turn", "result"]
    assert [told["boards"][one["board"]]["n"] for one in told["list"] if one["kind"] == "turn"] == [1, 2, 3]
    assert client.get(f"/games/2?lang={language}").status_code == 200
    assert client.get(told["set"]["art"]).text.startswith("<svg")
    assert client.get(told["set"]["faces"] + "dark-PIAS").text.startswith("<svg")


def test_a_record_whose_game_or_set_is_not_here_is_still_read(stage, journal):
    with Journal.open(journal) as book:
        book.append(game(4, game="chess", set="chess"))
        book.append(game(5, set="my-own-set"))
        broken = game(6)
        broken[1]["position"] = "no position"
        book.append(broken)
    with client_of(stage, Records(journal)) as client:
        assert client.get("/api/games/4").json()["boards"] == []
        assert len(client.get("/api/games/4").json()["list"]) == 4
        assert "not installed here" in client.get("/games/4").text
        assert client.get("/api/games/4/export?format=svg").status_code == 404
        assert client.get("/api/games/4/export?format=text").text.startswith("Game 4: chess")
        assert client.get("/api/games/5").json()["set"]["name"] == "transet"
        assert client.get("/games/6").status_code == 200
        assert len(client.get("/api/games").json()["games"]) == 6


def test_downloads(client):
    for form, begins in (("text", b"Game 2: transet"), ("json", b"{"), ("csv", b"game,n,"), ("svg", b"<svg")):
        answer = client.get(f"/api/games/2/export?format={form}")
        assert answer.content.startswith(begins)
        ending = "txt" if form == "text" else form
        assert answer.headers["content-disposition"] == f'attachment; filename="game-2.{ending}"'
    record, _ = read_game(client.get("/api/games/2/export?format=json").text)
    assert record.names == {"South": "Anna", "North": "<b>Ben</b>"}
    sheet = ET.fromstring(client.get("/api/games/2/export?format=svg&turn=all&lang=fr").text)
    assert len([one for one in sheet if one.get("class") == "diagram"]) == 5
    assert client.get("/api/games/2/export?format=svg&turn=9").status_code == 404
    assert client.get("/api/games/2/export?format=svg&turn=x").status_code == 422
    assert client.get("/api/games/2/export?format=exe").status_code == 422


def test_a_film_is_made_beside_the_table_one_at_a_time(client, journal, tmp_path):
    answer = client.get("/api/games/1/export?format=mp4&lang=de")
    assert answer.headers["content-type"] == "video/mp4"
    film = tmp_path / "film.mp4"
    film.write_bytes(answer.content)
    well, picture = cv2.VideoCapture(str(film)).read()
    assert well
    assert picture.shape == (540, 960, 3)
    shelf = Shelf(journal)
    with shelf._filming, pytest.raises(Busy):
        shelf.film(1, "gif", "en")


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/api/games/9", 404, "no game 9"),
        ("/api/games/9/export", 404, "no game 9"),
        ("/games/9", 404, "no game 9"),
        ("/api/games/0", 422, "number"),
        ("/api/games/x", 422, "number"),
        ("/api/games?since=yesterday", 422, "since"),
        ("/api/games?before=-1", 422, "before"),
        ("/sets/chess.svg", 404, "no set chess"),
        ("/sets/transet/token.svg?kind=queen", 404, "queen"),
    ],
)
def test_what_is_not_there_is_said(client, path, status, said):
    answer = client.get(path)
    assert answer.status_code == status
    assert said in answer.text


def test_who_may_see_the_games(stage, journal):
    with client_of(stage, Records(journal, "operator")) as client:
        answer = client.get("/games/2?lang=de", follow_redirects=False)
        assert answer.status_code == 303
        assert answer.headers["location"] == "/operator/games/2?lang=de"
        assert client.get("/operator/games/2", follow_redirects=False).headers["location"].startswith("/operator/login")
        assert client.get("/api/games").status_code == 401
        assert client.get("/api/operator/games").status_code == 401
        assert client.get("/api/games/2/export?format=json").status_code == 401
    with client_of(stage, Records(journal, "nobody")) as client:
        for path in ("/games", "/games/2", "/api/games", "/api/games/2", "/api/games/2/export", "/api/operator/games"):
            assert client.get(path, follow_redirects=False).status_code in (401, 404)
            assert "Anna" not in client.get(path).text


def test_a_table_without_records_says_so(stage, tmp_path):
    with client_of(stage, None) as client:
        assert "keeps no record" in client.get("/games").text
        assert client.get("/api/games").status_code == 409
    with client_of(stage, Records(tmp_path / "none.db")) as client:
        assert client.get("/games").status_code == 503
        assert "try again" in client.get("/games/1").text
    (tmp_path / "other.db").write_bytes(b"not a database at all, but long enough to be looked at" * 20)
    with client_of(stage, Records(tmp_path / "other.db")) as client:
        assert client.get("/api/games").status_code == 503


def test_the_shelf_sees_what_is_written_and_another_file_in_its_place(journal, tmp_path):
    shelf = Shelf(journal)
    assert shelf.record(4) is None
    with Journal.open(journal) as book:
        book.append(game(4))
    assert shelf.record(4) is not None
    other = tmp_path / "other.db"
    with Journal.open(other) as book:
        book.append(game(1, turns=1))
    for ending in ("-wal", "-shm"):
        journal.with_name(journal.name + ending).unlink(missing_ok=True)
    other.replace(journal)
    assert shelf.record(4) is None
    assert len(shelf.record(1).turns) == 1
    shelf.close()


def test_a_file_that_is_spoilt_while_it_is_read_is_a_sentence(journal):
    shelf = Shelf(journal)
    assert shelf.record(1) is not None
    with Journal.open(journal) as book:
        book.append([head(9, event="belief", lines=[], pad="x" * 9000) for _ in range(40)])
        book.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with journal.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * 40_000)
    with pytest.raises(JournalError):
        shelf.find(Query(turn="c"), None, 10)
    shelf.close()


def test_ten_thousand_games_are_read_page_by_page(stage, tmp_path, monkeypatch):
    path, looked = tmp_path / "boardref.db", []
    with Journal.open(path) as book:
        book.append([row for no in range(1, 10_001) for row in game(no, turns=1)])
    real = searching.fold
    monkeypatch.setattr(searching, "fold", lambda rows: looked.append(1) or real(rows))
    with client_of(stage, Records(path)) as client:
        page = client.get("/api/games?turn=c1-c2").json()
        assert [page["games"][0]["number"], len(page["games"]), page["before"]] == [10_000, PAGE, 10_001 - PAGE]
        page = client.get(f"/api/games?game=transet&result=open&before={page['before']}").json()
        assert [page["games"][0]["number"], page["before"]] == [10_000 - PAGE, 10_001 - 2 * PAGE]
        assert client.get("/api/games?player=nobody").json() == {"games": [], "before": None}
        assert client.get("/games/5000").status_code == 200
    assert len(looked) <= 2 * PAGE


def test_reading_never_keeps_the_table_from_writing(journal):
    """While pages are read without a pause, every row is committed, and read back."""
    shelf, stop, asked = Shelf(journal), threading.Event(), [0]

    def look():
        while not stop.is_set():
            shelf.record(2)
            asked[0] += 1

    reader = threading.Thread(target=look)
    reader.start()
    try:
        with Journal.open(journal) as book:
            for no in range(10, 40):
                book.append(game(no))
            while asked[0] < 10:
                time.sleep(0.01)
    finally:
        stop.set()
        reader.join()
    assert len(shelf.record(33).turns) == 3
    shelf.close()


def test_the_page_holds_what_the_api_tells(client):
    page = client.get("/games/2").text
    held = ET.fromstring(page[page.index("<body") : page.index(">", page.index("<body"))] + "/>").get("data-told")
    assert json.loads(held) == client.get("/api/games/2").json()


@pytest.mark.parametrize(("clock", "marked"), [(0, True), (1, False), (None, False)])
def test_the_time_of_a_clock_that_was_not_set_is_marked(stage, tmp_path, monkeypatch, clock, marked):
    monkeypatch.setattr("controller.journal.store.clock_synchronised", lambda: clock)
    with Journal.open(tmp_path / "boardref.db") as book:
        book.append(game(1))
    with client_of(stage, Records(tmp_path / "boardref.db")) as client:
        (row,) = client.get("/api/games").json()["games"]
        assert row["clock_synchronised"] is (None if clock is None else bool(clock))
        assert client.get("/api/games/1").json()["clock_synchronised"] is row["clock_synchronised"]
        for page in ("/games?lang=de", "/games/1?lang=de"):
            assert ("Die Uhr war nicht gestellt" in client.get(page).text) is marked
