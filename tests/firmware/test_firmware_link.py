"""The host's own link, over the board's pseudo-terminal in real time: what Boardref asks for is what the LEDs show."""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from board import Board
from wanted import check, places

from controller.referee.signals import STATES, corner_sites, signals
from controller.referee.view import Lifted, Offence, Played, View
from controller.rules.api import Owed, Reason, Shift
from firmware_bridge.lightmap import LightMap, light_of
from firmware_bridge.link import Link, LinkState
from firmware_bridge.scene import Bar, Hue, Light, Rhythm, Scene
from firmware_bridge.wire.native import Ack, Frame

S, N = "South", "North"
SITES = [f"{file}{rank}" for rank in "87654321" for file in "abcdefgh"]
CORNERS = corner_sites({site: (ord(site[0]) * 10.0, int(site[1]) * -10.0) for site in SITES})
MAP = LightMap.of(SITES, (S, N))
TURN = Played(1, S, "c1-c2", shifts=(Shift("dark-PIAS", "c1", "c2"),))
WRONG = Offence(S, None, (Reason("WRONG_STEP", ("c2", "d3"), "2.1"),), (Shift("dark-PIAS", "d3", "c2"),))
PLAY = View(10.0, "play", "transet", "transet", 1, (S, N), N, turns=(TURN,), accepted_s=8.0)
OVER = replace(PLAY, phase="over", to_move=None, winner=N, result="North wins")
VIEWS = [
    replace(PLAY, trouble="lost"),
    replace(PLAY, trouble="too_dark"),
    replace(PLAY, board_moved=True),
    View(0.0, "searching", players=(S, N)),
    replace(PLAY, operator=True),
    replace(PLAY, paused=True),
    View(1.0, "setup", "transet", "transet", 0, (S, N), right=4, total=10, wrong=(Shift("dark-PIAS", "c3", "c1"),)),
    OVER,
    replace(OVER, winner=None, result="draw"),
    replace(OVER, winner=None, result="score unknown"),
    replace(PLAY, hand=True),
    replace(PLAY, seen=True, changed=frozenset({"c5", "c4"})),
    replace(PLAY, accepted_s=9.8),
    replace(PLAY, accepted_s=9.0, turns=(TURN, Played(2, N, "pass", passed=True)), to_move=S),
    replace(PLAY, offence=WRONG),
    replace(PLAY, question=({"text": "c1-c2", "position": "x", "player": S},), changed=frozenset({"c1", "c2"})),
    replace(PLAY, lifted=Lifted(S, "dark-PIAS", "c2", ("c3", "d3"), ("e4",))),
    replace(PLAY, owed=(Owed(S, "return", "light-PINET", None, frozenset({"a5", "b5"})),)),
    PLAY,
    replace(PLAY, to_move=S),
]


@pytest.fixture
def links() -> Iterator[Callable[..., Link]]:
    """Links to a board, closed after the test."""
    made: list[Link] = []

    def new(board: Board, **more: object) -> Link:
        board.tell("real")
        made.append(Link(lambda: board.path, MAP, **more))  # type: ignore[arg-type]
        return made[-1]

    yield new
    for link in made:
        link.close()


def wait(condition: Callable[[], bool], what: str, seconds: float = 20) -> None:
    ends_s = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends_s, what
        time.sleep(0.005)


def ready(link: Link) -> None:
    wait(lambda: link.acknowledged_scene is not None, f"not ready: {link.status()}")


def lit(board: Board) -> set[int]:
    board.collect()
    return {i for i, colour in enumerate(board.shown) if any(colour)}


Began = dict[int, tuple[Light, float]]  # LED -> its light, and since when: one that does not change keeps its phase


def assert_shown(link: Link, board: Board, scene: Scene, began: Began) -> Began:
    """Show it: all pictures from its acknowledgement on, for a moment, are what the map makes of it."""
    board.tell("line")  # everything before is reported
    board.collect()
    before = (board.now_s, board.shown)
    epoch = link.show(scene)
    wait(lambda: link.acknowledged_epoch == epoch, f"{scene.state} was not acknowledged: {link.status()}")
    time.sleep(0.12)
    board.tell("line")
    report = board.collect()
    message = MAP.message(scene, 1)
    lights = {address: light_of(code) for address, code in message.lights}
    answered_s = [time_s for time_s, frame in report.frames if isinstance(frame, Frame) and frame.message == Ack(0)]
    faults = []
    for since_s in answered_s:  # one may be that of the scene before, sent again just now
        colours = [colours for time_s, colours in (before, *report.leds) if time_s <= since_s][-1]
        pictures = [(since_s, colours), *(one for one in report.leds if one[0] > since_s)]
        now = {led: (light, since_s) for led, (light, _, _) in places(lights).items()}
        now = {led: began[led] if led in began and began[led][0] == now[led][0] else now[led] for led in now}
        try:
            check(pictures, lights, message.brightness, {led: began_s for led, (_, began_s) in now.items()})
        except AssertionError as fault:
            faults.append(fault)
        else:
            return now
    raise AssertionError(f"{scene} was not shown: {faults}")


