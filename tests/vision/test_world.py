"""The pretend table and its camera: hands, faults, and pictures with what the world says where it says it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.boardset import BoardSet
from vision.camera import Camera, Frame
from vision.camera.optics import Optics, View
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import HAND_LEAVES_S, World
from vision.errors import VisionError

WIDTH, HEIGHT = View().size_px
SETS = Path(__file__).parents[1] / "data" / "sets"
ROW = ("PINET", "PIOKER", "PIAS", "PIOKER", "PINET")
START = {
    f"{file}{rank}": (f"{colour}-{kind}",)
    for rank, colour in ((5, "light"), (1, "dark"))
    for file, kind in zip("abcde", ROW, strict=True)
}
BOARD = BoardSet.load(SETS / "transet.toml")


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def world(clock: Clock) -> World:
    return World(BOARD, START, clock=clock)


@pytest.fixture
def camera(world: World) -> Iterator[SimulatedCamera]:
    camera = SimulatedCamera(world, fps=30)
    yield camera
    camera.close()


def table_point(optics: Optics, x_mm: float, y_mm: float) -> tuple[float, float]:
    """The pixel of a sheet point at table height."""
    x, y = optics.project(np.array([[x_mm, y_mm]]), 0.0)[0]
    return float(x), float(y)


def standing(world: World) -> dict[str, list[str]]:
    sites: dict[str, list[str]] = {}
    for piece in world.snapshot().pieces:
        site, _ = BOARD.site_at(piece.x_mm, piece.y_mm)
        sites.setdefault(site.id if site else "off", []).append(piece.kind)
    return sites


def tags_in(image: np.ndarray) -> dict[int, np.ndarray]:
    """Tag id -> its centre in pixel corners."""
    tags = BOARD.fiducials
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, tags.dictionary)))
    corners, ids, _ = detector.detectMarkers(image)
    return {int(tag): found[0].mean(axis=0) + 0.5 for found, tag in zip(corners, ids.ravel(), strict=True)}


def test_the_start_stands_on_its_sites(world: World) -> None:
    assert standing(world) == {site: list(kinds) for site, kinds in START.items()}


def test_several_tokens_share_a_site() -> None:
    taasen = BoardSet.load(SETS / "taasen.toml")
    world = World(taasen, {"0": ("red-THAUM", "red-SCIANE", "white-PAUPIL")})
    places = [(piece.x_mm, piece.y_mm) for piece in world.snapshot().pieces]
    corner = taasen.site("0")
    assert all(taasen.site_at(*place)[0] is corner for place in places)
    for i, (ax, ay) in enumerate(places):
        for bx, by in places[:i]:
            assert np.hypot(ax - bx, ay - by) >= taasen.tokens.size_mm - 0.5


def test_a_piece_is_carried_and_put_down(world: World, clock: Clock) -> None:
    token = next(piece.id for piece in world.snapshot().pieces if piece.kind == "dark-PIAS")
    world.lift(token, by="South")
    world.move(token, 148.5, 260.0)
    now = world.snapshot()
    assert [hand.seat for hand in now.hands] == [BOARD.seats["South"]]
    assert next(piece for piece in now.pieces if piece.id == token).held
    world.drop(token)
    assert standing(world)["c2"] == ["dark-PIAS"]
    assert world.snapshot().hands
    clock.now_s += HAND_LEAVES_S + 0.01
    assert not world.snapshot().hands


@settings(deadline=None)
@given(st.floats(-500, 900), st.floats(-500, 900))
def test_no_two_tokens_are_in_one_place(x_mm: float, y_mm: float) -> None:
    world = World(BOARD, START)
    world.move(0, x_mm, y_mm)
    world.drop(0)
    pieces = world.snapshot().pieces
    for other in pieces[1:]:
        assert np.hypot(pieces[0].x_mm - other.x_mm, pieces[0].y_mm - other.y_mm) >= BOARD.tokens.size_mm
    spot = table_point(Optics(BOARD.sheet_mm), pieces[0].x_mm, min(420, max(0, pieces[0].y_mm)))
    assert 0 < spot[0] < WIDTH
    assert 0 < spot[1] < HEIGHT


def test_what_cannot_be_is_a_sentence(world: World) -> None:
    for call, words in (
        (lambda: world.lift(99), "no token 99"),
        (lambda: world.lift(0, by="East"), "no seat 'East'"),
        (lambda: world.move(0, float("nan"), 0), "millimetres"),
        (lambda: world.cover(40), "no tag 40"),
        (lambda: world.add("dark-KING", 0, 0), "no token 'dark-KING'"),
        (lambda: world.reset({"z9": ("dark-PIAS",)}), "no site 'z9'"),
    ):
        with pytest.raises(VisionError, match=words):
            call()
    assert standing(world) == {site: list(kinds) for site, kinds in START.items()}


def test_the_world_is_plain_json(world: World) -> None:
    world.lift(3)
    world.cover(0)
    told = json.loads(json.dumps(world.as_json()))
    assert len(told["tokens"]) == 10
    assert told["hands"][0]["token"] == 3
    assert told["covered"] == [0]


def test_many_hands_at_once_do_no_harm(world: World, camera: SimulatedCamera) -> None:
    def play(token: int) -> None:
        for step in range(40):
            world.move(token, 20.0 + 6 * step, 100.0 + 15 * token)
            world.drop(token)

    players = [threading.Thread(target=play, args=(token,)) for token in range(4)]
    for player in players:
        player.start()
    for _ in range(10):
        camera.render()
    for player in players:
        player.join()
    assert len(world.snapshot().pieces) == 10


def test_the_picture_shows_tags_and_tokens_where_they_are(world: World, camera: SimulatedCamera) -> None:
    image = camera.render()
    assert image.shape == (HEIGHT, WIDTH, 3)
    optics = Optics(BOARD.sheet_mm)
    seen = tags_in(image)
    assert set(seen) == set(BOARD.fiducials.ids)
    for tag, centre in zip(BOARD.fiducials.ids, BOARD.fiducials.centres_mm, strict=True):
        assert np.abs(seen[tag] - table_point(optics, *centre)).max() < 1.0
    for piece in world.snapshot().pieces:
        away = 0.38 * BOARD.tokens.size_mm  # clear of the mark's middle
        turned = piece.turn + np.pi / 2
        rim = np.array([[piece.x_mm + away * np.cos(turned + 0.26), piece.y_mm + away * np.sin(turned + 0.26)]])
        x, y = optics.project(rim, BOARD.tokens.height_mm)[0]
        light = float(image[int(y), int(x)].mean())
        assert (light > 140) == piece.kind.startswith("light")


def test_a_still_table_differs_by_noise_only(camera: SimulatedCamera) -> None:
    one, two = camera.render().astype(int), camera.render().astype(int)
    assert 0 < np.abs(one - two).mean() < 4
    assert np.abs(one - two).max() < 20


def test_the_same_seed_gives_the_same_pictures() -> None:
    pictures = [SimulatedCamera(World(BOARD, START, clock=Clock()), seed=7).render() for _ in range(2)]
    assert np.array_equal(*pictures)


def test_a_hand_covers_and_leaves(world: World, camera: SimulatedCamera, clock: Clock) -> None:
    before = camera.render().astype(int)
    world.lift(7, by="South")
    world.move(7, 148.5, 210.0)
    during = camera.render().astype(int)
    assert (np.abs(before - during).max(axis=2) > 25).sum() > 20_000
    world.drop(7)
    clock.now_s += 1
    after = camera.render().astype(int)
    changed = np.abs(before - after).max(axis=2) > 25
    top, bottom = (int(table_point(Optics(BOARD.sheet_mm), 148.5, y)[1]) for y in (60, 360))
    assert changed[top:bottom].sum() > 500
    assert not changed[:top].any()
    assert not changed[bottom:].any()


def test_faults_are_seen(world: World, camera: SimulatedCamera) -> None:
    whole = camera.render()
    world.lamp(0.4, (1.2, 1.0, 0.7))
    dim = camera.render()
    assert dim.mean() < whole.mean() * 0.75
    assert dim[..., 2].mean() / dim[..., 0].mean() > whole[..., 2].mean() / whole[..., 0].mean()
    world.lamp()
    world.cover(2)
    assert set(tags_in(camera.render())) == {0, 1, 3}
    world.cover(None)
    world.bump(15, -5, 3)
    moved, first = tags_in(camera.render()), tags_in(whole)
    assert set(moved) == {0, 1, 2, 3}
    assert all(np.abs(moved[tag] - first[tag]).max() > 5 for tag in moved)


def frame_after(camera: SimulatedCamera, index: int) -> Frame:
    frame = camera.latest(index, 10)
    assert frame is not None
    return frame


def test_it_behaves_like_a_live_camera(world: World) -> None:
    camera = SimulatedCamera(world, fps=50, epoch=lambda: 42)
    try:
        assert isinstance(camera, Camera)
        first = camera.latest(-1, 10)
        assert first is not None
        assert first.epoch == 42
        newest = first.index
        second = camera.latest(newest, 10)
        assert second is not None
        assert second.index > newest
        assert second.t_s > first.t_s
        world.freeze()
        while camera.status().state != "frozen":
            newest = frame_after(camera, newest).index
        frozen = frame_after(camera, newest)
        assert np.array_equal(frozen.image, frame_after(camera, frozen.index).image)
        newest = frozen.index
        world.freeze(False)
        world.lose()
        while (more := camera.latest(newest, 0.5)) is not None:
            newest = more.index
        assert camera.status().state == "lost"
        world.lose(False)
        assert frame_after(camera, newest).index > newest
    finally:
        camera.close()
