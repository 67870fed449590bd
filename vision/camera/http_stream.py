"""MJPEG over HTTP, with time-outs that hold: for the connection, for the answer, and for every picture.

Written on a plain socket because the ready-made readers queue pictures, hand out damaged ones as good, and count
their time-outs anew with every byte that drips in. Only looking up a host's name can take longer; the supervisor calls
the camera lost meanwhile.
"""

from __future__ import annotations

import base64
import hashlib
import http.client
import io
import os
import socket
import ssl
import time
from email.message import Message
from urllib.parse import SplitResult, unquote, urljoin, urlsplit
from urllib.request import parse_http_list, parse_keqv_list

from vision.camera import saying
from vision.camera.feed import FeedError, Patience
from vision.camera.stream import JpegStream

_MOST_HEAD_BYTES = 65_536
_MOST_HOPS = 5
_BUFFER_BYTES = 1 << 19
"""Of the kernel: a few pictures. With a large one a slow reader would look at the past."""


class OtherKind(Exception):
    """The address answers with video of another kind, which another reader must open."""


def masked(url: str) -> str:
    """The address without name and password: they must not be shown or logged."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl() if "@" in parts.netloc else url


class HttpFeed(JpegStream):
    """A running MJPEG stream. The constructor connects; FeedError in one sentence, or OtherKind."""

    def __init__(self, url: str, patience: Patience) -> None:
        super().__init__(saying.stream(masked(url)), patience)
        self._chunks: _Chunks | None = None
        self._first = b""
        self._socket = self._connect(url, time.monotonic() + patience.open_s)
        self._due_s = time.monotonic() + patience.picture_s

    def fileno(self) -> int:
        """The socket's."""
        return self._socket.fileno()

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _ready(self, timeout_s: float) -> bool:
        if self._first or (isinstance(self._socket, ssl.SSLSocket) and self._socket.pending()):
            return True
        return super()._ready(timeout_s)

    def _receive(self, most: int) -> bytes:
        if self._first:
            data, self._first = self._first, b""
        else:
            try:
                data = self._socket.recv(most)
            except (TimeoutError, ssl.SSLWantReadError):
                return b""  # TLS: readable, but not yet a whole record
            except OSError as error:
                raise FeedError("broke_off", **self.who, reason=str(error.strerror or error)) from None
            if not data:
                raise FeedError("hung_up", **self.who)
        return self._chunks.feed(data) if self._chunks else data

    def _connect(self, url: str, deadline_s: float) -> socket.socket:
        authorization: str | None = None
        for _ in range(_MOST_HOPS):
            parts = urlsplit(url)
            line, kept = self._dial(parts, deadline_s), False
            try:
                status, headers = self._ask(line, parts, authorization, deadline_s)
                if status == 401 and authorization is None and parts.username is not None:
                    authorization = _authorization(headers, parts)
                elif status in (301, 302, 303, 307, 308) and headers.get("Location"):
                    here = urljoin(url, headers["Location"])
                    if urlsplit(here).hostname == parts.hostname and parts.username is not None:
                        here = urlsplit(here)._replace(netloc=parts.netloc).geturl()
                    url, authorization = here, None
                else:
                    self._accept(status, headers)
                    line.settimeout(0.5)
                    kept = True
                    return line
            finally:
                if not kept:
                    line.close()
        raise FeedError("round", **self.who)

    def _dial(self, parts: SplitResult, deadline_s: float) -> socket.socket:
        try:
            host, port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError:
            host, port = None, 0
        if not host:
            raise FeedError("no_address", **self.who)
        try:
            line = socket.create_connection((host, port), timeout=_left(deadline_s))
        except TimeoutError:
            raise FeedError("no_answer", **self.who) from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise FeedError("not_reached", **self.who, reason=reason) from None
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _BUFFER_BYTES)
        if parts.scheme != "https":
            return line
        try:
            line.settimeout(_left(deadline_s))
            return ssl.create_default_context().wrap_socket(line, server_hostname=host)
        except TimeoutError:
            line.close()
            raise FeedError("mute", **self.who) from None
        except (OSError, ValueError) as error:
            line.close()
            why = getattr(error, "verify_message", None) or getattr(error, "reason", None) or error
            raise FeedError("not_safe", **self.who, reason=str(why)) from None

    def _ask(
        self, line: socket.socket, parts: SplitResult, authorization: str | None, deadline_s: float
    ) -> tuple[int, Message]:
        """Status and headers of the answer; what came of the body already is kept."""
        host = parts.netloc.rpartition("@")[2]
        request = [f"GET {_path(parts)} HTTP/1.1", f"Host: {host}", "User-Agent: boardref", "Accept: */*"]
        if authorization:
            request.append(f"Authorization: {authorization}")
        head = b""
        try:
            line.settimeout(_left(deadline_s))
            line.sendall("\r\n".join([*request, "Connection: close", "", ""]).encode("latin-1", "replace"))
            while b"\r\n\r\n" not in head and b"\n\n" not in head:
                line.settimeout(_left(deadline_s))
                data = line.recv(4096)
                head += data
                if not data or len(head) > _MOST_HEAD_BYTES:
                    raise FeedError("nonsense", **self.who)
        except TimeoutError:
            raise FeedError("mute", **self.who) from None
        except OSError as error:
            raise FeedError("broke_off", **self.who, reason=str(error.strerror or error)) from None
        end = min(at + len(gap) for gap in (b"\r\n\r\n", b"\n\n") if (at := head.find(gap)) >= 0)
        first, _, rest = head[:end].partition(b"\n")
        words = first.split()
        try:
            status = int(words[1])
            headers: Message = http.client.parse_headers(io.BytesIO(rest))
        except (IndexError, ValueError, http.client.HTTPException):
            raise FeedError("nonsense", **self.who) from None
        self._first = head[end:]
        self._chunks = _Chunks() if headers.get("Transfer-Encoding", "").lower() == "chunked" else None
        return status, headers

    def _accept(self, status: int, headers: Message) -> None:
        if status == 401:
            raise FeedError("password", **self.who)
        if status != 200:
            code = {403: "refuses", 404: "nothing_there", 503: "busy"}.get(status, "fault")
            raise FeedError(code, **self.who, status=str(status))
        kind = headers.get_content_type() if headers.get("Content-Type") else "multipart/x-mixed-replace"
        if kind.startswith("multipart/") or kind in ("application/octet-stream", "video/x-motion-jpeg"):
            return
        if kind.startswith("image/"):
            raise FeedError("single", **self.who, type=kind)
        if kind.startswith("text/") or kind in ("application/json", "application/xml"):
            raise FeedError("page", **self.who, type=kind)
        raise OtherKind(kind)


