"""The operator's deeds on a demo's table that really runs: each becomes a row of the journal, or says why it can't."""

from __future__ import annotations

import random
import string
import time
from dataclasses import replace
from itertools import islice

import pytest
from starlette.testclient import TestClient

from controller.cli.demo import demo_parts
from controller.journal.store import Journal
from controller.rules.registry import game_named
from controller.web.access import Access
from controller.web.app import create_app
from controller.web.ordering import position_of
from controller.web.phrases import LANGUAGES, name_of, phrases

PIN, KEY = "2468", "k3yForTheScoreboard-0123456789"
START, AFTER = "rbkbr/5/5/5/RBKBR S", "rbkbr/5/5/2K2/RB1BR N"


class Desk:
    """A demo's table with its operator, logged in."""

    def __init__(self, folder):
        self.demo = demo_parts("transet", folder)
        self.table, self.path = self.demo.table, folder / "boardref.db"
        self.client = TestClient(create_app(self.table, access=Access(PIN)), base_url="http://localhost")
        told = self.client.post("/api/operator/login", json={"pin": PIN}).json()
        self.client.headers |= {"x-csrf-token": told["csrf"], "origin": "http://localhost"}

    @property
    def view(self):
        return self.table.snapshot().view

    def until(self, true, seconds=20.0):
        deadline = time.monotonic() + seconds
        while not true(self.view):
            assert time.monotonic() < deadline, self.view
            time.sleep(0.03)

    def order(self, name, reason="", status=200, **arguments):
        answer = self.client.post(
            "/api/operator/order", json={"name": name, "arguments": arguments, "reason": reason}
        )
        assert answer.status_code == status, answer.text
        return answer.json()

    def look(self, lang="en"):
        return self.client.get(f"/api/operator/table?lang={lang}").json()

    def rows(self, event="ruling"):
        with Journal.open(self.path, read_only=True) as journal:
            return [row.data for row in journal.rows() if row.event == event]

    def whats(self):
        return [row["what"] for row in self.rows()]

    def carry(self, site, to):
        """Carry the piece of a site to another by hand."""
        world, board = self.demo.world, self.demo.world.board_set
        places = {site.id: board.centre(site) for site in board.sites}
        x, y = places[site]
        token = min(world.as_json()["tokens"], key=lambda one: abs(one["x_mm"] - x) + abs(one["y_mm"] - y))
        world.lift(token["id"])
        world.move(token["id"], *places[to])
        world.drop(token["id"])


@pytest.fixture
def desk(tmp_path):
    desk = Desk(tmp_path)
    desk.table.start()
    desk.until(lambda view: view.phase == "play")
    yield desk
    desk.table.stop()


def test_a_game_is_led_by_the_operator(desk):
    assert desk.look()["position"] == START
    assert desk.order("pause", reason="tea")["said"].startswith("Paused")
    desk.until(lambda view: view.paused)
    assert desk.order("resume")["done"]
    desk.order("set_position", reason="they began so", position=AFTER)
    desk.until(lambda view: view.to_move == "North")
    desk.order("guide")
    desk.until(lambda view: view.guiding)
    desk.carry("c1", "c2")
    desk.until(lambda view: not view.guiding)
    desk.order("set_position", position=START)
    told = desk.order("guide", position=AFTER)
    assert [event["event"] for event in told["events"]][:1] == ["ruling"]
    desk.order("offer_draw", player="South")
    assert desk.look()["offer"] == "South"
    desk.order("decline_draw", player="North")
    desk.order("offer_draw", player="North")
    desk.order("accept_draw", player="South")
    desk.until(lambda view: view.phase == "over")  # what stands is no set-up
    assert desk.whats() == [
        "paused", "resumed", "position", "guide", "position", "position",
        "offer_draw", "decline_draw", "offer_draw", "draw",
    ]  # fmt: skip
    rows = desk.rows()
    assert all(row["by"] == "operator" and "key" not in row for row in rows)
    assert [row["reason"] for row in rows if "reason" in row] == ["tea", "they began so"]


def test_what_stands_is_accepted_and_taken_back(desk):
    desk.carry("c1", "c4")  # too far
    desk.until(lambda view: view.offence is not None)
    assert "accept_as_played" not in desk.look()["not"]
    desk.order("accept_as_played", reason="blitz")
    desk.until(lambda view: view.turns)
    look = desk.look("nl")
    assert "Zuid" in look["last"]["ask"]
    assert desk.order("take_back", status=409, n="7")["error"] == phrases("en", "operator")["not_moved_on"]
    desk.order("take_back", n="1")
    desk.until(lambda view: not view.turns)
    assert desk.whats() == ["accepted", "taken_back"]


