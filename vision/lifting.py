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

from vision.paper import CELL_MM, Mask, drawing
from vision.registration import NO_MAP, Array, Image, Registration

MOST_EDGES = 2
LEAST_CELLS, LEAST_MM = 8, 30.0
"""An edge is seen on so many cells of the paper's grid, and so far along; tokens may hide the rest."""
TRIES, TRIES_MORE, LINES, SURELY = 80, 400, 4, 10
"""Lines that are tried: through two places where shadows end, and through one and any hard edge; so many of these are
compared with the picture, and places where shadows surely end count so much more.
"""
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
UNPRINTED, FEWEST_UNPRINTED = 0.15, 0.2
"""Logarithm by which print varies at most where it leaves a shadow's depth alone, and at how many of all places."""
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


@dataclass(frozen=True)
class HardEdges:
    """Cells (h, w) of the paper's grid with hard edges: `shadows`', and `others`, of which some may be, too."""

    shadows: Mask
    others: Mask


def lift_shadows(image: Image, registration: Registration, edges: HardEdges, in_doubt: bool) -> Iterator[Image]:
    """The picture (h, w, 3) without one hard shadow, without two; nothing if there are none.

    `in_doubt`: something isn't seen, so shadows are looked for of which tokens leave little to see.
    """
    points = _places(edges.shadows, registration)
    others = _places(edges.others, registration) if in_doubt else points[:0]
    for edge in _edges(image, points, others, registration):
        image = _lift(image, edge)
        yield image


def _places(cells: Mask, registration: Registration) -> Array:
    """Where cells of the paper's grid lie in the picture, (n, 2)."""
    rows, columns = np.nonzero(cells)
    return registration.pose.project((np.column_stack([columns, rows]) + 0.5) * CELL_MM)


def _edges(image: Image, points: Array, others: Array, registration: Registration) -> Iterator[Edge]:
    """The edges on which most of the points (n, 2) lie, longest first; where there are few, with `others` (m, 2) that
    lie in line with them.
    """
    near_px = NEAR_MM * registration.px_per_mm()
    for _ in range(MOST_EDGES):
        lines = _lines(points, points[:0], near_px) or _lines(points, others, near_px)
        edge = None
        for middle, turn in lines:
            edge, bend = _edge_at(image, middle, turn, points, others, registration)
            if edge is not None:
                yield edge
                break
        if not lines:
            return
        points, others = (
            places[np.abs(at[:, 1] - np.polyval(bend, at[:, 0])) > 2.5 * near_px]
            for places, at in ((each, (each - middle) @ turn.T) for each in (points, others))
        )


def _edge_at(
    image: Image, middle: Array, turn: Array, points: Array, others: Array, registration: Registration
) -> tuple[Edge | None, Array]:
    """The edge along a line, None where the picture shows no shadow's; and how far it bends from that line (3,)."""
    near_px = NEAR_MM * registration.px_per_mm()
    mine, beside = (
        at[np.abs(at[:, 1]) < near_px] for at in ((places - middle) @ turn.T for places in (points, others))
    )
    if not _enough(mine[:, 0], near_px):
        mine = np.concatenate([mine, beside])
    ends = float(mine[:, 0].min()), float(mine[:, 0].max())
    bend = np.concatenate([[0.0], np.polyfit(mine[:, 0], mine[:, 1], 1)])
    across = _Across.read(image, middle, turn, bend, ends, mine[:, 0])
    gains = None
    if across.may_be_one():
        for step in (*[_Across.fitted] * FITS, *[_Across.sharpened] * FITS):
            bend = step(across, bend, ends)
            across = _Across.read(image, middle, turn, bend, ends, mine[:, 0])
        gains = across.gains(_unprinted(across.places_px[:, ROOM_PX:-ROOM_PX:4], registration))
    return None if gains is None else Edge(middle, turn, bend, ends, gains), bend


def _enough(along: Array, near_px: float) -> bool:
    """Whether places along a line (n,) are as many, and reach as far, as a shadow's edge needs."""
    return len(along) >= LEAST_CELLS and float(np.ptp(along)) >= LEAST_MM / NEAR_MM * near_px


