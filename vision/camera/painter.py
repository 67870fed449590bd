"""Paints the pretend table as a camera over it would see it: perspective, light, shadow, hands, noise.

Everything is painted in the picture's own (gamma) values: there, light multiplies as `gain ** (1 / 2.2)`. What rests is
painted once and kept; a frame of a quiet table costs only its noise.
"""

from __future__ import annotations

from math import cos, radians, sin

import cv2
import numpy as np
import numpy.typing as npt

from vision.artwork import draw, platform_shapes, raster, token_shapes
from vision.boardset import BoardSet, Point, Rgb
from vision.camera.frame import Image
from vision.camera.world import HAND_LEAVES_S, Bump, Hand, Lamp, Piece, Snapshot
from vision.shapes import Disc, Polygon, outline

Array = npt.NDArray[np.float64]

WIDTH, HEIGHT = 1280, 720
CAMERA_MM = (55.0, 120.0, 720.0)
"""The camera beside the sheet's middle: to the right, towards the reader, and above."""
MARGIN_MM = 14.0
"""Table left free round the sheet where the sheet is largest in the picture."""
CARRY_MM = 42.0
"""How high a hand carries."""
_SHARP = 4  # supersampling of tokens
_SKIN: Rgb = (205, 158, 132)
_SLEEVE: Rgb = (58, 74, 104)
_COIN: Rgb = (176, 132, 84)
_FALL_MM = np.array([14.0, 18.0])  # how far a carrying hand's shadow falls


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


class Optics:
    """A tilted pinhole camera over one sheet: from sheet millimetres and heights to pixels."""

    def __init__(self, sheet_mm: tuple[float, float]) -> None:
        self.middle = np.array([sheet_mm[0] / 2, sheet_mm[1] / 2, 0.0])
        # axes: x to the right, y down the sheet, z into the table, so that camera and sheet are seen the same way round
        self.place = self.middle + np.array([CAMERA_MM[0], CAMERA_MM[1], -CAMERA_MM[2]])
        forward = (self.middle - self.place) / np.linalg.norm(self.middle - self.place)
        roll = radians(1.2)
        right = np.cross(np.array([-sin(roll), cos(roll), 0.0]), forward)
        right /= np.linalg.norm(right)
        self._axes = np.stack([right, np.cross(forward, right), forward])
        self._focal_px = 1.0
        reach = np.array(
            [(x, y) for x in (-MARGIN_MM, sheet_mm[0] + MARGIN_MM) for y in (-MARGIN_MM, sheet_mm[1] + MARGIN_MM)]
        )
        seen = np.abs(self.project(reach, 0.0) - (WIDTH / 2, HEIGHT / 2)).max(axis=0)
        self._focal_px = min(WIDTH / 2 / seen[0], HEIGHT / 2 / seen[1])

    def project(self, points_mm: Array, z_mm: float) -> Array:
        """Pixels (n, 2) of points (n, 2) at the height `z_mm` above the table; whole numbers are pixel corners."""
        solid = np.column_stack([points_mm, np.full(len(points_mm), -z_mm)])
        seen = (solid - self.place) @ self._axes.T
        return np.asarray(seen[:, :2] / seen[:, 2:] * self._focal_px + (WIDTH / 2, HEIGHT / 2))

    def plane(self, corners_mm: Array, corners_px: Array) -> Array:
        """Homography from an image's pixels `corners_px` (4, 2) that lie at `corners_mm` (4, 2) into the picture."""
        return np.asarray(
            cv2.getPerspectiveTransform(corners_px.astype(np.float32), self.project(corners_mm, 0.0).astype(np.float32))
        )


