"""Paints the pretend table as a camera over it would see it: perspective, lens, light, shadow, hands, noise.

Everything is painted in the picture's own (gamma) values: there, light multiplies as `gain ** (1 / 2.2)`. What rests is
painted once and kept; a frame of a quiet table costs only its noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, sin

import cv2
import numpy as np
import numpy.typing as npt

from vision.artwork import platform_shapes, raster, token_shapes
from vision.boardset import BoardSet, Point, Rgb
from vision.camera.frame import Image
from vision.camera.hands import CARRY_MM, FALL_MM, Reaching
from vision.camera.optics import Array, Lying, Optics, View
from vision.camera.world import HAND_LEAVES_S, Hand, Lamp, Piece, Snapshot
from vision.pose import NO_MAP
from vision.shapes import Disc, Polygon, Shape, outline

_SHARP = 4  # supersampling of tokens
_MOST_STAMPS = 200
_COIN: Rgb = (176, 132, 84)
_COIN_MM = 2.0
_CARD_MM = 1.0
"""How thick a platform's cardboard is."""


def smooth_noise(rng: np.random.Generator, height: int, width: int, rows: int, columns: int) -> Array:
    """Soft random hills between -1 and 1, (height, width), with `rows` x `columns` of them."""
    coarse = rng.uniform(-1, 1, (rows, columns)).astype(np.float32)
    return np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC), float)


