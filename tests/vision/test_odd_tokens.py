"""Tokens in odd poses on the pretend table: upside down, on edge, stacked, across lines, beside the board; and
platforms that are crooked, pushed over the sheet's edge, or gone. Each is reported as what it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.artwork import token_shapes
from vision.boardset import BoardSet, border_distance
from vision.camera.optics import Lying, View
from vision.camera.painter import Painter
from vision.camera.world import Piece, World
from vision.eye import Eye
from vision.shapes import Polygon, Shape, rectangle
from vision.sighting import Sighting

SETS = Path(__file__).parents[1] / "data" / "sets"
FRAMES = Path(__file__).parents[1] / "data" / "frames"
BOARDS = {game: BoardSet.load(SETS / f"{game}.toml") for game in ("transet", "taasen", "transfer")}
STANDING = {
    "transet": {"a1": ("dark-PINET",), "c2": ("dark-PIAS",), "e5": ("light-PIOKER",), "b4": ("light-PINET",)},
    "taasen": {"9": ("red-THAUM",), "13": ("white-PAUPIL",), "5": ("green-SCIANE",)},
    "transfer": {
        "A1": ("orange",), "B3": ("sky",), "D2": ("green",), "I5": ("yellow",), "H2": ("blue",), "F4": ("purple",),
        "E3": ("vermilion",),
    },
}  # fmt: skip
VIEWS = (View(), View((120.0, -90.0, 800.0), 160.0))
ON_PLATFORMS = {
    "north": ("sky", "blue", None),
    "south": ("orange", "green", "purple"),
}
ROWS = "ABCDEFGHI"
Odd = str | tuple[str, float]


class OddPainter(Painter):
    """Paints some tokens in odd poses and platforms askew. `odd`: of tokens, by id; `askew`: of rails, in radians.

    A pose is "down", "edge", or the kind of the token on top with how far it is shifted, in mm.
    """

    def __init__(self, board_set: BoardSet) -> None:
        super().__init__(board_set)
        self.odd: dict[int, Odd] = {}
        self.askew: dict[str, float] = {}

    def _token(self, image: Any, piece: Piece, lying: Lying, lift_mm: float, light: Any = None) -> None:
        pose = self.odd.get(piece.id)
        tokens, at = self._set.tokens, (piece.x_mm, piece.y_mm)
        shapes = token_shapes(self._set, piece.kind)
        if pose == "down":
            self._solid(image, shapes[:1], lying, at, piece.turn, 0.0, tokens.height_mm)
        elif pose == "edge":
            body = tokens.colours[self._set.split(piece.kind)[0]].body
            size, thick = tokens.size_mm, tokens.height_mm
            wall = Polygon(rectangle(-size / 2, -thick / 2, size, thick), body)
            self._solid(image, (wall,), lying, at, piece.turn, 0.0, size)
        elif isinstance(pose, tuple):
            self._solid(image, shapes, lying, at, piece.turn, 0.0, tokens.height_mm)
            above = at[0] + pose[1], at[1]
            upper = token_shapes(self._set, pose[0])
            self._solid(image, upper, lying, above, piece.turn + 1, tokens.height_mm, tokens.height_mm)
        else:
            super()._token(image, piece, lying, lift_mm, light)

    def _solid(
        self, image: Any, shapes: Sequence[Shape], lying: Lying, at_mm: tuple[float, float], turn: float, *more: Any
    ) -> None:
        first = shapes[0]
        if self._set.platforms is not None and isinstance(first, Polygon) and at_mm == (0.0, 0.0):
            middle = np.mean(first.points_mm, axis=0)
            turn = self.askew.get(rail_at(self._set, middle), 0.0)
            x, y = middle - middle @ spin(turn)
            at_mm = float(x), float(y)
        super()._solid(image, shapes, lying, at_mm, turn, *more)


def spin(turn: float) -> Any:
    return np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])


def rail_at(board_set: BoardSet, point: Any) -> str:
    return next(rail for rail, (low, high) in board_set.rails.items() if low[1] <= point[1] <= high[1])


@dataclass
class Table:
    """One board under the pretend camera, with some tokens on it; one more can be added."""

    board: BoardSet
    painter: OddPainter
    shown: int = 0

    def look(
        self,
        extra: Sequence[Piece] = (),
        odd: dict[int, Odd] | None = None,
        platforms: Sequence[tuple[str, float]] = (),
        askew: dict[str, float] | None = None,
        view: View = VIEWS[0],
    ) -> Sighting:
        world = World(self.board, STANDING[self.board.game], clock=lambda: 0.0)
        now = world.snapshot()
        self.painter.odd, self.painter.askew = odd or {}, askew or {}
        self.shown += 1
        now = replace(
            now, pieces=(*now.pieces, *extra), platforms=tuple(platforms), view=view, version=1000 + self.shown
        )
        return Eye([self.board]).look(self.painter.paint(now))


@pytest.fixture(scope="module")
def tables() -> dict[str, Table]:
    return {game: Table(board, OddPainter(board)) for game, board in BOARDS.items()}


def near(board: BoardSet, x: float, y: float, within_mm: float) -> set[str]:
    return {site.id for site in board.sites if border_distance(site.polygon_mm, x, y) < within_mm}


def piece(board: BoardSet, site: str, kind: str, number: int) -> Piece:
    x, y = board.centre(site)
    return Piece(900, kind, x + 1.3 * (number % 3 - 1), y + 1.1 * (number % 4 - 1.5), 0.7 * number)


def others(board: BoardSet, seen: Sighting, site: str | None = None) -> dict[str, tuple[str, ...]]:
    return {place: kinds for place, kinds in seen.on().items() if place != site and "." not in place}


def check_others(board: BoardSet, seen: Sighting, site: str | None = None) -> None:
    """Every other token is named rightly, or its site is hidden by what lies close to it; there are no more."""
    found = others(board, seen, site)
    assert found.items() <= STANDING[board.game].items()
    assert STANDING[board.game].keys() - found.keys() <= seen.hidden
    assert not seen.off()


def tellable(board: BoardSet, site: str, colour: str) -> bool:
    """Whether a plain body of this colour is told there: gloss makes tan squares look like light tokens."""
    return not (colour == "light" and board.site(site).fill == board.site("b5").fill)


BACKS = [(game, colour) for game in ("transet", "taasen") for colour in BOARDS[game].tokens.colours]


@pytest.mark.parametrize("view", VIEWS, ids=["upright", "turned"])
@pytest.mark.parametrize(("game", "colour"), BACKS)
def test_a_token_upside_down_is_hidden_on_any_ground(
    tables: dict[str, Table], game: str, colour: str, view: View
) -> None:
    table, kinds = tables[game], [kind for kind in BOARDS[game].kinds if kind.startswith(colour)]
    free = [site.id for site in table.board.sites if site.id not in STANDING[game]]
    for number, site in enumerate(site for site in free if tellable(table.board, site, colour)):
        if number % 3 != (view is VIEWS[0]):
            continue
        seen = table.look([piece(table.board, site, kinds[number % len(kinds)], number)], {900: "down"}, view=view)
        assert site in seen.hidden
        assert site not in seen.on()
        check_others(table.board, seen)


@pytest.mark.parametrize("colour", ["light", "dark"])
def test_a_token_upside_down_on_a_recorded_board_is_hidden(colour: str) -> None:
    board = BOARDS["transet"]
    image = np.asarray(cv2.imread(str(FRAMES / "transet-a" / "frame_000000.jpg")), np.uint8)
    eye = Eye([board])
    before = eye.look(image)
    registration = eye.registration
    assert registration is not None
    free = [site.id for site in board.sites if site.id not in before.on()]
    for site in [site for site in free if tellable(board, site, colour)][::2]:
        turn = np.linspace(0, 2 * np.pi, 64, endpoint=False)
        outline = np.column_stack([np.cos(turn), np.sin(turn)]) * board.tokens.size_mm / 2
        body = body_seen(image, registration, board, before, colour, board.centre(site))
        picture = with_body(image, registration, board.centre(site), outline, board.tokens.height_mm, body)
        seen = Eye([board]).look(picture)
        assert site in seen.hidden
        assert seen.on() == before.on()


def with_body(image: Any, registration: Any, at: tuple[float, float], outline: Any, tall: float, body: Any) -> Any:
    """The picture with a plain thing of this colour (BGR as seen), its wall and shadow; `outline`, `tall`: in mm."""
    rim = outline + at
    out = image.astype(np.float32)

    def put(outline: Any, height_mm: float, soft: float, paint: Any) -> None:
        shape = np.round(registration.pose.project(outline, -height_mm) * 16).astype(np.int32)
        cover = cv2.fillPoly(np.zeros(image.shape[:2], np.float32), [shape], 1.0, cv2.LINE_AA, 4)
        cover = cv2.GaussianBlur(cover, (0, 0), soft)[:, :, None]
        out[:] = out * (1 - cover) + (out * 0.65 if paint is None else paint) * cover

    put(rim + 0.4 * tall * np.array([0.5, 0.3]), 0.0, 3.0, None)
    for height in np.linspace(0, tall, 5):
        put(rim, height, 0.7, body * (1.0 if height == tall else 0.75))
    noise = np.random.default_rng(5).normal(0, 1.5, image.shape)
    changed = np.abs(out - image).max(axis=2, keepdims=True) > 0.5
    return np.clip(out + noise * changed, 0, 255).astype(np.uint8)


def body_seen(image: Any, registration: Any, board: BoardSet, seen: Sighting, colour: str, at: Any) -> Any:
    """The colour (BGR) that the nearest token of a colour shows between its mark and its rim."""
    mine = [token.centre_mm for token in seen.tokens if token.kind.startswith(colour)]
    nearest = min(mine, key=lambda centre: float(np.hypot(*np.subtract(centre, at))))
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    ring = np.column_stack([np.cos(turn), np.sin(turn)]) * 0.41 * board.tokens.size_mm + nearest
    columns, rows = np.round(registration.pose.project(ring, -board.tokens.height_mm)).astype(int).T
    return np.median(image[rows, columns].astype(float), axis=0)


EDGES = [("transet", "dark"), ("transet", "light"), ("taasen", "red"), ("taasen", "green"), ("taasen", "white")]


@pytest.mark.parametrize(("game", "colour"), EDGES)
def test_a_token_on_its_edge_is_hidden(tables: dict[str, Table], game: str, colour: str) -> None:
    table, kind = tables[game], next(kind for kind in BOARDS[game].kinds if kind.startswith(colour))
    free = [site.id for site in table.board.sites if site.id not in STANDING[game]]
    for number, site in enumerate(free[::3]):
        seen = table.look([piece(table.board, site, kind, number)], {900: "edge"}, view=VIEWS[number % 2])
        assert site in seen.hidden
        check_others(table.board, seen)


@pytest.mark.parametrize("view", VIEWS, ids=["upright", "turned"])
@pytest.mark.parametrize("turn", [0.5, 0.85, 1.15, 2.2])
def test_a_light_token_on_its_edge_is_hidden_however_it_is_turned(
    tables: dict[str, Table], view: View, turn: float
) -> None:
    """Along the light it throws little shade, and no cell of it differs much from the paper."""
    table = tables["transet"]
    for number, site in enumerate(("a4", "e4", "b3", "e1", "d4", "b2", "b5")):
        if number % 2 == (view is VIEWS[0]):
            continue
        x, y = table.board.centre(site)
        on_edge = Piece(900, "light-PIAS", x + number % 3 - 1.0, y + 1.5 - number % 4, turn)
        seen = table.look([on_edge], {900: "edge"}, view=view)
        assert site in seen.hidden
        check_others(table.board, seen)


@pytest.mark.parametrize("colour", ["light", "dark"])
def test_a_token_on_its_edge_on_a_recorded_board_is_hidden(colour: str) -> None:
    board = BOARDS["transet"]
    image = np.asarray(cv2.imread(str(FRAMES / "transet-a" / "frame_000000.jpg")), np.uint8)
    eye = Eye([board])
    before = eye.look(image)
    registration = eye.registration
    assert registration is not None
    size, thick = board.tokens.size_mm, board.tokens.height_mm
    free = [site.id for site in board.sites if site.id not in before.on() and tellable(board, site.id, colour)]
    for number, site in enumerate(free[::2]):
        wall = np.array(rectangle(-size / 2, -thick / 2, size, thick)) @ spin(0.4 + 0.9 * number)
        body = body_seen(image, registration, board, before, colour, board.centre(site))
        picture = with_body(image, registration, board.centre(site), wall, size, body)
        seen = Eye([board]).look(picture)
        assert site in seen.hidden
        assert seen.on().items() <= before.on().items()


@pytest.mark.parametrize("sequence", ["transet-a", "transet-b", "taasen-a", "taasen-b", "taasen-e"])
def test_paper_that_shines_to_one_side_hides_no_site(sequence: str) -> None:
    """Gloss makes tan paper look like light tokens, here more, there less."""
    board = BOARDS[sequence.split("-")[0]]
    image = np.asarray(cv2.imread(str(FRAMES / sequence / "frame_000000.jpg")), np.uint8)
    eye = Eye([board])
    before = eye.look(image)
    registration = eye.registration
    assert registration is not None
    width, height = board.sheet_mm
    paper = np.zeros(image.shape[:2], np.float32)
    sheet = registration.pose.project(np.array(rectangle(0, 0, width, height)))
    cv2.fillPoly(paper, [np.round(sheet).astype(np.int32)], 1.0)
    turn = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    for token in before.tokens:
        rim = np.column_stack([np.cos(turn), np.sin(turn)]) * 0.52 * board.tokens.size_mm + token.centre_mm
        for high in (0.0, board.tokens.height_mm):
            cv2.fillPoly(paper, [np.round(registration.pose.project(rim, -high)).astype(np.int32)], 0.0)
    ramp = np.linspace(0, 0.12, image.shape[1])[None, :] * cv2.GaussianBlur(paper, (0, 0), 0.7)
    light = (image / 255.0) ** 2.2 + ramp[:, :, None]
    seen = Eye([board]).look((255 * np.clip(light, 0, 1) ** (1 / 2.2) + 0.5).astype(np.uint8))
    assert seen.on() == before.on()
    assert not seen.hidden


@pytest.mark.parametrize("game", ["transet", "taasen"])
def test_of_two_stacked_tokens_none_but_the_upper_is_named(tables: dict[str, Table], game: str) -> None:
    table, board = tables[game], BOARDS[game]
    free = [site.id for site in board.sites if site.id not in STANDING[game]]
    for number, site in enumerate(free[::4]):
        lower, upper = board.kinds[number % len(board.kinds)], board.kinds[(3 * number + 1) % len(board.kinds)]
        odd: dict[int, Odd] = {900: (upper, 4.0 * (number % 3))}
        seen = table.look([piece(board, site, lower, number)], odd, view=VIEWS[number % 2])
        assert site in seen.hidden or seen.on().get(site) == (upper,)
        check_others(board, seen, site)


WALKS = [
    ("transet", "c3", "c4"), ("transet", "a2", "b3"), ("taasen", "2", "0"), ("taasen", "7", "8"),
    ("transfer", "D4", "E4"), ("transfer", "G1", "H1"),
]  # fmt: skip


@pytest.mark.parametrize(("game", "first", "last"), WALKS)
def test_a_token_that_walks_across_a_line_is_always_on_one_site(
    tables: dict[str, Table], game: str, first: str, last: str
) -> None:
    """On the border's one side or other, in doubt near it, and never twice or nowhere."""
    table, board = tables[game], BOARDS[game]
    start, end = np.array(board.centre(first)), np.array(board.centre(last))
    kind = "red-PAUPIL" if game == "taasen" else board.kinds[-1]
    steps = int(np.linalg.norm(end - start))
    for step in range(steps + 1):
        x, y = (float(value) for value in start + (end - start) * step / steps)
        if step % 4 and board.site_at(x, y)[1] > 4.5:
            continue  # every millimetre near lines, now and then elsewhere
        seen = table.look([Piece(900, kind, x, y, 0.4 if game != "transfer" else 0.0)])
        mine = [one for one in seen.tokens if np.hypot(one.centre_mm[0] - x, one.centre_mm[1] - y) < 3]
        assert [one.kind for one in mine] == [kind]
        assert len(seen.tokens) == len(mine) + len(STANDING[game])
        assert not seen.hidden
        home, border_mm = board.site_at(x, y)
        if border_mm > 1:
            assert mine[0].site == (home.id if home else None)
        in_doubt = near(board, x, y, 2.0)  # the eyes may be a millimetre off
        along = {site for sites in board.tracks.values() if mine[0].site in sites for site in sites}
        assert in_doubt - along <= seen.uncertain
        if border_mm > 4:
            assert not seen.uncertain


