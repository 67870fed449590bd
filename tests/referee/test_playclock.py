"""The players' clock: whose time runs, when it stands still, and that no millisecond is lost or given twice."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pretend import Table, brief
from pretend_taasen import TaasenTable
from pretend_transfer import P0, TransferTable

from controller.referee import reducer
from controller.referee.playclock import ClockRules, PlayClock
from controller.referee.reducer import reduce
from controller.referee.timing import Timing
from controller.rules.registry import game_named
from controller.rules.transet import TRANSET
from controller.sloppy import Report
from controller.sloppy.evening import evening
from controller.sloppy.games import manners_at
from controller.sloppy.sitting import Sitting

FISCHER = ClockRules("fischer", main_s=60, increment_s=2)
EACH = ClockRules("turn", turn_s=10)


def clocked(rules: ClockRules = FISCHER, kind: type[Table] = Table, **more: object) -> Table:
    table = kind(**more)  # type: ignore[arg-type]
    table.state = replace(table.state, clock_rules=rules)
    return table


def left(table: Table) -> dict[str, float]:
    clock = table.state.clock
    assert clock is not None
    return {player: clock.left_ms(player) / 1000 for player in clock.players}


def stop(table: Table) -> str:
    assert table.view is not None
    assert table.view.clock is not None
    return table.view.clock.stop


def begun(rules: ClockRules = FISCHER) -> Table:
    """Transet, its first turn made: North thinks."""
    table = clocked(rules)
    table.begin()
    table.wait(20)
    assert stop(table) == "first"
    table.play("c1-c2", hold=0)
    until(table, "turn")
    return table


def until(table: Table, event: str, seconds: float = 5) -> None:
    for _ in range(round(seconds * 10)):
        if any(one.event == event for one in table.see()):
            return
    raise AssertionError(f"no {event}")


def test_without_a_clock_there_is_none() -> None:
    table = Table()
    table.begin()
    table.play("c1-c2")
    assert table.view is not None
    assert table.view.clock is None
    assert not [event for event in table.events if event.event in ("clock", "flag")]
    assert "clock" not in table.told("turn")[0].data


def test_the_first_turn_costs_nothing_and_then_the_side_to_move_thinks() -> None:
    table = begun()
    assert left(table) == {"South": 62.0, "North": 60.0}
    table.wait(7)
    assert left(table) == {"South": 62.0, "North": 53.0}
    view = table.view
    assert view is not None
    assert view.clock is not None
    assert view.clock.runs == "North"
    assert view.clock.ends_ms == round(table.t_s * 1000) + 53_000
    table.see()
    assert table.view is not None
    assert table.view.clock == view.clock  # it says the same while only time goes by


def test_the_referees_own_waiting_is_nobodys_time() -> None:
    table = begun()
    table.wait(5)
    table.hand("c5-c4", seconds=1)
    at_rest = left(table)["North"]
    until(table, "turn")
    # a hand that has gone is believed after 0.3 s
    assert left(table)["North"] - 2 == pytest.approx(at_rest - 0.3, abs=0.11)
    assert left(table)["South"] == 62.0


def test_a_piece_put_back_was_thinking_time() -> None:
    table = begun()
    table.hand("c5-c4", seconds=1)
    table.wait(0.4)
    assert stop(table) == "settling"
    shown = left(table)["North"]
    table.hand("c4-c5", seconds=1)
    table.wait(2)
    assert left(table)["North"] == pytest.approx(60 - 4.4, abs=0.01)
    assert shown > left(table)["North"]


def test_a_turn_taken_back_gives_the_other_side_its_time_again() -> None:
    table = begun()
    table.wait(3)
    table.play("c5-c4", hold=0)
    until(table, "turn")
    table.wait(8)
    assert left(table)["South"] == pytest.approx(54, abs=0.2)
    table.play("c4-c5", hold=0)
    until(table, "withdrawn")
    assert left(table)["South"] == 62.0
    assert left(table)["North"] == pytest.approx(60 - 3 - 0.6 - 0.3 - 8 - 0.6, abs=0.5)
    assert stop(table) == ""


def test_a_turn_finished_late_is_paid_by_who_finishes_it() -> None:
    table = begun()
    for turn in ("c5-c4", "a1-a2", "b5-a4"):
        table.play(turn)
    before = left(table)
    table.wait(4)
    table.play("c2-c1")  # South's other half, after North's reply
    assert brief(table.told("turn"))[-2:] == ["turn 3 a1-a2&c2-c1 revised", "turn 4 b5-a4 revised"]
    assert left(table)["North"] == before["North"]
    assert left(table)["South"] < before["South"] - 4


def test_operators_put_the_clocks_back_as_they_were() -> None:
    table = begun()
    table.wait(3)
    table.play("c5-c4")
    then = left(table)
    table.wait(10)
    table.play("d1-e2")
    table.wait(4)
    table.command("take_back")
    assert len(table.state.published) == 2
    assert left(table)["South"] == pytest.approx(then["South"], abs=2.1)
    assert left(table)["North"] == pytest.approx(then["North"], abs=0.01)


@pytest.mark.parametrize("reason", ["paused", "question", "blind", "setup"])
def test_nobodys_time_runs_while_the_referee_cannot_know(reason: str) -> None:
    table = begun()
    table.wait(1)
    if reason == "paused":
        table.command("pause")
    elif reason == "blind":
        table.wait(1, trouble="too_dark")
    elif reason == "setup":
        table.command("guide")
        table.move("c5-c4", "d5-d4", "b5-b4")
        table.wait(1)
    else:
        table.wait(1, hand=True)
        table.wait(25, hand=True, hidden=frozenset(table.game.sites), tokens=())
        table.move("a1-b2")
        table.wait(3)
    assert stop(table) == reason
    shown = left(table)
    table.wait(9, **({"trouble": "too_dark"} if reason == "blind" else {}))
    assert left(table) == shown
    assert table.view is not None
    assert table.view.clock is not None
    assert table.view.clock.runs is None


def test_whoever_must_put_something_right_pays_for_it() -> None:
    table = begun()
    table.play("c5-c2")
    assert table.told("illegal")
    before = left(table)
    table.wait(4)
    assert left(table)["North"] == before["North"] - 4
    assert left(table)["South"] == before["South"]


def test_an_offence_of_the_side_that_is_not_to_move_costs_nobody_time() -> None:
    table = begun()
    table.play("c5-c4")
    table.play("e1-e2")
    table.play("a1-a2")
    assert table.told("illegal")
    before = left(table)
    table.wait(4)
    assert left(table) == before
    assert stop(table) == "illegal"


def test_after_a_pause_the_board_is_checked_first() -> None:
    table = begun()
    table.command("pause")
    table.move("c5-c4")
    table.wait(5)
    table.command("resume")
    table.see()
    assert stop(table) == "check"
    shown = left(table)
    table.move("c4-c5")
    table.wait(1.5)
    assert stop(table) == ""
    assert left(table)["North"] > shown["North"] - 1.5


def test_a_flag_is_shown_and_nothing_else_happens() -> None:
    table = begun()
    table.wait(61)
    flags = table.told("flag")
    assert [(flag.data["player"], flag.data["n"], flag.data["fallen"]) for flag in flags] == [("North", 2, True)]
    assert table.view is not None
    assert table.view.clock is not None
    assert table.view.clock.fallen == ("North",)
    table.play("c5-c4")
    assert table.texts() == ["c1-c2", "c5-c4"]
    assert table.view.phase == "play"
    assert table.view.clock.fallen == ("North",)  # it stays down
    assert not table.told("game_over", "illegal")


def test_a_flag_that_a_correction_puts_up_again_is_told() -> None:
    table = begun()
    table.play("c5-c4", hold=0)
    until(table, "turn")
    table.wait(65)
    assert [flag.data["player"] for flag in table.told("flag")] == ["South"]
    table.play("c4-c5")  # North had not finished thinking
    assert [(flag.data["player"], flag.data["fallen"]) for flag in table.told("flag")[1:]] == [
        ("South", False),
        ("North", True),
    ]


def test_each_turn_its_time() -> None:
    table = begun(EACH)
    table.wait(9)
    assert left(table) == {"South": 10.0, "North": 1.0}
    table.play("c5-c4")
    assert left(table)["North"] == 10.0
    table.wait(12)
    assert [(flag.data["player"], flag.data["n"]) for flag in table.told("flag")] == [("South", 3)]
    table.play("d1-e2")
    table.wait(12)
    assert [(flag.data["player"], flag.data["n"]) for flag in table.told("flag")] == [("South", 3), ("North", 4)]


def test_who_must_reply_to_a_push_thinks() -> None:
    """Taasen: the attacker's part is over when the reply is owed."""
    position = "RT=7 RS=10 RP=9 GT=15 GP=12 GS=8 WT=2 WS=0 WP=0 G - -"
    table = clocked(kind=TaasenTable, start_mode=position)
    assert isinstance(table, TaasenTable)
    table.lay(position)
    table.wait(1.5)
    table.play("GS=14")
    table.wait(5)
    table.play("RS=11", hold=0)
    until(table, "obligation")
    attacked = left(table)
    table.wait(6)
    assert left(table) == {"Red": attacked["Red"], "Green": attacked["Green"] - 6}
    table.play("RS=10")  # Red takes the push back: it was Red who was thinking
    table.wait(1)
    assert left(table)["Green"] == attacked["Green"]
    assert left(table)["Red"] < attacked["Red"] - 6
    table.play("RS=11")
    table.wait(4)
    green = left(table)["Green"]
    again = TaasenTable(state=reducer.resume(table.game, "taasen", Timing(), rows(table)))  # a power cut
    again.at = dict(table.at)
    again.wait(1)
    assert again.state.clock is not None
    assert [span.player for span in again.state.clock.spans] == ["Green", "Red"]
    table.play("GP=6")  # the sea is no answer; it is still Green who thinks
    assert table.told("illegal")
    assert left(table)["Red"] == left(again)["Red"]
    assert left(table)["Green"] < green
    green = left(table)["Green"]
    table.play("GP=5", hold=0)
    until(table, "turn")
    assert table.told("turn")[1].data["text"] == "RS=11>GP=5"
    answered = left(table)
    assert answered["Green"] < green
    assert table.state.clock is not None
    assert [span.player for span in table.state.clock.spans] == ["Green", "Red", "Green"]
    table.wait(3)
    assert left(table) == {"Red": answered["Red"], "Green": answered["Green"] - 3}  # and now it moves


