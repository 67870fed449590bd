"""Pictures one after another: hands, motion, bumps, and things that come to stay."""

from dataclasses import replace
from functools import cache
from typing import Any

import cv2
import numpy as np

from vision.boardset import BoardSet
from vision.eye import Eye


@cache
def _noise(seed: int) -> Any:
    return np.random.default_rng(seed).normal(0, 1, (720, 1280, 3)).astype(np.float32)


def _grain(image: Any, seed: int, sigma: float = 1.5) -> Any:
    """The picture with sensor noise; one of four grains."""
    return cv2.addWeighted(image, 1.0, _noise(seed % 4), sigma, 0.0, dtype=cv2.CV_8U)


def _shifted(image: Any, dx: float, dy: float, degrees: float) -> Any:
    height, width = image.shape[:2]
    warp: Any = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1)
    warp[:, 2] += [dx, dy]
    return cv2.warpAffine(image, warp, (width, height), borderMode=cv2.BORDER_REFLECT)


def test_hand_and_motion_follow_the_recording(transet: BoardSet, shots: list[Any]) -> None:
    for sequence in ("transet-a", "transet-b", "transet-e"):
        eye, frame = Eye([transet]), 0
        for shot in [shot for shot in shots if shot.sequence == sequence]:
            image = shot.picture()
            for repeat in range(3):
                seen = eye.see(_grain(image, repeat), frame * 0.1, frame)
                frame += 1
                assert seen.hand == shot.truth["hand"], (shot.path, repeat)
                if repeat:
                    assert not seen.moving, (shot.path, repeat)
                if not shot.truth["hand"]:
                    assert seen.on() == shot.standing, shot.path
                    assert not seen.hidden, shot.path


def test_a_moved_token_is_motion(transet: BoardSet, shots: list[Any]) -> None:
    before, after = (
        shot
        for shot in shots
        if shot.truth["file"] in ("frame_000001.jpg", "frame_000008.jpg") and shot.sequence == "transet-e"
    )
    eye = Eye([transet])
    for frame in range(3):
        assert not eye.see(before.picture(), frame * 0.1, frame).moving
    seen = eye.see(after.picture(), 0.3, 3)
    assert seen.moving
    assert not seen.hand
    assert not eye.see(after.picture(), 0.4, 4).moving


def test_noise_is_no_motion(transet: BoardSet, stills: list[Any]) -> None:
    for sigma in (1.5, 6.0, 12.0):
        eye = Eye([transet])
        image = stills[8].picture()
        for frame in range(8):
            seen = eye.see(_grain(image, frame, sigma), frame * 0.1, frame)
            assert (seen.moving, seen.hand) == (False, False), (sigma, frame)
            assert seen.on() == stills[8].standing


def test_a_bump_is_told_once_and_the_board_found_again(transet: BoardSet, stills: list[Any]) -> None:
    image = stills[0].picture()
    eye = Eye([transet])
    moved = []
    places = [image] * 3 + [_shifted(image, 9, -6, 2)] * 4 + [_shifted(image, 30, 8, -9)] * 4
    for frame, place in enumerate(places):
        seen = eye.see(_grain(place, frame), frame * 0.1, frame)
        moved.append(seen.board_moved)
        assert seen.on() == stills[0].standing
        assert not seen.hand
    assert [frame for frame, was in enumerate(moved) if was] == [3, 7]


def test_the_board_comes_back_after_darkness(transet: BoardSet, stills: list[Any]) -> None:
    image = stills[0].picture()
    eye = Eye([transet])
    assert eye.see(image, 0.0, 0).game == "transet"
    assert eye.see(np.zeros_like(image), 0.1, 1).trouble == "too_dark"
    assert eye.see(image, 0.2, 2).on() == stills[0].standing


def _cup(image: Any, x: int, y: int) -> Any:
    image = image.copy()
    cv2.circle(image, (x, y), 46, (150, 70, 60), -1)
    cv2.circle(image, (x, y), 36, (90, 40, 35), -1)
    return image


def test_a_cup_on_the_board_hides_sites_and_is_no_hand_for_ever(transet: BoardSet, stills: list[Any]) -> None:
    image = stills[0].picture()
    eye = Eye([transet])
    clean = eye.see(image, 0.0, 0)
    eye.see(image, 0.1, 1)
    eye.see(image, 0.3, 2)
    cup = _cup(image, 690, 370)
    hands = []
    for frame in range(3, 40):
        seen = eye.see(_grain(cup, frame), frame * 0.1, frame)
        hands.append(seen.hand)
        assert {"c3"} <= seen.hidden
        assert set(seen.on().items()) <= set(clean.on().items())
    assert hands[0]
    assert not hands[-1]
    for frame in range(40, 43):
        seen = eye.see(_grain(image, frame), frame * 0.1, frame)
    assert (seen.hidden, seen.hand) == (frozenset(), False)


def test_same_frames_same_sightings(transet: BoardSet, shots: list[Any]) -> None:
    def run() -> list[Any]:
        eye = Eye([transet])
        seen = [eye.see(shot.picture(), n * 0.1, n) for n, shot in enumerate(shots[:8])]
        return [(s.tokens, s.hidden, s.uncertain, s.hand, s.moving, s.registration_px) for s in seen]

    assert run() == run()


def _with_a_pencil(image: Any) -> Any:
    """Something long and thin lies over the edge of the sheet, from the first picture on."""
    image = image.copy()
    cv2.line(image, (560, 690), (760, 560), (40, 130, 190), 14, cv2.LINE_AA)
    return image


def test_a_thing_that_lies_there_from_the_first_picture_is_no_hand_for_long(
    transet: BoardSet, shots: list[Any]
) -> None:
    shot = next(shot for shot in shots if shot.sequence == "transet-a" and not shot.truth["hand"])
    image = _with_a_pencil(shot.picture())
    for began_s in (0.0, 7.0):
        eye = Eye([transet])
        seen = [eye.see(_grain(image, n), began_s + n * 0.1, n) for n in range(20)]
        assert not any(sighting.hand for sighting in seen[12:]), began_s
        assert seen[-1].hidden or seen[-1].on() == shot.standing


def test_a_bad_look_is_mended_though_nothing_stirs(transet: BoardSet, shots: list[Any]) -> None:
    shot = next(shot for shot in shots if shot.sequence == "transet-b" and not shot.truth["hand"])
    eye = Eye([transet])
    good = [eye.see(_grain(shot.picture(), n), 0.1 * n, n) for n in range(5)][-1]
    site = next(iter(shot.standing))
    bad = tuple(token for token in good.tokens if token.site != site)
    eye._last = replace(good, tokens=bad, hidden=frozenset({site}))  # as if this token had been missed
    seen = [eye.see(_grain(shot.picture(), n), 0.1 * n, n) for n in range(5, 14)]
    assert seen[-1].on() == shot.standing
    assert not seen[-1].hidden
