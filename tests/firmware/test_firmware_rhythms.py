"""What was asked for is what the LEDs show: every hue, rhythm and place, read back from the data pin's waveform."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from board import Board, Rgb
from wanted import SITES, STEP_S, check

from firmware_bridge.power import current_ma
from firmware_bridge.scene import Hue, Light, Rhythm
from firmware_bridge.wire.native import BAR, BAR_WHOLE, LAMP, Ack, Brightness, Clear, Heartbeat, Identify, SceneMessage

CODES = [Light(hue, rhythm) for hue in (Hue.WHITE, Hue.BLUE, Hue.AMBER) for rhythm in Rhythm]



def pictures(board: Board, seconds: float) -> list[tuple[float, tuple[Rgb, ...]]]:
    """What is shown, sampled ten times a second over `seconds`; what does not change is sampled all the same."""
    found = []
    for _ in range(round(seconds * 10)):
        report = board.run(0.1)
        found += report.leds
        found.append((board.now_s - STEP_S, board.shown) if not report.leds else report.leds[-1])
    return found


@pytest.mark.parametrize("shift", range(0, 24, 5))
def test_every_code_at_sites(board: Board, shift: int):
    """Over the shifts each code comes to many sites, beside ever other neighbours."""
    board.greet()
    lights = {i: CODES[(i * 7 + shift) % 24] for i in range(SITES) if (i + shift) % 3}
    brightness = 40
    assert board.ask(SceneMessage(1, 2, brightness, tuple((a, light.code) for a, light in lights.items()))) == Ack(0)
    check(pictures(board, 4.2), lights, brightness, board.now_s - 4.2)


@pytest.mark.parametrize("light", CODES, ids=lambda light: f"{light.hue.name}-{light.rhythm.name}")
def test_every_code_on_bars_and_lamp(board: Board, light: Light):
    board.greet()
    other = CODES[(CODES.index(light) + 5) % 24]
    lights = {LAMP: light, BAR + BAR_WHOLE: light, BAR + 3: other, BAR + 0x100: light, BAR + 0x107: other, 9: light}
    assert board.ask(SceneMessage(1, 2, 64, tuple((a, light.code) for a, light in lights.items()))) == Ack(0)
    check(pictures(board, 2.2), lights, 64, board.now_s - 2.2)


def test_rhythms_do_really_change(board: Board):
    """The comparison above has teeth: each rhythm is told from each other; an alternation's first half is a blink."""
    board.greet()
    seen = {}
    for number, rhythm in enumerate(Rhythm):
        light = Light(Hue.WHITE, rhythm)
        board.ask(SceneMessage(number + 1, 2, 64, ((BAR + BAR_WHOLE, light.code),)))
        since_s = board.now_s
        seen[rhythm] = pictures(board, 2)
        for other in Rhythm:
            if other is not rhythm and {other, rhythm} != {Rhythm.BLINK, Rhythm.ALT_A}:
                with pytest.raises(AssertionError, match="not Light"):
                    check(seen[rhythm], {BAR + BAR_WHOLE: Light(Hue.WHITE, other)}, 64, since_s)


def test_no_light_flashes_more_than_three_times_a_second(board: Board):
    board.greet()
    lights = dict(enumerate(CODES))
    lights |= {BAR + i: CODES[i] for i in range(8)} | {BAR + 0x100 + BAR_WHOLE: CODES[7], LAMP: CODES[5]}
    board.ask(SceneMessage(1, 2, 64, tuple((address, light.code) for address, light in lights.items())))
    leds = pictures(board, 6)
    for led in range(len(board.shown)):
        bright = [(time_s, sum(colours[led])) for time_s, colours in leds]
        rises = [b[0] for a, b in pairwise(bright) if a[1] == 0 < b[1]]
        assert all(later - first > 1 for first, later in zip(rises, rises[3:], strict=False)), led


