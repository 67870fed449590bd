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
from vision.boardset import BoardSet, Mark
from vision.registration import NO_MAP, Array, Image, Pose

ANGLES = 48
RADII = tuple(float(radius) for radius in np.linspace(0.06, 0.44, 9))  # as fractions of the token's size
DRAWN_PX_PER_MM = 6.0
DRAWN_CONTRAST = 3.0  # of a mark against its body, in grey levels
DRAWN_BLUR_MM = 0.7  # about what a webcam's picture has


@dataclass(frozen=True)
class Templates:
    """`matrices`: for each polarity (ANGLES * RADII, columns): unit columns, weighted by area, one for each turn of a
    mark that looks different; those of mark i begin at `first[i]`. `leans` (ANGLES * RADII, polarities): their means
    over marks and turns.

    Polarity is +1 for light marks on dark bodies, -1 for dark ones on light bodies: logarithms of brightness spread the
    one and shrink the other. `weights` (ANGLES * RADII,).
    `offsets_mm` (ANGLES * RADII, 2): the samples' places; `signs`: colour -> `polarity`.
    """

    names: tuple[str, ...]
    matrices: Mapping[int, npt.NDArray[np.float32]]
    leans: npt.NDArray[np.float32]
    first: tuple[int, ...]
    weights: npt.NDArray[np.float32]
    offsets_mm: Array
    signs: Mapping[str, int]

    def correlate(self, patches: Array) -> Array:
        """Patches (n, ANGLES * RADII) -> correlation of each with each mark, the best turn: (n, marks).

        Negative where the patch is darker in the middle than at its rim, so that its mark would be dark.
        """
        patches = np.asarray(patches, np.float32)
        centred = patches - (patches @ self.weights)[:, None]
        centred *= np.sqrt(self.weights)
        # the length is taken out at the end: there are fewer scores than samples
        length = np.maximum(np.sqrt(np.einsum("ns,ns->n", centred, centred)), 1e-6)
        scores = np.zeros((len(patches), len(self.names)))
        likelier = np.argmax(centred @ self.leans, axis=1)
        for place, (sign, matrix) in enumerate(self.matrices.items()):
            mine = np.flatnonzero(likelier == place)
            if len(mine):
                every = (centred if len(mine) == len(centred) else centred[mine]) @ matrix
                scores[mine] = np.maximum.reduceat(every, self.first, axis=1) * (sign / length[mine, None])
        return scores


def _thinned(book: Templates, angles: int, radii: int) -> Templates:
    """The same with every `angles`th angle and every `radii`th radius alone."""
    grid = np.zeros((ANGLES, len(RADII)), np.bool_)
    grid[::angles, ::radii] = True
    kept = grid.ravel()
    weights = book.weights[kept] / book.weights[kept].sum()
    root, matrices = np.sqrt(weights)[:, None], {}
    for sign, matrix in book.matrices.items():
        values = matrix[kept] / np.sqrt(book.weights[kept])[:, None]
        values = (values - weights @ values) * root
        matrices[sign] = np.ascontiguousarray(values / np.maximum(np.linalg.norm(values, axis=0), 1e-9), np.float32)
    leans = np.ascontiguousarray(book.leans[kept])
    return Templates(book.names, matrices, leans, book.first, weights, book.offsets_mm[kept], book.signs)


def _different_turns(mark: Mark) -> int:
    """How many of the ANGLES turns of a mark look different."""
    if mark.ring or mark.dot:
        return 1
    alike = 2 * mark.bars or 3
    return ANGLES // alike if ANGLES % alike == 0 else ANGLES


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
    matrices, leans = {}, []
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
            turned, different = [], _different_turns(board_set.tokens.marks[name])
            for turn in range(ANGLES):
                angle = 2 * np.pi * turn / ANGLES
                spin = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
                places = (offsets @ spin.T * DRAWN_PX_PER_MM + middle).astype(np.float32)
                column = cv2.remap(seen, places[None], NO_MAP, cv2.INTER_LINEAR)[0].astype(np.float64)
                column = (column - column @ weights) * np.sqrt(weights)
                turned.append(column / max(float(np.linalg.norm(column)), 1e-9))
            alike = np.mean(np.reshape(turned, (-1, different, len(offsets))), axis=0)
            columns += list(alike / np.maximum(np.linalg.norm(alike, axis=1, keepdims=True), 1e-9))
            leans.append(np.mean(alike, axis=0))
        matrices[sign] = np.ascontiguousarray(np.array(columns, np.float32).T)
    turns = [_different_turns(mark) for mark in board_set.tokens.marks.values()]
    return Templates(
        tuple(board_set.tokens.marks),
        matrices,
        np.mean(np.reshape(leans, (len(matrices), -1, len(offsets))), axis=1).T.astype(np.float32),
        tuple(int(start) for start in np.cumsum([0, *turns[:-1]])),
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


@lru_cache(maxsize=8)
def _thin_templates(holder: _Holder) -> Templates:
    return _thinned(_templates(holder), 4, 2)


def thin_templates(board_set: BoardSet) -> Templates | None:
    """A seventh of the samples of `templates`: enough to tell what is like no mark at all."""
    return _thin_templates(_Holder(board_set)) if board_set.tokens.marks else None


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
    return bool(pale_polarities(board_set))


def pale_polarities(board_set: BoardSet) -> frozenset[int]:
    """Of which polarity such marks are."""
    return frozenset(
        polarity(board_set, colour)
        for colour, paint in board_set.tokens.colours.items()
        if paint.mark is not None
        and max(_grey(paint.mark), _grey(paint.body)) < 3 * min(_grey(paint.mark), _grey(paint.body))
    )


def sample(
    picture: npt.NDArray[np.floating] | Image, pose: Pose, centres_mm: Array, offsets_mm: Array, z_mm: float
) -> Array:
    """Picture values at `offsets_mm` (k, 2) round each centre (n, 2), at height z: (n, k) or (n, k, channels).

    The picture's warp is taken as even within a patch.
    """
    if len(centres_mm) == 0:
        return np.zeros((0, len(offsets_mm), *picture.shape[2:]))
    middles, slopes = _warps(pose, np.asarray(centres_mm, np.float64).tobytes(), z_mm)
    around = np.ascontiguousarray(offsets_mm.T, np.float32)
    across, down = (slopes[:, axis] @ around + middles[:, axis, None] for axis in (0, 1))
    return np.asarray(cv2.remap(picture, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))


@lru_cache(maxsize=4)
def _warps(pose: Pose, centres_mm: bytes, z_mm: float) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Where centres (n, 2) are seen (n, 2), and the warp there (n, 2 of the picture, 2 of the sheet).

    Kept, for the same tokens are looked at in several ways.
    """
    centres = np.frombuffer(centres_mm).reshape(-1, 2)
    steps = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    seen = pose.project((centres + steps[:, None]).reshape(-1, 2), z_mm).reshape(3, len(centres), 2).astype(np.float32)
    return seen[0], (seen[1:] - seen[0]).transpose(1, 2, 0)
