"""Sighting: what one frame showed. The only thing that leaves this room; holds no image.

Frames of reference: `*_mm` are kit millimetres (origin at the sheet's top-left corner, x right, y down), `*_px` image
pixels.
Likelihoods are natural logarithms relative to the best reading (best = 0, others <= 0, floored at -25).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Trouble = Literal["hand", "markers", "no_board", "too_dark", "too_bright", "glare", "blurred", "frozen", "lost"]


@dataclass(frozen=True)
class Token:
    """One token seen. `site` None = beside the board ("off"). `near`: further sites within 3 mm of its centre's border.

    `likelihoods`: kind -> log likelihood in nats relative to the best; `kind` is the best.
    """

    kind: str
    site: str | None
    centre_mm: tuple[float, float]
    likelihoods: Mapping[str, float] = field(default_factory=dict)
    near: tuple[str, ...] = ()


@dataclass(frozen=True)
class Platform:
    """A sliding platform: the row it stands before (None = between rows), its middle, slots next to the board first."""

    row: str | None
    x_mm: float
    slots: tuple[str | None, ...]


@dataclass(frozen=True)
class Sighting:
    """What one frame showed.

    `frame`: 0-based index, `t_s`: seconds since the first frame (camera time). `game`/`set_name`: None while no board
    is registered. `hidden`: sites under a hand, in glare, off the picture: not empty, unknown. `uncertain`: sites whose
    token stands within 3 mm of a border, or may nearly as well be of another kind. `hand`: a hand or arm (or anything
    large and foreign) is over the sheet.
    `glare`: of the hidden sites some are in glare.
    `moving`: something on the sheet moved since the frame before. `trouble`: why the eyes can't see the
    board as a whole, if so. `board_moved`: registration was lost by a bump in this frame. `epoch`: light epoch of the
    frame.
    """

    t_s: float
    frame: int
    game: str | None = None
    set_name: str | None = None
    tokens: tuple[Token, ...] = ()
    hidden: frozenset[str] = frozenset()
    uncertain: frozenset[str] = frozenset()
    platforms: Mapping[str, Platform | None] | None = None
    hand: bool = False
    moving: bool = False
    trouble: Trouble | None = None
    board_moved: bool = False
    registration_px: float | None = None
    light: float | None = None
    epoch: int = 0
    glare: bool = False
    ms: float = 0.0

    def on(self) -> dict[str, tuple[str, ...]]:
        """Occupied sites with the best reading of each token, names sorted."""
        sites: dict[str, list[str]] = {}
        for token in self.tokens:
            if token.site is not None:
                sites.setdefault(token.site, []).append(token.kind)
        return {site: tuple(sorted(kinds)) for site, kinds in sorted(sites.items())}

    def off(self) -> tuple[str, ...]:
        """Tokens of the set beside the sites, sorted."""
        return tuple(sorted(token.kind for token in self.tokens if token.site is None))