class Painter:
    """Pictures of one world. Keeps what has not changed since the last picture."""

    def __init__(self, board_set: BoardSet, seed: int = 1) -> None:
        self._set = board_set
        self.optics = Optics(board_set.sheet_mm)
        self._rng = np.random.default_rng(seed)
        self._table = wood(self._rng, 1200, 1700)
        down, across = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
        u, v = across / WIDTH - 0.5, down / HEIGHT - 0.5
        # a lamp to the upper left, and the lens's own falling off to the corners
        linear = 0.66 * (1 - 0.16 * u - 0.12 * v) * (1 - 0.22 * (u * u + v * v))
        self._field = linear ** (1 / 2.2)
        self._noise = np.clip(np.round(self._rng.normal(0, 2.0, (HEIGHT + 96, WIDTH + 96, 3))), -9, 9).astype(np.int8)
        self._ground: tuple[object, Image] | None = None
        self._lit: tuple[object, Image] | None = None

    def paint(self, now: Snapshot) -> Image:
        """The picture of this moment, BGR (720, 1280, 3)."""
        key = (now.version, now.lamp, now.bump, now.covered)
        if self._lit is None or self._lit[0] != key:
            self._lit = (key, self._still(now))
        image = self._lit[1]
        if now.hands:
            image = image.copy()
            for hand in now.hands:
                held = next((piece for piece in now.pieces if piece.id == hand.token and piece.held), None)
                self._hand(image, hand, held, now)
        top, left = (int(v) for v in self._rng.integers(0, 96, 2))
        noise = self._noise[top : top + HEIGHT, left : left + WIDTH]
        return np.asarray(cv2.add(image, noise, dtype=cv2.CV_8U), np.uint8)

    def _still(self, now: Snapshot) -> Image:
        """Everything that lies on the table, in its light, without hands and noise."""
        key = (now.bump, now.covered, now.platforms)
        if self._ground is None or self._ground[0] != key:
            self._ground = (key, self._paint_ground(now))
        image = self._ground[1].copy()
        resting = sorted((piece for piece in now.pieces if not piece.held), key=lambda piece: piece.y_mm)
        for piece in resting:
            self._token(image, piece, now.bump, 0.0)
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), 0.55), np.uint8)
        image = np.asarray(cv2.multiply(image, self._light(now.lamp), dtype=cv2.CV_8U), np.uint8)
        # no ink is quite black and no lens without flare
        veil = 13.0 * now.lamp.gain ** (1 / 2.2)
        return np.asarray(cv2.convertScaleAbs(image, None, 1.0, veil), np.uint8)

    def _light(self, lamp: Lamp) -> npt.NDArray[np.float32]:
        red, green, blue = (max(0.0, value * lamp.gain) ** (1 / 2.2) for value in lamp.cast)
        return np.asarray(self._field[..., None] * np.array([blue, green, red], np.float32), np.float32)

    def _placed(self, points_mm: Array, bump: Bump) -> Array:
        """Sheet millimetres to where they lie on the table after a bump."""
        if bump == Bump():
            return points_mm
        c, s = cos(radians(bump.turn_deg)), sin(radians(bump.turn_deg))
        middle = self.optics.middle[:2]
        return np.asarray((points_mm - middle) @ np.array([[c, s], [-s, c]]) + middle + (bump.dx_mm, bump.dy_mm))

    def _paint_ground(self, now: Snapshot) -> Image:
        """Table, sheet and platforms, at twice the size and then reduced: the tags' edges are as a lens gives them."""
        bump, covered = now.bump, now.covered
        width, height = self._set.sheet_mm
        double = np.diag([2.0, 2.0, 1.0])
        size = (2 * WIDTH, 2 * HEIGHT)
        rows, columns = self._table.shape[:2]
        left, top = self.optics.middle[0] - columns / 2, self.optics.middle[1] - rows / 2
        plane_mm = np.array([(0, 0), (columns, 0), (columns, rows), (0, rows)], float)
        warp = double @ self.optics.plane(plane_mm + np.array([left, top]), plane_mm)
        image = cv2.warpPerspective(self._table, warp, size, borderMode=cv2.BORDER_REFLECT_101)
        corners = np.array([(0, 0), (width, 0), (width, height), (0, height)], float)
        placed = self._placed(corners, bump)
        shade = np.zeros((size[1], size[0]), np.uint8)
        cv2.fillPoly(shade, [(self.optics.project(placed + _FALL_MM / 8, 0.0) * 2).astype(np.int32)], 90)
        shade = np.asarray(cv2.GaussianBlur(shade, (0, 0), 5.0), np.uint8)
        image = cv2.multiply(image, cv2.cvtColor(255 - shade, cv2.COLOR_GRAY2BGR), scale=1 / 255)
        sheet = raster(self._set, 4.0)
        for rail, x_mm in now.platforms:
            draw(sheet, platform_shapes(self._set, rail, x_mm), 4.0)
        # an image's pixel centres lie half a pixel inside its corners
        shift = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1.0]])
        lay = np.linalg.inv(shift) @ double @ self.optics.plane(placed, corners * 4.0) @ shift
        cv2.warpPerspective(sheet, lay, size, dst=image, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_TRANSPARENT)
        tags = self._set.fiducials
        for tag, (x, y) in zip(tags.ids, tags.centres_mm, strict=True):
            if tag in covered:
                for radius, rgb in ((16.0, _COIN), (13.5, tuple(min(255, c + 18) for c in _COIN))):
                    coin = outline(Disc((x, y), radius, _COIN))[0]
                    spots = self.optics.project(self._placed(coin, bump), 2.0) * 2
                    cv2.fillPoly(image, [spots.astype(np.int32)], rgb[::-1], cv2.LINE_AA)
        return np.asarray(cv2.resize(image, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)

    def _token(self, image: Image, piece: Piece, bump: Bump, lift_mm: float, light: Array | None = None) -> None:
        """Paint one token in place: soft shadow, side wall, top with its mark."""
        tokens = self._set.tokens
        body = np.array(tokens.colours[self._set.split(piece.kind)[0]].body[::-1], float)
        shine = np.ones(3) if light is None else light
        c, s = cos(piece.turn), sin(piece.turn)
        turn = np.array([[c, s], [-s, c]])
        shapes = token_shapes(self._set, piece.kind)

        def pixels(points_mm: Array, z_mm: float) -> Array:
            return self.optics.project(self._placed(points_mm @ turn + (piece.x_mm, piece.y_mm), bump), z_mm)

        round_mm = outline(shapes[0])[0]
        wall = np.vstack([pixels(round_mm, lift_mm), pixels(round_mm, lift_mm + tokens.height_mm)])
        pad = 8
        low = np.maximum(np.floor(wall.min(axis=0)).astype(int) - pad, 0)
        high = np.minimum(np.ceil(wall.max(axis=0)).astype(int) + pad, (WIDTH, HEIGHT))
        if (high - low <= 0).any():
            return
        size = tuple(int(v) for v in (high - low) * _SHARP)

        def fine(points_px: Array) -> npt.NDArray[np.int32]:
            return np.asarray(np.round(((points_px - low) * _SHARP - 0.5) * 16), np.int32)

        place = image[low[1] : high[1], low[0] : high[0]]
        if lift_mm == 0:
            shade = np.zeros((size[1] // _SHARP, size[0] // _SHARP), np.float32)
            fallen = pixels(round_mm, 0.0) + _FALL_MM / 8 - low
            cv2.fillPoly(shade, [np.round(fallen * 16).astype(np.int32)], 0.42, cv2.LINE_AA, 4)
            shade = np.asarray(cv2.GaussianBlur(shade, (0, 0), 2.0), np.float32)
            place[:] = (place * (1 - shade[..., None])).astype(np.uint8)
        paint = np.empty((size[1], size[0], 3), np.uint8)
        side = np.clip(body * 0.80 * shine, 0, 255)
        paint[:] = side.astype(np.uint8)
        mask = np.zeros((size[1], size[0]), np.uint8)
        hull = cv2.convexHull(fine(wall))
        cv2.fillPoly(mask, [hull], 255, cv2.LINE_8, 4)
        for shape in shapes:
            rgb = shape.fill if isinstance(shape, Polygon | Disc) else shape.rgb
            rings = [fine(pixels(points, lift_mm + tokens.height_mm)) for points in outline(shape)]
            bgr = np.clip(np.array((rgb or (0, 0, 0))[::-1]) * shine, 0, 255)
            cv2.fillPoly(paint, rings, bgr.tolist(), cv2.LINE_8, 4)
        small = (size[0] // _SHARP, size[1] // _SHARP)
        alpha = cv2.resize(mask, small, interpolation=cv2.INTER_AREA)[..., None] / np.float32(255)
        colour = cv2.resize(paint, small, interpolation=cv2.INTER_AREA)
        place[:] = (place * (1 - alpha) + colour * alpha + 0.5).astype(np.uint8)

    def _hand(self, image: Image, hand: Hand, held: Piece | None, now: Snapshot) -> None:
        """Paint a hand with its arm from the seat, its shadow, and the token it carries."""
        tip = np.array([hand.x_mm, hand.y_mm])
        seat = np.array(hand.seat)
        outward = seat + (seat - self.optics.middle[:2]) * 0.8 - tip
        outward /= max(1.0, float(np.linalg.norm(outward)))
        if hand.gone_s is not None:
            tip = tip + outward * 620.0 * min(1.0, (now.now_s - hand.gone_s) / HAND_LEAVES_S)
        light = np.array([value ** (1 / 2.2) for value in now.lamp.cast[::-1]]) * now.lamp.gain ** (1 / 2.2) * 0.87
        parts = hand_outline(tip, outward)
        shade = np.zeros((HEIGHT // 4, WIDTH // 4), np.uint8)
        for points, _ in parts:
            fallen = self.optics.project(points + _FALL_MM, 0.0) / 4
            cv2.fillPoly(shade, [np.round(fallen * 16).astype(np.int32)], 105, cv2.LINE_AA, 4)
        shade = np.asarray(cv2.GaussianBlur(shade, (0, 0), 3.0), np.uint8)
        box = cv2.boundingRect(shade)
        x, y, w, h = (value * 4 for value in box)
        if w and h:
            keep = 255 - cv2.resize(shade[y // 4 : (y + h) // 4, x // 4 : (x + w) // 4], (w, h))
            place = image[y : y + h, x : x + w]
            place[:] = cv2.multiply(place, cv2.cvtColor(keep, cv2.COLOR_GRAY2BGR), scale=1 / 255)
        if held is not None:
            self._token(image, held, now.bump, CARRY_MM - self._set.tokens.height_mm - 4, light)
        for points, rgb in parts:
            spots = np.round(self.optics.project(points, CARRY_MM) * 16).astype(np.int32)
            bgr = np.clip(np.array(rgb[::-1]) * light, 0, 255)
            cv2.fillPoly(image, [spots], bgr.tolist(), cv2.LINE_AA, 4)
            cv2.polylines(image, [spots], True, (bgr * 0.82).tolist(), 1, cv2.LINE_AA, 4)


def hand_outline(tip: Array, outward: Array) -> list[tuple[Array, Rgb]]:
    """A hand whose fingertips are at `tip`, its arm along `outward` (a unit vector), as polygons in mm with colours."""
    across = np.array([-outward[1], outward[0]])

    def capsule(ax: float, ay: float, bx: float, by: float, radius: float, end: float | None = None) -> Array:
        a, b = tip + outward * ax + across * ay, tip + outward * bx + across * by
        along = (b - a) / np.linalg.norm(b - a)
        start = np.arctan2(along[1], along[0])
        arc = np.linspace(np.pi / 2, 3 * np.pi / 2, 12) + start
        ring = np.column_stack([np.cos(arc), np.sin(arc)])
        return np.vstack([a + ring * radius, b - ring * (radius if end is None else end)])

    dark: Rgb = (186, 140, 116)
    return [
        (capsule(190, 0, 1100, 0, 44, 58), _SLEEVE),
        (capsule(100, 0, 215, 0, 36, 30), dark),
        (capsule(4, 13, 78, 36, 8.5, 13), dark),
        (capsule(58, 0, 112, 2, 40, 36), _SKIN),
        (capsule(2, -6, 70, -27, 7.5, 10), _SKIN),
        (capsule(-3, 2, 68, -9, 8, 10.5), _SKIN),
        (capsule(14, 14, 70, 9, 8, 10.5), _SKIN),
    ]


def table_point(optics: Optics, x_mm: float, y_mm: float) -> Point:
    """The pixel of a sheet point at table height: for tests and pages."""
    x, y = optics.project(np.array([[x_mm, y_mm]]), 0.0)[0]
    return float(x), float(y)
