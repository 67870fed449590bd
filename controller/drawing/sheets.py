"""Diagrams of a record: the last board, any other, or all of them."""

from __future__ import annotations

from controller.drawing.captions import moment_words, result_words, who
from controller.drawing.diagram import Diagram, svg_diagram, svg_sheet
from controller.drawing.layout import Layout
from controller.drawing.moments import Moment, moments
from controller.journal.fold import Record
from controller.rules.api import Game


class NoBoard(ValueError):
    """The record has no such board; the text says which it has."""


def title(record: Record, game: Game, language: str) -> str:
    """Game, day and players in one line."""
    day = (record.begun_utc or "")[:10]
    return " · ".join(part for part in (game.name.capitalize(), day, who(record, game.players, language)) if part)


def board_svg(record: Record, game: Game, layout: Layout, language: str, n: int | None = None) -> str:
    """The board after turn `n`; the last one, with the result, where left out. NoBoard where there is none."""
    shown = [moment for moment in moments(record, game) if moment.kind != "illegal"]
    found = [moment for moment in shown if n is None or moment.n == n]
    if not found:
        raise NoBoard(f"there is no turn {n}; the last one is {shown[-1].n}" if shown else "it has no board yet")
    last = found[-1] is shown[-1]
    return svg_diagram(layout, _diagram(found[-1], record, language, last), title(record, game, language))


def sheet_svg(record: Record, game: Game, layout: Layout, language: str) -> str:
    """Every board of the game on one sheet, illegal placements among them."""
    shown = moments(record, game)
    if not shown:
        raise NoBoard("it has no board yet")
    boards = [_diagram(moment, record, language, moment is shown[-1]) for moment in shown]
    return svg_sheet(layout, boards, title(record, game, language))


def _diagram(moment: Moment, record: Record, language: str, last: bool) -> Diagram:
    caption, note = moment_words(moment, record, language)
    if last and record.result is not None:
        head, _ = result_words(record, language)
        note = " · ".join(part for part in (head, note) if part)
    return Diagram(dict(moment.on), moment.marked, caption, note, moment.kind == "illegal")
