"""The operator's look through the camera, on a page: the board laid flat, and what the eyes make of each site."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, ConfigDict

from controller.preview import Preview, Shot, allowed, jpeg
from controller.web.diagrams import diagram_json
from controller.web.gate import Operator, language_of
from controller.web.operators import operator_page
from controller.web.phrases import name_of, phrase
from controller.web.ports import TableLike
from controller.web.screen import Screen
from controller.web.timeline import DOMAIN


class PreviewBody(BaseModel):
    """`on`: show the picture from now on, for ten minutes; or no longer."""

    model_config = ConfigDict(extra="forbid")
    on: bool


def add_previewing(app: FastAPI, table: TableLike) -> None:
    """`/operator/preview` and what it asks for. Nothing of it may be kept, by a browser neither."""

    @app.get("/operator/preview", response_class=HTMLResponse)
    def page(screen: Annotated[Screen, Query()], who: Operator) -> HTMLResponse:
        return HTMLResponse(operator_page("preview.html", screen, who, DOMAIN))

    @app.get("/api/operator/preview")
    def told(request: Request) -> JSONResponse:
        preview = _preview(table)
        shot = preview.shot() if preview is not None else None
        return JSONResponse(_told(table, preview, shot, language_of(request)))

    @app.post("/api/operator/preview")
    def switch(request: Request, body: PreviewBody) -> JSONResponse:
        language, preview = language_of(request), _preview(table)
        if preview is None:
            raise HTTPException(409, phrase("preview_none", language, domain=DOMAIN))
        if body.on and not allowed(table.snapshot().view):
            raise HTTPException(409, phrase("preview_playing", language, domain=DOMAIN))
        if body.on:
            preview.start()
        else:
            preview.stop()
        return JSONResponse(_told(table, preview, None, language))

    @app.get("/api/operator/preview.jpg")
    def picture(request: Request, who: Operator) -> Response:
        preview = _preview(table)
        shot = preview.shot() if preview is not None and who.may == "operate" else None
        if shot is None or shot.image is None:
            raise HTTPException(404, phrase("preview_off", language_of(request), domain=DOMAIN))
        return Response(jpeg(shot.image), media_type="image/jpeg", headers={"cache-control": "no-store"})


def _preview(table: TableLike) -> Preview | None:
    return getattr(table, "preview", None)


def _told(table: TableLike, preview: Preview | None, shot: Shot | None, language: str) -> dict[str, Any]:
    """`left_s`: until it ends by itself, 0 while it is off; `why`: why there is no picture now."""
    snapshot = table.snapshot()
    left_s = preview.left_s if preview is not None else 0.0
    may = preview is not None and allowed(snapshot.view)
    why = "" if may else "preview_playing" if preview is not None else "preview_none"
    if left_s and shot is None:
        why = "preview_wait"
    elif left_s and shot is not None and shot.image is None:
        why = "preview_covered" if shot.covered else "preview_no_board"
    board = snapshot.set
    return {
        "left_s": round(left_s),
        "may": may,
        "why": phrase(why, language, domain=DOMAIN) if why else "",
        "number": shot.number if shot is not None and shot.image is not None else 0,
        "set": diagram_json(board) if board is not None and left_s else None,
        "belief": _named(shot.belief, language) if shot is not None else None,
    }


def _named(belief: Any, language: str) -> dict[str, Any]:
    """The belief with the pieces' names."""

    def called(kinds: list[str]) -> list[str]:
        return [name_of(kind, language) for kind in kinds]

    sites = [
        {
            **site,
            "seen": [{**one, "name": name_of(one["kind"], language)} for one in site["seen"]],
            "believed_names": called(site["believed"]),
        }
        for site in belief["sites"]
    ]
    return {**belief, "sites": sites, "beside": called(belief["beside"])}
