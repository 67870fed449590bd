"""The slowest boards of Transfer that are known: judging them must not take more steps than it did. No times here."""

import pytest

from controller.rules.transfer import TRANSFER
from controller.rules.transfer.judging import Judgement
from controller.rules.transfer.slow import BOARDS, query

SLACK = 1.1  # a better reason may cost a little
MOST = 14_000  # a step is about half a microsecond on a desk machine: all must stay far below 20 ms


@pytest.mark.parametrize(("text", "nodes"), BOARDS, ids=[str(n) for n in range(len(BOARDS))])
def test_steps_of_the_search(text: str, nodes: int) -> None:
    position, picture = query(text)
    judgement = Judgement(TRANSFER, position)
    judgement.judge(picture, None)
    assert 0 < judgement.work.nodes <= min(MOST, nodes * SLACK)
