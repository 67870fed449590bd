"""The status page and its API. Knows the table only as `TableLike`; draws what it is told and decides nothing."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import FastAPI, HTTPException, Query, Response
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, ConfigDict, Field

from controller.health import Check
from controller.keeping import Keeping
from controller.rules.registry import game_named
from controller.web.access import Access
from controller.web.describing import describe
from controller.web.gate import Gate
from controller.web.geometry import set_json
from controller.web.guard import Guard, own_names
from controller.web.heads import Heads
from controller.web.hub import Hub
from controller.web.metrics import add_metrics
from controller.web.operating import add_operating
from controller.web.pages import Lang, build_id, render
from controller.web.phrases import LANGUAGES, phrase, phrases
from controller.web.players import Players
from controller.web.playing import add_playing
from controller.web.ports import Snapshot, TableLike, WorldLike
from controller.web.previewing import add_previewing
from controller.web.refusing import add_refusals
from controller.web.replaying import add_replaying
from controller.web.reporting import add_reporting
from controller.web.screen import Screen
from controller.web.screens import add_screens
from controller.web.shelf import Records
from controller.web.state import state_json
from controller.web.stream import Stream
from controller.web.timeline import add_timeline
from controller.web.wellbeing import add_wellbeing
from vision.artwork import svg_board, svg_token
from vision.boardset import BoardSet, SetError
from vision.errors import VisionError

__all__ = ["Snapshot", "TableLike", "WorldLike", "create_app"]

Place = Annotated[float, Field(ge=-2000, le=2000, allow_inf_nan=False)]


class WorldBody(BaseModel):
    """A hand's movement on the pretend table, mm on the sheet: `move` takes `x_mm`, `y_mm`, `slide` `rail`, `x_mm`."""

    model_config = ConfigDict(extra="forbid")
    op: Literal["lift", "move", "drop", "slide", "reset"]
    token: int | None = None
    rail: str | None = None
    x_mm: Place | None = None
    y_mm: Place | None = None


def create_app(
    table: TableLike,
    *,
    allowed_hosts: Iterable[str] = (),
    players: Players | None = None,
    access: Access | None = None,
    machine: Callable[[], Sequence[Check]] = tuple,
    keeping: Keeping | None = None,
    records: Records | None = None,
) -> FastAPI:
    """The page of one table. `allowed_hosts`: further names it answers to, beside its own and any IP address.

    `players`: what they may say on pages, and how they come there. `access`: who may operate; nobody where left out.
    `machine`: the checks of the machine that it runs on. `keeping`: what it does for its records.
    `records`: where they are, and who may see them.

    `app.state.hub.close()` ends every open stream; call it before asking the server to stop.
    """
    hub = Hub(table)
    stream = Stream(table, hub)
    players = players or Players()
    access = access or Access()

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        await hub.start()
        tells = asyncio.create_task(stream.run())
        yield
        await hub.stop()
        await tells

    app = FastAPI(title="Boardref", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.state.hub = hub
    app.add_middleware(Heads)
    app.add_middleware(Gate, access=access)
    app.add_middleware(Guard, names=own_names(allowed_hosts))
    app.mount("/static", _Static(directory=Path(str(files("controller.web").joinpath("static")))))
    add_refusals(app)
    _add_pages(app, table)
    add_screens(app, table, stream, players)
    add_wellbeing(app, table, machine)
    add_metrics(app, table, machine, lambda: stream.screens)
    add_playing(app, table, players)
    add_operating(app, table, access, players.callers)
    add_timeline(app, table)
    add_previewing(app, table)
    add_reporting(app, table, players, keeping)
    add_replaying(app, table, records)
    _add_actions(app, table)
    describe(app)
    return app


class _Static(StaticFiles):
    """Files that a browser may keep but must ask about, so that an update is never mixed with an old page."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response


def _add_pages(app: FastAPI, table: TableLike) -> None:
    @app.get("/", response_class=HTMLResponse)
    @app.get("/display", response_class=HTMLResponse)
    def page(screen: Annotated[Screen, Query()]) -> HTMLResponse:
        return HTMLResponse(_page(screen, demo=table.world is not None, games=app.state.shows_games))

    @app.get("/api/state")
    def state(lang: Lang = "en") -> JSONResponse:
        told = state_json(table.snapshot(), lang, time.time())
        if table.world is not None:
            told["world"] = table.world.as_json()
        return JSONResponse(told)

    @app.get("/api/set")
    def geometry() -> JSONResponse:
        return JSONResponse(set_json(_board(table)))

    @app.get("/set.svg")
    def board() -> Response:
        return _svg(svg_board(_board(table), labels=False))  # the page sets its own, over the pieces

    @app.get("/token.svg")
    def token(kind: str) -> Response:
        try:
            return _svg(svg_token(_board(table), kind))
        except SetError as error:
            raise HTTPException(404, f"{error}.") from None


def _add_actions(app: FastAPI, table: TableLike) -> None:
    @app.post("/api/world")
    def carry(body: WorldBody) -> JSONResponse:
        world: WorldLike | None = table.world
        if world is None:
            raise HTTPException(404, "This is a real table; move the pieces by hand.")
        if body.op == "reset":
            world.reset(start_placement(world.board_set))
            return JSONResponse(world.as_json())
        if body.op == "slide":
            if body.rail is None or body.x_mm is None:
                raise HTTPException(422, "rail, x_mm: say which platform to slide, and where to.")
            try:
                world.slide(body.rail, body.x_mm)
            except VisionError as error:
                raise HTTPException(404, f"{error}.") from None
            return JSONResponse({"ok": True})
        if body.token is None:
            raise HTTPException(422, f"token: say which piece to {body.op}.")
        if body.token not in {token["id"] for token in world.as_json()["tokens"]}:
            raise HTTPException(404, f"There is no piece with the number {body.token} on this table.")
        try:
            if body.op == "lift":
                world.lift(body.token)
            elif body.op == "drop":
                world.drop(body.token)
            elif body.x_mm is None or body.y_mm is None:
                raise HTTPException(422, "x_mm, y_mm: say where to move the piece.")
            else:
                world.move(body.token, body.x_mm, body.y_mm)
        except VisionError as error:  # the piece went meanwhile, or the place is no place
            raise HTTPException(422, f"{error}.") from None
        return JSONResponse({"ok": True})


def start_placement(board: BoardSet) -> dict[str, tuple[str, ...]]:
    """Where the pieces of this set stand when its game begins, in the set's own names."""
    game = game_named(board.game)
    own = {name: ours for ours, name in board.names.items()}
    start = game.picture(game.start()).on
    return {own.get(site, site): tuple(own.get(kind, kind) for kind in kinds) for site, kinds in start.items()}


@lru_cache(maxsize=64)
def _page(screen: Screen, *, demo: bool, games: bool) -> str:
    language = screen.lang
    own = ("label_", "stale_", "demo_")  # what the screen says by itself; all else comes with the state
    words = {key: text for key, text in phrases(language).items() if key.startswith(own)}
    return render(
        "page.html",
        screen=screen,
        lang=language,
        languages=LANGUAGES,
        demo=demo,
        games=games,
        build=build_id(),
        words=json.dumps(words, ensure_ascii=False),
        say=lambda key: phrase(key, language),
        clock_label=phrase("label", language, domain="clock"),
    )


def _board(table: TableLike) -> BoardSet:
    board = table.snapshot().set
    if board is None:
        raise HTTPException(404, "No board has been recognised yet; lay one under the camera.")
    return board


def _svg(text: str) -> Response:
    return Response(text, media_type="image/svg+xml", headers={"cache-control": "no-cache"})
