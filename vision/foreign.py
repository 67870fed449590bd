"""Things that are neither sheet nor tokens: hands, sleeves, cups. What they touch is hidden."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision import motion
from vision.blank import blank_tokens
from vision.blobs import label_blobs
from vision.boardset import BoardSet, Point
from vision.casts import cast_shade
from vision.covered import covered_ground
from vision.lifting import LEAST_CELLS, HardEdges
from vision.lines import unseen_lines
from vision.motion import Mask
from vision.paper import CELL_MM, PaperView
from vision.placing import Ground
from vision.platforms import Card, rim_cells
from vision.registration import Array, Image, Registration
from vision.shade import shadow_edges, unexplained
from vision.shown import Shown, Stayed
from vision.tokens import CLEAR, SURE, Found

SHADE_MM, SIDE_MM, LINE_SHADE_MM = 7.0, 3.0, 12.0
"""How far a token's own shadow and side reach beyond its disc; how far its side alone, that tints what is next to it;
and how far they may disturb the look of fine lines."""
INK_GAP_MM = 8.0
"""Half of how far the border of two inks parts an edge that goes on across it, at most."""
OUTLINE_MM, INSIDE_MM2 = 76.0, 80.0
"""No shadow's edge runs round so little, and at least so much: what casts it would stand there."""
BETWEEN_MM = 24.0
"""So near to each other parts of a thing hide what is between them."""
LARGE_MM2 = 160.0
"""A thing on the sheet is at least this large; a fingertip covers more."""
SPOT_MM2, OUTSIDE_MM2 = 36.0, 100.0
"""From this area of unseen ground on, a site is hidden; and of that beyond the picture's edge."""
BESIDE_MM2, SOLID_MM2 = 200.0, 90.0
"""A new thing beside the sheet changes at least so much, and at least so much not only by shade."""
GLARE_MM, TINT_GLARE_MM = 16.0, 26.0
"""Round blown-out spots so much is too pale to be read; and where colours alone are to be read."""
TOUCH_MM = 4.0
RIM_MM, RIM_COVERED = 10.0, 0.35
"""Of so wide a rim of a site on dark ground no more than this may be covered."""
SHADED = 0.6
"""Share of a top's unevenness that must be that of the paper round it, if it is to be a shadow's."""
CROSSED = 0.4
"""Spread of a rim's brightness, a logarithm: so uneven a top must show a clear mark."""
WHOLE = 0.97
"""A square of this score shows all its outline."""
SURE_BESIDE, SURE_NEARBY, NEARBY_MM = 0.87, 0.88, 60.0
FIRST_STAY_S, STAY_S, ARM_STAY_S = 0.8, 2.0, 20.0
"""A thing so long still is no hand: one there from the first, one that came, one that reaches the picture's edge."""


@dataclass(frozen=True)
class Things:
    """`clear`: tokens seen beyond doubt; `hidden`: sites; `hand`: something foreign is there.

    `on_sheet`: grid cells it covers; `reaches_edge`: it comes from the picture's edge, as arms do; `beside`: part of it
    lies beside the sheet. `edges`: where hard shadows end; None where none was looked for.
    `glare`: sites hidden by it.
    """

    clear: tuple[Found, ...]
    hidden: tuple[str, ...]
    hand: bool
    on_sheet: Mask
    reaches_edge: bool
    beside: bool
    adopted: Mask | None = None
    edges: HardEdges | None = None
    glare: frozenset[str] = frozenset()

    @classmethod
    def none(cls) -> Things:
        """Nothing seen yet."""
        return cls((), (), False, np.zeros((1, 1), np.bool_), False, False)

    def may_stay(self, t_s: float, quiet_since_s: float, started_s: float) -> bool:
        """Whether what is there has been still for so long that it is furniture, not a hand."""
        quiet_s = t_s - quiet_since_s
        if quiet_since_s - started_s < 0.05:
            return quiet_s >= FIRST_STAY_S
        return quiet_s >= (ARM_STAY_S if self.reaches_edge else STAY_S)


