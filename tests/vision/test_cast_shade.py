"""Low and coloured light: every token casts its own shade on the sites beside it, which hides nothing."""

from typing import Any

import cv2
import numpy as np
import pytest
from recorded import SEQUENCES, board_of, still

from vision.boardset import Tokens
from vision.casts import cast_shade
from vision.eye import Eye
from vision.registration import Registration

FALLS = 1.25
"""So many times a token's height its shade falls beside it: the light stands 39 degrees above the table."""


def covers(image: Any, registration: Registration, places_mm: Any, by_mm: Any) -> Any:
    """How much of each pixel (h, w, 1) is shaded by the tokens, but for themselves."""
    tokens = registration.board_set.tokens
    half, pose = tokens.size_mm / 2, registration.pose
    if tokens.shape == "disc":
        turn = np.linspace(0, 2 * np.pi, 48, endpoint=False)
        rim = np.column_stack([np.cos(turn), np.sin(turn)]) * half
    else:
        rim = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    shade = np.zeros(image.shape[:2], np.uint8)
    bodies = np.zeros(image.shape[:2], np.uint8)
    for place in places_mm:
        foot, top = pose.project(rim + place), pose.project(rim + place, -tokens.height_mm)
        for layer, parts in ((shade, (foot, pose.project(rim + place + by_mm))), (bodies, (foot, top))):
            hull = cv2.convexHull(np.round(np.concatenate(parts) * 16).astype(np.int32))
            cv2.fillConvexPoly(layer, hull, 255, cv2.LINE_AA, 4)
    cover = np.minimum(shade, 255 - bodies).astype(np.float32) / 255
    return cv2.GaussianBlur(cover, (0, 0), 0.8)[:, :, None]


def in_low_light(sequence: str, angle: float, left: Any, number: int = 0) -> tuple[Any, Any, Registration]:
    image, standing = still(sequence, number)
    eye = Eye([board_of(sequence)])
    seen = eye.look(image)
    assert eye.registration is not None
    places = np.array([token.centre_mm for token in seen.tokens])
    by_mm = FALLS * board_of(sequence).tokens.height_mm * np.array([np.cos(angle), np.sin(angle)])
    cover = covers(image, eye.registration, places, by_mm)
    shaded = image * (1 - (1 - np.asarray(left, np.float32)) * cover) + 0.5
    return shaded.astype(np.uint8), standing, eye.registration


@pytest.mark.parametrize("left", [0.5, 0.65, (0.64, 0.6, 0.54), (0.54, 0.58, 0.64)])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_the_shade_of_the_tokens_themselves_hides_nothing(sequence: str, left: Any) -> None:
    eye = Eye([board_of(sequence)])
    for turn, angle in enumerate((0.4, 1.5, 2.4, 3.6, 4.7, 5.6)):
        picture, standing, _ = in_low_light(sequence, angle, left, turn)
        seen = eye.look(picture)
        assert seen.on() == standing, angle
        assert (seen.hidden, seen.hand) == (frozenset(), False), angle


@pytest.mark.parametrize("sequence", ["transet-a", "taasen-a"])
@pytest.mark.parametrize("paint", [(70, 70, 74), (130, 160, 215)])
def test_a_finger_in_a_token_s_shade_is_no_shade(sequence: str, paint: Any) -> None:
    """It lies where the shade falls, and goes on beyond it."""
    for angle in (0.4, 2.4, 4.7):
        picture, _, registration = in_low_light(sequence, angle, 0.55)
        board, way = board_of(sequence), np.array([np.cos(angle), np.sin(angle)])
        places = [np.array(token.centre_mm) for token in Eye([board]).look(picture).tokens if token.site]
        place = min(places, key=lambda at: float(np.hypot(*(at + 40 * way - np.array(board.sheet_mm) / 2))))
        tip, end = (place + way * (board.tokens.size_mm / 2 + away) for away in (2.0, 75.0))
        a, b = np.round(registration.pose.project(np.array([tip, end]))).astype(int).tolist()
        cv2.line(picture, a, b, paint, round(15 * registration.px_per_mm()), cv2.LINE_AA)
        seen = Eye([board_of(sequence)]).look(picture)
        assert seen.hidden or seen.hand, angle


TOKENS = Tokens("disc", 26.0, 8.0, None, {}, {})


def test_only_what_lies_beside_most_tokens_is_their_shade() -> None:
    places = [(60.0 + 60 * column, 60.0 + 60 * row) for row in range(2) for column in range(4)]
    strange = np.zeros((110, 160), np.bool_)
    for x, y in places:
        strange[int(y / 2) - 3 : int(y / 2) + 4, int(x / 2) + 11 : int(x / 2) + 15] = True
    seen = np.ones_like(strange)
    shade = cast_shade(strange, seen, places, TOKENS, 20.0)
    assert shade is not None
    assert np.array_equal(shade, strange)
    few = strange.copy()
    few[45:] = False  # beside half of them
    assert cast_shade(few, seen, places, TOKENS, 20.0) is None
    assert cast_shade(few, seen, places[:2], TOKENS, 20.0) is None
    longer = strange.copy()
    longer[27:34, 41:60] = True  # beside one of them something goes on
    shade = cast_shade(longer, seen, places, TOKENS, 20.0)
    assert shade is not None
    assert not shade[27:34, 41:60].any()
    assert shade[57:64, 41:45].any()
