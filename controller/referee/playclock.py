"""A chess clock as a ledger: whose time went where, in whole milliseconds. Knows no rules, and no machine's clock.

Time that counts runs on one line (`counted_ms`) and is given to the players in spans, one after the other; a turn that
is taken back or changed only moves the marks between the spans, so a clock can always be put right. Time that counts
for nobody stands beside it, and what is held: a turn that lies settling, until it is known whether it was one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from controller.rules.api import Player

ClockKind = Literal["none", "turn", "fischer"]
Stop = Literal[
    "", "settling", "first", "unknown", "question", "illegal", "check", "setup", "blind", "paused", "over",
]  # fmt: skip
"""Why a clock stands still; "": it runs."""


@dataclass(frozen=True)
class ClockRules:
    """`turn`: each turn has `turn_s`. `fischer`: `main_s` for the game and `increment_s` more after each turn."""

    kind: ClockKind = "none"
    main_s: float = 600.0
    increment_s: float = 5.0
    turn_s: float = 60.0


NO_CLOCK = ClockRules()


@dataclass(frozen=True)
class Span:
    """A player's part of turn `n`: from the span before up to this moment of counted time."""

    n: int
    player: Player
    until_ms: int


@dataclass(frozen=True)
class PlayClock:
    """The clock of game `game_no`. `turns`: whose turns stand (None: a pass); `side`: whose time it is now.

    `at_ms`: table time up to which everything is accounted for; `checked`: the board has been seen to be the game's.
    """

    rules: ClockRules
    players: tuple[Player, Player]
    game_no: int
    began_ms: int
    at_ms: int
    turns: tuple[Player | None, ...] = ()
    spans: tuple[Span, ...] = ()
    counted_ms: int = 0
    held_ms: int = 0
    nobody_ms: int = 0
    side: Player | None = None
    stop: Stop = "first"
    checked: bool = True

    @property
    def open_turn(self) -> int:
        """The number of the turn that is being made."""
        return len(self.turns) + 1

    def advanced(self, at_ms: int) -> PlayClock:
        """The clock at that moment, nothing having happened since."""
        passed_ms = max(0, at_ms - self.at_ms)
        if self.stop == "":
            return replace(self, at_ms=self.at_ms + passed_ms, counted_ms=self.counted_ms + passed_ms)
        if self.stop == "settling":
            return replace(self, at_ms=self.at_ms + passed_ms, held_ms=self.held_ms + passed_ms)
        return replace(self, at_ms=self.at_ms + passed_ms, nobody_ms=self.nobody_ms + passed_ms)

    def turned(
        self, turns: tuple[Player | None, ...], same: int, *, by_word: bool, only_again: bool = False
    ) -> PlayClock:
        """The record has changed after its first `same` turns. `by_word`: by an operator, not on the board.

        `only_again`: the last turn stands as it did and is written again for an earlier one's sake.

        Who takes back a turn on the board has been thinking all the time: it goes to that side. An operator puts the
        clocks back as they were.
        """
        before, now = len(self.turns), len(turns)
        spans = [span for span in self.spans if span.n <= same]
        if now > same:
            for n in range(same + 1, now + 1):
                kept = n <= before and (by_word or only_again or n < now)
                spans += self._spans_of(n, turns[n - 1], kept)
            done = replace(self, turns=turns, spans=tuple(spans))
            return done._let_go()
        until_ms = spans[-1].until_ms if spans else 0
        back = replace(self, turns=turns, spans=tuple(spans))
        if not by_word:
            return back._given()
        lost_ms = self.counted_ms - until_ms
        return replace(back, counted_ms=until_ms, nobody_ms=self.nobody_ms + lost_ms)._let_go()

    def _spans_of(self, n: int, player: Player | None, kept: bool) -> list[Span]:
        """The spans of a turn that is new or written again; `kept`: it took no longer for that. A pass has none."""
        own = [span for span in self.spans if span.n == n]
        if player is None:
            return []
        if own and kept:
            return [replace(own[0], player=player)] if len(own) == 1 else own
        if n <= len(self.turns) and own:  # finished or changed after it had been taken for complete
            return [*own[:-1], replace(own[-1], until_ms=self.counted_ms)]
        return [*own, Span(n, (self.side if own else None) or player, self.counted_ms)]

    def handed(self, side: Player) -> PlayClock:
        """Within a turn it is the other side's to act, or the first one's again, whose act was then taken back."""
        if self.side is None or side == self.side:
            return replace(self, side=side)
        last = self.spans[-1] if self.spans else None
        if last is not None and last.n == self.open_turn and last.player == side:
            return replace(self._given(), spans=self.spans[:-1], side=side)
        part = Span(self.open_turn, self.side, self.counted_ms)
        return replace(self._let_go(), spans=(*self.spans, part), side=side)

    def stopped(self, stop: Stop) -> PlayClock:
        """Why it stands still from now on, or that it runs."""
        clock = self._given() if self.stop == "settling" and stop != "settling" else self
        return clock if clock.stop == stop else replace(clock, stop=stop)

    def _given(self) -> PlayClock:
        """What was held has been thinking time."""
        return replace(self, counted_ms=self.counted_ms + self.held_ms, held_ms=0) if self.held_ms else self

    def _let_go(self) -> PlayClock:
        """What was held was the referee's own waiting."""
        return replace(self, nobody_ms=self.nobody_ms + self.held_ms, held_ms=0) if self.held_ms else self

    def used_ms(self, player: Player, n: int | None = None) -> int:
        """How much of the counted time was this player's; in one turn, where named."""
        used = since = 0
        for span in self._all_spans():
            if span.player == player and n in (None, span.n):
                used += span.until_ms - since
            since = span.until_ms
        return used

    def left_ms(self, player: Player) -> int:
        """What is left: of the game's time, or of the turn's. Below 0 once it is used up."""
        if self.rules.kind == "turn":
            return _ms(self.rules.turn_s) - self.used_ms(player, self.open_turn)
        added = _ms(self.rules.increment_s) * self.turns.count(player)
        return _ms(self.rules.main_s) + added - self.used_ms(player)

    @cached_property
    def fallen(self) -> tuple[Player, ...]:
        """Whose flag has fallen: in this turn, or at any time in this game as its record stands now.

        Kept: it is asked for several times at each picture, and goes through the whole game.
        """
        if self.rules.kind == "turn":
            return tuple(player for player in self.players if self.left_ms(player) <= 0)
        increment_ms = _ms(self.rules.increment_s)
        left = dict.fromkeys(self.players, _ms(self.rules.main_s))
        fallen: set[Player] = set()
        since, spans = 0, self._all_spans()
        for i, span in enumerate(spans):
            left[span.player] -= span.until_ms - since
            since = span.until_ms
            if left[span.player] <= 0:
                fallen.add(span.player)
            if span.n <= len(self.turns) and (i + 1 == len(spans) or spans[i + 1].n != span.n):
                left[self.turns[span.n - 1] or span.player] += increment_ms
        return tuple(player for player in self.players if player in fallen)

    def _all_spans(self) -> tuple[Span, ...]:
        """With the one that is not over yet."""
        if self.side is None:
            return self.spans
        return (*self.spans, Span(self.open_turn, self.side, self.counted_ms))


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
