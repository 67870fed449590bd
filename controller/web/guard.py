"""What stands between the page and the network: which names it answers to, what browsers may do with it."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_LIMIT = 4096  # bytes; the largest honest request is a few dozen

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}


def own_names(more: Iterable[str] = ()) -> frozenset[str]:
    """This machine's names in small letters: localhost, its host name, that name under `.local`, and `more`."""
    host = socket.gethostname().lower()
    short = host.split(".")[0]
    return frozenset({"localhost", host, short, f"{short}.local", *(name.lower().strip(".") for name in more)})


def host_name(header: str) -> str | None:
    """The name in a Host header without its port, in small letters; None when it isn't one."""
    try:
        name = urlsplit(f"//{header}").hostname
    except ValueError:
        return None
    return name.rstrip(".") if name else None


def known_host(header: str | None, names: frozenset[str]) -> bool:
    """Whether a Host header may be answered: an IP address (no foreign page can borrow one) or one of `names`."""
    name = host_name(header) if header else None
    if name is None:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name in names
    return True


class Guard:
    """ASGI middleware: Host check against DNS rebinding, origin check for every POST, size limit, security headers."""

    def __init__(self, app: ASGIApp, names: frozenset[str]) -> None:
        self.app = app
        self.names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if "cache-control" not in headers:
                    headers["cache-control"] = "no-store"
            await send(message)

        refusal = self._refusal(scope["method"], Headers(scope=scope))
        if refusal is not None:
            await refusal(scope, receive, guarded)
        else:
            await self.app(scope, receive, guarded)

    def _refusal(self, method: str, headers: Headers) -> JSONResponse | None:
        host = headers.get("host")
        if not known_host(host, self.names):
            said = "This table does not answer to that name; open it by its IP address"
            return _no(400, f"{said}, or add the name to `names` in its settings.")
        if method in ("GET", "HEAD"):
            return None
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != (host or "").lower():
            return _no(403, "This request comes from another site; use the table's own page.")
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return _no(403, "This request comes from another site; use the table's own page.")
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return _no(415, "Send JSON, with the header Content-Type: application/json.")
        # a body in chunks has no length that holds, whatever it says of itself
        length = headers.get("content-length", "") if "transfer-encoding" not in headers else ""
        if not length.isascii() or not length.isdigit():
            return _no(411, "Say how long the request is (Content-Length).")
        if int(length) > BODY_LIMIT:
            return _no(413, f"The request is too long; at most {BODY_LIMIT} bytes are read.")
        return None


def _no(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status_code=status)
