"""Taasen and Transfer: every token right on dark and coloured ground, along tracks and on platforms, in any light."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.boardset import BoardSet
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World
from vision.eye import Eye
from vision.registration import Registration
from vision.sighting import Sighting

DATA = Path(__file__).parents[1] / "data"
GAMES = ("taasen", "transfer")
SEQUENCES = [f"{game}-{letter}" for game in GAMES for letter in "abe"]
SMALL_MARKS = "taasen-r"  # a dark dot on white, by a warm lamp: half as long as the largest mark
Change = Callable[[Any], Any]


def load(game: str) -> BoardSet:
    return BoardSet.load(DATA / "sets" / f"{game}.toml")


def frames(sequence: str, hand: bool) -> list[tuple[Any, dict[str, Any]]]:
    folder = DATA / "frames" / sequence
    truth = json.loads((folder / "truth.json").read_text())
    return [(cv2.imread(str(folder / one["file"])), one) for one in truth["frames"] if one["hand"] == hand]


def standing(truth: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    on = {site: tuple(sorted(kinds)) for site, kinds in truth["placement"].items()}
    for rail, card in truth.get("platforms", {}).items():
        on |= {f"{rail}.{number}": (kind,) for number, kind in enumerate(card["slots"], 1) if kind is not None}
    return on


def check_platforms(seen: Sighting, truth: dict[str, Any]) -> None:
    for rail, card in truth.get("platforms", {}).items():
        assert seen.platforms is not None
        found = seen.platforms[rail]
        assert found is not None
        assert (found.row, list(found.slots)) == (card["row"], card["slots"])
        assert abs(found.x_mm - card["x"]) < 1.5


@pytest.fixture(scope="module")
def sets() -> dict[str, BoardSet]:
    return {game: load(game) for game in ("taasen", "transet", "transfer")}


@pytest.mark.parametrize("sequence", [*SEQUENCES, SMALL_MARKS])
def test_every_token_in_every_still_picture(sets: dict[str, BoardSet], sequence: str) -> None:
    eye = Eye(list(sets.values()))
    for image, truth in frames(sequence, hand=False):
        seen = eye.look(image)
        assert seen.game == sequence[:-2]
        assert seen.on() == standing(truth), truth["file"]
        assert list(seen.off()) == sorted(truth["off"]), truth["file"]
        assert (seen.hidden, seen.uncertain) == (frozenset(), frozenset()), truth["file"]
        check_platforms(seen, truth)
        for token in seen.tokens:  # nothing else is nearly as likely
            assert sorted(token.likelihoods.values())[-2] < -3.5, (truth["file"], token)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_under_a_hand_nothing_is_wrong_and_nothing_empty(sets: dict[str, BoardSet], sequence: str) -> None:
    eye = Eye([sets[sequence[:-2]]])
    for image, truth in frames(sequence, hand=True):
        seen, want = eye.look(image), standing(truth)
        held = set(truth["in_hand"])  # it may be seen where it is
        for site, kinds in seen.on().items():
            extra = set(kinds) - set(want.get(site, ()))
            assert site in seen.hidden or extra <= held, (truth["file"], site, kinds)
            assert site in seen.hidden or len(kinds) >= len(want.get(site, ())), (truth["file"], site, kinds)
        assert set(seen.off()) <= set(truth["off"]), truth["file"]
        assert not [site for site in want if site not in seen.on() and site not in seen.hidden], truth["file"]


def _gain(*bgr: float) -> Change:
    return lambda image: np.clip(image * np.array(bgr), 0, 255).astype(np.uint8)


def _noise(image: Any) -> Any:
    return np.clip(image + np.random.default_rng(5).normal(0, 12, image.shape), 0, 255).astype(np.uint8)


CHANGES: dict[str, Change] = {
    "half the light": _gain(0.5, 0.5, 0.5),
    "warm lamp": _gain(0.7, 1.0, 1.15),
    "cool sky": _gain(1.2, 1.0, 0.8),
    "a steeper curve": lambda image: (255 * (image / 255.0) ** 1.4).astype(np.uint8),
    "noise": _noise,
    "strong compression": lambda image: cv2.imdecode(cv2.imencode(".jpg", image, [1, 50])[1], 1),
    "soft lens": lambda image: cv2.GaussianBlur(image, (0, 0), 1.2),
    "upside down": lambda image: cv2.rotate(image, cv2.ROTATE_180),
    "smaller": lambda image: cv2.resize(image, (960, 540), interpolation=cv2.INTER_AREA),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_light_and_camera_change_nothing(sets: dict[str, BoardSet], sequence: str, change: str) -> None:
    image, truth = frames(sequence, hand=False)[-1]
    seen = Eye([sets[sequence[:-2]]]).look(CHANGES[change](image))
    assert seen.on() == standing(truth)
    assert not seen.off()
    check_platforms(seen, truth)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_a_hard_shadow_edge_makes_nothing_wrong(sets: dict[str, BoardSet], sequence: str) -> None:
    image, truth = frames(sequence, hand=False)[-1]
    want = standing(truth)
    for column in (560, 640, 720):
        dark = image.copy()
        dark[:, column:] = dark[:, column:] * 0.6
        seen = Eye([sets[sequence[:-2]]]).look(dark)
        for site in set(want) | set(seen.on()):
            assert site in seen.hidden or seen.on().get(site) == want.get(site), (column, site)


def _repainted(image: Any, registration: Registration, model: tuple[float, float], at_mm: tuple[float, float]) -> Any:
    """A square token's top painted over in the colour that another one has at `model`."""
    tokens = registration.board_set.tokens
    half = tokens.size_mm / 2 + 1.5  # what lies there is a little askew
    corners = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    x, y = registration.pose.project(np.array([model]), -tokens.height_mm)[0].astype(int)
    colour = np.median(image[y - 6 : y + 7, x - 6 : x + 7].reshape(-1, 3), axis=0)
    spots = registration.pose.project(corners + at_mm, -tokens.height_mm)
    image = image.copy()
    cv2.fillPoly(image, [np.round(spots).astype(np.int32)], colour.tolist(), cv2.LINE_AA)
    return image