def test_a_side_resigns_and_the_next_game_has_other_rules_and_names(desk):
    desk.order("name_players", South="  Ann\n Bee ", North="Ben")
    desk.until(lambda view: view.names == {"South": "Ann Bee", "North": "Ben"})
    desk.order("resign", player="North")
    desk.until(lambda view: view.phase == "over" or view.game_no == 2)  # on the set-up a new game begins at once
    desk.order("new_game", reason="another", **{"option.swop_wins": "false", "option.repetition_draw": "3"})
    desk.until(lambda view: view.phase == "play" and view.options["swop_wins"] == "false")
    rules = {one["name"]: one["value"] for one in desk.look()["rules"]}
    assert rules == {"swop_exchange": "false", "swop_wins": "false", "repetition_draw": "3"}
    assert desk.view.names == {}
    assert desk.whats() == ["players", "resigned", "new_game"]
    assert "Ann" not in str(desk.rows())
    assert [row["names"]["South"] for row in desk.rows("players")] == ["Ann Bee"]
    (options,) = [row["options"] for row in desk.rows() if "options" in row]
    assert options == {"swop_wins": "false", "repetition_draw": "3"}
    beliefs = desk.rows("belief")
    assert beliefs[-1]["options"]["swop_wins"] == "false"


def test_a_question_after_a_pause_is_answered_whatever_the_referee_has_taken_up_meanwhile(desk):
    asked = []
    for n, wait_s in enumerate((0.0, 2.0)):
        desk.order("pause")
        desk.order("resume")
        desk.carry("c1", "c4")
        desk.until(lambda view: view.question)
        time.sleep(wait_s)
        asked.append([one["text"] for one in desk.look()["question"]])
        assert desk.look()["question"][0]["position"] == START
        desk.order("choose", position=START)
        desk.until(lambda view: view.guiding and not view.question)
        desk.carry("c4", "c1")
        desk.until(lambda view: not view.guiding)
        assert desk.whats()[3 * n :] == ["paused", "resumed", "answered"]
    assert asked[0] == asked[1]
    assert [text.split(":")[0] for text in asked[0]] == ["As the record has it", *["As it stands now"] * 2]


def test_lights_are_tried_and_come_back_to_the_game(desk):
    desk.until(lambda view: desk.table.snapshot().link.get("state") == "ready")
    usual = desk.table.snapshot().lights["sites"]
    desk.order("lights", show="site:c3")
    deadline = time.monotonic() + 10
    while set(desk.table.snapshot().lights["sites"]) != {"c3"}:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    while desk.table.snapshot().lights["sites"] != usual:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert [row["show"] for row in desk.rows()] == ["site:c3"]


def test_a_script_is_named_in_the_command(operator, stage):
    script = TestClient(operator.app, base_url="http://localhost", headers={"authorization": f"Bearer {KEY}"})
    body = {"name": "pause", "arguments": {}, "reason": "bell"}
    assert script.post("/api/operator/order", json=body).status_code == 200
    assert operator.post("/api/operator/order", json=body).status_code == 200
    said = [dict(given.arguments) for given in stage.sent]
    assert said == [{"reason": "bell", "key": "scoreboard"}, {"reason": "bell"}]


@pytest.mark.parametrize(
    ("name", "arguments", "status", "key"),
    [
        ("resume", {}, 409, "not_paused"),
        ("take_back", {}, 409, "not_no_turn"),
        ("accept_as_played", {}, 409, "not_nothing_to_accept"),
        ("choose", {"position": START}, 409, "not_no_question"),
        ("accept_draw", {"player": "South"}, 409, "not_no_offer"),
        ("decline_draw", {"player": "South"}, 409, "not_no_offer"),
        ("resign", {"player": "East"}, 422, None),
        ("resign", {"player": "South", "x": "y"}, 422, None),
        ("offer_draw", {}, 422, None),
        ("set_position", {}, 422, None),
        ("set_position", {"position": "rbkbr/5/5/5"}, 422, None),
        ("set_position", {"position": ""}, 422, None),
        ("guide", {"position": "x" * 1000}, 422, None),
        ("new_game", {"option.flying": "true"}, 422, None),
        ("new_game", {"option.swop_wins": "maybe"}, 422, None),
        ("new_game", {"swop_wins": "true"}, 422, None),
        ("lights", {"show": "site:z9"}, 422, None),
        ("lights", {}, 422, None),
        ("name_players", {"East": "Ann"}, 422, None),
        ("explode", {}, 422, None),
    ],
)
def test_what_cannot_be_done_changes_nothing_and_says_why(desk_at_rest, name, arguments, status, key):
    desk = desk_at_rest
    before = desk.view
    for lang in LANGUAGES:
        answer = desk.client.post(f"/api/operator/order?lang={lang}", json={"name": name, "arguments": arguments})
        assert answer.status_code == status, answer.text
        assert answer.json()["error"].endswith(".")
        assert key is None or answer.json()["error"] == phrases(lang, "operator")[key]
    assert desk.view.position == before.position
    assert desk.view.phase == before.phase
    assert desk.rows() == []


