"""A pretend table for the referee's tests: placements played out as Sightings, ten a second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from controller.referee import reducer
from controller.referee.events import Command, Event, Press
from controller.referee.timing import Timing
from controller.referee.view import View
from controller.rules.api import Game
from controller.rules.transet import TRANSET
from vision.sighting import Sighting, Token

LETTERS = {
    "R": "dark-PINET",
    "B": "dark-PIOKER",
    "K": "dark-PIAS",
    "r": "light-PINET",
    "b": "light-PIOKER",
    "k": "light-PIAS",
}
START = "rbkbr/5/5/5/RBKBR"


def board(text: str) -> dict[str, str]:
    """Site -> kind from ranks 5 to 1: `rbkbr/5/5/5/RBKBR`."""
    on = {}
    for rank, row in zip("54321", text.split("/"), strict=True):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                on["abcde"[file] + rank] = LETTERS[letter]
                file += 1
    return on


class Table:
    """A referee and its clock; every step is remembered."""

    def __init__(
        self,
        start_mode: str = "setup",
        *,
        game: Game = TRANSET,
        state: reducer.State | None = None,
        timing: Timing | None = None,
    ) -> None:
        self.game = game
        self.state = state or reducer.initial(game, set_name=game.name, timing=timing, start_mode=start_mode)
        self.t_s = 0.0
        self.frame = -1
        self.events: list[Event] = []
        self.inputs: list[Any] = []
        self.on: dict[str, str] = {}
        self.off: list[str] = []
        self.view: View | None = None

    # what stands on the table

    def put(self, text: str, off: Sequence[str] = ()) -> None:
        self.on, self.off = board(text), [LETTERS[letter] for letter in off]

    def move(self, *shifts: str) -> None:
        """`c1-c2`; `c1-` takes off (it lies beside), `-c1:K` lays down from beside."""
        for shift in shifts:
            origin, to = shift.split("-")
            if origin:
                kind = self.on.pop(origin)
            else:
                to, letter = to.split(":")
                kind = LETTERS[letter]
                if kind in self.off:
                    self.off.remove(kind)
            if to:
                self.on[to] = kind
            else:
                self.off.append(kind)

    # time

    def give(self, given: Any) -> list[Event]:
        self.inputs.append(given)
        step = reducer.reduce(self.state, given)
        self.state, self.view = step.state, step.view
        self.events += step.events
        return list(step.events)

    def sighting(self, **changes: Any) -> Sighting:
        tokens = [Token(kind, site, (0.0, 0.0)) for site, kind in sorted(self.on.items())]
        tokens += [Token(kind, None, (0.0, 0.0)) for kind in self.off]
        plain = Sighting(
            t_s=round(self.t_s, 3),
            frame=self.frame,
            game=self.game.name,
            set_name=self.game.name,
            tokens=tuple(tokens),
        )
        return replace(plain, **changes)

    def see(self, **changes: Any) -> list[Event]:
        """One frame."""
        self.frame += 1
        self.t_s = self.frame / 10
        return self.give(self.sighting(**changes))

    def wait(self, seconds: float, **changes: Any) -> list[Event]:
        """Still frames; what was written in them."""
        written = []
        for _ in range(round(seconds * 10)):
            written += self.see(**changes)
        return written

    def hand(self, *shifts: str, hidden: Sequence[str] = (), seconds: float = 0.6) -> list[Event]:
        """A hand comes, the pieces move under it, the hand goes."""
        half = seconds / 2
        written = self.wait(half, hand=True, moving=True, hidden=frozenset(hidden))
        self.move(*shifts)
        return written + self.wait(half, hand=True, moving=True, hidden=frozenset(hidden))

    def play(self, *shifts: str, hold: float = 2.5, **hand: Any) -> list[Event]:
        """A hand movement and the stillness after it."""
        return self.hand(*shifts, **hand) + self.wait(hold)

    def begin(self, text: str = START) -> list[Event]:
        self.put(text)
        return self.wait(1.5)

    def press(self, player: str | None = None, button: Any = "done") -> list[Event]:
        return self.give(Press(self.t_s, player, button))

    def command(self, name: str, **arguments: str) -> list[Event]:
        return self.give(Command(self.t_s, name, arguments))

    # what was said

    def told(self, *names: str) -> list[Event]:
        return [e for e in self.events if not e.internal and (not names or e.event in names)]

    def record(self) -> dict[int, Mapping[str, Any]]:
        """The fold of the game being played."""
        turns: dict[int, Mapping[str, Any]] = {}
        for event in self.events:
            if event.event == "setup_complete":
                turns = {}
            elif event.event == "turn":
                turns[event.data["n"]] = event.data
            elif event.event == "withdrawn":
                del turns[event.data["n"]]
        return turns

    def texts(self) -> list[str]:
        return [turn["text"] for _, turn in sorted(self.record().items())]


def brief(events: Sequence[Event]) -> list[str]:
    """Events as short strings: `turn 1 c1-c2`, `illegal WRONG_STEP`, …"""
    short = []
    for event in events:
        if event.internal:
            continue
        data = event.data
        words = {
            "turn": lambda d: f" {d['n']} {d['text']}" + (" revised" if d["revised"] else ""),
            "withdrawn": lambda d: f" {d['n']}",
            "illegal": lambda d: f" {d['player']} {d['code']}",
            "restored": lambda d: f" {d['by']}",
            "obligation": lambda d: f" {d['player']} {d['act']}",
            "setup_complete": lambda d: f" {d['as']}",
            "cannot_see": lambda d: f" {d['code']}",
            "sees_again": lambda d: f" {d['code']}",
            "ruling": lambda d: f" {d['what']}",
            "draw_offer": lambda d: f" {d['player']} {d['state']}",
            "answered": lambda d: f" {d['by']}",
            "game_over": lambda d: f" {d['result']}",
        }.get(event.event, lambda d: "")
        short.append(event.event + words(data))
    return short
