"""How the table is, for programs: is the process alive, can it referee now, and what is not well."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fastapi import FastAPI
from fastapi.responses import JSONResponse

from controller.health import Check, table_checks, worst
from controller.web.pages import Lang
from controller.web.phrases import phrase
from controller.web.ports import Snapshot, TableLike
from controller.words import fault_sentence, say


def add_wellbeing(app: FastAPI, table: TableLike, machine: Callable[[], Sequence[Check]]) -> None:
    """`/healthz`, `/readyz`, `/api/health`. `machine`: the checks of the machine that the table runs on."""

    @app.get("/healthz")
    async def health() -> JSONResponse:  # in the loop itself: however many threads are busy, the process is alive
        return JSONResponse({"ok": True})

    @app.get("/readyz")
    def ready() -> JSONResponse:
        if table.ready():
            return JSONResponse({"ready": True})
        return JSONResponse({"ready": False, "reason": unready(table.snapshot())}, status_code=503)

    @app.get("/api/health")
    def checks(lang: Lang = "en") -> JSONResponse:
        found = (*table_checks(table.snapshot(), lang), *(check.into(lang) for check in machine()))
        return JSONResponse({"level": worst(found), "checks": [check.as_json() for check in found]})


def unready(snapshot: Snapshot) -> str:
    """Why the table can't referee now."""
    view = snapshot.view
    if snapshot.fault:
        return fault_sentence(snapshot.fault["code"], snapshot.fault["facts"])
    if snapshot.camera.get("state") not in (None, "ok", "running") and snapshot.camera.get("sentence"):
        return str(snapshot.camera["sentence"])
    if view.trouble is not None:
        return say(f"cannot_see.{view.trouble}", "en")
    if view.board_moved:
        return phrase("lead_moved", "en")
    if view.phase == "searching":
        return phrase("lead_searching", "en")
    return "No fresh picture from the camera."
