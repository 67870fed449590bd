"""The timeline's answers over a real referee and journal, without a camera: all games, all rulings, all languages."""

from __future__ import annotations

import ast
import string
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from controller.journal.fold import fold
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.referee import commands
from controller.referee.events import Command, Event, Press
from controller.referee.reducer import resume
from controller.referee.view import View
from controller.telling import journal_row
from controller.web.access import Access
from controller.web.app import create_app
from controller.web.asking import answer_for
from controller.web.message import message
from controller.web.phrases import LANGUAGES, name_of, phrases
from controller.web.verdicts import _ruling
from firmware_bridge.scene import Scene
from vision.boardset import BoardSet, installed_sets

sys.path.insert(0, str(Path(__file__).parents[1] / "referee"))

from pretend import Table
from pretend_taasen import START as TAASEN_START
from pretend_taasen import TaasenTable
from pretend_transfer import P0, TransferTable

PIN = "2468"


@dataclass(frozen=True)
class Told:
    """What such a table tells."""

    rev: int
    view: View
    set: BoardSet
    age_s: float = 0.1
    scene: Scene = field(default_factory=lambda: Scene("to_move", 17))
    lights: Mapping[str, Any] = field(default_factory=lambda: {"connected": False})
    camera: Mapping[str, Any] = field(default_factory=lambda: {"state": "ok", "sentence": ""})
    link: Mapping[str, Any] = field(default_factory=lambda: {"state": "off", "sentence": ""})
    journal: Mapping[str, Any] = field(default_factory=lambda: {"state": "ok", "sentence": ""})
    fault: Mapping[str, Any] | None = None


class Desk:
    """What the pages need of a table, over a pretend one whose events go to a journal."""

    world = None
    preview = None

    def __init__(self, table: Table, journal: Journal) -> None:
        self.table, self.journal, self.rev = table, journal, 0
        given = table.give

        def kept(item: Any) -> list[Event]:
            events = given(item)
            name = table.game.name
            journal.append([journal_row(event, name, name) for event in events])
            self.rev += 1
            return events

        table.give = kept  # type: ignore[method-assign]

    def snapshot(self) -> Any:
        view = self.table.view
        assert view is not None
        return Told(self.rev, view, installed_sets()[self.table.game.name])

    def wait(self, rev: int, timeout_s: float) -> Any:
        return self.snapshot()

    def send(self, given: Press | Command) -> None:
        self.table.give(given)

    def order(self, given: Command, timeout_s: float = 5.0) -> tuple[Event, ...]:
        return tuple(self.table.give(Command(self.table.t_s, given.name, given.arguments)))

    def ready(self) -> bool:
        return True

    def record(self, number: int = 1) -> Any:
        return fold(self.journal.rows(number))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path / "boardref.db") as opened:
        yield opened


def client_of(desk: Desk) -> TestClient:
    client = TestClient(create_app(desk, access=Access(PIN)), base_url="http://localhost")
    told = client.post("/api/operator/login", json={"pin": PIN}).json()
    client.headers |= {"x-csrf-token": told["csrf"], "origin": "http://localhost"}
    return client


@pytest.fixture
def desk(journal: Journal) -> Desk:
    """Two turns, and an illegal one that stands."""
    desk = Desk(Table(), journal)
    desk.table.begin()
    desk.table.play("c1-c2")
    desk.table.play("c5-c4")
    desk.table.play("b1-b3")
    return desk


def look(client: TestClient, **more: Any) -> dict[str, Any]:
    answer = client.get("/api/operator/timeline", params=more)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def rule(client: TestClient, entry: dict[str, Any], do: str, status: int = 200, game: int = 1, **more: Any) -> Any:
    answer = client.post("/api/operator/timeline/ruling", json={"game": game, "row": entry["row"], "do": do, **more})
    assert answer.status_code == status, answer.text
    return answer.json()


@pytest.mark.parametrize("lang", ["en", "nl", "de", "fr"])
def test_every_language_tells_all_of_it(desk: Desk, lang: str) -> None:
    for name, arguments in (
        ("correct", {"n": "1", "text": "c1-d2", "reason": "seen"}), ("pause", {}), ("resume", {}),
        ("offer_draw", {"player": "South"}), ("decline_draw", {"player": "North"}), ("take_back", {"to": "1"}),
        ("set_position", {"position": "rbkbr/5/5/2K2/RB1BR N"}), ("guide", {}), ("resign", {"player": "South"}),
    ):  # fmt: skip
        desk.table.command(name, **arguments)
    told = look(client_of(desk), lang=lang)
    verdicts = [entry["verdict"] for entry in told["entries"]]
    assert verdicts[:4] == ["setup", "turn", "turn", "illegal"]
    assert verdicts.count("ruling") >= 9
    texts = [entry["title"] for entry in told["entries"]] + [t for entry in told["entries"] for t in entry["said"]]
    assert not [text for text in texts if "{" in text or text.startswith(("v_", "r_", "said_"))]
    assert len(told["set"]["sites"]) == 25
    assert told["entries"][0]["whole"]["c1"] == ["dark-PIAS"]


