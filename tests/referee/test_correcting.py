"""A turn corrected by the operator: the record follows by the rules, nobody is accused of it, a restart keeps it."""

from __future__ import annotations

import json
import random
from itertools import islice
from typing import Any

import pytest
from pretend import Table, brief

from controller.journal.fold import Record, fold
from controller.journal.store import Row
from controller.journal.verify import verify
from controller.referee import reducer
from controller.referee.correcting import CorrectionError, History, before_turn, corrected
from controller.referee.events import Command, Event, Input
from controller.rules.api import Game, Position, RulesError, Turn
from controller.rules.registry import game_named, game_names
from controller.sloppy import Report
from controller.sloppy.evening import evening
from controller.sloppy.games import manners_at
from controller.sloppy.sitting import Sitting
from vision.sighting import Sighting, Token


class Kept(Sitting):
    """A sloppy table that keeps every event, and can be shown a position."""

    def __init__(self, game: Game, seed: int) -> None:
        self.every: list[Event] = []
        super().__init__(game, seed, Report())

    def take(self, item: Input) -> None:
        self.every += reducer.reduce(self.state, item).events
        super().take(item)

    def say(self, name: str, **arguments: str) -> list[Event]:
        known = len(self.every)
        self.take(Command(self.state.t_s, name, arguments))
        return self.every[known:]

    def show(self, position: Position, seconds: float) -> None:
        on = self.game.picture(position).on
        tokens = tuple(Token(kind, site, (0.0, 0.0)) for site, kinds in on.items() for kind in kinds)
        for i in range(round(seconds * 10) + 6):
            t_s, hand = round(self.state.t_s + 0.1, 3), i < 6
            name = self.game.name
            self.take(Sighting(t_s, self.state.frame + 1, name, name, tokens, moving=hand, hand=hand))

    def rows(self) -> list[dict[str, Any]]:
        told = [{**event.as_json(), "internal": event.internal} for event in self.every]
        return [json.loads(json.dumps(row)) for row in told]

    def folded(self) -> Record:
        number = self.state.game_no
        return fold(
            Row(i, 1, number, row["event"], row["internal"], "2026-01-01T00:00:00+00:00", row)
            for i, row in enumerate(self.rows())
            if row["game_no"] == number or row["event"] == "board_found"
        )


def some_turn(rng: random.Random, game: Game, position: Position) -> Turn:
    return rng.choice(list(islice(game.legal_turns(position), 200)))


def replayed(game: Game, start: str, texts: list[tuple[str, str]]) -> list[str]:
    """The texts of the turns that follow by the rules, forced passes among them, one after the other from `start`."""
    position, told, waiting = game.parse_position(start), [], [(p, t) for p, t in texts if t != "--"]
    if game.to_move(position) is None:
        position = game.with_mover(position, texts[0][0])
    while game.outcome(position) is None:
        passing = game.forced_pass(position) if game.to_move(position) else None
        if passing is not None:
            told.append(game.turn_text(position, passing))
            position = game.after(position, passing)
            continue
        if not waiting or game.to_move(position) != waiting[0][0]:
            break
        try:
            verdict = game.judge_turn(position, waiting.pop(0)[1])
        except RulesError:
            break
        if not verdict.legal or not verdict.complete:
            break
        told.append(game.turn_text(position, verdict.turn))
        position = verdict.position
    return told


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", game_names())
def test_a_corrected_record_follows_by_the_rules(name: str, seed: int) -> None:
    game, rng = game_named(name), random.Random(f"{name} {seed}")
    table = Kept(game, 500 + seed)
    evening(manners_at(table), 7)
    if table.state.phase != "play":
        return
    old = table.state.published
    n = rng.choice([done.n for done in old if not done.played.passed])
    history = History(table.state.anchors, old, len(table.state.line.steps))
    before = before_turn(game, history, n)
    turn = next((t for t in [some_turn(rng, game, before) for _ in range(9)]
                 if game.position_text(game.after(before, t)) != old[n - 1].position), None)  # fmt: skip
    assert turn is not None
    text = game.turn_text(before, turn)
    made = corrected(game, history, n, text)

    if made.falls:  # not before the operator was told
        state = table.state
        assert [e.event for e in table.say("correct", n=str(n), text=text, reason="seen again")] in ([], ["operator"])
        assert table.state.lines == state.lines
    falls = {"falls": str(made.falls[0].n)} if made.falls else {}
    events = table.say("correct", n=str(n), text=text, reason="seen again", **falls)
    ruling = next(event for event in events if event.event == "ruling")
    assert (ruling.data["n"], ruling.data["was"], ruling.data["reason"]) == (n, old[n - 1].played.text, "seen again")

    start = str(next(e.data["position"] for e in reversed(table.every) if e.event == "setup_complete"))
    told = [(done.played.player, done.played.text) for done in old]
    told[n - 1] = (told[n - 1][0], text)
    expected = replayed(game, start, told)
    record = table.state.published
    assert [done.played.text for done in record] == expected
    assert len(record) + len(made.falls) >= len(old)
    written = {event.data["n"]: event.data for event in events if event.event in ("turn", "pass")}
    for done, was in zip(record, old, strict=False):
        assert done == was or (written[done.n]["revised"], written[done.n]["position"]) == (True, done.position)
    assert {e.data["n"] for e in events if e.event == "withdrawn"} == set(range(len(record) + 1, len(old) + 1))

    folded = table.folded()
    assert [turn.text for turn in folded.turns] == expected
    assert verify(folded, game) is None
    again = reducer.resume(game, name, table.state.timing, table.rows())
    assert (again.published, again.anchors) == (record, table.state.anchors)
    assert [line.position for line in again.lines] == [line.position for line in table.state.lines]

    if table.state.phase == "play":  # the board comes to the position, and the game goes on from it
        table.show(table.state.line.position, 4.0)
        assert table.state.published == record
        assert not table.state.guiding
        now = table.state.line.position
        ways = (game.after(now, some_turn(rng, game, now)) for _ in range(50))
        after = next(one for one in ways if game.picture(one).on != game.picture(now).on)
        table.show(after, 4.0)
        assert table.state.published[len(record)].position == game.position_text(after)


