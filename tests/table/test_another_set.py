"""Another set is laid under a table's camera: its games are the next ones, and a pause stays one until it is ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.journal.fold import fold
from controller.journal.store import Journal
from controller.referee.events import Command
from controller.referee.view import View
from controller.telling import journal_row
from controller.watcher import Watcher, chosen_sets
from controller.web.app import start_placement
from vision.boardset import BoardSet
from vision.camera.frame import Frame
from vision.camera.simulated import SimulatedCamera
from vision.camera.world import World

SETS = [chosen_sets(game, None)[0] for game in ("transet", "taasen")]


class Laid:
    """A watcher whose events go to a journal, ten pictures a second."""

    def __init__(self, journal: Journal) -> None:
        self.watcher, self.journal, self.index = Watcher(SETS), journal, 0
        self.numbers: list[int] = []

    def lie(self, board: BoardSet, seconds: float) -> View:
        """This set lies there, its game set up."""
        camera = SimulatedCamera(World(board, start_placement(board)))
        picture = camera.render()
        camera.close()
        for _ in range(round(seconds * 10)):
            self.index += 1
            _, step = self.watcher.see(Frame(picture, self.index / 10, self.index))
            self.write(step.events)
        return step.view

    def say(self, word: str) -> View:
        step = self.watcher.take(Command(self.index / 10, word))
        self.write(step.events)
        return step.view

    def write(self, events: tuple) -> None:
        self.numbers += [event.game_no for event in events if event.event == "setup_complete"]
        self.journal.append([journal_row(event, self.watcher.game.name, self.watcher.board.name) for event in events])


@pytest.fixture
def laid(tmp_path: Path):
    with Journal.open(tmp_path / "boardref.db") as journal:
        yield Laid(journal)


def test_a_pause_stays_whatever_is_laid(laid: Laid) -> None:
    transet, taasen = SETS
    assert laid.lie(transet, 3).phase == "play"
    assert laid.say("pause").paused
    for board in (taasen, transet, taasen):
        view = laid.lie(board, 4)
        assert (view.paused, view.game, view.phase) == (True, board.game, "setup")
    assert not laid.say("resume").paused
    view = laid.lie(taasen, 4)
    assert (view.phase, view.game, view.game_no) == ("play", "taasen", 2)


def test_no_game_has_anothers_number_or_rows(laid: Laid) -> None:
    transet, taasen = SETS
    laid.lie(transet, 3)
    laid.lie(taasen, 3)
    laid.lie(transet, 3)
    laid.say("new_game")
    laid.lie(transet, 3)
    assert laid.numbers == [1, 2, 3, 4]
    assert laid.journal.games() == (1, 2, 3, 4)
    for number, game in enumerate(("transet", "taasen", "transet", "transet"), 1):
        rows = list(laid.journal.rows(number))
        assert fold(rows).game == game
        assert {row.data["game_no"] for row in rows} == {number}
        assert {row.data["game"] for row in rows if row.data.get("game")} == {game}


def test_a_table_that_is_started_again_with_another_sets_board_on_it_has_the_old_game(laid: Laid) -> None:
    transet, taasen = SETS
    laid.lie(transet, 3)
    laid.lie(taasen, 0.5)  # not long enough for a game to begin
    again = Watcher(SETS, rows=laid.journal.last_session())
    assert again.warning is None
    assert (again.game.name, again.state.phase, again.state.game_no) == ("transet", "play", 1)


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("since", [(), ("pause",), ("resume",), ("pause", "resume"), ("resume", "pause")])
def test_a_pause_that_was_begun_or_ended_under_another_set_holds_after_a_restart(
    laid: Laid, before: bool, since: tuple[str, ...]
) -> None:
    laid.lie(SETS[0], 3)
    if before:
        laid.say("pause")
    view = laid.lie(SETS[1], 0.2)
    for word in since:
        view = laid.say(word)
    again = Watcher(SETS, rows=laid.journal.last_session())
    assert (again.warning, again.game.name, again.state.phase) == (None, "transet", "play")
    assert again.state.paused is view.paused
