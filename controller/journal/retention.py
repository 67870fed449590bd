"""Which games a table's owner wants gone: by age and by number, never one that may still be played on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate

from controller.journal.schema import LAST_PLAYED
from controller.journal.store import Journal

QUIET = timedelta(hours=1)
"""A game whose last row is younger is left alone: a table may still show it."""


@dataclass(frozen=True)
class Rules:
    """Days after which finished and unfinished games go, how many finished ones stay; None: all. `named` ones stay."""

    keep_days: int | None = None
    keep_games: int | None = None
    keep_unfinished_days: int | None = None
    keep_named: bool = True

    @property
    def any(self) -> bool:
        """Whether anything is ever deleted."""
        return (self.keep_days, self.keep_games, self.keep_unfinished_days) != (None, None, None)


def due(journal: Journal, rules: Rules, now: datetime) -> tuple[int, ...]:
    """The games to delete now, oldest first. `now`: the wall clock, which must be right.

    A game whose own times were written by a clock that was not set counts from the first right time after it; one that
    a clock dated before the games that were played before it, from theirs.
    """
    if not rules.any:
        return ()
    run = journal.connection.execute
    told = run(
        "SELECT game, max(id), max(iif(event = 'game_over', id, 0)) > max(iif(event = 'reopened', id, 0)),"
        " max(iif(coalesce(clock_synchronised, 1) = 1 AND written_utc <= ?, written_utc, ''))"
        " FROM row WHERE game > 0 GROUP BY game ORDER BY max(id)",
        (now.isoformat(timespec="milliseconds"),),
    ).fetchall()
    games = [(int(game), int(last), bool(over)) for game, last, over, _ in told]
    latest = accumulate((str(time) for *_, time in told), max)  # nothing is older than what was written before it
    at_least = dict(zip((game for game, _, _ in games), latest, strict=True))
    named = {int(game) for (game,) in run("SELECT DISTINCT game FROM player_name")} if rules.keep_named else set()
    if not games:
        return ()
    spared = named | {max(game for game, _, _ in games), *(game for (game,) in run(LAST_PLAYED))}
    finished = [game for game, _, over in games if over and game not in named]
    many = set(finished[: -rules.keep_games] if rules.keep_games is not None else ())
    found = []
    for game, last, over in games:
        days = rules.keep_days if over else rules.keep_unfinished_days
        if game in spared or (days is None and game not in many):
            continue
        row = run(
            "SELECT written_utc FROM row WHERE id >= ? AND coalesce(clock_synchronised, 1) = 1 ORDER BY id LIMIT 1",
            (last,),
        ).fetchone()
        if row is None:
            continue
        age = now - datetime.fromisoformat(max(str(row[0]), at_least[game]))
        if (game in many and age >= QUIET) or (days is not None and age >= timedelta(days=days)):
            found.append(game)
    return tuple(found)
