"""What of the sheet looks like printed paper, and what does not.

The sheet is compared, 2 mm by 2 mm, with its own drawing: where light alone could explain the difference the ground is
seen, elsewhere something lies on it or over it. Light may be any smooth field, with soft edges; things have other
colours, hard edges, or are darker than any shadow.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.artwork import raster
from vision.boardset import BoardSet, SetKey
from vision.palette import linear, looks
from vision.registration import NO_MAP, Array, Image, Registration

CELL_MM = 2.0
BLOWN = 248
"""Level from which a channel may have been cut off: paper is averaged over some pixels."""
Mask = npt.NDArray[np.bool_]
LOGS = np.log(np.arange(256, dtype=np.float32) + 6.0)


@dataclass(frozen=True)
class Drawing:
    """A set's sheet on the grid.

    `logs` (h, w, 3) BGR logarithms, `usable` (h, w): light paper, `labels` (h, w): index of the site or -1; `xs_mm`,
    `ys_mm`. `dark` (h, w): ground printed in dark or strong colours, which gloss and bloom wash out; there `wash`
    (h, w, 3) is by how much (added to `logs`), and `doubt` (h, w, 3) how far that may miss: blue against green, green,
    red against green. `fine` (h, w, 3): what of the print is finer than a few cells, logarithms, and `contrast` (h, w)
    the sum of its squares. `inks` (h, w): a number for each colour of dark ground, -1 elsewhere. `darker` (h, w, 3): by
    how much usable paper is darker than white, a negative logarithm, 0 elsewhere.
    """

    logs: npt.NDArray[np.float32]
    usable: Mask
    labels: npt.NDArray[np.int16]
    xs_mm: Array
    ys_mm: Array
    dark: Mask
    wash: npt.NDArray[np.float32]
    doubt: npt.NDArray[np.float32]
    fine: npt.NDArray[np.float32]
    contrast: npt.NDArray[np.float32]
    inks: npt.NDArray[np.int8]
    darker: npt.NDArray[np.float32]


def finer(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Values (h, w, channels) beyond what is round them."""
    return np.asarray(cv2.subtract(values, cv2.blur(values, (5, 5))), np.float32)


def logs_of(picture: npt.NDArray[np.floating] | Image) -> npt.NDArray[np.float32]:
    """Channel values as logarithms; a little is added, so that noise in the dark stays small."""
    if picture.dtype == np.uint8:
        return np.asarray(cv2.LUT(picture, LOGS), np.float32)
    return np.asarray(np.log(np.asarray(picture, np.float32) + 6.0))


