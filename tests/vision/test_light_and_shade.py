"""Real light: hard shadows, lamps, glare, too much exposure; and things that must not be taken for any of these."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest
from recorded import DATA, SEQUENCES, board_of, still

from vision.eye import Eye
from vision.lifting import HardEdges, lift_shadows
from vision.shade import unexplained


def clip(values: Any) -> Any:
    return np.clip(values + 0.5, 0, 255).astype(np.uint8)


def beyond(image: Any, angle: float, at: float, soft_px: float = 2.0) -> Any:
    """1 beyond a straight edge through the picture, 0 before it, (h, w, 1)."""
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    along = (x - width / 2) * np.cos(angle) + (y - height / 2) * np.sin(angle)
    return np.clip((along - at) / soft_px + 0.5, 0, 1)[:, :, None]


def shaded(image: Any, angle: float, at: float, left: Any = 0.5) -> Any:
    return clip(image * (1 - (1 - np.asarray(left, np.float32)) * beyond(image, angle, at)))


@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("left", [0.5, (0.56, 0.5, 0.46)])
def test_a_hard_shadow_on_the_board_changes_nothing(sequence: str, left: Any) -> None:
    image, standing = still(sequence)
    eye = Eye([board_of(sequence)])
    for angle, at in ((0.3, -60.0), (0.3, 20.0), (1.9, 40.0)):
        seen = eye.look(shaded(image, angle, at, left))
        assert seen.on() == standing, (angle, at)
        assert (seen.hidden, seen.hand) == (frozenset(), False), (angle, at)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_a_hard_shadow_that_moves_over_the_table_is_no_hand(sequence: str) -> None:
    image, standing = still(sequence)
    eye, frame = Eye([board_of(sequence)]), 0
    for at in (None, -300.0, -120.0, 10.0, 160.0):
        picture = image if at is None else shaded(image, 2.6, -at)
        for _ in range(6):
            seen = eye.see(picture, frame * 0.1, frame)
            frame += 1
        assert seen.on() == standing, at
        assert (seen.hidden, seen.hand) == (frozenset(), False), at


def after_a_jump(sequence: str, first: Any, then: Any) -> Any:
    """What is seen of a second picture after the first one was settled."""
    eye = Eye([board_of(sequence)])
    for frame in range(24):
        seen = eye.see(first if frame < 16 else then, frame * 0.1, frame)
    return seen


@pytest.mark.parametrize("by_px", [24, 30, 50, -24, -30, -50])
@pytest.mark.parametrize("angle", [0.4, 1.9, 2.6, 4.0, 5.3])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_a_shadow_that_moves_by_a_narrow_strip_is_no_hand(sequence: str, angle: float, by_px: float) -> None:
    image, standing = still(sequence)
    at = 230.0 if by_px > 0 else -180.0
    seen = after_a_jump(sequence, shaded(image, angle, at), shaded(image, angle, at + by_px))
    assert not seen.hand
    assert seen.on() == standing


@pytest.mark.parametrize("sequence", ["transet-a", "taasen-a"])  # on the third one's dark table shade shows nothing
@pytest.mark.parametrize("where", ["in the light", "across the edge", "in the shade"])
def test_a_grey_thing_laid_beside_a_shadows_edge_is_no_moved_shadow(sequence: str, where: str) -> None:
    """It darkens its place evenly, as shade does, but has an edge on either side."""
    image, _ = still(sequence)
    before = shaded(image, 0.0, 480.0)  # on the table, right of the sheet
    rows, columns = {
        "in the light": (slice(250, 600), slice(1060, 1090)),
        "across the edge": (slice(400, 430), slice(1040, 1200)),
        "in the shade": (slice(250, 600), slice(1160, 1190)),
    }[where]
    after = before.copy()
    after[rows, columns] = clip(after[rows, columns] * 0.45)
    assert after_a_jump(sequence, before, after).hand


def covered_by(image: Any, colour: tuple[int, int, int], light: Any) -> Any:
    """An arm over the lower half of the board, from the picture's edge on: round, with folds."""
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    across = (x - 0.2 * (y - height / 2) - width / 2) / 75
    arm = (np.abs(across) < 1) & (y > height * 0.5)
    round_ = np.sqrt(np.maximum(1 - across**2, 0.05))
    folds = 1 + 0.12 * np.sin(y / 9 + 2 * across)
    painted = np.array(colour, np.float32) * (round_ * folds)[:, :, None]
    return clip(np.where(arm[:, :, None], painted, image) * light)


