"""Words on a picture: with Pillow in the font of the kit's PDF library; without it in OpenCV's plain one."""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
import numpy.typing as npt
import reportlab

try:
    from PIL import Image, ImageDraw, ImageFont
except ImportError:  # pragma: no cover - Pillow comes with the PDF library
    Image = None  # type: ignore[assignment]

Rgb = tuple[int, int, int]
Anchor = Literal["left", "right", "middle"]
FALLBACKS = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "Arial Unicode.ttf", "Arial.ttf")
"""Fonts of the machine, for letters that the kit's font lacks."""


def write(
    image: npt.NDArray[np.uint8],
    text: str,
    at_px: tuple[float, float],
    size_px: float,
    rgb: Rgb,
    *,
    bold: bool = False,
    anchor: Anchor = "left",
) -> None:
    """Write one line on a BGR image; `at_px`: where its baseline begins, ends, or has its middle."""
    if not text.strip():
        return
    mask, above = _mask(text, round(size_px), bold)
    width = mask.shape[1]
    left = round(at_px[0] - {"left": 0, "right": width, "middle": width / 2}[anchor])
    _blend(image, mask, left, round(at_px[1]) - above, rgb)


def width_px(text: str, size_px: float, *, bold: bool = False) -> int:
    """How wide a line becomes."""
    return _mask(text, round(size_px), bold)[0].shape[1] if text.strip() else 0


def fitting(text: str, size_px: float, room_px: float, *, bold: bool = False) -> tuple[str, float]:
    """The text and its size, smaller where it is too long for the room; in the end it is cut."""
    least = max(11.0, size_px * 0.45)
    while width_px(text, size_px, bold=bold) > room_px and size_px > least:
        size_px = max(least, size_px * 0.9)
    while len(text) > 2 and width_px(text, size_px, bold=bold) > room_px:
        text = text[:-2].rstrip() + "…"
    return text, size_px


def _blend(image: npt.NDArray[np.uint8], mask: npt.NDArray[np.uint8], left: int, top: int, rgb: Rgb) -> None:
    height, width = image.shape[:2]
    x0, y0 = max(0, left), max(0, top)
    x1, y1 = min(width, left + mask.shape[1]), min(height, top + mask.shape[0])
    if x0 >= x1 or y0 >= y1:
        return
    share = mask[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.float32) / 255
    part = image[y0:y1, x0:x1]
    part[:] = np.round(part + share * (np.array(rgb[::-1], np.float32) - part)).astype(np.uint8)


@cache
def _font(name: str, size_px: int) -> Any:
    return ImageFont.truetype(name, size_px)


@cache
def _fallback(size_px: int) -> Any:
    for name in FALLBACKS:
        try:
            return _font(name, size_px)
        except OSError:
            continue
    return None


@cache
def _mask(text: str, size_px: int, bold: bool) -> tuple[npt.NDArray[np.uint8], int]:
    """Coverage (h, w) of a line, 0 to 255, and how far its baseline lies below the top."""
    if Image is None:
        return _plain_mask(text, size_px, bold)
    fonts = Path(reportlab.__file__).with_name("fonts")
    font = _font(str(fonts / ("VeraBd.ttf" if bold else "Vera.ttf")), size_px)
    runs: list[tuple[Any, str]] = []
    for letter in text:
        chosen = font if _has(font, letter) else _fallback(size_px) or font
        if runs and runs[-1][0] is chosen:
            runs[-1] = (chosen, runs[-1][1] + letter)
        else:
            runs.append((chosen, letter))
    lengths = [chosen.getlength(part) for chosen, part in runs]
    above = round(size_px * 1.1)
    picture = Image.new("L", (max(1, round(sum(lengths)) + 2), above + round(size_px * 0.4)), 0)
    pen, x = ImageDraw.Draw(picture), 0.0
    for (chosen, part), length in zip(runs, lengths, strict=True):
        pen.text((x, above), part, fill=255, font=chosen, anchor="ls")
        x += length
    return np.array(picture), above


@cache
def _has(font: Any, letter: str) -> bool:
    """Whether a font has a letter: the box it draws for what it lacks is the one for a letter that nobody has."""
    if letter.isascii():
        return True
    drawn, lacking = (bytes(font.getmask(one)) for one in (letter, "\U0010fffd"))
    return drawn != lacking


def _plain_mask(text: str, size_px: int, bold: bool) -> tuple[npt.NDArray[np.uint8], int]:
    """The same with OpenCV's own letters, which are those of ASCII only."""
    flat = unicodedata.normalize("NFKD", text.replace("–", "-").replace("·", "-").replace("…", "..."))
    flat = "".join(letter for letter in flat if not unicodedata.combining(letter))
    flat = "".join(letter if letter.isascii() else "?" for letter in flat)
    scale, thick = size_px / 30.0, max(1, round(size_px / (10 if bold else 16)))
    (width, _), _ = cv2.getTextSize(flat, cv2.FONT_HERSHEY_SIMPLEX, scale, thick)
    above = round(size_px * 1.1)
    mask = np.zeros((above + round(size_px * 0.4), width + 2), np.uint8)
    cv2.putText(mask, flat, (0, above), cv2.FONT_HERSHEY_SIMPLEX, scale, 255, thick, cv2.LINE_AA)
    return mask, above
