"""A line: one history that explains the table. The last two turns of it may still be changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from controller.referee.view import Played
from controller.rules.api import Game, Player, Position, Shift, Turn

Anchors = tuple[tuple[int, Position], ...]
"""From where a game goes on, as (after how many turns, position): 0 is where it began; then what was set or asked."""

OPEN_TURNS = 2  # a turn may be extended until the turn after the next is complete


@dataclass(frozen=True)
class Done:
    """One turn of a record: as published, with the position after it as text."""

    played: Played
    position: str

    @property
    def n(self) -> int:
        """The turn's number in its game."""
        return self.played.n


@dataclass(frozen=True)
class Step:
    """A turn that is still open, with the position before it. `rows` of the record: itself, and a pass forced by it."""

    before: Position
    turn: Turn
    rows: int = 1


@dataclass(frozen=True)
class Line:
    """`record`: every turn of the game so far; the last ones, `steps`, are open. `position`: where it came to.

    `weak`: a less likely line (what stands would be only on the way from it, or two quick turns). Weak lines are kept,
    for later pictures may leave nothing else, but neither shown nor asked about. `lingering`: pieces that its turns
    crushed and that nobody has taken off yet; such a line is not believed before they are gone.
    """

    position: Position
    record: tuple[Done, ...] = ()
    steps: tuple[Step, ...] = ()
    weak: bool = False
    lingering: tuple[Shift, ...] = ()

    def then(self, game: Game, turn: Turn) -> Line:
        """This line with one more turn, and with the pass of a side that then has none."""
        after = game.after(self.position, turn)
        played = Played(
            n=self.record[-1].n + 1 if self.record else 1,
            player=game.to_move(self.position) or game.players[0],
            text=game.turn_text(self.position, turn),
            shifts=game.turn_shifts(self.position, turn),
        )
        steps = (*self.steps, Step(self.position, turn))[-OPEN_TURNS:]
        # Nothing reopens a finished game.
        closed = () if game.outcome(after) is not None else steps
        record = (*self.record, Done(played, game.position_text(after)))
        return Line(after, record, closed, lingering=self.lingering).passed(game)

    def passed(self, game: Game) -> Line:
        """This line, and if the side to move has no legal turn, its pass."""
        player = game.to_move(self.position)
        turn = game.forced_pass(self.position) if player is not None else None
        if player is None or turn is None:
            return self
        after = game.after(self.position, turn)
        n = self.record[-1].n + 1 if self.record else 1
        played = Played(n, player, game.turn_text(self.position, turn), passed=True)
        last = tuple(replace(step, rows=step.rows + 1) for step in self.steps[-1:])
        return replace(
            self,
            position=after,
            record=(*self.record, Done(played, game.position_text(after))),
            steps=(*self.steps[:-1], *last),
        )

    def back(self) -> Line:
        """This line without its last turn, which must be open."""
        last = self.steps[-1]
        return Line(last.before, self.record[: -last.rows], self.steps[:-1], lingering=self.lingering)

    @property
    def open_rows(self) -> int:
        """How many rows at the end of the record are open."""
        return sum(step.rows for step in self.steps)

    def as_stage(self) -> Line:
        """This line, as a less likely one."""
        return replace(self, weak=True)

    def closed(self) -> Line:
        """This line with nothing left to change."""
        return replace(self, steps=(), weak=False, lingering=())

    def moved_on(self, position: Position) -> Line:
        """The same record, going on from another position (the thread was lost, or an operator set it)."""
        return Line(position, self.record)

    def just_moved(self, game: Game) -> Player | None:
        """Whose turn the last one was, if it is still open."""
        return game.to_move(self.steps[-1].before) if self.steps else None


def same_history(one: Line, other: Line) -> bool:
    """Both lines say the same, however strongly."""
    return one.position == other.position and one.record == other.record


def without_repeats(lines: list[Line]) -> tuple[Line, ...]:
    """Each history once; the strongest mention stays. Strong lines come first, otherwise the order is kept."""
    kept: list[Line] = []
    for line in sorted(lines, key=lambda line: line.weak):
        if not any(same_history(line, known) for known in kept):
            kept.append(line)
    return tuple(kept)


@lru_cache(maxsize=512)
def longer_turns(game: Game, position: Position, turn: Turn) -> tuple[Turn, ...]:
    """The turns of `game` that pass through what stands after `turn`."""
    stood = game.picture(game.after(position, turn)).on
    return tuple(
        other
        for other in game.legal_turns(position)
        if other != turn and any(stage.on == stood for stage in game.stages(position, other))
    )


def extensions(game: Game, line: Line) -> list[Line]:
    """The last turn but one extended and the last one kept (a swap finished after the reply)."""
    if len(line.steps) < 2 or not game.tries_two_turns:
        return []
    first, reply = line.steps[-2], line.steps[-1]
    found = []
    before = Line(first.before, line.record[:-2])
    reply_text = line.record[-1].played.text
    for turn in longer_turns(game, first.before, first.turn):
        longer = before.then(game, turn)
        if not longer.steps:
            continue
        for again in game.legal_turns(longer.position):
            if again == reply.turn or game.turn_text(longer.position, again) == reply_text:
                found.append(longer.then(game, again))
                break
    return found
