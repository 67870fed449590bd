"""When a camera is held still, and when it is let go."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from controller.steadiness import BLIND_S, CALM_S, Steadiness
from vision.sighting import Sighting, Trouble

CALM = Sighting(0.0, 0, game="transet", set_name="transet", light=0.5)
STEP_S = 0.1


def acts(steadiness: Steadiness, start_s: float, sightings: Iterable[Sighting]) -> list[tuple[float, str]]:
    """What is asked for, with the time since `start_s`."""
    asked = []
    for index, sighting in enumerate(sightings):
        act = steadiness.after(replace(sighting, t_s=start_s + index * STEP_S))
        if act is not None:
            asked.append((round(index * STEP_S, 3), act))
    return asked


def seconds(sighting: Sighting, length_s: float) -> list[Sighting]:
    return [sighting] * round(length_s / STEP_S)


def blind(why: Trouble) -> Sighting:
    return Sighting(0.0, 0, trouble=why, light=0.01)


def test_it_is_held_once_when_the_board_lies_calm() -> None:
    steadiness = Steadiness()
    assert acts(steadiness, 0, seconds(CALM, 60)) == [(CALM_S, "lock")]


def test_hands_movement_and_no_board_put_it_off() -> None:
    stirred = (replace(CALM, hand=True), replace(CALM, moving=True), replace(CALM, board_moved=True))
    for restless in (*stirred, blind("no_board")):
        steadiness = Steadiness()
        assert acts(steadiness, 0, [*seconds(CALM, CALM_S / 2), restless] * 20) == []
        assert acts(steadiness, 100, seconds(CALM, 10)) == [(CALM_S, "lock")]


def test_it_is_let_go_in_the_dark_and_held_again() -> None:
    for why in ("too_dark", "too_bright"):
        steadiness = Steadiness()
        acts(steadiness, 0, seconds(CALM, 60))
        assert acts(steadiness, 60, seconds(blind(why), 60)) == [(BLIND_S, "release")]
        assert acts(steadiness, 120, seconds(CALM, 20)) == [(CALM_S, "lock")]
        assert not steadiness.given_up


def test_a_short_darkness_a_hand_or_a_lost_camera_let_nothing_go() -> None:
    steadiness = Steadiness()
    acts(steadiness, 0, seconds(CALM, 60))
    short = seconds(blind("too_dark"), BLIND_S / 2) + seconds(CALM, 1)
    other = seconds(blind("lost"), 60) + seconds(blind("blurred"), 60) + seconds(replace(CALM, hand=True), 60)
    assert acts(steadiness, 60, short * 5 + other) == []


def test_a_lamp_switched_on_later_lets_nothing_go_while_the_board_is_seen() -> None:
    steadiness = Steadiness()
    acts(steadiness, 0, seconds(CALM, 60))
    assert acts(steadiness, 60, seconds(replace(CALM, light=0.9), 60)) == []


def test_a_camera_that_changes_by_being_held_is_left_alone_in_the_end() -> None:
    steadiness = Steadiness()
    asked = []
    light, start_s = 0.5, 0.0
    for index in range(2000):
        act = steadiness.after(replace(CALM, t_s=start_s + index * STEP_S, light=light))
        if act is not None:
            asked.append(act)
            light = 0.2 if act == "lock" else 0.5
    assert asked == ["lock", "release", "lock", "release"]
    assert steadiness.given_up


def test_a_camera_that_goes_dark_by_being_held_is_left_alone_in_the_end() -> None:
    steadiness = Steadiness()
    asked: list[str] = []
    for index in range(2000):
        held = len(asked) % 2 == 1
        act = steadiness.after(replace(blind("too_dark") if held else CALM, t_s=index * STEP_S))
        if act is not None:
            asked.append(act)
    assert asked == ["lock", "release", "lock", "release"]