def test_done_passes_the_clock_at_once() -> None:
    table = clocked(kind=TransferTable, start_mode=f"{P0} S 0-0")
    assert isinstance(table, TransferTable)
    table.show(P0)
    table.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/bvp", south="o", hold=1)
    table.show("sgy/bvpo/sgyb/vpos/gybv/posg/ybvp/osgy/obvp", hold=0.3)
    table.press("South")
    table.see()
    assert table.view is not None
    assert table.view.clock is not None
    assert table.view.clock.runs == "North"


def rows(table: Table) -> list[dict[str, object]]:
    told = [{**event.as_json(), "internal": event.internal} for event in table.events]
    return [json.loads(json.dumps(row)) for row in told]


def test_after_a_power_cut_it_goes_on_from_the_last_row_once_the_board_is_checked() -> None:
    table = begun()
    table.wait(3)
    table.play("c5-c4")
    table.wait(45)
    then = left(table)
    later = Table(state=reducer.resume(TRANSET, "transet", Timing(), rows(table)))
    later.on = dict(table.on)
    assert left(later)["North"] == then["North"]
    assert then["South"] <= left(later)["South"] <= then["South"] + 30
    shown = left(later)
    later.see(hand=True)
    later.wait(3, hand=True)
    assert stop(later) == "check"
    assert left(later) == shown
    later.wait(1)
    assert stop(later) == ""
    later.wait(5)
    assert left(later)["South"] < shown["South"] - 4
    later.play("d1-e2")
    assert later.told("turn")[0].data["clock"]["North"] == then["North"]