def test_every_scene_of_the_vocabulary(board: Board, links: Callable[..., Link]):
    link = links(board)
    ready(link)
    scenes = [signals(view, CORNERS) for view in VIEWS]
    # A test table with every state in it: a new state must come into the list above.
    assert {scene.state for scene in scenes} == set(STATES)
    began: Began = {}
    for scene in scenes:
        began = assert_shown(link, board, scene, began)


def test_every_light_of_the_vocabulary(board: Board, links: Callable[..., Link]):
    link = links(board)
    ready(link)
    began: Began = {}
    for hue in (Hue.WHITE, Hue.BLUE, Hue.AMBER):
        for rhythm in Rhythm:
            light = Light(hue, rhythm)
            bars = {S: Bar(light, share=0.4), N: Bar(light, middle=Light(hue))}
            scene = Scene("test", 40, {"a8": light, "h1": light, "d4": Light(hue)}, bars, light)
            began = assert_shown(link, board, scene, began)


def test_the_wire_is_found_out(board: Board):
    """Asked in the languages of other devices too, it answers in its own."""
    board.tell("real")
    link = Link(board.path, MAP)
    try:
        ready(link)
        device = link.status().device
        assert device is not None
        assert (device.sites, device.bar, device.lamp, device.buttons) == (64, 8, True, True)
        link.show(Scene("test", 40, {"a8": Light(Hue.BLUE)}))
        wait(lambda: lit(board) == {0}, "the light")
    finally:
        link.close()
    wait(lambda: not lit(board), "darkness on closing")


def test_buttons_reach_the_host_once(board: Board, links: Callable[..., Link]):
    presses: list[tuple[int, int]] = []
    link = links(board, on_button=lambda button, action: presses.append((button, action)))
    ready(link)
    for button in (0, 1, 1):
        board.tell(f"press {button}")
        board.tell("run 100")  # of the chip's time, however busy this machine is
        board.tell(f"release {button}")
        board.tell("run 100")
    board.tell("press 0")
    wait(lambda: len(presses) == 4, f"four presses: {presses}")
    board.tell("release 0")
    time.sleep(0.5)
    assert presses == [(0, 0), (1, 0), (1, 0), (0, 1)]


def test_the_host_dies_and_another_takes_over(board: Board, links: Callable[..., Link]):
    """Meanwhile the device says by itself that nobody speaks to it."""
    link = links(board)
    ready(link)
    link.show(Scene("test", 40, {"c8": Light(Hue.WHITE)}))
    wait(lambda: lit(board) == {2}, "the light")
    link.close()
    wait(lambda: lit(board) == {67, 68, 75, 76}, "the middle of the bars after the lease")
    again = links(board)
    again.show(Scene("test", 41, {"d8": Light(Hue.WHITE)}))
    wait(lambda: lit(board) == {3}, "the new host's light")


def test_a_device_that_restarts_shows_the_scene_again(board: Board, links: Callable[..., Link]):
    """A jolted plug or the reset button: the host need not know, its scene is sent again within a second."""
    link = links(board)
    ready(link)
    link.show(Scene("test", 40, {"c8": Light(Hue.WHITE)}))
    wait(lambda: lit(board) == {2}, "the light")
    board.tell("reset")
    wait(lambda: lit(board) != {2}, "the restart")
    wait(lambda: lit(board) == {2}, "the light after the restart")
    board.tell("hang 0")
    wait(lambda: lit(board) != {2}, "the watchdog")
    wait(lambda: lit(board) == {2}, "the light after the watchdog")
    wait(lambda: link.status().state is LinkState.READY, "the device's answer")


def test_the_board_is_unplugged(new_board: Callable[..., Board]):
    """Its pseudo-terminal goes with it; another board of the same kind is another port."""
    first = new_board()
    first.tell("real")
    path = [first.path]
    link = Link(lambda: path[0], MAP)
    try:
        link.show(Scene("test", 40, {"c8": Light(Hue.WHITE)}))
        wait(lambda: lit(first) == {2}, "the light")
        first.close()
        wait(lambda: link.status().state is LinkState.DOWN, f"{link.status()}")
        second = new_board()
        second.tell("real")
        path[0] = second.path
        wait(lambda: lit(second) == {2}, "the light on the other board")
    finally:
        link.close()


def test_the_sweep_lights_what_it_says(board: Board):
    """`boardref lights test` names each site's light in its order while exactly that one, and the lamp, are lit."""
    board.tell("real")
    board.collect()
    done = subprocess.run(
        [sys.executable, "-m", "controller.cli", "lights", "test", "--port", board.path, "--seconds", "0.03"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    board.tell("line")
    colours = [{i: colour for i, colour in enumerate(picture) if any(colour)} for _, picture in board.collect().leds]
    said = [int(found[1]) for found in re.finditer(r"^\w+ light (\d+):", done.stdout, re.MULTILINE)]
    singles = [lit for lit in colours if len(set(lit) - {80}) == 1 and min(lit) < 64]
    assert said == [*range(25)] * 3
    assert [min(lit) for lit in singles] == said
    white, blue, amber = (38, 38, 38), (0, 10, 64), (64, 23, 0)
    assert [lit[min(lit)] for lit in singles] == [white] * 25 + [blue] * 25 + [amber] * 25
