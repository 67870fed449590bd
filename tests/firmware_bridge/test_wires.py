"""The wires that carry colours, byte for byte, read back by readers written from the formats' descriptions alone."""

import json
from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firmware_bridge.virtual import Faults
from firmware_bridge.virtual.strips import StripBrain, Tpm2Brain
from firmware_bridge.virtual.wled import WledBrain
from firmware_bridge.wire import adalight, awa, tpm2, wled
from firmware_bridge.wire.pixels import RESERVED, PixelWire, Rgb, harmless

RED, GREEN, BLUE, BLACK = (255, 0, 0), (0, 255, 0), (0, 0, 255), (0, 0, 0)
WIRES: list[PixelWire] = [adalight.Adalight(), awa.Awa(), tpm2.Tpm2(), wled.Wled(), wled.WledJson()]

colour = st.tuples(*[st.integers(0, 255)] * 3)
loud = st.tuples(*[st.sampled_from([*sorted(RESERVED), 0, 0x36, 0xDA, 255])] * 3)  # what can be mistaken for something
counts = st.one_of(st.integers(1, 600), st.sampled_from([21, 66, 85, 86, 100, 170, 177, 255, 256, 257, 342, 361, 598]))


@st.composite
def pictures(draw: st.DrawFn) -> list[Rgb]:
    """1 to 600 LEDs, cheaply: a few colours, repeated."""
    some = draw(st.lists(st.one_of(colour, loud), min_size=1, max_size=12))
    leds = draw(counts)
    return [some[i * 7 % len(some)] for i in range(leds)]


# Readers: from a stream, every frame in it as a list of colours.


def in_threes(payload: bytes) -> list[Rgb]:
    assert len(payload) % 3 == 0
    return [(payload[i], payload[i + 1], payload[i + 2]) for i in range(0, len(payload), 3)]


def read_counted(stream: bytes, magic: bytes, trailer: int) -> list[bytes]:
    """What follows each header whose check byte is right."""
    found, at = [], 0
    while (at := stream.find(magic, at)) >= 0 and at + 6 <= len(stream):
        high, low, check = stream[at + 3 : at + 6]
        if check != (high ^ low ^ 0x55):
            at += 1
            continue
        end = at + 6 + 3 * (256 * high + low + 1) + trailer
        if end > len(stream):
            break
        found.append(stream[at + 6 : end])
        at = end
    return found


def read_adalight(stream: bytes) -> list[list[Rgb]]:
    return [in_threes(payload) for payload in read_counted(stream, b"Ada", 0)]


def read_awa(stream: bytes) -> list[list[Rgb]]:
    found = []
    for body in read_counted(stream, b"Awa", 3):
        payload, sums = body[:-3], body[-3:]
        f1 = sum(payload) % 255
        f2 = sum((len(payload) - i) * byte for i, byte in enumerate(payload)) % 255  # the sum of all the running sums
        fx = sum(byte ^ (i % 256) for i, byte in enumerate(payload)) % 255
        if sums == bytes([f1, f2, 0xAA if fx == 0x41 else fx]):
            found.append(in_threes(payload))
    return found


def read_tpm2(stream: bytes) -> list[list[Rgb]]:
    found, at = [], 0
    while (at := stream.find(b"\xc9\xda", at)) >= 0 and at + 5 <= len(stream):
        end = at + 4 + int.from_bytes(stream[at + 2 : at + 4], "big")
        if end < len(stream) and stream[end] == 0x36 and (end - at - 4) % 3 == 0:
            found.append(in_threes(stream[at + 4 : end]))
            at = end + 1
        else:
            at += 1
    return found


def read_json(stream: bytes, leds: int = 600) -> list[Rgb]:
    """The LEDs after all lines."""
    shown: list[Rgb] = [BLACK] * leds
    for line in stream.split(b"\n"):
        if not line:
            continue
        items = json.loads(line)["seg"]["i"]
        where: list[int] = []
        for item in items:
            if isinstance(item, int):
                where.append(item)
                continue
            rgb = tuple(int(item[i : i + 2], 16) for i in (0, 2, 4))
            for led in range(where[0], where[1] if len(where) == 2 else where[0] + 1):
                shown[led] = (rgb[0], rgb[1], rgb[2])
            where = []
    return shown


READERS: dict[str, Callable[[bytes], list[list[Rgb]]]] = {
    "adalight": read_adalight,
    "wled": read_adalight,
    "awa": read_awa,
    "tpm2": read_tpm2,
}


