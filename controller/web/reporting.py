"""Reports of wrong calls, and backups: what the operator, and where the owner lets them the players, do for records."""

from __future__ import annotations

import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.background import BackgroundTask

from controller.errors import CommandError
from controller.keeping import LONGEST_NOTE, Keeping, KeepingError
from controller.web.gate import Operator, language_of
from controller.web.operators import operator_page
from controller.web.pages import Lang
from controller.web.phrases import phrase
from controller.web.players import Players
from controller.web.playing import Token, speaks
from controller.web.ports import TableLike
from controller.web.screen import Screen


class ReportBody(BaseModel):
    """An operator's report."""

    model_config = ConfigDict(extra="forbid")
    note: Annotated[str, Field(max_length=LONGEST_NOTE)] = ""


class PlayersReport(BaseModel):
    """A player's report. `token`: that of this game, as for a button; what players type is not kept."""

    model_config = ConfigDict(extra="forbid")
    player: str | None = None
    token: Token = ""


def add_reporting(app: FastAPI, table: TableLike, players: Players, keeping: Keeping | None) -> None:
    """`/operator/records`, the reports of both kinds, and backups to take away."""

    def kept(language: str) -> Keeping:
        if keeping is None:
            raise HTTPException(409, phrase("records_none", language, domain="records"))
        return keeping

    def reported(language: str, by: str, note: str = "", facts: dict[str, str] | None = None) -> JSONResponse:
        try:
            name = kept(language).report(by, note, facts)
        except KeepingError as error:
            said = phrase(f"report_{error.what}", language, domain="records", **error.facts)
            raise HTTPException(429 if error.what == "soon" else 507, said) from None
        return JSONResponse({"ok": True, "file": name}, status_code=201)

    @app.post("/api/operator/report", status_code=201)
    def by_operator(request: Request, body: ReportBody, who: Operator) -> JSONResponse:
        return reported(language_of(request), "operator", body.note, who.facts)

    @app.post("/api/report", status_code=201)
    def by_player(request: Request, body: PlayersReport, lang: Lang = "en") -> JSONResponse:
        if not players.rate.allows(players.callers.address(request)):
            raise HTTPException(429, phrase("press_often", lang))
        if not speaks(request, body.token, table, players):
            raise HTTPException(403, phrase("press_old", lang))
        if "report" not in players.may:
            raise HTTPException(403, phrase("press_off", lang))
        known = body.player if body.player in table.snapshot().view.players else None
        return reported(lang, "player", facts={"player": known} if known else None)

    @app.get("/api/operator/records")
    def records(request: Request) -> JSONResponse:
        language = language_of(request)
        if keeping is None:
            return JSONResponse({"reports": [], "backups": [], "checks": []})
        checks = [check.into(language).as_json() for check in keeping.checks()]
        told: dict[str, Any] = {"checks": checks, "reports": _files(keeping.reports())}
        return JSONResponse(told | {"backups": _files(keeping.backups()), "rules": _rules(keeping, language)})

    @app.get("/api/operator/reports/{name}")
    def report(request: Request, name: str) -> FileResponse:
        return _one(name, kept(language_of(request)).reports(), "application/x-ndjson", language_of(request))

    @app.get("/api/operator/backups/{name}")
    def nightly(request: Request, name: str) -> FileResponse:
        return _one(name, kept(language_of(request)).backups(), "application/zip", language_of(request))

    @app.get("/api/operator/backup")
    def backup(request: Request) -> FileResponse:
        language = language_of(request)
        keeper = kept(language)
        try:
            folder = Path(tempfile.mkdtemp(prefix=".download-", dir=keeper.folder))
        except OSError as error:
            raise HTTPException(507, phrase("backup_failed", language, domain="records", why=error.strerror)) from None
        away = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
        try:
            made = keeper.backup(folder / f"boardref-{datetime.now(UTC):%Y%m%dT%H%M%S}.zip")
        except CommandError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise HTTPException(507, phrase("backup_failed", language, domain="records", why=error)) from None
        headers = {"cache-control": "no-store"}
        return FileResponse(made.path, media_type="application/zip", filename=made.path.name, headers=headers,
                            background=away)  # fmt: skip

    @app.get("/operator/records", response_class=HTMLResponse)
    def page(screen: Annotated[Screen, Query()], who: Operator) -> HTMLResponse:
        told = operator_page("operator_records.html", screen, who, "records", note_most=LONGEST_NOTE)
        return HTMLResponse(told)


def _files(paths: tuple[Path, ...]) -> list[dict[str, Any]]:
    """Newest first; what has gone meanwhile is left out."""
    found = []
    for path in reversed(paths):
        try:
            facts = path.stat()
        except OSError:
            continue
        found.append({"name": path.name, "bytes": facts.st_size, "time_s": round(facts.st_mtime)})
    return found


def _one(name: str, known: tuple[Path, ...], kind: str, language: str) -> FileResponse:
    """One of the known files; a name is compared, never made into a path."""
    path = next((one for one in known if one.name == name), None)
    if path is None:
        raise HTTPException(404, phrase("records_gone", language, domain="records"))
    return FileResponse(path, media_type=kind, filename=name, headers={"cache-control": "no-store"})


def _rules(keeping: Keeping, language: str) -> list[str]:
    """What becomes of the records, in sentences."""
    told = []
    for key, value in keeping.wanted.items():
        told.append(phrase(key, language, domain="records", n=value))
    return told
