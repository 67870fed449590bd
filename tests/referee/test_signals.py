"""What the lights say: every state told apart from every other, by priority, and never flashing too fast."""

from dataclasses import replace
from itertools import combinations

import pytest

from controller.referee.signals import MOST_TARGETS, STATES, corner_sites, signals
from controller.referee.view import Offence, Played, View
from controller.rules.api import Owed, Reason, Shift
from firmware_bridge.lightmap import LightMap
from firmware_bridge.scene import OFF, Bar, Hue, Light, Rhythm, Scene
from firmware_bridge.virtual import DeviceState, colours

SITES = [f"{file}{rank}" for rank in "54321" for file in "abcde"]
CORNERS = ("a5", "e5", "e1", "a1")
S, N = "South", "North"
TURN = Played(1, S, "c1-c2", shifts=(Shift("dark-PIAS", "c1", "c2"),))
SWAP = Played(2, N, "a5-a4 e4-e5", shifts=(Shift("light-PINET", "a5", "a4"), Shift("light-PINET", "e4", "e5")))
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
    "operator_needed": [replace(PLAY, operator=True)],
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
    "hand": [replace(PLAY, hand=True), replace(PLAY, trouble="hand"), replace(PLAY, hand=True, to_move=None)],
    "settling": [replace(PLAY, seen=True, changed=frozenset({"c5", "c4"}))],
    "accepted": [replace(PLAY, accepted_s=9.8), replace(PLAY, accepted_s=9.8, turns=(TURN, SWAP))],
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
    ],
    "to_move": [PLAY, replace(PLAY, to_move=S), replace(PLAY, to_move=None)],
}
ALL = [(state, view) for state, views in VIEWS.items() for view in views]


def parts(bars: dict[str, Bar]) -> dict[tuple[str, str], Light]:
    """The lit parts of the bars: (player, whole | flanks | part | middle) -> Light."""
    found = {}
    for player, bar in bars.items():
        if bar.light.hue:
            whole = "part" if bar.share is not None else "whole" if bar.middle is None else "flanks"
            found[player, whole] = bar.light
        if bar.middle is not None and bar.middle.hue:
            found[player, "middle"] = bar.middle
    return found


def dimensions(scene: Scene) -> tuple[object, object, object, object, object]:
    """Bar hue, bar rhythm, bar place, site hue, site rhythm; each part of a bar and each kind of site light counted."""
    bars = sorted(parts(dict(scene.bars)).items())
    by_part = {part for (_, part), _ in bars}
    hues = frozenset((part, light.hue) for (_, part), light in bars)
    rhythms = frozenset((part if part == "middle" else "bar", light.rhythm) for (_, part), light in bars)
    sites = scene.sites.values()
    return (
        frozenset(hue for _, hue in hues) if len(by_part) < 2 else hues,
        rhythms,
        frozenset(place for place, _ in bars),
        frozenset(light.hue for light in sites),
        frozenset(light.rhythm for light in sites),
    )


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


@pytest.mark.parametrize("corners", [CORNERS, ()], ids=["corners known", "corners unknown"])
def test_every_two_states_differ_twice_and_without_hue(corners: tuple[str, ...]) -> None:
    for (one, view), (other, another) in combinations(ALL, 2):
        if one == other:
            continue
        a, b = dimensions(signals(view, corners)), dimensions(signals(another, corners))
        differing = sum(x != y for x, y in zip(a, b, strict=True))
        assert differing >= 2, (one, other, a, b)
        assert (a[1], a[2], a[4]) != (b[1], b[2], b[4]), (one, other)


def test_the_devices_own_host_lost_is_like_nothing_else() -> None:
    lost = Scene("host_lost", 1, {}, dict.fromkeys((S, N), Bar(middle=Light(Hue.AMBER, Rhythm.BREATHE))))
    mine = dimensions(lost)
    for _, view in ALL:
        theirs = dimensions(signals(view, CORNERS))
        assert sum(x != y for x, y in zip(mine, theirs, strict=True)) >= 2
        assert (mine[1], mine[2], mine[4]) != (theirs[1], theirs[2], theirs[4])


@pytest.mark.parametrize(("state", "view"), ALL)
def test_nothing_flashes_more_than_three_times_a_second(state: str, view: View) -> None:
    lightmap = LightMap.of(SITES, (S, N))
    scene = signals(view, CORNERS)
    sites = {lightmap.sites[site]: light for site, light in scene.sites.items()}
    bars = {}
    for player, (side, leds) in lightmap.bars.items():
        bar = scene.bars.get(player, Bar())
        middle = {leds // 2 - 1, leds // 2} if bar.middle is not None else set()
        bars[side] = tuple((bar.middle or OFF) if led in middle else bar.light for led in range(leds))
    shown = DeviceState(sites, bars, scene.lamp, scene.brightness, 1, scene.number, False, dict.fromkeys(sites, 3.0))
    times = [3 + i / 50 for i in range(200)]
    moments = [colours(shown, t_s) for t_s in times]
    tracks = [[sum(moment.lamp) for moment in moments]]
    tracks += [[sum(moment.sites[index]) for moment in moments] for index in sites]
    tracks += [[sum(moment.bars[side][led]) for moment in moments] for side in bars for led in range(8)]
    for track in tracks:
        rises = [i for i in range(1, len(track)) if track[i] > track[i - 1] and track[i - 1] < 0.4 * max(track)]
        assert max((sum(i <= j < i + 50 for j in rises) for i in rises), default=0) <= 3


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
            {S: Bar(Light(Hue.BLUE, Rhythm.PULSE))},
        ),
        (
            VIEWS["obligation"][1],
            {"b2": Light(Hue.AMBER), "b1": Light(Hue.BLUE)},
            {S: Bar(Light(Hue.BLUE, Rhythm.BLINK))},
        ),
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
    for state in ("paused", "setup", "settling", "accepted", "question", "draw"):
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
