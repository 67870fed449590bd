"""The cases of the law, by text and as placements; perft counts; options."""

import pytest

from controller.rules.perft import perft
from controller.rules.taasen import TAASEN as G

START = "RT=9 RS=9 RP=9 GT=15 GS=15 GP=15 WT=0 WS=0 WP=0 R - -"


def test_the_start_as_text() -> None:
    assert G.position_text(G.start()) == START
    assert G.parse_position(START) == G.start()


@pytest.mark.parametrize(
    ("options", "counts"),
    [({}, [1, 6, 27, 108, 414]), ({"white_presses_white": "true"}, [1, 6, 27, 108, 396])],
)
def test_perft(options: dict[str, str], counts: list[int]) -> None:
    game = G.with_options(options)
    assert [perft(game, game.start(), depth) for depth in range(5)] == counts
