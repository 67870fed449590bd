"""Profile: what the eyes know of one real table beforehand."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from vision.errors import VisionError
from vision.registration import Lens

FOCAL_LEAST, FOCAL_MOST = 0.2, 5.0
"""Focal length over picture width of any lens that can be meant: from 136 degrees across to 11."""


@dataclass(frozen=True)
class Profile:
    """`focal_per_width`: focal length over picture width; `k1`: first radial coefficient of the lens."""

    focal_per_width: float
    k1: float

    def lens_for(self, size_px: tuple[int, int]) -> Lens:
        """The lens for pictures of this size."""
        return Lens(self.focal_per_width * size_px[0], self.k1)

    def text(self) -> str:
        """As TOML, which `load` reads."""
        return f"[lens]\nfocal_per_width = {self.focal_per_width:.5f}\nk1 = {self.k1:.5f}\n"

    @classmethod
    def load(cls, path: str | Path) -> Profile:
        """Read a profile's `[lens]` table (`focal_per_width`, `k1`). Raises VisionError."""
        try:
            lens = tomllib.loads(Path(path).read_text(encoding="utf-8"))["lens"]
            focal, k1 = float(lens["focal_per_width"]), float(lens["k1"])
        except OSError as error:
            raise VisionError(f"the profile {path} can't be read ({error.strerror}); check the name") from None
        except (UnicodeDecodeError, tomllib.TOMLDecodeError):
            raise VisionError(f"the profile {path} is not TOML; write it with `boardref calibrate`") from None
        except (KeyError, TypeError, ValueError):
            raise VisionError(
                f"the profile {path} lacks lens.focal_per_width or lens.k1; write it with `boardref calibrate`"
            ) from None
        if not FOCAL_LEAST < focal < FOCAL_MOST or not -1 < k1 < 1:
            raise VisionError(f"the profile {path} describes no usable lens (focal_per_width {focal}, k1 {k1})")
        return cls(focal, k1)
