"""Where the sheet is: tags -> Pose, and how sure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.artwork import tag_bits
from vision.boardset import BoardSet, SetKey
from vision.glance import glance
from vision.lattice import confirms, contradicts, lines
from vision.pose import NO_MAP as NO_MAP
from vision.pose import Array as Array
from vision.pose import Image as Image
from vision.pose import Lens as Lens
from vision.pose import Pose as Pose
from vision.pose import fit_pose
from vision.pose import tag_corners_mm as tag_corners_mm
from vision.ranks import median_rows
from vision.tags import choices as choices
from vision.tags import detect as detect
from vision.tags import refine

SEEN_CORRELATION = 0.7  # a tag's cells against its bits; tags that are seen give 0.93 and more
WORST_RESIDUAL_PX = 4.0
TWO_TAGS_RESIDUAL_PX = 1.5
PLAIN_RESIDUAL_PX = 0.8
"""Where three tags are so near their places nothing else has to be looked for."""
SHIFTS_PX = np.array([[x, y] for y in range(-3, 4) for x in range(-3, 4)], np.float64) * 2.5
"""Where a tag is looked for round the place that a pose predicts."""
SAME_PX = 0.3
"""Corners so near are those looked at before."""
FEW_LINES = 3
"""While the lines themselves are still looked for every third tells enough."""


@dataclass(frozen=True)
class Registration:
    """One set found in a picture. `residual_px`: rms of the tags' corners; `tags`: ids used; `quality` 0 to 1."""

    board_set: BoardSet
    pose: Pose
    residual_px: float
    tags: tuple[int, ...]
    size_px: tuple[int, int]

    @property
    def quality(self) -> float:
        """1 with every tag in its place; less for missing tags and for residuals."""
        share = len(self.tags) / len(self.board_set.fiducials.ids)
        return share / (1 + (self.residual_px / 1.5) ** 2)

    def px_per_mm(self) -> float:
        """Mean scale at the sheet's middle."""
        return _px_per_mm(self.pose, self.board_set.sheet_mm)


@lru_cache(maxsize=64)
def _px_per_mm(pose: Pose, sheet_mm: tuple[float, float]) -> float:
    width, height = sheet_mm
    return float(np.sqrt(abs(np.linalg.det(pose.slopes(np.array([[width / 2, height / 2]]))[0]))))


def _rms(residuals: Array) -> float:
    return float(np.sqrt(np.mean(np.sum(residuals**2, axis=1))))


def solve(
    corners: dict[int, Array],
    board_set: BoardSet,
    size_px: tuple[int, int],
    lens: Lens | None = None,
    start: Pose | None = None,
) -> Registration | None:
    """Pose from corners (4, 2) by tag id. A tag that disagrees with three others is left out."""
    tags = [tag for tag in board_set.fiducials.ids if tag in corners]
    while len(tags) >= 2:
        points = np.concatenate([corners[tag] for tag in tags])
        fit = fit_pose(tags, points, board_set, size_px, lens, start)
        if fit is not None:
            pose, residuals = fit
            rms = _rms(residuals)
            if rms <= 1.5 or len(tags) == 2:
                return Registration(board_set, pose, rms, tuple(tags), size_px) if rms <= WORST_RESIDUAL_PX else None
        if len(tags) == 2:
            return None
        best: tuple[float, int] | None = None
        for out in tags:
            rest = [tag for tag in tags if tag != out]
            without = fit_pose(rest, np.concatenate([corners[tag] for tag in rest]), board_set, size_px, lens, None)
            if without is not None and (best is None or _rms(without[1]) < best[0]):
                best = (_rms(without[1]), out)
        if fit is not None and (best is None or (best[0] > 0.5 * rms and rms <= WORST_RESIDUAL_PX)):
            return Registration(board_set, pose, rms, tuple(tags), size_px)
        if best is None:
            return None
        tags.remove(best[1])
    return None


def cell_points_mm(board_set: BoardSet, tag: int) -> Array:
    """Middles of a tag's cells, border included, (n * n, 2), row by row. Made once, not to be written to."""
    return _cell_points_mm(SetKey(board_set), tag)


@lru_cache(maxsize=128)
def _cell_points_mm(key: SetKey, tag: int) -> Array:
    board_set = key.board_set
    cells = len(tag_bits(board_set.fiducials.dictionary, tag))
    step = (np.arange(cells) + 0.5) / cells - 0.5
    x, y = np.meshgrid(step, step)
    centre = np.asarray(board_set.fiducials.centres_mm[board_set.fiducials.ids.index(tag)])
    return np.asarray(np.column_stack([x.ravel(), y.ravel()]) * board_set.fiducials.side_mm + centre)


