"""signals: View -> Scene, what the lights say. One pure function, one order; page and LEDs draw the same Scene.

Every state differs from every other in at least two of bar hue, bar rhythm, bar place, site hue and site rhythm, and
still differs from it with hue removed, also where sites have no lights: that is why so many bars have a middle of their
own. The bar's place tells the side; hue never does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from controller.referee.view import View
from controller.rules.api import Shift
from firmware_bridge.scene import FULL_BRIGHTNESS, OFF, Bar, Hue, Light, Rhythm, Scene

ACCEPTED_S = 0.7
PASSED_S = 2.1  # how long it is shown, after that, that the other side had no legal turn
HAND_SHARE = 0.3  # of the brightness, while a hand is over the sheet
MOST_TARGETS = 8
BRIGHTNESS = FULL_BRIGHTNESS
DIM_SHARE = 0.5
NEARLY = 0.99  # a set-up's bar is never quite full: a full one is another signal

# The vocabulary: name -> number on the wire, in the order of priority (1 is the device's own HOST LOST).
STATES = {
    "camera_lost": 2,
    "too_dark": 3,
    "board_moved": 4,
    "searching": 5,
    "operator_needed": 6,
    "paused": 7,
    "setup": 8,
    "win": 9,
    "draw": 10,
    "hand": 11,
    "settling": 12,
    "accepted": 13,
    "illegal": 14,
    "question": 15,
    "obligation": 16,
    "to_move": 17,
    "over": 18,
    "passed": 19,
    "lifted": 20,
}

_DARK_TROUBLES = frozenset({"too_dark", "too_bright", "glare", "blurred"})
_LOST_TROUBLES = frozenset({"lost", "frozen"})
_MOVED_TROUBLES = frozenset({"markers", "no_board"})


def signals(view: View, corners: tuple[str, ...] = ()) -> Scene:
    """The Scene for `view`. `corners`: the sites in the sheet's corners, clockwise (`corner_sites`), may blink."""
    state = _state(view)
    if state == "board_moved":
        return _board_moved(view, corners)
    return _MAKERS[state](view)


def corner_sites(centres_mm: Mapping[str, tuple[float, float]]) -> tuple[str, ...]:
    """The sites nearest the corners, clockwise from the top left; each once, so fewer on a triangle."""
    if not centres_mm:
        return ()
    xs, ys = zip(*centres_mm.values(), strict=True)
    left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)

    def nearest(x_mm: float, y_mm: float) -> str:
        return min(
            centres_mm, key=lambda site: (centres_mm[site][0] - x_mm) ** 2 + (centres_mm[site][1] - y_mm) ** 2
        )

    wanted = ((left, top), (right, top), (right, bottom), (left, bottom))
    return tuple(dict.fromkeys(nearest(*corner) for corner in wanted))


def _state(view: View) -> str:
    searching = view.phase == "searching"
    over = view.phase == "over" and not view.rearranging
    setting_up = view.phase == "setup" or view.rearranging or view.guiding
    ago_s = -1.0 if view.accepted_s is None or view.last_turn is None else view.t_s - view.accepted_s
    pulse = 0 <= ago_s < ACCEPTED_S
    passed = ACCEPTED_S <= ago_s < ACCEPTED_S + PASSED_S and view.turns[-1].passed
    order = (
        ("camera_lost", view.trouble in _LOST_TROUBLES),
        ("too_dark", view.trouble in _DARK_TROUBLES),
        ("board_moved", view.board_moved or (view.trouble in _MOVED_TROUBLES and not searching)),
        ("searching", searching),
        ("operator_needed", view.operator or (over and view.unrecorded and view.result is None)),
        ("paused", view.paused),
        ("setup", setting_up),
        ("accepted", over and pulse),
        ("win", over and view.winner is not None),
        ("draw", over and view.result == "draw"),
        ("over", over),
        ("lifted", view.lifted is not None),
        ("hand", view.hand or view.trouble == "hand"),
        ("settling", view.seen),
        ("accepted", pulse),
        ("illegal", view.offence is not None),
        ("passed", passed),
        ("question", bool(view.question)),
        ("obligation", bool(view.owed)),
    )
    return next((name for name, holds in order if holds), "to_move")


def _scene(
    view: View,
    state: str,
    sites: Mapping[str, Light],
    bars: Mapping[str, Bar],
    lamp: Light,
    brightness: int = BRIGHTNESS,
) -> Scene:
    return Scene(state, STATES[state], dict(sites), {p: bar for p, bar in bars.items() if p}, lamp, brightness)


def _both(view: View, bar: Bar) -> dict[str, Bar]:
    return dict.fromkeys(view.players, bar)


def _at(player: str | None, view: View, bar: Bar) -> dict[str, Bar]:
    """At that player's seat; at both where nobody knows whose turn it is."""
    return {player: bar} if player in view.players and player else _both(view, bar)


