"""`/events`: the stream that every open page listens to; how many may, and who goes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated

from fastapi import FastAPI, HTTPException, Query, Request
from fastapi.responses import StreamingResponse

from controller.web.pages import Lang
from controller.web.players import Players
from controller.web.playing import Token, told
from controller.web.ports import TableLike
from controller.web.stream import Stream

SCREENS = 200
"""More than that is not a table."""
OF_ONE = 50
"""Of one address: a school behind one router, but nobody who opens all of them."""
OWN = 8
"""Of the table's own machine; these are beside the others, so that a crowd can't shut out its display."""


def add_screens(app: FastAPI, table: TableLike, stream: Stream, players: Players) -> None:
    """The event stream. Of each screen only its number is kept, as long as it is open."""
    clients: Counter[str] = Counter()
    own = 0

    @app.get("/events")
    async def events(request: Request, lang: Lang = "en", t: Annotated[Token, Query()] = "") -> StreamingResponse:
        first = players.callers.own_screen(request) and own < OWN
        client = players.callers.address(request)
        if not first and (clients.total() >= SCREENS or clients[client] >= OF_ONE):
            raise HTTPException(503, "Too many screens are open at this table; close one.")

        async def counted() -> AsyncIterator[bytes]:
            nonlocal own
            if first:
                own += 1
            else:
                clients[client] += 1
            try:
                async for message in stream.to(lang, partial(told, request, t, table, players), first=first):
                    yield message
            finally:
                if first:
                    own -= 1
                else:
                    clients[client] -= 1
                    if not clients[client]:
                        del clients[client]

        return StreamingResponse(counted(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})
