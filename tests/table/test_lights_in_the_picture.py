"""The table's own lights in the camera's picture: they tint the board, and are neither hands nor pieces nor a hurdle.

Everything real on one simulated clock: the referee's Scenes over the native wire to a device, whose LEDs shine on the
pretend table. Frames carry the epoch that was acknowledged when their exposure began, so that pictures taken while the
lights change carry the old one.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.lightmaps import lit_areas
from controller.lighting import Glow, map_source, spots
from controller.referee.events import Event
from controller.referee.signals import signals
from controller.referee.view import View
from controller.rules.registry import game_named
from controller.watcher import Watcher
from firmware_bridge.linkstate import Pace
from firmware_bridge.native_talk import NativeTalk
from firmware_bridge.scene import Bar, Hue, Light, Rhythm, Scene
from firmware_bridge.virtual.core import DeviceCore, Faults
from firmware_bridge.virtual.look import colours
from firmware_bridge.virtual.native import NativeBrain
from vision.boardset import installed_sets
from vision.camera.frame import Frame, Image
from vision.camera.painter import Painter
from vision.camera.shine import shine
from vision.camera.world import World
from vision.sighting import Sighting

FRAME_S, LATE_S, LINE_S = 0.1, 0.12, 0.01
GAMES = ("transet", "taasen", "transfer")


class LitTable:
    """A whole table without threads. `strength`: of the LEDs; `masked`: whether the eyes are told of them."""

    def __init__(self, name: str, *, strength: float = 0.4, masked: bool = True) -> None:
        self.board = installed_sets()[name]
        self.game = game_named(name)
        self.t_s, self.frame, self.strength, self.masked = 0.0, -1, strength, masked
        start = self.game.picture(self.game.start()).on
        self.world = World(self.board, start, clock=lambda: self.t_s)
        self.painter = Painter(self.board)
        self.watcher = Watcher([self.board])
        self.map = map_source(None)(self.board)
        faults = Faults()
        self.brain = NativeBrain(self.map.n_sites, 8, faults)
        self.core = DeviceCore(self.brain, faults)
        self.talk = NativeTalk(self.map, Pace())
        self.core.hear(self.talk.begin(0.0), 0.0)
        self.glow = Glow(lambda: self.t_s)
        self.scene, self.epoch = Scene("dark", 0), 0
        self.epochs = [(0.0, 0)]
        self.events: list[Event] = []
        self.view: View | None = None

    def show(self, scene: Scene) -> None:
        if scene != self.scene:
            self.scene, self.epoch = scene, self.epoch + 1
        self.glow.sent(self.epoch, lit_areas(self.board, self.map, scene))

    def exchange(self, until_s: float) -> None:
        """The line, a hundred times a second; the answer takes its time."""
        while self.t_s < until_s - 1e-9:
            self.t_s += LINE_S
            self.talk.show(self.scene, self.epoch, self.map)
            heard = self.core.hear(self.talk.due(self.t_s), self.t_s) + self.core.due(self.t_s)
            self.talk.take(heard, self.t_s)
            self.epochs.append((self.t_s, self.talk.acknowledged[0]))

    def picture(self) -> Image:
        image = self.painter.paint(self.world.snapshot())
        lit = spots(self.board, self.map, colours(self.brain.lit(self.t_s), self.t_s), self.strength)
        return shine(image, self.painter.optics, lit)

    def look(self, scene: Scene | None = None) -> Sighting:
        """The next frame. `scene`: shown instead of the referee's."""
        self.frame += 1
        self.exchange(self.frame * FRAME_S)
        known = [epoch for t_s, epoch in self.epochs if t_s <= self.t_s - LATE_S] or [0]
        frame = Frame(self.picture(), self.t_s, self.frame, known[-1])
        areas = self.glow.areas(frame.epoch) if self.masked else ()
        sighting, step = self.watcher.see(frame, areas)
        self.view = step.view
        self.events += [event for event in step.events if not event.internal]
        if scene is not None and step.view.hand:
            scene = replace(scene, brightness=19)
        self.show(signals(step.view) if scene is None else scene)
        return sighting

    def wait(self, seconds: float, scene: Scene | None = None) -> list[Sighting]:
        return [self.look(scene) for _ in range(round(seconds / FRAME_S))]

    def carry(self, origin: str, to: str, scene: Scene | None = None) -> list[Sighting]:
        """A hand takes the piece from one site to another."""
        (x0, y0), (x1, y1) = self.board.centre(origin), self.board.centre(to)
        tokens = self.world.as_json()["tokens"]
        token = min(tokens, key=lambda one: (one["x_mm"] - x0) ** 2 + (one["y_mm"] - y0) ** 2)["id"]
        self.world.lift(token)
        seen = self.wait(0.3, scene)
        for step in (1, 2, 3):
            self.world.move(token, x0 + (x1 - x0) * step / 3, y0 + (y1 - y0) * step / 3)
            seen += self.wait(0.2, scene)
        self.world.drop(token)
        return seen

    def told(self) -> list[tuple[str, object]]:
        """What was said since it was last asked, shortly."""
        keys = {"illegal": "code", "turn": "text", "restored": "by"}
        said = [(event.event, event.data.get(keys.get(event.event, ""))) for event in self.events]
        self.events.clear()
        return said