def playing(*turns: tuple[str, ...]) -> Table:
    table = Table()
    table.begin()
    for turn in turns:
        table.play(*turn)
    table.events.clear()
    return table


def test_a_turn_is_corrected_and_the_later_ones_stay() -> None:
    table = playing(("c1-c2",), ("c5-c4",), ("a1-a2",))
    events = table.command("correct", n="1", text="c1-b2", reason="the pawn stood on b2")
    assert brief(events) == ["ruling corrected", "turn 1 c1-b2 revised", "turn 2 c5-c4 revised",
                             "turn 3 a1-a2 revised", "guide"]  # fmt: skip
    table.play("c2-b2")
    table.play("b5-a4")
    assert brief(table.told())[-1] == "turn 4 b5-a4"
    assert "illegal" not in " ".join(brief(table.told()))


def test_what_stands_already_is_not_led_to() -> None:
    table = playing(("c1-c2",))
    table.play("c5-c2", hold=3)  # the referee says that this is too far
    assert brief(table.told())[-1].startswith("illegal")
    table.move("c2-c4")
    table.on["c2"] = "dark-PIAS"
    events = table.command("correct", n="2", text="c5-c4", reason="put down badly")
    assert brief(events)[:2] == ["ruling corrected", "turn 2 c5-c4"]
    table.wait(3)
    table.play("b1-a2")
    assert brief(table.told())[-1] == "turn 3 b1-a2"


def test_turns_that_no_longer_follow_fall_only_when_that_was_told() -> None:
    table = playing(("c1-c2",), ("c5-c4",), ("c2-c3",))
    before = table.state
    assert table.command("correct", n="1", text="b1-a2", reason="so it was") == []
    assert table.command("correct", n="1", text="b1-a2", reason="so it was", falls="2") == []
    assert table.state == before
    events = table.command("correct", n="1", text="b1-a2", reason="so it was", falls="3")
    assert brief(events)[:3] == ["ruling corrected", "withdrawn 3", "turn 1 b1-a2 revised"]
    assert events[0].data["falls"] == [3]


def test_as_played_with_the_position_that_stood() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    stood = "rbkbr/5/2K2/5/RB1BR N"
    events = table.command("correct", n="1", text="as played", position=stood, reason="agreed")
    assert brief(events)[:2] == ["ruling corrected", "turn 1 c1-c3 revised"]
    assert events[1].data["legal"] is False
    assert events[1].data["position"] == stood