_LAMP_CAMERA = Light(Hue.AMBER, Rhythm.DOUBLE)
_LAMP_WAIT = Light(Hue.WHITE)
_LAMP_ILLEGAL = Light(Hue.AMBER, Rhythm.BLINK)
_LAMP_OPERATOR = Light(Hue.AMBER, Rhythm.ALT_A)  # on a lamp ALT alternates with white


def _lamp_turn(player: str | None, view: View) -> Light:
    """Steady for the first player, breathing for the second."""
    return Light(Hue.BLUE, Rhythm.BREATHE if player == view.players[1] and player else Rhythm.STEADY)


def _camera_lost(view: View) -> Scene:
    return _scene(view, "camera_lost", {}, _both(view, Bar(Light(Hue.AMBER, Rhythm.DOUBLE))), _LAMP_CAMERA)


def _too_dark(view: View) -> Scene:
    bar = Bar(Light(Hue.AMBER), middle=Light(Hue.WHITE, Rhythm.BLINK))
    return _scene(view, "too_dark", {}, _both(view, bar), _LAMP_CAMERA, round(BRIGHTNESS * DIM_SHARE))


def _board_moved(view: View, corners: tuple[str, ...]) -> Scene:
    diagonals = (Light(Hue.AMBER, Rhythm.ALT_A), Light(Hue.AMBER, Rhythm.ALT_B))
    sites = {site: diagonals[i % 2] for i, site in enumerate(corners)}
    bar = Bar(Light(Hue.AMBER, Rhythm.WALK), middle=OFF)
    return _scene(view, "board_moved", sites, _both(view, bar), _LAMP_CAMERA)


def _searching(view: View) -> Scene:
    return _scene(view, "searching", {}, _both(view, Bar(middle=Light(Hue.WHITE, Rhythm.BLINK))), _LAMP_CAMERA)


def _operator_needed(view: View) -> Scene:
    bar = Bar(Light(Hue.WHITE, Rhythm.ALT_A), middle=Light(Hue.AMBER, Rhythm.ALT_B))
    return _scene(view, "operator_needed", {}, _both(view, bar), _LAMP_OPERATOR)


def _paused(view: View) -> Scene:
    return _scene(view, "paused", {}, _both(view, Bar(Light(Hue.WHITE, Rhythm.BREATHE))), _LAMP_WAIT)


def _setup(view: View) -> Scene:
    """One piece at a time: where it is taken away, and where it is put."""
    sites: dict[str, Light] = {}
    if view.wrong:
        first = view.wrong[0]
        if first.to is not None:
            sites[first.to] = Light(Hue.WHITE, Rhythm.BLINK)
        if first.origin is not None:
            sites[first.origin] = Light(Hue.AMBER)
    # never quite dark either: it waits, it lives
    share = min(NEARLY, max(1 - NEARLY, view.right / view.total)) if view.total else 1 - NEARLY
    return _scene(view, "setup", sites, _both(view, Bar(Light(Hue.WHITE), share=share)), _LAMP_WAIT)


def _win(view: View) -> Scene:
    """The winner's last steps and a light walking past a still one at the winner's seat."""
    last = view.last_turn
    won = last is not None and last.player == view.winner
    sites = {shift.to: Light(Hue.BLUE) for shift in last.shifts if shift.to} if last is not None and won else {}
    bar = Bar(Light(Hue.BLUE, Rhythm.WALK), middle=Light(Hue.WHITE))
    return _scene(view, "win", sites, _at(view.winner, view, bar), _lamp_turn(view.winner, view))


def _draw(view: View) -> Scene:
    bar = Bar(Light(Hue.BLUE, Rhythm.WALK), middle=Light(Hue.WHITE, Rhythm.BREATHE))
    return _scene(view, "draw", {}, _both(view, bar), _LAMP_WAIT)


def _over(view: View) -> Scene:
    """Nobody has won and it is no draw: the score of a game that was joined in its middle is not known."""
    bar = Bar(Light(Hue.BLUE, Rhythm.BREATHE), middle=Light(Hue.AMBER))
    return _scene(view, "over", {}, _both(view, bar), _LAMP_WAIT)


def _hand(view: View) -> Scene:
    """What was shown stays, dimmed, nothing new begins; the middle of the bar of the side at work breathes."""
    rest = replace(view, hand=False, seen=False, trouble=None)
    kept = _MAKERS[_state(rest)](rest)
    breathing = Light(Hue.BLUE, Rhythm.BREATHE)
    known = _acting(view) in view.players
    # at both seats two breathing middles would be the device's own "host lost" in another hue
    bars = _at(_acting(view), view, Bar(middle=breathing) if known else Bar(breathing, middle=OFF))
    return _scene(view, "hand", kept.sites, bars, kept.lamp, round(BRIGHTNESS * HAND_SHARE))


def _settling(view: View) -> Scene:
    sites = dict.fromkeys(sorted(view.changed), Light(Hue.WHITE))
    bars = _at(_acting(view), view, Bar(Light(Hue.WHITE, Rhythm.WALK)))
    return _scene(view, "settling", sites, bars, _LAMP_WAIT)


