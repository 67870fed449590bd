"""What must survive a power cut: the lines, as one internal event, and back again from the journal's rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from controller.referee.lines import Done, Line
from controller.referee.state import Draft, Eyes, Guiding, Seen, State
from controller.referee.timing import Timing
from controller.referee.view import Phase, Played
from controller.rules.api import Game, Position, RulesError


def write_belief(draft: Draft, before: State) -> None:
    """Write the lines, if they have changed: each from its last position that can't change any more."""
    state = draft.state
    if (state.lines, state.phase, state.game_no, state.written) == (
        before.lines, before.phase, before.game_no, before.written,
    ):  # fmt: skip
        return
    if not state.lines:
        if before.lines:
            draft.emit("belief", {"game_no": state.game_no, "phase": state.phase, "lines": []}, internal=True)
        return
    game = state.game
    told = [_told(game, line) for line in state.lines]
    draft.emit(
        "belief",
        {
            "game_no": state.game_no,
            "phase": state.phase,
            "anchor": told[0]["anchor"],
            "n": told[0]["n"],
            "to_move": game.to_move(state.line.position),
            "options": dict(getattr(game, "chosen", {})),
            "written": state.written,
            "lines": told,
            "result": {"winner": state.winner, "result": state.result, "why": state.why},
        },
        internal=True,
    )


def _told(game: Game, line: Line) -> dict[str, Any]:
    anchor = line.steps[0].before if line.steps else line.position
    closed = len(line.record) - line.open_rows
    return {
        "anchor": game.position_text(anchor),
        "to_move": game.to_move(anchor),
        "n": closed,
        "turns": [done.played.text for done in line.record[closed:]],
        "weak": line.weak,
    }


def rebuild(game: Game, set_name: str, timing: Timing, rows: Sequence[Mapping[str, Any]]) -> State:
    """The state that the journalled rows of a table lead to: the same lines, eyes freshly opened."""
    game_no = max((int(row["game_no"]) for row in rows if row["event"] == "setup_complete"), default=0)
    state = State(game, set_name, timing, "setup", game_no=game_no)
    # Nothing is known of the time without power: until the board is explained again there is no ground to accuse.
    state = replace(
        state,
        eyes=Eyes(),
        seen=Seen(touched=game.sites, touched_since_pending=game.sites, gap_s=timing.thread_s + 1.0),
    )
    belief = next((row for row in reversed(rows) if row["event"] == "belief"), None)
    if belief is None or not belief["lines"] or int(belief["game_no"]) != game_no:
        return state
    record = _record(rows, game_no)
    replayed = _replayed(game, rows, game_no, record)
    lines = tuple(_line(game, told, record, replayed) for told in belief["lines"])
    published = tuple(record[n] for n in sorted(record) if n <= len(lines[0].record))
    phase: Phase = "over" if belief["phase"] == "over" else "play"
    result = belief.get("result") or {}
    return replace(
        state,
        phase=phase,
        guiding=Guiding() if phase == "play" and _was_guided(rows, game_no) else None,
        lines=lines,
        published=published,
        written=int(belief.get("written", len(published))),
        played=tuple(done.played for done in published),
        accepted_s=0.0 if published else None,
        winner=result.get("winner"),
        result=result.get("result"),
        why=result.get("why"),
    )


def _was_guided(rows: Sequence[Mapping[str, Any]], game_no: int) -> bool:
    """Whether the table was being led back to its position."""
    told = (row for row in reversed(rows) if row["event"] == "guide" and int(row.get("game_no", 0)) == game_no)
    return next((row["state"] == "begun" for row in told), False)


def _record(rows: Sequence[Mapping[str, Any]], game_no: int) -> dict[int, Done]:
    """The fold of the game: the last row of each `n` counts, withdrawn ones do not."""
    record: dict[int, Done] = {}
    for row in rows:
        if int(row.get("game_no", 0)) != game_no:
            continue
        if row["event"] in ("turn", "pass"):
            passed = row["event"] == "pass"
            played = Played(int(row["n"]), row["player"], row["text"], bool(row["legal"]), passed=passed)
            record[played.n] = Done(played, row["position"])
        elif row["event"] == "withdrawn":
            record.pop(int(row["n"]), None)
    return record


def _replayed(
    game: Game, rows: Sequence[Mapping[str, Any]], game_no: int, record: Mapping[int, Done]
) -> dict[int, Position]:
    """The positions of the game, turn by turn: a position may know more of its past than its text does."""
    begun = next((r for r in reversed(rows) if r["event"] == "setup_complete" and int(r["game_no"]) == game_no), None)
    if begun is None:
        return {}
    position = game.parse_position(begun["position"])
    positions = {0: position}
    for n in sorted(record):
        done = record[n]
        try:
            if game.to_move(position) is None:
                position = game.with_mover(position, done.played.player)
            position = game.after(position, game.parse_turn(position, done.played.text))
        except RulesError:  # accepted as played, or the operator set the position
            position = game.parse_position(done.position)
        positions[n] = position
    return positions


def _line(game: Game, told: Mapping[str, Any], record: Mapping[int, Done], replayed: Mapping[int, Position]) -> Line:
    position = replayed.get(int(told["n"]))
    if position is None or game.position_text(position) != told["anchor"]:
        position = game.parse_position(told["anchor"])
    mover = told.get("to_move")
    if mover is not None and game.to_move(position) != mover:
        position = game.with_mover(position, mover)
    line = Line(position, tuple(record[n] for n in range(1, int(told["n"]) + 1) if n in record))
    closed = len(line.record)
    for i, text in enumerate(told["turns"]):
        if len(line.record) == closed + i:  # otherwise it was a pass, which followed by itself
            line = line.then(game, game.parse_turn(line.position, text))
    return replace(line, weak=bool(told["weak"]))
