"""The printed kit: nothing but what the set says; helpers; what can't be printed. Measures: test_kit_measures."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest

from calibration.kit import free_strip, kit_pdf
from calibration.pdf import EDGE_MM
from calibration.sheets import (
    CHARUCO_DICTIONARY,
    FIRST_STICKER,
    MARKER_MM,
    SQUARE_MM,
    charuco_pdf,
    charuco_size,
    sticker_centres,
    stickers_pdf,
)
from controller.cli import main
from vision.artwork import raster
from vision.boardset import BoardSet
from vision.errors import VisionError

SETS = Path(__file__).parents[1] / "data" / "sets"
PX_PER_MM = 6.0
GAMES = ["transet", "taasen", "transfer"]


def load(game: str) -> BoardSet:
    return BoardSet.load(SETS / f"{game}.toml")


def pages(pdf: bytes) -> list[tuple[tuple[float, float], np.ndarray]]:
    """Each page's size in mm and its picture, BGR at PX_PER_MM."""
    document = pypdfium2.PdfDocument(pdf)
    found = []
    for page in document:
        size = tuple(side * 25.4 / 72 for side in page.get_size())
        image = page.render(scale=PX_PER_MM * 25.4 / 72).to_numpy()
        found.append((size, np.ascontiguousarray(image[..., :3])))
        page.close()
    document.close()
    return found


def tag_corners(board: BoardSet, image: np.ndarray) -> dict[int, np.ndarray]:
    """Tag id -> its corners (4, 2) in mm on the page."""
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    book = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, board.fiducials.dictionary))
    corners, ids, _ = cv2.aruco.ArucoDetector(book, parameters).detectMarkers(image)
    return {int(tag): (found[0] + 0.5) / PX_PER_MM for found, tag in zip(corners, ids.ravel(), strict=True)}


def wanted_corners(board: BoardSet, tag: int) -> np.ndarray:
    x, y = board.fiducials.centres_mm[board.fiducials.ids.index(tag)]
    half = board.fiducials.side_mm / 2
    return np.array([(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)])


@pytest.mark.parametrize("game", GAMES)
def test_the_sheet_is_exact(game: str) -> None:
    board = load(game)
    size, image = pages(kit_pdf(board, dict.fromkeys(board.kinds, 1)))[0]
    assert size == pytest.approx(board.sheet_mm, abs=0.01)
    found = tag_corners(board, image)
    assert set(found) == set(board.fiducials.ids)
    for tag, corners in found.items():
        assert np.abs(corners - wanted_corners(board, tag)).max() < 0.2
    assert board.reference is not None
    for patch in board.reference.patches:
        x, y = (int(value * PX_PER_MM) for value in patch.centre_mm)
        assert tuple(int(v) for v in image[y, x]) == patch.rgb[::-1]
    for site in board.sites:
        x, y = (int(value * PX_PER_MM) for value in board.centre(site))
        assert tuple(int(v) for v in image[y, x]) == site.fill[::-1]


@pytest.mark.parametrize("game", GAMES)
def test_the_sheet_is_what_the_camera_expects(game: str) -> None:
    """Nothing is printed that the artwork doesn't have, but the ruler and the credit, and these touch nothing."""
    board = load(game)
    _, image = pages(kit_pdf(board, {}))[0]
    drawn = raster(board, PX_PER_MM)
    image = image[: drawn.shape[0], : drawn.shape[1]]  # a page may come one pixel larger
    differs = np.abs(image.astype(int) - drawn).max(axis=2) > 120
    place = free_strip(board, 106.0, 9.0)
    assert place is not None
    left, top = (int(value * PX_PER_MM) for value in place)
    strip = np.zeros_like(differs)
    strip[top : top + int(9 * PX_PER_MM), left : left + int(106 * PX_PER_MM)] = True
    assert differs[strip].sum() > 200
    outside = cv2.erode((differs & ~strip).astype(np.uint8), np.ones((3, 3)))  # edges may differ by a pixel
    assert outside.sum() == 0


