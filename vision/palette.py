"""What the tokens' colours look like in this picture, and how likely a token is of each.

All values are BGR logarithms with the light taken out (`vision.light`). Between print and picture lie gloss, bloom and
the camera's own curve: they are taken together as a strength and a veil for each channel, in linear light, held by
priors and fitted to the tokens themselves, for small printed patches read brighter and paler than tokens do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import log

import numpy as np
import numpy.typing as npt

from vision.boardset import BoardSet, SetKey
from vision.ranks import median_rows
from vision.registration import Array

STRENGTH, STRENGTH_SPREAD = 0.8, 0.15
VEIL, VEIL_SPREAD = 0.06, 0.03
VEILS = (VEIL, 0.12, 0.025, 0.008, 0.002)
CURVE = 2.3
"""Exponent by which a camera's levels grow slower than the light."""
TINT_SPREAD, TINT_MOST = 0.02, 0.12
"""How much a token's tint, a logarithm of channels' ratio, may miss its colour's: at least, and at most."""
SHADE_SPREAD, SHADE_MOST = 0.05, 0.3
"""The same for its brightness, which shadows change."""
PLAIN_TINT, PLAIN_SHADE = 0.04, 0.15
"""Where no gloss lies on them no token misses its colour's tint by more, nor, between others, its brightness; under a
lamp some always do.
"""
STRANGE_TINT = 0.35
"""Further from every colour than this, a thing is none of this set's tokens."""
STRANGE_SHADE = 1.3
"""No shadow or glare changes a token's brightness by so much, a logarithm, against the paper near it."""
FLOOR_NATS = -25.0
_LEAST, _MOST = (0.3, 0.0005), (1.3, 0.25)
"""Of strength and veil."""
_AXES = np.array([[1, -1, 0], [1, 1, -2], [1, 1, 1]]) / np.array([[2**0.5], [6**0.5], [3]])
"""BGR logarithms -> two of tint, at right angles and as long as those, and the mean."""


@dataclass(frozen=True)
class Palette:
    """`means` (colours, 3): BGR logarithms; `tint_spread`, `shade_spread`: of tokens round them."""

    names: tuple[str, ...]
    means: Array
    tint_spread: float
    shade_spread: float

    def nats(self, seen: Array, doubt: Array | float = 0.0) -> Array:
        """Log likelihoods (n, colours), not yet relative to the best, of tokens seen as (n, 3).

        `doubt` (n,): how far each one's brightness may miss besides, because light and shadow lie close together there.
        """
        return self._nats(*_apart(seen, self.means), doubt)

    def _nats(self, tint: Array, shade: Array, doubt: Array | float = 0.0) -> Array:
        spread = self.shade_spread if isinstance(doubt, float) else np.hypot(self.shade_spread, doubt)[:, None]
        return np.asarray(-_cost(tint / self.tint_spread) - _cost(shade / spread))

    def tint(self) -> float:
        """How strong the colours look: mean logarithm of tint."""
        return float(np.hypot(*(self.means[:, ::2] - self.means[:, 1:2]).T).mean())

    def unlike(self, seen: Array, limit: float = STRANGE_TINT) -> Array:
        """Which of the colours each token seen as (n, 3) can't have: (n, colours)."""
        tint, shade = _apart(seen, self.means)
        return np.asarray((tint > limit) | (shade > STRANGE_SHADE))

    def explains(self, seen: Array) -> bool:
        """Whether every token seen as (n, 3) is as like its colour as tokens are without gloss."""
        tint, shade = _apart(seen, self.means)
        rows, nearest = np.arange(len(seen)), self._nats(tint, shade).argmax(axis=1)
        return bool(tint[rows, nearest].max() < PLAIN_TINT and shade[rows, nearest].max() < PLAIN_SHADE)

    def strange(self, seen: Array, limit: Array | float = STRANGE_TINT) -> Array:
        """Which of the tokens seen as (n, 3) have none of the colours: (n,)."""
        return np.asarray(_apart(seen, self.means)[0].min(axis=1) > limit)


