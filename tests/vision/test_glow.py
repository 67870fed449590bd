"""Places that our own lights may reach: what is left out of pictures, and which tokens are kept there."""

from __future__ import annotations

import numpy as np
import pytest

from vision.boardset import installed_sets
from vision.camera.painter import Painter
from vision.camera.shine import Spot, shine
from vision.camera.world import World
from vision.eye import Eye
from vision.glow import NEUTRAL, Lit, relight
from vision.motion import shrink
from vision.paper import PaperView
from vision.tokens import Found

BOARD = installed_sets()["transet"]
C3 = ((115.0, 177.0), (182.0, 177.0), (182.0, 243.0), (115.0, 243.0))


@pytest.fixture(scope="module")
def paper() -> PaperView:
    eye = Eye([BOARD])
    eye.look(Painter(BOARD).paint(World(BOARD).snapshot()))
    assert eye.registration is not None
    return PaperView(eye.registration)


@pytest.fixture
def lit(paper: PaperView) -> Lit:
    return Lit.of([C3], paper)


def token(kind: str, x_mm: float, y_mm: float, score: float = 1.0) -> Found:
    return Found(kind, (x_mm, y_mm), score, {kind: 0.0}, 1.0, 0.0)


def test_the_lit_place_is_where_it_is_in_both_grids(lit: Lit, paper: PaperView) -> None:
    assert lit.sites
    assert lit.covers((148.5, 210.0))
    assert not lit.covers((100.0, 210.0))
    assert not lit.covers((-5.0, 210.0))
    assert np.count_nonzero(lit.cells) * 4 == pytest.approx(67 * 66, rel=0.1)  # cells of 2 mm
    x, y = paper.registration.pose.project(np.array([[148.5, 210.0]]))[0] / 4
    assert lit.small[round(y), round(x)]
    assert not Lit.of([((0.0, -40.0), (50.0, -40.0), (50.0, -5.0))], paper).sites  # beside the sheet


def test_pictures_are_compared_without_it_and_as_they_are_now_where_it_went_dark(lit: Lit, paper: PaperView) -> None:
    rng = np.random.default_rng(1)
    shape = (*lit.small.shape, 3)
    kept, now = (rng.integers(0, 255, shape, dtype=np.uint8) for _ in range(2))
    before = kept.copy()
    relight(None, lit, (kept, None), now)
    assert (kept[lit.small] == NEUTRAL).all()
    assert (kept[~lit.small] == before[~lit.small]).all()
    relight(lit, None, (kept, None), now)
    assert (kept[lit.small] == now[lit.small]).all()
    assert (kept[~lit.small] == before[~lit.small]).all()


STOOD = token("dark-PIAS", 148.0, 210.0)


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        ([], [STOOD]),
        ([token("light-PIAS", 149.0, 211.0)], [STOOD]),  # another kind: it is the light
        ([token("dark-PIAS", 149.0, 211.0, 0.6)], [STOOD]),  # seen less well
        ([token("dark-PIAS", 149.0, 211.0, 0.98)], [token("dark-PIAS", 149.0, 211.0, 0.98)]),
        ([token("light-PIAS", 48.0, 60.0)], [token("light-PIAS", 48.0, 60.0), STOOD]),  # elsewhere: both
    ],
)
def test_a_token_in_the_light_stays_what_it_was(lit: Lit, found: list[Found], kept: list[Found]) -> None:
    assert lit.kept(found, [STOOD]) == kept


def test_outside_of_the_light_only_what_is_seen_counts(lit: Lit) -> None:
    assert lit.kept([], [token("dark-PIAS", 48.0, 60.0)]) == []


def test_a_hand_that_takes_a_token_from_the_light_has_taken_it() -> None:
    """Nobody remembers a token past a hand."""
    clock = [0.0]
    world = World(BOARD, {"c3": ("dark-PIAS",), "a1": ("light-PIAS",)}, clock=lambda: clock[0])
    painter, eye = Painter(BOARD), Eye([BOARD])
    blue = Spot(148.5, 210.0, 24.0, (0.0, 0.1, 0.6))

    def look(seconds: float) -> dict[str, tuple[str, ...]]:
        for _ in range(round(seconds * 10)):
            clock[0] += 0.1
            picture = shine(painter.paint(world.snapshot()), painter.optics, [blue])
            sighting = eye.see(picture, clock[0], round(clock[0] * 10), glow=[C3])
        assert seconds < 0.3 or not sighting.hand or world.as_json()["hands"]
        return sighting.on()

    assert look(1.0) == {"a1": ("light-PIAS",), "c3": ("dark-PIAS",)}
    taken = next(one["id"] for one in world.as_json()["tokens"] if one["kind"] == "dark-PIAS")
    world.lift(taken)
    look(0.4)
    world.move(taken, 198.5, 260.0)
    look(0.4)
    world.drop(taken)
    assert look(1.5) == {"a1": ("light-PIAS",), "d2": ("dark-PIAS",)}


def test_shining_leaves_the_picture_itself_alone() -> None:
    painter = Painter(BOARD)
    picture = painter.paint(World(BOARD).snapshot())
    before = picture.copy()
    small = shrink(picture)
    lit = shine(picture, painter.optics, [Spot(148.5, 210.0, 24.0, (0.0, 0.0, 0.5)), Spot(9e3, 9e3, 5.0, (1, 1, 1))])
    assert (picture == before).all()
    changed = np.abs(shrink(lit).astype(int) - small).max(axis=(0, 1))
    assert changed[0] > 10  # blue
    assert changed[2] <= 1
    assert shine(picture, painter.optics, []) is picture


COLOURS = [(0.0, 0.4, 0.0), (0.4, 0.0, 0.0), (0.4, 0.4, 0.4)]


@pytest.mark.parametrize(("name", "site"), [("transet", "c3"), ("taasen", "8"), ("transfer", "D2")])
@pytest.mark.parametrize("rgb", COLOURS)
def test_what_goes_unseen_from_the_light_has_gone(name: str, site: str, rgb: tuple[float, float, float]) -> None:
    """A camera that stalls, or a hand quicker than two pictures: a token that left the light isn't remembered there."""
    board = installed_sets()[name]
    kind, other = list(board.kinds)[:2]
    x_mm, y_mm = board.centre(site)
    world, painter, eye = World(board, {}), Painter(board), Eye([board])
    led = Spot(x_mm + 3, y_mm - 4, board.tokens.size_mm * 0.7, rgb)
    area = tuple((x_mm + dx, y_mm + dy) for dx, dy in ((-30, -30), (30, -30), (30, 30), (-30, 30)))
    count = 0

    def look(on: dict[str, tuple[str, ...]], lights: list[Spot], pictures: int = 2) -> dict[str, tuple[str, ...]]:
        nonlocal count
        world.reset(on)
        for _ in range(pictures):
            count += 1
            picture = shine(painter.paint(world.snapshot()), painter.optics, lights)
            sighting = eye.see(picture, count / 2, count, glow=[area])
        return sighting.on()

    there = {site: (kind,)}
    for lights in ([], [led], [], [led]):
        assert look(there, lights) == there
    assert look({}, [led]) == {}
    assert look(there, [led]) == there
    assert look({site: (other,)}, [led]) == {site: (other,)}
    assert look({}, []) == {}
