"""The gate before everything of the operator: whatever lies below these addresses is closed unless it is named here.

A session's requests need the token of its page in a header as well as the cookie, and must come from this very site; a
script sends its API key instead and no cookie.
"""

from __future__ import annotations

import hmac
from typing import Annotated
from urllib.parse import parse_qs, quote, urlsplit

from fastapi import Depends, Request
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from controller.web.access import Access, Who
from controller.web.phrases import LANGUAGES, phrase

PREFIXES = ("/operator", "/api/operator")
"""Everything at and below these is the operator's."""

OPEN = frozenset({"/operator/login", "/api/operator/login"})
"""Of that, what must be open for somebody to come in at all."""

WHOLE = ("/api/operator/backup", "/api/operator/backups")
"""At and below these is everything at once, with every name that was ever typed: for no script that may only read."""

COOKIE = "boardref_operator"
CSRF_HEADER = "x-csrf-token"
READING = ("GET", "HEAD")


class Gate:
    """ASGI middleware: nobody passes without a session or a key. The route finds out who it is with `Operator`."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or not closed(scope["path"]):
            await self.app(scope, receive, send)
            return
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        found = self._who(scope)
        if isinstance(found, Response):
            await found(scope, receive, send)
            return
        scope.setdefault("state", {})["operator"] = found
        await self.app(scope, receive, send)

    def _who(self, scope: Scope) -> Who | Response:
        request = HTTPConnection(scope)
        reading = scope["method"] in READING
        bearer = _bearer(request.headers)
        if bearer is not None:
            who = self.access.with_key(bearer)
            if who is None:
                return _no(401, "operator_wrong_key", request)
            if not reading and who.may != "operate":
                return _no(403, "operator_may_read", request)
            return _no(403, "operator_may_backup", request) if who.may == "read" and whole(scope["path"]) else who
        page = reading and not scope["path"].startswith("/api/")
        token = request.cookies.get(COOKIE, "")
        who = self.access.with_cookie(token) if token else None
        if who is None:
            return _to_login(request) if page else _no(401, "operator_log_in", request)
        if not reading and not (_from_here(request.headers) and _same(request.headers.get(CSRF_HEADER), who.csrf)):
            return _no(403, "operator_other_page", request)
        if page or not reading:  # a page that only looks by itself keeps nobody logged in
            self.access.with_cookie(token, active=True)
        return who


def closed(path: str) -> bool:
    """Whether an address is the operator's, however it is written."""
    return _below(path, PREFIXES) and path not in OPEN


def whole(path: str) -> bool:
    """Whether a backup is to be had at an address, however it is written."""
    return _below(path, WHOLE)


def _below(path: str, prefixes: tuple[str, ...]) -> bool:
    parts = "/" + "/".join(part for part in path.lower().split("/") if part not in ("", "."))
    return any(parts == prefix or parts.startswith(f"{prefix}/") for prefix in prefixes)


def operator_of(request: Request) -> Who:
    """Who operates; only for routes behind the gate."""
    who = request.scope["state"]["operator"]
    assert isinstance(who, Who)
    return who


Operator = Annotated[Who, Depends(operator_of)]
"""A route's parameter `who: Operator`: the person or script that asks."""


def language_of(request: HTTPConnection) -> str:
    """The language an answer is wanted in: `lang` in the address, else English."""
    wanted = parse_qs(request.scope.get("query_string", b"").decode("latin-1")).get("lang", ["en"])[0]
    return wanted if wanted in LANGUAGES else "en"


def secure(request: HTTPConnection) -> bool:
    """Whether the browser speaks https with us, or with a proxy before us."""
    return request.url.scheme == "https"


def keep_cookie(answer: Response, request: HTTPConnection, token: str) -> None:
    """Give a browser the token of its session: for no script, for no other site, until the browser is closed."""
    answer.set_cookie(COOKIE, token, path="/", secure=secure(request), httponly=True, samesite="strict")


def drop_cookie(answer: Response, request: HTTPConnection) -> None:
    """Take the token back."""
    answer.delete_cookie(COOKIE, path="/", secure=secure(request), httponly=True, samesite="strict")


def _bearer(headers: Headers) -> str | None:
    kind, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if kind.lower() == "bearer" else None


def _from_here(headers: Headers) -> bool:
    """A browser says from which site a POST comes; one that doesn't is not trusted with a cookie."""
    return urlsplit(headers.get("origin", "")).netloc.lower() == headers.get("host", "").lower() != ""


def _same(given: str | None, wanted: str) -> bool:
    return given is not None and hmac.compare_digest(given.encode(), wanted.encode())


def _to_login(request: HTTPConnection) -> Response:
    query = request.scope.get("query_string", b"").decode("latin-1")
    back = request.scope["path"] + (f"?{query}" if query else "")
    return RedirectResponse(f"/operator/login?lang={language_of(request)}&to={quote(back, safe='')}", status_code=303)


def _no(status: int, key: str, request: HTTPConnection) -> Response:
    headers = {"www-authenticate": "Bearer"} if status == 401 else {}
    sentence = phrase(key, language_of(request), domain="operator")
    return JSONResponse({"error": sentence}, status_code=status, headers=headers)
