"""Every stage and every result of a position's turns with the number of ways to it: the yardstick of the tests.

A sequence counts loads and clears group by group and unloads of whole groups (transfer.md, section 6).
"""

from __future__ import annotations

from typing import NamedTuple

from controller.rules.transfer.strokes import Law, Stage, ended, steps


class Census(NamedTuple):
    """`stages`: between strokes, dead ends included, as long as no turn has ended; `results`: rows after a turn."""

    stages: dict[Stage, int]
    results: dict[tuple[str, ...], int]


def census(law: Law, rows: tuple[str, ...]) -> Census:
    """Count all sequences of strokes, `rows` in the mover's view."""
    stages: dict[Stage, int] = {Stage(rows): 1}
    results: dict[tuple[str, ...], int] = {}
    # Loads add to the own platform, unloads take from it, clears take from the other: so in this order every way to
    # a stage is known before the stage is left.
    waiting: dict[tuple[int, int], dict[Stage, None]] = {(0, 0): {Stage(rows): None}}
    while waiting:
        for stage in waiting.pop(min(waiting)):
            for _, after in steps(law, stage):
                if ended(after):
                    results[after.rows] = results.get(after.rows, 0) + stages[stage]
                    continue
                stages[after] = stages.get(after, 0) + stages[stage]
                waiting.setdefault(_turn_of(after), {})[after] = None
    return Census(stages, results)


def _turn_of(stage: Stage) -> tuple[int, int]:
    if stage.last == "L":
        return 0, len(stage.own)
    return (1, -len(stage.own)) if stage.last == "U" and stage.own else (2, -len(stage.other))