def _unprinted(places_px: Array, registration: Registration) -> npt.NDArray[np.bool_]:
    """Where nothing printed changes along a course of places (n, steps, 2), nor the sheet ends: (n,)."""
    logs = drawing(registration.board_set).logs
    columns, rows = np.floor(registration.pose.unproject(places_px.reshape(-1, 2)) / CELL_MM).astype(int).T
    on_sheet = (rows >= 0) & (columns >= 0) & (rows < logs.shape[0]) & (columns < logs.shape[1])
    print_ = np.zeros((len(rows), 3), np.float32)  # beside the sheet: unlike any paper
    print_[on_sheet] = logs[rows[on_sheet], columns[on_sheet]]
    return np.asarray(np.ptp(print_.reshape(*places_px.shape[:2], 3), axis=1).max(axis=1) < UNPRINTED)


def _course(bend: Array, ends: tuple[float, float], along: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Where an edge runs: a parabola between its ends, from there on straight."""
    held = np.clip(along, *ends)
    return np.asarray((bend[0] * held + bend[1]) * held + bend[2] + (2 * bend[0] * held + bend[1]) * (along - held))


def _lines(points: Array, others: Array, near_px: float) -> list[tuple[Array, Array]]:
    """Lines through some of the points near which most of them and of `others` lie: a point of each, and the turn that
    lays it along x. One at most of the points alone; with others some, the likeliest first.
    """
    both = np.concatenate([points, others])
    if len(both) < LEAST_CELLS or len(points) < 2:
        return []
    dice = np.random.default_rng(len(points))  # the same for the same picture
    ends = points[dice.integers(0, len(points), (TRIES, 2))]
    if len(others):
        few, many = dice.integers(0, len(points), TRIES_MORE), dice.integers(0, len(both), TRIES_MORE)
        ends = np.stack([points[few], both[many]], axis=1)
    along = ends[:, 1] - ends[:, 0]
    length = np.linalg.norm(along, axis=1)
    ends, along, length = ends[length > near_px], along[length > near_px], length[length > near_px]
    if len(ends) == 0:
        return []
    along = along / length[:, None]
    apart = both[None] - ends[:, :1]
    near = np.abs(apart[:, :, 0] * along[:, 1:] - apart[:, :, 1] * along[:, :1]) < near_px
    votes = np.count_nonzero(near, axis=1)
    if len(others):  # how far along places lie says more than their number: some are of things' outlines
        steps = np.floor(np.einsum("nij,nj->ni", apart, along) / near_px).astype(int)
        votes = _steps_taken(near, steps) + SURELY * _steps_taken(near[:, : len(points)], steps)
    lines = []
    for _ in range(LINES if len(others) else 1):
        best = int(np.argmax(votes))
        mine, axis = both[near[best]], along[best]
        if votes[best] == 0 or not _enough(mine @ axis, near_px):
            break
        lines.append((mine.mean(axis=0), np.array([axis, [-axis[1], axis[0]]])))
        shared = np.count_nonzero(near & near[best], axis=1)
        votes[shared > 0.5 * np.count_nonzero(near, axis=1)] = 0
    return lines


def _steps_taken(near: npt.NDArray[np.bool_], steps: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """On how many steps of each line places lie `near` (n, places) it; `steps` (n, at least as many): each one's."""
    taken = np.zeros((len(steps), int(np.ptp(steps)) + 1), np.bool_)
    tries, places = np.nonzero(near)
    taken[tries, steps[tries, places] - steps.min()] = True
    return np.asarray(np.count_nonzero(taken, axis=1), np.intp)


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

    `along` (n,): the places; `places_px` (n, steps, 2): those across each, ROOM_PX beyond REACH_PX to each side;
    `logs` (n, steps, 3): the picture's logarithms there;
    `drops` (n, 2 * ROOM_PX + 1): by how much it darkens, were the edge shifted so; `drop`: by how much it does where
    paper showed the edge.
    """

    along: Array
    places_px: Array
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
        return cls(along, places, logs, drops, float(usual[np.argmax(np.abs(usual))]))

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

    def gains(self, unprinted: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32] | None:
        """What lifts the dark side, by pixels across the edge; None where this is no shadow's edge.

        `unprinted` (n,): where no print across it changes, too.
        """
        alike = self._alike()[:, ROOM_PX]
        if np.count_nonzero(alike) < max(SUPPORT * len(alike), 1):
            return None
        told = alike & unprinted
        if np.count_nonzero(told) < max(LEAST_CELLS, FEWEST_UNPRINTED * np.count_nonzero(alike)):
            told = alike
        logs = self.logs[told, ROOM_PX:-ROOM_PX]
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
