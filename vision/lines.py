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
        self._maps = cv2.convertMaps(places, NO_MAP, cv2.CV_16SC2)  # as remap reads them quickest
        size = np.array(registration.size_px) - 2
        self._inside = np.all((places > 1) & (places < size), axis=(1, 2))
        # of each point of a profile the place of its channel among all values
        self._chosen = np.arange(places.shape[0] * places.shape[1]).reshape(places.shape[:2]) * 3
        self._chosen += self._known.channel[:, None]
        cells = (at_mm[:, at_mm.shape[1] // 2] / CELL_MM).astype(np.intp)
        self._cells = cells[:, 1], cells[:, 0]
        self._drawn = self._known.drawn.astype(np.float32)

    def shown(self, image: Image) -> tuple[Array, npt.NDArray[np.bool_]]:
        """How strongly the picture shows each line, as a share of the drawing's, and where it is too bright for that.

        The first (n, shifts): at and near its place; the second (n,).
        """
        seen = cv2.remap(image, *self._maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        seen = np.asarray(seen).ravel().take(self._chosen)
        windows = np.lib.stride_tricks.sliding_window_view(logs_of(seen), 2 * HALF + 1, axis=1)
        # drawn profiles are level themselves: what is even or slopes in the picture falls out
        alike = np.einsum("nsk,nk->ns", windows, self._drawn)
        return alike / self._known.strength[:, None], np.count_nonzero(seen >= BLOWN, axis=1) > seen.shape[1] // 2

    def unseen(self, image: Image, covered: Mask) -> frozenset[str]:
        """Sites beside lines that don't show; `covered` (h, w): cells of the sheet's grid where something stands."""
        shown, blown = self.shown(image)
        free = self._inside & ~covered[self._cells] & ~blown
        strong = self._known.strong
        sums = _sums(shown)
        gone = self._gone(shown, sums, free & ~strong) | self._gone(shown, sums, free & strong)
        return frozenset(site for edge in self._known.edge[gone] for site in self._known.sites[edge])

    def _gone(self, shown: Array, sums: Array, free: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Of which profiles (n,) a run begins that isn't there; `sums`: `_sums` of `shown`."""
        edge = self._known.edge
        gone = np.zeros(len(edge), np.bool_)
        whole, best = _runs(sums, free, edge, LEAST_RUN)
        if np.count_nonzero(whole) < 8:
            return gone
        # most of the lines may be covered: the upper ones say how lines look, neighbours how much that varies
        best_shown = float(percentile_rows(best[whole][None], 70)[0][0])
        pairs = free[1:] & free[:-1] & (edge[1:] == edge[:-1])
        steps = np.abs(np.diff(np.minimum(shown[:, SHIFTS], TOO_MUCH * best_shown)))[pairs]
        spread = 1.05 * float(median_rows(steps[None])[0])
        usual = best_shown - LUCK * spread / np.sqrt(LEAST_RUN)
        if usual < LEAST_SHOWN:
            return gone
        run = max(LEAST_RUN, int(np.ceil((SURE_BY * spread / ((1 - GONE) * usual)) ** 2)))
        other = cv2.reduce(shown, 1, cv2.REDUCE_MAX) > TOO_MUCH * usual + 4 * spread  # print on what lies there
        if np.any(other):
            sums = _sums(np.where(other, 0, shown))
        whole, best = _runs(sums, free, edge, run)
        gone[: len(whole)] = whole & (best < GONE * usual)
        return gone


def _sums(shown: Array) -> Array:
    """Of the first profiles (n, shifts), from none to all: (n + 1, shifts)."""
    return np.cumsum(np.vstack([np.zeros(shown.shape[1]), shown]), axis=0)


def _runs(
    sums: Array, free: npt.NDArray[np.bool_], edge: npt.NDArray[np.intp], run: int
) -> tuple[npt.NDArray[np.bool_], Array]:
    """For each run of so many profiles: whether all lie free on one border, and their mean at the best shift.

    `sums`: `_sums` of what is shown.
    """
    if run > len(edge):
        return np.zeros(0, np.bool_), np.zeros(0)
    count = np.cumsum(np.concatenate([[0], free]))
    whole = (edge[: len(edge) - run + 1] == edge[run - 1 :]) & (count[run:] - count[:-run] == run)
    return whole, np.asarray(cv2.reduce(sums[run:] - sums[:-run], 1, cv2.REDUCE_MAX)[:, 0]) / run
