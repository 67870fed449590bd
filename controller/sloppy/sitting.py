"""One sitting at the sloppy table: a referee, a playmat between it and the players, and what the players really did."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Literal

from controller.referee.events import Input, Press
from controller.referee.reducer import Step, initial, reduce
from controller.rules.api import Game, Kind, Placement, Player, PlaysInStrokes, Position, Site, Turn
from controller.sloppy.playmat import Playmat
from controller.sloppy.record import Fault, Record, Report, Row

SETTLED_S = 0.5
EXTENDABLE_S = 1.5
ILLEGAL_S = 1.5
PAUSES_S = ((0.1, 0.4), (0.4, 0.8), (0.8, 1.4), (1.4, 3.0), (3.0, 7.0))
PAUSE_SHARES = (40, 25, 20, 12, 3)


class Wrong(Exception):
    """The referee got something wrong that makes going on pointless."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text


class Sitting:
    """A table with its referee. Keeps the truth beside the record; the first accusation ends it."""

    def __init__(self, game: Game, seed: int, report: Report) -> None:
        self.game = game
        self.seed = seed
        self.report = report
        self.rng = random.Random(seed)
        self.record = Record()
        self.state = initial(game, set_name=game.name)
        self.mat = Playmat(game.name, game.name, game.sites, self.rng, self.take)
        self.expecting = False  # offences are planted only by the twin
        self.tidy = False  # hands hide no more than they touch
        self.questioned = ""  # what the referee asked though nothing was in doubt
        self.position: Position = game.start()
        self._begun: Position = self.position
        self.truth: list[Row] = []
        self.history: list[tuple[Position, Turn]] = []  # of this game

    # the referee

    def take(self, item: Input) -> None:
        """Hand one input to the referee and look at what it says."""
        for event in self.record.take(self.judge(item).events):
            self.report.events += 1
            if event.event == "illegal" and not self.expecting:
                codes = ",".join(reason["code"] for reason in event.data["reasons"])
                said = f"{codes} at {event.data['sites']} for {event.data['player']}"
                raise Wrong("accusation", f"{said}; {self.whereabouts()}")
            if event.event == "question":
                self.report.questions += 1
                self.questioned = self.questioned or f"asked about {event.data['candidates']}; {self.whereabouts()}"
            self.report.rewritten += event.event == "turn" and bool(event.data.get("revised"))
            self.report.withdrawn += event.event == "withdrawn"

    def judge(self, item: Input) -> Step:
        """What the referee makes of one input."""
        step = reduce(self.state, item)
        self.state = step.state
        return step

    def press(self, player: Player | None) -> None:
        """A player says done."""
        self.take(Press(t_s=self.mat.t_s, player=player))

    def answer(self, player: Player | None, button: Literal["yes", "no"]) -> None:
        """A player answers a question."""
        self.take(Press(t_s=self.mat.t_s, player=player, button=button))

    def whereabouts(self) -> str:
        """What the players think they are doing, for a fault's text."""
        played = " ".join(row.text for row in self.truth[-3:])
        standing = " ".join(f"{site}:{'+'.join(kinds)}" for site, kinds in self.mat.placed().items())
        return f"after {played or 'the start'} in {self.game.position_text(self.position)}, standing {standing}"

    def fault(self, kind: str, text: str) -> None:
        """Note a fault down with the seed."""
        self.report.faults.append(Fault(self.seed, self.mat.t_s, kind, text))

    # truth

    def open_with(self, position: Position) -> None:
        """The first game will be taken up in this position."""
        self.state = initial(self.game, set_name=self.game.name, start_mode=self.game.position_text(position))

    def begin(self, start: Position) -> None:
        """A game begins from this start position."""
        self.position = self._begun = start
        self.truth = []
        self.history = []

    def played(self, turn: Turn) -> None:
        """A turn is over as far as the players are concerned."""
        after = self.game.after(self.position, turn)
        player = self.game.to_move(self.position)
        assert player is not None
        # Two turns may look the same from beginning to end (two like pawns): the record has the canonical one.
        same = self.game.judge(self.position, self.stands(after)).turns
        turn = next((other for other in same if self.game.after(self.position, other) == after), turn)
        self.truth.append(Row(player, self.game.turn_text(self.position, turn), self.game.position_text(after)))
        self.history.append((self.position, turn))
        self.position = after
        self.report.turns += 1
        self._pass_if_need_be()

    def _pass_if_need_be(self) -> None:
        """A side without a legal turn passes; nobody does anything."""
        passing = self.game.forced_pass(self.position)
        if passing is None:
            return
        self.habit("passed")
        player = self.game.to_move(self.position)
        after = self.game.after(self.position, passing)
        text = self.game.turn_text(self.position, passing)
        self.truth.append(Row(player or "", text, self.game.position_text(after)))
        self.position = after

    def rewrite(self, n_back: int, turns: Sequence[Turn]) -> None:
        """The last `n_back` turns were really these (a swap finished after the reply)."""
        position = self.history[-n_back][0]
        del self.history[-n_back:], self.truth[-n_back:]
        self.report.turns -= n_back
        self.position = position
        for turn in turns:
            self.played(turn)

    def compare(self) -> None:
        """The record of the game now on the table must be the game played."""
        told = self.record.rows(self.record.game_no)
        same = [self._says(*rows, n) for n, rows in enumerate(zip(told, self.truth, strict=False))]
        if len(told) != len(self.truth) or not all(same):
            n = same.index(False) if False in same else len(same)
            said = told[n].text if n < len(told) else "nothing"
            real = self.truth[n].text if n < len(self.truth) else "nothing"
            raise Wrong("mismatch", f"turn {n + 1}: said {said}, played {real}; {self.whereabouts()}")

    def _says(self, told: Row, real: Row, n: int) -> bool:
        """Whether a row of the record is this turn. Where many strokes lead to a board any legal text will do."""
        if told == real or not isinstance(self.game, PlaysInStrokes):
            return told == real
        before = self.truth[n - 1].position if n else self.game.position_text(self._begun)
        verdict = self.game.judge_turn(self.game.parse_position(before), told.text)
        same = (told.player, told.position) == (real.player, real.position)
        return same and verdict.legal and self.game.position_text(verdict.position) == real.position

    # the board

    def stands(self, position: Position) -> Placement:
        """The picture of a position."""
        return self.game.picture(position)

    def seen(self) -> Placement:
        """What stands on the mat, as a placement without doubts."""
        return Placement(on=self.mat.placed(), off=tuple(sorted(self.mat.off)))

    def cover(self, sites: Iterable[Site | None]) -> frozenset[Site]:
        """Sites under a hand that works at `sites`: these, and some more."""
        near = {site for site in sites if site is not None}
        if self.tidy:
            return frozenset(near)
        return frozenset(near | set(self.rng.sample(self.mat.sites, self.rng.choice((0, 1, 2, 4)))))

    def reach(self, *sites: Site | None) -> None:
        """A hand comes over the sheet."""
        self.mat.film(self.rng.choice((0.1, 0.1, 0.2, 0.3)), hand=True, under=self.cover(sites))

    def pause(self, low: float | None = None, high: float = 0.0) -> None:
        """Nobody's hand is over the sheet for a while: shorter or longer than the waiting times."""
        rng = self.rng
        if low is None:
            low, high = rng.choices(PAUSES_S, PAUSE_SHARES)[0]
        self.mat.film(rng.uniform(low, high), shaky=rng.random() < 0.1)

    def stay(self, seconds: float) -> None:
        """Everything lies still, in plain view, until the camera has seen it so for longer than `seconds`."""
        self.mat.blot = frozenset()
        self.mat.doubt()
        self.mat.still(seconds + 0.25)

    def settle(self, seconds: float) -> None:
        """As `stay`; at first perhaps with a few places in glare, or with a tremor."""
        if self.rng.random() < 0.1:
            self.mat.film(self.rng.uniform(0.1, 0.6), shaky=True)
        if (self.mat.blot or self.mat.misread or self.mat.leaning) and self.rng.random() < 0.7:
            self.mat.film(seconds + 0.3)
        self.stay(seconds)

    def habit(self, name: str) -> None:
        """Count what people did."""
        self.report.habits[name] = self.report.habits.get(name, 0) + 1


def kinds_on(placement: Placement) -> list[tuple[Kind, Site]]:
    """Every piece with its site."""
    return [(kind, site) for site, kinds in placement.on.items() for kind in kinds]