def test_a_new_game_has_a_new_clock() -> None:
    table = begun()
    table.wait(30)
    table.command("new_game")
    table.see()
    assert table.view is not None
    assert table.view.clock is None
    table.begin()
    assert left(table) == {"South": 60.0, "North": 60.0}
    assert stop(table) == "first"


class Timed(Sitting):
    """A sloppy table whose clock is watched at each step."""

    def __init__(self, name: str, seed: int, rules: ClockRules = FISCHER) -> None:
        super().__init__(game_named(name), seed, Report())
        self.state = replace(self.state, clock_rules=rules)
        self.rows: list[dict[str, object]] = []
        self.replies = self.corrections = self.flags = 0

    def take(self, item: object) -> None:
        before, clock = self.state, self.state.clock
        step = reduce(before, item)  # type: ignore[arg-type]
        super().take(item)  # type: ignore[arg-type]
        self.rows += [{**event.as_json(), "internal": event.internal} for event in step.events]
        self.flags += sum(event.event == "flag" for event in step.events)
        now = step.state.clock
        assert step.view.clock is None or now is not None
        if now is None:
            return
        sound(now)
        if clock is None or clock.game_no != now.game_no:
            return
        corrected = clock.turns != now.turns or clock.spans != now.spans
        self.corrections += corrected
        for player in now.players:
            if not corrected:
                assert now.left_ms(player) <= clock.left_ms(player)
            if not corrected and clock.stop not in ("", "settling"):
                assert now.left_ms(player) == clock.left_ms(player)
        spans = now.spans
        self.replies += len(spans) > 1 and corrected and spans[-1].n > len(now.turns)
        assert now.at_ms - clock.at_ms >= 0

    def play(self, turns: int) -> int:
        evening(manners_at(self), turns)
        return self.replies


