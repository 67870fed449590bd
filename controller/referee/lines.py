"""A line: one history that explains the table. The last two turns of it may still be changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from controller.referee.view import Played
from controller.rules.api import Game, Player, Position, Turn

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
    """A turn that is still open, with the position before it."""

    before: Position
    turn: Turn


@dataclass(frozen=True)
class Line:
    """`record`: every turn of the game so far; the last `len(steps)` of them are open. `position`: where it came to.

    `weak`: a less likely line (what stands would be only on the way from it, or two quick turns). Weak lines are kept,
    for later pictures may leave nothing else, but neither shown nor asked about.
    """

    position: Position
    record: tuple[Done, ...] = ()
    steps: tuple[Step, ...] = ()
    weak: bool = False

    def then(self, game: Game, turn: Turn) -> Line:
        """This line with one more turn."""
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
        return Line(after, (*self.record, Done(played, game.position_text(after))), closed)

    def back(self) -> Line:
        """This line without its last turn, which must be open."""
        return Line(self.steps[-1].before, self.record[:-1], self.steps[:-1])

    def as_stage(self) -> Line:
        """This line, as a less likely one."""
        return replace(self, weak=True)

    def closed(self) -> Line:
        """This line with nothing left to change."""
        return replace(self, steps=(), weak=False)

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
def longer_turns(game: Any, position: Position, turn: Turn) -> tuple[Turn, ...]:
    """The turns of `game` that pass through what stands after `turn`."""
    stood = game.picture(game.after(position, turn)).on
    return tuple(
        other
        for other in game.legal_turns(position)
        if other != turn and any(stage.on == stood for stage in game.stages(position, other))
    )


def extensions(game: Game, line: Line) -> list[Line]:
    """The last turn but one extended and the last one kept (a swap finished after the reply)."""
    if len(line.steps) < 2:
        return []
    first, reply = line.steps[-2], line.steps[-1]
    found = []
    before = Line(first.before, line.record[:-2])
    reply_text = line.record[-1].played.text
    rules: Any = game  # instances are immutable and hash by identity
    for turn in longer_turns(rules, first.before, first.turn):
        longer = before.then(game, turn)
        if not longer.steps:
            continue
        for again in game.legal_turns(longer.position):
            if again == reply.turn or game.turn_text(longer.position, again) == reply_text:
                found.append(longer.then(game, again))
                break
    return found