def _dazzled(glare: Mask, reach_mm: float) -> Mask | None:
    """Where glare lies, and round it: what is seen there is too pale to be told; None without any."""
    tidy = cv2.morphologyEx(glare.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)) > 0
    spots, _ = _large(tidy, SPOT_MM2 / CELL_MM**2)
    return _grown(spots, reach_mm) if spots.any() else None


def _lies_on(mask: Mask, place_mm: tuple[float, float]) -> bool:
    column, row = (int(value / CELL_MM) for value in place_mm)
    return 0 <= row < mask.shape[0] and 0 <= column < mask.shape[1] and bool(mask[row, column])


def _large(mask: Mask, least: float) -> tuple[Mask, npt.NDArray[np.int32]]:
    """The blobs of at least `least` cells, and their labels (0 elsewhere)."""
    if np.count_nonzero(mask) < least:
        return np.zeros(mask.shape, np.bool_), np.zeros(mask.shape, np.int32)
    labels, stats, _ = label_blobs(mask)
    keep = np.arange(len(stats), dtype=np.int32)
    keep[stats[:, cv2.CC_STAT_AREA] < least] = 0
    kept = np.asarray(keep[labels], np.int32)
    return kept > 0, kept


def _long(edges: Mask, size_mm: float) -> Mask:
    """Those of the edges that go on for two tokens' sizes, small gaps left out, and aren't the outline of a thing."""
    bridged = cv2.dilate(edges.astype(np.uint8), np.ones((3, 3), np.uint8))
    labels, stats, _ = label_blobs(np.asarray(bridged, np.uint8))
    sides = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]] * CELL_MM
    long = np.hypot(sides[:, 0], sides[:, 1]) >= 2 * size_mm
    long[0] = False
    for label in np.flatnonzero(long & (sides.max(axis=1) < OUTLINE_MM)):
        left, top, width, height = stats[label, : cv2.CC_STAT_AREA].tolist()
        long[label] = not _runs_round(labels[top : top + height, left : left + width] == label)
    return np.asarray(edges & long[labels], np.bool_)


def _runs_round(edges: Mask) -> bool:
    """Whether edges (h, w) enclose something."""
    labels, stats, _ = label_blobs(np.pad(~edges, 1, constant_values=True))
    inside = np.arange(len(stats)) != labels[0, 0]
    inside[0] = False
    return bool(np.any(stats[inside, cv2.CC_STAT_AREA] * CELL_MM**2 >= INSIDE_MM2))


def _on_paper_too(shadowed: Mask, usable: Mask, size_mm: float) -> Mask:
    """Those of the shadows' edges that lie on paper, or go on there for long: on dark ground no print tells them."""
    on_paper = shadowed & usable
    if np.array_equal(on_paper, shadowed):
        return shadowed
    long = _grown(_long(on_paper, size_mm), INK_GAP_MM)
    return np.asarray(on_paper | (shadowed & _joined(long, _grown(shadowed, INK_GAP_MM))), np.bool_)


def _joined(things: Mask, cloth: Mask) -> Mask:
    """Things with the cloth that hangs on them."""
    _, labels = cv2.connectedComponents((things | cloth).astype(np.uint8), connectivity=8, ltype=cv2.CV_32S)
    mine = np.zeros(int(labels.max()) + 1, np.bool_)
    mine[labels[things]] = True
    mine[0] = False
    return np.asarray(mine[labels], np.bool_)


def _grown(mask: Mask, reach_mm: float) -> Mask:
    size = 2 * max(1, round(reach_mm / CELL_MM)) + 1
    return cv2.dilate(mask.astype(np.uint8), cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))) > 0