def _cost(gaps: Array) -> Array:
    """Half the square up to three spreads, from there on straight: far out everything is a little more likely."""
    near = np.minimum(gaps, 3)
    return np.asarray(near * (gaps - 0.5 * near))


def _apart(seen: Array, means: Array) -> tuple[Array, Array]:
    """Distances in tint and in brightness, each (n, colours)."""
    gaps = (_AXES @ seen.T)[:, :, None] - (_AXES @ means.T)[:, None]
    return np.hypot(gaps[0], gaps[1]), np.abs(gaps[2])


def linear(rgb: Array) -> Array:
    """sRGB values 0 to 255 as linear light, 0 to 1."""
    value = rgb / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def looks(bodies: Array, strength: Array | np.float64, veil: Array | np.float64) -> Array:
    """How printed colours (n, 3) in linear light look: BGR logarithms."""
    light = np.maximum(bodies * strength + veil, 1e-4)
    return np.asarray(np.log(255 * np.minimum(light, 1.5) ** (1 / CURVE) + 6.0))


def first_palette(board_set: BoardSet) -> Palette:
    """What can be expected before any token is seen."""
    names = tuple(board_set.tokens.colours)
    return Palette(names, looks(_bodies(board_set), np.full(3, STRENGTH), np.full(3, VEIL)), TINT_MOST, SHADE_MOST)


def _bodies(board_set: BoardSet) -> Array:
    return _colours(SetKey(board_set))[0]


@lru_cache(maxsize=8)
def _colours(key: SetKey) -> tuple[Array, Array]:
    """A set's colours in linear light (colours, 3), and their tints (2, colours * veils) under each of VEILS."""
    board_set = key.board_set
    bodies = linear(np.array([paint.body[::-1] for paint in board_set.tokens.colours.values()], np.float64))
    seen = np.stack([looks(bodies, np.float64(STRENGTH), np.float64(veil)) for veil in VEILS], axis=1)
    return bodies, _AXES[:2] @ seen.reshape(-1, 3).T


def fit_palette(board_set: BoardSet, seen: Array) -> Palette:
    """The palette that explains tokens seen as (n, 3)."""
    palette, sure = _fitted(board_set, seen, 1.0, 4)
    if len(sure) == 0:
        return palette
    tint, shade = _apart(sure, palette.means)
    nearest = palette._nats(tint, shade).argmax(axis=1)
    rows = np.arange(len(nearest))
    few = 2 / (len(rows) + 2)  # few tokens say little about how far tokens spread

    def spread_of(gaps: Array, least: float, most: float) -> float:
        own = min(most, max(least, 1.6 * float(median_rows(gaps[rows, nearest][None])[0])))
        return few * (least + most) / 2 + (1 - few) * own

    return Palette(
        palette.names,
        palette.means,
        spread_of(tint, TINT_SPREAD, TINT_MOST),
        spread_of(shade, SHADE_SPREAD, SHADE_MOST),
    )


def rough_palette(board_set: BoardSet, samples: Array, each: float) -> Palette:
    """The same from many samples (n, 3) of tokens, of which one says as much as `each` of a token; but for its spreads,
    which are the widest.
    """
    return _fitted(board_set, samples, each, 3)[0]


def _fitted(board_set: BoardSet, seen: Array, each: float, rounds: int) -> tuple[Palette, Array]:
    """A palette with the widest spreads, and those of the tokens (n, 3) that it explains."""
    bodies = _bodies(board_set)
    if len(seen) == 0:
        return first_palette(board_set), seen
    veil = _likeliest_veil(board_set, seen)
    state = np.concatenate([np.full(3, STRENGTH), np.full(3, veil)])
    prior, spread = state.copy(), np.repeat([STRENGTH_SPREAD, max(VEIL_SPREAD * min(1.0, veil / VEIL), 0.004)], 3)
    palette = Palette(tuple(board_set.tokens.colours), looks(bodies, state[:3], state[3:]), TINT_MOST, SHADE_MOST)
    sure = seen[~palette.strange(seen)]
    if len(sure) == 0:
        return palette, sure
    kinds = np.zeros(0, np.intp)
    for _ in range(rounds):
        before, kinds = kinds, palette.nats(sure).argmax(axis=1)
        settled = np.array_equal(before, kinds)  # one more step is as near as the fit comes
        if not settled:
            present, targets, number = _middles(sure, kinds)
            counts = np.minimum(number * each, 3.0)[:, None]
        state = _step(bodies[present], targets, np.sqrt(counts) / 0.05, state, prior, spread)
        means = looks(bodies, state[:3], state[3:])
        # what is seen of a colour says more than the fit, the more is seen
        gaps = np.minimum(np.maximum(targets - means[present], -0.1), 0.1)
        means[present] += counts / (counts + 1.5) * gaps
        palette = Palette(palette.names, means, TINT_MOST, SHADE_MOST)
        if settled:
            break
    return palette, sure


