"""Whether a token ends where tokens of its size do: an edge runs all round it.

A mark alone is not enough: letters on paper, the shine in a cup and the pips of a card look like marks, but what they
are printed on goes on beyond a token's size.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.boardset import BoardSet
from vision.marks import sample
from vision.paper import drawing, logs_of
from vision.ranks import median_rows
from vision.registration import NO_MAP, Array, Image, Registration

SECTORS, ANGLES_EACH = 8, 4
MISSING, MISSING_BESIDE = 3, 2
"""In so many sectors an edge may fail to show: a neighbour of the same colour, a reflection, a soft picture."""
RADII = tuple(float(radius) for radius in np.arange(0.38, 0.661, 0.02))
"""Fractions of a token's size round its end: tops are seen from aside, and a pose may miss a little."""
INNER, EDGE, OUTER = slice(0, 3), slice(2, 9), slice(11, 15)
"""Of those: the body; where its end can be, as steps of two; the ground."""
FARTHEST = 0.53
"""In half of the sectors the edge begins within this."""
SHARE = 0.13
"""Of the step that body and ground make in print, so much must be seen round a token: blur and haze take some."""
FAINTEST, CLEAREST, BESIDE = 0.03, 0.14, 0.08
"""Steps asked for, logarithms: on the sheet no less than the first, no more than the second; beside it the third."""
RIMMED, RIMMED_BESIDE = 0.16, 0.22
"""The same of tokens with a rim."""
PART, MOST = 0.4, 0.8
"""Of that, in each sector, and in half of them."""
RIM_SHOWS, RIM_DARKER = 1.5, 0.03
"""Logarithms: a rim so much darker than its body in print is seen darker by the second."""
BLOWN = 249.0
"""Where the brightest channel but one reaches this, the picture has no edges left to show."""


def outlined(
    image: Image, registration: Registration, centres_mm: Array, colours: list[str]
) -> npt.NDArray[np.bool_]:
    """Which of the tokens at `centres_mm` (n, 2), of these colours, show an edge all round: (n,)."""
    board_set = registration.board_set
    tokens = board_set.tokens
    angles = np.arange(SECTORS * ANGLES_EACH) * (2 * np.pi / (SECTORS * ANGLES_EACH))
    circle = np.column_stack([np.cos(angles), np.sin(angles)]) * tokens.size_mm
    offsets = np.concatenate([circle * radius for radius in RADII])
    seen = sample(image, registration.pose, centres_mm, offsets, -tokens.height_mm)
    shape = (len(centres_mm), len(RADII), SECTORS, ANGLES_EACH)
    levels = _mean_of_each(logs_of(seen).reshape(*shape, 3))
    body = median_rows(levels[:, INNER].reshape(len(centres_mm), -1, 3))
    needed, on_sheet = _needed(board_set, centres_mm, colours)
    blue, green, red = seen[:, :, 0], seen[:, :, 1], seen[:, :, 2]
    middle = np.maximum(np.minimum(blue, green), np.minimum(np.maximum(blue, green), red))
    second = middle.reshape(shape).mean(axis=3)
    blown = (second.min(axis=1) >= BLOWN) & on_sheet[:, None]
    across = np.sqrt(sum((levels[:, 2:, :, channel] - levels[:, :-2, :, channel]) ** 2 for channel in range(3)))
    begins = np.asarray(RADII)[1:-1][np.argmax(across > 0.5 * across.max(axis=1, keepdims=True), axis=1)]
    steps = across[:, EDGE].max(axis=1)
    steps[blown], begins[blown] = 1.0, 0.5
    missing = steps < PART * needed
    if tokens.rim is None:
        ground = levels[:, OUTER].mean(axis=1)
        told = ~on_sheet[:, None] | (needed >= CLEAREST)  # elsewhere body and ground are too alike
        missing |= told & (np.linalg.norm(ground - body[:, None, :], axis=2) < PART * needed)
    else:
        darker = body.mean(axis=1)[:, None] - levels.mean(axis=3)[:, 2:11].min(axis=1)
        bodies = logs_of(np.array([tokens.colours[colour].body for colour in colours], np.float32)).mean(axis=1)
        shows = bodies - float(logs_of(np.array(tokens.rim.rgb, np.float32)).mean()) > RIM_SHOWS
        missing |= shows[:, None] & (darker < RIM_DARKER)
    all_round = np.count_nonzero(missing & ~blown, axis=1) <= np.where(on_sheet, MISSING, MISSING_BESIDE)
    clear = (steps.mean(axis=1) >= needed.mean(axis=1)) & (median_rows(steps) >= MOST * needed.mean(axis=1))
    return np.asarray(all_round & clear & (median_rows(begins) <= FARTHEST))


def _mean_of_each(values: Array) -> Array:
    """The mean over the places of each sector: (n, radii, SECTORS, ANGLES_EACH, 3) -> (n, radii, SECTORS, 3)."""
    total = values[:, :, :, 0]
    for place in range(1, ANGLES_EACH):
        total = total + values[:, :, :, place]
    return np.asarray(total / ANGLES_EACH)


def _needed(board_set: BoardSet, centres_mm: Array, colours: list[str]) -> tuple[Array, npt.NDArray[np.bool_]]:
    """The step asked for in each sector (n, SECTORS), and which of the tokens lie on the sheet (n,)."""
    tokens = board_set.tokens
    width, height = board_set.sheet_mm
    on_sheet = np.all((centres_mm >= 0) & (centres_mm <= (width, height)), axis=1)
    beside = BESIDE if tokens.rim is None else RIMMED_BESIDE
    needed = np.full((len(centres_mm), SECTORS), beside)
    if tokens.rim is not None:
        needed[on_sheet] = RIMMED
    if tokens.rim is not None or not on_sheet.any():
        return needed, on_sheet
    drawn = drawing(board_set)
    angles = (np.arange(SECTORS) + 0.5 - 0.5 / ANGLES_EACH) * (2 * np.pi / SECTORS)
    ring = np.column_stack([np.cos(angles), np.sin(angles)]) * (0.63 * tokens.size_mm)
    cell_mm = float(drawn.xs_mm[1] - drawn.xs_mm[0])
    places = ((centres_mm[on_sheet][:, None, :] + ring) / cell_mm - 0.5).astype(np.float32)
    ground = cv2.remap(drawn.logs, places, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    bodies = logs_of(np.array([tokens.colours[colour].body[::-1] for colour in colours], np.float32))[on_sheet]
    steps = np.linalg.norm(ground - bodies[:, None, :], axis=2)
    needed[on_sheet] = np.clip(SHARE * steps, FAINTEST, CLEAREST)
    return needed, on_sheet
