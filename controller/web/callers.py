"""Who calls: from which address, and whether it is the table's own screen."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from controller.web.guard import host_name

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

PASSED_ON = ("forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip")
"""Headers with which a proxy says that it speaks for another, beside all that begin with `x-forwarded`."""


@dataclass(frozen=True)
class Callers:
    """`proxies`: addresses of this machine or others where only a proxy speaks, whatever it says of itself."""

    proxies: tuple[Network, ...] = ()

    @classmethod
    def behind(cls, proxies: Iterable[str]) -> Callers:
        """`proxies`: addresses, or networks of them, as the settings write them."""
        return cls(tuple(ipaddress.ip_network(one, strict=False) for one in proxies))

    def own_screen(self, request: HTTPConnection) -> bool:
        """Whether a request comes from a browser on the table's own machine that has opened `localhost`.

        A proxy that runs there gives itself away: it names whom it speaks for, or hands on the name that was asked
        for. One that does neither has to be among the `proxies`.
        """
        names = (name.lower() for name in request.headers)
        return (
            _loopback(_peer(request))
            and not self._by_proxy(request)
            and not any(name.startswith("x-forwarded") or name in PASSED_ON for name in names)
            and _loopback(host_name(request.headers.get("host", "")) or "")
        )

    def address(self, request: HTTPConnection) -> str:
        """Who asks, for counting: the peer, or whom a proxy on this machine or among the `proxies` names last."""
        passed_on = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()[:64]
        trusted = _loopback(_peer(request)) or self._by_proxy(request)
        return passed_on if passed_on and trusted else _peer(request)

    def _by_proxy(self, request: HTTPConnection) -> bool:
        address = _address(_peer(request))
        return address is not None and any(address in network for network in self.proxies)


def _peer(request: HTTPConnection) -> str:
    return request.client.host if request.client else ""


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _loopback(host: str) -> bool:
    address = _address(host)
    return host == "localhost" or (address is not None and bool(address.is_loopback))
