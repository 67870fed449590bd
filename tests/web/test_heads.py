"""Monitors and link checkers ask with HEAD: every address answers as it does to GET, without the body."""

from __future__ import annotations

import http.client
from typing import Any

import pytest
from starlette.testclient import TestClient

from controller.web.describing import ADDRESS

VARIES = {"content-length", "date"}
"""Between two questions: an age in the answer has more digits or fewer."""


def test_what_answers_to_get_answers_to_head(operator: TestClient) -> None:
    paths = [path for path, methods in operator.get(ADDRESS).json()["paths"].items() if "get" in methods]
    assert len(paths) > 30
    for path in [*paths, "/static/page.js", "/nothing", "/token.svg?kind=none"]:
        address = path.replace("{", "").replace("}", "")
        head = operator.head(address, follow_redirects=False)
        assert head.content == b"", path
        if path == "/events":  # it would never end
            assert (head.status_code, head.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
            continue
        told = operator.get(address, follow_redirects=False)
        assert head.status_code == told.status_code != 405, path
        assert {k: v for k, v in head.headers.items() if k not in VARIES} == {
            k: v for k, v in told.headers.items() if k not in VARIES
        }, path


def test_what_is_only_told_has_no_head(operator: TestClient) -> None:
    assert operator.head("/api/press").status_code == 405


@pytest.mark.parametrize("path", ["/", "/healthz", "/events", "/play", "/operator"])
def test_the_line_goes_on_after_a_head(site: Any, path: str) -> None:
    line = http.client.HTTPConnection("127.0.0.1", site.port, timeout=10)
    try:
        for method in ("HEAD", "HEAD", "GET"):
            line.request(method, path if method == "HEAD" else "/healthz")
            answer = line.getresponse()
            assert answer.status in (200, 303, 403)
            assert (answer.read() == b"") is (method == "HEAD")
    finally:
        line.close()


def test_a_stream_asked_for_its_head_is_no_screen(site: Any) -> None:
    line = http.client.HTTPConnection("127.0.0.1", site.port, timeout=10)
    for _ in range(60):  # more than one address may open
        line.request("HEAD", "/events")
        answer = line.getresponse()
        assert (answer.status, answer.read()) == (200, b"")
    line.close()