@pytest.mark.parametrize("game", BOARDS)
def test_tokens_beside_the_sheet_are_off(tables: dict[str, Table], game: str) -> None:
    """At any distance; squares without marks close to it only, further away anything could look like one."""
    table, board = tables[game], BOARDS[game]
    width, height = board.sheet_mm
    view = View(zoom=0.8)
    for number, away_mm in enumerate((3, 6, 12, 20, 35, 60, 100, 140)):
        kind = board.kinds[number % len(board.kinds)]
        x = -away_mm if number % 2 else width + away_mm
        seen = table.look([Piece(900, kind, float(x), 0.6 * height + 3 * number, 0.2 * number)], view=view)
        close = board.tokens.marks or away_mm <= 6
        assert seen.off() == ((kind,) if close else ())
        assert others(board, seen) == STANDING[game]
        assert not seen.hidden


def on_platform(board: BoardSet, rail: str, x_mm: float, turn: float) -> list[Piece]:
    """The tokens of a platform, lying as it does."""
    low, high = board.rails[rail]
    middle = np.array([x_mm, (low[1] + high[1]) / 2])
    pieces = []
    for number, (slot, kind) in enumerate(zip(board.slots[rail], ON_PLATFORMS[rail], strict=True)):
        if kind is not None:
            x, y = middle + (np.array(board.slot_centre(slot, x_mm)) - middle) @ spin(turn)
            pieces.append(Piece(900 + 10 * (rail == "south") + number, kind, float(x), float(y), turn))
    return pieces