@pytest.mark.parametrize("sequence", ["transfer-a", "transfer-b", "transfer-e"])
def test_any_colour_in_place_of_another_is_noticed(sets: dict[str, BoardSet], sequence: str) -> None:
    image, truth = frames(sequence, hand=False)[0]
    board_set = sets["transfer"]
    eye = Eye([board_set])
    tokens = eye.look(image).tokens
    assert eye.registration is not None
    for place, colour in enumerate(board_set.kinds):
        token = tokens[4 * place]
        model = next(one for one in tokens if one.kind == colour and one.site != token.site)
        seen = Eye([board_set]).look(_repainted(image, eye.registration, model.centre_mm, token.centre_mm))
        assert token.site is not None
        assert seen.on() == standing(truth) | {token.site: (colour,)}, colour


def test_a_sleeve_and_a_cup_are_no_tokens(sets: dict[str, BoardSet]) -> None:
    for sequence in ("taasen-e", "transfer-a"):
        image = frames(sequence, hand=False)[0][0]
        board_set = sets[sequence[:-2]]
        eye = Eye([board_set])
        clean = eye.look(image)
        assert eye.registration is not None
        for rgb in [paint.body for paint in board_set.tokens.colours.values()]:
            sleeve = image.copy()
            band = eye.registration.pose.project(np.array([[120.0, 400.0], [180, 400], [180, 150], [120, 150]]))
            shade = 0.75 * np.array(rgb[::-1]) + 12
            cv2.fillPoly(sleeve, [np.round(band).astype(np.int32)], shade.tolist())
            seen = Eye([board_set]).look(sleeve)
            for site, kinds in seen.on().items():
                assert site in seen.hidden or clean.on().get(site) == kinds, (sequence, rgb, site)
            assert not seen.off(), (sequence, rgb)


def test_platforms_are_found_wherever_they_stand(sets: dict[str, BoardSet]) -> None:
    board_set = sets["transfer"]
    world = World(board_set, {"A1": ("sky",), "A2": ("blue",), "E3": ("orange",), "south.1": ("yellow",)})
    camera = SimulatedCamera(world)
    try:
        for south_mm, north_mm, row in ((28.5, 268.5, "A"), (45.0, 150.0, None), (120.0, 61.0, "D")):
            world.slide("south", south_mm)
            world.slide("north", north_mm)
            seen = Eye([board_set]).look(camera.render())
            assert seen.platforms is not None
            south, north = seen.platforms["south"], seen.platforms["north"]
            assert south is not None
            assert north is not None
            assert (south.row, south.slots, north.slots) == (row, ("yellow", None, None), (None, None, None))
            assert abs(south.x_mm - south_mm) < 1
            assert abs(north.x_mm - north_mm) < 1
            assert seen.on() == {"A1": ("sky",), "A2": ("blue",), "E3": ("orange",), "south.1": ("yellow",)}
    finally:
        camera.close()


def test_a_token_on_a_rail_but_on_no_platform_is_beside_the_board(sets: dict[str, BoardSet]) -> None:
    board_set = sets["transfer"]
    world = World(board_set, {"A1": ("sky",)})
    world.slide("south", 28.5)
    world.add("purple", 200.0, 330.0)
    world.add("green", -40.0, 210.0)
    camera = SimulatedCamera(world)
    try:
        seen = Eye([board_set]).look(camera.render())
    finally:
        camera.close()
    assert seen.on() == {"A1": ("sky",)}
    assert "purple" in seen.off()


def test_both_platforms_taken_away_are_none_and_hide_nothing(sets: dict[str, BoardSet]) -> None:
    board_set = sets["transfer"]
    bare = BoardSet.parse((DATA / "sets" / "transfer.toml").read_text(encoding="utf-8"), "transfer.toml")
    world = World(bare, {"C3": ("green",)})
    world._platforms.clear()
    camera = SimulatedCamera(world)
    try:
        seen = Eye([board_set]).look(camera.render())
    finally:
        camera.close()
    assert seen.platforms == {"north": None, "south": None}
    assert (seen.on(), seen.hidden) == ({"C3": ("green",)}, frozenset())
