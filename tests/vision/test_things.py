"""Things that are no tokens, drawn on recorded pictures, on the board and beside it: hidden, never a piece.

Each thing is a stack of outlines from the table up, seen through the picture's own lens, with a shadow and soft edges.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.artwork import token_raster
from vision.boardset import BoardSet
from vision.camera.painter import Painter
from vision.camera.world import World
from vision.eye import Eye
from vision.registration import Registration
from vision.sighting import Sighting

DATA = Path(__file__).parents[1] / "data"
STILLS = {"transet": "transet-a", "taasen": "taasen-a", "transfer": "transfer-a"}
FAR_MM, TEXTURE = 45.0, 6.0
MUCH = 0.6  # of a token's square: so much of a site covered could hide a token there
Layer = tuple[Any, float, Any]  # outline in mm, height in mm, BGR colour or a texture (h, w, 3) over its rectangle
Paint = Any


def disc(radius: float) -> Any:
    turn = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    return np.column_stack([np.cos(turn), np.sin(turn)]) * radius


def box(width: float, depth: float) -> Any:
    return np.array([[-width, -depth], [width, -depth], [width, depth], [-width, depth]]) / 2


def sheet(width: float, depth: float, colour: Paint) -> Any:
    return np.full((round(depth * TEXTURE), round(width * TEXTURE), 3), colour, np.uint8)


def tall(outline: Any, height_mm: float, side: Paint, top: Paint, grow: float = 1.0) -> list[Layer]:
    walls = [
        (outline * (1 + (grow - 1) * share), height_mm * share, side)
        for share in np.linspace(0, 1, max(2, int(height_mm / 2)))
    ]
    return [*walls, (outline * grow, height_mm, top)]


def marked(board_set: BoardSet, kind: str, side_mm: float, ground: Paint | None = None) -> Any:
    """A square sheet in a token's colour, or another, with its mark in the middle, life-size."""
    top = token_raster(board_set, kind, TEXTURE)
    body = board_set.tokens.colours[board_set.split(kind)[0]].body[::-1]
    paper = sheet(side_mm, side_mm, body if ground is None else ground)
    core = round(0.76 * len(top)) // 2 * 2
    inner, start = (len(top) - core) // 2, (len(paper) - core) // 2
    paper[start : start + core, start : start + core] = top[inner : inner + core, inner : inner + core]
    if ground is not None:
        here = paper[start : start + core, start : start + core]
        here[np.abs(here.astype(int) - body).max(axis=2) < 40] = ground
    return paper


def shining_cup(board_set: BoardSet) -> list[Layer]:
    """In the colour of the first tokens with light marks; the shine inside is as large as a mark."""
    inside = np.array(board_set.tokens.colours[list(board_set.tokens.colours)[1]].body[::-1]) * 0.8
    cup = tall(disc(30), 70, inside * 0.8, inside * 1.1, 1.2)
    spots = ((7.0, 30), (5.0, 60), (3.0, 90))
    shine = [(disc(size) + (8, 4), 60.0, np.minimum(inside + add, 255)) for size, add in spots]  # noqa: RUF005
    return [*cup, (disc(34), 65.0, inside), *shine]


def note(_: BoardSet) -> list[Layer]:
    paper = sheet(110, 80, (236, 238, 238))
    for row in range(6):
        place = (round(6 * TEXTURE), round((12 + 12 * row) * TEXTURE))
        cv2.putText(paper, "X | + O  * V A", place, cv2.FONT_HERSHEY_DUPLEX, TEXTURE / 4, (60, 50, 50), 4, cv2.LINE_AA)
    return tall(box(110, 80), 0.4, (190, 190, 190), paper)


def blank(_: BoardSet) -> list[Layer]:
    return tall(box(105, 148), 0.4, (190, 190, 190), (233, 235, 235))


def letters(board_set: BoardSet) -> list[Layer]:
    """A large sheet in a token's own colour with that token's own mark."""
    top = marked(board_set, board_set.kinds[-1], 70) if board_set.tokens.marks else (0, 159, 230)
    return tall(box(70, 70), 0.4, (120, 120, 120), top)