def tag_correlations(picture: Image, registration: Registration) -> Array:
    """How well each tag's cells, where the pose predicts them, agree with its bits.

    (tags,), -1 to 1; -1 off the picture.
    """
    board_set = registration.board_set
    ids = board_set.fiducials.ids
    points = registration.pose.project(np.concatenate([cell_points_mm(board_set, tag) for tag in ids])).astype(
        np.float32
    )
    return correlate_cells(picture, points, board_set)


def correlate_cells(picture: Image, points_px: npt.NDArray[np.float32], board_set: BoardSet) -> Array:
    """The same, for cell middles (tags * n * n, 2) projected before."""
    bits = _all_bits(SetKey(board_set))
    return _correlations(picture, points_px.reshape(len(bits), -1, 2), bits)


@lru_cache(maxsize=8)
def _all_bits(key: SetKey) -> Image:
    """(tags, n * n) of a set's tags. Made once, not to be written to."""
    fiducials = key.board_set.fiducials
    return np.stack([tag_bits(fiducials.dictionary, tag).ravel() for tag in fiducials.ids])


def _correlations(picture: Image, quads_px: npt.NDArray[np.float32], bits: Image) -> Array:
    """Cells at (n, cells, 2) against bits (n or 1, cells): (n,), -1 where some lie off the picture."""
    values = cv2.remap(picture, quads_px, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    levels = np.asarray(values, np.float64)
    if levels.ndim == 3:
        levels = levels[:, :, 0] + levels[:, :, 1] + levels[:, :, 2]
    levels = levels - levels.mean(axis=1, keepdims=True)
    wanted = bits - bits.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.einsum("nc,nc->n", levels, levels) * np.einsum("nc,nc->n", wanted, wanted))
    result = np.einsum("nc,nc->n", levels, np.broadcast_to(wanted, levels.shape)) / np.maximum(spread, 1e-6)
    inside = np.all(cv2.inRange(quads_px, (0, 0, 0, 0), (picture.shape[1] - 1, picture.shape[0] - 1, 0, 0)), axis=1)
    return np.where(inside & (spread > 1e-6), result, -1.0)


def complete(grey: Image, registration: Registration, corners: dict[int, Array], lens: Lens | None) -> Registration:
    """Add the tags that the detector missed but whose cells are about where the pose predicts them."""
    board_set = registration.board_set
    for _ in range(2):
        missing = [tag for tag in board_set.fiducials.ids if tag not in registration.tags]
        reach_px = 9.0 if len(registration.tags) < 3 else 5.0  # two tags alone predict the others roughly
        shifts = SHIFTS_PX[np.abs(SHIFTS_PX).max(axis=1) <= reach_px]
        more = {tag: corners[tag] for tag in registration.tags}
        for tag in missing:
            cells = registration.pose.project(cell_points_mm(board_set, tag))
            bits = tag_bits(board_set.fiducials.dictionary, tag).ravel()
            quads = np.tile(shifts.astype(np.float32), len(cells)) + cells.ravel().astype(np.float32)
            agree = _correlations(grey, quads.reshape(len(shifts), -1, 2), bits[None])
            best = int(np.argmax(agree))
            if agree[best] < SEEN_CORRELATION:
                continue
            predicted = (
                registration.pose.project(tag_corners_mm(board_set, tag, registration.pose.inset_mm)) + shifts[best]
            )
            quad = refine(grey, predicted)
            if np.all(np.linalg.norm(quad - predicted, axis=1) < 4):
                more[tag] = quad
        if len(more) == len(registration.tags):
            break
        better = solve(more, board_set, registration.size_px, lens)
        if better is None or len(better.tags) <= len(registration.tags):
            break
        registration, corners = better, more
    return registration


def _confirmed(
    grey: Image, registration: Registration, corners: dict[int, Array], lens: Lens | None
) -> Registration | None:
    """A registration by two tags, its pose made exact by the printed lines, if these agree; otherwise None.

    Two tags can't tell a lens, nor that one of them lies: their poses are up to 20 mm off at the sheet's other end.
    """
    board_set, pose = registration.board_set, registration.pose
    points = np.concatenate([corners[tag] for tag in registration.tags])
    width, height = board_set.sheet_mm
    rim = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float64)
    for trust_mm, times, every, still_px in ((4.0, 8, FEW_LINES, 4.0), (1.0, 6, 1, 0.5)):
        for _ in range(times):
            seen = lines(grey, board_set, pose, trust_mm, every)
            fit = fit_pose(registration.tags, points, board_set, registration.size_px, lens, pose, seen)
            if fit is None:
                return None
            still = np.abs(fit[0].project(rim) - pose.project(rim)).max() < still_px
            pose, residuals = fit
            if still:
                break
    if _rms(residuals) > TWO_TAGS_RESIDUAL_PX or not confirms(grey, board_set, pose):
        return None
    return Registration(board_set, pose, _rms(residuals), registration.tags, registration.size_px)


