"""Artwork: what is drawn is what the set says, in rasters and in SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.artwork import mark_shapes, raster, svg_board, svg_token, tag_bits, token_raster
from vision.boardset import BoardSet
from vision.shapes import Disc, Line, Polygon, Ring

SETS = Path(__file__).parents[1] / "data" / "sets"
GAMES = ["transet", "taasen", "transfer"]


@pytest.fixture(params=GAMES)
def board(request: pytest.FixtureRequest) -> BoardSet:
    return BoardSet.load(SETS / f"{request.param}.toml")


def test_tags_are_found_where_the_set_says(board: BoardSet) -> None:
    tags = board.fiducials
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, tags.dictionary)))
    corners, ids, _ = detector.detectMarkers(raster(board, 5.0))
    assert sorted(ids.ravel()) == sorted(tags.ids)
    for found, tag in zip(corners, ids.ravel(), strict=True):
        x, y = tags.centres_mm[tags.ids.index(int(tag))]
        half = tags.side_mm / 2
        want = np.array([(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)])
        assert np.abs((found[0] + 0.5) / 5.0 - want).max() < 0.3


def test_patches_and_sites_have_their_colours(board: BoardSet) -> None:
    image = raster(board, 3.0)
    assert board.reference is not None
    spots = [(patch.centre_mm, patch.rgb) for patch in board.reference.patches]
    spots += [(board.centre(site), site.fill) for site in board.sites]
    for (x, y), rgb in spots:
        assert tuple(int(v) for v in image[int(y * 3), int(x * 3)]) == rgb[::-1]


def test_the_svg_has_every_site_once(board: BoardSet) -> None:
    root = ET.fromstring(svg_board(board))
    width, height = board.sheet_mm
    assert root.get("viewBox") == f"0 0 {width:g} {height:g}"
    sites = [element.get("data-site") for element in root if element.get("data-site")]
    assert sites == [site.id for site in board.sites]
    labels = [element.text for element in root if element.get("class") == "label"]
    assert labels == sites
    assert "label" not in svg_board(board, labels=False)


def test_every_token_has_its_svg_and_differs_from_the_others(board: BoardSet) -> None:
    drawings = {svg_token(board, kind) for kind in board.kinds}
    assert len(drawings) == len(board.kinds)
    half = board.tokens.size_mm / 2
    for drawing in drawings:
        assert ET.fromstring(drawing).get("viewBox") == f"{-half:g} {-half:g} {2 * half:g} {2 * half:g}"


def test_marks_are_the_shapes_the_set_names() -> None:
    transet = BoardSet.load(SETS / "transet.toml")
    for kind, count in (("dark-PINET", 1), ("dark-PIOKER", 2), ("dark-PIAS", 3)):
        bars = mark_shapes(transet, kind)
        assert [type(bar) for bar in bars] == [Line] * count
        for bar in bars:
            assert isinstance(bar, Line)
            assert np.hypot(bar.b_mm[0] - bar.a_mm[0], bar.b_mm[1] - bar.a_mm[1]) == pytest.approx(0.7 * 34)
            assert bar.width_mm == pytest.approx(0.12 * 34)
    taasen = BoardSet.load(SETS / "taasen.toml")
    kinds = [type(mark_shapes(taasen, f"red-{mark}")[0]) for mark in ("THAUM", "SCIANE", "PAUPIL")]
    assert kinds == [Ring, Polygon, Disc]
    assert mark_shapes(BoardSet.load(SETS / "transfer.toml"), "sky") == ()


def test_token_rasters_show_body_and_mark() -> None:
    transet = BoardSet.load(SETS / "transet.toml")
    image = token_raster(transet, "dark-PINET", 4.0)
    assert tuple(image[68, 68]) == (0xC2, 0xE3, 0xF2)
    assert tuple(image[68, 20]) == (0x29, 0x3A, 0x5B)
    assert tuple(image[0, 0]) == (255, 255, 255)


def test_tag_bits_are_the_dictionarys() -> None:
    bits = tag_bits("DICT_APRILTAG_36h11", 0)
    assert bits.shape == (8, 8)
    assert not bits[0].any()
    assert bits.any()
