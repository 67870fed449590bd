"""A change of the light hides no change of the table."""

from typing import Any

import cv2
import numpy as np
import pytest

from vision import motion
from vision.boardset import BoardSet
from vision.eye import Eye

LIGHTS = [(0.75, 0.75, 0.75), (1.25, 1.25, 1.25), (1.0, 1.1, 1.0), (1.12, 1.0, 0.88)]


def _lit(image: Any, gains: tuple[float, float, float]) -> Any:
    return np.clip(image * np.array(gains, np.float32), 0, 255).astype(np.uint8)


def _with_fingertip(image: Any) -> Any:
    return cv2.ellipse(image.copy(), (700, 0), (40, 60), 0, 0, 360, (120, 150, 205), -1)


@pytest.mark.parametrize("gains", LIGHTS)
def test_what_went_with_the_old_light_is_noticed(stills: list[Any], gains: Any) -> None:
    for shot in stills[::9]:
        image = shot.picture()
        tip, lit = motion.shrink(_with_fingertip(image)), motion.shrink(_lit(image, gains))
        assert motion.differs_in_any_light(lit, tip), shot.path


@pytest.mark.parametrize("gains", LIGHTS)
def test_the_light_changes_as_the_hand_leaves(transet: BoardSet, stills: list[Any], gains: Any) -> None:
    shot = stills[0]
    image = shot.picture()
    eye = Eye([transet])
    lit = _lit(image, gains)
    for frame, picture in enumerate([image] * 4 + [_with_fingertip(lit)] + [lit] * 6):
        seen = eye.see(picture, frame * 0.1, frame)
    assert not seen.hand
    assert seen.on() == shot.standing
    for frame in range(11, 14):  # the next change of light finds no trace of the finger
        assert not eye.see(image, frame * 0.1, frame).hand


def _beside(image: Any, side: str, depth: float) -> Any:
    """A soft shadow, as of a person who leans over, from one side of the picture."""
    height, width = image.shape[:2]
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    x, y = {"left": (-0.05, 0.3), "right": (1.05, 0.3), "middle": (0.85, 0.3)}[side]
    far = ((columns / width - x) / 0.22) ** 2 + ((rows / height - y) / 0.5) ** 2
    return np.clip(image * (1 - depth * np.exp(-far / 2))[:, :, None], 0, 255).astype(np.uint8)


@pytest.mark.parametrize("side", ["left", "right", "middle"])
@pytest.mark.parametrize("comes", [True, False])
def test_a_soft_shadow_beside_the_sheet_is_no_hand_as_it_comes_or_goes(
    transet: BoardSet, stills: list[Any], side: str, comes: bool
) -> None:
    for shot in stills[::18]:
        image = shot.picture()
        shaded = _beside(image, side, 0.45)
        before, after = (image, shaded) if comes else (shaded, image)
        eye = Eye([transet])
        for frame, picture in enumerate([before] * 5 + [after] * 3):
            seen = eye.see(picture, frame * 0.1, frame)
        assert not seen.hand, shot.path
        assert seen.on() == shot.standing
