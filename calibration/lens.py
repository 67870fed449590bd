"""The lens of a camera, from pictures of the printed calibration board held at several angles.

Z. Zhang, "A flexible new technique for camera calibration", PAMI 2000, as in OpenCV; fitted is what the eyes use: one
focal length and one radial coefficient, the picture's middle as principal point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

from calibration.sheets import CHARUCO_DICTIONARY, MARKER_MM, SQUARE_MM, charuco_size
from vision.errors import VisionError
from vision.pose import FOCAL_PER_WIDTH, K1_MEAN, Array, Image
from vision.profile import FOCAL_LEAST, FOCAL_MOST, Profile

LEAST_CORNERS = 12
"""So many corners of the board must be seen in a picture."""
LEAST_VIEWS, ENOUGH_VIEWS = 5, 15
APART, STILL = 0.06, 0.003
"""Share of the picture's width by which two views differ at least, and by which a board that is held still may move."""
SURE_FOCAL, SURE_K1 = 0.01, 0.02
"""Standard deviations, of the focal length as a share of it, above which a lens is not known well enough."""
TILTED_DEG = 15.0
"""Views must differ by so much: flat ones alone tell no focal length, whatever the fit's own deviations say."""
BAD_VIEW_PX, BAD_VIEW = 1.0, 3.0
"""A view whose corners are off by more than so many pixels and so many times the median view is left out."""


@dataclass(frozen=True)
class View:
    """The board in one picture: `corners_mm`, `corners_px` (n, 2), their `ids` (n,), and the picture's size."""

    corners_mm: Array
    corners_px: Array
    ids: Array
    size_px: tuple[int, int]

    def shift_to(self, other: View) -> float:
        """How far a corner seen in both is apart at most, as a share of the picture's width; 1 if none is."""
        _, mine, theirs = np.intersect1d(self.ids, other.ids, return_indices=True)
        if len(mine) == 0:
            return 1.0
        apart = np.linalg.norm(self.corners_px[mine] - other.corners_px[theirs], axis=1)
        return float(apart.max()) / self.size_px[0]


@dataclass(frozen=True)
class LensFit:
    """A lens and how sure it is. `residual_px`: root mean square; `focal_spread` (a share), `k1_spread`: deviations.

    `tilt_deg`: the largest angle between two boards; `views`: how many pictures agree on it.
    """

    profile: Profile
    residual_px: float
    focal_spread: float
    k1_spread: float
    tilt_deg: float
    views: int

    @property
    def sure(self) -> bool:
        """Whether it says more than the eyes find out by themselves."""
        told = self.focal_spread <= SURE_FOCAL and self.k1_spread <= SURE_K1
        return told and self.tilt_deg >= TILTED_DEG


@lru_cache(maxsize=2)
def _board(paper: str) -> cv2.aruco.CharucoBoard:
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, CHARUCO_DICTIONARY))
    return cv2.aruco.CharucoBoard(charuco_size(paper), SQUARE_MM, MARKER_MM, dictionary)


def view_of(grey: Image, paper: str) -> View | None:
    """The calibration board of a paper in a grey picture (h, w); None where too little of it is seen."""
    board = _board(paper)
    corners, ids, _, _ = cv2.aruco.CharucoDetector(board).detectBoard(grey)
    if corners is None or ids is None or len(ids) < LEAST_CORNERS:
        return None
    numbers = np.asarray(ids).ravel()
    places = np.asarray(board.getChessboardCorners(), np.float64)[numbers, :2]
    seen = np.asarray(corners, np.float64).reshape(-1, 2)
    if min(np.ptp(places[:, 0]), np.ptp(places[:, 1])) < 2 * SQUARE_MM:
        return None  # all in one row: they say nothing of an angle
    return View(places, seen, numbers, (grey.shape[1], grey.shape[0]))


def is_new(view: View, taken: Sequence[View]) -> bool:
    """Whether a view differs enough from those taken to say something more."""
    return all(view.shift_to(other) >= APART for other in taken)


def fit_lens(views: Sequence[View]) -> LensFit:
    """The lens that explains the views best. Raises VisionError where they are too few or don't agree."""
    if len({view.size_px for view in views}) > 1:
        raise VisionError("the pictures have different sizes; give pictures of one camera in one size")
    kept = list(views)
    while len(kept) >= LEAST_VIEWS:
        fit, errors = _fit(kept)
        middle = float(np.median(errors))
        worst = int(np.argmax(errors))
        if errors[worst] <= max(BAD_VIEW_PX, BAD_VIEW * middle):
            return fit
        del kept[worst]
    raise VisionError(
        f"the board was seen well in {len(kept)} different pictures, {LEAST_VIEWS} are needed;"
        " take more, the board held flat, at other angles and near the picture's edges"
    )


def _fit(views: Sequence[View]) -> tuple[LensFit, Array]:
    width, height = views[0].size_px
    focal = FOCAL_PER_WIDTH * max(width, height)
    camera = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1.0]])
    held = cv2.CALIB_USE_INTRINSIC_GUESS | cv2.CALIB_FIX_PRINCIPAL_POINT | cv2.CALIB_FIX_ASPECT_RATIO
    held |= cv2.CALIB_ZERO_TANGENT_DIST | cv2.CALIB_FIX_K2 | cv2.CALIB_FIX_K3
    try:
        residual, camera, bend, turns, _, spreads, _, errors = cv2.calibrateCameraExtended(
            [np.column_stack([view.corners_mm, np.zeros(len(view.corners_mm))]).astype(np.float32) for view in views],
            [view.corners_px.astype(np.float32) for view in views],
            (width, height), camera, np.array([K1_MEAN, 0, 0, 0, 0.0]), flags=held,
        )  # fmt: skip
    except cv2.error:
        raise VisionError("no lens explains these pictures; take new ones, the board held flat") from None
    focal, k1 = float(camera[0, 0]), float(np.ravel(bend)[0])
    deviations = np.ravel(np.asarray(spreads))
    # with one focal length for both axes its deviation stands in the second place, and the first is 0
    focal_spread = float(deviations[:2].max()) / focal if FOCAL_LEAST < focal / width < FOCAL_MOST else 1.0
    normals = np.array([np.asarray(cv2.Rodrigues(np.asarray(turn))[0])[:, 2] for turn in turns])
    tilt_deg = float(np.degrees(np.arccos(np.clip((normals @ normals.T).min(), -1, 1))))
    profile = Profile(focal / width, k1)
    fit = LensFit(profile, float(residual), focal_spread, float(deviations[4]), tilt_deg, len(views))
    return fit, np.ravel(np.asarray(errors))
