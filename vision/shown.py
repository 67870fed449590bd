"""What travels while a picture is read: the picture itself, what it shows of the sheet, and what stays from before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np

from vision import motion
from vision.boardset import Point
from vision.light import Lit
from vision.motion import Mask
from vision.paper import PaperView
from vision.placing import Ground
from vision.registration import Image, Registration
from vision.tokens import Found


@dataclass(frozen=True)
class Shot:
    """A camera's picture (h, w, 3) BGR, its half-size copy, and the small one in which motion is looked for."""

    image: Image
    half: Image
    small: Image
    t_s: float
    frame: int
    epoch: int

    @classmethod
    def of(cls, image: Image, t_s: float, frame: int, epoch: int) -> Shot:
        """A picture with its copies; grey ones and such with more channels are taken, too."""
        if image.ndim == 2:
            image = np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)
        elif image.shape[2] != 3:
            image = np.ascontiguousarray(image[:, :, :3])
        half = motion.halve(image)
        return cls(image, half, motion.shrink_half(half), t_s, frame, epoch)

    @cached_property
    def grey(self) -> Image:
        """(h, w); made when first asked for."""
        return np.asarray(cv2.cvtColor(self.image, cv2.COLOR_BGR2GRAY), np.uint8)

    def relit(self, image: Image) -> Shot:
        """The same with its shadows taken out; motion is still looked for in what the camera showed."""
        return replace(self, image=image, half=motion.halve(image))


@dataclass(frozen=True)
class Shown:
    """What a picture shows of a sheet.

    `lit`: the light, and the picture over the drawing; `ground`: what tokens can stand on; `found`: what looks like
    one; `watch` (h, w): the sheet in the small picture; `changed` (h, w): where that differs from the last settled one;
    `glow` (h, w): grid cells that our own lights may tint.
    """

    paper: PaperView
    image: Image
    small: Image
    watch: Mask
    lit: Lit
    ground: Ground
    found: Sequence[Found]
    changed: Mask | None
    glow: Mask | None


@dataclass(frozen=True)
class Stayed:
    """What stays from the pictures before.

    `found`: the tokens of the last full look, and `looked` its picture, half-size, and where the sheet lay in it;
    `still`: the last settled, hand-free picture, small, and `still_found` its tokens; `adopted` (h, w): grid cells of
    things that have come to stay.
    """

    found: tuple[Found, ...] = ()
    looked: tuple[Image, Registration] | None = None
    still: Image | None = None
    still_found: tuple[Found, ...] = ()
    adopted: Mask | None = None

    @property
    def stood_mm(self) -> list[Point]:
        """Where tokens stood, each place once: mostly both pictures show the same tokens."""
        return list(dict.fromkeys(token.centre_mm for token in (*self.found, *self.still_found)))