def coaster(board_set: BoardSet) -> list[Layer]:
    kind = board_set.kinds[0]
    size = 1.7 * board_set.tokens.size_mm
    top = marked(board_set, kind, size) if board_set.tokens.marks else np.array([178.0, 114, 0])
    return tall(disc(size / 2), 4, (90, 90, 90), top)


def strange_sticker(board_set: BoardSet) -> list[Layer]:
    """A token's size and mark, in a colour the set doesn't have."""
    size, odd = board_set.tokens.size_mm, (200, 60, 170)
    light = [kind for kind in board_set.kinds if board_set.tokens.colours[board_set.split(kind)[0]].mark]
    top = marked(board_set, light[0], size, odd) if light else odd
    return tall(disc(size / 2), 1, odd, top)


def pawn(_: BoardSet) -> list[Layer]:
    cone = [(disc(12 - 0.3 * height), float(height), (140, 70, 20)) for height in range(0, 24, 2)]
    return [*cone, (disc(6), 26.0, (150, 80, 25)), (disc(1.5) + 2, 27.0, (250, 240, 220))]


THINGS: dict[str, Callable[[BoardSet], list[Layer]]] = {
    "coin": lambda _: tall(disc(12), 2, (50, 90, 120), (80, 140, 185)),
    "pencil": lambda _: [*tall(box(150, 7), 7, (20, 60, 150), (40, 150, 230)), (box(150, 2), 7.0, (120, 210, 250))],
    "phone": lambda _: tall(box(74, 150), 8, (18, 18, 18), (26, 24, 22)),
    "die": lambda _: [*tall(box(16, 16), 16, (170, 170, 170), (235, 235, 235)), (disc(1.8), 16.0, (20, 20, 20))],
    "eraser": lambda _: tall(box(44, 22), 12, (40, 90, 20), (70, 150, 50)),
    "brick": lambda _: tall(box(48, 32), 10, (150, 110, 50), (225, 175, 90)),
    "ring": lambda _: [(disc(13), 1.0, (60, 170, 210)), (disc(9), 0.5, None)],
    "blank paper": blank,
    "note": note,
    "letters": letters,
    "shining cup": shining_cup,
    "coaster": coaster,
    "strange sticker": strange_sticker,
    "pawn": pawn,
}


