"""One picture of a registered sheet read: its light, what tokens stand there, and what else lies or reaches there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision import motion
from vision.foreign import Things, find_things
from vision.glow import Lit as Glow
from vision.lifting import lift_shadows
from vision.light import read_light
from vision.marks import colours_needed
from vision.motion import Mask
from vision.paper import BLOWN
from vision.placing import Ground
from vision.platforms import find_cards
from vision.printed import unlike_print
from vision.registration import Image
from vision.shown import Shot, Shown, Stayed
from vision.squares import find_squares
from vision.tokens import FLOOR_NATS, Found, Look, find
from vision.whereabouts import Board

MOST_BLOWN = 0.05
"""Share of a picture that may be blown out by lifting a shadow."""
STAYS_MM, STAYS_NATS = 1.5, 6.0
"""So near where a token lay another one is laid once in some hundred times."""


def read(
    board: Board, shot: Shot, stayed: Stayed, changed: Mask | None, glow: Glow | None, lit_before: Sequence[Found]
) -> tuple[Ground, Things]:
    """What tokens can stand on, the tokens, and what else is there; without hard shadows where that shows more.

    `changed` (h, w): where the small picture differs from the last settled one; `glow`: where our own lights may shine;
    `lit_before`: tokens that surely still stand there.
    """
    ground, things = _read(board, shot, stayed, changed, glow, lit_before)
    if things.edges is not None:
        same_mm = board.registration.board_set.tokens.size_mm / 2
        in_doubt = bool(things.hidden) or things.hand or any(map(_unsure, things.clear))
        for lifted in lift_shadows(shot.image, board.registration, things.edges, in_doubt):
            relit = shot.relit(lifted)
            if _blown(relit.half) > _blown(shot.half) + MOST_BLOWN:
                continue  # what was lifted lay in no shadow
            again = _read(board, relit, stayed, changed, glow, lit_before)
            if _better(again[1], things, same_mm):
                ground, things = again
            if not (again[1].hidden or again[1].hand):
                break
    return ground, replace(things, clear=_as_before(things.clear, stayed.still_found))


def _read(
    board: Board, shot: Shot, stayed: Stayed, changed: Mask | None, glow: Glow | None, lit_before: Sequence[Found]
) -> tuple[Ground, Things]:
    paper, registration = board.paper, board.registration
    board_set = registration.board_set
    ratio = paper.ratios(shot.half)
    paper_seen = paper.drawing.usable & paper.inside
    if glow is not None:
        paper_seen &= ~glow.cells
    lit = read_light(
        ratio, paper_seen, paper.drawing, board_set.sheet_mm, paper.blown(ratio), near=colours_needed(board_set)
    )
    region = _region(board.watch, changed)
    look = Look.of(shot.image, shot.grey, registration, lit.light)
    if board_set.tokens.marks:
        found = unlike_print(board_set, find(look, stayed.stood_mm, region))
    else:
        found = find_squares(look)
    if glow is not None:
        found = glow.kept(found, lit_before)
    ground = Ground.of(board_set, find_cards(look) if board_set.platforms is not None else {})
    cells = None if glow is None else glow.cells
    shown = Shown(paper, shot.image, shot.small, board.watch, lit, ground, found, changed, cells)
    return ground, find_things(shown, stayed)


def _as_before(tokens: Sequence[Found], before: Sequence[Found]) -> tuple[Found, ...]:
    """A token that lies just where one lay is most likely that one, if in the worse light it may be."""
    if not tokens or not before:
        return tuple(tokens)
    here, there = (np.array([token.centre_mm for token in each]) for each in (tokens, before))
    gaps = here[:, None] - there
    told: dict[int, Found] = {}
    near = np.argwhere(np.hypot(gaps[:, :, 0], gaps[:, :, 1]) < STAYS_MM)
    for place, was in near.tolist():
        token, kind = tokens[place], before[was].kind
        if place not in told and token.likelihoods.get(kind, FLOOR_NATS) > -STAYS_NATS:
            told[place] = _likelier(token, kind)
    return tuple(told.get(place, token) for place, token in enumerate(tokens))


def _likelier(token: Found, kind: str) -> Found:
    """The same with this kind likelier by STAYS_NATS."""
    nats = {**token.likelihoods, kind: token.likelihoods[kind] + STAYS_NATS}
    most = max(nats.values())
    best = kind if nats[kind] == most else token.kind
    likelihoods = {name: max(FLOOR_NATS, value - most) for name, value in nats.items()}
    return Found(best, token.centre_mm, token.score, likelihoods, token.contrast, token.evenness)


def _unsure(token: Found) -> bool:
    """Whether it may be of another kind, were it seen in better light."""
    return sum(nats > -STAYS_NATS for nats in token.likelihoods.values()) > 1


def _blown(half: Image) -> float:
    """Share of a picture that is blown out."""
    return float(np.count_nonzero(half[:, :, 1] >= BLOWN)) / half[:, :, 1].size


def _better(now: Things, before: Things, same_mm: float) -> bool:
    """Whether a second look shows no less than the first: no more is hidden, and no token is gone.

    `same_mm`: so near there is no second token; of one that a shadow crosses the first look may have seen a part.
    """
    if len(now.hidden) + now.hand > len(before.hidden) + before.hand:
        return False
    places = np.array([token.centre_mm for token in now.clear]).reshape(-1, 2)
    return all(np.any(np.hypot(*(places - token.centre_mm).T) < same_mm) for token in before.clear)


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
