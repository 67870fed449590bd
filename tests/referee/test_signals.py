"""What the lights say: every state told apart from every other, by priority, and never flashing too fast."""

from dataclasses import replace

import pytest
from looks import alike, lit

from calibration.lightmaps import default_map, frame_map
from controller.referee.signals import MOST_TARGETS, STATES, corner_sites, signals
from controller.referee.view import Lifted, Offence, Played, View
from controller.rules.api import Owed, Reason, Shift
from firmware_bridge.lightmap import LightMap
from firmware_bridge.rhythm import level
from firmware_bridge.scene import OFF, Bar, Hue, Light, Rhythm, Scene, calm
from firmware_bridge.virtual import DeviceState, colours
from vision.boardset import installed_sets

SITES = [f"{file}{rank}" for rank in "54321" for file in "abcde"]
CORNERS = ("a5", "e5", "e1", "a1")
S, N = "South", "North"
TURN = Played(1, S, "c1-c2", shifts=(Shift("dark-PIAS", "c1", "c2"),))
SWAP = Played(2, N, "a5-a4 e4-e5", shifts=(Shift("light-PINET", "a5", "a4"), Shift("light-PINET", "e4", "e5")))
NULL = Played(1, S, "A1>A1", shifts=())  # a group loaded and put back: nothing has moved
PASS = Played(2, N, "pass", passed=True)
BACK = (Shift("dark-PIAS", "d3", "c2"), Shift("light-PINET", None, "a5"))
OFFENCE = Offence(S, None, (Reason("WRONG_STEP", ("c2", "d3"), "transet 2.1"),), BACK)
OWED = Owed(S, "return", "light-PINET", None, frozenset({"a5", "b5"}))
QUESTION = ({"text": "c1-c2", "position": "x", "player": S}, {"text": "-", "position": "y", "player": N})

PLAY = View(10.0, "play", "transet", "transet", 1, (S, N), N, turns=(TURN,), accepted_s=8.0)
OVER = replace(PLAY, phase="over", to_move=None, winner=S, result="South wins")
SETUP = View(1.0, "setup", "transet", "transet", 0, (S, N), right=4, total=10)

VIEWS: dict[str, list[View]] = {
    "camera_lost": [replace(PLAY, trouble="lost"), replace(PLAY, trouble="frozen")],
    "too_dark": [replace(PLAY, trouble=code) for code in ("too_dark", "too_bright", "glare", "blurred")],
    "board_moved": [
        replace(PLAY, board_moved=True),
        replace(PLAY, trouble="no_board"),
        replace(PLAY, trouble="markers"),
    ],
    "searching": [View(0.0, "searching", players=(S, N)), View(0.0, "searching", players=(S, N), trouble="no_board")],
    "paused": [replace(PLAY, paused=True)],
    "setup": [
        SETUP,
        replace(SETUP, wrong=(Shift("dark-PIAS", "c3", "c1"), Shift("dark-PINET", "b2", "a1"))),
        replace(SETUP, wrong=(Shift("dark-PIAS", None, "c1"),)),
        replace(SETUP, wrong=(Shift("dark-PIAS", "c3", None),)),
        replace(PLAY, rearranging=True, right=2, total=10),
    ],
    "win": [OVER, replace(OVER, turns=()), replace(OVER, winner=N)],
    "draw": [replace(OVER, winner=None, result="draw")],
    "over": [replace(OVER, winner=None, result="score unknown")],
    "hand": [replace(PLAY, hand=True), replace(PLAY, trouble="hand"), replace(PLAY, hand=True, to_move=None)],
    "settling": [replace(PLAY, seen=True, changed=frozenset({"c5", "c4"}))],
    "accepted": [
        replace(PLAY, accepted_s=9.8),
        replace(PLAY, accepted_s=9.8, turns=(TURN, SWAP)),
        replace(PLAY, accepted_s=9.8, turns=(NULL,)),
        replace(PLAY, accepted_s=9.8, turns=(TURN, PASS)),
    ],
    "passed": [replace(PLAY, accepted_s=9.0, turns=(TURN, PASS), to_move=S)],
    "illegal": [
        replace(PLAY, offence=OFFENCE),
        replace(PLAY, offence=replace(OFFENCE, way_back=BACK[1:])),
        replace(PLAY, offence=replace(OFFENCE, way_back=())),
    ],
    "question": [
        replace(PLAY, question=QUESTION, changed=frozenset({"c1", "c2"})),
        replace(PLAY, question=QUESTION),
        replace(PLAY, question=QUESTION, placement={"c1": ("dark-PIAS",)}, observed={"c2": ("dark-PIAS",)}),
    ],
    "obligation": [
        replace(PLAY, owed=(OWED,)),
        replace(PLAY, owed=(replace(OWED, act="second_half", at="b2", to=frozenset({"b1"})),)),
        replace(PLAY, owed=(replace(OWED, to=frozenset(SITES)),)),
        replace(PLAY, owed=(replace(OWED, act="reply", player=N, at="c3", to=frozenset({"c4"})),)),
        replace(PLAY, owed=(replace(OWED, act="remove", at="c3", to=frozenset()),)),
        replace(PLAY, owed=tuple(replace(OWED, act="choose", at=at, to=frozenset()) for at in ("c3", "d3"))),
        replace(PLAY, owed=(replace(OWED, act="unload", at="south.1", to=frozenset({"a1"})),)),
        replace(PLAY, owed=(replace(OWED, act="clear", at="north.1", to=frozenset()),)),
    ],
    "lifted": [
        replace(PLAY, lifted=Lifted(N, "light-PINET", "a5", ("a4", "b5"), ("c3",))),
        replace(PLAY, lifted=Lifted(S, "dark-PIAS", "c1", ("c2",)), to_move=S, hand=True),
        replace(PLAY, lifted=Lifted(N, "light-PINET", "a5", (), ("a5", "b5"))),
        replace(PLAY, lifted=Lifted(N, "light-PINET", "a5"), seen=True, changed=frozenset({"a5"})),
    ],
    "to_move": [PLAY, replace(PLAY, to_move=S), replace(PLAY, to_move=None)],
}
VIEWS["operator_needed"] = [replace(view, operator=True) for view in (PLAY, OVER, SETUP, replace(PLAY, hand=True))]
ALL = [(state, view) for state, views in VIEWS.items() for view in views]