def check_platforms(seen: Sighting, board: BoardSet, at: dict[str, float], loaded: bool) -> None:
    assert seen.platforms is not None
    for rail in board.rails:
        card = seen.platforms[rail]
        if rail not in at:
            assert card is None
            continue
        assert card is not None
        assert abs(card.x_mm - at[rail]) < 2.0
        row = min(ROWS, key=lambda name: abs(28.5 + 30 * ROWS.index(name) - at[rail]))
        off_mm = abs(28.5 + 30 * ROWS.index(row) - at[rail])
        if abs(off_mm - 6) > 2.0:
            assert card.row == (row if off_mm < 6 else None)
        assert card.slots == (ON_PLATFORMS[rail] if loaded else (None, None, None))
    assert others(board, seen) == STANDING["transfer"]
    assert not seen.off()
    assert not {site for site in seen.hidden if "." in site}


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("degrees", [-5.0, -3.3, -1.0, 2.0, 4.2, 5.0])
def test_a_crooked_platform_is_found_with_what_lies_on_it(
    tables: dict[str, Table], degrees: float, loaded: bool
) -> None:
    table, board = tables["transfer"], BOARDS["transfer"]
    at = {"north": 150.0 + 17 * degrees, "south": 130.0 - 13 * degrees}
    turns = {"north": float(np.radians(degrees)), "south": -float(np.radians(degrees))}
    extra = [one for rail in at for one in on_platform(board, rail, at[rail], turns[rail])] if loaded else []
    check_platforms(table.look(extra, None, tuple(at.items()), turns), board, at, loaded)


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("view", [VIEWS[0], View((-100.0, 60.0, 700.0), 170.0)], ids=["upright", "turned"])
@pytest.mark.parametrize("past_mm", [5.0, 11.0, 12.5, 13.5, 14.0])
def test_a_platform_pushed_past_its_rail_is_found(
    tables: dict[str, Table], past_mm: float, view: View, loaded: bool
) -> None:
    table, board = tables["transfer"], BOARDS["transfer"]
    for at in (
        {"north": 28.5 - past_mm, "south": 268.5 + past_mm}, {"north": 268.5 + past_mm, "south": 28.5 - past_mm},
    ):  # fmt: skip
        extra = [one for rail in at for one in on_platform(board, rail, at[rail], 0.0)] if loaded else []
        check_platforms(table.look(extra, None, tuple(at.items()), view=view), board, at, loaded)


def test_a_platform_that_was_taken_away_is_not_found(tables: dict[str, Table]) -> None:
    table, board = tables["transfer"], BOARDS["transfer"]
    for at in ({}, {"south": 100.0}, {"north": 190.0}):
        check_platforms(table.look([], None, tuple(at.items())), board, at, False)


def test_two_platforms_on_one_rail_leave_the_other_without(tables: dict[str, Table]) -> None:
    table = tables["transfer"]
    seen = table.look([], None, (("north", 60.0), ("north", 180.0)))
    assert seen.platforms is not None
    assert seen.platforms["south"] is None
    assert seen.platforms["north"] is not None
    assert min(abs(seen.platforms["north"].x_mm - x) for x in (60.0, 180.0)) < 1.6
    assert others(table.board, seen) == STANDING["transfer"]