@pytest.mark.parametrize(
    ("encode", "colours", "wire"),
    [
        (adalight.encode, [RED], "41 64 61 00 00 55 FF 00 00"),
        (adalight.encode, [RED, GREEN, BLUE], "41 64 61 00 02 57 FF 00 00 00 FF 00 00 00 FF"),
        (awa.encode, [RED], "41 77 61 00 00 55 FF 00 00 00 00 03"),
        (awa.encode, [RED, GREEN, BLUE], "41 77 61 00 02 57 FF 00 00 00 FF 00 00 00 FF 00 00 0C"),
        (tpm2.encode, [RED], "C9 DA 00 03 FF 00 00 36"),
        (tpm2.encode, [RED, GREEN, BLUE], "C9 DA 00 09 FF 00 00 00 FF 00 00 00 FF 36"),
    ],
)
def test_vectors(encode: Callable[[Sequence[Rgb]], bytes], colours: list[Rgb], wire: str) -> None:
    assert encode(colours) == bytes.fromhex(wire)


@pytest.mark.parametrize(
    ("leds", "header"), [(64, "00 3F 6A"), (81, "00 50 05"), (256, "00 FF AA"), (257, "01 00 54"), (361, "01 68 3C")]
)
def test_headers_say_one_less_than_there_are(leds: int, header: str) -> None:
    for encode in (adalight.encode, awa.encode):
        assert encode([BLACK] * leds)[3:6] == bytes.fromhex(header)


def test_tpm2_headers_and_questions() -> None:
    assert tpm2.encode([BLACK] * 64)[:4] == bytes.fromhex("C9 DA 00 C0")
    assert tpm2.encode([BLACK] * 86)[:4] == bytes.fromhex("C9 DA 01 02")
    assert tpm2.Tpm2.probe.startswith(b"\xc9\xaa")
    assert (awa.HELLO.hex(), awa.STATISTICS.hex()) == ("4177612aa215", "4177612aa235")
    assert wled.ASK == b'{"v":true}\n'


def test_json_lines() -> None:
    assert wled.set_leds([(0, 1, "0072B2"), (9, 10, "E69F00")]) == b'{"seg":{"id":0,"i":[0,"0072B2",9,"E69F00"]}}\n'
    assert wled.set_leds([(0, 8, "FF0000")]) == b'{"seg":{"id":0,"i":[0,8,"FF0000"]}}\n'


@pytest.mark.parametrize("encode", [adalight.encode, awa.encode, tpm2.encode])
@pytest.mark.parametrize("leds", [0, 65537])
def test_what_a_frame_cannot_say_is_refused(encode: Callable[[Sequence[Rgb]], bytes], leds: int) -> None:
    with pytest.raises(ValueError, match="can't"):
        encode([BLACK] * leds)


@settings(max_examples=50)
@given(picture=pictures())
@pytest.mark.parametrize(
    ("encode", "read"), [(adalight.encode, read_adalight), (awa.encode, read_awa), (tpm2.encode, read_tpm2)]
)
def test_what_is_encoded_is_read_back(
    encode: Callable[[list[Rgb]], bytes], read: Callable[[bytes], list[list[Rgb]]], picture: list[Rgb]
) -> None:
    assert read(encode(picture)) == [picture]


@settings(max_examples=50)
@given(picture=pictures())
@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
def test_a_frame_holds_the_picture_without_a_reserved_colour(wire: PixelWire, picture: list[Rgb]) -> None:
    sent = wire.frame(picture)
    if wire.name == "wled-json":
        assert all(len(line) < 2048 for line in sent.split(b"\n"))
        assert read_json(sent) == picture + [BLACK] * (600 - len(picture))
        return
    [shown] = READERS[wire.name](sent)
    assert not RESERVED & {channel for rgb in shown for channel in rgb}
    assert not any(any(rgb) for rgb in shown[len(picture) :])
    assert len(shown) - len(picture) <= 8
    for asked, got in zip(picture, shown, strict=False):
        assert all(want - 8 <= have <= want for want, have in zip(asked, got, strict=True))
        assert all(have == want for want, have in zip(asked, got, strict=True) if want not in RESERVED)


@given(leds=st.integers(1, 2000))
def test_no_header_byte_is_reserved_but_the_magic(leds: int) -> None:
    assert not RESERVED & set(adalight.Adalight().frame([BLACK] * leds)[3:6])
    assert not RESERVED & set(tpm2.Tpm2().frame([BLACK] * leds)[2:4])


def test_where_wled_miscounts_and_nowhere_else() -> None:
    wrong = [*range(86, 256), *range(342, 512), *range(598, 768), *range(854, 1024)]
    assert [n for n in range(1, 1024) if tpm2.counted_by_wled(n) != n] == wrong
    assert len(tpm2.Tpm2().frame([RED] * 100)) == 5 + 3 * 101


def shown_by(brain: StripBrain, *sent: bytes) -> list[Rgb]:
    now_s = 10.0
    brain.speak(now_s)
    for data in sent:
        brain.hear(data, now_s)
        now_s += 0.05
    return list(brain.strip(now_s).pixels)


