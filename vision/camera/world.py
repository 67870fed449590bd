"""The pretend table: tokens at free positions, hands that carry them, and faults on request.

Thread-safe: the page moves pieces, the simulated camera takes snapshots. Positions are sheet millimetres (x right,
y down); a token may lie beside the sheet. Knows no rules: whatever a hand can do is allowed.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import atan2, cos, hypot, pi, sin
from typing import Any

from vision.boardset import BoardSet, Point
from vision.camera.optics import Bump, View
from vision.errors import VisionError

HAND_LEAVES_S = 0.25
"""How long a hand takes to draw back after letting go."""
PICTURE_SHAPE = 16 / 9
"""Width by height of the camera's picture: what of the table it can see beside the sheet."""


@dataclass(frozen=True)
class Piece:
    """A token on the pretend table. `turn`: its rotation in radians; `held`: in a hand, off the table."""

    id: int
    kind: str
    x_mm: float
    y_mm: float
    turn: float
    held: bool = False


@dataclass(frozen=True)
class Hand:
    """A hand over the sheet: where its fingertips are, whose seat it comes from; `gone_s`: when it began to leave."""

    token: int
    x_mm: float
    y_mm: float
    seat: Point
    gone_s: float | None = None


@dataclass(frozen=True)
class Lamp:
    """The light: `gain` 1 is a good room; `cast` multiplies red, green and blue."""

    gain: float = 1.0
    cast: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Snapshot:
    """Everything the camera needs, at one moment. `version` changes whenever anything resting on the table does."""

    version: int
    pieces: tuple[Piece, ...]
    hands: tuple[Hand, ...]
    lamp: Lamp
    bump: Bump
    covered: frozenset[int]
    frozen: bool
    lost: bool
    now_s: float
    platforms: tuple[tuple[str, float], ...] = ()  # rail and middle, in mm across
    view: View = field(default_factory=View)