def _shifted(grey: Image, registration: Registration) -> bool:
    """Whether its tags were put onto a board in the wrong place, a whole cell away."""
    return contradicts(grey, registration.board_set, registration.pose)


def _better(one: Registration, other: Registration | None) -> bool:
    """Whether a registration is to be believed rather than another one."""
    if other is None:
        return True
    larger, surer = one.px_per_mm() / other.px_per_mm(), one.quality / max(other.quality, 1e-6)
    if 0.75 < surer < 1 / 0.75 and not 1 / 1.2 < larger < 1.2:
        return larger > 1
    return surer > 1


def _solutions(
    grey: Image, found: dict[int, list[Array]], dictionary: str, sets: Sequence[BoardSet], lens: Lens | None
) -> Iterable[tuple[Registration, dict[int, Array]]]:
    """Every way to see one of the sets in the tags found, and the corners (4, 2) that it was begun with."""
    for board_set in sets:
        if board_set.fiducials.dictionary != dictionary:
            continue
        for corners in choices(found, board_set):
            if len(corners) < 2:
                continue
            registration = solve(corners, board_set, (grey.shape[1], grey.shape[0]), lens)
            if registration is not None:
                yield complete(grey, registration, corners, lens), corners


def register(
    grey: Image, sets: Sequence[BoardSet], lens: Lens | None = None, thorough: bool = True
) -> Registration | None:
    """Find one of the sets in a grey picture, knowing nothing. None when fewer than two of its tags agree, when the
    printed lines don't confirm the only two, or when they show the board a cell away from where more tags have it.

    Of several boards the one that looks larger is taken: a picture of a board is rarely as large as a board.
    `thorough`: search with all means if quick looks find none.
    """
    refused: list[Array] = []
    return at_a_glance(grey, sets, lens, refused) or search(grey, sets, lens, thorough, refused)


def at_a_glance(
    grey: Image, sets: Sequence[BoardSet], lens: Lens | None = None, refused: list[Array] | None = None
) -> Registration | None:
    """The set of which enough tags are plainly in their places, None where there is none. `refused`: see `_sure`."""
    return _looked_for(grey, sets, lens, (_glanced,), [] if refused is None else refused)


def search(
    grey: Image,
    sets: Sequence[BoardSet],
    lens: Lens | None = None,
    thorough: bool = True,
    refused: list[Array] | None = None,
) -> Registration | None:
    """What `register` does where too few tags are plainly seen."""
    every = (_searched, _searched_well) if thorough else (_searched,)
    return _looked_for(grey, sets, lens, every, [] if refused is None else refused)


_Means = Callable[[Image, str, Sequence[BoardSet]], dict[int, list[Array]]]


def _looked_for(
    grey: Image, sets: Sequence[BoardSet], lens: Lens | None, every: Sequence[_Means], refused: list[Array]
) -> Registration | None:
    """The best that the first of these means finds which finds any."""
    best: Registration | None = None
    before: dict[str, dict[int, list[Array]]] = {}
    for means in every:
        for dictionary in dict.fromkeys(board_set.fiducials.dictionary for board_set in sets):
            found = means(grey, dictionary, sets)
            for tag, quads in before.get(dictionary, {}).items():
                found.setdefault(tag, quads)  # each search misses other tags
            before[dictionary] = found
            for registration, corners in _solutions(grey, found, dictionary, sets, lens):
                if means is _glanced and not _plain(registration, found):
                    continue
                sure = _sure(grey, registration, corners, lens, refused)
                if sure is not None and _better(sure, best):
                    best = sure
        if best is not None:
            break
    return best


def _glanced(grey: Image, dictionary: str, sets: Sequence[BoardSet]) -> dict[int, list[Array]]:
    tags = [tag for one in sets if one.fiducials.dictionary == dictionary for tag in one.fiducials.ids]
    seen = glance(grey, dictionary, tags)
    return {tag: [refine(grey, quad) for quad in quads] for tag, quads in seen.items()}