@settings(max_examples=50)
@given(picture=pictures())
@example(picture=[*[RED] * 99, (0xB1, 0x4C, 0x7B)])
@pytest.mark.parametrize("wire", [adalight.Adalight(), tpm2.Tpm2(), wled.Wled(), wled.WledJson()], ids=lambda w: w.name)
def test_wled_shows_every_picture_and_takes_no_command(wire: PixelWire, picture: list[Rgb]) -> None:
    board = WledBrain(len(picture), Faults())
    lines = wire.frame(picture).split(b"\n") if wire.name == "wled-json" else [wire.frame(picture)]
    shown = shown_by(board, *(line + b"\n" for line in lines) if wire.name == "wled-json" else lines)
    assert shown == (picture if wire.name == "wled-json" else harmless(picture))
    assert board.strip(11.0).commands == b""


def test_without_the_guard_a_colour_would_be_a_command() -> None:
    board = WledBrain(100, Faults())
    shown_by(board, tpm2.encode([*[RED] * 99, (0xB1, 0x4C, 0x7B)]))
    assert board.strip(11.0).commands == b"\xb1"


@settings(max_examples=50)
@given(picture=pictures(), data=st.data())
@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire.name in READERS], ids=lambda wire: wire.name)
def test_a_reader_is_in_step_again_after_a_cut_frame(wire: PixelWire, picture: list[Rgb], data: st.DataObject) -> None:
    frame = wire.frame(picture)
    cut = data.draw(st.integers(0, len(frame) - 1))
    after = data.draw(st.integers(cut, len(frame)))
    stream = frame[:cut] + frame[after:] + frame * 3  # some bytes in its middle, or all the rest, are lost
    assert READERS[wire.name](stream)[-1] == READERS[wire.name](frame)[0]


@settings(max_examples=50)
@given(picture=pictures(), garbage=st.binary(max_size=60))
@pytest.mark.parametrize("wire", [wire for wire in WIRES if wire.name in READERS], ids=lambda wire: wire.name)
def test_after_garbage_a_flush_and_a_frame_the_reader_is_in_step(
    wire: PixelWire, picture: list[Rgb], garbage: bytes
) -> None:
    half = wire.frame(picture)
    stream = half[: len(half) // 2] + wire.flush(len(picture))  # what a host that died left behind
    frame = wire.frame(picture)
    assert READERS[wire.name](stream + frame)[-1] == READERS[wire.name](frame)[0]
    for byte in (b"A", b"\xc9"):  # garbage that is no header
        garbage = garbage.replace(byte, b"")
    assert READERS[wire.name](garbage + frame)[-1] == READERS[wire.name](frame)[0]


@settings(max_examples=30)
@given(picture=pictures(), data=st.data())
def test_a_torn_stream_gives_wled_no_command(picture: list[Rgb], data: st.DataObject) -> None:
    """Bytes lost anywhere: the board may show a wrong colour for a moment, and then the right ones."""
    frame = wled.Wled().frame(picture)
    board = WledBrain(len(picture), Faults())
    stream = frame * 4
    lost = data.draw(st.lists(st.integers(0, len(frame) - 1), max_size=4))
    torn = bytes(byte for place, byte in enumerate(stream) if place not in lost)
    assert shown_by(board, torn) == harmless(picture)
    assert board.strip(10.1).commands == b""


def test_a_flush_is_ignored_when_idle() -> None:
    for wire in WIRES:
        board = WledBrain(30, Faults())
        assert shown_by(board, wire.flush(30), wled.Wled().frame([RED] * 30)) == [RED] * 30
    block = Tpm2Brain(30, Faults())
    assert shown_by(block, tpm2.Tpm2().flush(30), tpm2.Tpm2().frame([RED] * 30)) == [RED] * 30


@settings(max_examples=40)
@given(picture=pictures(), data=st.data())
def test_awa_shows_no_frame_with_a_flipped_bit(picture: list[Rgb], data: st.DataObject) -> None:
    frame = bytearray(awa.Awa().frame(picture))
    place = data.draw(st.integers(0, len(frame) - 1))
    frame[place] ^= 1 << data.draw(st.integers(0, 7))
    assert read_awa(bytes(frame)) == []


def test_answers() -> None:
    info = b'boot noise\r\n{"state":{"on":true,"bri":20},"info":{"ver":"0.15.0","leds":{"count":30},"name":"Bar"}}\r\n'
    told = wled.Wled().answer(info)
    assert told is not None
    assert (told.name, told.version, told.leds) == ("WLED Bar", "0.15.0", 30)
    assert "20 of 255" in told.note
    half = b'{"state":{},"info":{"leds":[]}}\n'
    for nothing in (info[:-2], b'{"error":3}\n', b'{"state":1}\n', half, b"\xff\n", b""):
        assert wled.Wled().answer(nothing) is None
    assert adalight.Adalight().answer(b"Ad") is None
    assert adalight.Adalight().answer(b"xAda\r\n") is not None
    found = awa.Awa().answer(b"\r\nWelcome!\r\nAwa driver 9.\r\n")
    assert found is not None
    assert found.version == "9"
    assert awa.Awa().answer(b"Welcome!") is None
