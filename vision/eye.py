"""The eye: pictures in, Sightings out. It keeps where the board lies and what the last still moment showed."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from vision import motion, photometry
from vision.boardset import BoardSet
from vision.foreign import Things
from vision.glow import Area, Lit, relight, unmoved
from vision.motion import Change
from vision.platforms import Card, row_of
from vision.profile import Profile
from vision.reading import read
from vision.registration import SEEN_CORRELATION, Image, Registration
from vision.shown import Shot, Stayed
from vision.sighting import Platform, Sighting, Token, Trouble
from vision.whereabouts import Board, Whereabouts

SETTLE_S = 0.15
"""How long nothing must change before a picture becomes what later ones are compared with."""
AGAIN_S = 0.5
"""How often a picture in which nothing stirs is looked at again while something is hidden."""


class Eye:
    """Looks for the given sets. One Eye for one camera."""

    def __init__(self, sets: Sequence[BoardSet], profile: Profile | None = None) -> None:
        self._sets = tuple(sets)
        self._lens_of = profile.lens_for if profile is not None else (lambda _size: None)
        self.forget()

    def forget(self) -> None:
        """Start anew, knowing nothing of the table."""
        self._where = Whereabouts(self._sets, self._lens_of)
        self._stayed = Stayed()
        self._previous: Image | None = None  # the small picture before
        self._looked: Image | None = None  # the small picture of the last full look
        self._settled: Image | None = None  # the looked-at picture that the last still one stands for
        self._last: Sighting | None = None
        self._things = Things.none()
        self._quiet_since_s: float | None = None
        self._seen: tuple[bool, ...] = ()  # which tags were seen in the last full look
        self._started_s: float | None = None
        self._looked_s = 0.0  # when the last full look was
        self._lit: Lit | None = None  # where our own lights may shine
        self._relit = False  # that has just changed

    @property
    def registration(self) -> Registration | None:
        """Where the sheet lies, while known."""
        board = self._where.board
        return board.registration if board else None

    def look(self, image: Image) -> Sighting:
        """One picture on its own, nothing known before."""
        self.forget()
        return self.see(image, 0.0, 0)

    def see(self, image: Image, t_s: float, frame: int, epoch: int = 0, glow: Sequence[Area] = ()) -> Sighting:
        """The next picture (h, w, 3) BGR of a camera, taken at `t_s`; `glow`: where our own lights may shine."""
        began = time.perf_counter()
        shot = Shot.of(image, t_s, frame, epoch)
        if self._previous is not None and self._previous.shape != shot.small.shape:
            self.forget()
        self._shine(shot.small, tuple(glow))
        if self._started_s is None:
            self._started_s = t_s
        sighting = self._see(shot)
        self._previous = shot.small
        sighting = replace(sighting, ms=(time.perf_counter() - began) * 1000)
        self._last = sighting
        return sighting

    def _shine(self, small: Image, areas: tuple[Area, ...]) -> None:
        """Leave what our own lights do out of this small picture and of those it is compared with."""
        before, board = self._lit, self._where.board
        if board is None or not areas:
            self._lit = None
        elif before is None or before.areas != areas or before.registration is not board.registration:
            self._lit = Lit.of(areas, board.paper)
        self._relit = self._lit is not before
        if self._relit:
            relight(before, self._lit, (self._previous, self._looked, self._stayed.still), small)
        if self._lit is not None:
            self._lit.hush(small)

    def _see(self, shot: Shot) -> Sighting:
        board, small, t_s = self._where.board, shot.small, shot.t_s
        change = None if self._previous is None else Change(small, self._previous)
        stirred = change is not None and change.any
        if stirred or self._quiet_since_s is None:
            self._quiet_since_s = t_s
        board_moved = self._where.shaken = False
        if board is not None:
            agree = board.agree(shot.image)
            seen = tuple(bool(value) for value in agree >= SEEN_CORRELATION)
            if self._steady(shot, seen, stirred):
                unchanged = self._unchanged(shot)
                if unchanged.hand or not unchanged.hidden or t_s - self._looked_s < AGAIN_S:
                    return unchanged
                return self._again(board, shot, change, unchanged)
            self._seen = seen
            before = board
            board, board_moved = self._where.keep(board, shot.grey, agree, t_s)
            if board_moved:
                self._stayed, self._looked = Stayed(), None
            elif board is not before:
                self._follow()
        if board is None:
            board = self._where.search(shot.grey)
            if board is None:
                return self._sees_nothing(shot, board_moved)
        return self._full(board, shot, change, board_moved)

    def _steady(self, shot: Shot, seen: tuple[bool, ...], stirred: bool) -> bool:
        """Whether a picture shows what the last full look saw, and nothing needs another one."""
        last, lit = self._last, self._lit
        if last is None or last.game is None or stirred or seen != self._seen or sum(seen) < 2:
            return False
        late = lit is not None and lit.sites and shot.t_s - self._looked_s >= AGAIN_S
        if self._where.doubtful or self._relit or late or self._looked is None:
            return False
        return not motion.differs_in_any_light(shot.small, self._looked)

    def _follow(self) -> None:
        """The board lies a little elsewhere in the picture."""
        self._stayed = replace(self._stayed, adopted=None)
        if self._where.shaken and not (self._last is not None and self._last.hand):
            # what lay still lies elsewhere in the picture now; a new one with a hand in it would call that table
            self._stayed = replace(self._stayed, still=None)

    def _sees_nothing(self, shot: Shot, board_moved: bool) -> Sighting:
        trouble: Trouble = photometry.fault(shot.grey) or "no_board"
        light = photometry.brightness(shot.small)
        return Sighting(shot.t_s, shot.frame, trouble=trouble, board_moved=board_moved, light=light, epoch=shot.epoch)

    def _quiet_s(self, t_s: float) -> float:
        """For how long nothing has stirred."""
        return t_s - (t_s if self._quiet_since_s is None else self._quiet_since_s)

    def _unchanged(self, shot: Shot) -> Sighting:
        assert self._last is not None
        t_s = shot.t_s
        quiet_since_s = t_s if self._quiet_since_s is None else self._quiet_since_s
        started_s = t_s if self._started_s is None else self._started_s
        hand = self._last.hand
        if hand and self._things.may_stay(t_s, quiet_since_s, started_s):
            # what lies there has come to stay: it is no hand. The sites under it remain hidden
            found, hand = self._stayed.found, False
            self._stayed = replace(self._stayed, still=shot.small, still_found=found, adopted=self._things.on_sheet)
        elif not hand and self._quiet_s(t_s) >= SETTLE_S and self._settled is not self._looked:
            # this picture, not the one looked at: under a change of light a hand's last tip may have gone unnoticed
            self._stayed = replace(self._stayed, still=shot.small, still_found=self._stayed.found)
            self._settled = self._looked
        return replace(
            self._last, t_s=t_s, frame=shot.frame, epoch=shot.epoch, moving=False, board_moved=False, hand=hand
        )

    def _again(self, board: Board, shot: Shot, change: Change | None, unchanged: Sighting) -> Sighting:
        """Something is hidden though nothing stirs: another picture has other noise, and may show more of it."""
        before = self._things, self._stayed, self._looked
        again = self._full(board, shot, change, False)
        if not again.hand and again.hidden < unchanged.hidden:
            return again
        self._things, self._stayed, self._looked = before
        return unchanged

    def _full(self, board: Board, shot: Shot, change: Change | None, board_moved: bool) -> Sighting:
        """Everything is looked for; `change`: since the picture before, if there was one."""
        small, previous, still = shot.small, self._previous, self._stayed.still
        stirred = change is not None and change.any
        board_set = board.registration.board_set
        no_hand, lit = self._last is not None and not self._last.hand, self._lit
        stood = [one for one in self._stayed.found if lit.covers(one.centre_mm)] if no_hand and lit is not None else []
        surely_there = unmoved(stood, self._stayed.looked, shot.half, board.registration)
        since = change if change is not None and change.before is still else None
        changed = None if still is None else (since or Change(small, still)).where
        ground, things = read(board, shot, self._stayed, changed, self._lit, surely_there)
        self._things = things
        looked = shot.half, board.registration
        self._stayed = replace(self._stayed, found=things.clear, looked=looked, adopted=things.adopted)
        self._looked, self._looked_s = small, shot.t_s
        placed, uncertain = ground.place(things.clear)
        tokens = tuple(sorted(placed, key=lambda t: (t.site or "~", t.kind, t.centre_mm)))
        taken = {token.site for token in tokens if token.site and not board_set.roomy(token.site)}
        hidden = frozenset(site for site in things.hidden if site not in taken)
        quiet = (
            self._quiet_s(shot.t_s) >= SETTLE_S
            and previous is not None
            and not motion.differs_in_any_light(small, previous)
        )
        if not things.hand and not stirred and (self._stayed.still is None or quiet):
            self._stayed = replace(self._stayed, still=small, still_found=things.clear)
        moving = change is not None and stirred and change.any_in(board.watch)
        if self._where.shaken and not things.hand and not (self._last is not None and self._last.hand):
            moving = False  # the sheet as a whole, or only its noise: but a hand that comes, works or goes does move
        return Sighting(
            shot.t_s,
            shot.frame,
            game=board_set.game,
            set_name=board_set.name,
            tokens=tokens,
            hidden=hidden,
            uncertain=uncertain,
            platforms=_platforms(board_set, ground.cards, tokens),
            hand=things.hand,
            glare=not hidden.isdisjoint(things.glare),
            moving=moving,
            board_moved=board_moved,
            registration_px=round(board.registration.residual_px, 3),
            light=photometry.brightness(small),
            epoch=shot.epoch,
        )


def _platforms(
    board_set: BoardSet, cards: Mapping[str, Card | None], tokens: Sequence[Token]
) -> dict[str, Platform | None] | None:
    """What the platforms carry, where they stand; None for a set without any."""
    if board_set.platforms is None:
        return None
    on = {token.site: token.kind for token in tokens}
    return {
        rail: None
        if card is None
        else Platform(row_of(board_set, card.x_mm), round(card.x_mm, 2), tuple(map(on.get, board_set.slots[rail])))
        for rail, card in cards.items()
    }
