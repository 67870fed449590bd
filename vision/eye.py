"""The eye: pictures in, Sightings out. Keeps the registration and one small picture of the last still moment."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot

import cv2
import numpy as np

from vision import motion, photometry
from vision.boardset import BoardSet
from vision.footing import FAR_MM, MOVED_MM, SHAKEN_MM, STILL_MM, Footing, shift_mm
from vision.foreign import Things, find_things
from vision.glow import Area, Lit, relight
from vision.lifting import lift_shadows
from vision.light import read_light
from vision.marks import colours_needed
from vision.motion import Mask
from vision.paper import PaperView
from vision.placing import Ground
from vision.platforms import Card, find_cards, row_of
from vision.printed import unlike_print
from vision.profile import Profile
from vision.registration import (
    SEEN_CORRELATION,
    Array,
    Image,
    Registration,
    cell_points_mm,
    correlate_cells,
    drift_px,
    follow,
    nearby_corners,
    register,
    seen_corners,
    tag_correlations,
)
from vision.sighting import Platform, Sighting, Token, Trouble
from vision.squares import find_squares
from vision.tokens import FLOOR_NATS, Found, Look, find

SETTLE_S = 0.15
"""How long nothing must change before a picture becomes what later ones are compared with."""
AGAIN_S = 0.5
"""How often a picture in which nothing stirs is looked at again while something is hidden."""
SAME_MM = 6.0
"""A token found again lies no further off."""
STAYS_MM, STAYS_NATS = 1.5, 6.0
"""So near where a token lay another one is laid once in some hundred times."""
THOROUGH_EVERY = 5
"""While no board is found only every fifth picture is searched with all means."""


@dataclass
class _Board:
    """A registered board and what belongs to its pose."""

    registration: Registration
    paper: PaperView
    cells_px: np.ndarray[tuple[int, ...], np.dtype[np.float32]]
    known: Mask  # by the set's tags: those that gave the pose
    watch: Mask  # small picture: the sheet and a little more
    corners: Mapping[int, Array]  # the tags' corners as they were seen then

    @classmethod
    def of(cls, registration: Registration, corners: Mapping[int, Array]) -> _Board:
        board_set = registration.board_set
        cells = np.concatenate([cell_points_mm(board_set, tag) for tag in board_set.fiducials.ids])
        width, height = board_set.sheet_mm
        rim = np.array(
            [
                [x * width, y * height]
                for x, y in ((0, 0), (0.5, 0), (1, 0), (1, 0.5), (1, 1), (0.5, 1), (0, 1), (0, 0.5))
            ]
        )
        outline = registration.pose.project(rim) / motion.SHRINK
        layer = np.zeros((registration.size_px[1] // motion.SHRINK, registration.size_px[0] // motion.SHRINK), np.uint8)
        cv2.fillPoly(layer, [np.round(outline).astype(np.int32)], 1)
        known = np.isin(board_set.fiducials.ids, registration.tags)
        places = registration.pose.project(cells).astype(np.float32)
        return cls(registration, PaperView(registration), places, known, layer > 0, corners)


class Eye:
    """Looks for the given sets. One Eye for one camera."""

    def __init__(self, sets: Sequence[BoardSet], profile: Profile | None = None) -> None:
        self._sets = tuple(sets)
        self._lens_of = profile.lens_for if profile is not None else (lambda _size: None)
        self.forget()

    def forget(self) -> None:
        """Start anew, knowing nothing of the table."""
        self._board: _Board | None = None
        self._previous: Image | None = None  # the small picture before
        self._halved: tuple[Image, Image]  # the newest picture, and its half-size copy
        self._looked: Image | None = None  # the small picture of the last full look
        self._still: Image | None = None  # the small picture of the last settled, hand-free moment
        self._still_found: tuple[Found, ...] = ()
        self._settled: Image | None = None  # the looked-at picture that `_still` stands for
        self._last: Sighting | None = None
        self._found: tuple[Found, ...] = ()
        self._things = Things.none()
        self._quiet_since_s: float | None = None
        self._seen: tuple[bool, ...] = ()  # which tags were seen in the last full look
        self._adopted_sheet: Mask | None = None
        self._blind = 0
        self._started_s: float | None = None
        self._looked_s = 0.0  # when the last full look was
        self._footing = Footing()
        self._shaken = False  # whether the camera, or the sheet, stirred as a whole since the frame before
        self._lit: Lit | None = None  # where our own lights may shine
        self._relit = False  # that has just changed

    @property
    def registration(self) -> Registration | None:
        """Where the sheet lies, while known."""
        return self._board.registration if self._board else None

    def look(self, image: Image) -> Sighting:
        """One picture on its own, nothing known before."""
        self.forget()
        return self.see(image, 0.0, 0)

    def see(self, image: Image, t_s: float, frame: int, epoch: int = 0, glow: Sequence[Area] = ()) -> Sighting:
        """The next picture (h, w, 3) BGR of a camera, taken at `t_s`; `glow`: where our own lights may shine."""
        began = time.perf_counter()
        image = _three_channels(image)
        half = motion.halve(image)
        self._halved = image, half
        small = motion.shrink_half(half)
        if self._previous is not None and self._previous.shape != small.shape:
            self.forget()
        self._shine(small, tuple(glow))
        if self._started_s is None:
            self._started_s = t_s
        sighting = self._see(image, small, t_s, frame, epoch)
        self._previous = small
        sighting = replace(sighting, ms=(time.perf_counter() - began) * 1000)
        self._last = sighting
        return sighting

    def _shine(self, small: Image, areas: tuple[Area, ...]) -> None:
        """Leave what our own lights do out of this small picture and of those it is compared with."""
        before, board = self._lit, self._board
        if board is None or not areas:
            self._lit = None
        elif before is None or before.areas != areas or before.registration is not board.registration:
            self._lit = Lit.of(areas, board.paper)
        self._relit = self._lit is not before
        if self._relit:
            relight(before, self._lit, (self._previous, self._looked, self._still), small)
        if self._lit is not None:
            self._lit.hush(small)

    def _see(self, image: Image, small: Image, t_s: float, frame: int, epoch: int) -> Sighting:
        board, last = self._board, self._last
        stirred = self._previous is not None and motion.differs(small, self._previous)
        if stirred or self._quiet_since_s is None:
            self._quiet_since_s = t_s
        board_moved = self._shaken = False
        grey: Image | None = None
        if board is not None:
            agree = correlate_cells(image, board.cells_px, board.registration.board_set)
            seen = tuple(bool(value) for value in agree >= SEEN_CORRELATION)
            steady = (
                last is not None and last.game is not None and not stirred and seen == self._seen and sum(seen) >= 2
            ) and not self._footing.doubtful
            late = self._lit is not None and self._lit.sites and t_s - self._looked_s >= AGAIN_S
            steady = steady and not self._relit and not late
            if steady and self._looked is not None and not motion.differs_in_any_light(small, self._looked):
                unchanged = self._unchanged(small, t_s, frame, epoch)
                if unchanged.hand or not unchanged.hidden or t_s - self._looked_s < AGAIN_S:
                    return unchanged
                return self._again(board, image, small, t_s, frame, epoch, unchanged)
            self._seen = seen
            grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
            board, board_moved = self._keep(board, grey, agree, t_s)
        if board is None:
            grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if grey is None else grey
            board = self._search(grey)
            if board is None:
                return self._sees_nothing(grey, small, t_s, frame, epoch, board_moved)
        assert grey is not None
        return self._full(board, image, grey, small, t_s, frame, epoch, stirred, board_moved)

    def _keep(self, board: _Board, grey: Image, agree: Array, t_s: float) -> tuple[_Board | None, bool]:
        """The board where it was, or where it moved to; (None, True) where it has gone."""
        last = board.registration
        lens = self._lens_of(last.size_px)
        corners = seen_corners(grey, last, agree, board.corners)
        self._shaken = self._footing.shaken(corners)
        if self._corner_is_up(board, grey, corners, t_s):
            found = register(grey, self._sets, lens)
            if found is not None:
                return self._bumped(found, grey), True
        drift = drift_px(last, corners)
        more = np.any(agree[~board.known] >= SEEN_CORRELATION)
        if drift is not None and drift < STILL_MM * last.px_per_mm() and not more:
            return self._stands(board, last, grey, t_s)
        if len(corners) >= 2:
            now = follow(grey, last, lens, corners)
            if now is not None and len(now.tags) >= 2:
                shift = shift_mm(last, now)
                better = len(now.tags) >= min(3, len(last.tags))
                if shift < MOVED_MM or (shift < FAR_MM and len(now.tags) >= 3):
                    return self._stands(board, now if better else last, grey, t_s)
                if len(now.tags) < 3 and shift < 4 * MOVED_MM:
                    return board, False  # two tags alone say little about a small shift
        found = register(grey, self._sets, lens, thorough=len(corners) != 1)
        if found is None:
            if corners:
                return board, False
            self._lose()
            return None, False
        if found.board_set is last.board_set:
            shift = shift_mm(last, found)
            if shift < FAR_MM and (len(found.tags) >= 3 or shift >= MOVED_MM):
                self._shaken = self._shaken or shift > SHAKEN_MM
                return self._stands(board, found, grey, t_s)
            if shift < (2 if len(corners) == 1 else 1) * MOVED_MM:
                return board, False
        return self._bumped(found, grey), True

    def _stands(self, board: _Board, now: Registration, grey: Image, t_s: float) -> tuple[_Board, bool]:
        """The board at a pose near its last one; and whether it turns out that it was bumped."""
        footing = self._footing
        if footing.bumped(now, t_s):
            board = self._bumped(now, grey)
            self._footing = footing
            return board, True
        if now is board.registration:
            return board, False
        if self._shaken and not (self._last is not None and self._last.hand):
            # what lay still lies elsewhere in the picture now; a new one with a hand in it would call that table
            self._still = None
        return self._settle_on(now, grey), False

    def _corner_is_up(self, board: _Board, grey: Image, corners: Mapping[int, Array], t_s: float) -> bool:
        """Whether one of the tags has been elsewhere than the others say."""
        places, ids = dict(corners), board.registration.board_set.fiducials.ids
        if 2 <= len(corners) < np.count_nonzero(board.known):
            for tag, known in zip(ids, board.known, strict=True):
                if known and tag not in corners:
                    away = nearby_corners(grey, board.registration, tag)
                    if away is not None:
                        places[tag] = away
        return self._footing.lifted(board.corners, places, board.registration.px_per_mm(), t_s)

    def _bumped(self, now: Registration, grey: Image) -> _Board:
        """Begin anew where the board is now."""
        self._lose()
        return self._settle_on(now, grey)

    def _lose(self) -> None:
        self._board, self._looked, self._still = None, None, None
        self._found, self._still_found, self._adopted_sheet = (), (), None
        self._footing = Footing()

    def _settle_on(self, registration: Registration, grey: Image) -> _Board:
        corners = seen_corners(grey, registration, tag_correlations(grey, registration))
        self._footing.remember(corners)
        self._board = _Board.of(registration, corners)
        self._adopted_sheet = None
        return self._board

    def _search(self, grey: Image) -> _Board | None:
        thorough = self._blind % THOROUGH_EVERY == 0
        registration = register(grey, self._sets, self._lens_of((grey.shape[1], grey.shape[0])), thorough=thorough)
        self._blind = 0 if registration is not None else self._blind + 1
        return self._settle_on(registration, grey) if registration is not None else None

    def _sees_nothing(
        self, grey: Image, small: Image, t_s: float, frame: int, epoch: int, board_moved: bool
    ) -> Sighting:
        trouble: Trouble = photometry.fault(grey) or "no_board"
        return Sighting(
            t_s, frame, trouble=trouble, board_moved=board_moved, light=photometry.brightness(small), epoch=epoch
        )

    def _unchanged(self, small: Image, t_s: float, frame: int, epoch: int) -> Sighting:
        assert self._last is not None
        quiet_since_s = t_s if self._quiet_since_s is None else self._quiet_since_s
        started_s = t_s if self._started_s is None else self._started_s
        if self._last.hand and self._things.may_stay(t_s, quiet_since_s, started_s):
            self._adopt(small)
            return replace(self._last, t_s=t_s, frame=frame, epoch=epoch, moving=False, board_moved=False, hand=False)
        if not self._last.hand and t_s - quiet_since_s >= SETTLE_S and self._settled is not self._looked:
            # this picture, not the one looked at: under a change of light a hand's last tip may have gone unnoticed
            self._still, self._still_found, self._settled = small, self._found, self._looked
        return replace(self._last, t_s=t_s, frame=frame, epoch=epoch, moving=False, board_moved=False)

    def _again(
        self, board: _Board, image: Image, small: Image, t_s: float, frame: int, epoch: int, unchanged: Sighting
    ) -> Sighting:
        """Something is hidden though nothing stirs: another picture has other noise, and may show more of it."""
        before = (self._things, self._adopted_sheet, self._found, self._looked, self._still, self._still_found)
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        again = self._full(board, image, grey, small, t_s, frame, epoch, False, False)
        if not again.hand and again.hidden < unchanged.hidden:
            return again
        self._things, self._adopted_sheet, self._found, self._looked, self._still, self._still_found = before
        return unchanged

    def _adopt(self, small: Image) -> None:
        """What lies there has come to stay: it is no hand. The sites under it remain hidden."""
        self._adopted_sheet = self._things.on_sheet
        self._still, self._still_found = small, self._found

    def _full(
        self,
        board: _Board,
        image: Image,
        grey: Image,
        small: Image,
        t_s: float,
        frame: int,
        epoch: int,
        stirred: bool,
        board_moved: bool,
    ) -> Sighting:
        registration = board.registration
        board_set = registration.board_set
        changed = motion.changed(small, self._still) if self._still is not None else None
        ground, things = self._read(board, image, grey, small, changed)
        if things.edges is not None:
            lifted = lift_shadows(image, registration, things.edges)
            if lifted is not None:
                again = self._read(board, lifted, cv2.cvtColor(lifted, cv2.COLOR_BGR2GRAY), small, changed)
                if _better(again[1], things):
                    ground, things = again
        things = replace(things, clear=tuple(_as_before(one, self._still_found) for one in things.clear))
        self._things, self._adopted_sheet = things, things.adopted
        self._found = tuple(things.clear)
        self._looked, self._looked_s = small, t_s
        placed, uncertain = ground.place(things.clear)
        tokens = tuple(sorted(placed, key=lambda t: (t.site or "~", t.kind, t.centre_mm)))
        taken = {token.site for token in tokens if token.site and not board_set.roomy(token.site)}
        hidden = frozenset(site for site in things.hidden if site not in taken)
        quiet = (
            t_s - (t_s if self._quiet_since_s is None else self._quiet_since_s) >= SETTLE_S
            and self._previous is not None
            and not motion.differs_in_any_light(small, self._previous)
        )
        if not things.hand and not stirred and (self._still is None or quiet):
            self._still, self._still_found = small, self._found
        moving = (
            stirred
            and not self._shaken
            and self._previous is not None
            and motion.changed_in(small, self._previous, board.watch)
        )
        return Sighting(
            t_s,
            frame,
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
            registration_px=round(registration.residual_px, 3),
            light=photometry.brightness(small),
            epoch=epoch,
        )


    def _read(
        self, board: _Board, image: Image, grey: Image, small: Image, changed: Mask | None
    ) -> tuple[Ground, Things]:
        """What a picture shows: what tokens can stand on; the tokens, and what else is there."""
        registration = board.registration
        board_set = registration.board_set
        hints = [token.centre_mm for token in (*self._found, *self._still_found)]
        ratio = board.paper.ratios(self._halved[1] if self._halved[0] is image else motion.halve(image))
        paper_seen = board.paper.drawing.usable & board.paper.inside
        if self._lit is not None:
            paper_seen &= ~self._lit.cells
        lit = read_light(
            ratio,
            paper_seen,
            board.paper.drawing,
            board_set.sheet_mm,
            board.paper.blown(ratio),
            near=colours_needed(board_set),
        )
        ratio, light = lit.ratio, lit.light
        look = Look.of(image, grey, registration, light)
        if board_set.tokens.marks:
            found = unlike_print(board_set, find(look, hints, _region(board.watch, changed)))
        else:
            found = find_squares(look)
        if self._lit is not None and self._last is not None and not self._last.hand:
            found = self._lit.kept(found, self._found)
        ground = Ground.of(board_set, find_cards(look) if board_set.platforms is not None else {})
        things = find_things(
            board.paper,
            ratio,
            light,
            ground,
            found,
            small,
            self._still,
            changed,
            hints,
            board.watch,
            self._adopted_sheet,
            None if self._lit is None else self._lit.cells,
            image,
            lit.glare,
        )
        return ground, things


def _as_before(token: Found, before: Sequence[Found]) -> Found:
    """A token that lies just where one lay is most likely that one, if in the worse light it may be."""
    x, y = token.centre_mm
    for old in before:
        near = hypot(old.centre_mm[0] - x, old.centre_mm[1] - y) < STAYS_MM
        if near and token.likelihoods.get(old.kind, FLOOR_NATS) > -STAYS_NATS:
            nats = {**token.likelihoods, old.kind: token.likelihoods[old.kind] + STAYS_NATS}
            kind = max(nats, key=lambda name: nats[name])
            likelihoods = {name: max(FLOOR_NATS, value - nats[kind]) for name, value in nats.items()}
            return replace(token, kind=kind, likelihoods=likelihoods)
    return token


def _better(now: Things, before: Things) -> bool:
    """Whether a second look shows no less than the first: no more is hidden, and no token is gone."""
    if len(now.hidden) + now.hand > len(before.hidden) + before.hand:
        return False
    places = np.array([token.centre_mm for token in now.clear]).reshape(-1, 2)
    return all(np.any(np.hypot(*(places - token.centre_mm).T) < SAME_MM) for token in before.clear)


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


def _region(sheet: Mask, changed: Mask | None) -> tuple[int, int, int, int] | None:
    """The part of the full picture in which new tokens can be: all, or the sheet and what changed."""
    if changed is None:
        return None
    x, y, width, height = cv2.boundingRect((sheet | changed).astype(np.uint8))
    margin = 2
    return (
        max(0, x - margin) * motion.SHRINK,
        max(0, y - margin) * motion.SHRINK,
        min(sheet.shape[1], x + width + margin) * motion.SHRINK,
        min(sheet.shape[0], y + height + margin) * motion.SHRINK,
    )


def _three_channels(image: Image) -> Image:
    if image.ndim == 2:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)
    return image if image.shape[2] == 3 else np.ascontiguousarray(image[:, :, :3])
