"""Sheets and cameras that move, painted frame by frame for all three sets: noticed, read anew, played on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from controller.watcher import Watcher, chosen_sets
from vision.camera.frame import Frame, Image
from vision.camera.optics import Lying, Optics, View
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import Piece, World
from vision.sighting import Sighting

GAMES = ("transet", "taasen", "transfer")
VIEW = View(zoom=0.72)
STEP_S = 0.1
Change = Callable[[Image], Image]


class Stage:
    """A pretend table at a game's start, its camera, and a watcher that has seen it set up."""

    def __init__(self, game: str) -> None:
        self.watcher = Watcher(chosen_sets(game, None), start_mode="auto")
        self.now_s = 0.0
        start = self.watcher.game.picture(self.watcher.game.start()).on
        self.world = World(self.watcher.board, start, clock=lambda: self.now_s)
        self.world.view(VIEW)
        self.camera = SimulatedCamera(self.world)
        self.events: list[str] = []
        self._index = 0
        while "setup_complete" not in self.events:
            assert self.now_s < 3
            self.see(STEP_S)
        self.events.clear()

    def see(self, seconds: float, change: Change | None = None, step_s: float = STEP_S) -> list[Sighting]:
        seen = []
        for _ in range(round(seconds / step_s)):
            image = self.camera.render()
            frame = Frame(image if change is None else change(image), round(self.now_s, 3), self._index)
            sighting, step = self.watcher.see(frame)
            self._index += 1
            self.now_s += step_s
            seen.append(sighting)
            self.events += [event.event for event in step.events if not event.internal]
        return seen

    def piece_on(self, site: str) -> Piece:
        board = self.watcher.board
        return next(
            piece
            for piece in self.world.snapshot().pieces
            if (found := board.site_at(piece.x_mm, piece.y_mm)[0]) is not None and found.id == site
        )

    def standing(self) -> dict[str, tuple[str, ...]]:
        sites: dict[str, list[str]] = {}
        for piece in self.world.snapshot().pieces:
            site = self.watcher.board.site_at(piece.x_mm, piece.y_mm)[0]
            if site is not None and not piece.held:
                sites.setdefault(site.id, []).append(piece.kind)
        return {site: tuple(sorted(kinds)) for site, kinds in sites.items()}


def check_noticed(stage: Stage, seen: list[Sighting], *, events: list[str] | None = None) -> None:
    """Noticed within a second, once, found again at once, every token right ever since."""
    moved = [index for index, sighting in enumerate(seen) if sighting.board_moved]
    assert len(moved) == 1
    assert moved[0] * STEP_S < 1
    assert stage.events == (["board_moved", "board_found"] if events is None else events)
    standing = stage.standing()
    for sighting in seen[moved[0] :]:
        wrong = {site for site, kinds in sighting.on().items() if standing.get(site) != kinds}
        assert wrong <= sighting.hidden


@pytest.mark.parametrize(
    ("game", "turn_deg"), [("transet", 33), ("transet", 90), ("taasen", 151), ("taasen", -70), ("transfer", 180)]
)
def test_a_sheet_turned_by_any_angle(game: str, turn_deg: float) -> None:
    stage = Stage(game)
    stage.world.bump(8, -5, turn_deg)
    seen = stage.see(1.2)
    check_noticed(stage, seen)
    assert seen[-1].on() == stage.standing()
    assert not seen[-1].hidden


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("lift_mm", [4, 30])
def test_a_lifted_corner(game: str, lift_mm: float) -> None:
    """Only one tag of four moves, by a millimetre or by its own width."""
    stage = Stage(game)
    stage.world.lift_corner(0, lift_mm)
    seen = stage.see(1.0)
    check_noticed(stage, seen)
    assert seen[-1].on() == stage.standing()
    stage.events.clear()
    stage.world.lift_corner(0, 0)
    last = stage.see(3.0)[-1]
    assert last.on() == stage.standing()
    assert not last.hand
    assert set(stage.events) <= {"board_moved", "board_found"}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("push", [(5, 2, 1), (40, 10, 25)])