def sound(clock: PlayClock) -> None:
    """What must hold of a clock at any moment."""
    assert clock.counted_ms + clock.held_ms + clock.nobody_ms == clock.at_ms - clock.began_ms
    assert min(clock.counted_ms, clock.held_ms, clock.nobody_ms) >= 0
    marks = [0, *(span.until_ms for span in clock.spans), clock.counted_ms]
    assert marks == sorted(marks)
    assert [span.n for span in clock.spans] == sorted(span.n for span in clock.spans)
    assert all(span.n <= clock.open_turn for span in clock.spans)
    if clock.side is not None:
        assert sum(clock.used_ms(player) for player in clock.players) == clock.counted_ms


@pytest.mark.parametrize(("name", "seed"), [("transet", 3), ("taasen", 5), ("transfer", 1)])
def test_at_a_sloppy_table_no_time_is_lost_and_none_runs_backwards(name: str, seed: int) -> None:
    table = Timed(name, seed, replace(FISCHER, main_s=8))
    table.play(14)
    assert table.corrections >= 12
    assert table.flags
    assert table.state.clock is not None
    again = reducer.resume(table.game, table.game.name, Timing(), table.rows)
    assert again.clock is not None
    assert again.clock.spans == table.state.clock.spans
    assert again.clock.turns == table.state.clock.turns
    assert 0 <= table.state.clock.counted_ms - again.clock.counted_ms <= 30_000


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("time"), st.integers(0, 5000)),
        st.tuples(st.just("stop"), st.sampled_from(["", "settling", "blind", "question"])),
        st.tuples(st.just("turn"), st.booleans()),
        st.tuples(st.just("back"), st.booleans()),
        st.tuples(st.just("again"), st.booleans()),
        st.tuples(st.just("hand"), st.sampled_from(["A", "B"])),
    ),
    max_size=40,
)


@settings(max_examples=150)
@given(STEPS)
def test_whatever_happens_every_millisecond_is_somebodys_or_nobodys(steps: list[tuple[str, object]]) -> None:
    clock = PlayClock(FISCHER, ("A", "B"), 1, 0, 0)
    t_ms = 0
    chance = random.Random(len(steps))
    for name, value in steps:
        if name == "time":
            t_ms += int(value)  # type: ignore[call-overload]
            clock = clock.advanced(t_ms)
        elif name == "stop":
            clock = clock.stopped(value)  # type: ignore[arg-type]
        elif name == "hand":
            clock = clock.handed(str(value))
        else:
            turns = clock.turns
            if name == "turn":
                mover = chance.choice(["A", "B", None])
                clock = clock.turned((*turns, mover), len(turns), by_word=bool(value))
            elif turns and name == "back":
                keep = chance.randrange(len(turns))
                clock = clock.turned(turns[:keep], keep, by_word=bool(value))
            elif turns:
                same = chance.randrange(len(turns))
                clock = clock.turned(turns, same, by_word=bool(value))
            clock = replace(clock, side=chance.choice(["A", "B"]))
        sound(clock)
        assert set(clock.fallen) <= {"A", "B"}


def test_brief_knows_flags() -> None:
    table = begun()
    table.wait(61)
    assert "flag" in brief(table.told())
