"""Who plays: names that an operator types. They belong to one game and are forgotten with the next.

Names stand in events `players` alone, never in a ruling: the journal keeps those apart, so that they can be taken out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controller.referee.agreements import rule
from controller.referee.state import Draft, State
from controller.rules.api import Game, Player

LONGEST_NAME = 60


def name_players(draft: Draft, arguments: Mapping[str, str]) -> None:
    """Names by side, "" for none: of the game that is on or just over; while pieces are set up, of the next one."""
    state = draft.state
    on = state.phase in ("play", "over") and bool(state.lines)
    game_no = state.game_no if on else state.last_no + 1
    before: dict[Player, str] = dict(state.names) if state.named == game_no else {}
    told = {side: tidy(arguments[side]) for side in state.game.players if side in arguments}
    names = {side: name for side, name in (before | told).items() if name}
    if names == before:
        return
    draft.set(names=tuple(sorted(names.items())), named=game_no)
    rule(draft, "players", "operator", sides=sorted(told))
    if on:
        _tell(draft)


def follow_names(draft: Draft, before: State) -> None:
    """A new game begins: it has the names that were typed for it, or none."""
    state = draft.state
    if state.game_no == before.game_no:
        return
    if state.named == state.game_no:
        _tell(draft)
    elif state.names:
        draft.set(names=())


def tidy(name: str) -> str:
    """A name in one line, not too long, without what can't be shown."""
    shown = "".join(letter if letter.isprintable() else " " for letter in name)
    return " ".join(shown.split())[:LONGEST_NAME].rstrip()


def names_in(rows: Sequence[Mapping[str, Any]], game: Game, game_no: int) -> tuple[tuple[Player, str], ...]:
    """The names of a game from its journalled rows."""
    named = (row for row in reversed(rows) if row["event"] == "players" and int(row.get("game_no", 0)) == game_no)
    row: Mapping[str, Any] = next(named, {})
    names: Mapping[str, Any] = row.get("names") or {}
    return tuple(sorted((side, tidy(str(names[side]))) for side in game.players if names.get(side)))


def _tell(draft: Draft) -> None:
    names: dict[Player, str] = dict(draft.state.names)
    draft.emit("players", {"names": {side: names.get(side, "") for side in draft.state.game.players}, "by": "operator"})