def wood(rng: np.random.Generator, height: int, width: int) -> Image:
    """A table of oak planks, BGR (height, width, 3), one pixel a millimetre."""
    grain = (
        0.5 * smooth_noise(rng, height, width, 6, width // 5)
        + 0.35 * smooth_noise(rng, height, width, 14, width // 2)
        + 0.5 * smooth_noise(rng, height, width, 3, width // 40)
    )
    image = np.array([74, 112, 158], np.float32) * (1 + 0.13 * grain[..., None]).astype(np.float32)
    for seam in range(60, width, 190):
        image[:, seam : seam + 190] *= 1 + rng.uniform(-0.07, 0.07)
        image[:, seam : seam + 2] *= 0.55
    return np.clip(image, 0, 255).astype(np.uint8)


@dataclass(frozen=True)
class _Stamp:
    """A painted thing: the picture there is multiplied by `shade` (h, w), and `over` (h, w, 3) is added."""

    corner_px: tuple[int, int]
    shade: npt.NDArray[np.float32]
    over: npt.NDArray[np.float32]


class Painter:
    """Pictures of one world. Keeps what has not changed since the last picture."""

    def __init__(self, board_set: BoardSet, seed: int = 1) -> None:
        self._set = board_set
        self._rng = np.random.default_rng(seed)
        self._wood = wood(self._rng, 1200, 1700)
        self._stamps: dict[object, _Stamp] = {}
        self._look_through(View())

    def _look_through(self, view: View) -> None:
        """Take up another place or lens."""
        self.optics = Optics(self._set.sheet_mm, view)
        self._stamps.clear()
        width, height = view.size_px
        down, across = np.mgrid[0:height, 0:width].astype(np.float32)
        u, v = across / width - 0.5, down / height - 0.5
        # a lamp to the upper left, and the lens's own falling off to the corners
        linear = 0.66 * (1 - 0.16 * u - 0.12 * v) * (1 - 0.22 * (u * u + v * v))
        self._field = linear ** (1 / 2.2)
        noise = self._rng.normal(0, 2.0, (height + 96, width + 96, 3))
        self._noise = np.clip(np.round(noise, out=noise), -9, 9, out=noise).astype(np.int8)
        rows, columns = self._wood.shape[:2]
        shift = np.array([[1, 0, columns / 2 - self.optics.middle[0]], [0, 1, rows / 2 - self.optics.middle[1]]])
        self._table = np.empty((2 * height, 2 * width, 3), np.uint8)
        for band, table_mm in self.optics.table(2):
            places = cv2.transform(table_mm, shift.astype(np.float32))
            self._table[band] = cv2.remap(
                self._wood, places, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101
            )
        self._ground: tuple[object, Image] | None = None
        self._lit: tuple[object, Image] | None = None

    def paint(self, now: Snapshot) -> Image:
        """The picture of this moment, BGR (height, width, 3)."""
        if now.view != self.optics.view:
            self._look_through(now.view)
        key = (now.version, now.lamp, now.bump, now.covered)
        if self._lit is None or self._lit[0] != key:
            self._lit = (key, self._still(now))
        image = self._lit[1]
        if now.hands:
            image = image.copy()
            for hand in now.hands:
                held = next((piece for piece in now.pieces if piece.id == hand.token and piece.held), None)
                self._hand(image, hand, held, now)
        height, width = image.shape[:2]
        top, left = (int(v) for v in self._rng.integers(0, 96, 2))
        noise = self._noise[top : top + height, left : left + width]
        return np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U), np.uint8)

    def covered(self, now: Snapshot) -> npt.NDArray[np.bool_]:
        """The pixels (h, w) in which hands hide the table: what nobody can see there."""
        if now.view != self.optics.view:
            self._look_through(now.view)
        width, height = now.view.size_px
        mask = np.zeros((height, width), np.bool_)
        for hand in now.hands:
            mask |= self._reaching(hand, now).mask()
        return mask

    def _still(self, now: Snapshot) -> Image:
        """Everything that lies on the table, in its light, without hands and noise."""
        key = (now.bump, now.covered)
        if self._ground is None or self._ground[0] != key:
            self._ground = (key, self._paint_ground(now))
        image = self._ground[1].copy()
        lying = Lying(self._set.sheet_mm, now.bump)
        for rail, x_mm in now.platforms:
            self._solid(image, platform_shapes(self._set, rail, x_mm), lying, (0.0, 0.0), 0.0, 0.0, _CARD_MM)
        resting = sorted((piece for piece in now.pieces if not piece.held), key=lambda piece: piece.y_mm)
        for piece in resting:
            self._token(image, piece, lying, 0.0)
        soft = 0.55 * now.view.size_px[0] / 1280
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), max(0.4, soft)), np.uint8)
        image = np.asarray(cv2.multiply(image, self._light(now.lamp), dtype=cv2.CV_8U), np.uint8)
        # no ink is quite black and no lens without flare
        veil = 13.0 * now.lamp.gain ** (1 / 2.2)
        return np.asarray(cv2.convertScaleAbs(image, None, 1.0, veil), np.uint8)

    def _light(self, lamp: Lamp) -> npt.NDArray[np.float32]:
        red, green, blue = (max(0.0, value * lamp.gain) ** (1 / 2.2) for value in lamp.cast)
        return np.asarray(self._field[..., None] * np.array([blue, green, red], np.float32), np.float32)

    def _paint_ground(self, now: Snapshot) -> Image:
        """Table and sheet, at twice the size and then reduced: the tags' edges are as a lens gives them."""
        width, height = self._set.sheet_mm
        lying = Lying(self._set.sheet_mm, now.bump)
        image = self._table.copy()
        edge = np.linspace(0, 1, 24)[:-1, None]
        corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], float)
        rim = np.vstack([a + (b - a) * edge for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)])
        fall = FALL_MM[None] * (0.6 + lying.height(rim)[:, None]) / CARRY_MM + FALL_MM / 40
        shade = np.zeros((image.shape[0] // 2, image.shape[1] // 2), np.uint8)
        cv2.fillPoly(shade, [np.round(self.optics.project(lying.place(rim) + fall, 0.0)).astype(np.int32)], 90)
        shade = np.asarray(cv2.GaussianBlur(shade, (0, 0), 2.5), np.uint8)
        shade = np.asarray(cv2.resize(shade, (image.shape[1], image.shape[0])), np.uint8)
        image = np.asarray(cv2.multiply(image, cv2.cvtColor(255 - shade, cv2.COLOR_GRAY2BGR), scale=1 / 255), np.uint8)
        scale = float(np.clip(np.ceil(2.2 * self.optics.px_per_mm()), 3, 8))
        sheet = raster(self._set, scale)
        for band, table_mm in self.optics.table(2):
            places = lying.back(table_mm, self.optics.place) * np.float32(scale) - np.float32(0.5)
            cv2.remap(sheet, places, NO_MAP, cv2.INTER_LINEAR, dst=image[band], borderMode=cv2.BORDER_TRANSPARENT)
        picture = np.asarray(cv2.resize(image, self.optics.size_px, interpolation=cv2.INTER_AREA), np.uint8)
        tags = self._set.fiducials
        for tag, centre in zip(tags.ids, tags.centres_mm, strict=True):
            if tag in now.covered:
                shiny: Rgb = (_COIN[0] + 18, _COIN[1] + 18, _COIN[2] + 18)
                coin = (Disc((0.0, 0.0), 16.0, _COIN), Disc((0.0, 0.0), 13.5, shiny))
                self._solid(picture, coin, lying, centre, 0.0, 0.0, _COIN_MM)
        return picture

    def _token(self, image: Image, piece: Piece, lying: Lying, lift_mm: float, light: Array | None = None) -> None:
        """Paint one token in place."""
        shapes, at = token_shapes(self._set, piece.kind), (piece.x_mm, piece.y_mm)
        self._solid(image, shapes, lying, at, piece.turn, lift_mm, self._set.tokens.height_mm, light)

    def _solid(
        self,
        image: Image,
        shapes: Sequence[Shape],
        lying: Lying,
        at_mm: Point,
        turn: float,
        lift_mm: float,
        thick_mm: float,
        light: Array | None = None,
    ) -> None:
        """Paint a flat thing in place: soft shadow where it lies on something, side wall, top.

        The first of its shapes is its outline. What lies still is worked out once.
        """
        resting = light is None
        key = (tuple(shapes), lying.bump, at_mm, turn, lift_mm, thick_mm)
        stamp = self._stamps.get(key) if resting else None
        if stamp is None:
            stamp = self._stamp(shapes, lying, at_mm, turn, lift_mm, thick_mm, light)
            if resting:
                if len(self._stamps) >= _MOST_STAMPS:
                    self._stamps.clear()
                self._stamps[key] = stamp
        if stamp.shade.size:
            x, y = stamp.corner_px
            place = image[y : y + stamp.shade.shape[0], x : x + stamp.shade.shape[1]]
            place[:] = (place * stamp.shade[..., None] + stamp.over).astype(np.uint8)

    def _stamp(
        self,
        shapes: Sequence[Shape],
        lying: Lying,
        at_mm: Point,
        turn: float,
        lift_mm: float,
        thick_mm: float,
        light: Array | None,
    ) -> _Stamp:
        first = shapes[0]
        rgb_of_body = first.fill if isinstance(first, Polygon | Disc) else None
        body = np.array((rgb_of_body or (0, 0, 0))[::-1], float)
        shine = np.ones(3) if light is None else light
        c, s = cos(turn), sin(turn)
        spin = np.array([[c, s], [-s, c]])
        base_mm = lift_mm + float(lying.height(np.array([at_mm]))[0])

        def pixels(points_mm: Array, z_mm: float, fall_mm: float = 0.0) -> Array:
            placed = lying.place(points_mm @ spin + at_mm)
            return self.optics.project(placed + FALL_MM * fall_mm / CARRY_MM, base_mm + z_mm)

        round_mm = _rim_of(first)
        wall = np.vstack([pixels(round_mm, 0.0), pixels(round_mm, thick_mm)])
        pad = 8
        low = np.maximum(np.floor(wall.min(axis=0)).astype(int) - pad, 0)
        high = np.minimum(np.ceil(wall.max(axis=0)).astype(int) + pad, self.optics.size_px)
        if (high - low <= 0).any():
            return _Stamp((0, 0), np.zeros((0, 0), np.float32), np.zeros((0, 0, 3), np.float32))
        width, height = (int(side) for side in high - low)
        fine_size = (height * _SHARP, width * _SHARP)

        def fine(points_px: Array) -> npt.NDArray[np.int32]:
            return np.asarray(np.round(((points_px - low) * _SHARP - 0.5) * 16), np.int32)

        shade = np.ones((height, width), np.float32)
        if lift_mm == 0:
            spots = np.vstack([pixels(round_mm, 0.0), pixels(round_mm, 0.0, thick_mm)]) - low
            cv2.fillPoly(shade, [cv2.convexHull(np.round(spots * 16).astype(np.int32))], 0.60, cv2.LINE_AA, 4)
            shade = np.asarray(cv2.GaussianBlur(shade, (0, 0), 1.0 + thick_mm / 8), np.float32)
        paint = np.empty((*fine_size, 3), np.uint8)
        paint[:] = np.clip(body * 0.80 * shine, 0, 255).astype(np.uint8)
        mask = np.zeros(fine_size, np.uint8)
        cv2.fillPoly(mask, [cv2.convexHull(fine(wall))], 255, cv2.LINE_8, 4)
        for shape in shapes:
            rgb = shape.fill if isinstance(shape, Polygon | Disc) else shape.rgb
            rings = [fine(pixels(points, thick_mm)) for points in outline(shape)]
            bgr = np.clip(np.array((rgb or (0, 0, 0))[::-1]) * shine, 0, 255)
            cv2.fillPoly(paint, rings, bgr.tolist(), cv2.LINE_8, 4)
            if isinstance(shape, Polygon) and shape.stroke is not None:
                line = max(1, round(shape.stroke_mm * self.optics.px_per_mm() * _SHARP))
                cv2.polylines(paint, rings, True, shape.stroke[::-1], line, cv2.LINE_8, 4)
        size = (width, height)
        alpha = np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_AREA), np.float32) / np.float32(255)
        over = np.asarray(cv2.resize(paint, size, interpolation=cv2.INTER_AREA), np.float32) * alpha[..., None]
        left, top = (int(side) for side in low)
        return _Stamp((left, top), np.asarray(shade * (1 - alpha), np.float32), over + np.float32(0.5))

    def _reaching(self, hand: Hand, now: Snapshot) -> Reaching:
        """Where a hand and its arm are now."""
        tip = Lying(self._set.sheet_mm, now.bump).place(np.array([[hand.x_mm, hand.y_mm]]))[0]
        seat = np.array(hand.seat)
        outward = seat + (seat - self.optics.middle[:2]) * 0.8 - tip
        outward /= max(1.0, float(np.linalg.norm(outward)))
        if hand.gone_s is not None:
            tip = tip + outward * 620.0 * min(1.0, (now.now_s - hand.gone_s) / HAND_LEAVES_S)
        return Reaching(self.optics, tip, outward)

    def _hand(self, image: Image, hand: Hand, held: Piece | None, now: Snapshot) -> None:
        """Paint a hand with its arm from the seat, its shadow, and the token it carries."""
        light = np.array([value ** (1 / 2.2) for value in now.lamp.cast[::-1]]) * now.lamp.gain ** (1 / 2.2) * 0.87
        reaching = self._reaching(hand, now)
        reaching.shade(image)
        if held is not None:
            over = Lying(self._set.sheet_mm, now.bump)
            self._token(image, held, over, CARRY_MM - self._set.tokens.height_mm - 4, light)
        reaching.paint(image, light)


def _rim_of(shape: Shape) -> Array:
    """The outer edge (n, 2) of a shape, half of a rectangle's line included."""
    points = outline(shape)[0]
    if isinstance(shape, Polygon) and shape.stroke is not None:
        points = points + np.sign(points - points.mean(axis=0)) * shape.stroke_mm / 2
    return points