@pytest.fixture(scope="module")
def desk_at_rest(tmp_path_factory):
    desk = Desk(tmp_path_factory.mktemp("desk"))
    desk.table.start()
    desk.until(lambda view: view.phase == "play")
    yield desk
    desk.table.stop()


def test_a_position_is_read_from_its_pieces(desk_at_rest):
    def read(placement, to_move=None):
        return desk_at_rest.client.post(
            "/api/operator/position", json={"placement": placement, "to_move": to_move}
        )

    believed = desk_at_rest.look()["believed"]
    assert read(believed, "South").json() == {"position": START}
    assert read(believed, "North").json() == {"position": "rbkbr/5/5/5/RBKBR N"}
    for site, kind in (("c3", "green-DOG"), ("z9", "dark-PIAS"), ("c3", "dark-PIAS")):
        answer = read({**believed, site: [kind]}, "South")
        assert answer.status_code == 422
        assert answer.json()["error"] == phrases("en", "operator")["not_a_position"]


@pytest.mark.parametrize("name", ["transet", "taasen", "transfer"])
def test_every_position_of_a_game_can_be_laid_out(name):
    game, rng = game_named(name), random.Random(5)
    for _ in range(3):
        position = game.start()
        for _ in range(6):
            on = game.picture(position).on
            text = position_of(game, {site: list(kinds) for site, kinds in on.items()}, game.to_move(position))
            assert text is not None, game.position_text(position)
            read = game.parse_position(text)
            assert game.picture(read).on == on
            assert game.to_move(read) == game.to_move(position)
            turns = list(islice(game.legal_turns(position), 60))
            if game.to_move(position) is None:
                position = game.with_mover(position, rng.choice(game.players))
            elif turns:
                position = game.after(position, rng.choice(turns))
            if game.outcome(position) is not None:
                break


def test_a_table_that_does_not_answer_says_so(operator, stage):
    answer = operator.post("/api/operator/order", json={"name": "pause"})
    assert answer.status_code == 200
    stage.deaf = True
    answer = operator.post("/api/operator/order", json={"name": "pause"})
    assert answer.status_code == 503
    assert "look" in answer.json()["error"]


def test_a_table_that_knows_no_board_can_be_paused_and_its_lamp_tried(operator, stage):
    stage.tell(set=None, view=replace(stage.view, game=None, players=("", "")), link={"state": "ready"})
    assert [one["show"] for one in operator.get("/api/operator/table").json()["lights"]] == ["lamp"]
    for name, arguments, status in (("pause", {}, 200), ("lights", {"show": "lamp"}, 200), ("new_game", {}, 409)):
        answer = operator.post("/api/operator/order", json={"name": name, "arguments": arguments})
        assert answer.status_code == status, answer.text
    answer = operator.post("/api/operator/order", json={"name": "lights", "arguments": {"show": "site:c3"}})
    assert answer.status_code == 409
    stage.tell(fault={"code": "use", "facts": {}})
    assert operator.post("/api/operator/order", json={"name": "pause"}).status_code == 409


def test_every_word_is_there_in_every_language():
    def names_in(text):
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    texts = {language: phrases(language, "operator") for language in LANGUAGES}
    assert len({frozenset(words) for words in texts.values()}) == 1
    for key in texts["en"]:
        assert len({frozenset(names_in(words[key])) for words in texts.values()}) == 1, key


@pytest.mark.parametrize("game", ["transet", "taasen", "transfer"])
def test_every_rule_of_the_games_has_words(game):
    for name, option in game_named(game).options.items():
        for language in LANGUAGES:
            words = phrases(language, "operator")
            assert f"option_{game}_{name}" in words
            told = [words.get(f"value_{value}") or name_of(value, language) for value in option.choices]
            assert len(set(told)) == len(option.choices), (name, told)
