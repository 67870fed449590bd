"""The native wire (BRL1): `00`-terminated COBS frames of header, payload and CRC-16/IBM-3740, big endian.

Header: version << 4 | flags (bit 0: acknowledgement wanted), type, sequence number (1..255, 0 = unsolicited). The host
sends meaning (hue and rhythm of each light), rarely and always as whole state; the device does the blinking itself.
"""

from __future__ import annotations

import struct
from binascii import crc_hqx
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from cobs import cobs

VERSION = 1
WANTS_ACK = 1
FRAME_LIMIT = 512  # bytes of a decoded frame: header, payload and CRC
ENCODED_LIMIT = FRAME_LIMIT + FRAME_LIMIT // 254 + 1
WAKE = b"\0\0"  # what a host sends on opening: ends whatever half frame the other side still holds

BAR = 0x4000  # address of LED i of a side's bar: BAR + side * 0x100 + i
BAR_WHOLE = 0xFF
LAMP = 0x7FFF

CAN_LAMP, HAS_BUTTONS = 1, 2  # capability bits of HELLO_ACK: a single status lamp, "done" buttons

NACK_CRC, NACK_TOO_LONG, NACK_UNKNOWN, NACK_BAD_SITE, NACK_BUSY = range(1, 6)


@dataclass(frozen=True)
class Hello:
    """Host to device: who are you? `max_version`: the newest version the host speaks."""

    TYPE: ClassVar[int] = 0x01
    FLAGS: ClassVar[int] = WANTS_ACK
    max_version: int = VERSION


@dataclass(frozen=True)
class HelloAck:
    """What the device is: firmware number, site lights, LEDs of each bar, capability bits, longest frame, identity."""

    TYPE: ClassVar[int] = 0x81
    FLAGS: ClassVar[int] = 0
    version: int
    firmware: int
    sites: int
    bar: int
    capabilities: int
    max_payload: int
    uid: bytes


@dataclass(frozen=True)
class Heartbeat:
    """The host lives: the device may go on showing `epoch` for `lease_ms`. Never acknowledged."""

    TYPE: ClassVar[int] = 0x02
    FLAGS: ClassVar[int] = 0
    lease_ms: int
    epoch: int


@dataclass(frozen=True)
class SceneMessage:
    """The whole state. `lights`: (address, code) in this order, absent = off. `scene`: its vocabulary number."""

    TYPE: ClassVar[int] = 0x10
    FLAGS: ClassVar[int] = WANTS_ACK
    epoch: int
    scene: int
    brightness: int
    lights: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Clear:
    """All lights off."""

    TYPE: ClassVar[int] = 0x13
    FLAGS: ClassVar[int] = WANTS_ACK


@dataclass(frozen=True)
class Identify:
    """Show one light, to find it."""

    TYPE: ClassVar[int] = 0x14
    FLAGS: ClassVar[int] = WANTS_ACK
    site: int


@dataclass(frozen=True)
class Brightness:
    """Change the brightness, 0..255, of what is shown."""

    TYPE: ClassVar[int] = 0x15
    FLAGS: ClassVar[int] = WANTS_ACK
    level: int


@dataclass(frozen=True)
class Reboot:
    """Start again."""

    TYPE: ClassVar[int] = 0x1F
    FLAGS: ClassVar[int] = WANTS_ACK


@dataclass(frozen=True)
class Ack:
    """The frame with this sequence number was taken and done; 0 = well."""

    TYPE: ClassVar[int] = 0x82
    FLAGS: ClassVar[int] = 0
    status: int = 0


@dataclass(frozen=True)
class Nack:
    """The frame with this sequence number was refused; a NACK_… reason."""

    TYPE: ClassVar[int] = 0x83
    FLAGS: ClassVar[int] = 0
    reason: int


@dataclass(frozen=True)
class ButtonEvent:
    """A button of the device; repeated with its own counter until the host's ACK. `action`: 0 pressed, 1 held."""

    TYPE: ClassVar[int] = 0x90
    FLAGS: ClassVar[int] = WANTS_ACK
    button: int
    action: int


@dataclass(frozen=True)
class DeviceHealth:
    """STATUS, every 5 s: seconds since power-up, counters of received, damaged and overrun frames, supply in mV."""

    TYPE: ClassVar[int] = 0x91
    FLAGS: ClassVar[int] = 0
    uptime_s: int
    received: int
    damaged: int
    overrun: int
    supply_mv: int


Message = (
    Hello
    | HelloAck
    | Heartbeat
    | SceneMessage
    | Clear
    | Identify
    | Brightness
    | Reboot
    | Ack
    | Nack
    | ButtonEvent
    | DeviceHealth
)


@dataclass(frozen=True)
class Frame:
    """A message as it travelled, with its sequence number and whether an acknowledgement is wanted."""

    message: Message
    seq: int
    wants_ack: bool = False


@dataclass(frozen=True)
class Fault:
    """Bytes that were no frame: a NACK_… `reason`, and `seq` where the header was plausible (else don't answer)."""

    reason: int
    seq: int | None = None


