"""A recorded game as the replay page is told it: every board, and the list of what happened, in one language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.drawing.captions import (
    illegal_sentence,
    moment_words,
    result_words,
    ruling_words,
    side,
    took_text,
    who,
    word,
)
from controller.drawing.layout import Layout
from controller.drawing.moments import Moment, moments
from controller.drawing.sets import game_of, layout_for
from controller.journal.fold import Record
from controller.rules.api import Game, RulesError, Shift
from controller.web.phrases import name_of
from vision.boardset import BoardSet


def replay_json(number: int, record: Record, language: str, own: BoardSet | None) -> dict[str, Any]:
    """`boards` in order, `list` what happened with the index of its board; both may be read without drawing any."""
    try:
        game: Game | None = game_of(record)
        boards = moments(record, game) if game is not None else ()
    except RulesError:
        game, boards = None, ()
    layout = layout_for(record, game, own) if game is not None else None
    head, why = result_words(record, language)
    return {
        "number": number,
        "game": record.game,
        "begun": record.begun_utc,
        "clock_synchronised": record.begun_clock_synchronised,
        "midgame": record.begun == "midgame",
        "imported": record.imported.get("utc") if record.imported is not None else None,
        "players": [_player(one, record, game, layout, language) for one in (game.players if game else record.players)],
        "result": {"over": record.result is not None, "head": head, "why": why},
        "position": record.position,
        "set": _geometry(layout) if layout is not None else None,
        "boards": [_board(one, record, layout, language) for one in boards] if layout is not None else [],
        "list": _list(record, boards, language),
    }


def _player(player: str, record: Record, game: Game | None, layout: Layout | None, language: str) -> dict[str, Any]:
    kinds = []
    if game is not None and layout is not None:
        names = layout.board.names
        kinds = [kind for kind in layout.board.kinds if game.owner(names.get(kind, kind)) == player]
    return {
        "id": player,
        "side": name_of(player, language),
        "name": side(record, player, language),
        "kind": kinds[-1] if kinds else None,
    }


def _geometry(layout: Layout) -> Mapping[str, Any]:
    name = layout.board.name
    return {**layout.geometry, "art": f"/sets/{name}.svg", "faces": f"/sets/{name}/token.svg?kind="}


def _board(moment: Moment, record: Record, layout: Layout, language: str) -> dict[str, Any]:
    caption, note = moment_words(moment, record, language)
    illegal = moment.illegal
    own = layout.own
    return {
        "key": f"{moment.n}",
        "n": moment.n,
        "kind": moment.kind,
        "caption": caption,
        "note": note,
        "pieces": [
            [own(site), own(kind), name_of(kind, language)]
            for site, kinds in sorted(moment.on.items())
            for kind in kinds
        ],
        "moves": [_shift(shift, layout) for shift in moment.shifts],
        "marked": [_shift(shift, layout) for shift in moment.marked],
        "fault": [own(site) for site in illegal.sites] if illegal is not None else [],
        "to_move": moment.to_move,
        "score": list(moment.score) if moment.score is not None else None,
    }


def _shift(shift: Shift, layout: Layout) -> dict[str, str | None]:
    ends = (layout.own(site) if site is not None else None for site in (shift.origin, shift.to))
    return dict(zip(("piece", "from", "to"), (layout.own(shift.piece), *ends), strict=True))


def _list(record: Record, boards: tuple[Moment, ...], language: str) -> list[dict[str, Any]]:
    """What happened, in order: turns, illegal placements, rulings, the result."""
    at = {id(moment.turn): index for index, moment in enumerate(boards) if moment.turn is not None}
    wrong = {id(moment.illegal): index for index, moment in enumerate(boards) if moment.illegal is not None}
    set_to = {moment.n: index for index, moment in enumerate(boards) if moment.kind == "set"}
    told: list[dict[str, Any]] = []

    def between(n: int) -> None:
        for illegal in (one for one in record.illegal if one.n == n):
            head = word("illegal_of", language, player=side(record, illegal.player, language))
            told.append(_entry("illegal", n, wrong.get(id(illegal)), head, illegal_sentence(illegal, language)))
        for ruling in (one for one in record.rulings if one.n == n and one.what != "accepted"):
            board = set_to.get(n) if ruling.what == "position" else None
            told.append(_entry("ruling", n, board, ruling_words(ruling, record, language), ""))

    start = word("midgame" if record.begun == "midgame" else "start", language)
    told.append(_entry("start", 0, 0 if boards else None, start, ""))
    between(0)
    last = 0
    for turn in record.turns:
        text = word("passed", language) if turn.passed else turn.text
        note = "" if turn.legal else word("as_played", language)
        entry = _entry("turn", turn.n, at.get(id(turn)), text, note)
        told.append(entry | {"player": turn.player, "took": took_text(turn.took_s, language), "legal": turn.legal})
        between(turn.n)
        last = turn.n
    later = [ruling.n for ruling in record.rulings] + [illegal.n for illegal in record.illegal]
    for n in sorted({n for n in later if n > last}):
        between(n)
    if record.result is not None:
        head, why = result_words(record, language)
        told.append(_entry("result", last, len(boards) - 1 if boards else None, head, why))
    return told


def _entry(kind: str, n: int, board: int | None, head: str, note: str) -> dict[str, Any]:
    return {"kind": kind, "n": n, "board": board, "text": head, "note": note}


def row_json(number: int, record: Record, language: str) -> dict[str, Any]:
    """A game as a line of the list."""
    head, _ = result_words(record, language)
    try:
        players: tuple[str, ...] = game_of(record).players
    except RulesError:
        players = record.players
    timed = [turn.took_s for turn in record.turns if turn.took_s is not None]
    return {
        "number": number,
        "game": (record.game or "?").capitalize(),
        "begun": record.begun_utc,
        "clock_synchronised": record.begun_clock_synchronised,
        "players": who(record, players, language),
        "turns": len(record.turns),
        "took": took_text(sum(timed), language) if timed else "",
        "result": head,
        "over": record.result is not None,
        "illegal": len(record.illegal) + sum(not turn.legal for turn in record.turns),
        "imported": record.imported is not None,
    }
