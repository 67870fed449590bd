"""A bad line: whatever happens to bytes, no wrong light is ever shown and the next sound frame is understood."""

import random
from binascii import crc_hqx
from collections.abc import Callable

import pytest
from board import Board, Report, Rgb
from cobs import cobs

from firmware_bridge.wire.native import (
    NACK_CRC,
    Ack,
    Brightness,
    Clear,
    DeviceHealth,
    Fault,
    Frame,
    Heartbeat,
    Hello,
    HelloAck,
    Identify,
    Nack,
    SceneMessage,
    encode,
)

OLD, NEW, OTHER = ((5, 2), (0x4001, 3)), ((9, 1), (40, 3), (0x40FF, 2)), ((60, 1),)


def picture(board: Board, lights: tuple[tuple[int, int], ...], epoch: int = 1) -> tuple[Rgb, ...]:
    assert board.ask(SceneMessage(epoch, 2, 64, lights)) == Ack(0)
    return board.shown


def answers(report: Report) -> list[Frame]:
    """What the board said, but for its health."""
    frames = [frame for _, frame in report.frames if isinstance(frame, Frame)]
    return [frame for frame in frames if not isinstance(frame.message, DeviceHealth)]


def assert_well(board: Board, lights: tuple[tuple[int, int], ...], wanted: tuple[Rgb, ...]) -> None:
    """One more exchange, as a host would: it is understood and shown."""
    board.send(b"\0")
    assert picture(board, lights, 99) == wanted


@pytest.fixture
def pictures(board: Board) -> tuple[tuple[Rgb, ...], tuple[Rgb, ...]]:
    """What OLD and NEW look like; OLD is shown."""
    board.greet()
    new = picture(board, NEW)
    return picture(board, OLD), new


def test_truncation_at_every_byte(board: Board, pictures: tuple[tuple[Rgb, ...], tuple[Rgb, ...]]):
    old, new = pictures
    for number, length in enumerate(range(len(encode(SceneMessage(1, 2, 64, NEW), 1)) - 1)):
        wire = encode(SceneMessage(2, 2, 64, NEW), 20 + number)
        board.send(wire[:length] + b"\0")
        report = board.run(0.02)
        assert not report.leds
        assert {frame.message for frame in answers(report)} <= {Nack(NACK_CRC)}  # refused, if at all
        assert board.shown == old
    board.send(wire[:9])  # and one cut off by silence: a host that begins again says two zeros first
    board.run(0.5)
    board.greet()
    assert board.shown == old
    assert_well(board, NEW, new)


