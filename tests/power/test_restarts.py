"""A referee whose power fails at random moments; `tests/power/restarts.py --cuts 3000` is the long way."""

import pytest
from outages import play
from restarts import Restarts

from controller.rules.registry import game_named


@pytest.mark.parametrize(
    ("game", "seed"), [("taasen", 104), ("taasen", 113), ("transet", 100), ("transet", 121), ("transfer", 105)]
)
def test_the_record_is_the_game_as_it_was_played_whatever_went_dark(game, seed):
    table = Restarts(game_named(game), seed, most=40, every=60)
    play(table)
    assert table.kills == 40
    assert table.nested > 0
