"""Which of the sheet's printed lines can't be seen though nothing known lies there: paper may lie on the board.

A note or a playing card has the colour of the sheet and no texture, so nothing else tells it; but it hides the lines
between sites. How strongly the picture shows a line is told against how strongly it shows the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from weakref import WeakKeyDictionary

import cv2
import numpy as np
import numpy.typing as npt

from vision.artwork import raster
from vision.boardset import BoardSet, SetKey
from vision.paper import CELL_MM, Mask, PaperView, logs_of
from vision.ranks import median_rows, percentile_rows
from vision.registration import NO_MAP, Array, Image, Registration

STEP_MM, END_MM = 3.0, 4.0
"""Along a border: between profiles, and from its ends, where other borders meet it."""
FINE_MM, HALF, SHIFTS = 0.5, 6, 6
"""Across a border: between samples, how many to each side of it, and by how many a line may lie beside its place."""
PX_PER_MM = 4.0
PALE = 110
"""Paper's least channel, as in `vision.paper`."""
SHOWS, SHOWS_STRONG = 0.12, 0.3
"""Length of a profile, a logarithm, from which on a line can be looked for, and the end of a strong colour."""
BLOWN = 250
"""Paper this bright shows no lines."""
GONE = 0.22
"""A line shown by less than this share of what the others are isn't there."""
TOO_MUCH = 2.0
"""One shown by more than this many times as much isn't it."""
SURE_BY = 4.5
"""By so many spreads a run of profiles must fall short."""
LEAST_RUN = 4
LUCK = 1.3
"""By so many of its spreads, under noise, a run's best shift lies over what the picture shows of it."""
LEAST_SHOWN = 0.25
"""Lines shown so faintly on the whole say nothing."""


@dataclass(frozen=True)
class Profiles:
    """Profiles across a set's borders, in order along each. `at_mm` (n, across, 2); `drawn` (n, across), unit length.

    `strength` (n,); `channel` (n,): in which it shows best; `strong` (n,): where strong colours meet or end;
    `edge` (n,): which border; `sites`: for each border the sites beside it.
    """

    at_mm: Array
    drawn: Array
    strength: Array
    channel: npt.NDArray[np.intp]
    strong: npt.NDArray[np.bool_]
    edge: npt.NDArray[np.intp]
    sites: tuple[tuple[str, ...], ...]


def profiles(board_set: BoardSet) -> Profiles:
    """The profiles of a set, made once."""
    return _profiles(SetKey(board_set))


@lru_cache(maxsize=8)
def _profiles(key: SetKey) -> Profiles:
    board_set = key.board_set
    beside: dict[tuple[tuple[float, float], tuple[float, float]], list[str]] = {}
    pale = {site.id for site in board_set.sites if min(site.fill) >= PALE}
    for site in board_set.sites:
        corners = [(round(x, 2), round(y, 2)) for x, y in site.polygon_mm]
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            beside.setdefault((min(a, b), max(a, b)), []).append(site.id)
    drawing = cv2.GaussianBlur(logs_of(raster(board_set, PX_PER_MM)), (0, 0), 2.5)
    across = np.arange(-HALF - SHIFTS, HALF + SHIFTS + 1) * FINE_MM
    points, edges, strong = [], [], []
    for number, ((a, b), sites) in enumerate(beside.items()):
        if len(sites) > 1 and pale.isdisjoint(sites):
            continue  # how two strong colours look beside each other depends on gloss and camera
        length = float(np.hypot(b[0] - a[0], b[1] - a[1]))
        along = (np.array(b) - a) / length
        for at in np.arange(END_MM, length - END_MM + 1e-6, STEP_MM):
            points.append(np.array(a) + along * at + across[:, None] * [along[1], -along[0]])
            edges.append(number)
            strong.append(not pale.issuperset(sites))
    at_mm = np.asarray(points)
    drawn = cv2.remap(drawing, (at_mm * PX_PER_MM - 0.5).astype(np.float32), NO_MAP, cv2.INTER_LINEAR)
    level = _level(np.asarray(drawn, np.float64)[:, SHIFTS:-SHIFTS].transpose(0, 2, 1))
    every = np.linalg.norm(level, axis=2)
    # fine lines show best where there is least noise; strong colours where they differ most
    channel = np.where(strong, np.argmax(every, axis=1), 1)
    rows = np.arange(len(at_mm))
    level, strength = level[rows, channel], every[rows, channel]
    plain = strength > np.where(strong, SHOWS_STRONG, SHOWS)
    return Profiles(
        at_mm[plain],
        level[plain] / strength[plain, None],
        strength[plain],
        channel[plain],
        np.asarray(strong)[plain],
        np.asarray(edges)[plain],
        tuple(map(tuple, beside.values())),
    )


def _level(values: Array) -> Array:
    """Profiles (…, across) without what is even and what slopes: that is light."""
    steps = np.linspace(-1, 1, values.shape[-1])
    slope = (values @ steps) / (steps @ steps)
    return np.asarray(values - values.mean(axis=-1, keepdims=True) - slope[..., None] * steps)