def find_things(shown: Shown, stayed: Stayed) -> Things:
    """Sort what was found into clear tokens, hidden sites and things that don't belong."""
    paper, ground, ratio, light = shown.paper, shown.ground, shown.lit.ratio, shown.lit.light
    glow, glare, adopted = shown.glow, shown.lit.glare, stayed.adopted
    registration = paper.registration
    board_set = registration.board_set
    radius_mm = board_set.tokens.size_mm / 2
    clear = list(shown.found)
    under = paper.discs(np.array([token.centre_mm for token in clear]).reshape(-1, 2), radius_mm + SHADE_MM)
    covering = covered_ground(paper, ratio, light, under)
    raw, cloth = covering.ground if glow is None else covering.ground & ~glow, None
    lying = [card for card in ground.cards.values() if card is not None]
    rims = rim_cells(board_set, lying, raw.shape, CELL_MM)
    raw = raw & ~rims
    pale = None if glare is None else _dazzled(glare & ~under, GLARE_MM if board_set.tokens.marks else TINT_GLARE_MM)
    if pale is not None:
        raw = raw & ~pale  # no thing is told there
        if not board_set.tokens.marks:
            clear = [token for token in clear if not _lies_on(pale, token.centre_mm)]
    told = (paper.drawing.usable | raw) & paper.inside & ~under  # on dark ground shade may not show
    places_mm = [] if pale is not None else [token.centre_mm for token in clear]  # in glare tokens are not read
    cast = cast_shade(raw & told, told, places_mm, board_set.tokens, radius_mm + SHADE_MM)
    edges = covering.hard & raw & ~under
    shadowed: Mask | None = None
    if np.count_nonzero(edges) >= LEAST_CELLS:
        bad = raw & ~covering.hard
        shadowed = shadow_edges(paper.drawing, ratio, edges, bad, paper.inside & ~under)
        shadowed = _on_paper_too(shadowed, paper.drawing.usable, board_set.tokens.size_mm)
        raw = raw & ~_long(shadowed, board_set.tokens.size_mm)
    raw = raw if cast is None else raw & ~cast
    tidy = cv2.morphologyEx(raw.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)) > 0
    tokens_mm = [*(token.centre_mm for token in clear), *stayed.stood_mm]
    beside_small, reaches_edge = _beside(shown, stayed.still, tokens_mm)
    plain = paper.drawing.usable & paper.inside & ~raw & ~under
    shaded = [token for token in clear if _in_shade(token, paper, ratio[:, :, 1], plain, shadowed, radius_mm)]
    whole: list[Found] = []  # touched, but no part of what touches them: their outlines are complete
    while True:  # every token that goes uncovers more of what lies there
        standing = [token.centre_mm for token in (*clear, *whole)]
        discs = paper.discs(np.array(standing).reshape(-1, 2), radius_mm + SHADE_MM)
        things, _ = _large(tidy & ~discs, LARGE_MM2 / CELL_MM**2)
        if things.any():
            cloth = covering.cloth() & ~_grown(rims, 2 * CELL_MM) if cloth is None else cloth
            things = _joined(things, cloth & ~discs)
        doubtful = _doubtful(clear, paper, things, beside_small, registration, radius_mm, shaded)
        if not doubtful:
            break
        gone = set(map(id, doubtful))
        clear = [token for token in clear if id(token) not in gone]
        if not board_set.tokens.marks:
            whole += [token for token in doubtful if token.score >= WHOLE]
    sure = set(map(id, clear))
    doubted = [token.centre_mm for token in shown.found if id(token) not in sure]
    hidden_sites = {area.nearest(x, y) for x, y in doubted if (area := ground.home(x, y)) is not None}
    covered = _covered(raw & ~discs, _closed(things) & ~discs)
    dazzled: frozenset[str] = frozenset()
    if pale is not None:
        dazzled = frozenset({*_hidden(paper, board_set, pale), *_hidden_slots(board_set, ground, pale)} | hidden_sites)
        hidden_sites |= dazzled
    hidden_sites.update(_outside(paper, board_set))
    hidden_sites.update(_hidden(paper, board_set, covered), _hidden_slots(board_set, ground, covered))
    odd = raw & paper.drawing.dark & ~covering.hard
    if np.count_nonzero(odd):  # a token's shade makes nothing lighter or another colour: it may be half a neighbour
        odd &= ~paper.discs(np.array(standing).reshape(-1, 2), radius_mm + SIDE_MM)
        if np.count_nonzero(odd) * CELL_MM**2 >= SPOT_MM2:
            hidden_sites.update(_hidden(paper, board_set, odd))
    if board_set.tokens.marks:
        free = ~(discs | covered) if glow is None else ~(discs | covered | glow)
        free = free if cast is None else free & ~cast
        blank = blank_tokens(paper, covering.blue, covering.red, free)
        hidden_sites.update(area.nearest(*top) for top in blank.tops if (area := ground.home(*top)) is not None)
        if blank.walls is not None:
            hidden_sites.update(_hidden(paper, board_set, blank.walls))
    around = paper.discs(np.array(standing).reshape(-1, 2), radius_mm + LINE_SHADE_MM)
    unseen = unseen_lines(paper, shown.image, around | rims | _grown(covered, CELL_MM))
    hidden_sites.update(unseen)
    if unseen:  # there may be a print on what hides the lines
        homes = [ground.home(*token.centre_mm) for token in clear]
        clear = [
            token for token, home in zip(clear, homes, strict=True) if home is None or not unseen.issuperset(home.sites)
        ]
    if things.any():
        hidden_sites.update(_dark_beside(paper, board_set, covered))
    clear = [token for token in clear if not _on_unseen_platform(board_set, ground.cards, hidden_sites, token)]
    hidden = tuple(sorted(hidden_sites))
    fresh = things
    if adopted is not None:
        adopted = adopted & _grown(things, 2 * CELL_MM)  # what was taken away is forgotten
        fresh, _ = _large(things & ~_grown(adopted, 4 * CELL_MM), LARGE_MM2 / CELL_MM**2)
    beside = bool(beside_small.any())
    hand = bool(fresh.any()) or beside
    hard = None if shadowed is None else HardEdges(shadowed, edges & ~shadowed)
    return Things(tuple(clear), hidden, hand, things, reaches_edge, beside, adopted, hard, dazzled)


