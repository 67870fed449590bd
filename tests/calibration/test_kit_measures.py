"""The printed kit, measured: what a printer at 100 % gives is what the set says, to a fifth of a millimetre."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest

from calibration.kit import division, kit_pdf
from calibration.pdf import EDGE_MM, PAPERS
from calibration.sheets import charuco_pdf, stickers_pdf
from vision.boardset import BoardSet
from vision.registration import register

SETS = Path(__file__).parents[1] / "data" / "sets"
GAMES = ["transet", "taasen", "transfer"]
EXACT_MM = 0.2
PX = 6.0  # pixels a millimetre


@cache
def load(game: str) -> BoardSet:
    return BoardSet.load(SETS / f"{game}.toml")


@dataclass(frozen=True)
class Page:
    """One rasterised page: its size in mm, the picture as BGR at `px` pixels a millimetre, its words."""

    size: tuple[float, float]
    image: np.ndarray
    px: float
    words: str


def pages(pdf: bytes, px: float = PX, only: tuple[int, ...] | None = None) -> list[Page]:
    document = pypdfium2.PdfDocument(pdf)
    found = []
    for number, page in enumerate(document):
        if only is None or number in only:
            width, height = (side * 25.4 / 72 for side in page.get_size())
            image = np.ascontiguousarray(page.render(scale=px * 25.4 / 72).to_numpy()[..., :3])
            found.append(Page((width, height), image, px, page.get_textpage().get_text_bounded()))
    document.close()
    return found


def on_sheet(page: Page, left: float, top: float, x: float, y: float, size: tuple[int, int]) -> np.ndarray:
    """A page on the pixels of the joined sheet, its place (left, top) laid on the sheet's (x, y), all in mm."""
    across, down = page.image.shape[1] / page.size[0], page.image.shape[0] / page.size[1]  # a page has whole pixels
    shift_x, shift_y = (left - x) * across + (across / PX - 1) / 2, (top - y) * down + (down / PX - 1) / 2
    there = np.array([[across / PX, 0, shift_x], [0, down / PX, shift_y]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(page.image, there, size, flags=flags, borderValue=(255, 255, 255))


def joined(board: BoardSet, paper: str, scale: float) -> np.ndarray:
    """The sheet as it is once its parts are cut along the marks and laid edge to edge, at PX pixels a millimetre."""
    width, height = (side * scale for side in board.sheet_mm)
    paper_mm = PAPERS[paper] if height >= width else PAPERS[paper][::-1]
    fits = width <= paper_mm[0] + 1e-6 and height <= paper_mm[1] + 1e-6
    lies, columns, rows = (paper_mm, 1, 1) if fits else division((width, height), paper_mm)
    drawn = pages(kit_pdf(board, {}, paper, scale))
    assert len(drawn) == columns * rows + (board.platforms is not None)
    w, h = width / columns, height / rows
    sheet = np.full((round(height * PX), round(width * PX), 3), 255, np.uint8)
    for number, page in enumerate(drawn[: columns * rows]):
        assert page.size == pytest.approx(lies, abs=0.01)
        left, top = (page.size[0] - w) / 2, (page.size[1] - h) / 2
        if columns * rows > 1:
            assert f"part {number + 1} of {columns * rows}" in page.words
            check_marks(page, left, top, w, h)
        row, column = divmod(number, columns)
        whole = on_sheet(page, left, top, column * w, row * h, sheet.shape[1::-1])
        x, y, to_x, to_y = (round(value * PX) for value in (column * w, row * h, (column + 1) * w, (row + 1) * h))
        sheet[y:to_y, x:to_x] = whole[y:to_y, x:to_x]
    return sheet


def middle_of_ink(profile: np.ndarray) -> float | None:
    """Where a thin line crosses a profile of grey values: the middle of what is darker than both sides, if anything."""
    floor = min(float(np.median(profile[:6])), float(np.median(profile[-6:])))
    ink = np.clip(floor - 6 - profile.astype(float), 0, None)
    if ink.sum() < 25:
        return None
    return float((ink * np.arange(len(ink))).sum() / ink.sum())


def profile_across(grey: np.ndarray, at: np.ndarray, normal: np.ndarray, reach_mm: float, px: float) -> np.ndarray:
    """Grey values along a normal through a point (mm), 20 samples a millimetre."""
    steps = np.arange(-reach_mm, reach_mm + 1e-9, 0.05)
    points = ((at + steps[:, None] * normal) * px - 0.5).astype(np.float32)
    return cv2.remap(grey, points[:, 0], points[:, 1], cv2.INTER_LINEAR).ravel()


def check_marks(page: Page, left: float, top: float, w: float, h: float) -> None:
    """Outside each corner two thin lines, exactly in line with the edges to cut."""
    grey = cv2.cvtColor(page.image, cv2.COLOR_BGR2GRAY)
    for x, out_x in ((left, -3.0), (left + w, 3.0)):
        for y, out_y in ((top, -3.0), (top + h, 3.0)):
            for at, normal in (((x + out_x, y), (0.0, 1.0)), ((x, y + out_y), (1.0, 0.0))):
                profile = profile_across(grey, np.array(at), np.array(normal), 1.5, page.px)
                middle = middle_of_ink(profile)
                assert middle is not None
                assert abs(middle * 0.05 - 1.5) < EXACT_MM


WAYS = [("a3", 1.0), ("a4", 1.0), ("a4", 0.7), ("a4", 0.45), ("a4", 1.37), ("a3", 1.5)]


@pytest.mark.parametrize(("paper", "scale"), WAYS)
@pytest.mark.parametrize("game", GAMES)
def test_every_tag_is_found_and_every_line_is_where_it_belongs(game: str, paper: str, scale: float) -> None:
    """On one page or on parts that were joined, by the eyes' own registration, and line by line."""
    board = load(game)
    sheet = joined(board, paper, scale)
    seen = register(cv2.cvtColor(cv2.copyMakeBorder(sheet, 40, 40, 40, 40, cv2.BORDER_REPLICATE), cv2.COLOR_BGR2GRAY),
                    [board], thorough=True)  # fmt: skip
    assert seen is not None
    assert seen.board_set == board
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    book = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, board.fiducials.dictionary))
    corners, ids, _ = cv2.aruco.ArucoDetector(book, parameters).detectMarkers(sheet)
    assert sorted(ids.ravel()) == sorted(board.fiducials.ids)
    half = board.fiducials.side_mm / 2
    for tag, found in zip(ids.ravel(), corners, strict=True):
        x, y = board.fiducials.centres_mm[board.fiducials.ids.index(int(tag))]
        wanted = np.array([(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)])
        assert np.abs((found[0] + 0.5) / PX - wanted * scale).max() < EXACT_MM

    grey = cv2.cvtColor(sheet, cv2.COLOR_BGR2GRAY)
    measured, edges = 0, 0
    for site in board.sites:
        corner = np.array([*site.polygon_mm, site.polygon_mm[0]]) * scale
        for a, b in pairwise(corner):
            along = (b - a) / np.linalg.norm(b - a)
            normal = np.array([-along[1], along[0]])
            for share in (0.3, 0.7):
                edges += 1
                middle = middle_of_ink(profile_across(grey, a + share * (b - a), normal, 1.5, PX))
                if middle is not None:  # a line between black and sand is darker than one of them only
                    measured += 1
                    assert abs(middle * 0.05 - 1.5) < EXACT_MM
    assert measured > edges / 3


