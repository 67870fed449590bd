"""The picture laid flat: what would be seen from straight above, at one height, with the light taken out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.paper import BLOWN
from vision.registration import NO_MAP, Array, Image, Pose
from vision.tokens import Look

LOGS = np.log(np.arange(256, dtype=np.float32) + 6.0)


@dataclass(frozen=True)
class Flat:
    """The picture laid flat: `norm` (h, w, 3) BGR logarithms without the light, from `left_mm`, `top_mm` on.

    `seen` (h, w): in the picture; `step_mm`, `down_mm`: between points across and down.
    """

    norm: npt.NDArray[np.float32]
    seen: npt.NDArray[np.bool_]
    left_mm: float
    top_mm: float
    step_mm: float
    down_mm: float

    def cells(self, points_mm: Array) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """Rows and columns of points (…, 2), held inside."""
        columns = np.round((points_mm[..., 0] - self.left_mm) / self.step_mm).astype(np.intp)
        rows = np.round((points_mm[..., 1] - self.top_mm) / self.down_mm).astype(np.intp)
        return np.clip(rows, 0, self.norm.shape[0] - 1), np.clip(columns, 0, self.norm.shape[1] - 1)


def lay_flat(
    look: Look, box_mm: tuple[float, float, float, float], z_mm: float, step_mm: float, down_mm: float | None = None
) -> Flat:
    """The part x0, y0, x1, y1 of the plane at `z_mm`, every `step_mm` across and `down_mm` (or as much) down."""
    down_mm = step_mm if down_mm is None else down_mm
    xs = np.arange(box_mm[0], box_mm[2], step_mm)
    ys = np.arange(box_mm[1], box_mm[3], down_mm)
    height, width = look.image.shape[:2]
    whole, parts, seen = _places(look.registration.pose, xs.tobytes(), ys.tobytes(), z_mm, (width, height))
    top = cv2.remap(look.image, whole, parts, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    top = cv2.blur(cv2.blur(top, (3, 3)), (3, 3))
    norm = np.asarray(cv2.LUT(top, LOGS), np.float32)
    if look.light is not None:
        field = look.light.field(xs, ys)
        cv2.subtract(norm, field, norm)
        # white paper is too bright for the picture: what is blown out is as bright as that
        if field.max() > 0:
            blown = cv2.inRange(top, (BLOWN, BLOWN, BLOWN), (255, 255, 255))
            if cv2.countNonZero(blown):
                norm[blown > 0] = np.maximum(norm[blown > 0], LOGS[255])
    return Flat(norm, seen, float(xs[0]), float(ys[0]), step_mm, down_mm)


@lru_cache(maxsize=8)
def _places(
    pose: Pose, xs_mm: bytes, ys_mm: bytes, z_mm: float, size_px: tuple[int, int]
) -> tuple[Image, Image, npt.NDArray[np.bool_]]:
    """Where the points of a grid are in the picture, as remap reads them quickest, and which are in it. Kept."""
    places = pose.project_grid(np.frombuffer(xs_mm), np.frombuffer(ys_mm), z_mm)
    width, height = size_px
    seen = cv2.inRange(places, (1.0, 1.0, 0, 0), (width - 2.0, height - 2.0, 0, 0)) > 0
    whole, parts = cv2.convertMaps(places, NO_MAP, cv2.CV_16SC2)
    return np.asarray(whole), np.asarray(parts), seen
