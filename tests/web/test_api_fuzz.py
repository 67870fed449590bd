"""The whole API from its own description: whatever is sent, every answer is one that the description knows.

No internal fault, no traceback, no route of the operator's for anybody else, nothing long, and each refusal a sentence.
"""

from __future__ import annotations

import json
import logging
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from starlette.testclient import TestClient

from controller.cli.demo import demo_parts
from controller.config import RecordsConfig
from controller.keeping import keeping_of
from controller.web.app import create_app
from controller.web.describing import ADDRESS, ROUTES, Refusal
from controller.web.gate import closed
from controller.web.guard import BODY_LIMIT, HEADERS
from controller.web.players import Players, RateLimit
from controller.web.shelf import Records

KEYS = {"operate": "Bearer fuzz-" + "0123456789abcdef" * 2, "read": "Bearer read-" + "fedcba9876543210" * 2}


@pytest.fixture(scope="module")
def access() -> Any:
    from controller.web.access import Access, ApiKey

    keys = [ApiKey.of(f"for-{may}", words.partition(" ")[2], may) for may, words in KEYS.items()]  # type: ignore[arg-type]
    return Access("2580", keys)


class Endless(RateLimit):
    """Everybody may speak as often as they like: this test does."""

    def allows(self, client: str) -> bool:
        return True


@pytest.fixture
def client(stage: Any, access: Any) -> Iterator[TestClient]:
    app = create_app(stage, access=access, players=Players(rate=Endless()))
    with TestClient(app, base_url="http://localhost", client=("127.0.0.1", 50_000)) as opened:
        yield opened


class Routes(list[tuple[str, str, dict[str, Any]]]):
    """Method, path and description; too long to be printed."""

    def __repr__(self) -> str:
        return f"<{len(self)} routes>"


@pytest.fixture
def routes(client: TestClient) -> Routes:
    told = client.get(ADDRESS).json()
    assert told["info"]["title"] == "Boardref"
    return Routes((method, path, route) for path, methods in told["paths"].items() for method, route in methods.items())


