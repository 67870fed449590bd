"""What the API can do, told to programs: `/api/openapi.json`, and the models that its answers keep to.

Keys are only ever added to answers; whoever reads them passes over those that are not known.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, Literal

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict
from pydantic.json_schema import models_json_schema

from controller.health import Level
from controller.web.gate import COOKIE, closed

ADDRESS = "/api/openapi.json"


class _Answer(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True)


class Refusal(_Answer):
    """What could not be done, in one sentence."""

    error: str


class Done(_Answer):
    """It is done."""

    ok: Literal[True]


class Ready(_Answer):
    """Whether the table can referee now, and if not, why."""

    ready: bool
    reason: str = ""


class CheckAnswer(_Answer):
    """One check. `since`: seconds of the wall clock; `hint`: what to do."""

    name: str
    level: Level
    said: str
    hint: str
    since: float | int | None


class Health(_Answer):
    """All checks, and the worst level of them."""

    level: Level
    checks: list[CheckAnswer]


class MessageAnswer(_Answer):
    """The one message of the page."""

    code: str
    tone: str
    headline: str
    sub: str
    lead: str
    more: list[str]
    player: str | None


class State(_Answer):
    """All that the display shows. `age_s`: since the newest judged picture; null before the first."""

    rev: int
    age_s: float | int | None
    time_s: float | int
    lang: str
    phase: Literal["searching", "setup", "play", "over"]
    game: str | None
    game_no: int
    set: str | None
    players: list[dict[str, Any]]
    message: MessageAnswer
    board: dict[str, Any]
    turns: list[dict[str, Any]]
    score: list[int] | None
    lights: dict[str, Any]
    camera: dict[str, Any]
    link: dict[str, Any]
    journal: dict[str, Any]


class Whatever(_Answer):
    """An object; the page that uses it knows more."""


Kind = type[BaseModel] | str
"""A model for JSON, or a media type."""
HTML, SVG = "text/html", "image/svg+xml"

ROUTES: dict[str, tuple[str, Kind]] = {
    "GET /": ("the display", HTML),
    "GET /display": ("the display", HTML),
    "GET /play": ("the players' page; 403 with the rules only where the token is not this game's", HTML),
    "GET /events": ("the event stream: state, lights, players, world, and a beat each second", "text/event-stream"),
    "GET /healthz": ("whether the process is alive", Done),
    "GET /readyz": ("whether the table can referee now; 503 and the reason where it can't", Ready),
    "GET /metrics": ("numbers for Prometheus, where that is installed", "text/plain"),
    "GET /api/health": ("every check: level, since when, what to do", Health),
    "GET /api/openapi.json": ("this description", Whatever),
    "GET /api/state": ("all that the display shows, whole", State),
    "GET /api/set": ("the geometry of the board that lies there", Whatever),
    "GET /set.svg": ("the board, drawn", SVG),
    "GET /token.svg": ("a piece, drawn", SVG),
    "GET /sets/{name}.svg": ("the board of an installed set, drawn", SVG),
    "GET /sets/{name}/token.svg": ("a piece of an installed set, drawn", SVG),
    "GET /qr.svg": ("the code of the players' page", SVG),
    "POST /api/press": ("a player's button", Done),
    "POST /api/report": ("report a wrong call, where the owner lets players", Whatever),
    "POST /api/world": ("move a piece of the demo's table; 404 at a real one", Whatever),
    "GET /games": ("the recorded games", HTML),
    "GET /games/{number}": ("a recorded game, to be played through", HTML),
    "GET /api/games": ("recorded games, searched, page by page", Whatever),
    "GET /api/games/{number}": ("a recorded game", Whatever),
    "GET /api/games/{number}/export": ("a recorded game as a file", "*/*"),
    "GET /operator": ("the operator's page", HTML),
    "GET /operator/login": ("where the PIN is asked for", HTML),
    "GET /operator/games": ("the recorded games, with their players' names", HTML),
    "GET /operator/games/{number}": ("a recorded game, with its players' names", HTML),
    "GET /operator/preview": ("the look through the camera, in set-up only", HTML),
    "GET /operator/records": ("reports and backups", HTML),
    "GET /operator/timeline": ("every board that stood, to be ruled on", HTML),
    "POST /api/operator/login": ("a session for the PIN", Whatever),
    "POST /api/operator/logout": ("end the session", Done),
    "GET /api/operator/session": ("who is logged in", Whatever),
    "GET /api/operator/table": ("what the operator's page shows", Whatever),
    "POST /api/operator/order": ("a command to the referee", Whatever),
    "POST /api/operator/position": ("the text of a position from its pieces", Whatever),
    "GET /api/operator/games": ("recorded games, with their players' names", Whatever),
    "GET /api/operator/games/{number}": ("a recorded game, with its players' names", Whatever),
    "GET /api/operator/games/{number}/export": ("a recorded game as a file, with its players' names", "*/*"),
    "GET /api/operator/preview": ("whether the look through the camera is on, and for how long", Whatever),
    "POST /api/operator/preview": ("switch it on for ten minutes, or off", Whatever),
    "GET /api/operator/preview.jpg": ("the board as the camera sees it; kept nowhere", "image/jpeg"),
    "GET /api/operator/timeline": ("every board that stood in a game", Whatever),
    "GET /api/operator/timeline/choices": ("what can be ruled on one of them", Whatever),
    "GET /api/operator/timeline/effect": ("what would no longer follow after a correction", Whatever),
    "POST /api/operator/timeline/ruling": ("rule on one of them", Whatever),
    "GET /api/operator/token.svg": ("a piece of a set, drawn", SVG),
    "POST /api/operator/report": ("keep what the table saw in the last ten minutes", Whatever),
    "GET /api/operator/records": ("reports and backups there are", Whatever),
    "GET /api/operator/reports/{name}": ("a report, as a file", "*/*"),
    "GET /api/operator/backup": ("a backup made now, as a file", "*/*"),
    "GET /api/operator/backups/{name}": ("a backup that is there, as a file", "*/*"),
}  # fmt: skip
"""Each route: what it is for, and what it answers with."""


def describe(app: FastAPI) -> None:
    """Serve the description of everything that `app` answers; call it when all routes are there."""
    told: dict[str, Any] = {}

    def openapi() -> dict[str, Any]:
        if not told:
            told.update(_described(app))
        return told

    app.openapi = openapi  # type: ignore[method-assign]

    @app.get(ADDRESS)
    def description() -> JSONResponse:
        return JSONResponse(openapi())


def _described(app: FastAPI) -> dict[str, Any]:
    told = get_openapi(title="Boardref", version=version("boardref"), routes=app.routes, summary="A table's API")
    models: dict[type[BaseModel], None] = {Refusal: None}
    models |= {kind: None for _, kind in ROUTES.values() if not isinstance(kind, str)}
    _, made = models_json_schema(
        [(model, "serialization") for model in models],
        ref_template="#/components/schemas/{model}",
    )
    parts = told.setdefault("components", {})
    parts.setdefault("schemas", {}).update(made.get("$defs", {}))
    for unused in ("HTTPValidationError", "ValidationError"):
        parts["schemas"].pop(unused, None)
    parts["securitySchemes"] = {
        "session": {"type": "apiKey", "in": "cookie", "name": COOKIE},
        "key": {"type": "http", "scheme": "bearer"},
    }
    for path, methods in told["paths"].items():
        for method, route in methods.items():
            said, kind = ROUTES.get(f"{method.upper()} {path}", ("", Whatever))
            route["summary"] = said
            good = next(iter(route["responses"]))
            route["responses"] = {
                good: {"description": said, "content": _content(kind)},
                "default": {"description": "Refused, and why", "content": _content(Refusal)},
            }
            if path == "/readyz":
                route["responses"]["503"] = {"description": "Not ready, and why", "content": _content(Ready)}
            if closed(path):
                route["security"] = [{"session": []}, {"key": []}]
    return told


def _content(kind: Kind) -> dict[str, Any]:
    if isinstance(kind, str):
        return {kind: {"schema": {"type": "string"}}}
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{kind.__name__}"}}}


