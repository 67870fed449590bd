"""Where a link stands, and at what pace it works."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from firmware_bridge.saying import NOTHING, Reason
from firmware_bridge.wire.native import DeviceHealth


@dataclass(frozen=True)
class Pace:
    """Every waiting time of the link. `handshake_s`: a board that restarts when its port is opened needs two seconds.

    `back_off_s`: pauses between attempts, the last one for ever. `look_s`: how often to look meanwhile for a new port.
    `boot_s`: how long a strip of lights may take to start (WLED starts its Wi-Fi first), asked every `probe_s`.
    `haste`: how many times faster than usual the strip's own waiting times are; other than 1 only where it pretends.
    """

    resend_s: float = 0.15
    tries: int = 3
    down_after_s: float = 3.0
    handshake_s: float = 3.0
    heartbeat_s: float = 0.5
    lease_ms: int = 1500
    refresh_s: float = 1.0
    back_off_s: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0)
    look_s: float = 0.5
    boot_s: float = 8.0
    probe_s: float = 1.0
    haste: float = 1.0


class LinkState(StrEnum):
    """Where the connection stands."""

    SEARCHING = "searching"
    OPENING = "opening"
    HANDSHAKE = "handshake"
    READY = "ready"
    SUSPECT = "suspect"
    DOWN = "down"
    CLOSED = "closed"


@dataclass(frozen=True)
class Capabilities:
    """What a wire can do. `scenes`: it carries meaning, the device moves its lights itself (else colours, LED by LED).

    `acknowledges`: each scene is answered. `handshake`: a device must answer before it is lit. `lease_s`: after so much
    silence the device says by itself that nobody speaks to it, or darkens; None: it shows the last for ever.
    """

    wire: str
    scenes: bool
    acknowledges: bool
    handshake: bool
    buttons: bool
    lease_s: float | None


NATIVE = Capabilities("native", scenes=True, acknowledges=True, handshake=True, buttons=True, lease_s=1.5)


@dataclass(frozen=True)
class Device:
    """What answered. `sites`: its site lights, `bar`: LEDs of each bar, None where a wire doesn't say.

    `lamp`: whether it has a status lamp, `buttons`: whether it has buttons. `uid`: its own identity, hexadecimal.
    `capabilities`: its wire's.
    """

    name: str
    firmware: str = ""
    sites: int | None = None
    bar: int | None = None
    lamp: bool = True
    buttons: bool = False
    uid: str = ""
    capabilities: Capabilities = NATIVE


@dataclass(frozen=True)
class Standing:
    """How a talk stands: HANDSHAKE until the device has answered, then READY or SUSPECT; the reason where not well."""

    state: LinkState = LinkState.HANDSHAKE
    reason: Reason = NOTHING
    device: Device | None = None
    health: DeviceHealth | None = None


@dataclass(frozen=True)
class LinkStatus:
    """`reason`: a sentence where something is wrong. `since_s`, `next_try_s`: monotonic. `attempts`: failed in a row.

    `device`: what answered, None before. `health`: the device's own counters when it last told them. `connections`:
    how often it was ready, `losses`: how often a ready connection broke, both since the start. `away_since_s`: since
    when no device has answered, None while one does; `since_s` is that of this state.
    """

    state: LinkState
    reason: Reason
    since_s: float
    attempts: int = 0
    next_try_s: float | None = None
    port: str | None = None
    device: Device | None = None
    health: DeviceHealth | None = None
    connections: int = 0
    losses: int = 0
    away_since_s: float | None = None
