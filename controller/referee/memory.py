"""What must survive a power cut: the lines, believed and pending, as one internal event, and back from its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from controller.referee.anchors import anchors_of
from controller.referee.lines import Done, Line
from controller.referee.record import candidate, strong
from controller.referee.standing import changed, standing_of
from controller.referee.state import NOTHING, Draft, Eyes, Guiding, Seen, State
from controller.referee.strokes import Way, in_strokes
from controller.referee.timing import Timing
from controller.referee.view import Phase, Played
from controller.rules.api import Game, Placement, Position, RulesError, Shift
from controller.rules.options import chosen_of


def write_belief(draft: Draft, before: State) -> None:
    """Write the lines, if they have changed: each from its last position that can't change any more."""
    state = draft.state
    if _kept(state) == _kept(before):
        return
    if not state.lines:
        if before.lines:
            draft.emit("belief", {"game_no": state.game_no, "phase": state.phase, "lines": []}, internal=True)
        return
    game = state.game
    told = [_told(game, line, state.line) for line in state.lines]
    draft.emit(
        "belief",
        {
            "game_no": state.game_no,
            "phase": state.phase,
            "anchor": told[0]["anchor"],
            "n": told[0]["n"],
            "to_move": game.to_move(state.line.position),
            "options": chosen_of(game),
            "written": state.written,
            "lines": told,
            "pending": [_told(game, line, state.line) for line in state.pending],
            "asked": _asked(state),
            "asked_at": _told_board(_asked_at(state)),
            "way": _told_way(game, state.way) if _has_way(state) else None,
            "rearranging": state.rearranging,
            "ruled": _told_board(state.ruled),
            "result": {"winner": state.winner, "result": state.result, "why": state.why},
        },
        internal=True,
    )


def _kept(state: State) -> tuple[object, ...]:
    """All that a belief row is written for."""
    way = state.way if _has_way(state) else None
    counted = state.phase, state.game_no, state.written
    return *counted, state.lines, state.pending, _asked(state), _asked_at(state), way, state.ruled, state.rearranging


def _has_way(state: State) -> bool:
    """Whether what stood settled since the last turn tells of a turn, which a look at the board alone would not."""
    return in_strokes(state.game) and bool(state.way.stages)


def _asked(state: State) -> str | None:
    """The question that a look at the board alone would not ask again; one nobody was told of is open all the same."""
    about = state.question_about
    return (about if state.question else f"{about}, untold") if about in ("thread", "victim") else None


def _asked_at(state: State) -> Placement | None:
    """What was asked about, where it is not judged again before it changes."""
    return state.asked if state.question_about == "thread" and in_strokes(state.game) else None


def _told(game: Game, line: Line, shown: Line) -> dict[str, Any]:
    anchor = line.steps[0].before if line.steps else line.position
    closed = len(line.record) - line.open_rows
    told: dict[str, Any] = {
        "anchor": game.position_text(anchor),
        "to_move": game.to_move(anchor),
        "n": closed,
        "turns": [done.played.text for done in line.record[closed:]],
        "weak": line.weak,
    }
    others = [done for i, done in enumerate(line.record[:closed]) if done not in shown.record[i : i + 1]]
    if others:
        told["otherwise"] = [_row(done) for done in others]
    if line.lingering:
        told["lingering"] = [[shift.piece, shift.origin] for shift in line.lingering]
    return told


def _row(done: Done) -> dict[str, Any]:
    """A turn that can't change any more, of a line that is not shown: no row of the record has it."""
    played = done.played
    told = {"n": done.n, "player": played.player, "text": played.text, "legal": played.legal, "position": done.position}
    return told | {"passed": played.passed}


def rebuild(game: Game, set_name: str, timing: Timing, rows: Sequence[Mapping[str, Any]]) -> State:
    """The state that the journalled rows of a table lead to: the same lines, eyes freshly opened."""
    game_no = max((int(row["game_no"]) for row in rows if row["event"] == "setup_complete"), default=0)
    state = State(game, set_name, timing, "setup", game_no=game_no, paused=_was_paused(rows))
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
    anchors = anchors_of(game, rows, game_no)
    replayed = _replayed(game, dict(anchors), record)
    lines, pending = (
        tuple(_line(game, told, record, replayed) for told in belief.get(key, ())) for key in ("lines", "pending")
    )
    published = tuple(record[n] for n in sorted(record) if n <= len(lines[0].record))
    way = _way(game, belief.get("way"))
    asked = belief.get("asked") or ""
    about: Literal["", "thread", "victim"] = "thread" if "thread" in asked else "victim" if "victim" in asked else ""
    likely = strong(lines) if about == "thread" else lines[:1] if about else ()
    phase: Phase = "over" if belief["phase"] == "over" else "play"
    result = belief.get("result") or {}
    return replace(
        state,
        phase=phase,
        guiding=Guiding() if phase == "play" and _was_guided(rows, game_no) else None,
        lines=lines,
        pending=pending,
        published=published,
        anchors=anchors,
        standing=standing_of(game, rows, game_no),
        written=int(belief.get("written", len(published))),
        played=tuple(done.played for done in published),
        accepted_s=0.0 if published else None,
        way=way,
        stage=(way.position, way.stages[-1]) if way.stages else None,
        question_about=about,
        question=() if "untold" in asked else tuple(candidate(game, one, turn=about == "victim") for one in likely),
        rearranging=bool(belief.get("rearranging")),
        asked=_board(belief.get("asked_at")),
        ruled=_board(belief.get("ruled")),
        winner=result.get("winner"),
        result=result.get("result"),
        why=result.get("why"),
    )


