"""The players' clock follows the referee: whose time it is, when it stands still, and what of it is written.

It is driven by what the referee believes, so no game needs a rule for it: the side to move is thinking, and within a
turn whoever owes the next act (the reply to a push). "Done" needs none either: what it ends, the belief shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from controller.referee.events import Command, Input
from controller.referee.lines import Done
from controller.referee.playclock import ClockRules, PlayClock, Span, Stop
from controller.referee.state import Draft, State
from controller.referee.view import ClockView, View
from controller.referee.viewing import view_of
from controller.rules.api import Player

EVERY_MS = 30_000
"""A power cut costs the clock at most so much."""


def follow_clock(draft: Draft, before: State, given: Input) -> None:
    """Account for the time since the last input, and for what this one has changed."""
    state = draft.state
    if state.game_no != before.game_no:
        draft.set(clock=_begun(state))
        if draft.state.clock is not None:
            draft.emit("clock", {"rules": asdict(state.clock_rules)}, internal=True)
    if not state.lines and state.clock is not None:
        draft.set(clock=None)  # the game was left as it is
    clock = draft.state.clock
    if clock is None or (clock.stop == "over" and state.phase == "over" and before.phase == "over"):
        return
    view = view_of(draft.state)
    old = clock
    clock = replace(clock.advanced(round(state.t_s * 1000)), checked=_checked(clock, state))
    turns = tuple(None if done.played.passed else done.played.player for done in state.published)
    side = _side(view)
    known = before.published if state.game_no == before.game_no else ()
    if state.published != known:
        last = len(turns)
        clock = clock.turned(
            turns,
            _common(known, state.published),
            by_word=isinstance(given, Command),
            only_again=0 < last <= len(known) and known[last - 1].played == state.published[last - 1].played,
        )
        clock = replace(clock, side=side or clock.side)
    elif side is not None and clock.checked and not _in_doubt(view):
        clock = clock.handed(side)
    clock = clock.stopped(_stop(clock, state, view))
    draft.set(clock=clock)
    _tell(draft, old, clock)


def clock_view(clock: PlayClock | None) -> ClockView | None:
    """What screens need of it: it changes only when something happens, not with the time."""
    if clock is None:
        return None
    left_ms = {player: clock.left_ms(player) for player in clock.players}
    runs = clock.side if clock.stop == "" else None
    return ClockView(
        kind=clock.rules.kind,
        left_ms={player: left for player, left in left_ms.items() if player != runs},
        runs=runs,
        ends_ms=clock.at_ms + left_ms[runs] if runs is not None else 0,
        stop=clock.stop,
        fallen=clock.fallen,
    )


def _begun(state: State) -> PlayClock | None:
    if state.clock_rules.kind == "none":
        return None
    now_ms = round(state.t_s * 1000)
    return PlayClock(state.clock_rules, state.game.players, state.game_no, now_ms, now_ms)


def _common(known: tuple[Done, ...], now: tuple[Done, ...]) -> int:
    same = 0
    for one, other in zip(known, now, strict=False):
        if one != other:
            break
        same += 1
    return same


def _in_doubt(view: View) -> bool:
    """Whether what is owed is not known now, though it may be owed all the same."""
    return bool(view.offence or view.question or view.rearranging or view.guiding or view.paused)


def _side(view: View) -> Player | None:
    """Who must act: whoever owes something, else the side to move."""
    return view.owed[0].player if view.owed else view.to_move


def _checked(clock: PlayClock, state: State) -> bool:
    """Whether the board has been explained since the table came back, or went on after a pause."""
    if state.paused:
        return False
    return clock.checked or (state.eyes.found and state.seen.gap_s == 0.0)


def _stop(clock: PlayClock, state: State, view: View) -> Stop:
    """Why the clock stands still now: nobody's time runs while the referee can't see, asks, or waits for people."""
    offender = view.offence.player if view.offence is not None else None
    order: tuple[tuple[Stop, bool], ...] = (
        ("over", state.phase == "over"),
        ("paused", state.paused),
        ("blind", view.trouble not in (None, "hand") or view.board_moved or not state.eyes.found),
        ("setup", state.phase != "play" or view.rearranging or view.guiding),
        ("check", not clock.checked),
        ("question", bool(view.question)),
        ("first", not clock.turns),
        ("unknown", clock.side is None or _side(view) is None),
        ("illegal", offender is not None and offender != clock.side),  # whoever must put it right pays for it
        ("settling", view.seen and not view.hand),
    )
    return next((stop for stop, holds in order if holds), "")


def _tell(draft: Draft, old: PlayClock, clock: PlayClock) -> None:
    """Write flags that have fallen, or were put up again by a correction, and what a restart needs."""
    for player in clock.players:
        if (player in clock.fallen) != (player in old.fallen) and clock.game_no == old.game_no:
            if clock.rules.kind == "turn" and clock.turns != old.turns and player not in clock.fallen:
                continue  # a new turn, not a correction
            fell = player in clock.fallen
            draft.emit("flag", {"player": player, "n": clock.open_turn, "fallen": fell})
    turned = clock.spans != old.spans or clock.turns != old.turns
    waits = {clock.stop, old.stop} <= {"", "settling"}
    due = clock.counted_ms // EVERY_MS != old.counted_ms // EVERY_MS
    if turned or (clock.stop != old.stop and not waits) or due:
        same = sum(one == other for one, other in zip(old.spans, clock.spans, strict=False))
        if clock.turns != old.turns:
            draft.events[:] = [
                replace(event, data={**event.data, "clock": _left(clock)}) if event.event in ("turn", "pass") else event
                for event in draft.events
            ]
        draft.emit(
            "clock",
            {
                "counted_ms": clock.counted_ms,
                "nobody_ms": clock.nobody_ms,
                "kept": same,
                "spans": [[span.n, span.player, span.until_ms] for span in clock.spans[same:]],
                "side": clock.side,
                "left": _left(clock),
            },
            internal=True,
        )


def _left(clock: PlayClock) -> dict[Player, float]:
    """Seconds left by player."""
    return {player: clock.left_ms(player) / 1000 for player in clock.players}


def clock_of(state: State, rows: Sequence[Mapping[str, Any]]) -> PlayClock | None:
    """The clock that a game's journalled rows lead to. It stands still until the board has been checked."""
    clock: PlayClock | None = None
    for row in rows if state.lines else ():
        if row["event"] != "clock" or int(row.get("game_no", 0)) != state.game_no:
            continue
        if "rules" in row:
            clock = PlayClock(ClockRules(**row["rules"]), state.game.players, state.game_no, 0, 0)
        elif clock is not None:
            spans = tuple(Span(int(n), str(player), int(until)) for n, player, until in row["spans"])
            counted, nobody = int(row["counted_ms"]), int(row["nobody_ms"])
            clock = replace(clock, counted_ms=counted, nobody_ms=nobody, spans=(*clock.spans[: row["kept"]], *spans),
                            side=row["side"], began_ms=-counted - nobody)  # fmt: skip
    if clock is None:
        return None
    turns = tuple(None if done.played.passed else done.played.player for done in state.published)
    return replace(clock, turns=turns, stop="over" if state.phase == "over" else "check", checked=False)