def test_every_state_is_covered() -> None:
    assert set(VIEWS) == set(STATES)
    assert len(set(STATES.values())) == len(STATES)


@pytest.mark.parametrize(("state", "view"), ALL)
def test_the_state_is_named(state: str, view: View) -> None:
    scene = signals(view, CORNERS)
    assert (scene.state, scene.number) == (state, STATES[state])
    assert signals(view, CORNERS) == scene
    assert set(scene.bars) <= {S, N}
    assert scene.lamp.hue
    assert scene.bars or scene.sites


SITE_BUILD = LightMap.of(SITES, (S, N))
BUILDS = {  # a table's lights, and in how many dimensions any two states must differ there
    "sites and bars": (SITE_BUILD, 2),
    "bars of three": (LightMap.of(SITES, (S, N), leds=3), 2),
    "bars alone": (LightMap.of((), (S, N)), 1),
    "sites alone": (default_map(installed_sets()["transet"], (S, N), leds=0), 2),
    "strip round the frame": (frame_map(installed_sets()["transet"], (S, N), 60), 2),
}
HOST_LOST = Scene("host_lost", 1, {}, dict.fromkeys((S, N), Bar(middle=Light(Hue.AMBER, Rhythm.BREATHE))))


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("corners", [CORNERS, ()], ids=["corners known", "corners unknown"])
def test_every_two_states_differ_twice_and_without_hue(corners: tuple[str, ...], build: str) -> None:
    lightmap, least = BUILDS[build]
    scenes = [HOST_LOST, *(signals(view, corners) for _, view in ALL)]  # the device's own is like nothing else, too
    assert not alike(scenes, lightmap, least)


@pytest.mark.parametrize("build", BUILDS)
def test_for_people_who_bear_no_flashing_states_differ_and_nothing_flashes(build: str) -> None:
    lightmap, _ = BUILDS[build]
    scenes = [calm(signals(view, CORNERS)) for _, view in ALL]
    for scene in scenes:
        lights = [scene.lamp, *scene.sites.values(), *(bar.light for bar in scene.bars.values())]
        lights += [bar.middle for bar in scene.bars.values() if bar.middle is not None]
        assert {light.rhythm for light in lights} <= {Rhythm.STEADY, Rhythm.PULSE, Rhythm.BREATHE}
    assert not alike(scenes, lightmap, 1, hueless=False)
    lamps = {signals(view).lamp: calm(signals(view)).lamp for _, view in ALL} | {
        signals(replace(PLAY, to_move=S)).lamp: calm(signals(replace(PLAY, to_move=S))).lamp
    }
    assert len(set(lamps.values())) == len(lamps) == 6