class _Chunks:
    """Undoes HTTP's chunked coding."""

    def __init__(self) -> None:
        self._held = b""
        self._left = 0

    def feed(self, data: bytes) -> bytes:
        """The content in these bytes. A coding that makes no sense is passed on: the pictures' own marks decide."""
        data, out = self._held + data, []
        while data:
            if self._left > 0:
                out.append(data[: self._left])
                taken = len(out[-1])
                self._left, data = self._left - taken, data[taken:]
                continue
            line, newline, rest = data.partition(b"\n")
            if not newline and len(data) < 100:
                break
            size = line.split(b";")[0].strip()
            data = rest
            try:
                self._left = int(size, 16) if size else 0
            except ValueError:
                out.append(line)
        self._held = data
        return b"".join(out)


def _left(deadline_s: float) -> float:
    left_s = deadline_s - time.monotonic()
    if left_s <= 0:
        raise TimeoutError
    return left_s


def _path(parts: SplitResult) -> str:
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return path.replace(" ", "%20").replace("\r", "").replace("\n", "")


def _authorization(headers: Message, parts: SplitResult) -> str | None:
    """The answer to a challenge: Digest where offered, otherwise Basic."""
    name, password = unquote(parts.username or ""), unquote(parts.password or "")
    offers = [str(offer) for offer in headers.get_all("WWW-Authenticate", [])]
    digest = next((offer for offer in offers if offer.lower().startswith("digest ")), None)
    if digest is None:
        return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()
    given = parse_keqv_list(parse_http_list(digest[7:]))
    algorithm = given.get("algorithm", "MD5")
    make = hashlib.sha256 if algorithm.upper().startswith("SHA-256") else hashlib.md5

    def hashed(*words: str) -> str:
        return make(":".join(words).encode()).hexdigest()

    path, nonce, fresh = _path(parts), given.get("nonce", ""), os.urandom(8).hex()
    who, what = hashed(name, given.get("realm", ""), password), hashed("GET", path)
    said = {"username": name, "realm": given.get("realm", ""), "nonce": nonce, "uri": path}
    tail = f", algorithm={algorithm}"
    if "auth" in given.get("qop", ""):
        said["response"] = hashed(who, nonce, "00000001", fresh, "auth", what)
        tail += f', qop=auth, nc=00000001, cnonce="{fresh}"'
    else:
        said["response"] = hashed(who, nonce, what)
    if "opaque" in given:
        said["opaque"] = given["opaque"]
    return "Digest " + ", ".join(f'{key}="{value}"' for key, value in said.items()) + tail