def test_every_route_is_described_and_nothing_else(client: TestClient, routes: Any) -> None:
    there = {f"{method.upper()} {path}" for method, path, _ in routes}
    assert there - ROUTES.keys() == set(), "say in controller/web/describing.py and docs/api.md what it is for"
    assert ROUTES.keys() - there <= {"GET /metrics"}
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `([A-Z]+ /[^`]*)` \|", page, re.M))
    assert listed == set(ROUTES), "docs/api.md lists every route, with what it is for"
    for name, (said, _) in ROUTES.items():
        assert f"| `{name}` | {said}" in page
    assert all(("security" in route) is closed(path) for _, path, route in routes)
    schemas = client.get(ADDRESS).json()["components"]["schemas"]
    named = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(client.get(ADDRESS).json())))
    assert named <= schemas.keys()


def valid(rng: random.Random, schema: dict[str, Any], schemas: dict[str, Any]) -> Any:
    """A value that a schema of ours allows, as far as it says."""
    if "$ref" in schema:
        return valid(rng, schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "enum" in schema or "const" in schema:
        return rng.choice(schema.get("enum") or [schema["const"]])
    if "anyOf" in schema:
        return valid(rng, rng.choice(schema["anyOf"]), schemas)
    match schema.get("type"):
        case "string":
            fitting = [word for word in WORDS if re.search(schema.get("pattern", ""), word)]
            return rng.choice([*fitting, "", "2026-11-30", text(rng)])[: schema.get("maxLength", 60)]
        case "integer":
            least, most = int(schema.get("minimum", -(2**70))), int(schema.get("maximum", 2**70))
            return rng.choice([least, most, rng.randint(least, most), min(max(1, least), most)])
        case "number":
            return rng.choice([0.0, -0.0, 1.5, 1e300, -2000.0, 148.5])
        case "boolean":
            return rng.random() < 0.5
        case "null":
            return None
        case "array":
            return [valid(rng, schema.get("items", {}), schemas) for _ in range(rng.randrange(4))]
        case "object":
            known = schema.get("properties", {})
            if known:
                wanted = [name for name in known if name in schema.get("required", []) or rng.random() < 0.6]
                return {name: valid(rng, known[name], schemas) for name in wanted}
            more = schema.get("additionalProperties")
            inner = more if isinstance(more, dict) else {}
            return {rng.choice([*WORDS, text(rng)]): valid(rng, inner, schemas) for _ in range(rng.randrange(4))}
    return anything(rng)


def text(rng: random.Random) -> str:
    letters = [chr(rng.choice([rng.randrange(32, 127), rng.randrange(1, 0xD7FF)])) for _ in range(rng.randrange(12))]
    return "".join(letters)


def anything(rng: random.Random, depth: int = 0) -> Any:
    """Any JSON, and what Python takes for it (NaN)."""
    number = rng.choice([rng.randint(-(2**70), 2**70), rng.random(), float("nan"), float("inf")])
    plain = [None, True, number, text(rng), rng.choice(WORDS)]
    if depth > 3 or rng.random() < 0.5:
        return rng.choice(plain)
    if rng.random() < 0.5:
        return [anything(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice([text(rng), *WORDS]): anything(rng, depth + 1) for _ in range(rng.randrange(4))}


WORDS = (
    "transet", "South", "North", "c1-c2", "c3", "dark-PIAS", "0-0", "rbkbr/5/5/5/RBKBR S", "pause", "resume",
    "set_position", "correct", "take_back", "new_game", "lights", "name_players", "position", "n", "text", "reason",
    "each", "lamp",
    "../../etc/passwd", "..%2f..%2fboardref.db", "%00", "\x00", "'; DROP TABLE row; --", "{0.__class__}", "{{7*7}}",
    "<script>", "\U0001f600", "1e400", "NaN", "-1", "9" * 400,
)  # fmt: skip
def check(method: str, path: str, route: dict[str, Any], answer: Any) -> None:
    """The answer is one that the description knows, and nothing of our inside is in it."""
    where = f"{method} {answer.request.url}: {answer.status_code} {answer.text[:300]}"
    assert answer.status_code < 500 or answer.status_code in (503, 507), where
    assert "Traceback" not in answer.text, where
    assert not re.search(r'File "[^"]+", line \d+, in ', answer.text), where
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS, where
    media = answer.headers.get("content-type", "").partition(";")[0]
    _, kind = ROUTES[f"{method.upper()} {path}"]
    if answer.status_code == 303:
        return
    good = str(answer.status_code) in route["responses"]
    if good and isinstance(kind, str):
        assert media == kind or kind == "*/*", where
    elif kind == "text/html" and media == "text/html":
        assert "</html>" in answer.text, where  # a page for people says by itself what is not to be had
    else:
        assert media == "application/json", where
        model: type[BaseModel] = kind if good and not isinstance(kind, str) else Refusal
        told = model.model_validate(answer.json())
        if isinstance(told, Refusal) and not good:
            assert re.fullmatch(r".+[.!?…)]", told.error, re.S), where


def ask(
    client: TestClient, method: str, path: str, rng: random.Random, route: dict[str, Any], schemas: Any, headers: Any
) -> Any:
    """One request, more or less as it is meant."""
    honest = rng.random() < 0.7
    query: dict[str, Any] = {}
    for one in route.get("parameters", []):
        value = valid(rng, one["schema"], schemas) if honest else rng.choice([text(rng), *WORDS])
        if one["in"] == "path":
            part = re.sub(r"[/?#%\\\s]|[^\x20-\x7e]", "", str(value)) or "1"
            path = path.replace(f"{{{one['name']}}}", "1" if set(part) == {"."} else part)
        elif one.get("required") or rng.random() < 0.5:
            query[one["name"]] = "" if value is None else str(value)
    if method != "post":
        return client.request(method, path, params=query, headers=headers, follow_redirects=False)
    content = route.get("requestBody", {}).get("content", {}).get("application/json", {})
    body = valid(rng, content.get("schema", {}), schemas) if honest else rng.choice([anything(rng), rng.randbytes(30)])
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = {"content-type": "application/json", **headers}
    return client.post(path, params=query, content=raw[:BODY_LIMIT], headers=headers, follow_redirects=False)


QUIET = ("/events",)  # it never ends; tests/web/test_screens.py listens to it


FUZZ = settings(
    max_examples=10, deadline=None, suppress_health_check=list(HealthCheck),
    phases=(Phase.generate,),  # the message says what was asked: fifty requests are not made smaller one by one
)  # fmt: skip


@FUZZ
@given(seed=st.integers(0, 2**32))
def test_whatever_is_asked_is_answered_in_a_way_that_is_described(client: TestClient, routes: Any, seed: int) -> None:
    schemas, rng = client.get(ADDRESS).json()["components"]["schemas"], random.Random(seed)
    for method, path, route in routes:
        if path in QUIET or path == "/api/operator/login":
            continue
        headers = {"authorization": KEYS["operate"]} if closed(path) else {}
        check(method, path, route, ask(client, method, path, rng, route, schemas, headers))


@settings(FUZZ, max_examples=2)
@given(seed=st.integers(0, 2**32))
def test_nobody_else_comes_into_the_operators_rooms(client: TestClient, routes: Any, stage: Any, seed: int) -> None:
    schemas, rng = client.get(ADDRESS).json()["components"]["schemas"], random.Random(seed)
    strangers: tuple[dict[str, str], ...] = (
        {}, {"authorization": "Bearer wrong-" + "x" * 30}, {"cookie": "boardref_operator=" + "x" * 40},
        {"authorization": "Basic b3BlcmF0b3I6MjU4MA=="}, {"x-forwarded-for": "127.0.0.1"},
    )  # fmt: skip
    inner = [(method, path, route) for method, path, route in routes if closed(path)]
    assert len(inner) > 20
    for method, path, route in inner:
        for headers in strangers:
            answer = ask(client, method, path, rng, route, schemas, headers)
            check(method, path, route, answer)
            assert answer.status_code in (401, 303), (method, path, answer.status_code)
            assert answer.status_code == 401 or answer.headers["location"].startswith("/operator/login")
        if method == "post" and path != "/api/operator/logout":
            refused = ask(client, method, path, rng, route, schemas, {"authorization": KEYS["read"]})
            assert refused.status_code == 403, (method, path, refused.text)
    assert stage.sent == []


def test_what_is_too_long_is_refused_everywhere(client: TestClient, routes: Any, stage: Any) -> None:
    for method, path, _ in routes:
        address = re.sub(r"\{\w+\}", "1", path)
        headers = {"authorization": KEYS["operate"], "content-type": "application/json"}
        if method == "post":
            for size in (BODY_LIMIT + 1, 3_000_000):
                answer = client.post(address, content=b'"' + b"x" * size + b'"', headers=headers)
                assert answer.status_code == 413, path
            chunked = client.post(address, content=iter([b'"', b"x" * 9000, b'"']), headers=headers)
            assert chunked.status_code == 411, path
            deep = client.post(address, content=b"[" * 4000, headers=headers)
            assert deep.status_code in (400, 401, 403, 409, 422) or path == "/api/operator/logout", path
        assert client.request("DELETE", address, headers={**headers, "content-length": "0"}).status_code in (404, 405)
    assert stage.sent == []


@pytest.fixture
def running(tmp_path: Path, access: Any) -> Iterator[tuple[TestClient, Any]]:
    """A whole table in software behind the app: referee, journal, records."""
    demo = demo_parts("transet", tmp_path)
    demo.table.start()
    app = create_app(
        demo.table, access=access, players=Players(rate=Endless()), records=Records(tmp_path / "boardref.db"),
        keeping=keeping_of(demo.table, tmp_path, RecordsConfig(backups=0), {}),
    )  # fmt: skip
    with TestClient(app, base_url="http://localhost", client=("127.0.0.1", 50_000)) as opened:
        yield opened, demo
    demo.table.stop()
    demo.device.close()


def test_a_real_table_survives_whatever_it_is_told(running: Any, caplog: pytest.LogCaptureFixture) -> None:
    client, demo = running
    schemas = client.get(ADDRESS).json()["components"]["schemas"]
    paths = client.get(ADDRESS).json()["paths"]
    for seed in range(12):
        rng = random.Random(seed)
        for path, methods in paths.items():
            for method, route in methods.items():
                often = 4 if path in ("/api/operator/order", "/api/press", "/api/world") else 1
                if path in (*QUIET, "/api/operator/login") or (seed > 3 and often == 1) or "export" in path:
                    continue
                headers = {"authorization": KEYS["operate"]} if closed(path) else {}
                for _ in range(often):
                    check(method, path, route, ask(client, method, path, rng, route, schemas, headers))
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
    client.post("/api/world", json={"op": "reset"})
    order = {"name": "new_game", "arguments": {}}
    client.post("/api/operator/order", json={"name": "resume"}, headers={"authorization": KEYS["operate"]})
    assert client.post("/api/operator/order", json=order, headers={"authorization": KEYS["operate"]}).status_code < 500
    ends_s = time.monotonic() + 30
    while not (demo.table.ready() and demo.table.snapshot().view.phase in ("play", "setup")):
        assert time.monotonic() < ends_s, demo.table.snapshot().view
        time.sleep(0.05)
