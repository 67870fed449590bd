"""The operator's page: coming in, going out, and the page itself. What is done there is `ordering.py`."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import Annotated

from fastapi import FastAPI, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from controller.config import PIN_MOST
from controller.web.access import Access
from controller.web.callers import Callers
from controller.web.desk import desk_json
from controller.web.gate import COOKIE, Operator, drop_cookie, keep_cookie, language_of
from controller.web.operators import operator_page
from controller.web.ordering import add_ordering
from controller.web.pages import build_id, render
from controller.web.phrases import LANGUAGES, phrase, phrases
from controller.web.ports import TableLike
from controller.web.screen import Screen

BACK = re.compile(r"/operator(/[\w./-]*)?(\?[\w=&%.,+-]*)?")
"""Where a log-in may lead: to a page of the operator's, never elsewhere."""


class PinBody(BaseModel):
    """What is typed on the log-in page."""

    model_config = ConfigDict(extra="forbid")
    pin: Annotated[str, Field(max_length=PIN_MOST)]


class LoginScreen(Screen):
    """The log-in page of one screen. `to`: the page that was asked for."""

    to: str = "/operator"


def add_operating(app: FastAPI, table: TableLike, access: Access, callers: Callers) -> None:
    """`/operator`, its log-in, and what a page or script asks about its session."""
    add_ordering(app, table)

    @app.get("/operator/login", response_class=HTMLResponse)
    def login(screen: Annotated[LoginScreen, Query()]) -> HTMLResponse:
        to = screen.to if BACK.fullmatch(screen.to) else "/operator"
        why = "" if not access.made else "login_printed" if table.world is not None else "login_made"
        return HTMLResponse(_login(screen.model_copy(update={"to": to}), why if access.possible else "login_none"))

    @app.post("/api/operator/login")
    def log_in(request: Request, body: PinBody) -> JSONResponse:
        language = language_of(request)
        if not access.possible:
            return JSONResponse({"error": phrase("login_none", language, domain="operator")}, status_code=403)
        found = access.log_in(body.pin, callers.address(request), own=callers.own_screen(request))
        if not isinstance(found, float):
            token, session = found
            answer = JSONResponse({"ok": True, "csrf": session.csrf})
            keep_cookie(answer, request, token)
            return answer
        if found == 0:
            return JSONResponse({"error": phrase("login_wrong", language, domain="operator")}, status_code=403)
        wait_s = math.ceil(found)
        said = phrase("login_wait", language, domain="operator", s=wait_s)
        return JSONResponse({"error": said, "wait_s": wait_s}, status_code=429, headers={"retry-after": str(wait_s)})

    @app.get("/api/operator/table")
    def desk(request: Request) -> JSONResponse:
        return JSONResponse(desk_json(table.snapshot(), language_of(request)))

    @app.get("/api/operator/session")
    def session(who: Operator) -> JSONResponse:
        return JSONResponse({"key": who.key, "may": who.may, "csrf": who.csrf or None})

    @app.post("/api/operator/logout")
    def log_out(request: Request, who: Operator) -> JSONResponse:
        access.sessions.end(request.cookies.get(COOKIE, ""))
        answer = JSONResponse({"ok": True})
        drop_cookie(answer, request)
        return answer

    @app.get("/operator", response_class=HTMLResponse)
    def page(screen: Annotated[Screen, Query()], who: Operator) -> HTMLResponse:
        return HTMLResponse(operator_page("operator.html", screen, who))


@lru_cache(maxsize=64)
def _login(screen: LoginScreen, why: str) -> str:
    words = phrases(screen.lang, "operator")
    return render(
        "operator_login.html",
        screen=screen,
        lang=screen.lang,
        languages=LANGUAGES,
        build=build_id(),
        why=why,
        lost=words["login_lost"],
        say=lambda key: words[key] if key in words else phrase(key, screen.lang),
    )
