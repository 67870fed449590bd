"""The set that a recorded game is drawn with."""

from __future__ import annotations

from controller.drawing.layout import Layout
from controller.fit import check_fit
from controller.journal.fold import Record
from controller.rules.api import Game, RulesError
from controller.rules.registry import game_named
from vision.boardset import BoardSet, installed_sets


def game_of(record: Record) -> Game:
    """The game with the options it was played under. RulesError where it is not installed here."""
    if record.game is None:
        raise RulesError("the record does not say which game it was")
    game = game_named(record.game)
    return game.with_options(record.options) if record.options else game


def layout_for(record: Record, game: Game, own: BoardSet | None = None) -> Layout | None:
    """The set it was played on, or another one of this game; `own`: one that is not installed. None where none fits."""
    installed = installed_sets()
    named = installed.get(record.set or "")
    for board in (own, named, *installed.values()):
        if board is None:
            continue
        try:
            check_fit(board, game)
        except RulesError:
            continue
        return Layout(board)
    return None