def draw(
    image: Any, registration: Registration, layers: list[Layer], at_mm: tuple[float, float], turn: float
) -> tuple[Any, Any]:
    """The picture with a thing at a place, and where the thing is seen (h, w)."""
    pose = registration.pose
    spin = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    places = [pose.project(outline @ spin + at_mm, -z_mm) for outline, z_mm, _ in layers]
    shadows = [pose.project(outline @ spin + at_mm + np.array([0.5, 0.3]) * z_mm) for outline, z_mm, _ in layers]
    blur_px = 3 + max(z_mm for _, z_mm, _ in layers) / 12
    every, reach_px = np.concatenate([*places, *shadows]), 4 * blur_px + 8
    left, top = np.maximum(every.min(axis=0) - reach_px, 0).astype(int)
    right, bottom = np.minimum(every.max(axis=0) + reach_px, image.shape[1::-1]).astype(int)
    part, height, width = np.s_[top:bottom, left:right], bottom - top, right - left  # elsewhere nothing changes
    paper = pose.project(np.clip(np.array([at_mm]), 0, registration.board_set.sheet_mm))[0].astype(int)
    near = image[max(0, paper[1] - 60) : paper[1] + 60, max(0, paper[0] - 60) : paper[0] + 60]
    light = np.percentile(near.reshape(-1, 3), 85, axis=0) / 240
    cover, colours = np.zeros((height, width), np.float32), np.zeros((height, width, 3), np.float32)
    shade = np.zeros((height, width), np.float32)
    for (_, z_mm, paint), place, fallen in zip(layers, places, shadows, strict=True):
        seen = np.round((place - (left, top)) * 16).astype(np.int32)
        here = cv2.fillPoly(np.zeros((height, width), np.float32), [seen], 1.0, cv2.LINE_AA, 4)
        if paint is None:  # a hole
            cover *= 1 - here
            continue
        cv2.fillPoly(shade, [np.round((fallen - (left, top)) * 16).astype(np.int32)], 1.0, cv2.LINE_8, 4)
        drawn = np.zeros((height, width, 3), np.float32)
        if isinstance(paint, np.ndarray) and paint.ndim == 3:
            corners = box(paint.shape[1] / TEXTURE, paint.shape[0] / TEXTURE) @ spin + at_mm
            flat = np.array([[0, 0], [paint.shape[1], 0], paint.shape[1::-1], [0, paint.shape[0]]], np.float32)
            warp = cv2.getPerspectiveTransform(
                flat - 0.5, (pose.project(corners, -z_mm) - (left, top)).astype(np.float32)
            )
            soft = cv2.GaussianBlur(paint, (0, 0), TEXTURE / registration.px_per_mm() / 2).astype(np.float32)
            drawn = cv2.warpPerspective(soft, warp, (width, height), borderMode=cv2.BORDER_REPLICATE)
        else:
            drawn[:] = paint
        colours = colours * (1 - here[:, :, None]) + drawn * here[:, :, None]
        cover = np.maximum(cover, here)
    solid = cover > 0.5
    shadow = cv2.GaussianBlur(shade, (0, 0), blur_px)[:, :, None]
    both = cv2.GaussianBlur(np.dstack([colours * cover[:, :, None], cover]), (0, 0), 0.8)
    lit = both[:, :, :3] * 0.86 * light + 10 * both[:, :, 3:]
    noise = grain(image.shape[:2])[part] * solid[:, :, None]
    out, where = image.copy(), np.zeros(image.shape[:2], np.bool_)
    out[part] = np.clip(image[part] * (1 - 0.35 * shadow) * (1 - both[:, :, 3:]) + lit + noise, 0, 255)
    where[part] = solid
    return out, where


@lru_cache(maxsize=2)
def grain(shape: tuple[int, int]) -> Any:
    """A camera's noise (h, w, 1)."""
    return np.random.default_rng(7).normal(0, 1.6, (*shape, 1))


def check(board_set: BoardSet, registration: Registration, before: Sighting, now: Sighting, solid: Any) -> None:
    """Nothing invented, nothing covered called empty, nothing far away called hidden."""
    size_mm, scale = board_set.tokens.size_mm, registration.px_per_mm()
    assert now.game == board_set.game
    for token in now.tokens:
        same = [one for one in before.tokens if np.hypot(*np.subtract(one.centre_mm, token.centre_mm)) < 0.4 * size_mm]
        assert [(one.kind, one.site) for one in same] == [(token.kind, token.site)]
    left = [(token.kind, token.site) for token in now.tokens]
    for token in before.tokens:
        if (token.kind, token.site) not in left and token.site is not None:
            assert token.site in now.hidden, f"{token.site} is not seen and not hidden"
    away = cv2.distanceTransform((~solid).astype(np.uint8), cv2.DIST_L2, 5) / scale
    for site in board_set.sites:
        corners = np.round(registration.pose.project(np.asarray(site.polygon_mm))).astype(np.int32)
        low, high = np.maximum(corners.min(axis=0), 0), corners.max(axis=0) + 1
        part = np.s_[low[1] : high[1], low[0] : high[0]]
        area = cv2.fillPoly(np.zeros(solid[part].shape, np.uint8), [corners - low], 1) > 0
        if np.count_nonzero(area & solid[part]) / scale**2 > MUCH * size_mm**2 and site.id not in now.on():
            assert site.id in now.hidden, f"{site.id} is covered and not hidden"
        if away[part][area].min() > FAR_MM:
            assert site.id not in now.hidden, f"{site.id} is hidden far from anything"
            assert now.on().get(site.id) == before.on().get(site.id)


