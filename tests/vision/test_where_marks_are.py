"""Places as large as a mark: wherever a token stands there is one, however faint its mark or near its neighbours."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from controller.rules.registry import game_named
from vision.boardset import BoardSet, installed_sets
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World
from vision.marks import pale_polarities
from vision.registration import register
from vision.tokens import Look, candidates_mm

SETS = [board for board in installed_sets().values() if board.tokens.marks]
NEAR_MM = 2.0


@pytest.mark.parametrize("board_set", SETS, ids=lambda board: board.name)
@pytest.mark.parametrize("veil", [0.0, 0.3, 0.5])
def test_every_mark_is_a_place_to_look_at_even_through_a_veil(board_set: BoardSet, veil: float) -> None:
    """Gloss under a lamp lays a veil over marks, black ones too."""
    game = game_named(board_set.game)
    world = World(board_set, game.picture(game.start()).on)
    clear = SimulatedCamera(world).render()
    registration = register(cv2.cvtColor(clear, cv2.COLOR_BGR2GRAY), [board_set])
    assert registration is not None
    picture: Any = cv2.addWeighted(clear, 1 - veil, np.full_like(clear, 255), veil, 0)
    look = Look.of(picture, cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), registration, None)
    places = candidates_mm(look.grey, registration)
    pieces = world.snapshot().pieces
    assert len(pieces) >= 9
    for piece in pieces:
        assert np.hypot(*(places - (piece.x_mm, piece.y_mm)).T).min(initial=np.inf) < NEAR_MM, piece


def test_only_marks_that_are_pale_on_strong_colours_are_looked_for_twice() -> None:
    assert {board.name: set(pale_polarities(board)) for board in SETS} == {"transet": set(), "taasen": {1}}