class World:
    """One pretend table for one set. `start`: site -> kinds standing on it, as in a Placement's `on`."""

    def __init__(
        self,
        board_set: BoardSet,
        start: Mapping[str, tuple[str, ...]] | None = None,
        seed: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.board_set = board_set
        self._clock = clock
        self._random = random.Random(seed)
        self._lock = threading.RLock()
        self._version = 0
        self._next_id = 0
        self._pieces: dict[int, Piece] = {}
        self._hands: dict[int, Hand] = {}
        self._lamp, self._bump = Lamp(), Bump()
        self._view = View()
        self._covered: frozenset[int] = frozenset()
        self._frozen = self._lost = False
        # every platform before the middle of its rail
        self._platforms = {rail: (low[0] + high[0]) / 2 for rail, (low, high) in board_set.rails.items()}
        self.reset(start or {})

    def reset(self, placement: Mapping[str, tuple[str, ...]]) -> None:
        """Clear the table and put these pieces down, a little crookedly, as people do. New token ids.

        Sites may be slots of platforms, which stay where they are.
        """
        board_set = self.board_set
        fresh: list[tuple[str, float, float]] = []
        on_platform = {slot: rail for rail, slots in board_set.slots.items() for slot in slots}
        for site, kinds in placement.items():
            if site in on_platform:
                x, y = board_set.slot_centre(site, self._platforms[on_platform[site]])
            else:
                x, y = board_set.centre(site)
            loose_mm = 2.5 if len(kinds) == 1 and board_set.tokens.shape == "disc" else 0.2
            for kind, (aside_mm, down_mm) in zip(kinds, self._beside_one_another(site, len(kinds)), strict=True):
                board_set.split(kind)  # names a kind that doesn't exist
                across, along = (self._random.uniform(-loose_mm, loose_mm) for _ in range(2))
                fresh.append((kind, x + aside_mm + across, y + down_mm + along))
        with self._lock:
            self._pieces, self._hands = {}, {}
            for kind, x, y in fresh:
                self._add(kind, x, y)
            self._touch()

    def add(self, kind: str, x_mm: float, y_mm: float) -> int:
        """Put one more token down; its id."""
        self.board_set.split(kind)
        with self._lock:
            self._touch()
            return self._add(kind, *self._within(x_mm, y_mm))

    def remove(self, token_id: int) -> None:
        """Take a token out of the world."""
        with self._lock:
            self._piece(token_id)
            del self._pieces[token_id]
            self._hands.pop(token_id, None)
            self._touch()

    def lift(self, token_id: int, by: str | None = None) -> None:
        """A hand takes the token. `by`: whose (a seat's name); the nearest seat if left out."""
        with self._lock:
            piece = self._piece(token_id)
            seats = self.board_set.seats
            if by is not None and by not in seats:
                raise VisionError(f"there is no seat {by!r} at this table; it has {', '.join(seats)}")
            nearest = min(seats.values(), key=lambda seat: hypot(seat[0] - piece.x_mm, seat[1] - piece.y_mm))
            self._pieces[token_id] = replace(piece, held=True)
            self._hands[token_id] = Hand(token_id, piece.x_mm, piece.y_mm, nearest if by is None else seats[by])
            self._touch()

    def move(self, token_id: int, x_mm: float, y_mm: float, by: str | None = None) -> None:
        """Carry the token there; a token that lies on the table is lifted first."""
        with self._lock:
            if not self._piece(token_id).held:
                self.lift(token_id, by)
            x_mm, y_mm = self._within(x_mm, y_mm)
            self._pieces[token_id] = replace(self._pieces[token_id], x_mm=x_mm, y_mm=y_mm)
            self._hands[token_id] = replace(self._hands[token_id], x_mm=x_mm, y_mm=y_mm)

    def slide(self, rail: str, x_mm: float) -> None:
        """Slide a rail's platform so that its middle is at `x_mm`, with what lies on it; it stays on the rail."""
        with self._lock:
            if rail not in self._platforms:
                known = ", ".join(self._platforms) or "none"
                raise VisionError(f"there is no platform {rail!r} at this table; it has {known}")
            card = self.board_set.platforms
            assert card is not None
            (left, top), (right, bottom) = self.board_set.rails[rail]
            before = self._platforms[rail]
            now = min(right - card.width_mm / 2, max(left + card.width_mm / 2, float(x_mm)))
            for piece in list(self._pieces.values()):
                on_it = abs(piece.x_mm - before) <= card.width_mm / 2 and top <= piece.y_mm <= bottom
                if on_it and not piece.held:
                    self._pieces[piece.id] = replace(piece, x_mm=piece.x_mm + now - before)
            self._platforms[rail] = now
            self._touch()

    def drop(self, token_id: int) -> None:
        """The hand lets go and draws back; tokens that would lie in one another are pushed apart."""
        with self._lock:
            piece = self._piece(token_id)
            if not piece.held:
                return
            x_mm, y_mm = self._clear_of_others(piece)
            turn = piece.turn + self._random.uniform(-0.3, 0.3) * (self.board_set.tokens.shape == "disc")
            self._pieces[token_id] = replace(piece, x_mm=x_mm, y_mm=y_mm, turn=turn, held=False)
            self._hands[token_id] = replace(self._hands[token_id], gone_s=self._clock())
            self._touch()

    def lamp(self, gain: float = 1.0, cast: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> None:
        """Change the light."""
        with self._lock:
            self._lamp = Lamp(min(20.0, max(0.0, gain)), cast)
            self._touch()

    def bump(self, dx_mm: float, dy_mm: float, turn_deg: float) -> None:
        """Push the sheet, with all that lies on it, further by this much."""
        with self._lock:
            old = self._bump
            self._bump = replace(
                old, dx_mm=old.dx_mm + dx_mm, dy_mm=old.dy_mm + dy_mm, turn_deg=old.turn_deg + turn_deg
            )
            self._touch()

    def lift_corner(self, corner: int, by_mm: float) -> None:
        """Bend a corner of the sheet up (0 to 3, clockwise from the top left); 0 mm lays all of it down flat."""
        with self._lock:
            self._bump = replace(self._bump, corner=corner % 4, lift_mm=max(0.0, by_mm))
            self._touch()

    def view(self, view: View) -> None:
        """Hang the camera elsewhere, or knock it."""
        with self._lock:
            self._view = view
            self._touch()

    def cover(self, tag: int | None) -> None:
        """Put a coin on this tag; None takes all of them off."""
        with self._lock:
            if tag is not None and tag not in self.board_set.fiducials.ids:
                raise VisionError(
                    f"this set has no tag {tag}; it has {', '.join(map(str, self.board_set.fiducials.ids))}"
                )
            self._covered = frozenset() if tag is None else self._covered | {tag}
            self._touch()

    def freeze(self, on: bool = True) -> None:
        """Let the camera send the same picture again and again."""
        with self._lock:
            self._frozen = on

    def lose(self, on: bool = True) -> None:
        """Pull the camera's cable, or plug it in again."""
        with self._lock:
            self._lost = on

    def snapshot(self) -> Snapshot:
        """The world as it is now."""
        with self._lock:
            now_s = self._clock()
            for token_id, hand in list(self._hands.items()):
                if hand.gone_s is not None and now_s - hand.gone_s > HAND_LEAVES_S:
                    del self._hands[token_id]
            return Snapshot(
                self._version,
                tuple(self._pieces.values()),
                tuple(self._hands.values()),
                self._lamp,
                self._bump,
                self._covered,
                self._frozen,
                self._lost,
                now_s,
                tuple(self._platforms.items()),
                self._view,
            )

    def as_json(self) -> dict[str, Any]:
        """The world for the page: tokens in mm, hands, faults."""
        now = self.snapshot()
        return {
            "tokens": [
                {
                    "id": piece.id,
                    "kind": piece.kind,
                    "x_mm": round(piece.x_mm, 2),
                    "y_mm": round(piece.y_mm, 2),
                    "turn_deg": round(piece.turn * 57.29578, 1),
                    "held": piece.held,
                }
                for piece in now.pieces
            ],
            "hands": [{"token": hand.token, "x_mm": hand.x_mm, "y_mm": hand.y_mm} for hand in now.hands],
            "lamp": {"gain": now.lamp.gain, "cast": list(now.lamp.cast)},
            "bump": {"dx_mm": now.bump.dx_mm, "dy_mm": now.bump.dy_mm, "turn_deg": now.bump.turn_deg},
            "covered": sorted(now.covered),
            "platforms": {rail: round(x_mm, 2) for rail, x_mm in now.platforms},
            "frozen": now.frozen,
            "lost": now.lost,
        }

    def _beside_one_another(self, site: str, count: int) -> list[Point]:
        """Where `count` tokens stand on one site, from its centre in mm: two in a line, more in a ring."""
        if count == 1:
            return [(0.0, 0.0)]
        gap_mm = self.board_set.tokens.size_mm + 0.6
        if count == 2:
            return [(-gap_mm / 2, 0.0), (gap_mm / 2, 0.0)]
        x, y = self.board_set.centre(site)  # no slot holds several
        corner = self.board_set.site(site).polygon_mm[0]
        first, ring_mm = atan2(corner[1] - y, corner[0] - x), gap_mm / 2 / sin(pi / count)
        turns = [first + 2 * pi * place / count for place in range(count)]
        return [(ring_mm * cos(turn), ring_mm * sin(turn)) for turn in turns]

    def _touch(self) -> None:
        self._version += 1

    def _add(self, kind: str, x_mm: float, y_mm: float) -> int:
        token_id, self._next_id = self._next_id, self._next_id + 1
        turn = self._random.uniform(-3.1416, 3.1416) if self.board_set.tokens.shape == "disc" else 0.0
        self._pieces[token_id] = Piece(token_id, kind, x_mm, y_mm, turn)
        return token_id

    def _piece(self, token_id: int) -> Piece:
        if token_id not in self._pieces:
            raise VisionError(f"there is no token {token_id} on this table")
        return self._pieces[token_id]

    def _within(self, x_mm: float, y_mm: float) -> Point:
        if not (abs(x_mm) < 1e6 and abs(y_mm) < 1e6):
            raise VisionError("a token's place must be two numbers in millimetres")
        """The nearest place in the camera's sight: beside the sheet there is table, above and below it hardly any."""
        width, height = self.board_set.sheet_mm
        aside_mm = max(0.0, 0.42 * (height * PICTURE_SHAPE - width) - self.board_set.tokens.size_mm / 2)
        return min(width + aside_mm, max(-aside_mm, float(x_mm))), min(height, max(0.0, float(y_mm)))

    def _clear_of_others(self, piece: Piece) -> Point:
        """The free place nearest to the piece's own: two tokens can't be in one place."""
        gap_mm = self.board_set.tokens.size_mm + 0.5
        x, y = piece.x_mm, piece.y_mm
        others = [other for other in self._pieces.values() if other.id != piece.id and not other.held]
        for _ in range(20):
            crowd = [(hypot(x - o.x_mm, y - o.y_mm), o) for o in others]
            distance, other = min(crowd, key=lambda pair: pair[0], default=(gap_mm, piece))
            if distance >= gap_mm - 1e-6:
                break
            away_x, away_y = (x - other.x_mm, y - other.y_mm) if distance > 1e-3 else (1.0, 0.0)
            scale = gap_mm / hypot(away_x, away_y)
            x, y = other.x_mm + away_x * scale, other.y_mm + away_y * scale
        return x, y