@pytest.fixture(scope="module")
def scenes() -> dict[str, tuple[BoardSet, Any, Sighting, Registration]]:
    made = {}
    for game, sequence in STILLS.items():
        board_set = BoardSet.load(DATA / "sets" / f"{game}.toml")
        image = cv2.imread(str(DATA / "frames" / sequence / "frame_000000.jpg"))
        eye = Eye([board_set])
        seen = eye.look(image)
        assert eye.registration is not None
        assert not seen.hidden
        made[game] = board_set, image, seen, eye.registration
    return made


PLACES = {
    "transet": ((150.0, 205.0), (-60.0, 230.0)),
    "taasen": ((135.0, 190.0), (-50.0, 110.0)),
    "transfer": ((120.0, 190.0), (345.0, 200.0)),
}


@pytest.mark.parametrize("game", STILLS)
@pytest.mark.parametrize("thing", THINGS)
def test_a_thing_is_hidden_and_never_a_piece(scenes: Any, game: str, thing: str) -> None:
    board_set, image, before, registration = scenes[game]
    for number, place in enumerate(PLACES[game]):
        picture, solid = draw(image, registration, THINGS[thing](board_set), place, 0.4 + number)
        check(board_set, registration, before, Eye([board_set]).look(picture), solid)


def test_a_dark_thing_over_a_dark_site_takes_its_tokens_out_of_sight(scenes: Any) -> None:
    board_set, image, before, registration = scenes["taasen"]
    picture, solid = draw(image, registration, THINGS["phone"](board_set), board_set.centre("9"), 0.2)
    seen = Eye([board_set]).look(picture)
    assert "9" in seen.hidden
    check(board_set, registration, before, seen, solid)


@pytest.mark.parametrize(("number", "lamp"), [(0, 1.0), (13, 1.0), (33, 1.0), (0, 0.5), (13, 0.3)])
def test_a_small_black_thing_on_green_or_blue_hides_its_site(number: int, lamp: float) -> None:
    """In dim light, too, where noise hides the edges of black."""
    board_set = BoardSet.load(DATA / "sets" / "taasen.toml")
    image = cv2.imread(str(DATA / "frames" / "taasen-b" / f"frame_{number:06}.jpg"))
    if lamp < 1:
        noise = np.random.default_rng(number).normal(0, 1.5, image.shape)
        image = np.clip(image * lamp + noise, 0, 255).astype(np.uint8)
    eye = Eye([board_set])
    before = eye.look(image)
    assert eye.registration is not None
    strong = [site.id for site in board_set.sites if min(site.fill) < 110 and max(site.fill) > 100]
    free = [site for site in strong if site not in before.on()]
    assert len(free) >= 3
    assert not before.hidden.intersection(free)
    for site in free:
        die = tall(box(16.0, 16.0), 16.0, (14, 12, 10), (24, 20, 16))
        picture, _ = draw(image, eye.registration, die, board_set.centre(site), 0.5)
        assert site in Eye([board_set]).look(picture).hidden, site


@pytest.mark.parametrize(
    ("site", "radius", "grey"), [("c5", 20.0, 60), ("c5", 20.0, 90), ("b2", 22.0, 90), ("c3", 17.0, 60)]
)
def test_a_grey_thing_is_no_round_shadow(site: str, radius: float, grey: int) -> None:
    """It darkens paper as shade does, but nothing stands there that would cast such a shade."""
    board_set = BoardSet.load(DATA / "sets" / "transet.toml")
    image = cv2.imread(str(DATA / "frames" / "transet-b" / "frame_000000.jpg"))
    eye = Eye([board_set])
    eye.look(image)
    assert eye.registration is not None
    thing = tall(disc(radius), 5.0, (grey * 0.8,) * 3, (grey,) * 3)
    picture, _ = draw(image, eye.registration, thing, np.add(board_set.centre(site), (4.0, 3.0)), 0.5)
    assert site in Eye([board_set]).look(picture).hidden