_views: WeakKeyDictionary[PaperView, LineView] = WeakKeyDictionary()


def unseen_lines(paper: PaperView, image: Image, covered: Mask) -> frozenset[str]:
    """Sites beside lines that don't show in a BGR picture; `covered` (h, w): grid cells where something stands."""
    view = _views.get(paper)
    if view is None:
        view = _views[paper] = LineView(paper.registration)
    return view.unseen(image, covered)


class LineView:
    """A registration's borders in the picture: made once for a pose."""

    def __init__(self, registration: Registration) -> None:
        self._known = profiles(registration.board_set)
        at_mm = self._known.at_mm
        places = registration.pose.project(at_mm.reshape(-1, 2)).astype(np.float32)
        places = places.reshape(*at_mm.shape)
        self._places = places
        size = np.array(registration.size_px) - 2
        self._inside = np.all((places > 1) & (places < size), axis=(1, 2))
        cells = (at_mm[:, at_mm.shape[1] // 2] / CELL_MM).astype(np.intp)
        self._cells = cells[:, 1], cells[:, 0]
        self._drawn = self._known.drawn.astype(np.float32)

    def shown(self, image: Image, at: npt.NDArray[np.intp]) -> tuple[Array, npt.NDArray[np.bool_]]:
        """How strongly a picture shows profiles `at` (n,), as a share of the drawing's, and where it is too bright

        The first (n, shifts): at and near its place; the second (n,).
        """
        seen = cv2.remap(image, self._places[at], NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        seen = np.asarray(seen)[np.arange(len(seen)), :, self._known.channel[at]]
        windows = np.lib.stride_tricks.sliding_window_view(logs_of(seen), 2 * HALF + 1, axis=1)
        # drawn profiles are level themselves: what is even or slopes in the picture falls out
        alike = np.einsum("nsk,nk->ns", windows, self._drawn[at])
        return alike / self._known.strength[at, None], np.count_nonzero(seen >= BLOWN, axis=1) > seen.shape[1] // 2

    def unseen(self, image: Image, covered: Mask) -> frozenset[str]:
        """Sites beside lines that don't show; `covered` (h, w): cells of the sheet's grid where something stands."""
        at = np.flatnonzero(self._inside & ~covered[self._cells])
        if len(at) == 0:
            return frozenset()
        shown, blown = self.shown(image, at)
        known, gone = self._known, []
        for strong in (False, True):
            mine = (known.strong[at] == strong) & ~blown
            gone += self._gone(at[mine], shown[mine]).tolist()
        return frozenset(site for edge in known.edge[gone] for site in known.sites[edge])

    def _gone(self, at: npt.NDArray[np.intp], shown: Array) -> npt.NDArray[np.intp]:
        """Of the free profiles `at` (n,), `shown` (n, shifts), those at which a run begins that isn't there."""
        edge, none = self._known.edge[at], at[:0]
        sums = _sums(shown)
        whole, best = _runs(sums, at, edge, LEAST_RUN)
        if np.count_nonzero(whole) < 8:
            return none
        # most of the lines may be covered: the upper ones say how lines look, neighbours how much that varies
        best_shown = float(percentile_rows(best[whole][None], 70)[0][0])
        pairs = (np.diff(at) == 1) & (edge[1:] == edge[:-1])
        steps = np.abs(np.diff(np.minimum(shown[:, SHIFTS], TOO_MUCH * best_shown)))[pairs]
        spread = 1.05 * float(median_rows(steps[None])[0])
        usual = best_shown - LUCK * spread / np.sqrt(LEAST_RUN)
        if usual < LEAST_SHOWN:
            return none
        run = max(LEAST_RUN, int(np.ceil((SURE_BY * spread / ((1 - GONE) * usual)) ** 2)))
        other = cv2.reduce(shown, 1, cv2.REDUCE_MAX) > TOO_MUCH * usual + 4 * spread  # print on what lies there
        if np.any(other):
            sums = _sums(np.where(other, 0, shown))
        whole, best = _runs(sums, at, edge, run)
        return np.asarray(at[: len(whole)][whole & (best < GONE * usual)])


def _sums(shown: Array) -> Array:
    """Of the first profiles (n, shifts), from none to all: (n + 1, shifts)."""
    return np.cumsum(np.vstack([np.zeros(shown.shape[1]), shown]), axis=0)


def _runs(
    sums: Array, at: npt.NDArray[np.intp], edge: npt.NDArray[np.intp], run: int
) -> tuple[npt.NDArray[np.bool_], Array]:
    """For each run of so many of the profiles `at` (n,): whether all are neighbours on one border (`edge`, n), and
    their mean at the best shift; `sums`: `_sums` of what is shown.
    """
    if run > len(edge):
        return np.zeros(0, np.bool_), np.zeros(0)
    last = len(edge) - run + 1
    whole = (edge[:last] == edge[run - 1 :]) & (at[run - 1 :] - at[:last] == run - 1)
    return whole, np.asarray(cv2.reduce(sums[run:] - sums[:-run], 1, cv2.REDUCE_MAX)[:, 0]) / run
