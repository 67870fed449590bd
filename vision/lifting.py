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
LEAST_CELLS, LEAST_MM = 8, 30.0
"""An edge is seen on so many cells of the paper's grid, and so far along; tokens may hide the rest."""
NEAR_MM = 3.0
"""How far a point lies from its edge at most."""
REACH_PX = 14
"""How far across an edge its light is read."""
ROUGH_PX, MOST_GAP = 2.0, 0.25
"""From so far on a place counts less in a fit; edges with larger gaps than this share are taken for straight."""
FINE = 8
"""Steps to a pixel across an edge."""
FITS, ROOM_PX, EACH_PX = 3, 8, 3.0
"""How often an edge is fitted to where the picture darkens, how far it may lie from there, and at how many places."""
SHALLOW, DEEP = 0.1, 1.2
"""Logarithms by which shadows darken."""
SUPPORT = 0.45
"""Share of an edge's length along which the picture darkens as much as in the middle."""
BESIDE_PX = 80
"""How far beyond its ends an edge must go on, as far as the picture does: what is lifted is so to the picture's end."""


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


def lift_shadows(image: Image, registration: Registration, edges: Mask) -> Iterator[Image]:
    """The picture (h, w, 3) without one hard shadow, without two; nothing if there are none.

    `edges` (h, w): cells of the paper's grid where shadows end.
    """
    rows, columns = np.nonzero(edges)
    points = registration.pose.project((np.column_stack([columns, rows]) + 0.5) * CELL_MM)
    for edge in _edges(image, points, registration.px_per_mm()):
        image = _lift(image, edge)
        yield image


def _edges(image: Image, points: Array, scale: float) -> Iterator[Edge]:
    """The edges on which most of the points (n, 2) lie, longest first; `scale`: pixels per mm."""
    for _ in range(MOST_EDGES):
        line = _line(points, NEAR_MM * scale)
        if line is None:
            return
        middle, turn = line
        turned = (points - middle) @ turn.T
        mine = turned[np.abs(turned[:, 1]) < NEAR_MM * scale]
        ends = float(mine[:, 0].min()), float(mine[:, 0].max())
        bend = np.concatenate([[0.0], np.polyfit(mine[:, 0], mine[:, 1], 1)])
        across = _Across.read(image, middle, turn, bend, ends, mine[:, 0])
        gains = None
        if across.may_be_one():
            for step in (*[_Across.fitted] * FITS, *[_Across.sharpened] * FITS):
                bend = step(across, bend, ends)
                across = _Across.read(image, middle, turn, bend, ends, mine[:, 0])
            gains = across.gains()
        if gains is not None:
            yield Edge(middle, turn, bend, ends, gains)
        points = points[np.abs(turned[:, 1] - np.polyval(bend, turned[:, 0])) > 2.5 * NEAR_MM * scale]


