"""Anything said at any moment: the referee never stumbles, the record stays whole, and a restart knows the same."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import islice
from typing import Any, get_args

import pytest
from pretend import Table

from controller.journal.export import FORMATS
from controller.journal.fold import fold
from controller.journal.store import Row
from controller.referee import reducer
from controller.referee.correcting import History, before_turn, corrected
from controller.referee.events import Button, Event
from controller.referee.state import State
from controller.rules.api import Placement, RulesError
from controller.rules.registry import game_named, game_names
from vision.sighting import Sighting, Token

STEPS = 6
COMMANDS = (
    "pause", "resume", "accept_as_played", "accept_as_played", "accept_as_played", "set_position", "take_back",
    "take_back", "take_back", "resign", "draw", "offer_draw", "accept_draw", "decline_draw", "new_game", "nonsense",
    "guide", "guide", "correct", "correct", "correct", "take_back_to", "choose", "choose", "name_players", "lights",
)  # fmt: skip


class Showing(Table):
    """Shows whole placements, stacks too."""

    shown = Placement({})

    def sighting(self, **changes: Any) -> Sighting:
        tokens = tuple(Token(kind, site, (0.0, 0.0)) for site, kinds in sorted(self.shown.on.items()) for kind in kinds)
        return replace(super().sighting(**changes), tokens=tokens)


class Talk:
    """A table at which pieces go anywhere and people say anything."""

    def __init__(self, name: str, seed: int) -> None:
        self.rng = random.Random(seed)
        self.game = game_named(name)
        self.table = Showing("auto" if seed % 2 else "setup", game=self.game)

    def show(self, placement: Placement, hold: float) -> None:
        """A hand makes this picture."""
        self.table.wait(0.2, hand=True, moving=True)
        self.table.shown = placement
        self.table.wait(hold)

    def step(self) -> None:
        """One thing happens."""
        rng, game, state = self.rng, self.game, self.table.state
        if state.paused and rng.random() < 0.7:
            self.say("resume")
        if state.phase != "play" and rng.random() < 0.7:
            self.say("set_position" if rng.random() < 0.5 else "new_game")
            self.show(game.picture(game.start()), 4.0)
        position = state.line.position if state.lines else game.start()
        draw = rng.random()
        hold = rng.choice((0.3, 1.0, 2.5))
        turns = list(islice(game.legal_turns(position), 300))
        if draw < 0.6 and turns:
            turn = rng.choice(turns)
            pictures = [game.picture(game.after(position, turn)), *game.stages(position, turn)]
            self.show(rng.choice(pictures), hold)
        elif draw < 0.7:
            on = dict(game.picture(position).on)
            site = rng.choice(sorted(on))
            *stay, kind = on.pop(site)
            on |= {site: tuple(stay)} if stay else {}
            to = rng.choice(sorted(game.sites))
            on[to] = (*on.get(to, ()), kind)
            self.show(Placement(on), hold)
            if rng.random() < 0.4:
                self.say("accept_as_played")
        elif draw < 0.72:
            self.show(game.picture(game.start() if rng.random() < 0.5 else position), hold)
        elif draw < 0.73:
            self.show(Placement({}), hold)
        elif draw < 0.85:
            player = rng.choice((*game.players, None, "Nobody"))
            self.table.press(player, rng.choice(("done", "done", "done", *get_args(Button))))
        else:
            self.say(rng.choice(COMMANDS))

    def say(self, name: str) -> None:
        """An operator's word, its arguments right or wrong."""
        arguments: dict[str, str] = {}
        if self.rng.random() < 0.8:
            arguments["player"] = self.rng.choice((*self.game.players, "Nobody"))
        if name == "set_position" and self.rng.random() < 0.9:
            state = self.table.state
            position = state.line.position if state.lines and self.rng.random() < 0.5 else self.game.start()
            arguments["position"] = self.game.position_text(position)[self.rng.random() < 0.1 :]
        if name == "correct":
            arguments |= self.correction()
        if name == "take_back_to":
            name, arguments["to"] = "take_back", str(self.rng.randrange(-1, 6))
        if name == "choose" and self.table.state.question:
            arguments["position"] = str(self.rng.choice((*self.table.state.question, {"position": "none"}))["position"])
        if name == "name_players":
            arguments |= {player: self.rng.choice(("Ann", "Ben", "")) for player in self.game.players}
        reason = self.rng.choice(("", "  ", "so it was"))
        before = self.table.state
        events = self.table.command(name, **{"reason": reason, **arguments})
        self.all_follows_from_a_ruling(before, [event for event in events if not event.internal])

    def all_follows_from_a_ruling(self, before: State, told: list[Event]) -> None:
        """What an operator changes is ruled first, with the reason; what changes nothing is written nowhere."""
        spoken = [event for event in told if event.event != "operator"]  # with any word a called operator has come
        after = replace(self.table.state, operator=before.operator, t_s=before.t_s)
        assert bool(spoken) == (spoken != [] and spoken[0].event == "ruling")
        assert spoken or after == before
        if spoken:
            assert spoken[0].data["by"] == "operator"
            assert spoken[0].data.get("reason", "so it was") in ("so it was", "looked at again")

    def correction(self) -> dict[str, str]:
        """A turn that may have been another one: legal there, or any other; what falls is told nearly always."""
        rng, game, state = self.rng, self.game, self.table.state
        record = state.line.record if state.lines else ()
        n = rng.randrange(0, len(record) + 3)
        try:
            before = before_turn(game, History(state.anchors, record), n)
            text = game.turn_text(before, rng.choice(list(islice(game.legal_turns(before), 300))))
            falls = corrected(game, History(state.anchors, record), n, text).falls
        except (RulesError, IndexError):
            text, falls = "a1-a2", ()
        told = {"falls": str(falls[0].n)} if falls and rng.random() < 0.8 else {}
        said = {"n": str(n), "text": text, "reason": "looked at again", **told}
        if rng.random() < 0.2:
            said |= {"text": "as played", "position": game.position_text(game.start())}
        return said


def rows_of(table: Table) -> list[dict[str, Any]]:
    """The events as the journal keeps them."""
    return [json.loads(json.dumps({**event.as_json(), "internal": event.internal})) for event in table.events]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", game_names())
def test_anything_said_at_any_moment(name: str, seed: int) -> None:
    talk = Talk(name, seed)
    table = talk.table
    for _ in range(STEPS):
        talk.step()
        state = table.state
        assert table.view is not None
        if state.lines and state.phase == "play":
            record = [done.n for done in state.line.record]
            assert record == list(range(1, len(record) + 1))
            assert table.texts() == [done.played.text for done in state.published]
        assert (table.view.offer is None) or state.phase == "play"
    rows = rows_of(table)
    number = max((row["game_no"] for row in rows), default=1)
    told = [
        Row(i, 1, row["game_no"], row["event"], row["internal"], "2026-01-01T00:00:00+00:00", row)
        for i, row in enumerate(rows)
        if row["game_no"] == number
    ]
    record = fold(told)
    if table.state.lines:  # otherwise a new game is awaited
        assert [turn.text for turn in record.turns] == [done.played.text for done in table.state.published]
    assert all(write(record, number) for write in FORMATS.values())
    again = reducer.resume(talk.game, talk.game.name, table.state.timing, rows)
    assert [talk.game.position_text(line.position) for line in again.lines] == [
        talk.game.position_text(line.position) for line in table.state.lines
    ]
    assert again.published == table.state.published
    if table.state.phase == "play" and table.state.named == table.state.game_no:
        assert again.names == table.state.names
    assert again.anchors == table.state.anchors
    assert again.paused == table.state.paused
