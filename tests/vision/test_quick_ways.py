"""Quick ways of computing things, held to the slow ones that say what is meant."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from vision import motion, palette
from vision.artwork import token_raster
from vision.blobs import label_blobs
from vision.boardset import BoardSet, installed_sets
from vision.eye import Eye
from vision.foreign import _large
from vision.lattice import _correlated
from vision.marks import ANGLES, RADII, polar_offsets_mm, templates, thin_templates
from vision.palette import first_palette, fit_palette, rough_palette
from vision.paper import PaperView
from vision.placing import Area, Ground, _in_order
from vision.platforms import _slanted
from vision.pose import CORNER_SIGMA_PX, LINE_SIGMA_PX, Lines, _moved, _Told
from vision.ranks import median_levels, median_rows, percentile_rows
from vision.registration import NO_MAP, Pose, register
from vision.tokens import LOGS

SETS = [board for board in installed_sets().values() if board.tokens.marks]


@settings(deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 40)), elements=st.floats(-9, 9)))
def test_percentiles_and_medians_are_numpys(values: Any) -> None:
    assert np.allclose(median_rows(values), np.median(values, axis=1))
    for share, found in zip((0, 6, 25, 90, 100), percentile_rows(values, 0, 6, 25, 90, 100), strict=True):
        assert np.allclose(found, np.percentile(values, share, axis=1))


@settings(deadline=None, max_examples=30)
@given(arrays(np.float64, st.tuples(st.just(3), st.integers(101, 300)), elements=st.floats(-9, 9)))
def test_of_many_values_percentiles_and_medians_are_numpys(values: Any) -> None:
    assert np.allclose(median_rows(values), np.median(values, axis=1))
    for share, found in zip((0, 6, 85, 100), percentile_rows(values, 0, 6, 85, 100), strict=True):
        assert np.allclose(found, np.percentile(values, share, axis=1))


@settings(deadline=None, max_examples=20)
@given(
    levels=arrays(np.uint8, (4, 37), elements=st.integers(0, 255)),
    drawn=arrays(np.float64, (4, 21), elements=st.integers(-9, 9)),
)
def test_profiles_are_correlated_part_by_part(levels: Any, drawn: Any) -> None:
    drawn = drawn - drawn.mean(axis=1, keepdims=True)
    drawn /= np.maximum(np.linalg.norm(drawn, axis=1, keepdims=True), 0.5)
    seen = levels / 3.0
    found = _correlated(np.ascontiguousarray(seen.T), np.ascontiguousarray(drawn.T)).T
    for row, column in np.ndindex(found.shape):
        part = seen[row, column : column + 21] - seen[row, column : column + 21].mean()
        assert found[row, column] == pytest.approx(part @ drawn[row] / max(np.linalg.norm(part), 0.05), abs=1e-6)


def _patches(board_set: BoardSet, turn: float) -> tuple[list[str], Any]:
    """Every kind's top, turned, sampled as `marks` does: names, (kinds, ANGLES * RADII) grey levels."""
    offsets = polar_offsets_mm(board_set) / board_set.tokens.size_mm
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    kinds, patches = [], []
    for colour, paint in board_set.tokens.colours.items():
        for mark in board_set.tokens.marks:
            drawn = token_raster(board_set, f"{colour}-{mark}", 6.0, paint.body)
            grey = cv2.GaussianBlur(cv2.cvtColor(drawn, cv2.COLOR_BGR2GRAY), (0, 0), 3.0)
            places = ((offsets @ spin.T + 0.5) * grey.shape[1] - 0.5).astype(np.float32)
            kinds.append(mark)
            patches.append(cv2.remap(grey, places[None], NO_MAP, cv2.INTER_LINEAR)[0])
    return kinds, np.array(patches)


@pytest.mark.parametrize("board_set", SETS, ids=lambda board: board.name)
@settings(deadline=None)
@given(turn=st.floats(-3.2, 3.2))
def test_turns_that_look_alike_need_no_template_of_their_own(board_set: BoardSet, turn: float) -> None:
    """A mark turned by anything is found, also where its templates cover but a part of a whole turn."""
    book, thin = templates(board_set), thin_templates(board_set)
    assert book is not None
    assert thin is not None
    kinds, patches = _patches(board_set, turn)
    scores = np.abs(book.correlate(LOGS[patches]))
    assert [book.names[best] for best in np.argmax(scores, axis=1)] == kinds
    assert scores.max(axis=1).min() > 0.93
    kept = np.zeros((ANGLES, len(RADII)), np.bool_)
    kept[::4, ::2] = True
    roughly = np.abs(thin.correlate(LOGS[patches[:, kept.ravel()]])).max(axis=1)
    assert roughly.min() > 0.7  # far above what is passed over