def _course(bend: Array, ends: tuple[float, float], along: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Where an edge runs: a parabola between its ends, from there on straight."""
    held = np.clip(along, *ends)
    return np.asarray((bend[0] * held + bend[1]) * held + bend[2] + (2 * bend[0] * held + bend[1]) * (along - held))


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


def _through(along: Array, wanted: Array, bend: Array) -> Array:
    """The parabola (3,) through most of the points (along, wanted), both (n,), that lies not far from `bend`."""
    straight = np.diff(along).max() > MOST_GAP * (along[-1] - along[0])
    for _ in range(4):
        off = wanted - np.polyval(bend, along)
        bend = np.polyfit(along, wanted, 1 if straight else 2, w=1 / (1 + (off / ROUGH_PX) ** 2))
        bend = np.concatenate([np.zeros(3 - len(bend)), bend])
    return bend


@dataclass(frozen=True)
class _Across:
    """A picture across an edge, at n places along it, on the sheet and beside it.

    `along` (n,): the places; `logs` (n, steps, 3): the picture's logarithms, ROOM_PX beyond REACH_PX to each side;
    `drops` (n, 2 * ROOM_PX + 1): by how much it darkens, were the edge shifted so; `drop`: by how much it does where
    paper showed the edge.
    """

    along: Array
    logs: Array
    drops: Array
    drop: float

    @classmethod
    def read(
        cls, image: Image, middle: Array, turn: Array, bend: Array, ends: tuple[float, float], seen: Array
    ) -> _Across:
        """What lies across this edge, which paper showed at the places `seen` (m,) of it."""
        along = np.arange(ends[0] - BESIDE_PX, ends[1] + BESIDE_PX, EACH_PX)
        reach = REACH_PX + ROOM_PX
        across = _course(bend, ends, along)[:, None] + np.arange(-reach, reach + 1)
        places = np.stack([np.broadcast_to(along[:, None], across.shape), across], axis=2) @ turn + middle
        height, width = image.shape[:2]
        inside = ((places >= 0) & (places <= (width - 1, height - 1))).all(axis=(1, 2))
        along, places = along[inside], places[inside]
        few = cv2.remap(image, places.astype(np.float32), NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        logs = np.log(np.maximum(few.astype(np.float64), 1.0))
        # print and tokens differ from place to place, the shadow doesn't
        five = np.cumsum(logs.mean(axis=2), axis=1)
        five = (five[:, 5:] - five[:, :-5]) / 5  # from the second to the sixth on
        first = REACH_PX - 8
        count = 2 * ROOM_PX + 1
        drops = five[:, first + 10 : first + 10 + count] - five[:, first : first + count]
        here = np.abs(along[:, None] - seen).min(axis=1) <= EACH_PX
        usual = np.median(drops[here], axis=0) if here.any() else np.zeros(count)
        return cls(along, logs, drops, float(usual[np.argmax(np.abs(usual))]))

    def _alike(self) -> npt.NDArray[np.bool_]:
        """Where the picture darkens as much as on paper, by place and shift: (n, 2 * ROOM_PX + 1)."""
        return np.asarray(np.abs(self.drops - self.drop) < max(0.12, 0.35 * abs(self.drop)))

    def may_be_one(self) -> bool:
        """Whether, here or near, the picture darkens as a shadow's edge does."""
        return abs(self.drop) > SHALLOW and float(self._alike().any(axis=1).mean()) >= SUPPORT

    def fitted(self, bend: Array, ends: tuple[float, float]) -> Array:
        """The parabola (3,) shifted and turned to where the picture darkens as it should."""
        close = (1 - np.abs(self.drops - self.drop) / max(0.12, 0.35 * abs(self.drop))).clip(0)
        weight = close.sum(axis=1)
        told = weight > 1
        if np.count_nonzero(told) < LEAST_CELLS:
            return bend
        shifts = close[told] @ np.arange(-ROOM_PX, ROOM_PX + 1) / weight[told]
        return _through(self.along[told], _course(bend, ends, self.along[told]) + shifts, bend)

    def sharpened(self, bend: Array, ends: tuple[float, float]) -> Array:
        """The same to a fraction of a pixel: each place's course is compared with what most have."""
        told = self._alike()[:, ROOM_PX]
        if np.count_nonzero(told) < LEAST_CELLS:
            return bend
        logs = self.logs[told, ROOM_PX:-ROOM_PX].mean(axis=2)
        logs = logs - logs.mean(axis=1, keepdims=True)
        usual = np.median(logs, axis=0)
        slope = np.gradient(usual)
        shifts = np.clip((usual - logs) @ slope / max(float(slope @ slope), 1e-9), -ROUGH_PX, ROUGH_PX)
        return _through(self.along[told], _course(bend, ends, self.along[told]) + shifts, bend)

    def gains(self) -> npt.NDArray[np.float32] | None:
        """What lifts the dark side, by pixels across the edge; None where this is no shadow's edge."""
        alike = self._alike()[:, ROOM_PX]
        if np.count_nonzero(alike) < max(SUPPORT * len(alike), 1):
            return None
        logs = self.logs[alike, ROOM_PX:-ROOM_PX]
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
    off = turn[1, 0] * x + turn[1, 1] * y - _course(bend, edge.ends_px, along) + np.float32(REACH_PX)
    step = np.clip(np.round(off * FINE), 0, 2 * REACH_PX * FINE).astype(np.uint8)
    finely = np.arange(256) / FINE
    gain = cv2.merge(
        [
            cv2.LUT(step, np.interp(finely, np.arange(len(edge.gains)), edge.gains[:, channel]).astype(np.float32))
            for channel in range(3)
        ]
    )
    return np.asarray(cv2.multiply(image, gain, dtype=cv2.CV_8U), np.uint8)