def _searched(grey: Image, dictionary: str, sets: Sequence[BoardSet]) -> dict[int, list[Array]]:
    return detect(grey, dictionary, thorough=False)


def _searched_well(grey: Image, dictionary: str, sets: Sequence[BoardSet]) -> dict[int, list[Array]]:
    return detect(grey, dictionary, thorough=True)


def _plain(registration: Registration, found: Mapping[int, Sequence[Array]]) -> bool:
    """Whether a glance is enough: three tags plainly in their places, or two, if nothing else looks like one."""
    if len(registration.tags) == 2:
        return sum(len(quads) for quads in found.values()) == 2
    return registration.residual_px < PLAIN_RESIDUAL_PX


def _sure(
    grey: Image, registration: Registration, corners: dict[int, Array], lens: Lens | None, refused: list[Array]
) -> Registration | None:
    """A registration that the printed lines don't contradict; one by two tags, if they confirm it.

    `corners`: of its tags; `refused`: corners (8, 2) of twos that the lines didn't confirm, to which this may add one.
    """
    if len(registration.tags) == 2:
        pair = np.concatenate([corners[tag] for tag in registration.tags])
        if any(np.abs(pair - one).max() < SAME_PX for one in refused):
            return None
        confirmed = _confirmed(grey, registration, corners, lens)
        if confirmed is None:
            refused.append(pair)
            return None
        # from where the lines have it every other tag is found that is seen at all
        registration = complete(grey, confirmed, corners, lens)
    return None if len(registration.tags) > 2 and _shifted(grey, registration) else registration


def seen_corners(
    grey: Image, last: Registration, agree: Array, places_px: Mapping[int, Array] | None = None
) -> dict[int, Array]:
    """Corners (4, 2) of the tags whose cells agree, looked for about where the pose, or `places_px`, has them."""
    found = {}
    for tag, value in zip(last.board_set.fiducials.ids, agree, strict=True):
        if value >= SEEN_CORRELATION:
            place = (places_px or {}).get(tag)
            if place is None:
                place = last.pose.project(tag_corners_mm(last.board_set, tag, last.pose.inset_mm))
            found[tag] = refine(grey, place)
    return found


def nearby_corners(grey: Image, last: Registration, tag: int, reach_mm: float = 22.0) -> Array | None:
    """Corners (4, 2) of a tag that is not where the pose has it but not far from there; None where it is not seen."""
    predicted = last.pose.project(tag_corners_mm(last.board_set, tag, last.pose.inset_mm))
    reach_px = reach_mm * last.px_per_mm()
    low = np.maximum(np.floor(predicted.min(axis=0) - reach_px).astype(int), 0)
    high = np.minimum(np.ceil(predicted.max(axis=0) + reach_px).astype(int), [grey.shape[1], grey.shape[0]])
    if (high - low < 12).any():
        return None
    part = np.ascontiguousarray(grey[low[1] : high[1], low[0] : high[0]])
    quads = detect(part, last.board_set.fiducials.dictionary, thorough=False).get(tag, [])
    return quads[0] + low if len(quads) == 1 else None


def drift_px(last: Registration, corners: Mapping[int, Array]) -> float | None:
    """How far the tags' corners lie from where the pose predicts them, the median; None with fewer than two tags."""
    if len(corners) < 2:
        return None
    predicted = _predicted(last.pose, SetKey(last.board_set), tuple(corners))
    away = np.concatenate(list(corners.values())) - predicted
    return float(median_rows(np.sqrt(away[:, 0] ** 2 + away[:, 1] ** 2)[None])[0])


@lru_cache(maxsize=16)
def _predicted(pose: Pose, key: SetKey, tags: tuple[int, ...]) -> Array:
    """Where a pose has the corners of tags: (tags * 4, 2)."""
    return pose.project(np.concatenate([tag_corners_mm(key.board_set, tag, pose.inset_mm) for tag in tags]))


def follow(
    grey: Image, last: Registration, lens: Lens | None = None, corners: Mapping[int, Array] | None = None
) -> Registration | None:
    """The pose in the next picture, where the sheet lies about where it lay; `corners`: its tags', if looked for."""
    known = lens or Lens(last.pose.focal_px, last.pose.k1, 0.02, 0.02)
    if corners is None:
        corners = seen_corners(grey, last, tag_correlations(grey, last))
    if len(corners) < 2:
        return None
    return solve(dict(corners), last.board_set, last.size_px, known, last.pose)