def test_what_stands_is_accepted_unless_the_game_has_gone_on(desk: Desk) -> None:
    client = client_of(desk)
    entry = look(client)["entries"][-1]
    assert entry["can"][0] == "accept"
    rule(client, entry, "accept", last=entry["row"])
    assert desk.record().turns[-1].legal is False
    desk.table.play("c4-c3")
    told = look(client)["entries"]
    assert "meanwhile" in rule(client, told[0], "back", 409, last=told[-2]["row"])["error"]
    assert len(desk.record().turns) == 4


def test_back_to_a_board_and_another_position(desk: Desk) -> None:
    client = client_of(desk)
    entries = look(client)["entries"]
    rule(client, entries[1], "back", last=entries[-1]["row"], reason="from here again")
    assert [turn.text for turn in desk.record().turns] == ["c1-c2"]
    assert desk.table.view is not None
    assert desk.table.view.guiding
    found = client.get("/api/operator/timeline/choices", params={"game": 1, "row": entries[3]["row"]}).json()
    assert [one["player"] for one in found["stood"]] == ["South", "North"]
    rule(client, entries[3], "set", position=found["stood"][1]["position"])
    assert desk.record().position == found["stood"][1]["position"]
    assert verify(desk.record(), desk.table.game) is None
    assert "error" in rule(client, entries[3], "set", 422, position="nonsense")


def test_a_turn_is_corrected_only_after_what_falls_was_told(desk: Desk) -> None:
    client = client_of(desk)
    desk.table.play("b3-b1")
    desk.table.play("c2-c3")
    entries = look(client)["entries"]
    asked = {"game": 1, "n": 1, "text": "b1-a2"}
    made = client.get("/api/operator/timeline/effect", params=asked).json()
    assert made["falls"] == 3
    assert "South c2-c3" in made["told"][0]
    body = {"n": 1, "text": "b1-a2", "reason": "so it was"}
    assert "look" in rule(client, entries[1], "this", 409, **body)["error"]
    assert [turn.text for turn in desk.record().turns] == ["c1-c2", "c5-c4", "c2-c3"]
    rule(client, entries[1], "this", falls=3, **body)
    assert [turn.text for turn in desk.record().turns] == ["b1-a2", "c5-c4"]
    assert verify(desk.record(), desk.table.game) is None
    found = client.get("/api/operator/timeline/effect", params={"game": 1, "n": 2, "text": "c5-c1"}).json()
    assert "not allowed there" in found["error"]


def test_a_game_that_is_over_is_corrected_in_the_journal(desk: Desk) -> None:
    client = client_of(desk)
    desk.table.play("b3-b1")
    desk.table.command("resign", player="South")
    entries = look(client)["entries"]
    assert [entry["can"] for entry in entries[:3]] == [["this"]] * 3
    body = {"n": 2, "text": "b5-a4"}
    assert "why" in rule(client, entries[2], "this", 422, **body)["error"]
    assert "over" in rule(client, entries[2], "back", 409)["error"]
    rule(client, entries[2], "this", reason="Both say so.", **body)
    record = desk.record()
    assert [turn.text for turn in record.turns] == ["c1-c2", "b5-a4"]
    assert record.result is not None
    assert record.result["why"] == "The other side resigned."
    assert look(client)["entries"][-1]["said"] == ["“Both say so.”"]
    again = resume(desk.table.game, "transet", desk.table.state.timing, desk.journal.last_session())
    assert (again.phase, again.result) == ("over", "North wins")  # a table that comes back waits for the next game
    assert [done.played.text for done in again.published] == ["c1-c2", "b5-a4"]


def test_every_ruling_that_can_be_written_has_words_in_every_language() -> None:
    """No page shows the code of one."""
    room = Path(commands.__file__).parent
    made = {"guide", "offer_draw", "accept_draw", "decline_draw"}  # by the name of the command
    for file in room.glob("*.py"):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "rule":
                made |= {
                    one.value
                    for one in ast.walk(call.args[1])
                    if isinstance(one, ast.Constant) and isinstance(one.value, str)
                }
    assert {"players", "paused", "resumed", "answered", "corrected"} <= made
    for what in made:
        told = {"event": "ruling", "what": what, "by": "operator", "n": 3, "text": "c1-c2", "was": "a1-a2"}
        for player in ({}, {"player": "South"}):
            said = {language: _ruling({**told, **player}, language) for language in LANGUAGES}
            assert not any(what in text and "_" in what for text in said.values()), said
            assert all(
                phrases(language, "timeline")["r_other"].format(what=what) != said[language] for language in said
            )
            assert len(set(said.values())) >= 3, said


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_games_end_is_told_in_the_language_of_the_page(desk: Desk, language: str) -> None:
    desk.table.command("resign", player="North")
    client = client_of(desk)
    told = look(client, lang=language)["entries"]
    (said,) = [text for entry in told for text in entry["said"] if phrases(language, "games")["wins"].format(
        player=name_of("South", language)) in text]  # fmt: skip
    assert language == "en" or "wins" not in said


