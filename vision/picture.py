"""Read one picture from a file, whole or not at all."""

from __future__ import annotations

from pathlib import Path

from vision.decoding import cut_short, decode
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
    image = whole(data, str(path))
    if min(image.shape[:2]) < 64:
        raise VisionError(
            f"the picture {path} is only {image.shape[1]}x{image.shape[0]} pixels; take one of 640x360 or more"
        )
    return image


def whole(data: bytes, name: str) -> Image:
    """A picture file's bytes as BGR (h, w, 3). Raises VisionError: no picture, or one with something missing.

    The decoders fill what is missing with grey and hand it out as good; that must not be judged.
    """
    image, damage = (None, "") if cut_short(data) else decode(data)
    if image is None:
        what = "cut short" if cut_short(data) else "no picture that can be read"
        raise VisionError(f"{name} is {what}; give a whole JPEG or PNG file")
    if damage:
        raise VisionError(f"{name} is damaged ({damage}); give a whole JPEG or PNG file")
    return image
