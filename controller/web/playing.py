"""The players' page and what can be said there. It changes no record: the referee hears a button, as from the table."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import HTTPConnection

from controller.referee.events import Button, Press
from controller.web.pages import Lang, build_id, render
from controller.web.phrases import phrase, phrases
from controller.web.players import CONTROLS, Players
from controller.web.ports import Snapshot, TableLike
from controller.web.screen import Screen
from controller.web.sharing import qr_svg
from controller.words import LANGUAGES, rules_in_short

SIDELESS = ("done", "guide", "yes", "no", "call_operator", "dismiss_operator")
"""What may be said without saying who says it."""

Token = Annotated[str, Field(max_length=64, pattern=r"^[A-Za-z0-9_-]*$")]


class PressBody(BaseModel):
    """A player's button; `player` null = one of SIDELESS said by nobody in particular.

    `token`: that of this game, needed from everywhere but the table's own screen. `sure`: resigning takes it.
    """

    model_config = ConfigDict(extra="forbid")
    player: str | None = None
    button: Button = "done"
    token: Token = ""
    sure: bool = False


class PlayScreen(Screen):
    """The players' page of one screen. `player`: whose; `t`: the game's token."""

    player: str | None = None
    t: Token = ""


def add_playing(app: FastAPI, table: TableLike, players: Players) -> None:
    """`/play`, its QR code, and the players' buttons."""

    @app.get("/play", response_class=HTMLResponse)
    def play(request: Request, screen: Annotated[PlayScreen, Query()]) -> HTMLResponse:
        view = table.snapshot().view
        if screen.player not in (None, *view.players):
            screen = screen.model_copy(update={"player": None})  # another game's side
        valid = speaks(request, screen.t, table, players)
        page = _page(screen, view.game or "", players.may if valid else frozenset(), valid)
        return HTMLResponse(page, status_code=200 if valid else 403)

    @app.get("/qr.svg")
    def code(t: Annotated[Token, Query()], lang: Lang = "en") -> Response:
        address = players.address()
        if address is None:
            raise HTTPException(404, "Other devices can't reach this page; let it answer on 0.0.0.0.")
        return Response(qr_svg(f"{address}/play?lang={lang}&t={t}"), media_type="image/svg+xml")

    @app.post("/api/press", status_code=202)
    async def press(request: Request, body: PressBody, lang: Lang = "en") -> JSONResponse:
        # in the loop itself, as nothing here waits: a crowd that looks for games must not hold up the one that plays
        view = table.snapshot().view
        if not players.rate.allows(players.callers.address(request)):
            raise HTTPException(429, phrase("press_often", lang))
        if not speaks(request, body.token, table, players):
            raise HTTPException(403, phrase("press_old", lang))
        if CONTROLS[body.button] not in players.may:
            raise HTTPException(403, phrase("press_off", lang))
        if body.player is not None and body.player not in view.players:
            names = " and ".join(name for name in view.players if name) or "nobody yet"
            raise HTTPException(404, f"Nobody called {body.player} plays at this table; {names} play.")
        if body.player is None and body.button not in SIDELESS:
            raise HTTPException(422, f"Say whose word {body.button} is: player is missing.")
        if body.button == "resign" and not body.sure:
            raise HTTPException(409, phrase("press_sure", lang))
        table.send(Press(view.t_s, body.player, body.button))
        return JSONResponse({"ok": True}, status_code=202)


def speaks(request: HTTPConnection, token: str, table: TableLike, players: Players) -> bool:
    """Whether whoever asks may speak for the players now. Everybody may at a table that is only pretended."""
    if table.world is not None or players.callers.own_screen(request):
        return True
    return players.passes.fit(token, table.snapshot().view)


def told(request: HTTPConnection, token: str, table: TableLike, players: Players, snapshot: Snapshot) -> dict[str, Any]:
    """For one screen's stream: whether it may speak, and the code to show on it, if any."""
    own = table.world is not None or players.callers.own_screen(request)
    valid = own or players.passes.fit(token, snapshot.view)
    shown = own or players.everywhere
    invite = {"token": players.passes.invite(snapshot.view), "address": players.address()} if shown else None
    return {"valid": valid, "invite": invite}


@lru_cache(maxsize=64)
def _page(screen: PlayScreen, game: str, may: frozenset[str], valid: bool) -> str:
    own = ("label_", "stale_", "play_")
    words = {key: text for key, text in phrases(screen.lang).items() if key.startswith(own)}
    return render(
        "play.html",
        screen=screen,
        lang=screen.lang,
        languages=LANGUAGES,
        game=game,
        may=may,
        valid=valid,
        rules=rules_in_short(game, screen.lang),
        build=build_id(),
        words=json.dumps(words, ensure_ascii=False),
        say=lambda key: phrase(key, screen.lang),
        clock_label=phrase("label", screen.lang, domain="clock"),
    )
