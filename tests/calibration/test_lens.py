"""The lens from the printed calibration board: what `boardref kit charuco` prints, through a camera that is known."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import pypdfium2
import pytest

from calibration.lens import fit_lens, is_new, view_of
from calibration.sheets import charuco_pdf, charuco_size
from controller.cli.calibrate import held_still
from vision.pose import NO_MAP, Image, Pose
from vision.profile import Profile

SIZE_PX = (1280, 720)
CENTRE_PX = ((SIZE_PX[0] - 1) / 2, (SIZE_PX[1] - 1) / 2)
PER_MM = 3.0
MOST_OFF_FOCAL, MOST_OFF_K1 = 0.005, 0.01


def held(tilt: Sequence[float], at_mm: tuple[float, float, float], focal: float, k1: float) -> Image:
    """The page held before a camera: `tilt` is a rotation vector, `at_mm` where its middle is."""
    printed = page()
    wide_mm, high_mm = printed.shape[1] / PER_MM, printed.shape[0] / PER_MM
    turn = np.asarray(cv2.Rodrigues(np.asarray(tilt, np.float64))[0])
    away = np.asarray(at_mm) - turn @ [wide_mm / 2, high_mm / 2, 0]
    pose = Pose((tilt[0], tilt[1], tilt[2]), (away[0], away[1], away[2]), focal * SIZE_PX[0], k1, CENTRE_PX)
    x, y = np.meshgrid(np.arange(SIZE_PX[0]), np.arange(SIZE_PX[1]))
    places = pose.unproject(np.column_stack([x.ravel(), y.ravel()]).astype(np.float64)) * PER_MM
    maps = places.reshape(SIZE_PX[1], SIZE_PX[0], 2).astype(np.float32)
    seen = cv2.remap(printed, maps, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=(70, 70, 70))
    noise = np.random.default_rng(int(1e4 * sum(tilt)) % 1000).normal(0, 3, seen.shape)
    return np.asarray(np.clip(cv2.GaussianBlur(seen, (0, 0), 0.7) * 0.8 + 15 + noise, 0, 255), np.uint8)


@lru_cache(maxsize=1)
def page() -> Image:
    """The page as the printer gets it, grey, PER_MM pixels for each mm."""
    document = pypdfium2.PdfDocument(charuco_pdf("a4"))
    picture = document[0].render(scale=PER_MM * 25.4 / 72).to_numpy()
    return np.asarray(cv2.cvtColor(picture[:, :, :3], cv2.COLOR_BGR2GRAY), np.uint8)


@lru_cache(maxsize=1)
def shots(focal: float, k1: float) -> list[Image]:
    """Ten of them, tilted and towards the edges."""
    far = 520.0 * focal
    poses = [
        ((0.0, 0.0, 0.02), (0, 0, far)), ((0.5, 0.0, 0.1), (10, 0, far)), ((-0.5, 0.1, 0.0), (0, -10, far)),
        ((0.0, 0.5, 0.3), (-20, 0, far)), ((0.1, -0.5, 0.0), (20, 5, far)), ((0.3, 0.3, 0.8), (-110, -50, 1.3 * far)),
        ((-0.3, 0.3, 0.1), (110, -50, 1.3 * far)), ((0.3, -0.4, 1.6), (-110, 50, 1.3 * far)),
        ((-0.3, -0.3, 0.2), (110, 50, 1.3 * far)), ((0.6, 0.4, 0.0), (0, 0, 0.9 * far)),
    ]  # fmt: skip
    return [held(tilt, at_mm, focal, k1) for tilt, at_mm in poses]


@pytest.mark.parametrize(("focal", "k1"), [(0.62, -0.22), (1.3, 0.06), (0.83, -0.08)])
def test_a_known_lens_is_found_again(focal: float, k1: float) -> None:
    views = [view for view in (view_of(shot, "a4") for shot in shots(focal, k1)) if view is not None]
    assert len(views) >= 8
    fit = fit_lens(views)
    assert abs(fit.profile.focal_per_width / focal - 1) < MOST_OFF_FOCAL
    assert abs(fit.profile.k1 - k1) < MOST_OFF_K1
    assert fit.sure
    assert fit.residual_px < 0.5


def test_a_board_laid_flat_again_and_again_says_too_little() -> None:
    shifts = [(0, 0), (-60, 0), (60, 0), (0, 30), (0, -30), (50, 30)]
    flat = [held((0.0, 0.0, 0.01), (x, y, 600.0), 0.83, -0.08) for x, y in shifts]
    views = [view for view in (view_of(shot, "a4") for shot in flat) if view is not None]
    assert len(views) == len(shifts)
    assert not fit_lens(views).sure


def test_a_bent_board_in_one_picture_is_left_out() -> None:
    good = shots(0.83, -0.08)
    x, y = np.meshgrid(np.arange(SIZE_PX[0], dtype=np.float32), np.arange(SIZE_PX[1], dtype=np.float32))
    bent = cv2.remap(good[0], x + 14 * np.sin(y / 60), y + 10 * np.sin(x / 80), cv2.INTER_LINEAR)
    views = [view for view in (view_of(shot, "a4") for shot in [*good, bent]) if view is not None]
    clean = [view for view in (view_of(shot, "a4") for shot in good) if view is not None]
    assert len(views) == len(clean) + 1, "the bent board must be seen for this to say anything"
    fit = fit_lens(views)
    assert fit.views <= len(clean)
    assert abs(fit.profile.focal_per_width / 0.83 - 1) < MOST_OFF_FOCAL


def test_the_same_view_twice_counts_once() -> None:
    shot = shots(0.83, -0.08)[0]
    view = view_of(shot, "a4")
    assert view is not None
    assert not is_new(view, [view])


def test_the_other_paper_is_not_taken_for_this_one() -> None:
    assert charuco_size("a3") != charuco_size("a4")
    assert [view_of(shot, "a3") for shot in shots(0.83, -0.08)] == [None] * 10


def test_before_a_camera_only_what_is_held_still_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    waved = [np.asarray(cv2.merge([shot] * 3)) for shot in shots(0.83, -0.08)]
    assert held_still(waved, "a4") == []
    capsys.readouterr()
    assert len(held_still([shot for shot in waved for _ in range(2)], "a4")) >= 6
    said = capsys.readouterr().err
    assert "1 of 15 taken" in said
    assert "0 of 15" not in said


def calibrate(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "controller.cli", "calibrate", "lens", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


def test_the_command_writes_a_profile_that_look_takes(tmp_path: Path) -> None:
    names = []
    for number, shot in enumerate(shots(0.83, -0.08)):
        names.append(f"shot{number}.png")
        cv2.imwrite(str(tmp_path / names[-1]), shot)
    done = calibrate(*names, "--paper", "a4", "-o", "mine.toml", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mine.toml" in done.stdout
    profile = Profile.load(tmp_path / "mine.toml")
    assert abs(profile.focal_per_width / 0.83 - 1) < MOST_OFF_FOCAL
    folder = calibrate(".", "--paper", "a4", "-o", "again.toml", folder=tmp_path)
    assert folder.returncode == 0, folder.stderr
    assert Profile.load(tmp_path / "again.toml") == profile


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("missing.png",), 1, "missing.png"),
        (("grey.png",), 1, "kit charuco"),
        (("grey.png", "-o", "nowhere/profile.toml"), 1, "nowhere"),
        (("grey.png", "."), 2, "several pictures"),
        ((), 2, "SOURCE"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path: Path, words: tuple[str, ...], code: int, says: str) -> None:
    cv2.imwrite(str(tmp_path / "grey.png"), np.full((480, 640), 90, np.uint8))
    done = calibrate(*words, folder=tmp_path)
    assert done.returncode == code
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "profile.toml").exists()