@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("colour", [(120, 150, 205), (130, 130, 130), (28, 28, 28)], ids=["skin", "sleeve", "glove"])
def test_an_arm_in_a_hard_shadow_is_still_an_arm(sequence: str, colour: tuple[int, int, int]) -> None:
    image, standing = still(sequence)
    for at in (-40.0, 60.0):
        light = 1 - 0.5 * beyond(image, 1.5, at)
        eye = Eye([board_of(sequence)])
        before = clip(image * light)
        for frame in range(4):
            eye.see(before, frame * 0.1, frame)
        with_arm = covered_by(image, colour, light)
        seen = eye.see(with_arm, 0.4, 4)
        assert seen.hand
        for looked in (seen, Eye([board_of(sequence)]).look(with_arm)):
            assert looked.hidden
            for site, kinds in standing.items():
                assert site in looked.hidden or looked.on().get(site) == kinds, site
            assert all(site in standing or site in looked.hidden for site in looked.on())


def test_a_lifted_shadow_leaves_the_picture_as_it_was() -> None:
    image, _ = still("transet-a")
    eye = Eye([board_of("transet-a")])
    eye.look(image)
    where = eye.registration
    assert where is not None
    dark = shaded(image, 0.3, 0.0)
    height, width = (int(side // 2) for side in reversed(where.board_set.sheet_mm))
    columns, rows = np.meshgrid((np.arange(width) + 0.5) * 2, (np.arange(height) + 0.5) * 2)
    places = where.pose.project(np.column_stack([columns.ravel(), rows.ravel()]))
    off = (places[:, 0] - 640) * np.cos(0.3) + (places[:, 1] - 360) * np.sin(0.3)
    line = (np.abs(off) < 3).reshape(height, width)
    edges = HardEdges(line, np.zeros_like(line))
    lifted = next(lift_shadows(dark, where, edges, in_doubt=False))
    inside = np.zeros(image.shape[:2], np.uint8)
    corners = where.pose.project(np.array([[0, 0], [width * 2, 0], [width * 2, height * 2], [0, height * 2]], float))
    cv2.fillPoly(inside, [np.round(corners).astype(np.int32)], 1)
    away = np.abs(lifted.astype(int) - image).max(axis=2)[inside > 0]
    assert np.percentile(away, 95) < 12
    assert not list(lift_shadows(image, where, edges, in_doubt=False))  # nothing is darker beyond the line


@pytest.mark.parametrize("seed", range(12))
def test_whatever_edges_are_told_lifting_ends_with_pictures(seed: int) -> None:
    image, _ = still("transfer-a")
    eye = Eye([board_of("transfer-a")])
    eye.look(image)
    assert eye.registration is not None
    rng = np.random.default_rng(seed)
    size = tuple(int(side // 2) for side in reversed(board_of("transfer-a").sheet_mm))
    shadows, others = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
    for _ in range(60):
        shadows.flat[rng.integers(shadows.size, size=rng.integers(0, 14))] = True
        others.flat[rng.integers(others.size, size=rng.integers(0, 90))] = True
        row = rng.integers(size[0] - 4)  # two rows just too far apart for one line
        others[row, :: rng.integers(1, 9)] = others[row + 3, :: rng.integers(1, 9)] = True
        shadows &= rng.random(size) < 0.5
        others &= rng.random(size) < 0.5
        for lifted in lift_shadows(image, eye.registration, HardEdges(shadows, others), in_doubt=True):
            assert (lifted.shape, lifted.dtype) == (image.shape, image.dtype)


def shaded_from(image: Any, sequence: str, ends_mm: Any, lit_mm: Any, left: float = 0.5) -> Any:
    """A shadow with its edge through two places of the sheet; a third one is lit."""
    eye = Eye([board_of(sequence)])
    eye.look(image)
    assert eye.registration is not None
    (x, y), (to_x, to_y), lit = eye.registration.pose.project(np.array([*ends_mm, lit_mm], float))
    angle = np.arctan2(to_x - x, y - to_y)
    if (lit[0] - x) * np.cos(angle) + (lit[1] - y) * np.sin(angle) > 0:
        angle += np.pi
    at = (x - image.shape[1] / 2) * np.cos(angle) + (y - image.shape[0] / 2) * np.sin(angle)
    return shaded(image, angle, at, left)


@pytest.mark.parametrize("away_mm", [-6.0, -4.0, 4.0, 6.0, 8.0])
@pytest.mark.parametrize("sequence", ["taasen-a", "taasen-b", "taasen-e"])
@pytest.mark.parametrize("lit", ["board", "margin"])
def test_a_shadow_along_a_printed_border_is_lifted_by_its_own_depth(sequence: str, away_mm: float, lit: str) -> None:
    """The step from paper to dark ground beside it is none of the shadow's."""
    image, standing = still(sequence)
    board_set = board_of(sequence)
    base = max(y for site in board_set.sites for _, y in site.polygon_mm)
    width, height = board_set.sheet_mm
    ends = [(0.0, base + away_mm - 3), (width, base + away_mm + 3)]
    dark = shaded_from(image, sequence, ends, (width / 2, 0.0 if lit == "board" else height))
    seen = after_a_jump(sequence, image, dark)
    assert (seen.on(), seen.hidden, seen.hand) == (standing, frozenset(), False)


@pytest.mark.parametrize("turned_mm", [-80.0, -60.0, -40.0, 40.0, 60.0, 80.0])
@pytest.mark.parametrize("row", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("sequence", ["transfer-a", "transfer-b", "transfer-e"])
def test_a_shadow_whose_edge_lies_nearly_all_on_tokens_changes_nothing(
    sequence: str, row: int, turned_mm: float
) -> None:
    image, standing = still(sequence, -1)
    board_set = board_of(sequence)
    middle = board_set.centre(f"E{row}")
    ends = [(0.0, middle[1] - turned_mm / 2), (board_set.sheet_mm[0], middle[1] + turned_mm / 2)]
    seen = Eye([board_set]).look(shaded_from(image, sequence, ends, (board_set.sheet_mm[0] / 2, 0.0)))
    assert (seen.on(), seen.hidden, seen.hand) == (standing, frozenset(), False)


@pytest.mark.parametrize(
    ("sequence", "number", "angle", "at"),
    [
        ("transfer-b", 0, 1.75, 120.0),
        ("transfer-b", 2, 5.05, -40.0),
        ("transfer-e", 0, 1.75, 80.0),
        ("transfer-e", 0, 4.5, 35.0),
        ("transfer-e", 2, 0.1, 80.0),
        ("transet-b", 0, 1.75, -100.0),
        ("transet-b", 2, 5.6, -40.0),
    ],
)
def test_a_shadow_of_which_tokens_and_print_hide_the_edge_changes_nothing(
    sequence: str, number: int, angle: float, at: float
) -> None:
    image, standing = still(sequence, number)
    seen = Eye([board_of(sequence)]).look(shaded(image, angle, at))
    assert seen.on() == standing
    assert (seen.hidden, seen.uncertain, seen.hand) == (frozenset(), frozenset(), False)


@pytest.mark.parametrize("angle", [1.65, 1.7, 1.75])
def test_a_token_beside_the_board_is_seen_though_a_shadow_crosses_it(angle: float) -> None:
    image = cv2.imread(str(DATA / "frames" / "transet-a" / "frame_000054.jpg"))
    eye = Eye([board_of("transet-a")])
    assert eye.look(image).off() == ("light-PIAS",)
    token = np.array([1006, 683]) - (640, 360)
    for beside_px in (-4, 0, 4):
        at = float(token @ [np.cos(angle), np.sin(angle)]) + beside_px
        assert eye.look(shaded(image, angle, at)).off() == ("light-PIAS",), at
        assert eye.look(shaded(image, angle + np.pi, -at)).off() == ("light-PIAS",), at


def test_shade_whose_edge_leaves_the_picture_is_shade() -> None:
    before = np.full((90, 260, 3), (90, 140, 170), np.uint8)
    y, x = np.mgrid[0:90, 0:260].astype(np.float32)
    cover = np.clip((0.11 * (200 - x) - y) / 3 + 0.5, 0, 1)[:, :, None]  # nearly along the upper edge
    shade = clip(before * (1 - 0.5 * cover))
    blob = cover[:, :, 0] > 0.1
    assert unexplained(shade, before, blob, blob, np.zeros_like(blob))[0] < 4
    hand = shade.copy()
    hand[:10, 230:] = (120, 140, 200)
    blob[:10, 230:] = True
    assert unexplained(hand, before, blob, blob, np.zeros_like(blob))[0] > 200


def test_only_what_darkens_evenly_is_shade() -> None:
    rng = np.random.default_rng(3)
    before = np.repeat(rng.integers(60, 200, (90, 120, 1), np.uint8), 3, axis=2)
    blob = np.zeros((90, 120), np.bool_)
    blob[20:70, 30:100] = True
    solid = blob.copy()
    shade, sleeve = before.copy(), before.copy()
    shade[blob] = (before[blob] * 0.5).astype(np.uint8)
    assert unexplained(shade, before, blob, solid, np.zeros_like(blob))[0] < 12
    sleeve[blob] = 70
    assert unexplained(sleeve, before, blob, solid, np.zeros_like(blob))[0] > 1000
    tinted = shade.copy()
    tinted[blob] = (before[blob] * [0.3, 0.5, 0.7]).astype(np.uint8)
    assert unexplained(tinted, before, blob, solid, np.zeros_like(blob))[0] > 1000


@pytest.mark.parametrize("share", [0.4, 0.5, 0.65])
def test_shade_on_a_dark_table_with_pale_things_on_it_is_shade(share: float) -> None:
    before = np.full((60, 60, 3), (13, 16, 21), np.uint8)
    before[5:40, 20:35] = (44, 50, 56)
    blob = np.zeros((60, 60), np.bool_)
    blob[:50] = True
    solid = blob.copy()
    solid[:48] = False
    shade = before.copy()
    shade[blob] = clip(before[blob] * share)
    assert unexplained(shade, before, blob, solid, np.zeros_like(blob))[0] < 12


CURVES = [lambda v: v * 1.5, lambda v: v * 0.5, lambda v: 255 * (v / 255) ** 0.7, lambda v: 255 * (v / 255) ** 1.4]


@pytest.mark.parametrize("sequence", [*SEQUENCES, "taasen-b", "transet-e"])
@pytest.mark.parametrize("curve", CURVES, ids=["bright", "dim", "flat", "hard"])
def test_exposure_and_tone_hide_nothing(sequence: str, curve: Any) -> None:
    image, standing = still(sequence, 1)
    seen = Eye([board_of(sequence)]).look(clip(curve(image.astype(np.float32))))
    assert seen.on() == standing
    assert (seen.hidden, seen.hand, seen.glare) == (frozenset(), False, False)


@pytest.mark.parametrize("sequence", ["taasen-b", "transet-a", "transet-b"])
def test_noise_hides_no_lines(sequence: str) -> None:
    image, standing = still(sequence, 1)
    for seed in range(8):
        noise = 12 * np.random.default_rng(seed).standard_normal(image.shape, np.float32)
        seen = Eye([board_of(sequence)]).look(clip(image + noise))
        assert (seen.on(), seen.hidden) == (standing, frozenset()), seed


def test_print_that_is_nearly_blown_out_is_no_piece() -> None:
    for number in range(6):
        image, _ = still("taasen-a", number)
        for gain in (1.55, 1.7, 1.8):
            seen = Eye([board_of("taasen-a")]).look(clip(image * gain))
            assert not seen.off(), (number, gain)


@pytest.mark.parametrize(("site", "redder"), [("B3", -0.18), ("C4", -0.18), ("E3", 0.18), ("H4", 0.18)])
def test_a_square_a_little_off_its_colour_stays_one_in_a_steep_tone_curve(site: str, redder: float) -> None:
    image, standing = still("transfer-b")
    eye = Eye([board_of("transfer-b")])
    token = next(token for token in eye.look(image).tokens if token.site == site)
    where = eye.registration
    assert where is not None
    x, y = where.pose.project(np.array([token.centre_mm]), -where.board_set.tokens.height_mm)[0].astype(int)
    reach = int(11 * where.px_per_mm())
    tinted = image.astype(np.float32)
    tinted[y - reach : y + reach, x - reach : x + reach, 2] *= np.exp(redder)
    for power in (1.0, 1.4):
        assert eye.look(clip(255 * (tinted / 255) ** power)).on()[site] == standing[site], power


def test_compression_does_not_hide_dark_ground() -> None:
    for number in range(4):
        image, standing = still("taasen-b", number)
        for quality in (85, 50):
            packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
            seen = Eye([board_of("taasen-b")]).look(cv2.imdecode(packed, cv2.IMREAD_COLOR))
            assert seen.on() == standing
            assert not seen.hidden, (number, quality)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_glare_hides_sites_and_is_neither_piece_nor_hand_for_ever(sequence: str) -> None:
    image, standing = still(sequence)
    eye = Eye([board_of(sequence)])
    assert not eye.look(image).glare
    where = eye.registration
    assert where is not None
    width, height = where.board_set.sheet_mm
    y, x = np.mgrid[0 : image.shape[0], 0 : image.shape[1]].astype(np.float32)
    for share in ((0.5, 0.4), (0.45, 0.55), (0.6, 0.6)):
        at = where.pose.project(np.array([[width * share[0], height * share[1]]]))[0]
        spot = 600 * np.exp(-(((x - at[0]) / 45) ** 2 + ((y - at[1]) / 45) ** 2) * 0.9)
        eye.forget()
        for frame in range(12):
            seen = eye.see(clip(image + spot[:, :, None]), frame * 0.1, frame)
        assert seen.hidden
        assert seen.glare
        assert not seen.hand
        assert all(site in seen.hidden or seen.on().get(site) == kinds for site, kinds in standing.items())
        assert all(site in standing or site in seen.hidden for site in seen.on())
        assert not seen.off()


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_a_lamp_is_switched_on_in_mid_game(sequence: str) -> None:
    image, standing = still(sequence)
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    lamp = 0.55 * np.exp(-(((x - 0.2 * width) / 600) ** 2 + ((y - 0.1 * height) / 500) ** 2))[:, :, None]
    dusk = clip(image * np.float32(0.55))
    lit = clip(image * (0.55 + lamp * np.array([0.75, 1.0, 1.2], np.float32)))
    eye = Eye([board_of(sequence)])
    for frame in range(24):
        seen = eye.see(dusk if frame // 8 == 0 or frame // 8 == 2 else lit, frame * 0.1, frame)
        if frame % 8 > 4:
            assert seen.on() == standing, frame
            assert (seen.hidden, seen.hand) == (frozenset(), False), frame


def lamp_on(image: Any, angle: float, strength: float = 1.0) -> Any:
    """A dim room, with a warm lamp at one side of it."""
    height, width = image.shape[:2]
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
    near = 0.5 - (x * np.cos(angle) + y * np.sin(angle)) / (2 * (abs(np.cos(angle)) + abs(np.sin(angle))))
    warm = (0.2 + 0.5 * near[:, :, None]) * np.array([0.55, 0.8, 1.0], np.float32)
    return clip(image * (np.array([0.66, 0.6, 0.54], np.float32) + np.float32(strength) * warm))


@pytest.mark.parametrize("sequence", SEQUENCES)
@pytest.mark.parametrize("angle", [0.7, 3.1, 5.5])
def test_a_lamp_that_goes_on_at_one_side_is_no_hand(sequence: str, angle: float) -> None:
    image, standing = still(sequence)
    eye, dim, lit = Eye([board_of(sequence)]), lamp_on(image, angle, 0.0), lamp_on(image, angle)
    for frame in range(12):
        seen = eye.see(dim if frame < 4 else lit, frame * 0.1, frame)
        assert (seen.on(), seen.hidden, seen.hand) == (standing, frozenset(), False), frame
    arm = image.copy()
    arm[: image.shape[0] // 3, 40:130] = (120, 150, 205)
    seen = eye.see(lamp_on(arm, angle, 0.0), 1.5, 15)  # comes as the lamp goes off
    assert seen.hand
