"""A table that nobody looks after, where children carry pieces about for hours: the referee's memory stays small."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice

from pretend import Table
from pretend_transfer import TransferTable

from controller.rules.api import Kind, Placement, Site
from controller.rules.registry import game_named
from controller.sightings.values import as_value

APART = frozenset({"game", "memo"})
STEPS, EARLY = 120, 80


def size(table: Table) -> int:
    """What the referee remembers, as text."""
    return len(json.dumps(as_value(table.state, APART)))


def carried_about() -> list[int]:
    """Another piece is somewhere else each time, which is no turn."""
    game = game_named("transet")
    table = Table(game=game)
    table.begin()
    start, position = dict(table.on), game.start()
    wrong = []
    for origin in sorted(start):
        for to in sorted(game.sites - {*start}):
            on = {site: kind for site, kind in start.items() if site != origin} | {to: start[origin]}
            if game.judge(position, Placement({site: (kind,) for site, kind in on.items()})).answer == "illegal":
                wrong.append(on)
    assert len(wrong) > STEPS
    sizes = []
    for on in wrong[:STEPS]:
        table.on = dict(on)
        table.wait(0.2, hand=True, moving=True)
        table.wait(2.2)
        sizes.append(size(table))
    assert sum(event.event == "illegal" for event in table.events) == STEPS
    return sizes


def begun_and_begun_again() -> list[int]:
    """A turn of Transfer that is begun in one way and then in another, again and again."""
    game = game_named("transfer")
    table = TransferTable()
    table.on = {site: kinds[0] for site, kinds in game.picture(game.start()).on.items()}
    table.wait(2.5)
    position = table.state.line.position
    stages: list[Mapping[Site, tuple[Kind, ...]]] = []
    for turn in islice(game.legal_turns(position), 400):
        for stage in game.stages(position, turn):
            if stage.on not in stages and game.judge(position, stage).owed:
                stages.append(stage.on)
    sizes = []
    for step in range(STEPS):
        table.on = {site: kinds[0] for site, kinds in stages[step % len(stages)].items()}
        table.wait(0.2, hand=True, moving=True)
        table.wait(2.2)
        sizes.append(size(table))
    assert sum(event.event == "obligation" for event in table.events) > EARLY
    return sizes


def test_what_is_no_turn_is_not_kept_for_ever() -> None:
    sizes = carried_about()
    assert max(sizes[EARLY:]) < 1.2 * max(sizes[:EARLY])


def test_turns_that_are_begun_and_begun_again_are_not_kept_for_ever() -> None:
    sizes = begun_and_begun_again()
    assert max(sizes[EARLY:]) < 1.2 * max(sizes[:EARLY])