def test_gloss_towards_a_lamp_makes_no_blue_sky() -> None:
    board_set = BoardSet.load(DATA / "sets" / "transfer.toml")
    truth = json.loads((DATA / "frames" / "transfer-r" / "truth.json").read_text())
    for frame in truth["frames"]:
        seen = Eye([board_set]).look(cv2.imread(str(DATA / "frames" / "transfer-r" / frame["file"])))
        placed = {site: tuple(kinds) for site, kinds in frame["placement"].items()}
        assert {site: kinds for site, kinds in seen.on().items() if "." not in site} == placed
        for rail, card in frame["platforms"].items():
            assert seen.platforms is not None
            found = seen.platforms[rail]
            assert found is not None
            assert list(found.slots) == card["slots"]
        assert (seen.hidden, seen.off()) == (frozenset(), ())
        assert all(sorted(token.likelihoods.values())[-2] < -3 for token in seen.tokens)


@pytest.mark.parametrize("strength", [0.04, 0.08])
@pytest.mark.parametrize("side", ["left", "right", "top"])
def test_a_veil_that_grows_to_one_side_changes_no_colour(side: str, strength: float) -> None:
    board_set = BoardSet.load(DATA / "sets" / "transfer.toml")
    truth = json.loads((DATA / "frames" / "transfer-e" / "truth.json").read_text())
    frame = next(one for one in truth["frames"] if not one["hand"])
    image = cv2.imread(str(DATA / "frames" / "transfer-e" / frame["file"]))
    eye = Eye([board_set])
    eye.look(image)
    assert eye.registration is not None
    across = np.linspace(1, 0, image.shape[0 if side == "top" else 1])
    across = across[::-1] if side == "right" else across
    ramp = across[:, None, None] if side == "top" else across[None, :, None]
    tops = np.zeros(image.shape[:2], np.float32)  # paper is matt, tokens shine
    for token in eye.look(image).tokens:
        square = np.round(eye.registration.pose.project(box(26, 26) + token.centre_mm, -6.0)).astype(np.int32)
        cv2.fillPoly(tops, [square], 1.0)
    light = (image / 255.0) ** 2.2 + strength * ramp * cv2.GaussianBlur(tops, (0, 0), 1.0)[:, :, None]
    seen = Eye([board_set]).look((255 * np.clip(light, 0, 1) ** (1 / 2.2)).astype(np.uint8))
    placed = {site: tuple(kinds) for site, kinds in frame["placement"].items()}
    assert not [site for site, kinds in seen.on().items() if "." not in site and kinds != placed.get(site)]


@pytest.mark.parametrize("seed", range(8))
def test_tokens_of_like_colours_in_a_block_are_each_found(seed: int) -> None:
    """Blue and sky lie close in tint: a block of them is one patch, whatever its shape and gaps."""
    board_set = BoardSet.load(DATA / "sets" / "transfer.toml")
    random = np.random.default_rng(seed)
    block = [f"{row}{cell}" for row in "DEF" for cell in (2, 3, 4) if random.random() < 0.8]
    start = {site: (str(random.choice(["blue", "sky"])),) for site in block}
    start |= {"A1": ("orange",), "I5": ("green",), "A5": ("yellow",), "I1": ("blue",), "H5": ("sky",)}
    world = World(board_set, start, seed=seed)
    picture = cv2.GaussianBlur(Painter(board_set).paint(world.snapshot()), (0, 0), 1.0)
    noisy = np.clip(picture + random.normal(0, 6, picture.shape), 0, 255).astype(np.uint8)
    seen = Eye([board_set]).look(noisy)
    assert {site: kinds for site, kinds in seen.on().items() if "." not in site} == start
    assert not seen.hidden


def taasen_still(sequence: str, number: int) -> tuple[BoardSet, Any, Eye, Sighting]:
    board_set = BoardSet.load(DATA / "sets" / "taasen.toml")
    image = cv2.imread(str(DATA / "frames" / sequence / f"frame_{number:06}.jpg"))
    eye = Eye([board_set])
    return board_set, image, eye, eye.look(image)