@pytest.mark.parametrize(("state", "view"), ALL)
def test_nothing_flashes_more_than_three_times_a_second(state: str, view: View) -> None:
    scene = signals(view, CORNERS)
    bars, sites = lit(scene, SITE_BUILD)
    leds = [(led, light) for (_, led), light in bars.items()] + [(0, light) for light in sites.values()]
    for led, light in leds:
        for since_s in (0.0, 0.3, 0.77):
            assert flashes([level(light.rhythm, i / 50, since_s, led, 8) for i in range(200)]) <= 3
    lamps = [colours(DeviceState(lamp=scene.lamp), 3 + i / 50).lamp for i in range(200)]
    assert flashes([sum(lamp) / 765 for lamp in lamps]) <= 3
    # a bar flashes as a whole, too
    for side in {side for side, _ in bars}:
        mine = [(led, light) for (of, led), light in bars.items() if of == side]
        together = [sum(level(light.rhythm, i / 50, 0.3, led, 8) for led, light in mine) for i in range(200)]
        assert flashes(together) <= 3


def flashes(track: list[float]) -> int:
    """The most flashes in any second of a brightness sampled fifty times a second: rises by a tenth of the fullest."""
    step, rises, rising, low, high = 0.1 * max(track), [], False, track[0], track[0]
    for i, now in enumerate(track):
        high, low = max(high, now), min(low, now)
        if rising and now <= high - step:
            rising, low = False, now
        elif not rising and now >= low + step > low:
            rising, high = True, now
            rises.append(i)
    return max((sum(i <= j < i + 50 for j in rises) for i in rises), default=0)


