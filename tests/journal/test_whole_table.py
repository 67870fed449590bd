"""What a referee at the sloppy table writes: the record follows by the rules, and a restart finds the same lines."""

import pytest

from controller.journal.fold import fold
from controller.journal.store import Journal
from controller.journal.verify import verify
from controller.referee.events import Input
from controller.referee.reducer import reduce, resume
from controller.rules.registry import game_named
from controller.sloppy import Report
from controller.sloppy.evening import evening
from controller.sloppy.games import manners_at
from controller.sloppy.sitting import Sitting


class Journalled(Sitting):
    """A sitting whose events go to a journal; every so often the power fails, on paper: the lines are read back."""

    def __init__(self, game, seed, journal, path):
        self.journal, self.path, self.commits = journal, path, 0
        super().__init__(game, seed, Report())

    def take(self, item: Input) -> None:
        events = reduce(self.state, item).events
        super().take(item)
        if not events:
            return
        self.journal.append([{**event.as_json(), "internal": event.internal} for event in events])
        self.commits += 1
        if self.commits % 7 == 0:
            with Journal.open(self.path) as again:
                state = resume(self.game, self.game.name, self.state.timing, again.last_session())
            at = [(line.position, [done.position for done in line.record], line.weak) for line in self.state.lines]
            assert [(line.position, [d.position for d in line.record], line.weak) for line in state.lines] == at
            assert state.game_no == self.state.game_no
            assert [line.steps for line in state.lines] == [line.steps for line in self.state.lines]


@pytest.mark.parametrize(("name", "seed"), [("transet", 3), ("transet", 4), ("taasen", 3), ("taasen", 4)])
def test_a_table_is_recorded_whole(tmp_path, name, seed):
    game = game_named(name)
    path = tmp_path / "boardref.db"
    with Journal.open(path) as journal:
        table = Journalled(game, seed, journal, path)
        evening(manners_at(table), 60)
        assert table.commits > 60
        assert len(journal.games()) == table.state.game_no
        for number in journal.games():
            assert verify(fold(journal.rows(number)), game) is None
        record = fold(journal.rows(table.state.game_no))
        assert [(turn.player, turn.text, turn.position) for turn in record.turns] == [
            (row.player, row.text, row.position) for row in table.truth
        ]