def _likeliest_veil(board_set: BoardSet, seen: Array) -> float:
    """From glossy prints under a lamp to matte ones: the veil with which most of what is seen has some colour."""
    few = seen[:: max(1, len(seen) // 200)]
    gaps = _colours(SetKey(board_set))[1][:, :, None] - (_AXES[:2] @ few.T)[:, None]
    away = np.hypot(gaps[0], gaps[1]).reshape(-1, len(VEILS), len(few)).min(axis=0)
    return VEILS[int(np.minimum(away, STRANGE_TINT).mean(axis=1).argmin())]


def _middles(seen: Array, kinds: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.intp], Array, npt.NDArray[np.intp]]:
    """The kinds there are (k,), the median of each in (n, 3) -> (k, 3), and how many there are of it (k,)."""
    counts = np.bincount(kinds)
    present = np.flatnonzero(counts)
    counts = counts[present]
    ranked = np.ascontiguousarray(seen[np.argsort(kinds.astype(np.uint8), kind="stable")].T)
    ends = np.cumsum(counts)
    first = ends - counts
    for start, end in zip(first.tolist(), ends.tolist(), strict=True):
        ranked[:, start:end].sort(axis=1)
    targets = (ranked[:, first + (counts - 1) // 2] + ranked[:, first + counts // 2]).T / 2
    return present, targets, counts


def _step(bodies: Array, targets: Array, trust: Array, state: Array, prior: Array, spread: Array) -> Array:
    """Strength and veil (6,) that bring the looks of `bodies` (n, 3) to `targets`; damped steps, channels apart.

    `trust` (n, 1); `prior`, `spread` (6,): of strength and veil. In plain numbers: there are as many as a set has
    colours, and numpy's calls would take longer than the sums.
    """
    found, power = [], 1 / CURVE
    hold = (spread**-2).tolist()
    each = zip(bodies.T.tolist(), targets.T.tolist(), state[:3].tolist(), state[3:].tolist(), strict=True)
    trusts = trust[:, 0].tolist()
    for channel, (drawn, wanted, strength, veil) in enumerate(each):
        usual, hold_strength = float(prior[channel]), hold[channel]
        usual_veil, hold_veil = float(prior[3 + channel]), hold[3 + channel]
        for _ in range(2):
            # two equations for each channel
            a, b, c = hold_strength, 0.0, hold_veil
            up, down = (usual - strength) * hold_strength, (usual_veil - veil) * hold_veil
            for body, target, weight in zip(drawn, wanted, trusts, strict=True):
                light = body * strength + veil
                if light > 1.5:
                    light = 1.5
                level = 255 * light**power
                slope = level / (CURVE * light * (level + 6.0)) * weight  # of the logarithm, by light
                to_strength = slope * body
                error = (target - log(level + 6.0)) * weight
                a += to_strength * to_strength
                b += to_strength * slope
                c += slope * slope
                up += to_strength * error
                down += slope * error
            whole = a * c - b * b
            strength = min(max(strength + (c * up - b * down) / whole, _LEAST[0]), _MOST[0])
            veil = min(max(veil + (a * down - b * up) / whole, _LEAST[1]), _MOST[1])
        found.append((strength, veil))
    return np.array(found).T.ravel()
