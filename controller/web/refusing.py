"""What can't be answered: one sentence, as JSON for programs, as a small page for people who look with a browser."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import ValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException

from controller.web.gate import READING, language_of
from controller.web.pages import build_id, render
from controller.web.phrases import LANGUAGES, phrase
from controller.web.screen import Screen

PLAIN = {
    "Not Found": "There is nothing at this address.",
    "Method Not Allowed": "This address can't be asked in that way.",
    "There was an error parsing the body": "The request is not JSON.",
}
"""What the libraries say, in a sentence."""


def add_refusals(app: FastAPI) -> None:
    """Every refusal is `{"error": one sentence}`, but for somebody who wanted to see a page."""

    @app.exception_handler(StarletteHTTPException)
    async def refused(request: Request, error: StarletteHTTPException) -> Response:
        if _wants_page(request):
            own = "lost_lead" if str(error.detail) in PLAIN else None
            return _page(request, error.status_code, own, str(error.detail))
        said = PLAIN.get(str(error.detail), str(error.detail))
        return JSONResponse({"error": said}, status_code=error.status_code, headers=error.headers)

    @app.exception_handler(RequestValidationError)
    async def unreadable(request: Request, error: RequestValidationError) -> Response:
        if _wants_page(request):
            return _page(request, 422, "lost_unreadable", "")
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:] if not isinstance(part, int))
        named = f"{place or 'The request'}: {first['msg']}"
        told = "The request is not JSON" if first["type"] == "json_invalid" else named
        return JSONResponse({"error": f"{told}."}, status_code=422)


def _wants_page(request: Request) -> bool:
    """Whether somebody looks with a browser, at what is no part of the API."""
    path = request.url.path
    page = request.method in READING and path != "/api" and not path.startswith("/api/")
    return page and "text/html" in request.headers.get("accept", "").lower()


def _page(request: Request, status: int, key: str | None, said: str) -> Response:
    """`key`: of the sentence, where it is one of the pages' own; else it is `said` already."""
    try:
        screen = Screen.model_validate(dict(request.query_params))
    except ValidationError:
        screen = Screen.model_validate({"lang": language_of(request)})
    text = render(
        "lost.html",
        screen=screen,
        lang=screen.lang,
        languages=LANGUAGES,
        build=build_id(),
        told=phrase(key, screen.lang) if key is not None else said,
        say=lambda word: phrase(word, screen.lang),
    )
    return HTMLResponse(text, status_code=status)
