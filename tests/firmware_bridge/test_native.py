"""The native wire: golden vectors, round trips, and everything a bad line does to a frame."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.wire.native import (
    ENCODED_LIMIT,
    FRAME_LIMIT,
    NACK_CRC,
    NACK_TOO_LONG,
    NACK_UNKNOWN,
    Ack,
    Brightness,
    ButtonEvent,
    Clear,
    Decoder,
    DeviceHealth,
    Fault,
    Frame,
    Heartbeat,
    Hello,
    HelloAck,
    Identify,
    Message,
    Nack,
    Reboot,
    SceneMessage,
    decode_frame,
    encode,
    raw_frame,
)

VECTORS = [  # message, sequence number, raw, wire
    (Hello(1), 1, "11 01 01 01 FD F3", "07 11 01 01 01 FD F3 00"),
    (Heartbeat(1500, 7), 2, "10 02 02 05 DC 00 07 D5 21", "06 10 02 02 05 DC 04 07 D5 21 00"),
    (
        SceneMessage(8, 2, 64, ((0, 1), (9, 3))),
        3,
        "11 10 03 00 08 02 40 02 00 00 01 00 09 03 E1 87",
        "04 11 10 03 05 08 02 40 02 01 02 01 05 09 03 E1 87 00",
    ),
    (Ack(0), 3, "10 82 03 00 9F 0E", "04 10 82 03 03 9F 0E 00"),
    (Nack(NACK_CRC), 3, "10 83 03 01 B8 1F", "07 10 83 03 01 B8 1F 00"),
    (Clear(), 5, "11 13 05 BE 4A", "06 11 13 05 BE 4A 00"),
    (
        HelloAck(1, 0x0102, 64, 8, 3, 512, bytes.fromhex("0011223344556677")),
        1,
        "10 81 01 01 01 02 00 40 08 00 03 02 00 00 11 22 33 44 55 66 77 73 AD",
        "07 10 81 01 01 01 02 03 40 08 03 03 02 01 0A 11 22 33 44 55 66 77 73 AD 00",
    ),
]

BYTE, WORD = st.integers(0, 0xFF), st.integers(0, 0xFFFF)
LIGHTS = st.lists(st.tuples(WORD, BYTE), max_size=160).map(tuple)
MESSAGES: st.SearchStrategy[Message] = st.one_of(
    st.builds(Hello, BYTE),
    st.builds(HelloAck, BYTE, WORD, WORD, BYTE, WORD, WORD, st.binary(min_size=8, max_size=8)),
    st.builds(Heartbeat, WORD, WORD),
    st.builds(SceneMessage, WORD, BYTE, BYTE, LIGHTS),
    st.just(Clear()),
    st.builds(Identify, WORD),
    st.builds(Brightness, BYTE),
    st.just(Reboot()),
    st.builds(Ack, BYTE),
    st.builds(Nack, BYTE),
    st.builds(ButtonEvent, BYTE, BYTE),
    st.builds(DeviceHealth, st.integers(0, 2**32 - 1), WORD, WORD, WORD, WORD),
)


@pytest.mark.parametrize(("message", "seq", "raw", "wire"), VECTORS)
def test_vectors(message: Message, seq: int, raw: str, wire: str) -> None:
    assert raw_frame(message, seq) == bytes.fromhex(raw)
    assert encode(message, seq) == bytes.fromhex(wire)
    wants_ack = bytes.fromhex(raw)[0] & 1 == 1
    assert Decoder().feed(bytes.fromhex(wire)) == [Frame(message, seq, wants_ack)]


def test_hundred_lights_fit_as_computed() -> None:
    message = SceneMessage(1, 1, 64, tuple((i, 1) for i in range(100)))
    assert len(raw_frame(message, 9)) == 310
    assert len(encode(message, 9)) == 312


@given(MESSAGES, BYTE)
def test_round_trip(message: Message, seq: int) -> None:
    wire = encode(message, seq)
    assert wire.count(0) == 1
    assert wire[-1] == 0
    assert Decoder().feed(wire) == [Frame(message, seq, message.FLAGS == 1)]


@given(st.lists(st.tuples(MESSAGES, BYTE), min_size=1, max_size=4), st.lists(st.integers(1, 40), max_size=20))
def test_pieces_of_any_size(sent: list[tuple[Message, int]], cuts: list[int]) -> None:
    wire = b"\0\0" + b"".join(encode(message, seq) for message, seq in sent)
    decoder, found = Decoder(), []
    for cut in cuts:
        found += decoder.feed(wire[:cut])
        wire = wire[cut:]
    found += decoder.feed(wire)
    assert [(frame.message, frame.seq) for frame in found if isinstance(frame, Frame)] == sent
    assert len(found) == len(sent)


@pytest.mark.parametrize(("message", "seq", "raw", "wire"), VECTORS)
def test_every_flipped_bit_is_rejected_and_the_next_frame_arrives(
    message: Message, seq: int, raw: str, wire: str
) -> None:
    good = bytes.fromhex(wire)
    for bit in range(8 * len(good)):
        bad = bytearray(good)
        bad[bit // 8] ^= 1 << bit % 8
        # A damaged closing zero joins the frame to the next one, so the one after that must be right.
        found = Decoder().feed(bytes(bad) + encode(Hello(), 77) + encode(Ack(), 78))
        frames = [frame for frame in found if isinstance(frame, Frame)]
        assert frames in ([Frame(Hello(), 77, True), Frame(Ack(), 78)], [Frame(Ack(), 78)])


@pytest.mark.parametrize(("message", "seq", "raw", "wire"), VECTORS)
def test_truncation_at_every_byte(message: Message, seq: int, raw: str, wire: str) -> None:
    good = bytes.fromhex(wire)
    for length in range(len(good) - 1):
        found = Decoder().feed(good[:length] + b"\0\0" + encode(Ack(), 78))
        assert [frame for frame in found if isinstance(frame, Frame)] == [Frame(Ack(), 78)]


def test_garbage_before_between_and_inside() -> None:
    rng = random.Random(7)
    for _ in range(300):
        noise = [rng.randbytes(rng.randrange(60)) for _ in range(3)]
        inside = encode(Clear(), 5)
        inside = inside[:3] + noise[2] + inside[3:]
        wire = noise[0] + b"\0" + encode(Hello(), 1) + noise[1] + b"\0" + inside + b"\0" + encode(Ack(), 2)
        frames = [frame for frame in Decoder().feed(wire) if isinstance(frame, Frame)]
        assert frames[0] == Frame(Hello(), 1, True)
        assert frames[-1] == Frame(Ack(), 2)


def test_an_endless_line_is_dropped_and_holds_no_memory() -> None:
    decoder = Decoder()
    for _ in range(50):
        assert decoder.feed(b"\x55" * 4096) == []
    assert len(decoder._held) <= ENCODED_LIMIT
    assert decoder.feed(b"\0" + encode(Ack(), 4)) == [Fault(NACK_TOO_LONG), Frame(Ack(), 4)]


def test_what_is_no_message_is_named() -> None:
    from binascii import crc_hqx

    from cobs import cobs

    def framed(body: bytes) -> bytes:
        return bytes(cobs.encode(body + crc_hqx(body, 0xFFFF).to_bytes(2, "big")))

    assert decode_frame(framed(b"\x10\x77\x05")) == Fault(NACK_UNKNOWN, 5)  # no such type
    assert decode_frame(framed(b"\x20\x01\x05\x01")) == Fault(NACK_UNKNOWN, 5)  # another version
    assert decode_frame(framed(b"\x11\x01\x05")) == Fault(NACK_UNKNOWN, 5)  # a payload of another length
    assert decode_frame(framed(b"\x11\x10\x05\x00\x01\x02\x40\x02\x00\x00\x01")) == Fault(NACK_UNKNOWN, 5)
    damaged = bytearray(cobs.encode(raw_frame(Hello(), 6)))
    damaged[4] ^= 2
    assert decode_frame(bytes(damaged)) == Fault(NACK_CRC, 6)  # the header is plausible: it can be answered


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        encode(Heartbeat(70000, 0), 1)
    with pytest.raises(ValueError, match="does not fit"):
        encode(SceneMessage(1, 1, 1, ((0, 1),) * 256), 1)
    with pytest.raises(ValueError, match=f"longer than {FRAME_LIMIT}"):
        encode(SceneMessage(1, 1, 1, ((0, 1),) * 255), 1)
