"""Read one picture from a file."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np

from vision.errors import VisionError
from vision.registration import Image

LARGEST_BYTES = 200_000_000


def read_picture(path: str | Path) -> Image:
    """A picture as BGR (h, w, 3). Raises VisionError with what to do: missing, a folder, no picture, too small."""
    file = Path(path)
    try:
        if file.is_dir():
            raise VisionError(f"{path} is a folder; name the pictures in it")
        if file.stat().st_size > LARGEST_BYTES:
            raise VisionError(f"{path} is too large for a picture; give a JPEG or PNG file")
        data = file.read_bytes()
    except FileNotFoundError:
        raise VisionError(f"there is no picture {path}; check the name") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise VisionError(f"the picture {path} can't be read ({reason}); check the name and permissions") from None
    if not data:
        raise VisionError(f"the picture {path} is empty; take it again")
    image = None
    silent = os.dup(2)  # OpenCV's decoders write to stderr by themselves
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
        try:
            image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        except cv2.error:
            image = None
        finally:
            os.dup2(silent, 2)
            os.close(silent)
    if image is None:
        raise VisionError(f"{path} is no picture that can be read; give a JPEG or PNG file")
    if min(image.shape[:2]) < 64:
        raise VisionError(
            f"the picture {path} is only {image.shape[1]}x{image.shape[0]} pixels; take one of 640x360 or more"
        )
    return np.asarray(image, np.uint8)
