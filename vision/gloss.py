"""Gloss that lies unevenly on the tokens: a veil that grows towards a window or a lamp.

Dark colours are paled by it more than light ones, so that a blue token in the gloss looks like a sky one away from it.
The tokens themselves tell how it lies: a plane, fitted in turn with their colours.
"""

from __future__ import annotations

from math import log

import numpy as np

from vision.boardset import BoardSet
from vision.palette import CURVE, Palette, fit_palette
from vision.registration import Array

VEIL_SLOPE = 0.06
"""Light of white paper by which a veil may well differ from one end of the sheet to the other."""
MISSES = 0.06
"""How far a token's logarithms may well miss its colour's."""
ROUNDS = 3
POOR_NATS, MUCH_WORSE = -1.5, 2.5
"""Tokens whose gloss is told rightly fit their colours better; and by how much worse than as they were seen they fit
them when it is told so wrongly that to go on makes it no better."""
ONES = np.ones(3)
"""For sums over channels: numpy is slow along an axis of three."""
NEAR_MM, FIRM_NATS, MOST_MISSED, MOST_VEIL = 35.0, 5.0, 0.2, 0.05
"""Among tokens little paper is seen, and its light read less well; neighbours share what is missed."""
SHARES = (0.2, 0.25, 0.3, 0.35, 0.42, 0.5, 0.6, 0.75, 0.9, 1.1, 1.4, 1.8)
"""How much of what paper has too much of may lie on a token as a veil; near a reflection paper tells it poorly."""
DOUBTED = 2.0
"""Nats: near enough for a tie."""


def without_gloss(board_set: BoardSet, seen: Array, at_mm: Array, told: Array) -> tuple[Array, Palette]:
    """Tokens (n, 3), BGR logarithms, with uneven gloss taken out, and the palette that explains them.

    `at_mm` (n, 2): where they stand; `told` (n,): which of them are surely tokens.
    """
    if np.count_nonzero(told) < 8:
        return seen, fit_palette(board_set, seen[told])
    first = fit_palette(board_set, seen[told])
    if first.explains(seen[told]):
        return seen, first  # there is no uneven gloss to speak of
    near = _near(at_mm)
    found = _evened(board_set, seen, at_mm, told, first, near, patches=True)
    fit = _fit(*found, told)
    if fit < POOR_NATS:
        # without gloss, what neighbours seem to share can be the palette's error, and grows by being taken out
        plain = _evened(board_set, seen, at_mm, told, first, near, patches=False)
        found = plain if _fit(*plain, told) > fit else found
    return found


def _fit(evened: Array, palette: Palette, told: Array) -> float:
    """How well the tokens have the palette's colours: mean nats of each one's own."""
    return float(palette.nats(evened[told]).max(axis=1).mean())


def _evened(
    board_set: BoardSet, seen: Array, at_mm: Array, told: Array, palette: Palette, near: Array, patches: bool
) -> tuple[Array, Palette]:
    """Without a plane of gloss and with `patches` a veil that neighbours share, and without the light they miss.

    Patches may feed on themselves: then it ends early.

    `palette`: what explains them as they are seen; `near` (n, n): `_near`.
    """
    places = at_mm / np.asarray(board_set.sheet_mm) - 0.5
    light = _light(seen)
    at, dim, raised = places[told], light[told], np.exp(seen[told])
    trust = (raised - 6.0) / (CURVE * dim * raised) / MISSES  # of the logarithm by light: what is dim says most
    slope = np.zeros(2)
    evened, given_up = seen, min(POOR_NATS, _fit(seen, palette, told) - MUCH_WORSE) if patches else -np.inf
    for _ in range(ROUNDS):
        over = dim - _light(palette.means)[palette.nats(evened[told]).argmax(axis=1)]
        misses = np.abs((over - (at @ slope)[:, None]) * trust)
        firm2 = (trust * np.minimum(1.0, 2.0 / np.maximum(misses, 1e-6))) ** 2
        full = (at.T * (firm2 @ ONES)) @ at + np.eye(2) / VEIL_SLOPE**2
        slope = np.linalg.solve(full, at.T @ ((over * firm2) @ ONES))
        veil = (places @ slope)[:, None]
        evened = _logs(np.maximum(light - veil, 0.3 * light))
        if patches:
            veil = veil + _missed(palette, evened, near, told, dim=True)[:, None]
            evened = _logs(np.maximum(light - veil, 0.3 * light))
        evened = evened - _missed(palette, evened, near, told, dim=False)[:, None]
        palette = fit_palette(board_set, evened[told])
        if patches and _fit(evened, palette, told) < given_up:
            break
    return evened, palette


