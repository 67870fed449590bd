"""What screens are told, made once for each language and not once for each screen: two hundred may be watching.

A screen gets the whole of what has changed since it last read, when it is ready for it, never a backlog. The more
screens there are, the less often each of them hears of small things, so that the table never waits for its spectators.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from fastapi.sse import format_sse_event

from controller.web.hub import Hub
from controller.web.pages import build_id
from controller.web.ports import Snapshot, TableLike
from controller.web.state import beat_json, lights_json, view_json

_log = logging.getLogger(__name__)

HEARTBEAT_S = 1.0
MOST_A_SECOND = 400.0
"""So many messages to all screens together; each screen is told at least once a second."""


@dataclass(frozen=True)
class Part:
    """One kind of message: its text without the time, and the whole event as it goes out."""

    text: str
    event: bytes


@dataclass(frozen=True)
class Rendered:
    """Everything that is true at one moment, in one language."""

    snapshot: Snapshot
    parts: dict[str, Part] = field(default_factory=dict)


class Stream:
    """The messages of one table for all its screens. `run` is a task of the web loop as long as the app answers."""

    def __init__(self, table: TableLike, hub: Hub) -> None:
        self._table, self._hub = table, hub
        self._listeners: Counter[str] = Counter()
        self._rendered: dict[str, Rendered] = {}
        self._news: dict[str, asyncio.Event] = {}

    @property
    def screens(self) -> int:
        """How many listen."""
        return self._listeners.total()

    async def run(self) -> None:
        """Render what is new, once for each language that somebody listens in, and wake those whom it concerns."""
        while not self._hub.closed:
            snapshot = await self._hub.next()
            for language in [language for language, count in self._listeners.items() if count]:
                try:
                    self._render(language, snapshot)
                except Exception:  # the screens must come back by themselves when the fault is gone
                    _log.exception("what the screens are told could not be made")
        for news in self._news.values():
            news.set()

    def _render(self, language: str, snapshot: Snapshot) -> Rendered:
        before = self._rendered.get(language)
        beat = beat_json(snapshot, time.time())
        told: dict[str, Any] = {
            "state": {**view_json(snapshot, language), "build": build_id()},
            "lights": lights_json(snapshot, language),
        }
        if self._table.world is not None:
            told["world"] = self._table.world.as_json()
        parts: dict[str, Part] = {}
        for name, part in told.items():
            text = _json(part)
            same = before.parts.get(name) if before is not None else None
            parts[name] = same if same is not None and same.text == text else Part(text, _event(name, beat, part))
        rendered = self._rendered[language] = Rendered(snapshot, parts)
        if before is None or parts != before.parts:
            news, self._news[language] = self._news.get(language), asyncio.Event()
            if news is not None:
                news.set()
        return rendered

    async def to(
        self, language: str, about: Callable[[Snapshot], dict[str, Any]], *, first: bool = False
    ) -> AsyncIterator[bytes]:
        """One screen's messages: all at first, then what changes, and a `beat` each second.

        `about`: what concerns this very screen. `first`: the table's own, which is never kept waiting.
        """
        self._listeners[language] += 1
        try:
            yield format_sse_event(comment="boardref", retry=1000)
            sent: dict[str, str] = {}
            beat_s = 0.0
            while not self._hub.closed:
                rendered = self._rendered.get(language)
                if rendered is None:
                    rendered = self._render(language, self._hub.newest)
                out = [part.event for name, part in rendered.parts.items() if sent.get(name) != part.text]
                sent |= {name: part.text for name, part in rendered.parts.items()}
                now_s = time.monotonic()
                if out or now_s - beat_s >= HEARTBEAT_S:
                    beat_s = now_s
                    newest = self._hub.newest
                    beat = beat_json(newest, time.time())
                    own = about(newest)
                    if (text := _json(own)) != sent.get("players"):
                        sent["players"] = text
                        out.append(_event("players", beat, own))
                    out.append(_event("beat", beat, {}))
                    yield b"".join(out)
                if not first:
                    await asyncio.sleep(max(0.0, self.screens / MOST_A_SECOND - 0.1))
                news = self._news.setdefault(language, asyncio.Event())
                if self._rendered.get(language) is rendered and not self._hub.closed:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(news.wait(), max(0.01, beat_s + HEARTBEAT_S - time.monotonic()))
        finally:
            self._listeners[language] -= 1
            if not self._listeners[language]:
                self._rendered.pop(language, None)


def _json(part: dict[str, Any]) -> str:
    return json.dumps(part, ensure_ascii=False, separators=(",", ":"))


def _event(name: str, beat: dict[str, Any], part: dict[str, Any]) -> bytes:
    return format_sse_event(event=name, data_str=_json({**beat, **part}))
