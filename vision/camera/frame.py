"""What cameras hand out: Frame, CameraStatus, and the two protocols."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from vision.camera.controls import Controls, Lock
from vision.camera.saying import OK, Said

Image = npt.NDArray[np.uint8]
State = Literal["starting", "ok", "frozen", "lost"]


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture. `image`: BGR (h, w, 3); `t_s`: seconds since the first frame in camera time; `index`: 0-based.

    `epoch`: what the lights were showing when the picture was taken.
    """

    image: Image
    t_s: float
    index: int
    epoch: int = 0


@dataclass(frozen=True)
class CameraStatus:
    """How a live camera is: a state, a sentence for people, and the time (monotonic seconds) since when it is so.

    `said`: the sentence as code and facts, for other languages (a camera that is lost is also taken up `again`).
    `damaged`: pictures left out so far; `losses`: how often it was lost; `lock`: what of it is held still, once tried.
    """

    state: State
    sentence: str
    since_s: float
    damaged: int = 0
    losses: int = 0
    lock: Lock | None = None
    said: Said = OK


@runtime_checkable
class Recording(Protocol):
    """A recording: every frame once, in order, as fast as the reader goes."""

    name: str

    def __iter__(self) -> Iterator[Frame]: ...
    def close(self) -> None: ...


@runtime_checkable
class Camera(Protocol):
    """A live camera: keeps the newest frame only."""

    name: str

    @property
    def controls(self) -> Controls: ...

    def latest(self, after_index: int = -1, timeout_s: float = 1.0) -> Frame | None:
        """The newest frame whose index is above `after_index`, or None when none came within `timeout_s`."""
        ...

    def status(self) -> CameraStatus: ...
    def close(self) -> None: ...
