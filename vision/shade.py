"""Cast shadows: their edges are as hard as a thing's, but what is printed goes on through them.

On the sheet the print on both sides of an edge tells; beside it, that all of the table darkened or brightened alike.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.blobs import label_blobs
from vision.motion import strongest
from vision.paper import CELL_MM, Drawing, Mask, finer
from vision.registration import NO_MAP, Image

Floats = npt.NDArray[np.float32]

AWAY_MM = (10.0, 18.0, 26.0)
"""How far from an edge its two sides are looked at."""
ROUND_CELLS = 7
ALONG_CELLS = 31
"""Widths of what is looked at at each of these places, and of what tells about an edge along its length."""
PRINT_CONTRAST = 8.0
"""Sum of squared contrasts of print, logarithms, from which it is plain whether print is seen."""
PRINT_SEEN = 0.22
"""Share of the drawn contrast that shows."""
BAD = 0.25
"""A side of which so much is no ground at all belongs to a thing."""
DEEPEST = 1.1
"""Logarithm by which a shadow is darker than what is lit beside it."""
STRIP = 0.4
"""Share of an edge's drop that is made up for within 12 mm: so narrow a strip is a pencil, not shade."""
FLAT = 0.07
"""Where nothing is printed: logarithm by which paper in shadow varies at most, things are rounder."""
TINTED, UNLIKE, ALIKE, FLAT_SHARE, EDGE_CELLS = 0.12, 0.07, 0.6, 0.9, 3
"""Beside the sheet: by how much shade may tint and vary, logarithms; how much of it must not vary more, and how much of
that still less; and how many cells of the small picture a hard edge is wide at most."""
EDGE_MISS = 0.3
"""What the two sides of a strip of shade, and the strip, may miss its depth by, in shares of it."""


def _boxed(values: Floats, cells: int) -> Floats:
    return np.asarray(cv2.blur(values, (cells, cells), borderType=cv2.BORDER_CONSTANT), np.float32)


