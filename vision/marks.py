"""Naming a token's mark: a polar patch of its top against the turned drawings of every mark.

Patches are ANGLES x RADII samples round the token's middle; a correlation is normalised, so free of gain and veil,
and its sign says whether the mark is lighter or darker than its ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.artwork import token_raster
from vision.boardset import BoardSet
from vision.registration import NO_MAP, Array, Image, Pose

ANGLES = 48
RADII = tuple(float(radius) for radius in np.linspace(0.06, 0.44, 9))  # as fractions of the token's size
DRAWN_PX_PER_MM = 6.0
DRAWN_CONTRAST = 3.0  # of a mark against its body, in grey levels
DRAWN_BLUR_MM = 0.7  # about what a webcam's picture has


@dataclass(frozen=True)
class Templates:
    """`matrices`: for each polarity (ANGLES * RADII, marks * ANGLES): unit columns, weighted by area.

    Polarity is +1 for light marks on dark bodies, -1 for dark ones on light bodies: logarithms of brightness spread the
    one and shrink the other. `weights` (ANGLES * RADII,).
    `offsets_mm` (ANGLES * RADII, 2): the samples' places; `signs`: colour -> `polarity`.
    """

    names: tuple[str, ...]
    matrices: Mapping[int, npt.NDArray[np.float32]]
    weights: npt.NDArray[np.float32]
    offsets_mm: Array
    signs: Mapping[str, int]

    def correlate(self, patches: Array) -> Array:
        """Patches (n, ANGLES * RADII) -> correlation of each with each mark, the best turn: (n, marks).

        Negative where the patch is darker in the middle than at its rim, so that its mark would be dark.
        """
        centred = patches.astype(np.float32) - (patches @ self.weights).astype(np.float32)[:, None]
        centred *= np.sqrt(self.weights)
        centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-6)
        scores = np.zeros((len(patches), len(self.names)))
        lean = np.column_stack([centred @ matrix.mean(axis=1) for matrix in self.matrices.values()])
        likelier = np.argmax(lean, axis=1)
        for place, (sign, matrix) in enumerate(self.matrices.items()):
            mine = np.flatnonzero(likelier == place)
            if len(mine):
                every = (centred[mine] @ matrix).reshape(len(mine), len(self.names), ANGLES)
                scores[mine] = sign * every.max(axis=2)
        return scores


def polar_offsets_mm(board_set: BoardSet) -> Array:
    """(ANGLES * RADII, 2): the samples' places round a token's middle."""
    angles = np.arange(ANGLES) * (2 * np.pi / ANGLES)
    radii = np.asarray(RADII) * board_set.tokens.size_mm
    return np.stack([np.cos(angles)[:, None] * radii, np.sin(angles)[:, None] * radii], axis=2).reshape(-1, 2)


def _weights() -> Array:
    weights = np.tile(np.asarray(RADII), ANGLES)
    return np.asarray(weights / weights.sum())


@lru_cache(maxsize=8)
def _templates(holder: _Holder) -> Templates:
    board_set = holder.board_set
    offsets = polar_offsets_mm(board_set)
    weights = _weights()
    signs = {name: polarity(board_set, name) for name in board_set.tokens.colours}
    chosen = {sign: colour for colour, sign in reversed(signs.items()) if sign}
    matrices = {}
    for sign, colour in chosen.items():
        columns = []
        paint = board_set.tokens.colours[colour]
        body, ink = _grey(paint.body), _grey(paint.mark or paint.body)
        for name in board_set.tokens.marks:
            drawn = token_raster(board_set, f"{colour}-{name}", DRAWN_PX_PER_MM, paint.body)
            coverage: Array = (cv2.cvtColor(drawn, cv2.COLOR_BGR2GRAY).astype(np.float32) - body) / (ink - body)
            coverage = cv2.GaussianBlur(coverage, (0, 0), DRAWN_BLUR_MM * DRAWN_PX_PER_MM)
            # the contrast that a picture of either polarity has; correlation takes no notice of its strength
            seen = np.log(1.0 + (DRAWN_CONTRAST - 1) * (coverage if sign > 0 else 1 - coverage))
            middle = (drawn.shape[1] - 1) / 2
            for turn in range(ANGLES):
                angle = 2 * np.pi * turn / ANGLES
                spin = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
                places = (offsets @ spin.T * DRAWN_PX_PER_MM + middle).astype(np.float32)
                column = cv2.remap(seen, places[None], NO_MAP, cv2.INTER_LINEAR)[0].astype(np.float64)
                column = (column - column @ weights) * np.sqrt(weights)
                columns.append(column / max(float(np.linalg.norm(column)), 1e-9))
        matrices[sign] = np.ascontiguousarray(np.array(columns, np.float32).T)
    return Templates(
        tuple(board_set.tokens.marks),
        matrices,
        weights.astype(np.float32),
        offsets,
        signs,
    )


class _Holder:
    """Lets a BoardSet, which isn't hashable by value, key the cache by identity."""

    def __init__(self, board_set: BoardSet) -> None:
        self.board_set = board_set

    def __hash__(self) -> int:
        return id(self.board_set)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Holder) and other.board_set is self.board_set


def templates(board_set: BoardSet) -> Templates | None:
    """The turned drawings of a set's marks; None for a set without marks."""
    if not board_set.tokens.marks:
        return None
    return _templates(_Holder(board_set))


def _grey(rgb: tuple[int, int, int]) -> float:
    return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]


def polarity(board_set: BoardSet, colour: str) -> int:
    """+1 where the mark is lighter than its body, -1 where it is darker, 0 for no mark."""
    paint = board_set.tokens.colours[colour]
    if paint.mark is None:
        return 0
    return 1 if _grey(paint.mark) > _grey(paint.body) else -1


def colours_needed(board_set: BoardSet) -> bool:
    """Whether kinds differ by colour alone: no marks, or marks equally light against their bodies."""
    signs = [polarity(board_set, colour) for colour in board_set.tokens.colours]
    return not board_set.tokens.marks or len(set(signs)) < len(signs)


def marks_are_pale(board_set: BoardSet) -> bool:
    """Whether, in grey, some mark is less than three times as light or dark as its body."""
    paints = [paint for paint in board_set.tokens.colours.values() if paint.mark is not None]
    return any(
        max(_grey(paint.mark), _grey(paint.body)) < 3 * min(_grey(paint.mark), _grey(paint.body))
        for paint in paints
        if paint.mark is not None
    )


def sample(
    picture: npt.NDArray[np.floating] | Image, pose: Pose, centres_mm: Array, offsets_mm: Array, z_mm: float
) -> Array:
    """Picture values at `offsets_mm` (k, 2) round each centre (n, 2), at height z: (n, k) or (n, k, channels).

    The picture's warp is taken as even within a patch.
    """
    if len(centres_mm) == 0:
        return np.zeros((0, len(offsets_mm), *picture.shape[2:]))
    middles = pose.project(centres_mm, z_mm).astype(np.float32)
    slopes = pose.slopes(centres_mm, z_mm).astype(np.float32)
    places = middles[:, None, :] + np.matmul(offsets_mm.astype(np.float32)[None], slopes.transpose(0, 2, 1))
    return np.asarray(cv2.remap(picture, places, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