@settings(deadline=None)
@given(
    levels=arrays(np.uint8, (12, 17, 3), elements=st.integers(0, 40)),
    edges=st.tuples(*[st.floats(1, 39)] * 3),
)
def test_a_difference_is_one_large_blob_or_none(levels: Any, edges: tuple[float, float, float]) -> None:
    over = np.any(levels > np.floor(edges), axis=2).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(over, connectivity=8)
    large = {index for index in range(1, len(stats)) if stats[index, cv2.CC_STAT_AREA] >= motion.LEAST_PX}
    wanted = np.isin(labels, list(large))
    told = motion._over(levels, np.array(edges))
    assert np.array_equal(motion._blobs_of(told), wanted)
    assert motion._any_blob_of(told) == wanted.any()


@settings(deadline=None)
@given(
    levels=arrays(np.uint8, (9, 11, 3), elements=st.integers(0, 40), fill=st.just(0)),
    where=arrays(np.bool_, (9, 11)),
    light=st.sampled_from([0, 60]),
)
def test_a_change_is_in_a_place_or_not(levels: Any, where: Any, light: int) -> None:
    before = np.full_like(levels, 90)
    now = before + levels + np.uint8(light)
    assert motion.Change(now, before).any_in(where) == (motion.changed(now, before) & where).any()


@pytest.mark.parametrize("size", [(720, 1280), (481, 641), (64, 66)])
def test_a_quarter_is_half_of_a_half(size: tuple[int, int]) -> None:
    image = np.random.default_rng(1).integers(0, 255, (*size, 3), dtype=np.uint8)
    small = motion.shrink(image)
    assert small.shape == (size[0] // 4, size[1] // 4, 3)
    at_once = cv2.blur(cv2.resize(image, small.shape[1::-1], interpolation=cv2.INTER_AREA), (3, 3))
    assert np.abs(small.astype(int)[2:-2, 2:-2] - at_once[2:-2, 2:-2]).mean() < (2 if size[0] % 4 == 0 else 20)


def test_all_discs_are_each_ones_together(transet: BoardSet, stills: list[Any]) -> None:
    image = stills[0].picture()
    registration = register(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), [transet])
    assert registration is not None
    paper = PaperView(registration)
    centres = np.random.default_rng(2).uniform(-50, 470, (60, 2))
    together = np.zeros_like(paper.discs(centres, 20.0))
    for centre in centres:
        together |= paper.discs(centre[None], 20.0)
    assert together.any()
    assert np.array_equal(together, paper.discs(centres, 20.0))
    assert not paper.discs(centres[:0], 20.0).any()


@pytest.mark.parametrize("size", [(5, 4), (510, 512), (514, 512)])
def test_no_mask_has_more_blobs_than_labels(size: tuple[int, int]) -> None:
    """Single pixels, as near to one another as blobs can be, on both sides of the size up to which labels are short."""
    mask = np.zeros(size, np.bool_)
    mask[::2, ::2] = True
    labels, stats, middles = label_blobs(mask)
    count = int(mask.sum())
    assert labels.max() == count
    assert len(stats) == len(middles) == count + 1
    assert np.array_equal(np.sort(labels[mask]), np.arange(1, count + 1))
    assert (stats[1:, cv2.CC_STAT_AREA] == 1).all()


@settings(deadline=None)
@given(arrays(np.bool_, (9, 11)), st.integers(1, 12))
def test_large_blobs_are_those_of_enough_cells(mask: Any, least: int) -> None:
    large, labels = _large(mask, least)
    count, every = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)
    kept = [every == label for label in range(1, count) if np.count_nonzero(every == label) >= least]
    assert np.array_equal(large, np.any(kept, axis=0) if kept else np.zeros_like(mask))
    assert np.array_equal(labels > 0, large)
    assert len(set(labels[large].tolist())) == len(kept)


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (54, 160)])
@pytest.mark.parametrize("most", [3, 256])
def test_medians_of_levels_are_numpys(size: tuple[int, int], most: int) -> None:
    for seed in range(10):
        picture = np.random.default_rng(seed).integers(0, most, (*size, 3), dtype=np.uint8)
        assert np.array_equal(median_levels(picture), np.median(picture, axis=(0, 1)))


