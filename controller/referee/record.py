"""From lines to the record: what the outside is told when belief changes."""

from __future__ import annotations

from controller.referee.lines import Line
from controller.referee.state import Candidate, Draft, Standing
from controller.referee.strokes import Way
from controller.rules.api import CountsPoints, Game, Outcome, Position


def strong(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """The lines whose position stands on the table."""
    return tuple(line for line in lines if not line.weak)


def believe(draft: Draft, lines: tuple[Line, ...]) -> None:
    """Believe these lines; write what that changes in the record: withdrawn turns, then new and rewritten ones."""
    shown = lines[0]
    state = draft.state
    old, new = state.published, shown.record
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    draft.set(lines=lines)
    if same == len(old) == len(new):
        return
    draft.set(published=new, played=tuple(done.played for done in new))
    for done in reversed(old[len(new) :]):
        draft.emit("withdrawn", {"n": done.n, "player": done.played.player})
    written = state.written
    for done in new[same:]:
        told: dict[str, object] = {
            "n": done.n,
            "player": done.played.player,
            "text": done.played.text,
            "legal": done.played.legal,
            "position": done.position,
            "revised": done.n <= written,
        }
        if done.played.passed:
            draft.emit("pass", told | {"why": "no_legal_turn"})
        else:
            draft.emit("turn", told)
            draft.set(accepted_s=state.t_s)
    draft.set(written=max(written, len(new)))


def differ(game: Game, lines: tuple[Line, ...]) -> bool:
    """The lines disagree about whose turn it is or about the result: worth a question."""
    likely = strong(lines)
    movers = {game.to_move(line.position) for line in likely}
    results = {game.outcome(line.position) for line in likely}
    return len(movers) > 1 or len(results) > 1


def mover_not_known_yet(lines: tuple[Line, ...]) -> bool:
    """A game taken up in the middle, before its first turn: nothing to ask, the first turn will show."""
    likely = strong(lines)
    return all(not line.steps and line.record == likely[0].record for line in likely)


def candidate(game: Game, line: Line, *, turn: bool = True) -> Candidate:
    """A line as a question shows it: its last turn and whose it was; without a turn, who is to move."""
    played = [done for done in line.record if not done.played.passed]
    last = played[-1] if turn and played and line.steps else None
    return {
        "text": last.played.text if last else None,
        "position": game.position_text(line.position),
        "player": last.played.player if last else game.to_move(line.position),
    }


def outcome_of(game: Game, lines: tuple[Line, ...]) -> Outcome | None:
    """The result on which all lines agree."""
    results = {game.outcome(line.position) for line in strong(lines)}
    return results.pop() if len(results) == 1 else None


def end_game(draft: Draft, outcome: Outcome) -> None:
    """The game is over; nothing in it can be changed any more."""
    data: dict[str, object] = {"winner": outcome.winner, "result": outcome.result, "why": outcome.why}
    game = draft.state.game
    if isinstance(game, CountsPoints):  # also where it was resigned, or the points are not known
        score = outcome.score or game.score(draft.state.line.position)
        data["score"] = list(score) if score is not None else None
    draft.emit("game_over", data)
    draft.set(
        phase="over",
        lines=(draft.state.line.closed(),),
        winner=outcome.winner,
        result=outcome.result,
        why=outcome.why,
    )
    forget_moment(draft)


def forget_moment(draft: Draft) -> None:
    """Drop everything that belongs to one moment on the table: offence, stage, question, guide, what is pending."""
    draft.set(
        pending=(), offence=None, accused=(), owed=(), stage=None, stage_at=None, partial=False, question=(),
        question_about="", asked=None, rearranging=False, pressed=None, provisional=False, doubts=(), way=Way(),
        guiding=None, unchecked=False,
    )  # fmt: skip


def begin_game(draft: Draft, lines: tuple[Line, ...], position: Position, begun: str) -> None:
    """A game begins (`start`) or is taken up (`midgame`)."""
    game = draft.state.game
    forget_moment(draft)
    draft.set(
        phase="play", game_no=draft.state.last_no + 1, lines=lines, published=(), played=(), written=0,
        accepted_s=None, winner=None, result=None, why=None, setup=None, ruled=None,
        anchors=((0, position),), standing=Standing(game.picture(position)),
    )  # fmt: skip
    seen = draft.state.seen
    draft.set_seen(touched=frozenset(), touched_since_pending=frozenset(), explained=seen.placement,
                   seam=game.picture(position), gap_s=0.0)  # fmt: skip
    draft.emit("setup_complete", {"position": game.position_text(position), "as": begun})
    believe(draft, lines)  # a side without a legal turn passes at once
