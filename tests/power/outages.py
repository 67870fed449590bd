"""A sloppy table whose referee loses its power again and again, and what must hold after each cut.

The world goes on through power cuts, so it is apart from the table: the sloppy players, their board, and a referee on
paper that says what the table must show. `kills.py` ends a whole table by kill -9; `restarts.py` only builds the
referee again from the rows that were written, many times a second.

After each cut:

- every turn that was shown is in the fold of the rows, once, and the record follows by the rules;
- the table comes back with the same lines, question and clock, and checks the board: what stood there is known again
  without a question; a piece that was moved without power is noticed, and put back it leaves nothing behind;
- whatever falls into it, a second cut while the board is looked at, a turn of which the beginning, the middle, the end
  or all was made in the dark, two quick turns: nobody is accused, and once the turn is over and has stood still the
  record is the game as it was played, turn by turn. The players never play what has more than one meaning where it is
  seen as a whole (`sloppy/ambiguity.py`), and wait until a turn was seen to stand: so all of it can be known. Not even
  they can be understood where more than two turns were made unseen, which nobody does here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from controller.journal.fold import Record
from controller.journal.verify import verify
from controller.referee.events import Command, Input, Press
from controller.referee.lines import Line
from controller.referee.playclock import ClockRules
from controller.referee.reducer import State, Step, reduce
from controller.rules.api import Game, Turn
from controller.sloppy import Report
from controller.sloppy.evening import evening
from controller.sloppy.games import manners_at
from controller.sloppy.sitting import EXTENDABLE_S, Sitting
from controller.telling import journal_row
from controller.watcher import chosen_sets
from vision.sighting import Sighting

BUSY_SHARE = 0.5  # cuts aimed at the moment in which something is written; the others come at any moment
MEDDLED_SHARE = 0.3  # cuts in which somebody moves a piece while there is no power
DARK_SHARE = 0.3  # cuts in which the players play on without a look at the table, which sees nothing for a while
DARK_S = (0.5, 8.0)
WAITING_SHARE = 0.5  # cuts amid a turn after which the players wait with a hand over the board
CHECKED_SHARE = 0.5  # turns after a cut after which the players look up whether the table has them right

ENOUGH = 10**9  # turns
CLOCK = ClockRules("fischer", main_s=300, increment_s=2)


class Lost(AssertionError):
    """A power cut has cost something."""


class Outages(Sitting):
    """`kills`: how many cuts there were, `most` of them, one after `every` inputs at most."""

    def __init__(self, game: Game, seed: int, most: int, every: int = 150) -> None:
        self.chance = random.Random(seed * 7919 + 1)
        self.most, self.every = most, every
        self.kills = self.busy = self.meddled = self.late = self.nested = self.dark = self.answered = 0
        self.written: list[dict[str, Any]] = []
        self.began_s = 0.0  # a table's time begins with its life
        self.left, self.aimed = 0, False
        self.dark_until_s = 0.0
        self.unseen = 0  # cuts, and frames that nobody has seen
        self.resting = False  # the look at the board right after a cut
        self.checked = 0  # cuts before the record was last compared with what was played
        super().__init__(game, seed, Report())
        self.sets = chosen_sets(game.name, None)
        self.set = self.sets[0].name
        self.state = self.come_back()
        self._doom()

    # a table's lives

    def come_back(self) -> State:
        """A new life of the table, and the state it must be in."""
        raise NotImplementedError

    def shows(self, item: Input, step: Step, rows: Sequence[dict[str, Any]], due: bool) -> bool:
        """Give the table one input, which leads to this. `due`: the power goes. False if nothing was shown any more."""
        raise NotImplementedError

    def found(self, rows: Sequence[dict[str, Any]]) -> bool:
        """After a cut: whether the last step's rows were written, too. Lost if any other rows are missing, or there."""
        raise NotImplementedError

    def games_written(self) -> Sequence[Record]:
        """The games in the journal, the last one last."""
        raise NotImplementedError

    # the cuts

    def _doom(self) -> None:
        """After how many inputs the power will go, and whether then at any moment or while rows are being written."""
        self.left = self.chance.randrange(1, self.every) if self.kills < self.most else ENOUGH
        self.aimed = self.chance.random() < BUSY_SHARE

    def take(self, item: Input) -> None:
        if isinstance(item, Sighting) and item.t_s < self.dark_until_s:
            self.unseen += 1
            return
        if isinstance(item, Press | Command):
            self.dark_until_s = 0.0  # nobody says anything to a table that is dark
            item = replace(item, t_s=self.state.t_s)
        else:
            item = replace(item, t_s=round(item.t_s - self.began_s, 3))
        step = reduce(self.state, item)
        rows = [journal_row(event, self.game.name, self.set) for event in step.events]
        self.left -= 1
        due = self.left <= 0 and (bool(rows) or not self.aimed)
        if self.shows(item, step, rows, due):
            self.written += rows
            super().take(item)
            return
        self.kills += 1
        self.unseen += 1
        self.nested += self.resting
        if self.kills == self.most:
            self.report.turns += ENOUGH  # the evening ends with this turn
        self._power_is_back(item, rows)

    def _power_is_back(self, item: Input, rows: list[dict[str, Any]]) -> None:
        if self.found(rows):  # committed, and the power went before it could be shown
            self.late += bool(rows)
            self.written += rows
            super().take(item)
        before = self.state
        said = item if isinstance(item, Press) else None
        if before.pressed is not None:
            said = Press(0.0, before.pressed[0])
        self._check_record(before)
        self.began_s = self.mat.t_s
        self.state = self.come_back()
        if _believed(self.state) != _believed(before):
            pairs = zip(_believed(before), _believed(self.state), strict=True)
            raise Lost(f"kill {self.kills}: before and now: {[pair for pair in pairs if pair[0] != pair[1]]}")
        self._doom()
        if not self.resting and said is None and self.chance.random() < DARK_SHARE:
            self.dark += 1
            self.dark_until_s = self.mat.t_s + self.chance.uniform(*DARK_S)
        elif not self.resting:
            self.resting = True
            self._look_at_the_board(item)
            self.resting = False
            if said is not None and self._still_to_say(said):
                self.take(replace(said, t_s=self.mat.t_s))

    def _check_record(self, shown: State) -> None:
        record = None
        for record in self.games_written():
            fault = verify(record, self.game)
            if fault is not None or [turn.n for turn in record.turns] != list(range(1, len(record.turns) + 1)):
                raise Lost(f"kill {self.kills}: {fault}, {record.turns}")
        told = [(turn.n, turn.player, turn.text) for turn in record.turns] if record else []
        if shown.lines and told != [(row.n, row.player, row.text) for row in shown.played]:
            raise Lost(f"kill {self.kills}: shown {shown.played}, recorded {told}")

    # the board after a cut

    def stay(self, seconds: float) -> None:
        self._seen_through(lambda: super(Outages, self).stay(seconds))

    def _rest(self, seconds: float) -> None:
        self._seen_through(lambda: self.mat.still(seconds))

    def _seen_through(self, lie_still: Callable[[], None]) -> None:
        """Once more after each cut, and while it is dark: the table has not seen it lie still for that long."""
        unseen = -1
        while unseen != self.unseen:
            unseen = self.unseen
            lie_still()

    def _look_at_the_board(self, item: Input) -> None:
        """Right after a cut: a board at rest is known again; a piece that was moved without power is asked about."""
        state = self.state
        if state.phase != "play" or not state.lines:
            self._rest(2.0)
            return
        calm = not self.mat.held and not self.mat.off and self.seen().on == self.game.picture(state.line.position).on
        if not calm:
            self._wait_amid_a_turn(item)
            return
        blot, self.mat.blot = self.mat.blot, frozenset()
        if len(state.lines) == 1 and self.chance.random() < MEDDLED_SHARE:
            self._meddle()
        else:
            self._rest(2.0)
            self._must_believe(state)
        self.mat.blot = blot

    def _still_to_say(self, said: Press) -> bool:
        """Whether what somebody was saying when the power went has not been heard, as far as they can see."""
        if said.button in ("yes", "no"):
            return bool(self.state.question)
        return bool(self.state.lines) and said.player in (None, self.game.to_move(self.state.line.position))

    def _wait_amid_a_turn(self, item: Input) -> None:
        """People wait until the lights are back: with a hand over the board, or away from what may rest there."""
        hand = isinstance(item, Sighting) and item.hand
        may_rest = self.game.judge(self.position, self.seen()).answer in ("partial", "unchanged")
        if may_rest and not hand and self.chance.random() > WAITING_SHARE:
            self._rest(2.0)
        else:
            self.mat.film(2.0, hand=True, under=item.hidden if isinstance(item, Sighting) else self.mat.blot)

    def _meddle(self) -> None:
        """A piece was moved in the dark, as no turn moves it. It is noticed; put back, nothing remains of it.

        Where it was taken for turns that could have been played, to put it back can be a turn, too (a pressed piece of
        Taasen that flees to where it came from): that may be asked, and somebody answers.
        """
        state, mat = self.state, self.mat
        mat.doubt()  # of a piece near a line that nobody has seen moved it could rightly be asked
        free = [site for site in mat.sites if site not in mat.on]
        for _ in range(20):
            origin, to = self.chance.choice(sorted(mat.on)), self.chance.choice(free)
            kind = mat.on[origin][-1]
            mat.lift(kind, origin)
            mat.put(kind, to)
            if self.game.judge(state.line.position, self.seen()).answer == "illegal":
                break
            mat.lift(kind, to)
            mat.put(kind, origin)
        else:
            self._rest(2.0)
            return
        self.meddled += 1
        self._rest(3.0)
        asked = self.state.question or self.state.rearranging
        explained = self.state.owed or self.state.published != state.published  # as another last turn, or as two
        if not asked and not explained:
            raise Lost(f"kill {self.kills}: {kind} went from {origin} to {to} in the dark; nobody noticed")
        self.reach(origin, to)
        mat.lift(kind, to)
        mat.put(kind, origin)
        self.reach(origin, to)
        self._rest(3.0)
        if explained:
            self._answer(self.game.position_text(state.line.position))
        self._must_believe(state)

    def _answer(self, position: str) -> None:
        """Somebody says which of the candidates stands, where that is asked and it is one of them."""
        while any(one["position"] == position for one in self.state.question):
            kills = self.kills
            self.answered += 1
            self.take(Command(self.state.t_s, "choose", {"position": position}))
            if self.kills > kills:  # it may not have been heard
                self._rest(2.0)

    def _must_believe(self, state: State) -> None:
        now = self.state
        asked = now.question if not state.question else ()
        if now.published != state.published or asked or now.offence or not now.eyes.found:
            raise Lost(f"kill {self.kills}: the board stood as believed, and the table says {asked or now.offence}")

    # the game

    def played(self, turn: Turn) -> None:
        stood = self.stands(self.position).on
        super().played(turn)
        if self.stands(self.position).on != stood:  # a null turn is only believed when the other side begins
            self._check_truth()

    def _check_truth(self) -> None:
        """After a cut they look up once their turn is over: what stands still is in the record, turn by turn."""
        over = not self.mat.held and self.seen().on == self.stands(self.position).on
        if over and self.kills > self.checked and self.chance.random() < CHECKED_SHARE:
            self.stay(EXTENDABLE_S)
            self.compare()
            self.checked = self.kills


def _believed(state: State) -> Any:
    if not state.lines:
        return (state.game_no,)
    lines = [_history(line) for line in (*state.lines, *state.pending)]
    asked = state.question_about if state.question_about in ("thread", "victim") else ""
    marks = state.clock and (state.clock.spans, state.clock.turns)
    way = None if state.game.tries_two_turns else (state.way.position, [stage.on for stage in state.way.stages])
    counted = state.phase, state.game_no, state.published, state.written, state.rearranging
    return lines, asked, way, marks, counted, state.winner, state.result


def _history(line: Line) -> Any:
    # what a weak line calls a turn that can't change any more may differ; where it came to may not
    record = [(done.n, done.played.player, done.position) for done in line.record]
    return line.position, record, line.steps, line.weak, line.lingering


def play(table: Outages) -> None:
    """Until there were enough cuts, and then to a clean end of the game. Lost or Wrong says what went wrong."""
    evening(manners_at(table), ENOUGH)
    table.report.turns -= ENOUGH
