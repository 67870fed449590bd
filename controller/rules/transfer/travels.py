"""Where each piece of a turn went, for the marks of the last turn."""

from __future__ import annotations

from controller.rules.api import Shift, Site
from controller.rules.transfer.board import KIND_OF, ROWS, TransferTurn
from controller.rules.transfer.picture import CELLS
from controller.rules.transfer.strokes import GAP, Law, Stage, moved, view

_NAMES = [chr(0xE000 + n) for n in range(64)]  # a letter for each piece, so that like colours can be told apart


def travels(law: Law, rows: tuple[str, ...], turn: TransferTurn) -> tuple[Shift, ...]:
    """Every piece that was on a platform, in the order in which it first came onto one."""
    origin: dict[str, tuple[str, Site]] = {}  # the piece's own name -> its colour and where it lay
    named = []
    for row, line in zip(ROWS, rows, strict=True):
        letters = ""
        for index, letter in enumerate(line):
            if letter != GAP:
                name = _NAMES[len(origin)]
                origin[name] = letter, CELLS[row][index]
                letter = name
            letters += letter
        named.append(letters)
    stage = Stage(view(law, tuple(named), turn.player))
    order: dict[str, None] = {}
    for stroke in turn.strokes:
        stage = moved(law, stage, stroke)
        order |= dict.fromkeys(reversed(stage.own)) | dict.fromkeys(reversed(stage.other))
    where = _sites(view(law, stage.rows, turn.player))
    return tuple(Shift(KIND_OF[origin[name][0]], origin[name][1], where.get(name)) for name in order)


def _sites(rows: tuple[str, ...]) -> dict[str, Site]:
    return {
        name: CELLS[row][index]
        for row, line in zip(ROWS, rows, strict=True)
        for index, name in enumerate(line)
        if name != GAP
    }
