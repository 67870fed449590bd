"""Take a hard shadow out of a picture: beyond its edge the picture is made as bright as before it.

Where the edge runs is known from the paper; over tokens it goes on. How much light is left, of each channel, and how
soft the edge is, is read across it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.paper import CELL_MM, Mask
from vision.registration import NO_MAP, Array, Image, Registration

MOST_EDGES = 2
LEAST_CELLS, LEAST_MM = 12, 30.0
"""An edge is seen on so many cells of the paper's grid, and so far along; tokens may hide the rest."""
NEAR_MM = 3.0
STRAIGHT_MM = 80.0
"""How far a point lies from its edge at most; and up to which length an edge is straight."""
REACH_PX = 14
"""How far across an edge its light is read."""
SHALLOW, DEEP = 0.1, 1.2
"""Logarithms by which shadows darken."""
SUPPORT = 0.45
"""Share of an edge's length along which the picture darkens as much as in the middle."""
MARGIN_PX = 80


@dataclass(frozen=True)
class Edge:
    """In pixels from `middle_px`, turned by `turn` (2, 2): the edge is where y = `bend` (3,), a parabola of x.

    From `ends_px` on, where it isn't seen any more, it goes straight on.
    `gains` (2 * REACH_PX + 1, 3): by what a picture is to be multiplied, BGR, at each pixel's step across it.
    """

    middle_px: Array
    turn: Array
    bend: Array
    ends_px: tuple[float, float]
    gains: npt.NDArray[np.float32]


def lift_shadows(image: Image, registration: Registration, edges: Mask) -> Image | None:
    """The picture (h, w, 3) without hard shadows, None if there are none.

    `edges` (h, w): cells of the paper's grid where shadows end.
    """
    rows, columns = np.nonzero(edges)
    points = registration.pose.project((np.column_stack([columns, rows]) + 0.5) * CELL_MM)
    scale = registration.px_per_mm()
    width, height = registration.board_set.sheet_mm
    corners = registration.pose.project(np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64))
    left, top = np.maximum(corners.min(axis=0) - MARGIN_PX, 0).astype(int)
    right, bottom = (corners.max(axis=0) + MARGIN_PX).astype(int)
    part = image[top:bottom, left:right]
    lifted = False
    for edge in _edges(part, points - (left, top), scale):
        part, lifted = _lift(part, edge), True
    if not lifted:
        return None
    whole = image.copy()
    whole[top:bottom, left:right] = part
    return whole


def _edges(image: Image, points: Array, scale: float) -> Iterator[Edge]:
    """The edges on which most of the points (n, 2) lie, longest first; `scale`: pixels per mm."""
    for _ in range(MOST_EDGES):
        line = _line(points, NEAR_MM * scale)
        if line is None:
            return
        middle, turn = line
        turned = (points - middle) @ turn.T
        near = np.abs(turned[:, 1]) < NEAR_MM * scale
        bend = np.zeros(3)
        for _ in range(3):
            straight = np.ptp(turned[near, 0]) < STRAIGHT_MM * scale
            bend = np.polyfit(turned[near, 0], turned[near, 1], 1 if straight else 2)
            bend = np.concatenate([np.zeros(3 - len(bend)), bend])
            near = np.abs(turned[:, 1] - np.polyval(bend, turned[:, 0])) < NEAR_MM * scale
            if np.count_nonzero(near) < LEAST_CELLS:
                return
        gains = _gains(image, middle, turn, bend, turned[near, 0])
        if gains is not None:
            ends = float(turned[near, 0].min()), float(turned[near, 0].max())
            yield Edge(middle, turn, bend, ends, gains)
        points = points[np.abs(turned[:, 1] - np.polyval(bend, turned[:, 0])) > 2.5 * NEAR_MM * scale]


