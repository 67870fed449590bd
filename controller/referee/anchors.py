"""From where a game began, and from where it went on otherwise than by its turns: what its record can be replayed from.

The journal's `fold` follows the same rows in the same way (`gone_on`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controller.referee.lines import Anchors
from controller.referee.state import Draft, State
from controller.rules.api import Game, Position


def follow_anchors(draft: Draft, before: State) -> None:
    """Keep the anchors in step with what is believed now."""
    state = draft.state
    if state.lines is before.lines or not state.lines:
        return
    anchors = dict(state.anchors)
    if state.anchors is before.anchors:  # otherwise this step has said them itself
        same = _common(before.published, state.published)
        anchors = {n: position for n, position in anchors.items() if n <= same}
    line = state.line
    closed = len(line.record) - line.open_rows  # turns that are open follow one another
    anchors = {n: position for n, position in anchors.items() if n <= closed}
    begun = line.steps[0].before if line.steps else line.position
    _stand(anchors, state.game, closed, begun, line.record[closed - 1].position if closed else None)
    found = tuple(sorted(anchors.items()))
    if found != state.anchors:
        draft.set(anchors=found)


def _common(one: Sequence[object], other: Sequence[object]) -> int:
    same = 0
    while same < min(len(one), len(other)) and one[same] == other[same]:
        same += 1
    return same


def _stand(anchors: dict[int, Position], game: Game, n: int, position: Position, after: str | None) -> None:
    """After turn `n` the game goes on from `position`; `after`: where that turn led."""
    if n and game.position_text(position) == after:
        anchors.pop(n, None)
    else:
        anchors[n] = position


def anchors_of(game: Game, rows: Sequence[Mapping[str, Any]], game_no: int) -> Anchors:
    """The anchors that a game's journalled rows lead to."""
    anchors: dict[int, Position] = {}
    turns: dict[int, str] = {}
    kept: dict[int, Position] = {}  # by a correction, whose rows follow it
    for row in rows:
        if int(row.get("game_no", 0)) != game_no:
            continue
        event = row["event"]
        if event == "setup_complete":
            anchors, turns = {0: game.parse_position(row["position"])}, {}
        elif event == "ruling" and row["what"] == "corrected":
            kept = {n: anchors[n] for n in row.get("kept", ()) if n in anchors}
        elif event in ("turn", "pass"):
            n = int(row["n"])
            if turns.get(n) != row["position"]:
                anchors = {k: position for k, position in anchors.items() if k < n} | kept
            turns[n] = row["position"]
        elif event == "withdrawn":
            n = int(row["n"])
            anchors = {k: position for k, position in anchors.items() if k < n}
            turns = {k: position for k, position in turns.items() if k < n}
        elif event == "belief":
            kept = {}
            shown = row["lines"][0] if row.get("lines") else None
            n = int(shown["n"]) if shown is not None else 0
            anchors = {k: position for k, position in anchors.items() if shown is None or k <= n}
            if shown is not None and (not n or n in turns):
                position = game.parse_position(shown["anchor"])
                if shown.get("to_move") is not None and game.to_move(position) != shown["to_move"]:
                    position = game.with_mover(position, shown["to_move"])
                _stand(anchors, game, n, position, turns.get(n))
    return tuple(sorted(anchors.items()))
