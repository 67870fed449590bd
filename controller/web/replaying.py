"""`/games` and `/games/N`: the recorded games, to look for, to replay and to take away. Nothing here changes any.

The same pages lie below `/operator`, where the gate lets the operator in only; the setting `records.shown_to` says
whether everybody else may see them, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from pydantic import Field

from controller.drawing.captions import word
from controller.drawing.layout import Layout
from controller.drawing.sets import game_of, layout_for
from controller.drawing.sheets import NoBoard, board_svg, sheet_svg
from controller.journal import search
from controller.journal.errors import JournalError
from controller.journal.export import FORMATS
from controller.journal.fold import Record
from controller.rules.api import RulesError
from controller.rules.registry import game_named, game_names
from controller.web.gate import language_of
from controller.web.pages import Lang, build_id, render
from controller.web.phrases import LANGUAGES, name_of, phrases
from controller.web.ports import TableLike
from controller.web.replay import replay_json, row_json
from controller.web.screen import Screen
from controller.web.shelf import Busy, Records, Shelf
from vision.artwork import svg_token
from vision.boardset import BoardSet, SetError, installed_sets
from vision.svg import document

PAGE = 40  # games on one page
Words = Annotated[str, Field(max_length=80)]
Day = Annotated[str, Field(pattern=r"^(\d{4}-\d{2}-\d{2})?$")]
Number = Annotated[int, Field(ge=1, le=2**53)]


class GamesScreen(Screen):
    """The list of one screen: what is looked for stands in its address, too; empty = whatever."""

    game: Words = ""
    player: Words = ""
    since: Day = ""
    until: Day = ""
    result: Words = ""
    turn: Words = ""
    illegal: bool = False
    before: Annotated[int, Field(ge=0, le=2**53)] = 0

    def query(self) -> search.Query:
        """What is looked for."""
        return search.Query(
            self.game or None, self.player.strip() or None, self.since or None, self.until or None,
            self.result or None, self.turn.strip() or None, self.illegal,
        )  # fmt: skip

    @property
    def asked(self) -> bool:
        """Whether anything is looked for."""
        return self.query() != search.Query()


MEDIA: Mapping[str, tuple[str, str]] = {
    "text": ("text/plain; charset=utf-8", "txt"), "json": ("application/json", "json"),
    "csv": ("text/csv; charset=utf-8", "csv"), "svg": ("image/svg+xml", "svg"), "mp4": ("video/mp4", "mp4"),
    "gif": ("image/gif", "gif"),
}  # fmt: skip
Form = Literal["text", "json", "csv", "svg", "mp4", "gif"]


def add_replaying(app: FastAPI, table: TableLike, records: Records | None) -> None:
    """The pages of recorded games, of a table that keeps any."""
    shelf = Shelf(records.path) if records is not None else None
    shown = records.shown_to if records is not None else "everyone"
    app.state.shows_games = records is not None and shown == "everyone"
    _add_art(app, table)
    if shown != "nobody":
        app.include_router(_games(table, shelf, "/operator"))
    else:

        @app.get("/operator/games")
        def hidden(lang: Lang = "en") -> Response:
            raise HTTPException(404, word("hidden", lang))

    if shown == "everyone":
        app.include_router(_games(table, shelf, ""))
        return

    @app.get("/games", response_class=HTMLResponse)
    @app.get("/games/{rest:path}", response_class=HTMLResponse)
    @app.get("/api/games")
    @app.get("/api/games/{rest:path}")
    def closed(request: Request, rest: str = "") -> Response:
        language = language_of(request)
        if shown == "nobody":
            raise HTTPException(404, word("hidden", language))
        if request.url.path.startswith("/api/"):
            raise HTTPException(401, word("operator_only", language))
        asked = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/operator{request.url.path}{asked}", status_code=303)


def _add_art(app: FastAPI, table: TableLike) -> None:
    """Boards and pieces of every set, whichever lies on the table."""

    def set_named(name: str) -> BoardSet:
        now = table.snapshot().set
        found = installed_sets().get(name) or (now if now is not None and now.name == name else None)
        if found is None:
            raise HTTPException(404, f"There is no set {name} here.")
        return found

    @app.get("/sets/{name}.svg")
    def board(name: str) -> Response:
        layout = Layout(set_named(name))
        return _svg(document((0, 0), layout.board.sheet_mm, "board", layout.shapes))

    @app.get("/sets/{name}/token.svg")
    def token(name: str, kind: str) -> Response:
        try:
            return _svg(svg_token(set_named(name), kind))
        except SetError as error:
            raise HTTPException(404, f"{error}.") from None


def _svg(text: str) -> Response:
    return Response(text, media_type="image/svg+xml", headers={"cache-control": "no-cache"})


def _games(table: TableLike, shelf: Shelf | None, base: str) -> APIRouter:
    """The pages and their API below an address."""
    routes = APIRouter()
    api = f"/api{base}/games"

    def found(screen: GamesScreen) -> search.Page:
        if shelf is None:
            raise HTTPException(409, word("no_records", screen.lang))
        try:
            return shelf.find(screen.query(), screen.before or None, PAGE)
        except JournalError:
            raise HTTPException(503, word("unreadable", screen.lang)) from None

    def record_of(number: int, language: str) -> Record:
        if shelf is None:
            raise HTTPException(409, word("no_records", language))
        try:
            record = shelf.record(number)
        except JournalError:
            raise HTTPException(503, word("unreadable", language)) from None
        if record is None:
            raise HTTPException(404, word("no_game", language, n=number))
        return record

    @routes.get(f"{base}/games", response_class=HTMLResponse)
    def games(screen: Annotated[GamesScreen, Query()]) -> HTMLResponse:
        status, sentence, page = 200, "", search.Page()
        try:
            page = found(screen)
        except HTTPException as refused:
            status, sentence = refused.status_code, str(refused.detail)
        rows = [row_json(number, record, screen.lang) for number, record in page.games]
        if not rows and not sentence:
            sentence = word("none_found" if screen.asked or screen.before else "none", screen.lang)
        return HTMLResponse(_list_page(screen, base, rows, page.before, sentence), status_code=status)

    @routes.get(f"{base}/games/{{number}}", response_class=HTMLResponse)
    def game(number: Number, screen: Annotated[Screen, Query()]) -> HTMLResponse:
        try:
            told = replay_json(number, record_of(number, screen.lang), screen.lang, table.snapshot().set)
        except HTTPException as refused:
            return HTMLResponse(
                _list_page(_as_list(screen), base, [], None, str(refused.detail)), status_code=refused.status_code
            )
        return HTMLResponse(_replay_page(screen, base, told))

    @routes.get(api)
    def games_told(screen: Annotated[GamesScreen, Query()]) -> JSONResponse:
        page = found(screen)
        rows = [row_json(number, record, screen.lang) for number, record in page.games]
        return JSONResponse({"games": rows, "before": page.before})

    @routes.get(f"{api}/{{number}}")
    def game_told(number: Number, lang: Lang = "en") -> JSONResponse:
        return JSONResponse(replay_json(number, record_of(number, lang), lang, table.snapshot().set))

    @routes.get(f"{api}/{{number}}/export")
    def export(
        number: Number, lang: Lang = "en", format: Form = "text", turn: Annotated[str, Query(max_length=8)] = ""
    ) -> Response:
        record = record_of(number, lang)
        if format in FORMATS:
            data: bytes = FORMATS[format](record, number).encode()
        elif format == "svg":
            data = _drawn(record, lang, turn, table).encode()
        else:
            data = _film(shelf, number, format, lang)
        media, ending = MEDIA[format]
        name = f"game-{number}{f'-{turn}' if turn.isalnum() and turn.isascii() else ''}.{ending}"
        return Response(data, media_type=media, headers={"content-disposition": f'attachment; filename="{name}"'})

    return routes


def _film(shelf: Shelf | None, number: int, form: str, language: str) -> bytes:
    assert shelf is not None
    try:
        return shelf.film(number, "mp4" if form == "mp4" else "gif", language)
    except Busy:
        raise HTTPException(503, word("busy", language), headers={"retry-after": "20"}) from None
    except JournalError as error:
        raise HTTPException(500, word("no_film", language, why=str(error))) from None


def _drawn(record: Record, language: str, turn: str, table: TableLike) -> str:
    try:
        game = game_of(record)
        layout = layout_for(record, game, table.snapshot().set)
        if layout is None:
            raise HTTPException(404, word("no_board", language))
        if turn == "all":
            return sheet_svg(record, game, layout, language)
        if turn and not (turn.isascii() and turn.isdigit()):
            raise HTTPException(422, "turn: the number of a turn, or `all`.")
        return board_svg(record, game, layout, language, int(turn) if turn else None)
    except NoBoard as error:
        raise HTTPException(404, f"{str(error).capitalize()}.") from None
    except RulesError:
        raise HTTPException(404, word("no_board", language)) from None


def _as_list(screen: Screen) -> GamesScreen:
    return GamesScreen(**screen.model_dump())


def _common(screen: Screen, base: str) -> dict[str, Any]:
    words = phrases(screen.lang, "games")
    return {
        "screen": screen, "lang": screen.lang, "languages": LANGUAGES, "build": build_id(), "base": base,
        "say": lambda key, **facts: words[key].format(**facts),
    }  # fmt: skip


def _list_page(screen: GamesScreen, base: str, rows: list[dict[str, Any]], before: int | None, sentence: str) -> str:
    results = ["open", "draw"]
    for name in game_names():
        results += [f"{player} wins" for player in game_named(name).players if f"{player} wins" not in results]
    named = {
        "open": word("open", screen.lang),
        "draw": word("draw", screen.lang),
        **{
            one: word("wins", screen.lang, player=name_of(one.removesuffix(" wins"), screen.lang))
            for one in results[2:]
        },
    }
    return render(
        "games.html", **_common(screen, base), rows=rows, before=before, sentence=sentence, games=game_names(),
        results=named, plain=Screen(**{key: getattr(screen, key) for key in Screen.model_fields}),
    )  # fmt: skip


def _replay_page(screen: Screen, base: str, told: dict[str, Any]) -> str:
    words = {key: text for key, text in phrases(screen.lang, "games").items() if key.startswith(("label_", "busy"))}
    return render(
        "replay.html", **_common(screen, base), told=told, data=json.dumps(told, ensure_ascii=False),
        words=json.dumps(words, ensure_ascii=False),
    )  # fmt: skip
