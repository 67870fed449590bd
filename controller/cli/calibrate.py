"""`boardref calibrate`: procedures done once for a table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import cv2

from calibration.lens import ENOUGH_VIEWS, STILL, LensFit, View, fit_lens, is_new, view_of
from controller.errors import CommandError
from controller.wholefile import write_whole
from vision.camera import Camera, Recording, open_source
from vision.camera.folder import SUFFIXES, read_image
from vision.errors import VisionError
from vision.pose import Image

MOST_VIEWS = 40
"""More say nothing new."""
PATIENCE_S = 15
"""How long a camera may send nothing."""
HINTS = (
    "lay it in the middle, flat",
    "tilt its far edge up",
    "tilt its near edge up",
    "tilt its left edge up",
    "tilt its right edge up",
    "bring it to the picture's top left",
    "bring it to the top right",
    "bring it to the bottom left",
    "bring it to the bottom right",
    "bring it closer, and turn it",
)


def add(parser: argparse.ArgumentParser) -> None:
    """The procedures and their arguments."""
    procedures = parser.add_subparsers(dest="procedure", required=True, metavar="PROCEDURE")
    lens = procedures.add_parser(
        "lens",
        help="what the camera's lens does, from pictures of the printed board of `boardref kit charuco`",
        description="Measure the lens with the printed board of `boardref kit charuco`, held at several angles.",
        allow_abbrev=False,
    )
    lens.add_argument("source", nargs="+", metavar="SOURCE", help="a camera, a URL, a video, a folder, or pictures")
    lens.add_argument("-o", "--output", default="profile.toml", metavar="FILE", help="default profile.toml")
    lens.add_argument("--paper", choices=["a3", "a4"], default="a3", help="what the board is printed on (default a3)")
    lens.set_defaults(run=run_lens)


def run_lens(args: argparse.Namespace) -> int:
    """Measure the lens and write the profile."""
    target = Path(args.output)
    if not target.parent.is_dir():
        raise CommandError(f"there is no folder {target.parent}; give another file with -o")
    fit = fit_lens(_views(args.source, args.paper))
    if not fit.sure:
        raise VisionError(
            f"the lens is not sure enough yet (focal length ±{fit.focal_spread:.1%}, k1 ±{fit.k1_spread:.3f},"
            f" boards tilted by {fit.tilt_deg:.0f} degrees at most); nothing was written."
            " Take more pictures, the board tilted more, some of them near the picture's edges"
        )
    try:
        write_whole(target, fit.profile.text())
    except OSError as error:
        raise CommandError(f"{target} can't be written ({error.strerror}); give another file with -o") from None
    print(_told(fit, target))
    return 0


def _told(fit: LensFit, target: Path) -> str:
    lens = fit.profile
    return (
        f"{target}: focal length {lens.focal_per_width:.4f} of the picture's width (±{fit.focal_spread:.2%}),"
        f" k1 {lens.k1:+.4f} (±{fit.k1_spread:.4f}); the corners of {fit.views} pictures fit to"
        f" {fit.residual_px:.2f} px.\nUse it with --profile {target}, or write profile = "
        f'"{target}" into the settings of the table.'
    )


def _views(sources: Sequence[str], paper: str) -> list[View]:
    if all(Path(name).suffix.lower() in SUFFIXES for name in sources):
        return _different((read_image(Path(name)) for name in sources), paper)
    if len(sources) > 1:
        raise CommandError("give one camera, URL, video or folder, or several pictures", 2)
    source = open_source(sources[0])
    try:
        if isinstance(source, Recording):
            return _different((frame.image for frame in source), paper)
        return held_still(_live(source), paper)
    finally:
        source.close()


def _live(camera: Camera) -> Iterator[Image]:
    """The newest pictures of a camera, until it has sent none for a while."""
    index, waited = -1, 0
    while waited < PATIENCE_S:
        frame = camera.latest(index, 1.0)
        if frame is None:
            waited += 1
            continue
        index, waited = frame.index, 0
        yield frame.image
    raise VisionError(camera.status().sentence)


def held_still(images: Iterable[Image], paper: str) -> list[View]:
    """Views that were held still for two pictures, each at another place, until the lens is sure; tells how it goes."""
    taken: list[View] = []
    before: View | None = None
    print(f"Hold the board for {paper.upper()} still: {HINTS[0]}.", file=sys.stderr, flush=True)
    for image in images:
        view = view_of(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), paper)
        still = view is not None and before is not None and view.shift_to(before) < STILL
        before = view
        if view is None or not still or not is_new(view, taken):
            continue
        taken.append(view)
        if len(taken) >= ENOUGH_VIEWS and (len(taken) >= MOST_VIEWS or fit_lens(taken).sure):
            break
        hint = HINTS[len(taken) % len(HINTS)]
        print(f"{len(taken)} of {ENOUGH_VIEWS} taken; now {hint}.", file=sys.stderr, flush=True)
    return taken


def _different(images: Iterable[Image], paper: str) -> list[View]:
    """Those of the pictures that show the board in another place than the ones before."""
    taken: list[View] = []
    count = 0
    for image in images:
        count += 1
        view = view_of(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), paper)
        if view is not None and is_new(view, taken) and len(taken) < MOST_VIEWS:
            taken.append(view)
    if not taken:
        raise VisionError(
            f"none of {count} pictures shows the calibration board for {paper.upper()};"
            " print it with `boardref kit charuco`, and say which paper with --paper"
        )
    return taken
