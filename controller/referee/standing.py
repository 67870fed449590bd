"""What has stood settled on the board of a running game, for whoever looks back: written once, and only what differs.

Internal rows: nothing is judged by them. From the position a game began in, their changes lead to every board that
stood.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controller.referee.state import Draft, Standing
from controller.rules.api import Game, Placement, RulesError

MOST = 60
"""Rows between two turns at most: a name that the eyes waver about for hours must not fill a card."""


def differs(known: Placement, now: Placement) -> dict[str, list[str]]:
    """What stands otherwise on the sites that can be seen now."""
    sites = sorted(site for site in {*known.on, *now.on} if site not in now.hidden)
    return {site: list(now.on.get(site, ())) for site in sites if known.on.get(site, ()) != now.on.get(site, ())}


def changed(known: Placement, changes: Mapping[str, Sequence[str]]) -> Placement:
    """`known` with these sites as they stand now."""
    on = {**known.on, **{site: tuple(kinds) for site, kinds in changes.items()}}
    return Placement({site: kinds for site, kinds in sorted(on.items()) if kinds})


def note_standing(draft: Draft) -> None:
    """Write what stands, once it has settled; before it is judged, for the cause comes first."""
    state = draft.state
    if state.phase != "play" or state.paused or not state.seen.clocks.settled(state.timing):
        return
    standing, now = state.standing, state.seen.placement
    if standing.known.on == now.on:
        return
    changes = differs(standing.known, now)
    if not changes:
        return
    turns = len(state.published)
    rows = standing.rows if turns == standing.turns else 0
    if rows >= MOST:
        return
    draft.set(standing=Standing(changed(standing.known, changes), rows + 1, turns))
    data: dict[str, object] = {"changed": changes}
    if now.hidden:
        data["hidden"] = sorted(now.hidden)
    if now.off:
        data["off"] = list(now.off)
    draft.emit("standing", data, internal=True)


def standing_of(game: Game, rows: Sequence[Mapping[str, Any]], game_no: int) -> Standing:
    """What a game's journalled rows lead to."""
    known = Placement({})
    for row in rows:
        if int(row.get("game_no", 0)) == game_no:
            if row["event"] == "setup_complete":
                known = _begun(game, row["position"])
            elif row["event"] == "standing":
                known = changed(known, row["changed"])
    return Standing(known)


def _begun(game: Game, position: str) -> Placement:
    try:
        return game.picture(game.parse_position(position))
    except RulesError:  # a row of another program's making: the first board that stands differs in everything
        return Placement({})