def test_the_ruler_is_a_hundred_millimetres() -> None:
    board = load("transet")
    _, image = pages(kit_pdf(board, {}))[0]
    place = free_strip(board, 106.0, 9.0)
    assert place is not None
    row = image[int((place[1] + 3.0) * PX_PER_MM)].max(axis=1)
    inked = np.flatnonzero(row < 200)
    assert (inked[-1] - inked[0] + 1) / PX_PER_MM == pytest.approx(100, abs=0.3)


@pytest.mark.parametrize("paper", ["a4", "a3"])
def test_the_calibration_board_is_what_the_detector_expects(paper: str) -> None:
    size = charuco_size(paper)
    book = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, CHARUCO_DICTIONARY))
    board = cv2.aruco.CharucoBoard(size, SQUARE_MM, MARKER_MM, book)
    (page,) = pages(charuco_pdf(paper))
    corners, ids, _, _ = cv2.aruco.CharucoDetector(board).detectBoard(page[1])
    assert len(ids) == (size[0] - 1) * (size[1] - 1)
    left_top = np.array([(page[0][0] - size[0] * SQUARE_MM) / 2, EDGE_MM])
    wanted = board.getChessboardCorners()[ids.ravel(), :2] + left_top
    assert np.abs((corners.reshape(-1, 2) + 0.5) / PX_PER_MM - wanted).max() < 0.2


@pytest.mark.parametrize("paper", ["a4", "a3"])
def test_stickers_start_at_forty_and_are_all_found(paper: str) -> None:
    ((_, image),) = pages(stickers_pdf(paper))
    found = tag_corners(load("transet"), image)
    centres = sticker_centres(paper)
    assert set(found) == set(range(FIRST_STICKER, FIRST_STICKER + len(centres)))
    for place, centre in enumerate(centres):
        assert np.abs(found[FIRST_STICKER + place].mean(axis=0) - centre).max() < 0.2


def test_the_same_set_gives_the_same_bytes() -> None:
    board = load("transet")
    assert kit_pdf(board, dict.fromkeys(board.kinds, 2)) == kit_pdf(board, dict.fromkeys(board.kinds, 2))


def test_what_cannot_be_printed_is_one_sentence() -> None:
    board = load("transet")
    for arguments, words in (
        (({}, "a5"), "no paper 'a5'"),
        (({}, "a3", 9.0), "scale"),
        (({}, "a3", float("nan")), "scale"),
        (({"dark-KING": 1},), "no token 'dark-KING'"),
    ):
        with pytest.raises(VisionError, match=words):
            kit_pdf(board, *arguments)


def test_the_command_prints_transet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "kit.pdf"
    assert main(["kit", "transet", "-o", str(target)]) == 0
    assert "100 %" in capsys.readouterr().out
    drawn = pypdfium2.PdfDocument(target.read_bytes())
    for page in drawn:
        assert "Transet by Harm van Veen" in page.get_textpage().get_text_bounded()
    assert len(drawn) == 2
    drawn.close()
    assert [file.name for file in tmp_path.iterdir()] == ["kit.pdf"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["kit", "chess", "-o", "kit.pdf"], 2, "no set for 'chess'"),
        (["kit", "nowhere.toml", "-o", "kit.pdf"], 1, "no set file nowhere.toml"),
        (["kit", "transet", "-o", "/nowhere/at/all/kit.pdf"], 1, "can't be written"),
        (["kit", "stickers", "-o", "kit.pdf", "--scale", "2"], 2, "exact size only"),
        (["kit", "transet", "-o", "kit.pdf", "--scale", "7"], 2, "--scale takes"),
        (["kit", "transit", "-o", "kit.pdf"], 2, "did you mean transet?"),
        (["kit", "Charuko", "-o", "kit.pdf"], 2, "did you mean charuco?"),
        (["kit", "transet", "-o", "."], 1, "can't be written"),
    ],
)
def test_the_command_says_what_is_wrong(
    words: list[str],
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == code
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1
    assert not list(tmp_path.iterdir())