def _payload(message: Message) -> bytes:
    match message:
        case Hello(version):
            return struct.pack(">B", version)
        case HelloAck(version, firmware, sites, bar, capabilities, longest, uid):
            return struct.pack(">BHHBHH8s", version, firmware, sites, bar, capabilities, longest, uid)
        case Heartbeat(lease_ms, epoch):
            return struct.pack(">HH", lease_ms, epoch)
        case SceneMessage(epoch, scene, brightness, lights):
            head = struct.pack(">HBBB", epoch, scene, brightness, len(lights))
            return head + b"".join(struct.pack(">HB", address, code) for address, code in lights)
        case Identify(site):
            return struct.pack(">H", site)
        case Brightness(value) | Ack(value) | Nack(value):
            return struct.pack(">B", value)
        case ButtonEvent(button, action):
            return struct.pack(">BB", button, action)
        case DeviceHealth(uptime_s, received, damaged, overrun, supply_mv):
            return struct.pack(">IHHHH", uptime_s, received, damaged, overrun, supply_mv)
        case Clear() | Reboot():
            return b""


def _read_scene(payload: bytes) -> SceneMessage:
    epoch, scene, brightness, count = struct.unpack_from(">HBBB", payload)
    if len(payload) != 5 + 3 * count:
        raise struct.error
    return SceneMessage(epoch, scene, brightness, tuple(struct.iter_unpack(">HB", payload[5:])))


def _read_nothing(kind: type[Clear] | type[Reboot]) -> Callable[[bytes], Message]:
    def read(payload: bytes) -> Message:
        if payload:
            raise struct.error
        return kind()

    return read


_READERS: dict[int, Callable[[bytes], Message]] = {
    Hello.TYPE: lambda payload: Hello(*struct.unpack(">B", payload)),
    HelloAck.TYPE: lambda payload: HelloAck(*struct.unpack(">BHHBHH8s", payload)),
    Heartbeat.TYPE: lambda payload: Heartbeat(*struct.unpack(">HH", payload)),
    SceneMessage.TYPE: _read_scene,
    Clear.TYPE: _read_nothing(Clear),
    Identify.TYPE: lambda payload: Identify(*struct.unpack(">H", payload)),
    Brightness.TYPE: lambda payload: Brightness(*struct.unpack(">B", payload)),
    Reboot.TYPE: _read_nothing(Reboot),
    Ack.TYPE: lambda payload: Ack(*struct.unpack(">B", payload)),
    Nack.TYPE: lambda payload: Nack(*struct.unpack(">B", payload)),
    ButtonEvent.TYPE: lambda payload: ButtonEvent(*struct.unpack(">BB", payload)),
    DeviceHealth.TYPE: lambda payload: DeviceHealth(*struct.unpack(">IHHHH", payload)),
}


def raw_frame(message: Message, seq: int) -> bytes:
    """Header, payload and CRC, before COBS. Raises ValueError for what the format can't hold."""
    try:
        body = struct.pack(">BBB", VERSION << 4 | message.FLAGS, message.TYPE, seq) + _payload(message)
    except struct.error as error:
        raise ValueError(f"{message} does not fit the native wire: {error}") from None
    raw = body + struct.pack(">H", crc_hqx(body, 0xFFFF))
    if len(raw) > FRAME_LIMIT:
        raise ValueError(f"a frame of {len(raw)} bytes is longer than {FRAME_LIMIT}")
    return raw


def encode(message: Message, seq: int) -> bytes:
    """The frame as it goes on the wire, with its closing zero."""
    return bytes(cobs.encode(raw_frame(message, seq))) + b"\0"


def decode_frame(encoded: bytes) -> Frame | Fault:
    """Read one frame without its closing zero."""
    if len(encoded) > ENCODED_LIMIT:
        return Fault(NACK_TOO_LONG)
    try:
        raw = bytes(cobs.decode(encoded))
    except cobs.DecodeError:
        return Fault(NACK_CRC)
    if len(raw) < 5:
        return Fault(NACK_CRC)
    first, kind, seq = raw[:3]
    plausible = first >> 4 == VERSION and first & 0x0E == 0 and kind in _READERS
    if crc_hqx(raw[:-2], 0xFFFF) != int.from_bytes(raw[-2:], "big"):
        return Fault(NACK_CRC, seq if plausible and seq else None)
    if len(raw) > FRAME_LIMIT:
        return Fault(NACK_TOO_LONG, seq or None)
    if not plausible:
        return Fault(NACK_UNKNOWN, seq or None)
    try:
        return Frame(_READERS[kind](raw[3:-2]), seq, bool(first & WANTS_ACK))
    except struct.error:
        return Fault(NACK_UNKNOWN, seq or None)


@dataclass
class Decoder:
    """Turns a stream of bytes, in pieces of any size, into frames; right again at the next zero after any garbage."""

    _held: bytearray = field(default_factory=bytearray)
    _too_long: bool = False

    def feed(self, data: bytes) -> list[Frame | Fault]:
        """Take some bytes; returns what became complete with them. Empty frames (wake-up zeros) are nothing."""
        found: list[Frame | Fault] = []
        *complete, rest = data.split(b"\0")
        for piece in complete:
            self._hold(piece)
            if self._too_long:
                found.append(Fault(NACK_TOO_LONG))
            elif self._held:
                found.append(decode_frame(bytes(self._held)))
            self._held.clear()
            self._too_long = False
        self._hold(rest)
        return found

    def _hold(self, piece: bytes) -> None:
        if self._too_long or len(self._held) + len(piece) > ENCODED_LIMIT:
            self._too_long = True  # dropped to the next zero, so that a stuck line never eats memory
            self._held.clear()
            return
        self._held += piece