def _in_shade(
    token: Found, paper: PaperView, level: npt.NDArray[np.float32], plain: Mask, edges: Mask | None, radius_mm: float
) -> bool:
    """Whether a shadow that ends beside a token explains that its top is uneven: the paper round it is so, too.

    `level` (h, w): of the paper's light; `plain`: cells that show it; `edges`: those where hard shadows end.
    """
    if token.evenness <= CROSSED:
        return False
    around = paper.discs(np.array([token.centre_mm]), radius_mm + 2 * SHADE_MM)
    if edges is not None and np.count_nonzero(edges & around) >= 3:
        return True
    ring = level[around & plain]
    return len(ring) >= 20 and float(np.ptp(np.percentile(ring, (5, 95)))) > SHADED * token.evenness


def _doubtful(
    tokens: Sequence[Found],
    paper: PaperView,
    things: Mask,
    beside: Mask,
    registration: Registration,
    radius_mm: float,
    shaded: Collection[Found],
) -> list[Found]:
    """Tokens that a thing touches: they may be held, half covered, or no tokens at all.

    An uneven top is half covered, or is one of those at which a shadow ends (`shaded`).
    """
    weak = [token for token in tokens if token.score < (SURE if paper.within(token.centre_mm) else SURE_BESIDE)]
    weak += [
        token
        for token in tokens
        if token.evenness > CROSSED
        and (token.score < CLEAR or not paper.within(token.centre_mm))
        and token not in shaded
    ]
    if not tokens or not (things.any() or beside.any()):
        return weak
    pose, height_mm = registration.pose, registration.board_set.tokens.height_mm
    centres = np.array([token.centre_mm for token in tokens])
    tops_px = pose.project(centres, -height_mm)
    scores = np.array([token.score for token in tokens])
    touched = np.zeros(len(tokens), np.bool_)
    reach_mm = radius_mm + SHADE_MM / 2 + TOUCH_MM
    if things.any():
        away: Array = cv2.distanceTransform((~things).astype(np.uint8), cv2.DIST_L2, 5) * CELL_MM
        for places in (centres, pose.unproject(tops_px)):
            columns, rows = (places / CELL_MM).astype(int).T
            inside = (rows >= 0) & (columns >= 0) & (rows < away.shape[0]) & (columns < away.shape[1])
            rows, columns = np.clip(rows, 0, away.shape[0] - 1), np.clip(columns, 0, away.shape[1] - 1)
            apart = np.where(inside, away[rows, columns], np.inf)
            touched |= apart < reach_mm
            # near a hand only a faultless look counts: between fingers there are shapes like marks
            touched |= (apart < NEARBY_MM) & (scores < SURE_NEARBY)
    if beside.any():
        away = cv2.distanceTransform((~beside).astype(np.uint8), cv2.DIST_L2, 5)
        columns, rows = (tops_px / motion.SHRINK).astype(int).T
        rows, columns = np.clip(rows, 0, away.shape[0] - 1), np.clip(columns, 0, away.shape[1] - 1)
        touched |= away[rows, columns] < radius_mm * registration.px_per_mm() / motion.SHRINK + 2
    return weak + [token for token, is_touched in zip(tokens, touched, strict=True) if is_touched]