@pytest.mark.parametrize(("sequence", "number"), [("taasen-a", 0), ("taasen-b", 13), ("taasen-e", 0)])
def test_a_thing_of_the_grounds_own_colour_hides_its_site(sequence: str, number: int) -> None:
    """Its edges tell: it casts shade on itself and on the ground, and no shadow's edge runs round so little."""
    board_set, image, eye, before = taasen_still(sequence, number)
    assert eye.registration is not None
    strong = [site for site in board_set.sites if min(site.fill) < 110 and max(site.fill) > 100]
    free = [site for site in strong if site.id not in before.on()]
    assert len(free) >= 3
    for turn, site in enumerate(free):
        top = np.array(site.fill[::-1]) * 0.8
        die = tall(box(18.0, 18.0), 16.0, top * 0.5, top)
        picture, _ = draw(image, eye.registration, die, board_set.centre(site.id), 0.3 * turn)
        assert site.id in Eye([board_set]).look(picture).hidden, site.id


@pytest.mark.parametrize(("sequence", "number"), [("taasen-a", 0), ("taasen-b", 0), ("taasen-e", 0)])
def test_a_token_of_a_stacked_corner_that_a_dark_thing_half_covers_is_not_lost(sequence: str, number: int) -> None:
    """What is left of it is seen: it is no shade of the two beside it."""
    board_set, image, eye, before = taasen_still(sequence, number)
    assert eye.registration is not None
    for token in before.tokens:
        assert token.site is not None
        outer = np.subtract(token.centre_mm, board_set.centre(token.site))
        across = np.array([-outer[1], outer[0]]) / np.hypot(*outer)
        key = tall(box(56.0, 13.0), 2.0, (40, 42, 44), (52, 56, 58))
        place = tuple(np.array(token.centre_mm) + 3.0 * outer / np.hypot(*outer))
        picture, solid = draw(image, eye.registration, key, place, -float(np.arctan2(across[1], across[0])))
        check(board_set, eye.registration, before, Eye([board_set]).look(picture), solid)


@pytest.mark.parametrize("turn", [0.0, 0.6, 1.2, 2.2])
def test_a_dark_pencil_is_no_strip_of_shade(scenes: Any, turn: float) -> None:
    """Of the paper's tint, and dark as shade is, with paper on both sides: but shade is not so narrow."""
    board_set, image, before, registration = scenes["transet"]
    for dark in (0.2, 0.3):
        grey = np.array([66.0, 72.0, 76.0]) * dark / 0.3
        pencil = [*tall(box(150.0, 7.0), 7.0, grey * 0.7, grey), (box(150.0, 2.0), 7.5, grey * 1.2)]
        picture, solid = draw(image, registration, pencil, (150.0, 215.0), turn)
        seen = Eye([board_set]).look(picture)
        check(board_set, registration, before, seen, solid)
        for site in board_set.sites:
            corners = np.round(registration.pose.project(np.asarray(site.polygon_mm))).astype(np.int32)
            area = cv2.fillPoly(np.zeros(solid.shape, np.uint8), [corners], 1) > 0
            if np.count_nonzero(area & solid) / registration.px_per_mm() ** 2 > 150 and site.id not in seen.on():
                assert site.id in seen.hidden, site.id


@pytest.mark.parametrize("grey", [100, 160])
@pytest.mark.parametrize(("sequence", "number"), [("taasen-a", 0), ("taasen-b", 0), ("taasen-e", 0)])
def test_a_grey_thing_over_nearly_all_of_an_ink_is_no_gloss_on_it(sequence: str, number: int, grey: int) -> None:
    board_set, image, eye, before = taasen_still(sequence, number)
    assert eye.registration is not None
    phone = tall(rounded(74.0, 150.0), 8.0, (40, 40, 40), (grey, grey, grey))
    for turn in (1.2, 1.9):
        picture, solid = draw(image, eye.registration, phone, (235.0, 200.0), turn)
        seen = Eye([board_set]).look(picture)
        assert seen.hidden >= {"6", "12"} - seen.on().keys()
        check(board_set, eye.registration, before, seen, solid)


def rounded(width: float, depth: float) -> Any:
    """A rectangle with round corners."""
    turn = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    corner = np.sign(np.column_stack([np.cos(turn + 0.01), np.sin(turn + 0.01)]))
    return corner * (width / 2 - 8, depth / 2 - 8) + 8 * np.column_stack([np.cos(turn), np.sin(turn)])
