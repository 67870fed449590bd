"""What is printed on the sheet and looks like a mark, as a dark patch does. No token stands there."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np

from vision.artwork import raster
from vision.boardset import BoardSet, SetKey
from vision.marks import polarity
from vision.registration import Pose, Registration
from vision.tokens import Found, Look, find

PX_PER_MM = 3.0
LIKE = 0.6
"""A place of the bare sheet that agrees with a mark by this correlation may pass for it in a poor picture."""
NEAR_MM = 6.0
EVEN = 0.3
"""A token's rim is evener than this, a logarithm; round printed likenesses there is paper."""
FAR_MM = 1e5


@lru_cache(maxsize=8)
def _likenesses(key: SetKey) -> tuple[Found, ...]:
    board_set = key.board_set
    width, height = board_set.sheet_mm
    image = cv2.GaussianBlur(raster(board_set, PX_PER_MM), (0, 0), 0.5 * PX_PER_MM)
    centre = (width / 2 * PX_PER_MM - 0.5, height / 2 * PX_PER_MM - 0.5)
    pose = Pose((0.0, 0.0, 0.0), (-width / 2, -height / 2, FAR_MM), PX_PER_MM * FAR_MM, 0.0, centre)
    registration = Registration(board_set, pose, 0.0, board_set.fiducials.ids, (image.shape[1], image.shape[0]))
    image = np.asarray(cv2.convertScaleAbs(image, None, 0.8, 15.0), np.uint8)  # as ink and paper look to a camera
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    return tuple(find(Look.of(image, grey, registration, None), least=LIKE))


def unlike_print(board_set: BoardSet, found: list[Found]) -> list[Found]:
    """Without those that are only what is printed there."""
    prints = _likenesses(SetKey(board_set))
    return [token for token in found if not any(_is_print(board_set, token, print_) for print_ in prints)]


def _is_print(board_set: BoardSet, token: Found, print_: Found) -> bool:
    faded = min(1.0, abs(token.contrast / print_.contrast))  # print loses both in a picture that is blown out
    if token.evenness < faded * max(EVEN, 0.6 * print_.evenness):
        return False
    if np.hypot(token.centre_mm[0] - print_.centre_mm[0], token.centre_mm[1] - print_.centre_mm[1]) > NEAR_MM:
        return False
    return polarity(board_set, board_set.split(token.kind)[0]) == polarity(board_set, board_set.split(print_.kind)[0])
