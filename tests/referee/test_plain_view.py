"""The plain-view guard: nothing moves through a site that lay in plain view."""

from __future__ import annotations

import random
from collections.abc import Iterator

from controller.referee.lines import Line
from controller.referee.reading import differing
from controller.referee.search import explain
from controller.rules.api import Placement
from controller.rules.transet import TRANSET


def random_lines(seed: int, games: int) -> Iterator[Line]:
    """Lines of random games, with their last two turns open."""
    rng = random.Random(seed)
    for _ in range(games):
        line = Line(TRANSET.start())
        for _ in range(rng.randrange(1, 40)):
            turns = list(TRANSET.legal_turns(line.position))
            if not turns:
                break
            line = line.then(TRANSET, rng.choice(turns))
        if TRANSET.outcome(line.position) is None:
            yield line


def relocations(placement: Placement) -> Iterator[Placement]:
    """Every placement with one piece somewhere else."""
    for origin, kinds in placement.on.items():
        for site in sorted(TRANSET.sites):
            if site not in placement.on:
                on = {**placement.on, site: kinds}
                del on[origin]
                yield Placement(on)


def test_no_illegal_relocation_is_explained_by_two_turns() -> None:
    tried = refused = 0
    for line in random_lines(1, 60):
        before = TRANSET.picture(line.position)
        for after in relocations(before):
            tried += 1
            found = explain(TRANSET, (line,), (), after, differing(before, after), frozenset())
            assert not found.quick
            refused += found.answer == "illegal"
    assert tried > 5_000
    assert refused > tried / 2


def test_two_turns_are_found_where_their_sites_changed_or_were_hidden() -> None:
    for seed, line in enumerate(random_lines(2, 60)):
        rng = random.Random(seed)
        first = rng.choice(list(TRANSET.legal_turns(line.position)))
        middle = line.then(TRANSET, first)
        if TRANSET.outcome(middle.position) is not None:
            continue
        second = rng.choice(list(TRANSET.legal_turns(middle.position)))
        last = middle.then(TRANSET, second)
        touched = TRANSET.turn_sites(line.position, first) | TRANSET.turn_sites(middle.position, second)
        found = explain(TRANSET, (line,), (), TRANSET.picture(last.position), touched, frozenset())
        assert found.answer in ("complete", "unchanged"), (seed, found)
        if found.quick:
            assert last.position in {one.position for one in found.lines}
