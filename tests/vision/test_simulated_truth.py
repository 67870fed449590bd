"""What the eyes make of the pretend camera's pictures, where everything is known: any place, lens, size, placement."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.boardset import BoardSet
from vision.camera.optics import Bump, Lying, Optics, View
from vision.camera.painter import Painter
from vision.camera.world import World
from vision.eye import Eye
from vision.registration import Registration

SETS = Path(__file__).parents[1] / "data" / "sets"
GAMES = ("transet", "taasen", "transfer")
WIDEST, NARROWEST = 0.6, 1.1  # focal length by width: 80 and 49 degrees
COVERED, FREE = 0.55, 0.02  # of the place where a token would stand
SHADOW_MM = 90.0


@pytest.fixture(scope="module")
def boards() -> dict[str, BoardSet]:
    return {game: BoardSet.load(SETS / f"{game}.toml") for game in GAMES}


def any_view(rng: np.random.Generator, board: BoardSet, size_px: tuple[int, int] = (1280, 720)) -> View:
    """A camera somewhere over the table, however it is turned, with a lens of any bend."""
    while True:
        x, y, up = rng.uniform(-150, 150), rng.uniform(-150, 150), rng.uniform(560, 950)
        view = View((x, y, up), rng.uniform(-180, 180), rng.uniform(0.85, 1.0), rng.uniform(-0.15, 0.02), size_px)
        if WIDEST < Optics(board.sheet_mm, view).focal_px / max(size_px) < NARROWEST:
            return view


def any_placement(rng: np.random.Generator, board: BoardSet) -> dict[str, tuple[str, ...]]:
    """Tokens on two sites of three, or as many as the game has."""
    kinds = list(board.kinds) * {"transet": 2, "taasen": 1, "transfer": 5}[board.game]
    sites = [site.id for site in board.sites]
    count = min(len(kinds), 2 * len(sites) // 3)
    chosen = rng.choice(sites, count, replace=False)
    return {str(site): (str(kind),) for site, kind in zip(chosen, rng.permutation(kinds), strict=False)}


def any_world(rng: np.random.Generator, board: BoardSet, size_px: tuple[int, int] = (1280, 720)) -> World:
    world = World(board, any_placement(rng, board), seed=int(rng.integers(1000)), clock=lambda: 0.0)
    world.view(any_view(rng, board, size_px))
    world.bump(*rng.uniform(-6, 6, 2), rng.uniform(-3, 3))
    return world


def standing(world: World) -> dict[str, tuple[str, ...]]:
    sites: dict[str, list[str]] = {}
    for piece in world.snapshot().pieces:
        site = world.board_set.site_at(piece.x_mm, piece.y_mm)[0]
        if site is not None and not piece.held:
            sites.setdefault(site.id, []).append(piece.kind)
    return {site: tuple(sorted(kinds)) for site, kinds in sites.items()}


def errors(found: Registration, view: View, bump: Bump) -> tuple[float, float]:
    """The largest error anywhere on the sheet, on paper or at a token's top, in mm; and the angle between the axes."""
    board, optics = found.board_set, Optics(found.board_set.sheet_mm, view)
    lying = Lying(board.sheet_mm, bump)
    across, down = (np.linspace(0, side, 7) for side in board.sheet_mm)
    grid = np.array([[x, y] for x in across for y in down])
    worst_mm = 0.0
    for height_mm in (0.0, board.tokens.height_mm):
        seen = optics.project(lying.place(grid), height_mm) - 0.5
        worst_mm = max(worst_mm, float(np.linalg.norm(found.pose.unproject(seen, -height_mm) - grid, axis=1).max()))
    turn = cv2.Rodrigues(np.array([0.0, 0.0, np.radians(bump.turn_deg)]))[0]
    between = cv2.Rodrigues(np.array(found.pose.rvec))[0].T @ optics.rotation() @ turn
    return worst_mm, float(np.degrees(np.arccos(np.clip((np.trace(between) - 1) / 2, -1, 1))))


