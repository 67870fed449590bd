"""Who may come in, before a request is read: crowds and slow or broken devices must not use up the table's places."""

from __future__ import annotations

import asyncio
import ipaddress
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 500
"""Open connections of everybody; the system allows a process 1024 files, and camera, lights and journal need theirs."""
OF_ONE = 120
"""Of one address that is not this machine's own."""
READ_S = 10.0
"""A request must be here as a whole within this time; answers may take as long as they like."""


class Door(H11Protocol):
    """uvicorn's HTTP/1.1, which waits for ever for a request that comes byte by byte, with limits."""

    most, of_one, read_s = MOST, OF_ONE, READ_S
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """One more, or none."""
        super().connection_made(transport)
        crowd = len(self.connections) > self.most
        if crowd or (not self._own() and self._siblings() > self.of_one):
            transport.abort()
            return
        self._late = self.loop.call_later(self.read_s, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """From here on the next request has its time."""
        if self._late is not None:
            self._late.cancel()
        self._late = self.loop.call_later(self.read_s, self._look)
        super().on_response_complete()

    def _look(self) -> None:
        """Time is over: is the request here, or are we still reading?"""
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self.transport.abort()

    def _own(self) -> bool:
        try:
            address: Any = ipaddress.ip_address(self.client[0] if self.client else "")
        except ValueError:
            return False
        return bool((getattr(address, "ipv4_mapped", None) or address).is_loopback)

    def _siblings(self) -> int:
        host = self.client[0] if self.client else None
        others = (getattr(one, "client", None) for one in self.connections)
        return sum(client is not None and client[0] == host for client in others)