@lru_cache(maxsize=8)
def _drawing(key: SetKey) -> Drawing:
    board_set = key.board_set
    width, height = (int(side // CELL_MM) for side in board_set.sheet_mm)
    fine: Image = raster(board_set, 4 / CELL_MM)[: height * 4, : width * 4]
    fine = cv2.GaussianBlur(fine, (0, 0), 1.6)
    mean = cv2.resize(fine, (width, height), interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(fine, cv2.COLOR_BGR2GRAY).reshape(height, 4, width, 4)
    span = (grey.max(axis=(1, 3)).astype(int) - grey.min(axis=(1, 3))) > 40
    usable = ~(span | (mean.min(axis=2) < 110))
    usable &= cv2.erode(usable.astype(np.uint8), np.ones((3, 3), np.uint8), borderType=cv2.BORDER_REPLICATE) > 0
    usable[:1] = usable[-1:] = False
    usable[:, :1] = usable[:, -1:] = False
    xs, ys = (np.arange(width) + 0.5) * CELL_MM, (np.arange(height) + 0.5) * CELL_MM
    labels = np.full((height, width), -1, np.int16)
    for index, site in enumerate(board_set.sites):
        corners = np.round((np.asarray(site.polygon_mm) / CELL_MM - 0.5) * 256).astype(np.int32)
        layer = np.zeros((height, width), np.uint8)
        cv2.fillPoly(layer, [corners], 1, cv2.LINE_8, 8)
        labels[(layer > 0) & (labels < 0)] = index
    strips = fine.reshape(height, 4, width, 4, 3)
    plain = (strips.max(axis=(1, 3)).astype(int) - strips.min(axis=(1, 3))).max(axis=2) <= 30
    dark = plain & (mean.min(axis=2) < 110)
    dark = cv2.erode(dark.astype(np.uint8), np.ones((3, 3), np.uint8), borderType=cv2.BORDER_CONSTANT) > 0
    logs = logs_of(mean)
    alike = np.unique(np.round(logs[dark] * 5), axis=0, return_inverse=True)[1].reshape(-1)
    numbers = np.full(dark.shape, -1, np.int8)
    numbers[dark] = alike
    inks = linear(mean.reshape(-1, 3).astype(np.float64))
    little, much = (
        looks(inks, np.float64(strength), np.float64(veil)).reshape(logs.shape).astype(np.float32)
        for strength, veil in ((0.95, 0.01), (0.7, 0.25))
    )
    between = (much - little) / 2
    between[:, :, 0::2] -= between[:, :, 1:2]  # blue and red against green
    wash = (little + much) / 2 - logs
    smooth = np.asarray(cv2.GaussianBlur(logs, (3, 3), 0), np.float32)  # as the picture is
    fine_print = np.clip(finer(smooth), -0.5, 0.5)
    return Drawing(
        logs, usable, labels, xs, ys, dark, wash.astype(np.float32), np.abs(between).astype(np.float32),
        fine_print, (fine_print * fine_print).sum(axis=2), numbers, (logs - LOGS[255]) * usable[:, :, None],
    )  # fmt: skip


def drawing(board_set: BoardSet) -> Drawing:
    """The set's sheet on the grid."""
    return _drawing(SetKey(board_set))


def _range(values: Array) -> tuple[float, float]:
    low, high, _, _ = cv2.minMaxLoc(values)
    return low, high


class PaperView:
    """A registration's grid in the picture: made once for a pose, then read frame by frame."""

    def __init__(self, registration: Registration) -> None:
        self.registration = registration
        self.drawing = drawing(registration.board_set)
        places = registration.pose.project_grid(self.drawing.xs_mm, self.drawing.ys_mm)
        # the sheet's part of a half-size copy is read: its pixel (u, v) covers the full one's 2u, 2u + 1 and 2v, 2v + 1
        width, height = registration.size_px
        across, down = cv2.split(places)
        (left, right), (top, bottom) = ((int(low) - 4, int(high) + 6) for low, high in map(_range, (across, down)))
        left, top = max(0, left) // 2 * 2, max(0, top) // 2 * 2
        self._part = (slice(top // 2, min(height, bottom) // 2), slice(left // 2, min(width, right) // 2))
        self._maps = cv2.merge([(across - (left + 0.5)) / 2, (down - (top + 0.5)) / 2])
        self._discs: tuple[tuple[bytes, float], Mask] | None = None
        self._middles: tuple[bytes, list[tuple[int, int]]] = (b"", [])
        self.inside: Mask = cv2.inRange(places, (1.0, 1.0, 0, 0), (width - 2.0, height - 2.0, 0, 0)) > 0

    def within(self, point_mm: tuple[float, float]) -> bool:
        """Whether a point lies on the sheet."""
        width, height = self.registration.board_set.sheet_mm
        return 0 <= point_mm[0] <= width and 0 <= point_mm[1] <= height

    def ratios(self, half: Image) -> npt.NDArray[np.float32]:
        """(h, w, 3): logarithm of picture over drawing; `half`: the picture in half its size (`motion.halve`)."""
        seen = cv2.remap(half[self._part], self._maps, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(cv2.subtract(logs_of(cv2.GaussianBlur(seen, (3, 3), 0)), self.drawing.logs), np.float32)

    def blown(self, ratio: npt.NDArray[np.float32]) -> Mask | None:
        """Channels (h, w, 3) at the end of their range in what `ratios` returned; None where there are none."""
        ends = np.asarray(ratio + self.drawing.logs >= LOGS[BLOWN], np.bool_)
        return ends if ends.any() else None

    def discs(self, centres_mm: Array, reach_mm: float) -> Mask:
        """Cells within `reach_mm` of tokens standing at `centres_mm`, as they hide the ground: base, side and top."""
        key = (np.asarray(centres_mm).tobytes(), reach_mm)
        if self._discs is None or self._discs[0] != key:  # asked for again and again while things are told apart
            layer = np.zeros(self.drawing.usable.shape, np.uint8)
            if self._middles[0] != key[0]:
                self._middles = (key[0], self._ends(centres_mm))
            reach = round(reach_mm / CELL_MM * 16)
            for end in self._middles[1]:
                cv2.circle(layer, end, reach, 1, -1, cv2.LINE_8, 4)
            self._discs = (key, layer.view(np.bool_))
        return self._discs[1]

    def _ends(self, centres_mm: Array) -> list[tuple[int, int]]:
        """Middles of each token's base and top in 1/16 cells, x and y."""
        if len(centres_mm) == 0:
            return []
        pose, height_mm = self.registration.pose, self.registration.board_set.tokens.height_mm
        tops = pose.unproject(pose.project(centres_mm, -height_mm))
        both = np.concatenate([centres_mm, tops])
        return [(x, y) for x, y in np.round((both / CELL_MM - 0.5) * 16).astype(int).tolist()]
