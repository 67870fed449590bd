"""How other devices find this page: its address in the network, and that as a QR code."""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Callable
from io import BytesIO

FRESH_S = 5.0  # an address may come late, or change


def address_of(listener: socket.socket) -> Callable[[], str | None]:
    """Tells where other devices reach what listens there; asked often, looked up seldom."""
    told: list[tuple[float, str | None]] = []

    def address() -> str | None:
        now_s = time.monotonic()
        if not told or now_s - told[-1][0] > FRESH_S:
            host, port = listener.getsockname()[:2]
            told[:] = [(now_s, address_in_network(host, port))]
        return told[-1][1]

    return address


def address_in_network(host: str, port: int) -> str | None:
    """`http://ADDRESS:PORT` at which others reach a page bound to `host` and `port`; None where they can't."""
    address = ipaddress.ip_address(host.partition("%")[0])
    if address.is_unspecified:
        found = _outward(socket.AF_INET) or (_outward(socket.AF_INET6) if address.version == 6 else None)
        if found is None:
            return None
        address = ipaddress.ip_address(found.partition("%")[0])
    if address.is_loopback or address.is_unspecified:
        return None
    name = f"[{address}]" if address.version == 6 else str(address)
    return f"http://{name}" + ("" if port == 80 else f":{port}")


def _outward(family: socket.AddressFamily) -> str | None:
    """The address of this machine in its network; nothing is sent, the kernel only chooses a way."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9) if family == socket.AF_INET else ("2001:db8::1", 9))
            return str(probe.getsockname()[0])
    except OSError:
        return None


def qr_svg(text: str) -> str:
    """A QR code as SVG, dark on white with its quiet zone, whatever the page around it looks like."""
    import segno  # a table whose page nobody shares never needs it

    out = BytesIO()
    code = segno.make(text, error="m", micro=False)
    code.save(out, kind="svg", border=3, dark="#1b1613", light="#ffffff", xmldecl=False, omitsize=True)
    return out.getvalue().decode()