def boxes(page: Page, larger_mm: float) -> list[tuple[float, float, float, float]]:
    """Left, top, width and height (mm) of everything coloured that is so large.

    Pixels that are inked in part count as half ones; within a pixel each way.
    """
    inked = (page.image.min(axis=2) < 231).astype(np.uint8)
    contours, _ = cv2.findContours(inked, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    found = [cv2.boundingRect(contour) for contour in contours]
    return [
        ((x + 0.5) / page.px, (y + 0.5) / page.px, (w - 1) / page.px, (h - 1) / page.px)
        for x, y, w, h in found
        if min(w, h) > larger_mm * page.px
    ]


@pytest.mark.parametrize(("paper", "scale"), [("a3", 1.0), ("a4", 0.7), ("a4", 1.2)])
@pytest.mark.parametrize("game", GAMES)
def test_tokens_and_platforms_have_their_number_and_size(game: str, paper: str, scale: float) -> None:
    board = load(game)
    each = {"transet": 2, "taasen": 1, "transfer": 5}[game]
    pdf = kit_pdf(board, dict.fromkeys(board.kinds, each), paper, scale)
    sheets = len(pages(kit_pdf(board, {}, paper, scale), 1.0)) - (1 if board.platforms else 0)
    total = len(pages(pdf, 1.0))
    size = board.tokens.size_mm * scale
    tokens, cards, bodies = 0, 0, []
    for page in pages(pdf, 10.0, tuple(range(sheets, total))):
        assert "this line is then 100 mm long" in page.words
        for x, y, w, h in boxes(page, size / 2):
            assert x >= EDGE_MM - 0.1
            assert y >= EDGE_MM - 0.1
            assert x + w <= page.size[0] - EDGE_MM + 0.1
            assert y + h <= page.size[1] - EDGE_MM + 0.1
            if abs(w - size) < EXACT_MM:
                assert abs(h - size) < EXACT_MM
                tokens += 1
                colour = page.image[int((y + h / 2) * page.px), int((x + 0.12 * w) * page.px)]
                bodies.append(tuple(int(value) for value in colour))
            else:
                assert board.platforms is not None
                assert abs(w - board.platforms.width_mm * scale) < EXACT_MM
                assert abs(h - board.platforms.depth_mm * scale) < EXACT_MM
                cards += 1
    assert tokens == each * len(board.kinds)
    assert cards == len(board.rails)
    for colour, look in board.tokens.colours.items():
        kinds = [kind for kind in board.kinds if board.split(kind)[0] == colour]
        assert bodies.count(look.body[::-1]) >= each * len(kinds)


@pytest.mark.parametrize("scale", [0.7, 0.45, 1.37])
def test_every_ruler_tells_the_truth(scale: float) -> None:
    """Whatever the sheet's scale: a ruler of 100 mm on paper is 100 mm."""
    board = load("taasen")
    kit = pages(kit_pdf(board, dict.fromkeys(board.kinds, 1), "a4", scale), 10.0)
    assert any("100 mm" in page.words for page in kit)
    for page in kit:
        if "100 mm" in page.words:
            check_ruler(page)


@pytest.mark.parametrize("paper", ["a4", "a3"])
def test_the_helpers_have_a_ruler_too(paper: str) -> None:
    for pdf in (charuco_pdf(paper), stickers_pdf(paper)):
        (page,) = pages(pdf, 10.0)
        assert "100 mm" in page.words
        check_ruler(page)


def check_ruler(page: Page) -> None:
    """A line of 100 mm with eleven ticks."""
    dark = (page.image.max(axis=2) < 150).astype(np.uint8)
    lines = cv2.morphologyEx(dark, cv2.MORPH_OPEN, np.ones((1, 700), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(lines)
    spans = []
    for x, y, w, h, _ in stats[1:count]:
        ticks = dark[y - int(0.4 * page.px), x - 5 : x + w + 5]
        ends = np.flatnonzero(np.diff(np.concatenate([[0], ticks, [0]])))
        if h <= 5 and len(ends) == 22:  # eleven ticks, each with two edges
            spans.append((ends[-2:].mean() - ends[:2].mean()) / page.px)
    assert spans
    assert all(abs(span - 100) < EXACT_MM for span in spans)
