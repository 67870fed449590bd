"""The board itself: it builds small, its waveform is WS2812, it greets, keeps time, and its watchdog wakes it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from board import Board, build_firmware

from firmware_bridge.wire.native import (
    NACK_BAD_SITE,
    NACK_TOO_LONG,
    NACK_UNKNOWN,
    Ack,
    Brightness,
    DeviceHealth,
    Fault,
    Frame,
    Heartbeat,
    Hello,
    HelloAck,
    Identify,
    Nack,
    Reboot,
    SceneMessage,
    encode,
)

DATA_SHEET_NS = {  # WS2812B: each time with its 150 ns either way; between bytes the line may rest, far below the reset
    "T0H": (250, 550),
    "T1H": (650, 950),
    "T0L": (700, 1000),
    "T1L": (300, 600),
    "gap": (300, 5000),
}


def test_flash_and_memory_keep_a_margin_with_128_leds(tools: None, tmp_path: Path, new_board: Callable[..., Board]):
    build_firmware(tmp_path, {"SITES": 111})  # the Makefile itself refuses what is too large
    board = new_board(SITES=111)
    hello = board.greet()
    assert isinstance(hello, HelloAck)
    assert hello.sites + 2 * hello.bar + 1 == 128
    lights = tuple((i, 0x10 * (i % 8) | 1 + i % 3) for i in range(111))
    assert board.ask(SceneMessage(1, 2, 64, lights)) == Ack(0)
    board.tell("press 0")
    board.run(6)
    board.tell("stack")
    assert board.collect().unused_stack > 128
    assert len(board.shown) == 128


def test_too_many_leds_are_refused_by_the_build(tools: None, tmp_path: Path):
    with pytest.raises(AssertionError, match="1 to 130 LEDs fit"):
        build_firmware(tmp_path, {"SITES": 200})


@pytest.mark.parametrize("options", [{"SITES": 0, "BAR": 0}, {"SITES": 0, "BAR": 1}, {"LAMP_LEDS": 0, "BAR": 5}])
def test_small_builds(new_board: Callable[..., Board], options: dict[str, int]):
    board = new_board(**options)
    hello = board.greet()
    assert isinstance(hello, HelloAck)
    assert (hello.sites, hello.bar) == (options.get("SITES", 64), options["BAR"])
    assert any(max(colour) for colour in board.shown)  # nobody has shown anything yet: the host is lost
    assert board.ask(SceneMessage(1, 2, 64, ((0x7FFF, 2),))) == (Ack(0) if options.get("LAMP_LEDS", 1) else Nack(4))


def test_the_waveform_is_what_the_data_sheet_asks_for(board: Board):
    board.greet()
    board.ask(SceneMessage(1, 2, 64, tuple((i, 1 + i % 3) for i in range(64))))
    for _ in range(60):  # bytes keep arriving while LEDs are written
        board.say(Heartbeat(60000, 1))
        board.run(0.02)
    board.tell("wave")
    report = board.collect()
    assert report.wave_frames > 40
    assert set(report.wave_ns) == set(DATA_SHEET_NS)
    for name, (least, most) in DATA_SHEET_NS.items():
        assert least <= report.wave_ns[name][0] <= report.wave_ns[name][1] <= most, name


def test_hello(board: Board):
    hello = board.ask(Hello())
    assert isinstance(hello, HelloAck)
    assert (hello.version, hello.sites, hello.bar, hello.max_payload) == (1, 64, 8, 512)
    assert len(hello.uid) == 8
    assert board.ask(Hello(), 1) == hello


def test_health_every_five_seconds(board: Board):
    board.greet()
    frames = board.run(20.5).frames
    health = [(time_s, frame.message) for time_s, frame in frames if isinstance(frame, Frame)]
    assert [message.uptime_s for _, message in health if isinstance(message, DeviceHealth)] == [5, 10, 15, 20]
    for time_s, message in health:
        assert isinstance(message, DeviceHealth)
        assert time_s == pytest.approx(message.uptime_s, abs=0.05)  # its clock is right, whatever the LEDs take of it
        assert message.supply_mv == pytest.approx(5000, abs=60)
        assert (message.received, message.damaged, message.overrun) == (2, 0, 0)


@pytest.mark.parametrize(
    ("wire", "answer"),
    [
        (encode(SceneMessage(1, 2, 64, ((0, 1), (64, 1))), 9), Nack(NACK_BAD_SITE)),
        (encode(SceneMessage(1, 2, 64, ((0x4008, 1),)), 9), Nack(NACK_BAD_SITE)),
        (encode(SceneMessage(1, 2, 64, ((0x4200, 1),)), 9), Nack(NACK_BAD_SITE)),
        (encode(SceneMessage(1, 2, 64, ((0x3FFF, 1),)), 9), Nack(NACK_BAD_SITE)),
        (encode(SceneMessage(1, 2, 64, ((0xFFFF, 1),)), 9), Nack(NACK_BAD_SITE)),
        (encode(SceneMessage(1, 2, 64, ((0, 0x04),)), 9), Nack(NACK_UNKNOWN)),
        (encode(SceneMessage(1, 2, 64, ((0, 0x81),)), 9), Nack(NACK_UNKNOWN)),
        (encode(Identify(64), 9), Nack(NACK_BAD_SITE)),
        (encode(SceneMessage(1, 2, 64, tuple((i % 64, 1) for i in range(167))), 9), Ack(0)),  # the longest that fits
    ],
)
def test_what_is_asked_for_wrongly_is_refused_whole(board: Board, wire: bytes, answer: Ack | Nack):
    board.greet()
    assert board.ask(SceneMessage(1, 2, 64, ((5, 2),))) == Ack(0)
    before = board.shown
    board.send(wire)
    messages = board.run(0.1).messages
    assert messages == [answer]
    if isinstance(answer, Nack):
        assert board.shown == before


def test_a_long_run_without_a_zero(board: Board):
    """COBS marks a run of 254 bytes without a zero otherwise than a shorter one."""
    board.greet()
    for count in range(80, 90):
        lights = tuple((0x4001 + 0x100 * (i % 2) + i % 7, 1 + i % 3) for i in range(count))
        assert board.ask(SceneMessage(0x0101 + count, 2, 64, lights)) == Ack(0)
        assert {i for i, colour in enumerate(board.shown) if any(colour)} == {*range(65, 72), *range(73, 80)}


def test_a_frame_that_is_too_long_is_dropped(board: Board):
    board.greet()
    board.send(b"\x55" * 900 + b"\0")
    board.run(0.2)
    assert board.ask(Brightness(9)) == Ack(0)
    assert NACK_TOO_LONG not in [fault.reason for _, fault in board.collect().frames if isinstance(fault, Fault)]


@pytest.mark.parametrize("interrupts_off", [0, 1])
def test_a_program_that_stands_still_starts_again(board: Board, interrupts_off: int):
    board.greet()
    board.ask(SceneMessage(1, 2, 64, ((5, 2),)))
    board.tell(f"hang {interrupts_off}")
    hung_s = board.now_s
    starts = board.run(1).starts
    assert len(starts) == 1
    assert starts[0] - hung_s < (0.6 if interrupts_off else 0.3)
    board.greet()
    assert board.ask(SceneMessage(2, 2, 64, ((6, 2),))) == Ack(0)
    assert [i for i, colour in enumerate(board.shown) if any(colour)] == [6]


def test_reboot(board: Board):
    board.greet()
    board.say(Reboot())
    report = board.run(0.3)
    assert report.messages == [Ack(0)]
    assert len(report.starts) == 1
    assert isinstance(board.greet(), HelloAck)