def test_a_light_that_does_not_change_keeps_its_phase(board: Board):
    """The scene is repeated each second: a pulse is one pulse, and flashes keep their pace."""
    board.greet()
    lights = {3: Light(Hue.BLUE, Rhythm.PULSE), 4: Light(Hue.AMBER, Rhythm.DOUBLE), BAR + BAR_WHOLE: Light(Hue.WHITE)}
    message = SceneMessage(1, 2, 64, tuple((address, light.code) for address, light in lights.items()))
    board.ask(message)
    since_s = board.now_s
    for epoch in range(8):
        leds = pictures(board, 0.5)
        board.ask(SceneMessage(2 + epoch, 2, 64, (*message.lights, (50 + epoch, 1))))
        leds = [(time_s, colours[:50] + ((0, 0, 0),) * 14 + colours[64:]) for time_s, colours in leds]
        check(leds, lights, 64, since_s)


def test_brightness_has_a_ceiling(board: Board):
    board.greet()
    board.ask(SceneMessage(1, 2, 255, ((0, 1), (1, 2))))
    assert board.shown[:2] == ((38, 38, 38), (0, 10, 64))
    assert board.ask(Brightness(16)) == Ack(0)
    assert board.shown[:2] == ((9, 9, 9), (0, 3, 16))
    assert board.ask(Brightness(200)) == Ack(0)
    assert board.shown[:2] == ((38, 38, 38), (0, 10, 64))


LIMITS: list[tuple[dict[str, int], int]] = [({}, 450), ({"MAX_MA": 300}, 300), ({"BRIGHTNESS_CEILING": 255}, 450)]


@pytest.mark.parametrize(("options", "limit_ma"), LIMITS)
def test_the_current_stays_within_the_limit(new_board: Callable[..., Board], options: dict[str, int], limit_ma: int):
    """At its brightest the whole chain asks for far more; and what is dimmed stays in proportion, and steady."""
    board = new_board(**options)
    board.greet()
    for number, rhythm in enumerate(Rhythm):
        codes = [Light(Hue(1 + i % 3), rhythm).code if i % 2 else Light(Hue(1 + i % 3)).code for i in range(SITES)]
        lights = [*enumerate(codes), (BAR + BAR_WHOLE, 1), (BAR + 0x100 + BAR_WHOLE, 1), (LAMP, codes[0] | 0x50)]
        assert board.ask(SceneMessage(number + 1, 2, 255, tuple(lights))) == Ack(0)
        leds = board.run(2).leds or [(board.now_s, board.shown)]
        most_ma = max(current_ma(colours) for _, colours in leds)
        assert most_ma <= limit_ma - 30  # the board's own share
        assert most_ma > 0.85 * (limit_ma - 30) or rhythm is not Rhythm.STEADY
        assert len({colours[SITES] for _, colours in leds}) == 1
        red, green, blue = board.shown[0]
        assert red == green == blue > 5


def test_an_alternating_lamp_draws_as_much_as_white(new_board: Callable[..., Board]):
    board = new_board(SITES=0, BAR=0, LAMP_LEDS=40, BRIGHTNESS_CEILING=255)
    board.greet()
    assert board.ask(SceneMessage(1, 2, 255, ((LAMP, Light(Hue.BLUE, Rhythm.ALT_A).code),))) == Ack(0)
    leds = board.run(1.2).leds
    assert len(leds) >= 2
    assert all(len(set(colours)) == 1 and len(colours) == 40 for _, colours in leds)
    assert 380 < max(current_ma(colours) for _, colours in leds) <= 420


def test_few_lights_are_not_dimmed(board: Board):
    board.greet()
    board.ask(SceneMessage(1, 2, 64, tuple((i, 3) for i in range(40))))
    assert board.shown[0] == (64, 23, 0)


def test_clear(board: Board):
    board.greet()
    board.ask(SceneMessage(1, 2, 64, tuple((i, 1) for i in range(64))))
    assert board.ask(Clear()) == Ack(0)
    board.run(0.1)
    assert not any(map(any, board.shown))


