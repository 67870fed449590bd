"""What every live source looks like to the supervisor: pictures, or one sentence why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from vision.camera.controls import Controls
from vision.camera.frame import Image
from vision.camera.saying import Said


class FeedError(Exception):
    """A live source can't be opened, or has ended. `said`: why; as text that sentence, without a full stop."""

    def __init__(self, code: str, **facts: str) -> None:
        self.said = Said(code, facts)
        told = self.said.sentence.removesuffix(".")
        super().__init__(told[:1].lower() + told[1:])


class Again(Exception):
    """The source must be opened again at once, with other settings; nothing is wrong with it."""


@dataclass(frozen=True)
class Patience:
    """How long is waited. `open_s`: for an answer; `picture_s`: for the next whole picture; `back_off_s`: from, to."""

    open_s: float = 3.0
    picture_s: float = 3.0
    back_off_s: tuple[float, float] = (0.2, 2.0)


STEP_S = 0.25
"""No `read` blocks for longer where the source allows it, so that a camera can be closed soon."""


class Feed(Protocol):
    """An open live source. `damaged`: pictures left out so far; `frozen_s`: the same picture for so long is no life."""

    damaged: int
    frozen_s: float

    def read(self) -> Image | None:
        """The newest picture; None when none came for a moment. Raises FeedError when there will be no more."""
        ...

    def close(self) -> None: ...


class Opener(Protocol):
    """A live source that can be opened again and again. `who`: how people call it, without a password (`saying`)."""

    @property
    def who(self) -> Mapping[str, str]: ...
    @property
    def controls(self) -> Controls: ...

    def open(self, patience: Patience) -> Feed:
        """A fresh feed. Raises FeedError."""
        ...