def nats_in_halo(palette: Palette, seen: Array, plane: Array, excess: Array, doubt: Array) -> Array:
    """The palette's nats (n, colours) for tokens (n, 3) where paper is brighter by `excess` than the light all over.

    That may be more light, or the veil round a reflection, or both: each colour gets the best that any of it makes, so
    that it is doubted; but none is surer for a veil than what is told without.
    `plane`, `excess` (n, 3): logarithms; `doubt` (n,): as in `Palette.nats`.
    """
    shown, white = _light(seen + plane + excess), log(255 + 6)
    veil = np.maximum(_light(plane + excess + white) - _light(plane + white), 0)
    doubt = np.hypot(doubt, excess.max(axis=1))
    nats = palette.nats(seen, doubt)
    rows, told = np.arange(len(nats)), nats.argmax(axis=1)
    for share in SHARES:
        bare = _logs(np.maximum(shown - share * veil, 0.1 * shown)) - plane
        nats = np.maximum(nats, palette.nats(bare, doubt))
    nats[rows, told] = np.maximum(nats[rows, told], nats.max(axis=1) - DOUBTED)
    return nats


def support(at_mm: Array, told: Array) -> Array:
    """How much each token's neighbours can tell of the gloss where it stands, 0 to 1: (n,)."""
    count = (_near(at_mm) * told).sum(axis=1)
    return np.asarray(count / (count + 1.0))


def _missed(palette: Palette, seen: Array, near: Array, told: Array, dim: bool) -> Array:
    """What each token's neighbours, `near` (n, n), have too much of, against their colours: (n,).

    `dim`: as a veil, in light of white paper; or else as light, a logarithm.
    """
    nats = palette.nats(seen)
    kinds = nats.argmax(axis=1)
    ahead = np.partition(nats, (-2, -1), axis=1)
    firm = told * np.minimum((ahead[:, -1] - ahead[:, -2]) / FIRM_NATS, 1)
    if dim:
        light, wanted = _light(seen), _light(palette.means)[kinds]
        trust = 1 / np.maximum(light, 0.02) ** 2
        # not what is bright in all channels alike: that is light
        weights = np.maximum(trust - 0.7 * (trust @ ONES / 3)[:, None], 0)
        over = ((light - wanted) * weights) @ ONES / np.maximum(weights @ ONES, 1e-9)
        over = np.minimum(np.maximum(over, -MOST_VEIL), MOST_VEIL)
    else:
        over = (seen - palette.means[kinds]) @ ONES / 3
        over = np.minimum(np.maximum(over, -MOST_MISSED), MOST_MISSED)
    near = near * firm
    return np.asarray(near @ over / (near.sum(axis=1) + 1.0))


def _near(at_mm: Array) -> Array:
    apart2 = ((at_mm[:, None, :] - at_mm[None]) ** 2).sum(axis=2)
    near = np.exp(-0.5 * apart2 / NEAR_MM**2)
    np.fill_diagonal(near, 0)  # a token has no say about itself
    return np.asarray(near)


def _light(logs: Array) -> Array:
    return np.asarray((np.maximum(np.exp(logs) - 6.0, 1.0) / 255) ** CURVE)


def _logs(light: Array) -> Array:
    return np.asarray(np.log(255 * light ** (1 / CURVE) + 6.0))
