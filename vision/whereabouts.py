"""Where the board lies, picture after picture: found, followed, and found anew where it was bumped or taken away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision import motion
from vision.boardset import BoardSet
from vision.footing import FAR_MM, MOVED_MM, SHAKEN_MM, STILL_MM, Footing, shift_mm
from vision.motion import Mask
from vision.paper import PaperView
from vision.registration import (
    SEEN_CORRELATION,
    Array,
    Image,
    Lens,
    Registration,
    cell_points_mm,
    correlate_cells,
    drift_px,
    follow,
    nearby_corners,
    register,
    seen_corners,
    tag_correlations,
)

THOROUGH_EVERY = 5
"""While no board is found only every fifth picture is searched with all means."""


@dataclass(frozen=True)
class Board:
    """A registered board and what belongs to its pose."""

    registration: Registration
    paper: PaperView
    cells_px: np.ndarray[tuple[int, ...], np.dtype[np.float32]]
    known: Mask  # by the set's tags: those that gave the pose
    watch: Mask  # small picture: the sheet and a little more
    corners: Mapping[int, Array]  # the tags' corners as they were seen then

    @classmethod
    def of(cls, registration: Registration, corners: Mapping[int, Array]) -> Board:
        """All that is made once for a pose."""
        board_set = registration.board_set
        cells = np.concatenate([cell_points_mm(board_set, tag) for tag in board_set.fiducials.ids])
        width, height = board_set.sheet_mm
        rim = np.array(
            [
                [x * width, y * height]
                for x, y in ((0, 0), (0.5, 0), (1, 0), (1, 0.5), (1, 1), (0.5, 1), (0, 1), (0, 0.5))
            ]
        )
        outline = registration.pose.project(rim) / motion.SHRINK
        layer = np.zeros((registration.size_px[1] // motion.SHRINK, registration.size_px[0] // motion.SHRINK), np.uint8)
        cv2.fillPoly(layer, [np.round(outline).astype(np.int32)], 1)
        known = np.isin(board_set.fiducials.ids, registration.tags)
        places = registration.pose.project(cells).astype(np.float32)
        return cls(registration, PaperView(registration), places, known, layer > 0, corners)

    def agree(self, picture: Image) -> Array:
        """How well each tag's cells (h, w, 3) or (h, w) agree with its bits: (tags,), -1 to 1."""
        return correlate_cells(picture, self.cells_px, self.registration.board_set)


class Whereabouts:
    """The board in one camera's pictures. `shaken`: camera or sheet stirred as a whole since the picture before."""

    def __init__(self, sets: Sequence[BoardSet], lens_of: Callable[[tuple[int, int]], Lens | None]) -> None:
        self._sets = tuple(sets)
        self._lens_of = lens_of
        self._footing = Footing()
        self._blind = 0
        self.board: Board | None = None
        self.shaken = False

    @property
    def doubtful(self) -> bool:
        """Whether the board is not where it was, and not yet known to have been bumped."""
        return self._footing.doubtful

    def search(self, grey: Image) -> Board | None:
        """Find a board where none is known."""
        thorough = self._blind % THOROUGH_EVERY == 0
        registration = register(grey, self._sets, self._lens_of((grey.shape[1], grey.shape[0])), thorough=thorough)
        self._blind = 0 if registration is not None else self._blind + 1
        return self._settle_on(registration, grey) if registration is not None else None

    def keep(self, board: Board, grey: Image, agree: Array, t_s: float) -> tuple[Board | None, bool]:
        """The board where it was, or at a pose near that; with True, where it was put anew, or None where it has gone.

        With True nothing that was known of the table holds any more.
        """
        last = board.registration
        lens = self._lens_of(last.size_px)
        corners = seen_corners(grey, last, agree, board.corners)
        self.shaken = self._footing.shaken(corners)
        if self._corner_is_up(board, grey, corners, t_s):
            found = register(grey, self._sets, lens)
            if found is not None:
                return self._bumped(found, grey), True
        drift = drift_px(last, corners)
        more = np.any(agree[~board.known] >= SEEN_CORRELATION)
        if drift is not None and drift < STILL_MM * last.px_per_mm() and not more:
            return self._stands(board, last, grey, t_s)
        if len(corners) >= 2:
            now = follow(grey, last, lens, corners)
            if now is not None and len(now.tags) >= 2:
                shift = shift_mm(last, now)
                better = len(now.tags) >= min(3, len(last.tags))
                if shift < MOVED_MM or (shift < FAR_MM and len(now.tags) >= 3):
                    return self._stands(board, now if better else last, grey, t_s)
                if len(now.tags) < 3 and shift < 4 * MOVED_MM:
                    return board, False  # two tags alone say little about a small shift
        found = register(grey, self._sets, lens, thorough=len(corners) != 1)
        if found is None:
            if corners:
                return board, False
            self.board, self._footing = None, Footing()
            return None, True
        if found.board_set is last.board_set:
            shift = shift_mm(last, found)
            if shift < FAR_MM and (len(found.tags) >= 3 or shift >= MOVED_MM):
                self.shaken = self.shaken or shift > SHAKEN_MM
                return self._stands(board, found, grey, t_s)
            if shift < (2 if len(corners) == 1 else 1) * MOVED_MM:
                return board, False
        return self._bumped(found, grey), True

    def _stands(self, board: Board, now: Registration, grey: Image, t_s: float) -> tuple[Board, bool]:
        """The board at a pose near its last one; and whether it turns out that it was bumped."""
        footing = self._footing
        if footing.bumped(now, t_s):
            board = self._bumped(now, grey)
            self._footing = footing
            return board, True
        return (board if now is board.registration else self._settle_on(now, grey)), False

    def _corner_is_up(self, board: Board, grey: Image, corners: Mapping[int, Array], t_s: float) -> bool:
        """Whether one of the tags has been elsewhere than the others say."""
        places, ids = dict(corners), board.registration.board_set.fiducials.ids
        if 2 <= len(corners) < np.count_nonzero(board.known):
            for tag, known in zip(ids, board.known, strict=True):
                if known and tag not in corners:
                    away = nearby_corners(grey, board.registration, tag)
                    if away is not None:
                        places[tag] = away
        return self._footing.lifted(board.corners, places, board.registration.px_per_mm(), t_s)

    def _bumped(self, now: Registration, grey: Image) -> Board:
        """Begin anew where the board is now."""
        self._footing = Footing()
        return self._settle_on(now, grey)

    def _settle_on(self, registration: Registration, grey: Image) -> Board:
        corners = seen_corners(grey, registration, tag_correlations(grey, registration))
        self._footing.remember(corners)
        self.board = Board.of(registration, corners)
        return self.board