def test_a_sheet_pushed_while_a_hand_is_on_it(game: str, push: tuple[float, float, float]) -> None:
    stage = Stage(game)
    piece = stage.world.snapshot().pieces[2]
    stage.world.move(piece.id, piece.x_mm + 3, piece.y_mm + 4)
    assert stage.see(0.4)[-1].hand
    stage.world.bump(*push)
    seen = stage.see(0.8)
    check_noticed(stage, seen)
    assert seen[-1].hand
    stage.world.move(piece.id, piece.x_mm, piece.y_mm)
    stage.world.drop(piece.id)
    seen = stage.see(1.2)
    assert seen[-1].on() == stage.standing()
    assert not seen[-1].hand
    assert not seen[-1].hidden
    assert stage.events == ["board_moved", "board_found"]


@pytest.mark.parametrize("game", GAMES)
def test_a_camera_knocked_so_that_the_board_is_half_out_of_the_picture_and_back(game: str) -> None:
    stage = Stage(game)
    stage.world.view(replace(VIEW, knock_deg=(3, 2, 4)))
    check_noticed(stage, stage.see(0.6))
    stage.world.view(replace(VIEW, knock_deg=(28, 4, 10)))
    standing = stage.standing()
    for sighting in stage.see(1.5):
        for site, kinds in sighting.on().items():
            assert standing.get(site) == kinds or site in sighting.hidden
    stage.world.view(VIEW)
    last = stage.see(1.2)[-1]
    assert (last.on(), last.hidden, last.hand) == (stage.standing(), frozenset(), False)
    assert set(stage.events) <= {"board_moved", "board_found", "cannot_see", "sees_again"}
    assert stage.events[-1] in ("board_found", "sees_again")


@pytest.mark.parametrize("game", GAMES)
def test_a_slow_creep_is_followed(game: str) -> None:
    """A tenth of a millimetre a second: never a bump, never a wrong token."""
    stage = Stage(game)
    for _ in range(24):
        stage.world.bump(0.22, 0.1, 0.02)
        (seen,) = stage.see(2.4, step_s=2.4)
        assert not seen.board_moved
        assert not seen.hand
        assert seen.on() == stage.standing()
    assert not stage.events
    registration = stage.watcher.eye.registration
    assert registration is not None
    middle = np.array([[148.5, 148.5]])
    lying = Lying(stage.watcher.board.sheet_mm, stage.world.snapshot().bump)
    true = Optics(stage.watcher.board.sheet_mm, VIEW).project(lying.place(middle), 0.0) - 0.5
    assert np.abs(registration.pose.project(middle) - true).max() < 1.0 * registration.px_per_mm()


def shaking(reach_px: float, seed: int) -> Change:
    """A camera on a shaky stand."""
    rng = np.random.default_rng(seed)

    def change(image: Image) -> Image:
        x, y = rng.uniform(-reach_px, reach_px, 2)
        size = (image.shape[1], image.shape[0])
        warp = np.array([[1, 0, x], [0, 1, y]])
        return np.asarray(cv2.warpAffine(image, warp, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    return change


def first_turn(stage: Stage) -> tuple[str, str]:
    """A legal first turn that moves one piece: from where to where."""
    game: Any = stage.watcher.game
    position = game.start()
    before = game.picture(position).on
    for turn in game.legal_turns(position):
        after = game.picture(game.after(position, turn)).on
        changed = {site for site in {*before, *after} if before.get(site, ()) != after.get(site, ())}
        origins = [site for site in changed if len(after.get(site, ())) < len(before.get(site, ()))]
        targets = [site for site in changed if len(after.get(site, ())) > len(before.get(site, ()))]
        if len(changed) == 2 and len(origins) == len(targets) == 1:
            return origins[0], targets[0]
    raise AssertionError("no turn moves one piece alone")


@pytest.mark.parametrize(("game", "reach_px"), [("transet", 0.7), ("transet", 2.0), ("taasen", 2.0)])
def test_on_a_shaky_stand_a_turn_is_seen(game: str, reach_px: float) -> None:
    stage, shake = Stage(game), shaking(reach_px, seed=4)
    for sighting in stage.see(1.5, shake):
        assert sighting.on() == stage.standing()
    assert stage.events.count("board_moved") <= 1
    stage.events.clear()
    origin, target = first_turn(stage)
    piece = stage.piece_on(origin)
    stage.world.move(piece.id, *stage.watcher.board.centre(target))
    stage.see(0.4, shake)
    stage.world.drop(piece.id)
    stage.see(2.0, shake)
    assert stage.events.count("turn") == 1
    assert stage.events.count("board_moved") <= 1
    assert set(stage.events) <= {"turn", "board_moved", "board_found"}