def _accepted(view: View) -> Scene:
    last = view.last_turn
    assert last is not None
    sites = {shift.origin: Light(Hue.WHITE, Rhythm.PULSE) for shift in last.shifts if shift.origin}
    sites |= {shift.to: Light(Hue.BLUE, Rhythm.PULSE) for shift in last.shifts if shift.to}
    bars = _at(last.player, view, Bar(Light(Hue.BLUE, Rhythm.PULSE), middle=OFF))
    return _scene(view, "accepted", sites, bars, _LAMP_WAIT)


def _passed(view: View) -> Scene:
    """The side that had no legal turn flashes twice; then the other side goes on."""
    bar = Bar(Light(Hue.WHITE, Rhythm.DOUBLE), middle=Light(Hue.BLUE, Rhythm.DOUBLE))
    return _scene(view, "passed", {}, _at(view.turns[-1].player, view, bar), _LAMP_WAIT)


def _illegal(view: View) -> Scene:
    """One step of the way back at a time: the piece to take away, and where it came from."""
    offence = view.offence
    assert offence is not None
    wrong = Light(Hue.AMBER, Rhythm.DOUBLE)
    if offence.way_back:
        step: Shift = offence.way_back[0]
        sites = {step.to: Light(Hue.WHITE, Rhythm.ALT_A)} if step.to else {}
        sites |= {step.origin: wrong} if step.origin else {}
    else:
        sites = dict.fromkeys(offence.reasons[0].sites if offence.reasons else (), wrong)
    bars = _at(offence.player, view, Bar(Light(Hue.AMBER, Rhythm.BLINK)))
    return _scene(view, "illegal", sites, bars, _LAMP_ILLEGAL)


def _question(view: View) -> Scene:
    """The candidates' sites where the eyes and the belief differ; a still blue middle in blinking bars."""
    asked = view.changed or {
        site
        for site in {*view.placement, *view.observed} - view.hidden
        if view.placement.get(site, ()) != view.observed.get(site, ())
    }
    sites = dict.fromkeys(sorted(asked), Light(Hue.WHITE, Rhythm.ALT_A))
    bar = Bar(Light(Hue.WHITE, Rhythm.BLINK), middle=Light(Hue.BLUE))
    return _scene(view, "question", sites, _both(view, bar), _LAMP_WAIT)


def _obligation(view: View) -> Scene:
    """The piece that must move or go, not blinking for it is no error, and where it may go, if that is not half the
    board. Where one of several may be chosen all of them breathe."""
    targets = {site for owed in view.owed for site in owed.to}
    sites = dict.fromkeys(sorted(targets), Light(Hue.BLUE)) if len(targets) <= MOST_TARGETS else {}
    for owed in view.owed:
        if owed.at is not None:
            sites[owed.at] = Light(Hue.WHITE, Rhythm.BREATHE) if owed.act == "choose" else Light(Hue.AMBER)
    bar = Bar(Light(Hue.BLUE, Rhythm.BLINK), middle=Light(Hue.AMBER))
    bars = {name: at for owed in view.owed for name, at in _at(owed.player, view, bar).items()}
    return _scene(view, "obligation", sites, bars, _lamp_turn(view.owed[0].player, view))


def _lifted(view: View) -> Scene:
    """Where a piece in the air may go; breathing: what would move as well, there or with it."""
    lifted = view.lifted
    assert lifted is not None
    sites = dict.fromkeys(lifted.to, Light(Hue.BLUE)) | dict.fromkeys(lifted.along, Light(Hue.WHITE, Rhythm.BREATHE))
    bar = Bar(Light(Hue.BLUE, Rhythm.WALK), share=0.5)
    return _scene(view, "lifted", sites, _at(lifted.player, view, bar), _lamp_turn(lifted.player, view))


def _to_move(view: View) -> Scene:
    bars = _at(view.to_move, view, Bar(Light(Hue.BLUE)))
    lamp = _LAMP_OPERATOR if view.unrecorded else _lamp_turn(view.to_move, view)
    return _scene(view, "to_move", {}, bars, lamp)


def _acting(view: View) -> str | None:
    """The side at work: who must put something right or owes an act, otherwise the side to move."""
    if view.offence is not None:
        return view.offence.player
    return view.owed[0].player if view.owed else view.to_move


_MAKERS: dict[str, Callable[[View], Scene]] = {
    "camera_lost": _camera_lost,
    "too_dark": _too_dark,
    "searching": _searching,
    "operator_needed": _operator_needed,
    "paused": _paused,
    "setup": _setup,
    "win": _win,
    "draw": _draw,
    "over": _over,
    "hand": _hand,
    "settling": _settling,
    "accepted": _accepted,
    "passed": _passed,
    "illegal": _illegal,
    "question": _question,
    "obligation": _obligation,
    "lifted": _lifted,
    "to_move": _to_move,
}