def test_a_position_that_was_set_stands_whatever_was_played_before_it() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    text = "rb1br/2k2/5/2K2/RB1BR S"
    table.command("set_position", position=text.replace("2K2", "1K3"))
    table.put("rb1br/2k2/5/1K3/RB1BR")
    table.wait(2)
    for turn in ("b2-b3", "a5-a4", "b3-b4", "e5-e4"):
        table.play(turn)
    before = table.state.published
    assert len(before) == 6
    table.events.clear()
    events = table.command("correct", n="1", text="b1-a2", reason="so it was")
    assert [e.data["n"] for e in events if e.event == "turn"] == [1, 2, 3, 4, 5, 6]
    assert table.state.published[2:] == before[2:]
    assert [n for n, _ in table.state.anchors] == [0, 2]
    state, every = reducer.initial(table.game, set_name="transet"), []
    for given in table.inputs:
        step = reducer.reduce(state, given)
        state = step.state
        every += [{**event.as_json(), "internal": event.internal} for event in step.events]
    record = fold(Row(i, 1, 1, row["event"], False, "2026-01-01T00:00:00+00:00", row) for i, row in enumerate(every))
    assert verify(record, table.game) is None
    assert [on.n for on in record.gone_on] == [2]
    assert reducer.resume(table.game, "transet", state.timing, every).anchors == state.anchors


@pytest.mark.parametrize("open_turns", [0, 1, 2])
def test_no_more_may_be_changed_by_hand_afterwards_than_before(open_turns: int) -> None:
    table = playing(("c1-c2",), ("c5-c4",), ("a1-a2",), ("a5-a4",))
    history = History(table.state.anchors, table.state.published, open_turns)
    assert len(corrected(table.game, history, 1, "c1-d2").line.steps) == open_turns
    assert len(corrected(table.game, history, 4, "e5-e4").line.steps) == 0  # what the operator has said stands


def test_what_stood_unseen_during_a_correction_is_asked_about() -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    table.on["b3"] = table.on.pop("b1")
    table.wait(1, hand=True, moving=True, hidden=frozenset({"b1", "b3", "c2", "d2"}))
    events = table.command("correct", n="1", text="c1-d2", reason="so it was")
    assert brief(events) == ["ruling corrected", "turn 1 c1-d2 revised", "turn 2 c5-c4 revised"]
    table.wait(5)
    assert brief(table.told())[-1] == "question"
    assert "illegal" not in " ".join(brief(table.told()))


def test_taken_back_to_any_turn_and_led_there() -> None:
    table = playing(("c1-c2",), ("c5-c4",), ("a1-a2",), ("a5-a4",))
    events = table.command("take_back", to="1")
    assert brief(events) == ["ruling taken_back", "withdrawn 4", "withdrawn 3", "withdrawn 2", "guide"]
    table.move("a4-a5", "a2-a1", "c4-c5")
    table.wait(3)
    table.play("b5-a4")
    assert brief(table.told())[-1] == "turn 2 b5-a4 revised"
    assert brief(table.command("take_back", to="0"))[:3] == ["ruling taken_back", "withdrawn 2", "withdrawn 1"]


@pytest.mark.parametrize(
    "arguments",
    [
        {}, {"n": "1"}, {"n": "0", "text": "c1-c2"}, {"n": "9", "text": "c1-c2"}, {"n": "x", "text": "c1-c2"},
        {"n": "1", "text": "c1-c2"}, {"n": "1", "text": "c1-c3"}, {"n": "1", "text": "nonsense"},
        {"n": "1", "text": "as played"}, {"n": "1", "text": "as played", "position": "nonsense"},
    ],
)  # fmt: skip
def test_what_cannot_be_corrected_changes_nothing(arguments: dict[str, str]) -> None:
    table = playing(("c1-c2",), ("c5-c4",))
    before = table.state
    assert table.command("correct", **arguments) == []
    assert table.state == before


def test_a_turn_of_a_game_in_which_nobody_has_moved_yet() -> None:
    game = game_named("transfer")
    start = game.parse_position(game.position_text(game.start()).replace(" S ", " ? "))
    assert game.to_move(start) is None
    turn = next(game.legal_turns(game.with_mover(start, "South")))
    made = corrected(game, History(((0, start),), ()), 1, game.turn_text(game.with_mover(start, "South"), turn))
    assert made.record[0].played.player == "South"


def test_why_a_correction_is_refused() -> None:
    game = game_named("transet")
    history = History(((0, game.start()),), ())
    for n, text, fault in ((2, "c1-c2", "no_turn"), (1, "c1-c4", "illegal"), (1, "as played", "position")):
        with pytest.raises(CorrectionError) as refused:
            corrected(game, history, n, text)
        assert refused.value.fault == fault
    with pytest.raises(CorrectionError) as refused:
        before_turn(game, History((), ()), 1)
    assert refused.value.fault == "unknown"
