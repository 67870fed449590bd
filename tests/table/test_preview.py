"""The look through the camera: the sheet and nothing beyond it, never in a game, never for long, never under a hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np
import pytest

from controller.preview import EVERY_S, LIMIT_S, UNWATCHED_S, Preview, belief_of, flat_sheet, jpeg, share
from controller.referee.view import View
from controller.web.app import start_placement
from vision.boardset import installed_sets
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World
from vision.eye import Eye
from vision.sighting import Sighting, Token

SETUP = View(t_s=0.0, phase="setup")
PLAYING = View(t_s=0.0, phase="play", game="transet", placement={"c1": ("dark-PIAS",)})
ONE = Token("dark-PIAS", "c2", (0, 0), {"dark-PIAS": 0.0, "dark-PINET": -2.0})
SEEN = Sighting(1.0, 1, "transet", "transet", (ONE,))


class Clock:
    def __init__(self):
        self.now_s = 50.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def preview(clock):
    return Preview(clock)


@pytest.fixture(scope="module", params=["transet", "transfer"])
def scene(request):
    board = installed_sets()[request.param]
    image = SimulatedCamera(World(board, start_placement(board))).render()
    eye = Eye((board,))
    sighting = eye.see(image, t_s=0.0, frame=0)
    return image, eye.registration, sighting


def test_off_it_wants_nothing(preview):
    assert not preview.wants(SETUP)
    assert preview.shot() is None
    assert preview.left_s == 0


def test_it_ends_after_ten_minutes_however_often_it_is_looked_at(preview, clock):
    preview.start()
    looks = 0
    while preview.left_s:
        clock.now_s += UNWATCHED_S / 2
        preview.shot()
        looks += 1
    assert clock.now_s == 50 + LIMIT_S
    assert looks == LIMIT_S / (UNWATCHED_S / 2)
    assert not preview.wants(SETUP)


def test_it_ends_when_nobody_looks(preview, clock):
    preview.start()
    clock.now_s += UNWATCHED_S + 0.1
    assert preview.left_s == 0


def test_twice_a_second_at_most(preview, clock, scene):
    image, registration, sighting = scene
    preview.start()
    taken = 0
    for _ in range(40):
        if preview.wants(SETUP):
            preview.take(image, registration, sighting, SETUP)
            taken += 1
        clock.now_s += 0.1
    assert taken == pytest.approx(4.0 / EVERY_S, abs=1)


def test_a_game_that_is_judged_ends_it_and_a_pause_does_not(preview):
    preview.start()
    assert preview.wants(replace(PLAYING, paused=True))
    assert not preview.wants(PLAYING)
    assert preview.left_s == 0
    assert not preview.wants(SETUP)  # and it stays so until somebody asks again


def test_under_a_hand_and_without_a_board_there_is_no_picture(preview, scene):
    image, registration, sighting = scene
    preview.start()
    preview.take(image, registration, replace(sighting, hand=True), SETUP)
    shot = preview.shot()
    assert shot is not None
    assert shot.covered
    assert shot.image is None
    preview.take(image, None, sighting, SETUP)
    assert preview.shot().image is None
    preview.take(image, registration, sighting, SETUP)
    assert preview.shot().image is not None
    preview.stop()
    assert preview.shot() is None


def test_nothing_beyond_the_sheet_is_in_it(scene):
    image, registration, _ = scene
    width, height = registration.board_set.sheet_mm
    corners = [(0, 0), (width, 0), (width, height), (0, height), (0, 0)]
    steps = np.concatenate([np.linspace(a, b, 50, endpoint=False) for a, b in pairwise(corners)])
    sheet = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(sheet, [np.round(registration.pose.project(steps)).astype(np.int32)], 255)
    marked = image.copy()
    marked[cv2.dilate(sheet, np.ones((3, 3), np.uint8)) == 0] = (255, 0, 255)  # all that is not the sheet
    flat = flat_sheet(marked, registration)
    magenta = (flat[..., 0] > 200) & (flat[..., 1] < 60) & (flat[..., 2] > 200)
    assert not magenta.any()
    assert max(flat.shape[:2]) == 900
    assert flat.shape[0] / flat.shape[1] == pytest.approx(height / width, rel=0.01)
    assert cv2.imdecode(np.frombuffer(jpeg(flat), np.uint8), cv2.IMREAD_COLOR).shape == flat.shape


def test_what_is_seen_and_believed_is_told_site_by_site():
    told = belief_of(replace(SEEN, hidden=frozenset({"a1"}), uncertain=frozenset({"c2"})), PLAYING)
    sites = {one["site"]: one for one in told["sites"]}
    assert sorted(sites) == ["a1", "c1", "c2"]
    assert sites["a1"]["hidden"]
    assert sites["c1"]["believed"] == ["dark-PIAS"]
    assert sites["c1"]["seen"] == []
    assert sites["c2"]["seen"] == [{"kind": "dark-PIAS", "share": pytest.approx(0.881, abs=0.001)}]
    assert sites["c2"]["uncertain"]
    assert share(Token("sky", None, (0, 0))) == 1.0