def shadow_edges(drawing: Drawing, ratio: Floats, edges: Mask, bad: Mask, seen: Mask) -> Mask:
    """Which of the hard `edges` (h, w) are shadows'.

    `ratio` (h, w, 3): logarithm of picture over drawing; `bad`: cells that are no ground by colour; `seen`: cells in
    the picture and under no token.
    """
    level = cv2.GaussianBlur(ratio[:, :, 1], (0, 0), 1.5)
    right, down = cv2.Sobel(level, cv2.CV_32F, 1, 0), cv2.Sobel(level, cv2.CV_32F, 0, 1)
    rows, columns = np.nonzero(edges)
    steep = np.hypot(right[rows, columns], down[rows, columns]) + 1e-6
    way = np.column_stack([right[rows, columns], down[rows, columns]]) / steep[:, None]
    near_edge = cv2.dilate(edges.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    ground = (seen & ~near_edge & ~bad).astype(np.float32)
    shown = finer(ratio + drawing.logs)
    both = cv2.transform(cv2.multiply(drawing.fine, shown), np.ones((1, 3), np.float32))
    maps = cv2.merge(
        [
            _boxed(drawing.contrast * ground, ROUND_CELLS),
            _boxed(np.clip(both, -0.5, 0.5) * ground, ROUND_CELLS),
            _boxed((seen & bad).astype(np.float32), ROUND_CELLS),
            _boxed(ground, ROUND_CELLS),
        ]
    )
    green, bare = ratio[:, :, 1], ground * drawing.usable
    totals = cv2.merge([_boxed(values, ROUND_CELLS) for values in (bare, green * bare, green**2 * bare)])
    middles = np.column_stack([columns, rows]).astype(np.float32)
    sides = []
    levels = []
    for side in (-1, 1):
        places = np.stack([middles + side * way * (away / CELL_MM) for away in AWAY_MM], axis=1).astype(np.float32)
        told = cv2.remap(maps, places, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        sides.append(told.reshape(len(rows), len(AWAY_MM), 4).sum(axis=1) * ROUND_CELLS**2)
        told = cv2.remap(totals, places, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        levels.append(told.reshape(len(rows), len(AWAY_MM), 3).sum(axis=1) * ROUND_CELLS**2)
    steps: Floats = np.array([-6, -4, -3, -2, -1, 3, 4], np.float32)
    course = (middles[:, None] + steps[:, None] * way[:, None]).astype(np.float32)
    across = cv2.remap(level, course, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    drop = across[:, 6] - across[:, 1]
    darkest, beyond = across[:, 2:5].min(axis=1), across[:, :2].max(axis=1)
    strip = beyond - darkest > STRIP * (across[:, 5] - darkest)
    found = np.zeros(edges.shape, np.bool_)
    found[rows, columns] = _judge(edges, rows, columns, sides, levels) & (drop < DEEPEST) & ~strip
    beside = _boxed(found.astype(np.float32), 3) * 9
    return np.asarray(found & (beside > 2.5), np.bool_)  # one cell here and there is no edge


def _judge(
    edges: Mask,
    rows: npt.NDArray[np.intp],
    columns: npt.NDArray[np.intp],
    sides: list[Floats],
    levels: list[Floats],
) -> npt.NDArray[np.bool_]:
    """For each cell: neither side is a thing by colour, and print shows on both, as far as there is any."""
    shadow = np.ones(len(rows), np.bool_)
    plain = np.ones(len(rows), np.bool_)
    told = np.zeros(len(rows), np.bool_)
    for side, level in zip(sides, levels, strict=True):
        layer = np.zeros((*edges.shape, 2), np.float32)
        layer[rows, columns] = side[:, :2]
        along = _boxed(layer, ALONG_CELLS)[rows, columns]
        # of colour each place speaks for itself
        shadow &= side[:, 2] <= BAD * (side[:, 2] + side[:, 3]) + 1
        contrast, shown = along[:, 0] * ALONG_CELLS**2, along[:, 1] * ALONG_CELLS**2
        enough = contrast > PRINT_CONTRAST
        shadow &= ~enough | (shown > PRINT_SEEN * contrast)
        told |= enough
        count = np.maximum(level[:, 0], 1)
        mean = level[:, 1] / count
        plain &= np.sqrt(np.maximum(level[:, 2] / count - mean**2, 0)) < FLAT
    return np.asarray(shadow & (told | plain))


def unexplained(
    now: Image, before: Image, blob: Mask, solid: Mask, sheet: Mask, known: float | None = None
) -> tuple[int, float | None]:
    """How many `solid` cells of a `blob` (h, w) of the small picture no hard shadow that came, went or moved explains;
    and that shadow's depth, a logarithm, None without any.

    A shadow leaves one share of the light all over its inside, in all channels; at its edge, some cells wide, more.
    `sheet` (h, w): where there is other ground; `known`: the depth of one that explains a larger blob: it may go on
    beyond the sheet.
    """
    rows, columns = np.nonzero(blob)
    part = (
        slice(max(0, rows.min() - 2 * EDGE_CELLS), rows.max() + 2 * EDGE_CELLS + 1),
        slice(max(0, columns.min() - 2 * EDGE_CELLS), columns.max() + 2 * EDGE_CELLS + 1),
    )
    blob, solid = blob[part], solid[part] & blob[part]
    new, old = now[part].astype(np.float32), before[part].astype(np.float32)
    share = float(np.median(new[blob].mean(axis=1) / np.maximum(old[blob].mean(axis=1), 1)))
    gone, kept = np.log((new + 8) / (share * old + 8)), np.log((new + 8) / (old + 8))
    inner = _alike(gone)
    mine = inner & blob
    flat = np.count_nonzero(np.abs(gone[mine].mean(axis=1)) < 0.7 * UNLIKE)
    depth = float(np.log(share))
    around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * EDGE_CELLS + 1, 2 * EDGE_CELLS + 1))
    mostly = np.count_nonzero(mine) >= ALIKE * np.count_nonzero(blob) and flat >= FLAT_SHARE * np.count_nonzero(mine)
    if mostly and 3 * UNLIKE < abs(depth) < DEEPEST:
        lit, dim = (cv2.dilate(cells.astype(np.uint8), around) > 0 for cells in (_alike(kept), inner))
        edge = (dim & lit) | ((dim | lit) & _at_border(now.shape[:2])[part] & _between(kept, depth))
        left = solid & ~(inner | edge)
    else:
        moved = _edge_moved(new, old, kept, blob, sheet[part])
        if moved is None and np.any(sheet[part] & (cv2.dilate(blob.astype(np.uint8), around) > 0)):
            moved = known
        if moved is None:
            return int(np.count_nonzero(solid)), None
        depth, left = moved, solid & ~_between(kept, moved)
    sizes = label_blobs(left)[1][1:, cv2.CC_STAT_AREA]
    return int(sizes.max(initial=0)), depth  # specks are noise in the dark


def _edge_moved(new: Floats, old: Floats, kept: Floats, blob: Mask, sheet: Mask) -> float | None:
    """By what logarithm a shadow's edge changed a strip, `blob` (h, w), over which it moved; None if none did.

    A thing that came would have an edge on either side; of a strip of shade one side is dark before and after, and the
    other lit. `new`, `old` (h, w, 3): the pictures; `kept`: logarithm of their ratio; `sheet` (h, w): tells nothing.
    """
    rows, columns = np.nonzero(blob)
    change = np.sort(kept[blob].mean(axis=1))
    low, high = change[len(change) // 20], change[-1 - len(change) // 20]
    depth = float(low if abs(low) > abs(high) else high)
    if not 3 * UNLIKE < abs(depth) < DEEPEST:
        return None
    points = np.column_stack([columns, rows]).astype(np.float32)
    middle, axes, _ = cv2.PCACompute2(points, np.empty(0, np.float32))
    size = 4 * EDGE_CELLS + 1
    near, wide = (
        cv2.dilate(blob.astype(np.uint8), cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (cells, cells))) > 0
        for cells in (3, size)
    )
    y, x = np.nonzero(wide & ~near & ~sheet)
    side = (x - middle[0, 0]) * axes[1, 0] + (y - middle[0, 1]) * axes[1, 1]
    logs = np.log(new[y, x] + 8)
    sides = [logs[side > 0], logs[side < 0]]
    if min(map(len, sides)) < len(points) / size:
        return None
    dark, lit = sorted((np.median(one, axis=0) for one in sides), key=np.sum)
    gap = dark - lit
    if np.abs(gap + abs(depth)).max() > EDGE_MISS * abs(depth) or np.abs(gap - gap.mean()).max() > TINTED:
        return None
    with_shade, without = (
        np.median(np.log(one[blob] + 8), axis=0) for one in ((new, old) if depth < 0 else (old, new))
    )
    miss = max(float(np.abs(with_shade - dark).mean()), float(np.abs(without - lit).mean()))
    return depth if miss < EDGE_MISS * abs(depth) else None


def _at_border(size: tuple[int, int]) -> Mask:
    """Cells (h, w) of a small picture beyond whose edge a shadow's own edge may go on."""
    border = np.ones(size, np.bool_)
    border[EDGE_CELLS:-EDGE_CELLS, EDGE_CELLS:-EDGE_CELLS] = False
    return border


def _between(change: Floats, depth: float) -> Mask:
    """Cells (h, w) that keep their colour and lose or gain less than all of a shadow of this depth, a logarithm."""
    level = change.mean(axis=2)
    tint = np.abs(change - level[:, :, None]).max(axis=2)
    low, high = sorted((0.0, depth))
    return np.asarray((level > low - UNLIKE) & (level < high + UNLIKE) & (tint < TINTED), np.bool_)


def _alike(change: Floats) -> Mask:
    """Cells (h, w) that are as bright as told, in all channels; `change` (h, w, 3): logarithms against that."""
    level = cv2.transform(change, np.full((1, 3), 1 / 3, np.float32))
    tint = strongest(cv2.absdiff(change, cv2.merge([level, level, level])))
    return np.asarray((np.abs(level) < UNLIKE) & (tint < TINTED), np.bool_)