def test_every_flipped_bit(board: Board, pictures: tuple[tuple[Rgb, ...], tuple[Rgb, ...]]):
    old, new = pictures
    wire = encode(SceneMessage(2, 2, 64, NEW), 200)
    for bit in range(8 * (len(wire) - 1)):
        bad = bytearray(wire)
        bad[bit // 8] ^= 1 << bit % 8
        board.send(bytes(bad) + b"\0")
        report = board.run(0.012)
        assert not report.leds, bit
        for frame in answers(report):  # refused if at all, and only where its header could be read
            assert frame.message == Nack(NACK_CRC), bit
    assert board.shown == old
    for bit in range(8):  # a damaged end joins the frame to the next: both are lost, and the one after is not
        bad = bytearray(wire)
        bad[-1] ^= 1 << bit
        board.send(bytes(bad) + encode(Brightness(10), 201))
        board.run(0.02)
        assert board.shown == old
    assert_well(board, NEW, new)


def test_garbage_before_between_and_inside(board: Board, pictures: tuple[tuple[Rgb, ...], tuple[Rgb, ...]]):
    old, new = pictures
    rng = random.Random(3)
    seq = 20
    for number in range(60):
        inside = encode(SceneMessage(number, 2, 64, OTHER), 10)
        cut = rng.randrange(1, len(inside) - 1)
        inside = inside[:cut] + bytes(rng.randrange(1, 256) for _ in range(rng.randrange(1, 30))) + inside[cut:]
        lights, wanted = ((NEW, new), (OLD, old))[number % 2]
        good = encode(SceneMessage(number, 2, 64, lights), seq := seq % 255 + 1)
        board.send(rng.randbytes(rng.randrange(80)) + b"\0" + inside + rng.randbytes(rng.randrange(80)) + b"\0" + good)
        report = board.run(0.06)
        assert board.shown == wanted
        assert {colours for _, colours in report.leds} <= {old, new}
        assert Frame(Ack(0), seq) in answers(report)


def test_duplicates_do_nothing(board: Board, pictures: tuple[tuple[Rgb, ...], tuple[Rgb, ...]]):
    pulse = encode(SceneMessage(5, 2, 64, ((3, 0x11),)), 40)
    board.send(pulse)
    board.run(0.5)
    for _ in range(5):
        board.send(pulse)
        assert answers(board.run(0.05)) == [Frame(Ack(0), 40)]
    board.run(0.05)
    assert not any(map(any, board.shown))  # the pulse has ended as if it had been said once
    identify = encode(Identify(7), 41)
    for _ in range(4):
        board.send(identify)
        board.run(1)
    assert not any(map(any, board.shown))
    refused = encode(SceneMessage(6, 2, 64, ((64, 1),)), 42)
    for _ in range(3):
        board.send(refused)
        assert answers(board.run(0.05)) == [Frame(Nack(4), 42)]


@pytest.mark.parametrize("newest", [3, 7, 100, 254, 255, 1])
def test_a_late_copy_does_not_bring_an_old_scene_back(board: Board, newest: int):
    board.greet()
    sent = []
    for number in range(6):
        seq = (newest + number - 6) % 255 + 1
        sent.append(encode(SceneMessage(number, 2, 64, ((number, 1),)), seq))
        board.send(sent[-1])
        board.run(0.02)
    wanted = board.shown
    assert any(wanted[5])
    for late in (*sent, *reversed(sent)):
        board.send(late)
        report = board.run(0.02)
        assert not report.leds
        assert [frame.message for frame in answers(report)] == [Ack(0)]
    board.send(encode(SceneMessage(9, 2, 64, OLD), newest % 255 + 1))
    board.run(0.02)
    assert board.shown != wanted


@pytest.mark.parametrize("newest", [1, 4, 8, 9, 200, 255])
def test_late_is_what_is_at_most_eight_behind(board: Board, newest: int):
    board.greet()
    for behind, taken in ((8, False), (9, True)):
        board.ask(SceneMessage(1, 2, 64, ((1, 1),)), 100)
        board.ask(Hello())
        board.ask(SceneMessage(1, 2, 64, ((2, 1),)), newest)
        board.ask(SceneMessage(1, 2, 64, ((3, 1),)), (newest - behind - 1) % 255 + 1)
        assert (any(board.shown[3]), any(board.shown[2])) == (taken, not taken)


def test_reset_in_mid_frame_at_every_byte(board: Board, pictures: tuple[tuple[Rgb, ...], tuple[Rgb, ...]]):
    old, new = pictures
    wire = encode(SceneMessage(2, 2, 64, NEW), 200)
    allowed = {old, new}
    for length in range(1, len(wire), 2):
        board.send(wire[:length])
        board.run(0.0001 * length)
        board.tell("reset")
        board.send(wire[length:])
        report = board.run(0.05)
        assert len(report.starts) == 1
        for _, colours in report.leds:  # nothing but the device's own display, which is amber in the bars' middles
            assert {i for i, colour in enumerate(colours) if any(colour)} <= {67, 68, 75, 76}
        board.greet()
        assert picture(board, OLD) == old
        assert board.shown in allowed


def test_a_line_that_spoils_one_frame_in_three(board: Board):
    """A host that sends again until it is answered: all arrives, and only what was once asked for is ever shown."""
    board.greet()
    rng = random.Random(11)
    scenes = [tuple((rng.randrange(64), rng.randrange(1, 4)) for _ in range(rng.randrange(1, 30))) for _ in range(60)]
    asked: set[tuple[Rgb, ...]] = {board.shown}
    for number, lights in enumerate(scenes):
        seq = number % 255 + 1
        wire = encode(SceneMessage(number + 1, 2, 64, lights), seq)
        for _ in range(40):
            board.send(spoiled(wire, rng) if rng.random() < 0.33 else wire)
            report = board.run(0.03)
            if Frame(Ack(0), seq) in answers(report):
                break
        else:
            raise AssertionError(f"scene {number} never arrived")
        assert len(report.leds) <= 1
        asked.add(board.shown)
        lit = dict(lights)
        assert {i for i, colour in enumerate(board.shown) if any(colour)} == set(lit)


def spoiled(wire: bytes, rng: random.Random) -> bytes:
    """One of the things that happen to a frame on the way."""
    at = rng.randrange(len(wire))
    match rng.randrange(5):
        case 0:
            return wire[:at]
        case 1:
            return wire[:at] + bytes([wire[at] ^ 1 << rng.randrange(8)]) + wire[at + 1 :]
        case 2:
            return wire[:at] + wire[at + 1 :]
        case 3:
            return wire[:at] + rng.randbytes(rng.randrange(1, 9)) + wire[at:]
        case _:
            return wire[:at] + wire


def test_bytes_take_their_time_both_ways(board: Board):
    """115200 baud: 86.8 us a byte to the chip, which itself sends 2 % faster; the LEDs are right before it answers."""
    board.greet()
    lights = tuple((i % 64, 1) for i in range(100))
    wire = encode(SceneMessage(1, 2, 64, lights), 9)
    for _ in range(8):
        began_s = board.now_s
        board.send(wire)
        report = board.run(0.05)
        (answer_s,) = [time_s for time_s, frame in report.frames if frame == Frame(Ack(0), 9)]
        assert 312 * 86.8e-6 < answer_s - began_s < 312 * 86.8e-6 + 0.012
    board.send(encode(Hello(), 10) + encode(Hello(), 11))
    first, second = [time_s for time_s, frame in board.run(0.05).frames if isinstance(frame, Frame)]
    assert second - first == pytest.approx(25 * 10 / 117647, rel=0.01)


def pairs(board: Board) -> tuple[int, int]:
    """50 pairs of commands without a pause between them, at any moment of the LEDs' writing: answered, bytes lost."""
    board.greet()
    rng = random.Random(5)
    answered, seq = 0, 0
    for number in range(50):
        wire = b""
        wanted = []
        for _ in range(2):
            seq = seq % 255 + 1
            lights = tuple((i, 1 + (i + number) % 3) for i in range(rng.randrange(40, 64)))
            wire += encode(SceneMessage(number, 2, 64, lights), seq) + encode(Heartbeat(60000, number), 0)
            wanted.append(Frame(Ack(0), seq))
        board.run(rng.uniform(0.001, 0.03))
        board.send(wire)
        heard = answers(board.run(0.08))
        answered += all(frame in heard for frame in wanted)
    board.tell("line")
    return answered, board.collect().line[1]


def test_bytes_that_arrive_while_leds_are_written_are_not_lost(board: Board):
    assert pairs(board) == (50, 0)


def test_a_build_that_leaves_the_receiver_unread_loses_them(new_board: Callable[..., Board]):
    board = new_board(POLL_WHILE_WRITING=0)
    answered, lost = pairs(board)
    assert answered < 5
    assert lost > 500
    health = [message for message in board.run(6).messages if isinstance(message, DeviceHealth)]
    assert health[0].overrun > 50  # it notices, too


def test_a_flood_of_commands_ends_in_order(board: Board):
    """No host does this; the device must neither restart nor stay confused."""
    board.greet()
    flood = b"".join(encode(SceneMessage(i, 2, 64, ((i % 64, 1),)), i % 255 + 1) for i in range(400))
    board.send(flood)
    report = board.run(1.5)
    assert not report.starts
    board.send(b"\0")
    assert board.ask(Hello()) is not None
    assert board.ask(Clear(), 9) == Ack(0)
    assert not any(map(any, board.shown))


def test_its_own_voice_come_back_is_not_answered(board: Board):
    """A line whose two wires touch returns everything; that must not become an endless conversation."""
    board.greet()
    for message, seq in ((Ack(0), 5), (Nack(1), 5)):
        board.send(encode(message, seq))
    board.send(encode(SceneMessage(1, 2, 64, ((99, 1),)), 7))
    first = answers(board.run(0.05))
    assert first == [Frame(Nack(4), 7)]
    board.send(encode(first[0].message, 7))
    assert answers(board.run(0.2)) == []
    assert not [fault for _, fault in board.run(0.1).frames if isinstance(fault, Fault)]


def test_reset_while_leds_are_written(board: Board):
    """What was cut off is shown for a moment at most; the device's own display follows within 10 ms."""
    board.greet()
    for number in range(40):
        board.say(Heartbeat(60000, 0))
        board.ask(SceneMessage(number + 1, 2, 64, tuple((i, 1 + number % 3) for i in range(64))))
        board.run(0.025 + 0.0007 * number)
        board.tell("reset")
        board.run(0.01)
        assert {i for i, colour in enumerate(board.shown) if any(colour)} == {67, 68, 75, 76}


def framed(body: bytes) -> bytes:
    return bytes(cobs.encode(body + crc_hqx(body, 0xFFFF).to_bytes(2, "big"))) + b"\0"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sound_frames_of_any_content(board: Board, seed: int):
    """Whatever is in a frame whose sum is right: it is answered or left alone, and nothing else comes of it."""
    board.greet()
    rng = random.Random(seed)
    types = [0x01, 0x02, 0x10, 0x13, 0x14, 0x15, 0x82, 0x90, 0x7F, 0x00]
    for _ in range(250):
        kind = rng.choice(types) if rng.random() < 0.9 else rng.choice([t for t in range(256) if t != 0x1F])
        size = rng.choice([0, 1, 2, 4, 5, 8, rng.randrange(500)])
        payload = bytearray(rng.randbytes(size))
        if kind == 0x10 and size > 5 and rng.random() < 0.8:  # a scene of the right length, its lights anything
            payload = payload[: 5 + (size - 5) // 3 * 3]
            payload[4] = (len(payload) - 5) // 3 & 0xFF
            if rng.random() < 0.7:
                for at in range(5, len(payload), 3):
                    payload[at : at + 3] = rng.choice([bytes([0, at % 64, 1]), b"\\x40\\xff\\x72", b"\\x7f\\xff\\x53"])
        first = 0x10 | rng.choice([1, 1, 1, 0, rng.randrange(16)])
        board.send(framed(bytes([first, kind, rng.randrange(256)]) + bytes(payload)))
        report = board.run(0.0001 * size + 0.012)
        assert not report.starts
        allowed = (Ack, Nack, HelloAck)
        assert all(isinstance(frame.message, allowed) for frame in answers(report))
        assert all(max(colour) <= 64 for _, colours in report.leds for colour in colours)
    board.tell("stack")
    assert board.collect().unused_stack > 256
    board.greet()
    board.run(3)
    assert picture(board, NEW) == picture(board, NEW, 2)
    assert {i for i, colour in enumerate(board.shown) if any(colour)} == {9, 40, *range(64, 72)}