def _closed(things: Mask) -> Mask:
    """Things with what lies between their parts: the middle of a note is as white as the sheet."""
    if not things.any():
        return things
    size = 2 * round(BETWEEN_MM / CELL_MM / 2) + 1
    around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    return np.asarray(cv2.morphologyEx(things.astype(np.uint8), cv2.MORPH_CLOSE, around) > 0, np.bool_)


def _covered(spots: Mask, things: Mask) -> Mask:
    tidy = cv2.morphologyEx(spots.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)) > 0
    return np.asarray(tidy | _grown(things, CELL_MM), np.bool_)


def _hidden_slots(board_set: BoardSet, ground: Ground, covered: Mask) -> Iterator[str]:
    """Slots under a thing; all of a platform's that is not seen because of one."""
    for site in ground.slots:
        if _share(covered, np.asarray(site.polygon_mm)) >= SPOT_MM2:
            yield site.id
    for rail, card in ground.cards.items():
        (left, top), (right, bottom) = board_set.rails[rail]
        corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
        if card is None and _share(covered, corners) >= LARGE_MM2:
            yield from board_set.slots[rail]


def _share(covered: Mask, polygon_mm: Array) -> float:
    """How much of a polygon is covered, in mm2."""
    layer = np.zeros(covered.shape, np.uint8)
    cv2.fillPoly(layer, [np.round((polygon_mm / CELL_MM - 0.5) * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
    return float(np.count_nonzero(covered & (layer > 0))) * CELL_MM**2


def _on_unseen_platform(
    board_set: BoardSet, cards: Mapping[str, Card | None], hidden: Collection[str], token: Found
) -> bool:
    """Whether a token lies on a rail whose platform is hidden: it may well stand on it."""
    x, y = token.centre_mm
    return any(
        card is None
        and board_set.slots[rail][0] in hidden
        and board_set.rails[rail][0][0] <= x <= board_set.rails[rail][1][0]
        and board_set.rails[rail][0][1] <= y <= board_set.rails[rail][1][1]
        for rail, card in cards.items()
    )


def _hidden(paper: PaperView, board_set: BoardSet, covered: Mask) -> tuple[str, ...]:
    """Sites of which a piece is covered."""
    labels = paper.drawing.labels
    here = covered & (labels >= 0)
    if np.count_nonzero(here) * CELL_MM**2 < SPOT_MM2:
        return ()
    pieces, piece = cv2.connectedComponents(here.astype(np.uint8), connectivity=8, ltype=cv2.CV_32S)
    sizes = np.bincount((piece * len(board_set.sites) + labels)[here], minlength=pieces * len(board_set.sites))
    largest = sizes.reshape(-1, len(board_set.sites)).max(axis=0)  # specks here and there are noise, not a thing
    return tuple(board_set.sites[index].id for index in np.flatnonzero(largest * CELL_MM**2 >= SPOT_MM2))


def _outside(paper: PaperView, board_set: BoardSet) -> Iterator[str]:
    """Sites of which much lies outside the picture."""
    if paper.inside.all():
        return
    labels = paper.drawing.labels
    cells = np.bincount(labels[~paper.inside & (labels >= 0)], minlength=len(board_set.sites))
    yield from (board_set.sites[index].id for index in np.flatnonzero(cells * CELL_MM**2 > OUTSIDE_MM2))


def _dark_beside(paper: PaperView, board_set: BoardSet, covered: Mask) -> Iterator[str]:
    """Sites on dark ground beside which much is covered: a dark sleeve there looks like the ground itself."""
    drawing = paper.drawing
    told = (drawing.usable | drawing.dark) & paper.inside
    for index in np.unique(drawing.labels[drawing.dark & (drawing.labels >= 0)]):
        site = drawing.labels == index
        rim = _grown(site, RIM_MM) & told & ~site
        if np.count_nonzero(covered & rim) > RIM_COVERED * np.count_nonzero(rim):
            yield board_set.sites[index].id


def _beside(shown: Shown, still: Image | None, tokens_mm: Sequence[Point]) -> tuple[Mask, bool]:
    """Blobs beside the sheet (small picture) that are new since all was still, and whether one reaches the edge."""
    registration, sheet, small = shown.paper.registration, shown.watch, shown.small
    nothing = np.zeros(small.shape[:2], np.bool_)
    if still is None or shown.changed is None:
        return nothing, False
    mask = shown.changed & ~sheet
    if not mask.any():
        return nothing, False
    lamp = motion.relit(still, small)
    if lamp is not None:
        still, mask = lamp, motion.changed(small, lamp) & ~sheet
    layer = np.zeros(mask.shape, np.uint8)
    scale = registration.px_per_mm() / motion.SHRINK
    board_set = registration.board_set
    reach = (board_set.tokens.size_mm / 2 + SHADE_MM) * scale
    places = registration.pose.project(np.array(tokens_mm).reshape(-1, 2)) / motion.SHRINK
    for x, y in places:
        cv2.circle(layer, (round(float(x)), round(float(y))), round(reach), 1, -1)
    mask &= layer == 0
    blobs, labels = _large(mask, BESIDE_MM2 * scale**2)
    if np.count_nonzero(blobs) > 0.5 * np.count_nonzero(~sheet):
        return nothing, False  # the light changed, not the table
    solid = motion.solid(small, still, blobs)
    count = np.bincount(labels[solid].ravel(), minlength=int(labels.max()) + 1)
    things: list[int] = []
    depth: float | None = None
    sizes = np.bincount(labels.ravel(), minlength=len(count))
    for label in sorted(np.flatnonzero(count >= SOLID_MM2 * scale**2).tolist(), key=lambda one: -sizes[one]):
        if label > 0:
            left, shade = unexplained(small, still, labels == label, solid, sheet, depth)
            depth = depth if shade is None else shade
            if left >= SOLID_MM2 * scale**2:
                things.append(label)
    chosen = np.zeros(len(count), np.bool_)
    chosen[things] = True
    blobs = chosen[labels]
    edge = bool(blobs[:1].any() or blobs[-1:].any() or blobs[:, :1].any() or blobs[:, -1:].any())
    return blobs, edge