PLAY = {  # an illegal move, put back; a legal one; and its answer
    "transet": (("c1", "c3"), ("c3", "c1"), ("c1", "c2"), ("c5", "c4")),
    "taasen": (("9", "2"), ("2", "9"), ("9", "10")),
    "transfer": (("A1", "A5"), ("A5", "A1")),
}
SAID = {
    "transet": [("illegal", "TOO_FAR"), ("restored", "put_back"), ("turn", "c1-c2"), ("turn", "c5-c4")],
    "taasen": [("illegal", "NOT_ADJACENT"), ("restored", "put_back"), ("turn", "RT=10")],
    "transfer": [("illegal", "FAR_END"), ("restored", "put_back")],
}


@pytest.mark.parametrize("game", GAMES)
def test_play_is_followed_while_the_lights_answer_it(game: str) -> None:
    table = LitTable(game)
    table.wait(2.0)
    assert table.told() == [("board_found", None), ("setup_complete", None)]
    for origin, to in PLAY[game]:
        held = table.carry(origin, to)
        assert all(sighting.hand for sighting in held)  # a hand over lit sites is still a hand
        table.wait(0.4)
        quiet = table.wait(2.6)
        truth = {site: tuple(sorted(kinds)) for site, kinds in _truth(table).items()}
        for sighting in quiet:
            assert not sighting.hand
            assert not sighting.hidden
            assert sighting.on() == truth
    assert table.told() == SAID[game]


def test_eyes_that_know_nothing_of_the_lights_take_them_for_hands() -> None:
    table = LitTable("transet", masked=False)
    table.wait(3.0)
    for origin, to in PLAY["transet"][:1]:
        table.carry(origin, to)
        seen = table.wait(3.0)
    assert any(sighting.hand for sighting in seen[5:])
    assert ("illegal", "TOO_FAR") not in table.told()


@pytest.mark.parametrize("game", GAMES)
def test_no_scene_changes_what_is_seen(game: str) -> None:
    """Every hue and rhythm under pieces and beside them, and every change from one to the next; strong LEDs."""
    table = LitTable(game, strength=0.7)
    table.wait(1.5)
    truth = {site: tuple(sorted(kinds)) for site, kinds in _truth(table).items()}
    sites = sorted(table.map.sites)
    taken, free = [s for s in sites if s in truth], [s for s in sites if s not in truth]
    for number, (hue, rhythm) in enumerate(
        (
            (Hue.WHITE, Rhythm.ALT_A),
            (Hue.BLUE, Rhythm.STEADY),
            (Hue.AMBER, Rhythm.DOUBLE),
            (Hue.BLUE, Rhythm.PULSE),
            (Hue.AMBER, Rhythm.BLINK),
        )
    ):
        light = Light(hue, rhythm)
        lit = [*taken[number :: 5][:4], *free[number :: 5][:4]]
        bars = dict.fromkeys(table.game.players, Bar(Light(hue, Rhythm.WALK)))
        for sighting in table.wait(1.3, Scene("x", number, dict.fromkeys(lit, light), bars)):
            assert not sighting.hand
            assert not sighting.moving
            assert not sighting.hidden
            assert sighting.on() == truth


@pytest.mark.parametrize("game", ["transet", "transfer"])
def test_a_piece_put_on_a_lit_site_is_seen(game: str) -> None:
    """Where the lights ask for it; under the hand they are dimmed, as in every Scene."""
    table = LitTable(game)
    table.wait(1.5)
    sites, truth = sorted(table.map.sites), _truth(table)
    free = [site for site in sites if site not in truth]
    for hue, origin, to in zip((Hue.BLUE, Hue.AMBER, Hue.WHITE), sorted(truth), free, strict=False):
        lit = Scene("x", int(hue), {to: Light(hue)})
        table.wait(0.4, lit)
        assert all(sighting.hand for sighting in table.carry(origin, to, lit)[1:])
        table.wait(0.5, lit)
        seen = table.wait(0.4, lit)
        for sighting in seen:
            assert not sighting.hand
            assert not sighting.hidden
            assert sighting.on() == {site: tuple(sorted(kinds)) for site, kinds in _truth(table).items()}


def _truth(table: LitTable) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for token in table.world.as_json()["tokens"]:
        area = table.board.site_at(token["x_mm"], token["y_mm"])[0]
        assert area is not None
        found.setdefault(area.id, []).append(token["kind"])
    return found
