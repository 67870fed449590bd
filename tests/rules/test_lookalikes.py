"""A bottle cap beside the board that carries a set's own mark is read as a piece that lies there.

While the real one is hidden it may make an answer wait; it must never make it wrong. In plain view it says nothing.
"""

import random

import pytest
from walks import GAMES, Scene, pieces, scenes

from controller.rules.api import Placement

TRIALS = {"transfer": 60}  # of turns that are searched for stroke by stroke


def some_board(scene: Scene, rng: random.Random) -> Placement:
    """What stands before a turn, on its way or after it."""
    game = scene.game
    turn = rng.choice(list(game.legal_turns(scene.position)))
    after = game.picture(game.after(scene.position, turn))
    on_the_way = list(game.stages(scene.position, turn)) or [after]
    return rng.choice([scene.before, rng.choice(on_the_way), after])


@pytest.mark.parametrize("name", GAMES)
def test_a_look_alike_beside_the_board_accuses_nobody_and_finishes_no_turn(name: str) -> None:
    rng = random.Random(7)
    waits = 0
    for _ in range(TRIALS.get(name, 250)):
        scene = rng.choice(scenes(name))
        game, board = scene.game, some_board(scene, rng)
        standing = pieces(board)
        under_hand = {site for _, site in rng.sample(standing, rng.choice([1, 1, 2, 3]))}
        hidden = frozenset(under_hand | set(rng.sample(sorted(game.sites), rng.choice([0, 0, 1, 3]))))
        left = {site: kinds for site, kinds in board.on.items() if site not in hidden}
        under = sorted(kind for kind, site in standing if site in hidden)
        for off in ((rng.choice(under),), tuple(under)):
            without = game.judge(scene.position, Placement(left, (), hidden))
            answer = game.judge(scene.position, Placement(left, off, hidden))
            assert answer.answer != "illegal"
            assert answer == without or answer.answer in ("partial", "unclear")
            waits += answer != without
            assert game.judge(scene.position, Placement(board.on, off)) == game.judge(scene.position, board)
    assert waits > 0
