"""Single pictures: every token right in any light; nothing wrong under a hand; a word where nothing is seen."""

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest

from vision.boardset import BoardSet
from vision.eye import Eye
from vision.registration import register

Change = Callable[[Any], Any]


def _gain(*bgr: float) -> Change:
    return lambda image: np.clip(image * np.array(bgr), 0, 255).astype(np.uint8)


def _noise(sigma: float) -> Change:
    random = np.random.default_rng(5)
    return lambda image: np.clip(image + random.normal(0, sigma, image.shape), 0, 255).astype(np.uint8)


def _jpeg(quality: int) -> Change:
    return lambda image: cv2.imdecode(cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], 1)


def _slope(image: Any) -> Any:
    return np.clip(image * np.linspace(0.45, 1.2, image.shape[1])[None, :, None], 0, 255).astype(np.uint8)


CHANGES: dict[str, Change] = {
    "half the light": _gain(0.5, 0.5, 0.5),
    "more light": _gain(1.35, 1.35, 1.35),
    "warm lamp": _gain(0.7, 1.0, 1.15),
    "cool sky": _gain(1.2, 1.0, 0.8),
    "noise": _noise(12),
    "strong compression": _jpeg(45),
    "soft lens": lambda image: cv2.GaussianBlur(image, (0, 0), 1.3),
    "upside down": lambda image: cv2.rotate(image, cv2.ROTATE_180),
    "a lamp at one side": _slope,
    "larger": lambda image: cv2.resize(image, None, fx=1.5, fy=1.5, interpolation=cv2.INTER_CUBIC),
}


def test_every_token_in_every_still_picture(transet: BoardSet, stills: list[Any]) -> None:
    eye = Eye([transet])
    for shot in stills:
        seen = eye.look(shot.picture())
        assert seen.on() == shot.standing, shot.path
        assert list(seen.off()) == sorted(shot.truth["off"]), shot.path
        assert not seen.hidden, shot.path
        assert not seen.uncertain, shot.path
        assert (seen.game, seen.set_name, seen.trouble) == ("transet", transet.name, None)


@pytest.mark.parametrize("change", CHANGES)
def test_light_and_camera_change_nothing(transet: BoardSet, stills: list[Any], change: str) -> None:
    for shot in stills[::9]:
        seen = Eye([transet]).look(CHANGES[change](shot.picture()))
        assert seen.on() == shot.standing, shot.path
        assert list(seen.off()) == sorted(shot.truth["off"]), shot.path


def test_under_a_hand_nothing_is_wrong_and_nothing_empty(transet: BoardSet, shots: list[Any]) -> None:
    eye = Eye([transet])
    for shot in shots:
        if not shot.truth["hand"]:
            continue
        seen = eye.look(shot.picture())
        for site, kinds in seen.on().items():
            assert shot.standing.get(site) == kinds, (shot.path, site)
        assert set(seen.off()) <= set(shot.truth["off"]), shot.path
        unseen = [site for site in shot.standing if site not in seen.on() and site not in seen.hidden]
        assert not unseen, shot.path


def test_any_token_replaced_by_another_kind_is_noticed(transet: BoardSet, stills: list[Any], paint: Any) -> None:
    eye = Eye([transet])
    for shot in (stills[0], stills[10], stills[20]):
        image = shot.picture()
        registration = register(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), [transet])
        assert registration is not None
        for token in eye.look(image).tokens[2:8:4]:  # two places in each light are enough
            for turn, kind in enumerate(transet.kinds):
                seen = eye.look(paint(image, registration, kind, token.centre_mm, 0.7 * turn))
                assert token.site is not None
                assert seen.on().get(token.site) == (kind,), (shot.path, token.site, kind)


def test_a_token_across_a_line_belongs_to_its_middle_and_is_uncertain(
    transet: BoardSet, stills: list[Any], paint: Any
) -> None:
    image = stills[0].picture()
    registration = register(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), [transet])
    assert registration is not None
    for x_mm, home, unsure in ((121.5, "b3", {"b3", "c3"}), (125.5, "c3", {"b3", "c3"}), (130.0, "c3", set())):
        seen = Eye([transet]).look(paint(image, registration, "light-PIAS", (x_mm, 205.0)))
        assert seen.on().get(home) == ("light-PIAS",)
        assert seen.uncertain == unsure
        added = next(token for token in seen.tokens if token.site == home)
        assert np.hypot(added.centre_mm[0] - x_mm, added.centre_mm[1] - 205.0) < 1.0


@pytest.mark.parametrize("covered", [[0], [1], [0, 2], [1, 3]])
def test_covered_tags(transet: BoardSet, stills: list[Any], covered: list[int]) -> None:
    for shot in stills[::8]:
        image = shot.picture()
        registration = register(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), [transet])
        assert registration is not None
        for tag in covered:
            x, y = registration.pose.project(np.array([transet.fiducials.centres_mm[tag]]))[0]
            cv2.circle(image, (int(x), int(y)), 36, (70, 110, 160), -1)
        seen = Eye([transet]).look(image)
        assert seen.on() == shot.standing, shot.path


def test_nothing_to_see(transet: BoardSet, stills: list[Any]) -> None:
    image = stills[0].picture()
    cases = {
        "too_dark": np.zeros((720, 1280, 3), np.uint8),
        "too_bright": np.full((720, 1280, 3), 255, np.uint8),
        "blurred": cv2.GaussianBlur(image, (0, 0), 4),
        "no_board": image[:, :455],
    }
    for trouble, picture in cases.items():
        seen = Eye([transet]).look(picture)
        assert (seen.game, seen.tokens, seen.trouble) == (None, (), trouble)


def test_a_board_of_another_set_is_no_board(transet: BoardSet, stills: list[Any]) -> None:
    other = BoardSet.parse(
        (stills[0].path.parents[2] / "sets" / "taasen.toml").read_text(encoding="utf-8"), "taasen.toml"
    )
    image = stills[0].picture()
    assert Eye([other]).look(image).trouble == "no_board"
    assert Eye([other, transet]).look(image).game == "transet"


def test_grey_pictures_and_odd_sizes(transet: BoardSet, stills: list[Any]) -> None:
    image = stills[0].picture()
    assert Eye([transet]).look(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)).game == "transet"
    assert Eye([transet]).look(image[:719, :1277]).on() == stills[0].standing
    assert Eye([transet]).look(np.zeros((97, 131, 3), np.uint8)).game is None