def _was_paused(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Whether an operator had paused the table, and nobody has let it go on since."""
    told = (row["what"] for row in reversed(rows) if row["event"] == "ruling" and row["what"] in ("paused", "resumed"))
    return next(told, "resumed") == "paused"


def _was_guided(rows: Sequence[Mapping[str, Any]], game_no: int) -> bool:
    """Whether the table was being led back to its position."""
    told = (row for row in reversed(rows) if row["event"] == "guide" and int(row.get("game_no", 0)) == game_no)
    return next((row["state"] == "begun" for row in told), False)


def _told_way(game: Game, way: Way) -> dict[str, Any]:
    """Its stages, each as what differs from the one before it."""
    stood, stages = game.picture(game.parse_position(way.position)), []
    for stage in way.stages:
        stages.append(_told_stage(stood, stage))
        stood = stage
    return {"position": way.position, "stages": stages}


def _told_board(board: Placement | None) -> dict[str, Any] | None:
    return None if board is None else _told_stage(NOTHING, board)


def _board(told: Mapping[str, Any] | None) -> Placement | None:
    return None if told is None else _stage(NOTHING, told)


def _told_stage(stood: Placement, stage: Placement) -> dict[str, Any]:
    sites = sorted({*stood.on, *stage.on})
    changes = {site: list(stage.on.get(site, ())) for site in sites if stood.on.get(site, ()) != stage.on.get(site, ())}
    return {"changed": changes} | ({"hidden": sorted(stage.hidden)} if stage.hidden else {})


def _way(game: Game, told: Mapping[str, Any] | None) -> Way:
    if told is None:
        return Way()
    way, stood = Way(), game.picture(game.parse_position(told["position"]))
    for stage in told["stages"]:
        stood = _stage(stood, stage)
        way = way.then(told["position"], stood)
    return way


def _stage(stood: Placement, told: Mapping[str, Any]) -> Placement:
    return Placement(changed(stood, told["changed"]).on, hidden=frozenset(told.get("hidden", ())))


def _record(rows: Sequence[Mapping[str, Any]], game_no: int) -> dict[int, Done]:
    """The fold of the game: the last row of each `n` counts, withdrawn ones do not."""
    record: dict[int, Done] = {}
    for row in rows:
        if int(row.get("game_no", 0)) != game_no:
            continue
        if row["event"] in ("turn", "pass"):
            record[int(row["n"])] = _done(row, passed=row["event"] == "pass")
        elif row["event"] == "withdrawn":
            record.pop(int(row["n"]), None)
    return record


def _done(row: Mapping[str, Any], *, passed: bool) -> Done:
    played = Played(int(row["n"]), row["player"], row["text"], bool(row["legal"]), passed=passed)
    return Done(played, row["position"])


def _replayed(game: Game, anchors: Mapping[int, Position], record: Mapping[int, Done]) -> dict[int, Position]:
    """The positions of the game, turn by turn: a position may know more of its past than its text does."""
    if 0 not in anchors:
        return {}
    position = anchors[0]
    positions = {0: position}
    for n in sorted(record):
        done = record[n]
        position = anchors.get(n - 1, position)
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
    own = {**record, **{int(row["n"]): _done(row, passed=row["passed"]) for row in told.get("otherwise", ())}}
    line = Line(position, tuple(own[n] for n in range(1, int(told["n"]) + 1) if n in own))
    closed = len(line.record)
    for i, text in enumerate(told["turns"]):
        if len(line.record) == closed + i:  # otherwise it was a pass, which followed by itself
            line = line.then(game, game.parse_turn(line.position, text))
    lingering = tuple(Shift(piece, origin, None) for piece, origin in told.get("lingering", ()))
    return replace(line, weak=bool(told["weak"]), lingering=lingering)