@pytest.mark.parametrize("button", ["yes", "no"])
@pytest.mark.parametrize("moved", [("a1-b3",), ("c2-d4",), ("a1-a4", "e1-e4")])
def test_the_buttons_of_a_question_say_what_they_do(button: Literal["yes", "no"], moved: tuple[str, ...]) -> None:
    table = Table()
    table.begin()
    table.play("c1-c2")
    table.command("pause")
    table.play(*moved)
    table.command("resume")
    table.wait(4)
    assert table.view is not None
    meant = [one for one in table.view.question if answer_for(table.view, one) == button]
    assert len(table.view.question) == 3
    assert len(meant) == 1
    word = phrases("de", "page")[f"label_{button}"]
    assert sum(text.startswith(f"{word} – ") for text in message(table.view, "de").more) == 1
    table.press("South", button)
    assert not table.view.question
    assert table.view.position == meant[0]["position"]


def test_every_game_has_its_choices(journal: Journal) -> None:
    taasen = TaasenTable()
    desk = Desk(taasen, journal)
    taasen.move(*TAASEN_START.split())
    taasen.wait(2)
    taasen.play("RT=3")
    client = client_of(desk)
    entry = look(client)["entries"][-1]
    assert entry["verdict"] == "illegal"
    found = client.get("/api/operator/timeline/choices", params={"game": 1, "row": entry["row"]}).json()
    assert found["fit"]
    assert len(found["all"]) > 5
    rule(client, entry, "this", n=1, text=found["fit"][0])
    assert [turn.text for turn in desk.record().turns] == [found["fit"][0]]


def test_transfer_names_the_turns_that_lead_to_the_board(journal: Journal) -> None:
    table = TransferTable(f"{P0} S 0-0")
    desk = Desk(table, journal)
    table.show(P0)
    begun = table.state.line.position
    boards = (table.game.picture(table.game.after(begun, turn)).on for turn in table.game.legal_turns(begun))
    stands = next(on for on in boards if on != table.game.picture(begun).on)
    table.wait(0.3, hand=True, moving=True)
    table.on = {site: kinds[0] for site, kinds in stands.items()}
    table.wait(3)
    client = client_of(desk)
    entries = look(client)["entries"]
    assert [entry["verdict"] for entry in entries] == ["setup", "turn"]
    found = client.get("/api/operator/timeline/choices", params={"game": 1, "row": entries[1]["row"]}).json()
    assert found["was"] == entries[1]["turns"][0]["text"]
    assert found["all"] == []
    assert all(table.game.judge_turn(table.game.parse_position(f"{P0} S 0-0"), text).legal for text in found["fit"])


def test_without_a_journal_or_a_game_a_sentence_says_so(journal: Journal) -> None:
    desk = Desk(Table(), journal)
    desk.table.wait(1)
    client = client_of(desk)
    assert look(client)["entries"] == []
    answer = client.post("/api/operator/timeline/ruling", json={"game": 5, "row": 1, "do": "accept"})
    assert (answer.status_code, answer.json()["error"]) == (404, "There is no such game.")
    desk.journal = None  # type: ignore[assignment]
    answer = client.get("/api/operator/timeline?lang=de")
    assert (answer.status_code, answer.json()["error"][:5]) == (404, "Es wi")


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.one_of(st.text(string.printable, max_size=30), st.sampled_from(["as played", "c1-c2", "--", "c1xc5@c5"])),
    n=st.integers(0, 6),
    position=st.one_of(st.just(""), st.text(max_size=20), st.just("rbkbr/5/5/5/RBKBR S")),
)
def test_whatever_is_typed_is_answered_in_a_sentence(journal: Journal, text: str, n: int, position: str) -> None:
    if not hasattr(journal, "desk"):
        desk = Desk(Table(), journal)
        desk.table.begin()
        desk.table.play("c1-c2")
        client = client_of(desk)
        journal.desk = desk, client, look(client)["entries"][0]["row"]  # type: ignore[attr-defined]
    desk, client, row = journal.desk  # type: ignore[attr-defined]
    before = desk.record().turns
    asked = {"game": 1, "n": n, "text": text, "position": position}
    answer = client.get("/api/operator/timeline/effect", params=asked)
    assert answer.status_code == 200
    told = answer.json()
    assert told.get("error") or told["text"]
    if told.get("error"):
        body = {"game": 1, "row": row, "do": "this", "n": n, "text": text, "position": position}
        answer = client.post("/api/operator/timeline/ruling", json=body)
        assert answer.status_code == 422
        assert answer.json()["error"].endswith((".", "…")) or ":" in answer.json()["error"]
        assert desk.record().turns == before