def hidden_shares(world: World, mask: Any) -> dict[str, float]:
    """How much of a token that stood on a site the hands would hide, for each site."""
    board, now = world.board_set, world.snapshot()
    optics, lying = Optics(board.sheet_mm, now.view), Lying(board.sheet_mm, now.bump)
    turn = np.linspace(0, 2 * np.pi, 40)
    disc = np.column_stack([np.cos(turn), np.sin(turn)]) * board.tokens.size_mm / 2
    shares = {}
    for site in board.sites:
        spots = optics.project(lying.place(disc + board.centre(site)), board.tokens.height_mm)
        layer = np.zeros(mask.shape, np.uint8)
        cv2.fillPoly(layer, [np.round(spots).astype(np.int32)], 1)
        shares[site.id] = float((mask & (layer > 0)).sum() / max(1, layer.sum()))
    return shares


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(4))
def test_the_pose_and_every_token(boards: dict[str, BoardSet], game: str, seed: int) -> None:
    board = boards[game]
    rng = np.random.default_rng([seed, len(game)])
    world = any_world(rng, board)
    eye = Eye([board])
    seen = eye.look(Painter(board, seed).paint(world.snapshot()))
    assert seen.on() == standing(world)
    assert (seen.hidden, seen.off(), seen.hand) == (frozenset(), (), False)
    assert eye.registration is not None
    now = world.snapshot()
    worst_mm, angle_deg = errors(eye.registration, now.view, now.bump)
    assert worst_mm < 1.0
    assert angle_deg < 0.5


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_what_a_hand_covers_is_hidden(boards: dict[str, BoardSet], game: str, seed: int) -> None:
    board = boards[game]
    rng = np.random.default_rng([seed, 50 + len(game)])
    world = any_world(rng, board)
    painter, eye = Painter(board, seed), Eye([board])
    eye.see(painter.paint(world.snapshot()), 0.0, 0)
    eye.see(painter.paint(world.snapshot()), 0.2, 1)
    pieces = world.snapshot().pieces
    where = rng.choice(board.sites)
    world.move(int(rng.choice([piece.id for piece in pieces])), *board.centre(where))
    now = world.snapshot()
    seen = eye.see(painter.paint(now), 0.4, 2)
    shares = hidden_shares(world, painter.covered(now))
    assert max(shares.values()) > 0.4
    assert seen.hand
    assert {site for site, share in shares.items() if share >= COVERED} <= seen.hidden
    assert not [
        site for site in seen.hidden if shares.get(site, 1.0) <= FREE and shares_near(board, shares, site) <= FREE
    ]
    for site in {site.id for site in board.sites} - seen.hidden:
        assert seen.on().get(site, ()) == standing(world).get(site, ()), site


def shares_near(board: BoardSet, shares: dict[str, float], site: str) -> float:
    """The largest share of the sites within a hand's shadow of this one."""
    x, y = board.centre(site)
    near = [other.id for other in board.sites if np.hypot(*np.subtract(board.centre(other), (x, y))) < SHADOW_MM]
    return max(shares[other] for other in near)


SMALL = [(game, (640, 360)) for game in GAMES] + [("transet", (640, 480))]
SIZES = [("taasen", (960, 540)), ("transfer", (1024, 768)), ("transet", (1920, 1080)), ("taasen", (1600, 1200))]


@pytest.mark.parametrize(("game", "size_px"), SMALL + SIZES)
def test_pictures_of_any_size(boards: dict[str, BoardSet], game: str, size_px: tuple[int, int]) -> None:
    """All read the same; from 640 pixels what can't be read is doubted, never wrong."""
    board = boards[game]
    rng = np.random.default_rng(7)
    world = World(board, any_placement(rng, board), clock=lambda: 0.0)
    world.view(replace(View(), size_px=size_px))
    seen = Eye([board]).look(Painter(board).paint(world.snapshot()))
    assert seen.game == game
    wrong = {site for site, kinds in seen.on().items() if kinds != standing(world).get(site)}
    assert wrong <= seen.hidden | seen.uncertain
    if size_px[0] > 640:
        assert seen.on() == standing(world)
        assert not seen.hidden


@pytest.mark.parametrize("game", GAMES)
def test_a_camera_turned_by_quarters_reads_the_same(boards: dict[str, BoardSet], game: str) -> None:
    """Hung the other way round, or its pictures turned."""
    board = boards[game]
    rng = np.random.default_rng(9)
    world = World(board, any_placement(rng, board), clock=lambda: 0.0)
    picture = Painter(board).paint(world.snapshot())
    readings = []
    for quarter in (None, cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_COUNTERCLOCKWISE):
        turned = picture if quarter is None else np.asarray(cv2.rotate(picture, quarter), np.uint8)
        eye = Eye([board])
        seen = eye.look(turned)
        assert (seen.on(), seen.hidden) == (standing(world), frozenset())
        readings.append(seen)
    for seen in readings[1:]:
        assert [token.kind for token in seen.tokens] == [token.kind for token in readings[0].tokens]
        for token, first in zip(seen.tokens, readings[0].tokens, strict=True):
            assert np.hypot(*np.subtract(token.centre_mm, first.centre_mm)) < 0.5
