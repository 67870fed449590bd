"""The operator's look through the camera: the board alone, laid flat, while nothing is played, and for ten minutes.

Nothing of it is kept: the newest picture is in memory until the next one or the end, and while a hand or anything else
large is over the sheet there is none. It costs nothing while nobody looks.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from controller.referee.view import View
from vision.pose import Pose
from vision.registration import Registration
from vision.sighting import Sighting, Token

LIMIT_S = 600.0
UNWATCHED_S = 20.0
"""It also ends when no page has asked for it for so long."""
EVERY_S = 0.5
LONGEST_PX = 900
QUALITY = 80

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Shot:
    """One look: `image` None where the board is not seen, or something is over it (`covered`)."""

    number: int
    image: Image | None
    covered: bool
    belief: Mapping[str, Any]


class Preview:
    """At most one for a table, for all pages of the operator. `clock`: seconds. Safe to use from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._until_s: float | None = None
        self._asked_s = 0.0
        self._due_s = 0.0
        self._shot: Shot | None = None
        self._number = 0

    def start(self) -> None:
        """Show the picture from now on, for ten minutes."""
        with self._lock:
            now_s = self._clock()
            self._until_s, self._asked_s, self._due_s = now_s + LIMIT_S, now_s, now_s

    def stop(self) -> None:
        """Show it no longer, and forget it."""
        with self._lock:
            self._end()

    @property
    def left_s(self) -> float:
        """Seconds until it ends by itself; 0 while it does not run."""
        with self._lock:
            return self._left()

    def wants(self, view: View) -> bool:
        """Whether a picture is due now. Where a game is being judged, it ends."""
        if self._until_s is None:  # what a running game pays for it
            return False
        with self._lock:
            if self._left() and not allowed(view):
                self._end()
            return self._left() > 0 and self._clock() >= self._due_s

    def take(self, image: Image, registration: Registration | None, sighting: Sighting, view: View) -> None:
        """A frame, and what the eyes make of it, in the game's names."""
        covered = sighting.hand or sighting.trouble == "hand"
        flat = None if registration is None or covered else flat_sheet(image, registration)
        belief = belief_of(sighting, view)
        with self._lock:
            if not self._left():
                return
            self._due_s = self._clock() + EVERY_S
            self._number += 1
            self._shot = Shot(self._number, flat, covered, belief)

    def shot(self) -> Shot | None:
        """The newest look, for a page that shows it; None while there is none."""
        with self._lock:
            if not self._left():
                return None
            self._asked_s = self._clock()
            return self._shot

    def _left(self) -> float:
        if self._until_s is None:
            return 0.0
        now_s = self._clock()
        if now_s >= self._until_s or now_s - self._asked_s > UNWATCHED_S:
            self._end()
            return 0.0
        return self._until_s - now_s

    def _end(self) -> None:
        self._until_s, self._shot = None, None


def allowed(view: View) -> bool:
    """Whether the picture may be looked at: while nothing that is played is judged."""
    return view.phase != "play" or view.paused or view.rearranging


def flat_sheet(image: Image, registration: Registration) -> Image:
    """The sheet and nothing beyond it, from straight above, BGR; black where the camera sees none of it."""
    xs, ys = _maps(registration.pose, registration.board_set.sheet_mm)
    return np.asarray(cv2.remap(image, xs, ys, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT), np.uint8)


@lru_cache(maxsize=2)
def _maps(pose: Pose, sheet_mm: tuple[float, float]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Where each point of the flat picture is in the camera's, as (x, y)."""
    width_mm, height_mm = sheet_mm
    step_mm = max(width_mm, height_mm) / LONGEST_PX
    places = pose.project_grid(np.arange(step_mm / 2, width_mm, step_mm), np.arange(step_mm / 2, height_mm, step_mm))
    return np.ascontiguousarray(places[..., 0], np.float32), np.ascontiguousarray(places[..., 1], np.float32)


def jpeg(image: Image) -> bytes:
    """A picture as a browser shows it."""
    made, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    assert made
    return bytes(data)


def belief_of(sighting: Sighting, view: View) -> dict[str, Any]:
    """What is seen on each site, how surely, and what the referee believes to stand there; and what lies beside."""
    seen: dict[str, list[Token]] = {}
    for token in sighting.tokens:
        if token.site is not None:
            seen.setdefault(token.site, []).append(token)
    sites = sorted({*seen, *sighting.hidden, *view.placement})
    return {
        "sites": [
            {
                "site": site,
                "seen": [{"kind": token.kind, "share": share(token)} for token in seen.get(site, ())],
                "hidden": site in sighting.hidden,
                "uncertain": site in sighting.uncertain,
                "believed": list(view.placement.get(site, ())),
            }
            for site in sites
        ],
        "beside": sorted(token.kind for token in sighting.tokens if token.site is None),
        "trouble": sighting.trouble,
    }


def share(token: Token) -> float:
    """How sure the eyes are of a token's kind: its likelihood among those of all kinds, 0 to 1."""
    others = [math.exp(nats) for kind, nats in token.likelihoods.items() if kind != token.kind]
    return round(1 / (1 + sum(others)), 3)

