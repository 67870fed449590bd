"""The pretend table: pieces on sites, beside the board and in hands, and a camera that makes Sightings of it.

Nothing here knows rules. Time is camera time: ten frames a second, some of them lost.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping

from controller.rules.api import Kind, Site
from vision.sighting import Sighting, Token

FRAME_S = 0.1


class Playmat:
    """What stands on one pretend table. `see` gets a Sighting for every frame that is not lost."""

    def __init__(
        self, name: str, set_name: str, sites: Iterable[Site], rng: random.Random, see: Callable[[Sighting], None]
    ) -> None:
        self.name = name
        self.set_name = set_name
        self.sites = tuple(sorted(sites))
        self.rng = rng
        self.see = see
        self.on: dict[Site, list[Kind]] = {}
        self.off: list[Kind] = []
        self.held: list[Kind] = []
        self.buried: set[Site] = set()  # sites where only the topmost piece can be seen
        self.blot: frozenset[Site] = frozenset()  # sites in glare
        self.misread: tuple[Site, Kind, float] | None = None  # read as another kind, by so many nats
        self.leaning: tuple[Site, Site] | None = None  # a piece that stands near the border to that site
        self.lost_share = 0.0  # how many frames are lost
        self.ticks = 0
        self.frames = 0
        self._stir_s = 0.0  # the last seen frame with a hand or motion
        self._seen_s = 0.0  # the last seen frame
        self._made: tuple[Token, ...] | None = None
        self._moves = 0
        self._moves_seen = 0

    @property
    def t_s(self) -> float:
        """Camera time of the next frame, seconds."""
        return round(self.ticks * FRAME_S, 3)

    # hands

    def clear(self, on: Mapping[Site, tuple[Kind, ...]]) -> None:
        """Stand exactly these pieces, at once."""
        self.on = {site: list(kinds) for site, kinds in on.items() if kinds}
        self.off, self.held, self.buried = [], [], set()
        self._touched()

    def lift(self, kind: Kind, site: Site | None) -> None:
        """Take a piece from a site, or from beside the board, into a hand."""
        pile = self.off if site is None else self.on[site]
        pile.remove(kind)
        if site is not None and not pile:
            del self.on[site]
        if site is not None and len(pile) < 2:
            self.buried.discard(site)
        self.held.append(kind)
        self._touched()

    def put(self, kind: Kind, site: Site | None, *, bury: bool = False) -> None:
        """Put a piece from a hand on a site or beside the board; `bury`: what stood there can't be seen any more."""
        self.held.remove(kind)
        (self.off if site is None else self.on.setdefault(site, [])).append(kind)
        if bury and site is not None and len(self.on[site]) > 1:
            self.buried.add(site)
        self._touched()

    def line_up(self, lane: Iterable[Site], standing: Mapping[Site, Kind]) -> None:
        """The pieces along a lane are pushed to these sites of it; those that come out of a hand have left the hand."""
        for site in lane:
            self.on.pop(site, None)
        self.on |= {site: [kind] for site, kind in standing.items()}
        self._touched()

    def fetch(self, kind: Kind) -> None:
        """A hand brings a spare piece out of the box."""
        self.held.append(kind)

    def stow(self, kind: Kind) -> None:
        """A piece in a hand goes back into the box."""
        self.held.remove(kind)

    def placed(self) -> dict[Site, tuple[Kind, ...]]:
        """Occupied sites with what stands there, names sorted."""
        return {site: tuple(sorted(kinds)) for site, kinds in sorted(self.on.items())}

    def _touched(self) -> None:
        self._made = None
        self._moves += 1

    # camera

    def doubt(self, misread: tuple[Site, Kind, float] | None = None, leaning: tuple[Site, Site] | None = None) -> None:
        """Until called again the eyes are in doubt about one piece's name, and about one piece's place."""
        if (misread, leaning) != (self.misread, self.leaning):
            self.misread, self.leaning, self._made = misread, leaning, None

    def film(self, seconds: float, *, hand: bool = False, under: Iterable[Site] = (), shaky: bool = False) -> None:
        """Let time pass. `hand`: an arm is over the sheet; `under`: sites it hides; `shaky`: things keep moving."""
        covered = frozenset(under) | self.blot
        for _ in range(max(1, round(seconds / FRAME_S))):
            self._frame(hand, covered, shaky)

    def still(self, seconds: float) -> None:
        """Let time pass until seen frames have shown the table still, without a hand, for `seconds`."""
        first: float | None = None
        for _ in range(1000):
            seen = self.frames
            self._frame(False, self.blot, False)
            if self.frames > seen:
                first = self._seen_s if first is None else first
                if self._seen_s - max(first, self._stir_s) >= seconds:
                    return

    def _frame(self, hand: bool, covered: frozenset[Site], shaky: bool) -> None:
        frame, t_s = self.ticks, self.t_s
        self.ticks += 1
        if self.lost_share and self.rng.random() < self.lost_share:
            return
        self.frames += 1
        tokens = self._tokens()
        moved = shaky or self._moves != self._moves_seen
        if hand:
            moved = moved or self.rng.random() < 0.7
        self._moves_seen = self._moves
        if hand or moved:
            self._stir_s = t_s
        self._seen_s = t_s
        if covered:
            tokens = tuple(token for token in tokens if token.site not in covered)
        self.see(
            Sighting(
                t_s=t_s,
                frame=frame,
                game=self.name,
                set_name=self.set_name,
                tokens=tokens,
                hidden=covered,
                hand=hand,
                moving=moved,
                registration_px=0.3,
                light=0.5,
            )
        )

    def _tokens(self) -> tuple[Token, ...]:
        if self._made is None:
            made = []
            for site, kinds in sorted(self.on.items()):
                seen = kinds[-1:] if site in self.buried else kinds
                made += [self._token(kind, site) for kind in seen]
            made += [Token(kind=kind, site=None, centre_mm=(0.0, 0.0), likelihoods={kind: 0.0}) for kind in self.off]
            self._made = tuple(made)
        return self._made

    def _token(self, kind: Kind, site: Site) -> Token:
        likelihoods, near = {kind: 0.0}, tuple[Site, ...]()
        if self.misread is not None and self.misread[0] == site and self.misread[1] != kind:
            likelihoods = {self.misread[1]: 0.0, kind: -self.misread[2]}
            kind = self.misread[1]
        if self.leaning is not None and self.leaning[0] == site:
            near = (self.leaning[1],)
        return Token(kind=kind, site=site, centre_mm=(0.0, 0.0), likelihoods=likelihoods, near=near)
