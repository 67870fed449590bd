"""Counting lines of turns: the check of a generator against known numbers."""

from __future__ import annotations

from collections.abc import Iterator

from controller.rules.api import Game, Position


def perft(game: Game, position: Position, depth: int) -> int:
    """Lines of exactly `depth` turns; finished games are not extended."""
    if depth == 0:
        return 1
    if depth == 1:
        return sum(1 for _ in game.legal_turns(position))
    return sum(perft(game, game.after(position, turn), depth - 1) for turn in game.legal_turns(position))


def divide(game: Game, position: Position, depth: int) -> Iterator[tuple[str, int]]:
    """The same, split by the first turn: its canonical text and its count."""
    for turn in game.legal_turns(position):
        yield game.turn_text(position, turn), perft(game, game.after(position, turn), depth - 1)