@pytest.mark.parametrize(("address", "led"), [(0, 0), (63, 63), (BAR, 64), (BAR + 0x107, 79), (LAMP, 80)])
def test_identify_shows_that_one_light_alone_and_then_what_was(board: Board, address: int, led: int):
    board.greet()
    board.ask(SceneMessage(1, 2, 64, ((5, 2), (BAR + BAR_WHOLE, 3))))
    before = board.shown
    assert board.ask(Identify(address)) == Ack(0)
    leds = board.run(2.8).leds
    assert {i for _, colours in leds for i, colour in enumerate(colours) if any(colour)} == {led}
    board.ask(SceneMessage(1, 2, 64, ((5, 2), (BAR + BAR_WHOLE, 3))))
    assert {i for i, colour in enumerate(board.shown) if any(colour)} <= {led}
    board.run(0.5)
    assert board.shown == before


HOST_LOST = {BAR + 3, BAR + 4, BAR + 0x103, BAR + 0x104}


def test_without_a_host_the_middle_of_the_bars_breathes_amber(board: Board):
    lights = dict.fromkeys(HOST_LOST, Light(Hue.AMBER, Rhythm.BREATHE))
    check(pictures(board, 4.5), lights, 64, 0)


def test_the_lease_ends_and_comes_back(board: Board):
    board.greet(1500)
    steady = {BAR + BAR_WHOLE: Light(Hue.BLUE), 7: Light(Hue.WHITE)}
    message = SceneMessage(1, 2, 64, tuple((address, light.code) for address, light in steady.items()))
    for _ in range(6):  # it stays while heartbeats come
        board.say(Heartbeat(1500, 1))
        board.ask(message)
        check(pictures(board, 0.5), steady, 64, 0)
    board.say(Heartbeat(1500, 1))
    board.run(0.01)
    last_s = board.now_s
    check(pictures(board, 1.4), steady, 64, 0)
    lost = board.run(0.2).leds
    assert lost[0][0] - last_s == pytest.approx(1.5, abs=0.04)
    lights = dict.fromkeys(HOST_LOST, Light(Hue.AMBER, Rhythm.BREATHE))
    check([*lost, *pictures(board, 1)], lights, 64, 0)
    assert board.ask(Clear()) == Ack(0)  # not even this is shown without a heartbeat
    check(pictures(board, 0.3), lights, 64, 0)
    board.say(Heartbeat(1500, 1))
    board.ask(message)
    check(pictures(board, 0.5), steady, 64, 0)


def test_a_heartbeat_alone_does_not_bring_an_old_scene_back(board: Board):
    board.greet(500)
    board.ask(SceneMessage(1, 2, 64, ((7, 1),)))
    board.run(1)
    board.say(Heartbeat(1500, 1))
    check(pictures(board, 0.5), dict.fromkeys(HOST_LOST, Light(Hue.AMBER, Rhythm.BREATHE)), 64, 0)


def test_a_scene_sent_to_a_sleeping_device_is_not_shown_to_the_next_host(board: Board):
    board.send(b"\0\0")
    assert board.ask(SceneMessage(1, 2, 64, ((7, 1),))) == Ack(0)
    board.greet()
    check(pictures(board, 0.3), dict.fromkeys(HOST_LOST, Light(Hue.AMBER, Rhythm.BREATHE)), 64, 0)
    board.ask(SceneMessage(2, 2, 64, ((8, 1),)))
    assert {i for i, colour in enumerate(board.shown) if any(colour)} == {8}


def test_after_a_minute_one_dim_light_is_left(board: Board):
    board.greet(1000)
    board.ask(SceneMessage(1, 2, 64, ((7, 1),)))
    board.run(60.5)
    assert {i for i, colour in enumerate(board.shown) if any(colour)} == {67, 68, 75, 76}
    leds = board.run(5).leds
    late = [colours for time_s, colours in leds if time_s > 61.1]
    assert len(late) > 20
    assert {i for colours in late for i, colour in enumerate(colours) if any(colour)} == {67}
    assert max(map(max, (colours[67] for colours in late))) == 16
    board.greet()
    board.ask(SceneMessage(2, 2, 64, ((7, 1),)))
    assert {i for i, colour in enumerate(board.shown) if any(colour)} == {7}
