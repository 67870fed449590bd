"""Whether the sheet was bumped, creeps, or shakes with its camera: poses and corners of tags in, verdicts out.

A bump is a shift that lasts. A slow creep is followed, and so is a shaking camera, which always comes back.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vision.pose import Array
from vision.ranks import median_rows
from vision.registration import Registration

MOVED_MM, STILL_MM = 1.0, 0.4
"""A sheet that shifted by more was bumped; one that shifted by less lies where it lay."""
FAR_MM = 6.0
"""Nothing shakes so far: that is a bump at once."""
STAYS_S, LONG_S = 0.3, 0.9
"""How long a shift must last to be a bump; how long a sheet is watched that is somewhere else each time."""
UP_MM = 0.45
"""A tag that moved by more against the others lies on a corner that was lifted, or pressed down."""
_AT_ONE_PLACE_MM = 0.5
_FOLLOW = 0.3
SHAKEN_MM, _SHAKEN_PX = 0.2, 0.12
"""What shifts the whole sheet by so much is no movement on it."""
_ROUNDING_S = 1e-6


def shift_mm(before: Registration, now: Registration) -> float:
    """How far the sheet's corners moved, in mm at the sheet; the median of four."""
    return _apart(before.pose.project(_rim(before)), now.pose.project(_rim(before))) / before.px_per_mm()


def _rim(registration: Registration) -> Array:
    width, height = registration.board_set.sheet_mm
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)


def _apart(one: Array, other: Array) -> float:
    gaps = one - other
    return float(median_rows(np.hypot(gaps[:, 0], gaps[:, 1])[None])[0])


def _whole(corners_px: Array, shift_px: Array, own_px: float) -> bool:
    """Whether a tag's corners (4, 2) moved as those of one thing do, and not as where a hand's edge crosses it."""
    spread = float(np.linalg.norm(corners_px - shift_px, axis=1).max())
    bent = float(np.linalg.norm(corners_px[0] - corners_px[1] + corners_px[2] - corners_px[3]))
    return spread < 0.5 * own_px + 0.25 or (spread < 0.8 * own_px and bent < 0.5 * own_px)


class Footing:
    """The sheet's place, frame by frame."""

    def __init__(self) -> None:
        self._home: Array | None = None  # the sheet's corners (4, 2) in the picture, in mm at its scale
        self._px_per_mm = 1.0
        self._away: list[tuple[float, Array]] = []
        self._corners: Mapping[int, Array] = {}
        self._lifted_s: float | None = None

    @property
    def doubtful(self) -> bool:
        """Whether it is not where it was, and not yet known to have been bumped."""
        return bool(self._away) or self._lifted_s is not None

    def bumped(self, registration: Registration, t_s: float) -> bool:
        """Take in where the sheet is now; True when it has come to stay where it was not before."""
        if self._home is None:
            self._px_per_mm = registration.px_per_mm()
        # one scale for all: that of a later pose, however little it differs, would shift everything
        here = np.asarray(registration.pose.project(_rim(registration)) / self._px_per_mm)
        if self._home is None:
            self._home = here
            return False
        far = _apart(here, self._home)
        if far < MOVED_MM:
            self._away = []
            self._home = self._home + _FOLLOW * (here - self._home)
            return False
        self._away = [(then_s, place) for then_s, place in self._away if t_s - then_s <= LONG_S] + [(t_s, here)]
        lasted_s = t_s - self._away[0][0] + _ROUNDING_S
        late = [place for then_s, place in self._away if t_s - then_s <= STAYS_S + _ROUNDING_S]
        stays = lasted_s >= STAYS_S and all(_apart(place, here) < _AT_ONE_PLACE_MM for place in late)
        home = here
        if lasted_s >= LONG_S and not stays:
            places = np.array([place for _, place in self._away])
            home = places.mean(axis=0)
            scatter = float(np.mean([_apart(place, home) for place in places]))
            stays = _apart(home, self._home) > max(MOVED_MM, 1.5 * scatter)
            if not stays:  # it shakes, and where it was first seen was not the middle
                self._home = self._home + _FOLLOW * (home - self._home)
        if not stays and far < FAR_MM:
            return False
        self._home, self._away = home, []
        return True

    def remember(self, corners_px: Mapping[int, Array]) -> None:
        """Where the tags' corners (4, 2) were seen in this frame after all."""
        self._corners = corners_px

    def shaken(self, corners_px: Mapping[int, Array]) -> bool:
        """Take in the tags' corners (4, 2) seen; whether all of them moved together since the frame before."""
        common = [tag for tag in corners_px if tag in self._corners]
        before, self._corners = self._corners, corners_px
        if len(common) < 2:
            return False
        shifts = median_rows(np.array([corners_px[tag] - before[tag] for tag in common]))
        return bool(median_rows(np.hypot(shifts[:, 0], shifts[:, 1])[None])[0] > _SHAKEN_PX)

    def lifted(self, was_px: Mapping[int, Array], now_px: Mapping[int, Array], px_per_mm: float, t_s: float) -> bool:
        """Whether a tag has been elsewhere than the others say for a while: a corner of the sheet is up."""
        common = [tag for tag in now_px if tag in was_px]
        away = False
        if len(common) >= 3:
            moved = {tag: now_px[tag] - was_px[tag] for tag in common}
            shifts = median_rows(np.array([moved[tag] for tag in common]))
            alone = shifts - median_rows(shifts[None])[0]
            for tag, shift, own in zip(common, shifts, np.hypot(alone[:, 0], alone[:, 1]).tolist(), strict=True):
                away = away or (own > UP_MM * px_per_mm and _whole(moved[tag], shift, own))
        if not away:
            self._lifted_s = None
        elif self._lifted_s is None:
            self._lifted_s = t_s
        return self._lifted_s is not None and t_s - self._lifted_s >= STAYS_S - _ROUNDING_S