@settings(deadline=None)
@given(along=st.lists(st.floats(-20, 120), min_size=1, max_size=8), count=st.integers(2, 8))
def test_tokens_along_a_track_take_the_nearest_cells_in_order(along: list[float], count: int) -> None:
    middles = np.column_stack([np.arange(count) * 15.0, np.zeros(count)])
    area = Area(tuple(map(str, range(count))), (), middles, (0.0, 0.0, 0.0, 0.0))
    centres = np.column_stack([along, np.zeros(len(along))])
    cells = _in_order(area, centres)
    far = np.abs(np.array(along)[:, None] - middles[:, 0])
    if len(along) > count:
        assert cells == far.argmin(axis=1).tolist()
        return
    order = np.argsort(along, kind="stable")
    chosen = [cells[index] for index in order]
    assert chosen == sorted(set(chosen))
    cost = far[order] ** 2
    least = min(sum(cost[n, cell] for n, cell in enumerate(way)) for way in combinations(range(count), len(along)))
    assert sum(cost[n, cell] for n, cell in enumerate(chosen)) == pytest.approx(least)


@settings(deadline=None)
@given(
    points=arrays(np.float64, (7, 2), elements=st.floats(-100, 500)),
    z_mm=st.sampled_from([0.0, -8.0]),
    k1=st.floats(-0.2, 0.1),
)
def test_a_point_seen_is_where_it_was_projected_from(points: Any, z_mm: float, k1: float) -> None:
    pose = Pose((0.2, -0.15, 0.4), (-150.0, -200.0, 900.0), 1000.0, k1, (639.5, 359.5))
    assert np.allclose(pose.unproject(pose.project(points, z_mm), z_mm), points, atol=0.5)


def test_a_palette_of_many_samples_is_about_that_of_their_tokens() -> None:
    rng = np.random.default_rng(3)
    for board_set in installed_sets().values():
        means = first_palette(board_set).means
        tokens = np.repeat(means, 5, axis=0) + rng.normal(0, 0.02, (5 * len(means), 3))
        samples = np.repeat(tokens, 9, axis=0) + rng.normal(0, 0.01, (45 * len(means), 3))
        assert (
            np.abs(fit_palette(board_set, tokens).means - rough_palette(board_set, samples, 1 / 9).means).max() < 0.02
        )


@settings(deadline=None)
@given(kinds=st.lists(st.integers(0, 6), min_size=1, max_size=60), seed=st.integers(0, 99))
def test_the_middles_of_each_kind_are_its_medians(kinds: list[int], seed: int) -> None:
    seen, of = np.random.default_rng(seed).normal(size=(len(kinds), 3)), np.array(kinds)
    present, middles, counts = palette._middles(seen, of)
    assert present.tolist() == sorted(set(kinds))
    for kind, middle, count in zip(present, middles, counts, strict=True):
        assert np.allclose(middle, np.median(seen[of == kind], axis=0))
        assert count == kinds.count(int(kind))


@settings(deadline=None)
@given(seed=st.integers(0, 999))
def test_a_step_of_the_palette_is_that_of_least_squares(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bodies = rng.uniform(0.01, 0.9, (5, 3))
    prior, spread = np.repeat([0.8, 0.06], 3), np.repeat([0.15, 0.03], 3)
    true = prior + rng.normal(0, 1, 6) * spread * [0.5, 0.5, 0.5, 0.3, 0.3, 0.3]
    targets, trust = palette.looks(bodies, true[:3], true[3:]), rng.uniform(10, 40, (5, 1))

    def cost(state: Any) -> float:
        missed = (targets - palette.looks(bodies, state[:3], state[3:])) * trust
        return float((missed**2).sum() + (((state - prior) / spread) ** 2).sum())

    state = prior
    for _ in range(4):
        state = palette._step(bodies, targets, trust, state, prior, spread)
    for index in range(6):
        for change in (-1e-3, 1e-3):
            assert cost(state + change * np.eye(6)[index]) > cost(state) - 1e-6


def test_a_place_is_the_same_alone_and_among_all(transet: BoardSet, stills: list[Any]) -> None:
    eye = Eye([transet])
    sighting = eye.look(stills[0].picture())
    ground = Ground.of(transet, {})
    for token in sighting.tokens:
        home = ground.home(*token.centre_mm)
        assert (home.nearest(*token.centre_mm) if home else None) == token.site


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 999), lean=st.floats(-0.09, 0.09))
def test_rows_moved_and_averaged_at_once_are_those_moved_one_by_one(seed: int, lean: float) -> None:
    rng = np.random.default_rng(seed)
    both, rows_mm = rng.uniform(size=(2, 9, 30)).astype(np.float32), np.arange(9) * 9.0 - 36
    columns = np.arange(30)
    for votes, moved in zip(both, _slanted(both, rows_mm, (lean, 0.05)), strict=True):
        for slope, found in zip((lean, 0.05), moved, strict=True):
            each = [
                np.interp(columns + y * slope, np.arange(-1, 31), [0, *row, 0])
                for y, row in zip(rows_mm, votes, strict=True)
            ]
            assert np.allclose(found, np.mean(each, axis=0), atol=1e-5)