def _line(points: Array, near_px: float) -> tuple[Array, Array] | None:
    """A point of the line near which most points lie, and the turn that lays it along x."""
    if len(points) < LEAST_CELLS:
        return None
    dice = np.random.default_rng(len(points))  # the same for the same picture
    ends = points[dice.integers(0, len(points), (80, 2))]
    along = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(along, axis=1)
    ends, along, length = ends[length > near_px], along[length > near_px], length[length > near_px]
    if len(ends) == 0:
        return None
    along = along / length[:, None]
    apart = points[None] - ends[:, :1]
    off = np.abs(apart[:, :, 0] * along[:, 1:] - apart[:, :, 1] * along[:, :1])
    best = int(np.argmax(np.count_nonzero(off < near_px, axis=1)))
    mine = points[off[best] < near_px]
    axis = along[best]
    reach = mine @ axis
    if len(mine) < LEAST_CELLS or np.ptp(reach) < LEAST_MM / NEAR_MM * near_px:
        return None
    return mine.mean(axis=0), np.array([axis, [-axis[1], axis[0]]])


def _gains(image: Image, middle: Array, turn: Array, bend: Array, along: Array) -> npt.NDArray[np.float32] | None:
    """What lifts the dark side, by pixels across the edge; read at the places `along` (n,) of it."""
    few = np.linspace(along.min(), along.max(), 120)
    steps = np.arange(-REACH_PX, REACH_PX + 1)
    across = np.polyval(bend, few)[:, None] + steps
    places = np.stack([np.broadcast_to(few[:, None], across.shape), across], axis=2) @ turn + middle
    seen = cv2.remap(image, places.astype(np.float32), NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    logs = np.log(np.maximum(seen.astype(np.float64), 1.0))
    # print and tokens differ from place to place, the shadow doesn't
    near = slice(REACH_PX - 7, REACH_PX - 2), slice(REACH_PX + 3, REACH_PX + 8)
    drop = (logs[:, near[1]].mean(axis=1) - logs[:, near[0]].mean(axis=1)).mean(axis=1)
    middle_drop = float(np.median(drop))
    alike = np.abs(drop - middle_drop) < max(0.12, 0.35 * abs(middle_drop))
    if np.count_nonzero(alike) < SUPPORT * len(few):
        return None
    logs = logs[alike]
    course = np.median(logs - logs.mean(axis=1, keepdims=True), axis=0)
    low, high = course[: REACH_PX // 2].mean(axis=0), course[-REACH_PX // 2 :].mean(axis=0)
    lit = low if low.mean() > high.mean() else high
    depth = np.abs(low - high)
    if not SHALLOW < depth.mean() < DEEP or np.ptp(depth) > 0.35:
        return None
    course = np.clip(lit - course, 0, None)
    course[: REACH_PX // 2], course[-(REACH_PX // 2) :] = lit - low, lit - high
    return np.asarray(np.exp(np.minimum(course, depth)), np.float32)


def _lift(image: Image, edge: Edge) -> Image:
    height, width = image.shape[:2]
    x = np.arange(width, dtype=np.float32)[None] - np.float32(edge.middle_px[0])
    y = np.arange(height, dtype=np.float32)[:, None] - np.float32(edge.middle_px[1])
    turn, bend = edge.turn.astype(np.float32), edge.bend.astype(np.float32)
    along = turn[0, 0] * x + turn[0, 1] * y
    held = np.clip(along, *edge.ends_px)
    course = (bend[0] * held + bend[1]) * held + bend[2] + (2 * bend[0] * held + bend[1]) * (along - held)
    off = turn[1, 0] * x + turn[1, 1] * y - course + np.float32(REACH_PX)
    step = np.clip(np.round(off), 0, 2 * REACH_PX).astype(np.uint8)
    gains = np.concatenate([edge.gains, np.repeat(edge.gains[-1:], 256 - len(edge.gains), axis=0)])
    gain = cv2.merge([cv2.LUT(step, np.ascontiguousarray(gains[:, channel])) for channel in range(3)])
    return np.asarray(cv2.multiply(image, gain, dtype=cv2.CV_8U), np.uint8)