def test_flashes_are_counted() -> None:
    assert flashes([float(i // 5 % 2) for i in range(200)]) == 5  # a stroboscope of 5 Hz would be found
    assert flashes([1.0] * 200) == 0


OWES = Bar(Light(Hue.BLUE, Rhythm.BLINK), middle=Light(Hue.AMBER))
PRIORITY = [
    ("camera_lost", {"trouble": "lost"}),
    ("board_moved", {"board_moved": True}),
    ("operator_needed", {"operator": True}),
    ("paused", {"paused": True}),
    ("setup", {"rearranging": True}),
    ("hand", {"hand": True}),
    ("settling", {"seen": True}),
    ("accepted", {"accepted_s": 9.5}),
    ("illegal", {"offence": OFFENCE}),
    ("passed", {"turns": (TURN, PASS), "accepted_s": 9.0}),
    ("question", {"question": QUESTION}),
    ("obligation", {"owed": (OWED,)}),
    ("to_move", {}),
]


def test_the_order_of_priority() -> None:
    view = PLAY
    for state, more in reversed(PRIORITY):
        view = replace(view, **more)  # type: ignore[arg-type]
        assert signals(view).state == state


@pytest.mark.parametrize(
    ("view", "sites", "bars"),
    [
        # One step of the way back: the piece that stands wrong, and where it came from; not the second step.
        (
            VIEWS["illegal"][0],
            {"d3": Light(Hue.AMBER, Rhythm.DOUBLE), "c2": Light(Hue.WHITE, Rhythm.ALT_A)},
            {S: Bar(Light(Hue.AMBER, Rhythm.BLINK))},
        ),
        # A piece that is beside the board: only where it belongs.
        (VIEWS["illegal"][1], {"a5": Light(Hue.WHITE, Rhythm.ALT_A)}, {S: Bar(Light(Hue.AMBER, Rhythm.BLINK))}),
        # No way back known: the sites of the first reason.
        (
            VIEWS["illegal"][2],
            dict.fromkeys(("c2", "d3"), Light(Hue.AMBER, Rhythm.DOUBLE)),
            {S: Bar(Light(Hue.AMBER, Rhythm.BLINK))},
        ),
        # Set-up: one piece at a time, bars filled with the share that is right.
        (
            VIEWS["setup"][1],
            {"c3": Light(Hue.AMBER), "c1": Light(Hue.WHITE, Rhythm.BLINK)},
            dict.fromkeys((S, N), Bar(Light(Hue.WHITE), share=0.4)),
        ),
        # Accepted: from white, to blue, at the mover's seat only.
        (
            VIEWS["accepted"][0],
            {"c1": Light(Hue.WHITE, Rhythm.PULSE), "c2": Light(Hue.BLUE, Rhythm.PULSE)},
            {S: Bar(Light(Hue.BLUE, Rhythm.PULSE), middle=OFF)},
        ),
        (
            VIEWS["obligation"][1],
            {"b2": Light(Hue.AMBER), "b1": Light(Hue.BLUE)},
            {S: OWES},
        ),
        # Taasen: the defender must answer, at the defender's seat.
        (VIEWS["obligation"][3], {"c3": Light(Hue.AMBER), "c4": Light(Hue.BLUE)}, {N: OWES}),
        # A crushed piece to be taken off; one of two to be chosen.
        (VIEWS["obligation"][4], {"c3": Light(Hue.AMBER)}, {S: OWES}),
        (VIEWS["obligation"][5], dict.fromkeys(("c3", "d3"), Light(Hue.WHITE, Rhythm.BREATHE)), {S: OWES}),
        # Transfer: a platform to be unloaded, and where to.
        (VIEWS["obligation"][6], {"south.1": Light(Hue.AMBER), "a1": Light(Hue.BLUE)}, {S: OWES}),
        # A null turn and a pass: nothing has moved, the seat says it.
        (VIEWS["accepted"][2], {}, {S: Bar(Light(Hue.BLUE, Rhythm.PULSE), middle=OFF)}),
        (VIEWS["passed"][0], {}, {N: Bar(Light(Hue.WHITE, Rhythm.DOUBLE), middle=Light(Hue.BLUE, Rhythm.DOUBLE))}),
        (VIEWS["settling"][0], dict.fromkeys(("c4", "c5"), Light(Hue.WHITE)), {N: Bar(Light(Hue.WHITE, Rhythm.WALK))}),
        (PLAY, {}, {N: Bar(Light(Hue.BLUE))}),
    ],
)
def test_what_is_lit(view: View, sites: dict[str, Light], bars: dict[str, Bar]) -> None:
    scene = signals(view)
    assert scene.sites == sites
    assert scene.bars == bars


def test_too_many_targets_light_none() -> None:
    many = frozenset(SITES[: MOST_TARGETS + 1])
    scene = signals(replace(PLAY, owed=(replace(OWED, at="c3", to=many),)))
    assert scene.sites == {"c3": Light(Hue.AMBER)}


def test_a_hand_keeps_what_was_shown_dimmed() -> None:
    wrong = signals(replace(PLAY, offence=OFFENCE))
    under_hand = signals(replace(PLAY, offence=OFFENCE, hand=True, seen=True))
    assert under_hand.sites == wrong.sites
    assert under_hand.brightness < wrong.brightness / 2
    assert set(under_hand.bars) == {S}  # the side that puts it right


def test_the_accepted_pulse_lasts_as_long_as_it_should() -> None:
    states = [signals(replace(PLAY, t_s=8.05 + i / 10)).state for i in range(10)]
    assert states == ["accepted"] * 7 + ["to_move"] * 3


def test_a_pause_of_the_clock_shows_no_old_pulse() -> None:
    assert signals(replace(PLAY, t_s=1.0)).state == "to_move"  # accepted_s of another clock, after a restart


def test_lamp_classes() -> None:
    lamps = {state: {signals(view).lamp for view in views} for state, views in VIEWS.items()}
    camera, wait = {Light(Hue.AMBER, Rhythm.DOUBLE)}, {Light(Hue.WHITE)}
    for state in ("camera_lost", "too_dark", "board_moved", "searching"):
        assert lamps[state] == camera
    for state in ("paused", "setup", "settling", "accepted", "passed", "question", "draw", "over"):
        assert lamps[state] == wait
    assert lamps["illegal"] == {Light(Hue.AMBER, Rhythm.BLINK)}
    assert lamps["operator_needed"] == {Light(Hue.AMBER, Rhythm.ALT_A)}
    assert signals(replace(PLAY, to_move=S)).lamp == Light(Hue.BLUE)
    assert signals(PLAY).lamp == Light(Hue.BLUE, Rhythm.BREATHE)
    assert len(set().union(*lamps.values())) == 6


def test_the_six_lamp_classes_look_different() -> None:
    lamps = [signals(view).lamp for view in (PLAY, replace(PLAY, to_move=S), *(VIEWS[state][0] for state in VIEWS))]
    looks = {lamp: tuple(colours(DeviceState(lamp=lamp), i / 20).lamp for i in range(80)) for lamp in set(lamps)}
    assert len(looks) == 6
    assert len(set(looks.values())) == 6


def test_corner_sites_go_clockwise() -> None:
    centres = {site: (50.0 * (i % 5), 50.0 * (i // 5)) for i, site in enumerate(SITES)}
    assert corner_sites(centres) == CORNERS
    assert corner_sites({}) == ()
    assert corner_sites({"top": (50, 0), "left": (0, 90), "right": (100, 90)}) == ("top", "right", "left")