@settings(deadline=None, max_examples=30)
@given(turn=arrays(np.float64, 3, elements=st.floats(-0.6, 0.6)), k1=st.floats(-0.2, 0.1), inset=st.floats(0, 0.6))
def test_what_a_fit_misses_and_its_slopes_are_the_poses(turn: Any, k1: float, inset: float) -> None:
    rng, centre = np.random.default_rng(1), (639.5, 359.5)
    at_mm, inward = rng.uniform(0, 300, (12, 2)), np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]] * 4)
    seen_px, line_px, normal = rng.uniform(0, 700, (12, 2)), rng.uniform(0, 700, (5, 2)), rng.normal(size=(5, 2))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    lines = Lines(rng.uniform(0, 300, (5, 2)), line_px, normal, rng.uniform(0.2, 1, 5))
    state = np.array([*turn, -150.0, -200.0, 900.0, np.log(1000.0), k1, inset])
    told = _Told.of(at_mm, inward, seen_px, lines, centre)
    misses, slopes = told.misses(state)
    pose = Pose(tuple(turn), (-150.0, -200.0, 900.0), 1000.0, k1, centre)
    corners = (seen_px - pose.project(at_mm + inset * inward)) / CORNER_SIGMA_PX
    across = ((line_px - pose.project(lines.at_mm)) * normal).sum(axis=1) * lines.weight / LINE_SIGMA_PX
    assert np.allclose(misses, np.concatenate([*corners.T, across]), atol=1e-6)
    for index in range(9):
        step = np.eye(9)[index] * 1e-5
        beyond, before = (told.misses(state + way * step)[0] for way in (1, -1))
        assert np.allclose((before - beyond) / 2e-5, slopes[index], rtol=1e-3, atol=1e-2)


@settings(deadline=None, max_examples=30)
@given(turn=arrays(np.float64, 3, elements=st.floats(-0.6, 0.6)), way=arrays(np.float64, 9, elements=st.floats(-1, 1)))
def test_a_short_step_of_a_fit_is_just_that(turn: Any, way: Any) -> None:
    state = np.array([*turn, -150.0, -200.0, 900.0, np.log(1000.0), -0.1, 0.3])
    step = way * [1, 1, 1, 500, 500, 500, 1, 1, 1] * 1e-3
    apart = np.abs(_moved(state, step, (150.0, 120.0)) - state - step) / [1, 1, 1, 500, 500, 500, 1, 1, 1]
    assert apart.max() < 5e-5  # which is small of the second order


@settings(deadline=None, max_examples=30)
@given(lean=arrays(np.float64, 2, elements=st.floats(-0.12, 0.12)), spin=st.floats(-3, 3), log=st.floats(0.2, 0.6))
def test_a_long_step_stays_where_the_picture_is_the_same(lean: Any, spin: float, log: float) -> None:
    """From straight above nearly the same is seen with a longer lens from farther away."""
    turn = cv2.Rodrigues(cv2.Rodrigues(np.array([*lean, 0.0]))[0] @ cv2.Rodrigues(np.array([0.0, 0.0, spin]))[0])[0]
    middle = np.array([200.0, 150.0])
    at = np.array([20.0, -10.0, 800.0]) - cv2.Rodrigues(turn)[0][:, :2] @ middle
    state = np.array([*turn[:, 0], *at, np.log(1000.0), -0.1, 0.3])
    rim = np.array([[0.0, 0.0], [400.0, 0.0], [400.0, 300.0], [0.0, 300.0]])
    told = _Told.of(rim, np.zeros((4, 2)), np.zeros((4, 2)), None, (639.5, 359.5))
    before, slopes = told.misses(state)
    known = slopes[:7] @ slopes[:7].T  # what else changes as the focal length does, while the picture changes least
    step = np.zeros(9)
    step[6] = log
    step[:6] = -np.linalg.solve(known[:6, :6], known[:6, 6]) * log
    plain, bent = (np.abs(told.misses(to)[0] - before).max() for to in (state + step, _moved(state, step, (200, 150))))
    assert bent < 0.25 * plain
