"""The "done" buttons: each press is told once, however contacts bounce and whatever the line loses."""

from itertools import pairwise

import pytest
from board import Board

from firmware_bridge.wire.native import Ack, ButtonEvent, Frame, Hello, SceneMessage, encode


def press(board: Board, button: int, seconds: float, bounces_ms: tuple[float, ...] = ()) -> None:
    """Close the contact, bouncing at both ends, for so long."""
    for end in ("press", "release"):
        other = "release" if end == "press" else "press"
        for bounce_ms in bounces_ms:
            board.tell(f"{end} {button}")
            board.tell(f"run {bounce_ms}")
            board.tell(f"{other} {button}")
            board.tell(f"run {bounce_ms}")
        board.tell(f"{end} {button}")
        if end == "press":
            board.tell(f"run {seconds * 1000}")


def events(board: Board, seconds: float, acknowledge: bool = True) -> list[tuple[float, int, ButtonEvent]]:
    """Time, counter and event of all that is told in this time."""
    found = []
    for _ in range(round(seconds * 100)):
        for time_s, frame in board.run(0.01).frames:
            if isinstance(frame, Frame) and isinstance(frame.message, ButtonEvent):
                assert frame.wants_ack
                found.append((time_s, frame.seq, frame.message))
                if acknowledge:
                    board.send(encode(Ack(), frame.seq))
    return found


@pytest.mark.parametrize("button", [0, 1])
@pytest.mark.parametrize("bounces_ms", [(), (0.3, 2, 0.7, 4, 9), (12, 12)])
def test_a_short_press_is_told_once(board: Board, button: int, bounces_ms: tuple[float, ...]):
    board.greet()
    press(board, button, 0.12, bounces_ms)
    assert [event for _, _, event in events(board, 1)] == [ButtonEvent(button, 0)]


def test_a_long_press_calls_the_operator_while_it_is_held(board: Board):
    board.greet()
    board.tell("press 1")
    assert events(board, 0.95) == []
    found = events(board, 3)
    assert [event for _, _, event in found] == [ButtonEvent(1, 1)]
    board.tell("release 1")
    assert events(board, 0.5) == []
    press(board, 1, 0.1)
    assert [event for _, _, event in events(board, 0.5)] == [ButtonEvent(1, 0)]


def test_sparks_are_no_press(board: Board):
    board.greet()
    for _ in range(20):
        board.tell("press 0")
        board.tell("run 8")
        board.tell("release 0")
        board.tell("run 8")
    assert events(board, 0.5) == []


def test_an_event_repeats_every_200_ms_until_it_is_acknowledged(board: Board):
    board.greet()
    press(board, 0, 0.1)
    found = events(board, 2, acknowledge=False)
    assert 9 <= len(found) <= 11
    assert len({(seq, event) for _, seq, event in found}) == 1
    gaps = [later[0] - first[0] for first, later in pairwise(found)]
    assert gaps == pytest.approx([0.2] * len(gaps), abs=0.02)
    seq = found[0][1]
    board.send(encode(Ack(), seq % 255 + 1))  # the answer to something else
    assert events(board, 0.5, acknowledge=False)
    board.send(encode(Ack(), seq) * 2)
    assert events(board, 1, acknowledge=False) == []


def test_presses_are_told_one_after_the_other(board: Board):
    board.greet()
    for button in (0, 1, 0, 1, 0, 1):  # more than it keeps: the first ones count
        press(board, button, 0.06)
        board.run(0.06)
    assert {event for _, _, event in events(board, 0.7, acknowledge=False)} == {ButtonEvent(0, 0)}
    found = events(board, 2)
    assert [event.button for _, _, event in found] == [0, 1, 0, 1]
    counters = [seq for _, seq, _ in found]
    assert [later - first for first, later in pairwise(counters)] == [1, 1, 1]


def test_a_press_while_scenes_arrive_without_pause(board: Board):
    board.greet()
    lights = tuple((i, 1) for i in range(64))
    board.tell("press 0")
    found = []
    for number in range(40):
        if number == 10:
            board.tell("release 0")
        board.send(encode(SceneMessage(number, 2, 64, lights), number + 1))
        found += events(board, 0.02)
    assert [event for _, _, event in found] == [ButtonEvent(0, 0)]


def test_what_was_pressed_for_nobody_is_forgotten_at_the_next_hello(board: Board):
    press(board, 0, 0.1)
    board.run(0.5)
    board.send(b"\0")
    board.ask(Hello())
    assert events(board, 1) == []


def test_the_counter_never_is_zero_and_never_repeats_at_once(board: Board):
    board.greet()
    counters = []
    for _ in range(260):
        press(board, 0, 0.04)
        found = events(board, 0.04)
        counters += [seq for _, seq, _ in found]
    assert len(counters) == 260
    assert 0 not in counters
    assert all(later == first % 255 + 1 for first, later in pairwise(counters))


def test_after_a_restart_the_counter_goes_on(board: Board):
    board.greet()
    press(board, 0, 0.1)
    (before,) = {seq for _, seq, _ in events(board, 0.5)}
    board.tell("reset")
    board.run(0.05)
    press(board, 0, 0.1)
    (after,) = {seq for _, seq, _ in events(board, 0.5)}
    assert after == before % 255 + 1


def test_a_button_held_at_power_up_or_stuck_is_told_once(board: Board):
    board.tell("press 0")
    board.tell("reset")
    board.run(0.05)
    board.greet()
    found = events(board, 8)
    assert [event for _, _, event in found] == [ButtonEvent(0, 1)]
